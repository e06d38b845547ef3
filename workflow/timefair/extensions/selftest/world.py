"""The campaign of the self-test: its synthetic algorithms, budget, targets and number of runs."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from timefair.extensions.selftest.laws import Law, Synthetic
from timefair.extensions.selftest.staircase import VALUES

NAME = "selftest"
STEP_S = 2e-4
BUDGET_S = 200.5 * STEP_S
"""Budget T of a run, in seconds. No evaluation is due at T itself, so the accuracy of the clock
does not decide whether the last evaluation counts.
"""

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
"""The algorithms by label. `twin` has the same law as `exponential`; `cheap` needs less time than
`exponential`, but more evaluations."""

TWINS = ("exponential", "twin")
INVERTED = ("exponential", "cheap")
"""The first algorithm is better in evaluations and the second one in seconds, at every target."""

TARGET_LEVELS = (4, 12, 24, 40)
TARGETS = tuple(VALUES[level] for level in TARGET_LEVELS)
RUNS = 30
"""Number of runs per algorithm and repetition."""


def campaign(repetitions: int, seed: int, runs: int | None = None) -> dict[str, Any]:
    """The campaign in the form of a campaign file; each function is one repetition.

    `runs` is the number of runs per algorithm and repetition; None means `RUNS`.
    """
    return {
        "name": NAME,
        "seed": seed,
        "problems": {
            "suite": "timefair.extensions.selftest.staircase:staircase",
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
        "use": "timefair.extensions.selftest.synthetic:solve",
        "parameters": synthetic.parameters,
    }
    if synthetic.tau is not None:
        entry["restart"] = {"policy": "fixed", "tau_evaluations": synthetic.tau}
    return entry
