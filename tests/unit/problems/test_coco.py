"""COCO's suites and the hypervolume: optima, bounds, values, noise, and what they refuse."""

import ctypes
import itertools
import re
from pathlib import Path

import cocoex
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from timefair.problems import coco
from timefair.problems.coco import Coco, CProblem, library, place_noise, reference_values
from timefair.problems.kinds import GRID, Kind, after_each, normalized
from timefair.problems.problem import ProblemName
from timefair.problems.suites import SUITES

COCO = [
    suite for suite in SUITES.values() if isinstance(suite, Coco) and suite.task == "one objective"
]
EXACT = [suite for suite in COCO if suite.kind is Kind]
NOISY = SUITES["bbob-noisy"]


def best_point(problem):
    name = problem.name
    index = name.function - SUITES[name.suite].functions[0] + 1
    options = (
        f"instances: {name.instance}",
        f"dimensions: {name.dimension} function_indices: {index}",
    )
    opened = CProblem.open(name, options)
    best = np.empty(problem.dimension)
    tell = library().coco_problem_get_best_parameter
    tell.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    tell(opened.handle, best.ctypes.data)
    return best


def every(suite, dimension):
    return [suite.problem(f, dimension, i) for f in suite.functions for i in (1, 72)]


@pytest.mark.parametrize("suite", EXACT, ids=lambda suite: suite.name)
def test_the_optimum_is_where_coco_says_and_nothing_is_below(suite):
    for problem in every(suite, suite.dimensions[0]):
        best = best_point(problem)
        assert np.all((problem.lower <= best) & (best <= problem.upper))
        assert problem.evaluate(best) == pytest.approx(problem.f_opt, abs=1e-12)


@pytest.mark.slow
def test_no_whole_numbers_are_better_than_the_optimum_of_mixed_problems():
    for problem in every(SUITES["bbob-mixint"], 5):
        last = best_point(problem)[4]
        ranges = [range(n) for n in (2, 4, 8, 16)]
        values = [problem.evaluate(np.array([*x, last])) for x in itertools.product(*ranges)]
        assert min(values) == pytest.approx(problem.f_opt, abs=1e-12)


@pytest.mark.parametrize("suite", COCO, ids=lambda suite: suite.name)
def test_the_last_instance_and_the_largest_dimension_exist(suite):
    problem = suite.problem(suite.functions[-1], suite.dimensions[-1], 2**31 - 1)
    assert problem.dimension == suite.dimensions[-1]
    assert np.isfinite(problem.f_opt)
    assert np.all(np.isfinite(problem.evaluate(problem.points(3)[1])))


@pytest.mark.parametrize("suite", COCO, ids=lambda suite: suite.name)
def test_variables_are_of_the_kind_that_the_suite_says(suite):
    problem = suite.problem(suite.functions[0], 20, 1)
    assert (problem.native is None) == (suite.name == "bbob-mixint")
    if suite.variables == "mixed":
        np.testing.assert_array_equal(problem.integer, np.arange(20) < 16)
        np.testing.assert_array_equal(problem.upper[:16:4], [1, 3, 7, 15])
    else:
        assert suite.variables == "continuous"
        assert not problem.integer.any()
        assert set(problem.lower) == {-5.0}
        assert set(problem.upper) == {5.0}


@pytest.mark.parametrize(
    ("x", "said"),
    [
        ([0, 0, 0, 0.5, 0.5], "variable 3 of bbob-mixint f1 D=5 instance 1 is 0.5: it takes whole "
         "numbers from 0 to 15"),
        ([2, 0, 0, 0, 0.5], "variable 0 .* is 2: it takes 0 or 1"),
        ([0, 0, -1, 0, 0.5], "variable 2 .* is -1: it takes whole numbers from 0 to 7"),
        ([0, 0, float("nan"), 0, 0.5], "variable 2 .* is nan"),
        ([0, 0, 0, 0], r"takes an array of shape \(5,\), not \(4,\)"),
    ],
)  # fmt: skip
def test_what_is_not_whole_is_refused(x, said):
    problem = SUITES["bbob-mixint"].problem(1, 5, 1)
    with pytest.raises(ValueError, match=said):
        problem.evaluate(np.array(x, dtype=float))


def test_noise_repeats_from_the_same_seed_and_differs_from_another():
    problem = NOISY.problem(107, 5, 1)
    x = problem.points(3)[1]

    def values(seed):
        problem.reseed(seed)
        return [problem.evaluate(x)[0] for _ in range(20)]

    first, again, other = values(1), values(1), values(2)
    assert first == again
    assert len(set(first)) == 20
    assert not set(first) & set(other)


