"""The noise-free values of bbob-noisy are those that COCO's observer logs."""

import re
from pathlib import Path

import cocoex
import numpy as np
import pytest

from timefair.problems import coco_library
from timefair.problems.base import ProblemName
from timefair.problems.coco_library import CProblem, place_noise
from timefair.problems.registry import SUITES

NOISY = SUITES["bbob-noisy"]


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
    fields = [("before", coco_library.ctypes.c_void_p), *coco_library._Layout._fields_]
    moved = type("Moved", (coco_library.ctypes.Structure,), {"_fields_": fields})
    monkeypatch.setattr(coco_library, "_Layout", moved)
    with pytest.raises(RuntimeError, match="the noise-free value is not where"):
        pair(107, 2)
