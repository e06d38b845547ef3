"""Fronts of runs and the surfaces that a share of them attains."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from timefair.exhibits.quality.noise import POINTS, SHARES, attained, surfaces
from timefair.problems.registry import SUITES
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
