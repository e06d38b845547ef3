"""Tables on problems that change, from records of runs that are made by hand."""

import numpy as np
import pyarrow as pa
import pytest

from timefair.exhibits.quality.changes import after_change, errors, recovery
from timefair.problems.registry import find
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.records.schema import RUN_SCHEMA

ENVIRONMENTS = 4
CHANGES = find("moving", {"environments": ENVIRONMENTS}).problem(2, 2, 1).changes
LEAST, MIDDLE = CHANGES.least, CHANGES.uninformed
SECONDS, EVALUATIONS = {"budget_s": 8.0}, {"budget_evaluations": 40}
"""Periods of 2 s, and of 10 evaluations."""


def run_of(found, k=0, algorithm="A", **budget):
    """A run that found errors: evaluations, time, environment, error."""
    vectors = [
        {"launch": 0, "evaluations": n, "time_s": t, "outputs": [LEAST[e] + error, float(e)]}
        for n, t, e, error in found
    ]
    return {
        "suite": "moving", "function": 2, "dimension": 2, "instance": 1, "algorithm": algorithm,
        "run": k, "f_opt": 0.0, "wall_s": 8.0, "evaluations": 40, "best_precision": 1.0,
        "events": [], "vectors": vectors, **budget,
    }  # fmt: skip


FOUND = [(1, 0.5, 0, 4.0), (3, 1.0, 0, 1.0), (21, 4.0, 2, 2.0)]


def table(build, *rows, **settings):
    settings = {
        "resamples": 50,
        "targets": (4.5, 1.5),
        "suite_parameters": {"environments": ENVIRONMENTS},
        **settings,
    }
    return build(Runs.of(pa.Table.from_pylist(list(rows), RUN_SCHEMA)), Analysis(**settings))


def test_errors_in_seconds():
    frame = table(errors, run_of(FOUND, **SECONDS))
    (row,) = frame.to_dict("records")
    assert [row["runs"], row["environments"], row["unit"], row["period"]] == [1, 4, "seconds", 2.0]
    best = [1.0, MIDDLE[1], 2.0, MIDDLE[3]]
    assert row["before_change"] == pytest.approx(np.mean(best))
    offline = [(0.5 * MIDDLE[0] + 0.5 * 4.0 + 1.0 * 1.0) / 2, MIDDLE[1], 2.0, MIDDLE[3]]
    assert row["offline_error"] == pytest.approx(np.mean(offline))
    for name in ("before_change", "offline_error"):
        assert row[f"{name}_low"] == row[f"{name}_high"] == row[name]


def test_errors_in_evaluations_are_means_over_evaluations():
    (row,) = table(errors, run_of(FOUND, **EVALUATIONS)).to_dict("records")
    assert [row["unit"], row["period"]] == ["evaluations", 10.0]
    offline = [(2 * 4.0 + 8 * 1.0) / 10, MIDDLE[1], 2.0, MIDDLE[3]]
    assert row["offline_error"] == pytest.approx(np.mean(offline))


def test_recovery_after_changes():
    frame = table(recovery, run_of(FOUND, **SECONDS), run_of(FOUND, k=1, **SECONDS))
    assert frame["target"].tolist() == [4.5, 1.5]
    assert frame["recovered"].tolist() == [0.5, 0.25]
    np.testing.assert_allclose(frame["recovery"], [(0.5 + 0.0 + 2 * 2) / 2, (1.0 + 3 * 2) / 1])
    counted = table(recovery, run_of(FOUND, **EVALUATIONS))
    np.testing.assert_allclose(counted["recovery"], [(1 + 1 + 2 * 10) / 2, (3 + 3 * 10) / 1])


def test_the_curve_ends_at_the_mean_error_before_a_change():
    for budget, period in ((SECONDS, 2.0), (EVALUATIONS, 10.0)):
        run = run_of(FOUND, **budget)
        curve, frame = table(after_change, run), table(errors, run)
        assert curve["cost"].iloc[-1] == pytest.approx(period)
        assert curve["error"].iloc[-1] == pytest.approx(frame["before_change"].iloc[0])
        assert (curve["error"].diff().iloc[1:] <= 0).all()
        assert (curve["error_low"] <= curve["error_high"]).all()
    assert curve["cost"].tolist() == list(range(1, 11))
