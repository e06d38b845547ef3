"""The campaign of the self-test: its synthetic algorithms, and how many repetitions it has."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from timefair.selftest.laws import Law, Synthetic
from timefair.selftest.staircase import VALUES

NAME = "selftest"
STEP_S = 2e-4
BUDGET_S = 200.5 * STEP_S
"""T of a run. No evaluation is due at T itself, so the clock decides nothing about the last one."""

ALGORITHMS: Mapping[str, Synthetic] = MappingProxyType(
    {
        "exponential": Synthetic(Law("exponential", 0.5 * BUDGET_S), 1.0, STEP_S),
        "twin": Synthetic(Law("exponential", 0.5 * BUDGET_S), 1.0, STEP_S),
        "cheap": Synthetic(Law("exponential", 0.35 * BUDGET_S), 1.0, STEP_S / 4),
        "lognormal": Synthetic(Law("lognormal", 0.4 * BUDGET_S, 0.7), 0.9, STEP_S),
        "sleeping": Synthetic(Law("uniform", 0.6 * BUDGET_S, 0.5), 0.5, 5 * STEP_S, sleeps=True),
        "restarted": Synthetic(Law("weibull", 0.12 * BUDGET_S, 2.0), 0.4, STEP_S, tau=40),
    }
)
"""By label. `twin` has the law of `exponential`; `cheap` needs less time than `exponential`, and
more evaluations."""

TWINS = ("exponential", "twin")
INVERTED = ("exponential", "cheap")
"""The first is better by evaluations, the second by seconds, to every target."""

TARGET_LEVELS = (4, 12, 24, 40)
TARGETS = tuple(VALUES[level] for level in TARGET_LEVELS)
RUNS = 30
"""Runs of an algorithm in a repetition."""


def campaign(repetitions: int, seed: int, runs: int | None = None) -> dict[str, Any]:
    """The campaign as a file of a user would have it; each function is one repetition.

    Without `runs` there are `RUNS` of each algorithm in a repetition.
    """
    return {
        "name": NAME,
        "seed": seed,
        "problems": {
            "suite": "timefair.selftest.staircase:staircase",
            "functions": f"1-{repetitions}",
            "dimensions": 1,
            "instances": 1,
        },
        "algorithms": {label: _entry(one) for label, one in ALGORITHMS.items()},
        "budget": {"time_s": BUDGET_S, "final_target": TARGETS[-1]},
        "restart": {"policy": "none"},
        "runs": runs or RUNS,
        "targets": list(TARGETS),
    }


def _entry(synthetic: Synthetic) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "use": "timefair.selftest.synthetic:solve",
        "parameters": synthetic.parameters,
    }
    if synthetic.tau is not None:
        entry["restart"] = {"policy": "fixed", "tau_evaluations": synthetic.tau}
    return entry
