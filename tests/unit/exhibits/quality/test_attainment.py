"""Surfaces that a share of the runs attains, and tables on problems that change."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from timefair.exhibits.quality.changes import after_change, errors, recovery
from timefair.exhibits.quality.noise import POINTS, SHARES, attained, surfaces
from timefair.problems.registry import SUITES, find
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.records.rundata.traces import nondominated
from timefair.records.schema import RUN_SCHEMA

number = st.one_of(st.floats(0, 1), st.integers(0, 3).map(lambda k: k / 3))
fronts = st.lists(st.tuples(number, number), max_size=12).map(
    lambda rows: nondominated(np.array(rows).reshape(-1, 2))
)


@given(st.lists(st.tuples(number, number), max_size=20))
def test_a_front_has_what_no_other_vector_weakly_dominates(rows):
    vectors = np.unique(np.array(rows).reshape(-1, 2), axis=0)
    expected = [v for v in vectors if not any((o <= v).all() and (o < v).any() for o in vectors)]
    np.testing.assert_array_equal(
        nondominated(np.array(rows).reshape(-1, 2)), np.reshape(expected, (-1, 2))
    )


@pytest.mark.slow
@given(st.lists(fronts, min_size=1, max_size=5), st.sampled_from(SHARES))
def test_each_corner_is_dominated_by_the_share_and_by_no_fewer_runs(runs, share):
    pytest.importorskip("moocore")
    (corners,) = attained(runs, (share,))
    needed = int(np.ceil(share * len(runs)))

    def reached(point):
        return sum((front <= point).all(axis=1).any() for front in runs if len(front))

    for corner in corners:
        assert reached(corner) >= needed
        assert reached(corner - [1e-9, 0]) < needed
        assert reached(corner - [0, 1e-9]) < needed
    assert len(corners) > 0 or sum(map(bool, map(len, runs))) < needed


def run_of(problem, vectors, instance, k):
    """A run that found some normalized vectors one after the other."""
    width, ideal = np.array(problem.outputs.widths), ideal_of(problem)
    rows = [
        {"launch": 0, "evaluations": n, "time_s": 0.1, "outputs": list(ideal + vector * width)}
        for n, vector in enumerate(np.array(vectors), start=1)
    ]
    return {
        "suite": "bbob-biobj", "function": 1, "dimension": 2, "instance": instance,
        "algorithm": "A", "run": k, "f_opt": problem.f_opt, "wall_s": 1.0, "evaluations": 9,
        "best_precision": 0.5, "events": [], "vectors": rows,
    }  # fmt: skip


def ideal_of(problem):
    """The ideal point: where normalized vectors are 0."""
    far = np.array([[1e3, 1e3]])
    return far[0] - problem.outputs.normalize(far)[0] * np.array(problem.outputs.widths)


def test_runs_of_all_instances_are_pooled_in_normalized_objectives():
    pytest.importorskip("moocore")
    found = [
        [(0.5, 0.25), (0.75, 0.75)],
        [(0.25, 0.5), (2.0, 0.125)],
        [(0.5, 0.5)],
        [(1.5, 1.5)],
    ]
    rows = [
        run_of(SUITES["bbob-biobj"].problem(1, 2, instance), vectors, instance, 0)
        for instance, vectors in enumerate(found, start=1)
    ]
    table = surfaces(Runs.of(pa.Table.from_pylist(rows, RUN_SCHEMA)), Analysis(resamples=10))
    of_share = {share: part[["f1", "f2"]].to_numpy() for share, part in table.groupby("share")}
    np.testing.assert_allclose(of_share[0.25], [[0.25, 0.5], [0.5, 0.25]], atol=1e-9)
    np.testing.assert_allclose(of_share[0.5], [[0.5, 0.5]], atol=1e-9)
    np.testing.assert_allclose(of_share[0.75], [[0.5, 0.5]], atol=1e-9)
    missed = table.groupby("share")["missed"].first()
    np.testing.assert_allclose(missed, [1 - 0.5, 0.75, 0.75], atol=1e-9)


def test_a_surface_has_a_limited_number_of_corners():
    pytest.importorskip("moocore")
    first = np.linspace(0.001, 0.999, 3 * POINTS)
    vectors = np.column_stack([first, 1 - first])
    problem = SUITES["bbob-biobj"].problem(1, 2, 1)
    table = pa.Table.from_pylist([run_of(problem, vectors, 1, 0)], RUN_SCHEMA)
    found = surfaces(Runs.of(table), Analysis(resamples=10))
    assert found.groupby("share").size().tolist() == [POINTS] * 3
    np.testing.assert_allclose(found[["f1", "f2"]].iloc[[0, -1]], vectors[[0, -1]], atol=1e-6)


ENVIRONMENTS = 4
CHANGES = find("moving", {"environments": ENVIRONMENTS}).problem(2, 2, 1).changes
LEAST, MIDDLE = CHANGES.least, CHANGES.uninformed
SECONDS, EVALUATIONS = {"budget_s": 8.0}, {"budget_evaluations": 40}
"""Periods of 2 s, and of 10 evaluations."""


def moving_run(found, k=0, algorithm="A", **budget):
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
    frame = table(errors, moving_run(FOUND, **SECONDS))
    (row,) = frame.to_dict("records")
    assert [row["runs"], row["environments"], row["unit"], row["period"]] == [1, 4, "seconds", 2.0]
    best = [1.0, MIDDLE[1], 2.0, MIDDLE[3]]
    assert row["before_change"] == pytest.approx(np.mean(best))
    offline = [(0.5 * MIDDLE[0] + 0.5 * 4.0 + 1.0 * 1.0) / 2, MIDDLE[1], 2.0, MIDDLE[3]]
    assert row["offline_error"] == pytest.approx(np.mean(offline))
    for name in ("before_change", "offline_error"):
        assert row[f"{name}_low"] == row[f"{name}_high"] == row[name]


def test_errors_in_evaluations_are_means_over_evaluations():
    (row,) = table(errors, moving_run(FOUND, **EVALUATIONS)).to_dict("records")
    assert [row["unit"], row["period"]] == ["evaluations", 10.0]
    offline = [(2 * 4.0 + 8 * 1.0) / 10, MIDDLE[1], 2.0, MIDDLE[3]]
    assert row["offline_error"] == pytest.approx(np.mean(offline))


def test_recovery_after_changes():
    frame = table(recovery, moving_run(FOUND, **SECONDS), moving_run(FOUND, k=1, **SECONDS))
    assert frame["target"].tolist() == [4.5, 1.5]
    assert frame["recovered"].tolist() == [0.5, 0.25]
    np.testing.assert_allclose(frame["recovery"], [(0.5 + 0.0 + 2 * 2) / 2, (1.0 + 3 * 2) / 1])
    counted = table(recovery, moving_run(FOUND, **EVALUATIONS))
    np.testing.assert_allclose(counted["recovery"], [(1 + 1 + 2 * 10) / 2, (3 + 3 * 10) / 1])


def test_the_curve_ends_at_the_mean_error_before_a_change():
    for budget, period in ((SECONDS, 2.0), (EVALUATIONS, 10.0)):
        run = moving_run(FOUND, **budget)
        curve, frame = table(after_change, run), table(errors, run)
        assert curve["cost"].iloc[-1] == pytest.approx(period)
        assert curve["error"].iloc[-1] == pytest.approx(frame["before_change"].iloc[0])
        assert (curve["error"].diff().iloc[1:] <= 0).all()
        assert (curve["error_low"] <= curve["error_high"]).all()
    assert curve["cost"].tolist() == list(range(1, 11))
