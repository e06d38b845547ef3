"""COCO's suites of two objectives, and their hypervolume indicator."""

import re

import cocoex
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from timefair.problems.coco_biobj import reference_values
from timefair.problems.kinds import GRID, after_each, normalized
from timefair.problems.registry import SUITES

BIOBJ = SUITES["bbob-biobj"]
EXT = SUITES["bbob-biobj-ext"]
EVALUATIONS = 2000
PROBLEMS = [
    (BIOBJ, 1, 2, 1), (BIOBJ, 2, 3, 11), (BIOBJ, 27, 5, 3), (BIOBJ, 46, 10, 2), (BIOBJ, 55, 3, 7),
    (EXT, 56, 2, 4), (EXT, 92, 5, 15),
]  # fmt: skip
each_problem = pytest.mark.parametrize(
    ("suite", "function", "dimension", "instance"), PROBLEMS, ids=lambda value: str(value)[:3]
)


def in_coco(suite, function, dimension, instance):
    options = (f"instances: {instance}", f"dimensions: {dimension} function_indices: {function}")
    return cocoex.Suite(suite.name, *options), *options


def walk(dimension, rng):
    """Points that approach a random one: few are in the region of interest at first."""
    middle, sigma = rng.uniform(-3, 3, dimension), 40.0
    for _ in range(EVALUATIONS):
        yield np.clip(middle + sigma * rng.standard_normal(dimension), -99, 99)
        sigma *= 0.997


def numbers_of(folder, pattern):
    """Evaluations and indicators of COCO's logger, one row per line, and its reference value."""
    lines, reference = [], None
    for path in folder.rglob(pattern):
        text = path.read_text()
        reference = float(re.search(r"reference value = (\S+)", text)[1])
        lines += [line.split()[:2] for line in text.splitlines() if not line.startswith("%")]
    return np.array(lines, dtype=float), reference


@each_problem
def test_the_precision_is_the_indicator_of_cocos_logger(
    suite, function, dimension, instance, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    problem = suite.problem(function, dimension, instance)
    opened, *_ = in_coco(suite, function, dimension, instance)
    observed = opened.get_problem(0)
    observed.observe_with(cocoex.Observer("bbob-biobj", "result_folder: A log_nondominated: none"))
    rng = np.random.default_rng(function)
    points = list(walk(dimension, rng))
    vectors = np.array([observed(x) for x in points])
    observed.free()
    np.testing.assert_array_equal([problem.evaluate(x) for x in points], vectors)
    precision = problem.outputs.quality(vectors) - problem.f_opt
    for files in ("*_hyp.dat", "*_hyp.tdat"):
        logged, reference = numbers_of(tmp_path, files)
        assert reference == -problem.f_opt
        assert len(logged) >= 12
        evaluations = logged[:, 0].astype(int)
        np.testing.assert_allclose(precision[evaluations - 1], logged[:, 1], rtol=1e-12, atol=1e-13)
    assert precision[0] > 1 > precision[-1]  # outside the region of interest, and within


def test_every_problem_has_a_reference_value():
    for function in EXT.functions:
        for dimension in EXT.dimensions:
            values = [reference_values()[function, i, dimension] for i in range(1, 16)]
            assert all(0 < value <= 1 for value in values)
            assert values[10:] == [1.0] * 5


def test_a_vector_with_nan_is_nan_and_another_shape_is_refused():
    problem = BIOBJ.problem(3, 5, 2)
    assert np.isnan(problem.evaluate(np.full(5, np.nan))).all()
    with pytest.raises(ValueError, match="dimension"):
        problem.evaluate(np.zeros(4))


coordinate = st.one_of(
    st.floats(0, 2, allow_nan=False),
    st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0, 1.5]),  # ties, corners, outside
)
walks = st.lists(st.tuples(coordinate, coordinate), min_size=1, max_size=30).map(np.array)


@given(walks)
def test_it_is_moocores_as_soon_as_the_region_is_reached(vectors):
    moocore = pytest.importorskip("moocore")
    found = after_each(vectors)
    for count, value in enumerate(found, start=1):
        part = vectors[:count]
        if (part <= 1).all(axis=1).any():
            assert value == pytest.approx(moocore.hypervolume(part, ref=[1, 1]), abs=1e-12)
        else:
            beyond = np.maximum(part - 1, 0)
            assert value == -np.min(np.hypot(*beyond.T))


@given(walks)
def test_it_never_falls_and_its_end_does_not_depend_on_the_order(vectors):
    found = after_each(vectors)
    assert (np.diff(found) >= 0).all()
    assert after_each(vectors[::-1])[-1] == pytest.approx(found[-1], abs=1e-12)


def test_values_are_rounded_and_moved_into_the_region_of_the_ideal_point():
    vectors = [[0.3 + 0.2 * GRID, 0.5], [-1e-9, 2.0], [0.7, -1e-13], [0.0, 0.2]]
    found = normalized(vectors, ideal=[0.0, 0.0], nadir=[1.0, 1.0])
    np.testing.assert_allclose(found, [[0.3, 0.5], [0.0, 2.0], [1.0, 0.0], [0.0, 1.0]], atol=1e-13)
    assert found[0, 0] == normalized([[0.3, 0.5]], [0.0, 0.0], [1.0, 1.0])[0, 0]