BIOBJ = SUITES["bbob-biobj"]
EXT = SUITES["bbob-biobj-ext"]
EVALUATIONS = 2000
OF_TWO = [
    (BIOBJ, 1, 2, 1), (BIOBJ, 2, 3, 11), (BIOBJ, 27, 5, 3), (BIOBJ, 46, 10, 2), (BIOBJ, 55, 3, 7),
    (EXT, 56, 2, 4), (EXT, 92, 5, 15),
]  # fmt: skip
each_problem = pytest.mark.parametrize(
    ("suite", "function", "dimension", "instance"), OF_TWO, ids=lambda value: str(value)[:3]
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


def test_every_pair_has_a_reference_value_and_odd_points_have_none():
    for function in EXT.functions:
        for dimension in EXT.dimensions:
            values = [reference_values()[function, i, dimension] for i in range(1, 16)]
            assert all(0 < value <= 1 for value in values)
            assert values[10:] == [1.0] * 5
    problem = BIOBJ.problem(3, 5, 2)
    assert np.isnan(problem.evaluate(np.full(5, np.nan))).all()
    with pytest.raises(ValueError, match="dimension"):
        problem.evaluate(np.zeros(4))


def pair(function, dimension, instance=1):
    options = (
        f"instances: {instance}",
        f"dimensions: {dimension} function_indices: {function - 100}",
    )
    name = ProblemName("bbob-noisy", function, dimension, instance)
    return CProblem.open(name, options).noisy_pair(dimension)


def observed(function, points, folder):
    """``(evaluations, precision)`` of the lines that COCO's observer writes for these points."""
    dimension = points.shape[1]
    suite = cocoex.Suite(
        "bbob-noisy", "instances: 1", f"dimensions: {dimension} function_indices: {function - 100}"
    )
    problem = suite.get_problem(0)
    problem.observe_with(cocoex.Observer("bbob", f"outer_folder: {folder} result_folder: data"))
    place_noise(3)  # opening a problem moves the noise on
    measured = [problem(x) for x in points]
    problem.free()
    lines = {}
    for file in Path(folder).rglob("*.*dat"):
        if file.suffix in (".dat", ".tdat"):
            rows = [line.split() for line in file.read_text().splitlines() if line[0] != "%"]
            lines |= {int(row[0]): float(row[2]) for row in rows}
    f_opt = float(re.search(r"Fopt \(([^)]*)\)", next(Path(folder).rglob("*.tdat")).read_text())[1])
    return measured, lines, f_opt


@pytest.mark.thinned(3)
@pytest.mark.parametrize("function", NOISY.functions)
def test_both_values_are_those_of_the_observer(function, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    points = np.random.default_rng(function).uniform(-6, 6, size=(150, 3))
    measured, lines, f_opt = observed(function, points, tmp_path)
    both = pair(function, 3)
    place_noise(3)
    values = np.array([both(x) for x in points])
    np.testing.assert_array_equal(values[:, 0], measured)
    best = np.minimum.accumulate(values[:, 1]) - f_opt
    assert len(lines) > 20
    for evaluations, precision in lines.items():
        assert best[evaluations - 1] == pytest.approx(precision, rel=1e-8, abs=1e-9)


@pytest.mark.parametrize("hostile", [np.nan, np.inf, -np.inf])
def test_a_point_that_is_not_finite_has_no_noise_free_value_of_another(hostile):
    both = pair(107, 2)
    finite = both([1.0, 1.0])
    measured, true = both([1.0, hostile])
    assert not np.isfinite(true)
    np.testing.assert_array_equal(measured, true)
    assert np.isfinite(finite).all()


def test_another_layout_of_cocos_problems_is_noticed(monkeypatch):
    fields = [("before", coco.ctypes.c_void_p), *coco._Layout._fields_]
    moved = type("Moved", (coco.ctypes.Structure,), {"_fields_": fields})
    monkeypatch.setattr(coco, "_Layout", moved)
    with pytest.raises(RuntimeError, match="the noise-free value is not where"):
        pair(107, 2)


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


def test_values_are_rounded_and_moved_into_the_region_of_the_ideal_point():
    vectors = [[0.3 + 0.2 * GRID, 0.5], [-1e-9, 2.0], [0.7, -1e-13], [0.0, 0.2]]
    found = normalized(vectors, ideal=[0.0, 0.0], nadir=[1.0, 1.0])
    np.testing.assert_allclose(found, [[0.3, 0.5], [0.0, 2.0], [1.0, 0.0], [0.0, 1.0]], atol=1e-13)
    assert found[0, 0] == normalized([[0.3, 0.5]], [0.0, 0.0], [1.0, 1.0])[0, 0]
