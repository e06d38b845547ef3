"""Campaigns of which it is known who wins, from runs to tables to the page."""

import functools
import itertools

import numpy as np
import pyarrow as pa
import pytest

from timefair.campaign import configuration
from timefair.exhibits.registry import TABLES
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.records.schema import RUN_SCHEMA
from timefair.report.evidence import Evidence
from timefair.report.page import page

TARGETS = (1.0, 0.1)
COMPARING = (
    "ranks", "friedman", "posthoc", "comparison", "rank_reversals", "ert", "paper_values",
    "quantiles", "anytime", "ecdf", "profile", "cost_map", "runs", "perturbation", "drift",
    "leftovers", "timing_noise", "checklist",
)  # fmt: skip


def run(algorithm, function, number, reached_s, budget_s, **changes):
    """A run that reaches 1 at a tenth of a time and 0.1 at that time, if within the budget."""
    steps = [(5, 1e-4, 50.0), (10, reached_s / 10, 1.0), (100, reached_s, 0.05)]
    events = [step for step in steps if step[1] < budget_s]
    row = {
        "suite": "bbob", "function": function, "dimension": 2, "instance": 1 + number % 2,
        "algorithm": algorithm, "round": 1, "run": number // 2, "f_opt": 0.0, "seed": number,
        "budget_s": budget_s, "status": "ok", "stop_reason": "time", "attempts": 1,
        "wall_s": budget_s, "cpu_s": budget_s, "evaluations": 200, "launches": 1,
        "completed_restarts": 0, "best_f": events[-1][2], "best_precision": events[-1][2],
        "overshoot_s": 0.0, "reaped_s": budget_s, "preparation_s": 0.1, "objective_s": 1e-4,
        "bare_s": 2e-4, "isolation": "private", "launch_log": [], "perturbation": "clean",
        "events": [
            {"launch": 0, "evaluations": n, "time_s": t, "precision": q} for n, t, q in events
        ],
    }  # fmt: skip
    return row | changes


REFERENCES = ("reference_before_s", "reference_after_s")


@functools.cache
def runs_of(seconds, functions, runs, budget_s, slowest):
    rng = np.random.default_rng(1)
    rows = [
        run(name, function, k, reached_s * rng.uniform(0.9, 1.1), budget_s)
        | (
            {"round": 1 + k % 2} | dict.fromkeys(REFERENCES, 0.01 * slowest ** (k % 2))
            if slowest
            else {}
        )
        for (name, reached_s), function, k in itertools.product(
            seconds, range(1, functions + 1), range(runs)
        )
    ]
    return Runs.of(pa.Table.from_pylist(rows, RUN_SCHEMA))


@functools.cache
def table_of(name, campaign_json, *of_runs):
    campaign = configuration.Campaign.model_validate_json(campaign_json, strict=False)
    return TABLES[name](runs_of(*of_runs), Analysis.of(campaign.settings_of(name)))


@pytest.fixture(scope="session")
def evidence():
    """A function: the tables of a campaign, from the seconds of each algorithm to the target."""

    def make(seconds, functions=8, runs=10, made=COMPARING, budget_s=1.0, slowest=None, **keys):
        labels = [f"a{k}" for k in range(len(seconds))]
        parsed = configuration.parse(
            {
                "name": "known",
                "problems": {
                    "suite": "bbob", "functions": f"1-{functions}", "dimensions": 2,
                    "instances": "1-2",
                },
                "algorithms": dict.fromkeys(labels, "timefair:random-search"),
                "budget": {"time_s": budget_s},
                "runs": max(runs // 2, 1),
                "targets": TARGETS,
                "statistics": {"resamples": 50},
            } | keys
        )  # fmt: skip
        named = dict(zip(seconds, parsed.algorithms.values(), strict=True))
        of_runs = (tuple(seconds.items()), functions, runs, budget_s, slowest)
        frames = {name: table_of(name, parsed.snapshot(), *of_runs).copy() for name in made}
        return Evidence(frames, parsed.model_copy(update={"algorithms": named}))

    return make


@pytest.fixture(scope="session")
def written(evidence, tmp_path_factory):
    """A function: the page of such a campaign, as a file that is not changed.

    It is made once, unless it should be `fresh`.
    """
    made = {}

    def make(seconds, figures=(), fresh=False, **keys):
        asked = repr((list(seconds.items()), figures, keys))
        if fresh or asked not in made:
            known = evidence(seconds, **keys)
            made[asked] = path = tmp_path_factory.mktemp("page") / "report.html"
            path.write_text(page(known.tables, dict(figures), known.campaign), encoding="utf-8")
        return made[asked]

    return make
