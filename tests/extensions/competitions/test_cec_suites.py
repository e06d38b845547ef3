"""The CEC suites against values of other programs.

Those of cec2017 and cec2022 are by the organizers' programs, and those of cec2014, cec2020 and
cec2021 by minionpy 1.9.1, which gives the same bits as the organizers' programs at each point of
the other two that was compared. minionpy has an earlier version of the program of cec2020, which
differs in f4, and in f6 in D = 15. The values of f4 are those of its f15 of cec2014 with the data
of f4; of f4 in D = 5 and 15, and of f6 in D = 15, those of the later program's functions, compiled.
"""

import csv
from collections import defaultdict
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from timefair.extensions.competitions import cec
from timefair.problems.suites import SUITES

pytest.importorskip("opfunu" if cec.find_spec("opfunu") is None else "numpy")

GOLDEN = defaultdict(list)
for file in ("cec_values.csv", "cec_values_minionpy.csv"):
    with (Path(__file__).parents[2] / "golden" / file).open() as lines:
        for row in csv.DictReader(lines):
            GOLDEN[row["suite"], int(row["function"]), int(row["dimension"])].append(row)

each_suite = pytest.mark.parametrize("suite", sorted({key[0] for key in GOLDEN}))


def found(suite):
    """The suite; the name may be followed by the transformations of cec2021."""
    name, _, transformations = suite.partition(" ")
    return SUITES[name].configured({"transformations": transformations} if transformations else {})


@cache
def problems(suite):
    return [found(suite).problem(*key[1:], 1) for key in GOLDEN if key[0] == suite]


def point(row, function, dimension):
    if row["point"] == "optimum":
        data = found(row["suite"]).folder / f"shift_data_{function}.txt"
        return np.array(data.read_text().split()[:dimension], dtype=float)
    j, p = np.arange(1, dimension + 1), int(row["point"])
    return 200 * ((0.6180339887498949 * j * (p + 1) + 0.1 * function) % 1) - 100


@each_suite
def test_values_are_those_of_the_organizers_program(suite):
    for problem in problems(suite):
        name = problem.name
        for row in GOLDEN[suite, name.function, name.dimension]:
            x = point(row, name.function, name.dimension)
            np.testing.assert_allclose(problem.evaluate(x), float(row["value"]), rtol=1e-12)
    defined = {
        (function, dimension)
        for function in found(suite).functions
        for dimension in found(suite).dimensions
        if not found(suite).faults([function], [dimension], [1])
    }
    assert defined == {key[1:] for key in GOLDEN if key[0] == suite}


def optimum(suite, function, dimension):
    """Where the program has its least value: the shift, or beside it in f9 of cec2017."""
    shifts, rotations = suite.data(function, dimension, 1)
    z = np.full(dimension, float((suite.name, function) == ("cec2017", 9)))
    return shifts[0] + np.linalg.solve(rotations[0], z) if z.any() else shifts[0]


@each_suite
def test_the_optimum_is_within_the_bounds_and_has_the_stated_value(suite):
    rng = np.random.default_rng(1)
    for problem in problems(suite):
        name = problem.name
        best = optimum(found(suite), name.function, name.dimension)
        assert np.all(np.abs(best) <= 100)
        np.testing.assert_allclose(problem.evaluate(best), problem.f_opt, rtol=0, atol=1e-9)
        near = best + rng.normal(0, 1e-3, (5, name.dimension))
        assert min(map(problem.evaluate, near)) >= problem.f_opt


def test_a_function_that_a_dimension_lacks_gets_one_line():
    assert SUITES["cec2022"].faults([5, 6], [2], [1]) == [
        "dimensions: 2 is not defined for cec2022 f6, which has 10, 20"
    ]
    assert SUITES["cec2017"].faults([1], [10], [2]) == [
        "instances: 2 is not in cec2017, which has only instance 1"
    ]


@each_suite
def test_missing_data_get_one_line(suite, monkeypatch):
    monkeypatch.setattr(cec, "find_spec", lambda name: None)
    (line,) = found(suite).faults([1], [10], [1])
    assert line.startswith(f"suite: {suite[:7]} needs the data files of the package opfunu: pip ")


@each_suite
def test_the_data_files_are_among_those_whose_digest_is_recorded(suite):
    files = {path.name for path in found(suite).source_files()}
    assert {"shift_data_1.txt", "M_1_D10.txt"} <= files


def test_the_bias_of_cec2021_is_added_to_the_value_and_a_wrong_word_gets_one_line():
    with_it, without = found("cec2021 bias-rot"), found("cec2021 rot")
    for function in with_it.functions:
        x = np.linspace(-50, 60, 10)
        one, other = (suite.problem(function, 10, 1) for suite in (with_it, without))
        assert one.evaluate(x) == pytest.approx(other.evaluate(x) + one.f_opt, rel=1e-14)
        assert other.f_opt == 0
    (line,) = with_it.parameter_faults({"transformations": "rotation"})
    assert line.startswith("'transformations' of cec2021 is 'bias-shift-rot' or ")
