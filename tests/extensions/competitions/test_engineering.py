"""Engineering designs: values of the organizers' program, and the best known points."""

import csv
from pathlib import Path

import numpy as np
import pytest

from timefair.extensions.competitions.engineering import DESIGNS, ENGINEERING, TOLERANCE

with (Path(__file__).parents[2] / "golden" / "cec2020rw_values.csv").open() as lines:
    GOLDEN = list(csv.DictReader(lines))

BEST = {
    15: (3.5, 0.7, 17, 7.3, 7.715319911491498, 3.3505409491068536, 5.286654464980233),
    17: (0.0516890527256411, 0.3567175387490875, 11.288977538579212),
    18: (13, 7, 42.0984455958549, 176.63659585),
    19: (0.1988323072243747, 3.337365298646237, 9.19202432248124, 0.19883230722443496),
    20: (0.7886751352071408, 0.4082482887319383),
    25: (5.955511371494067, 5.388715911808754, 5.358697265746318e-06, 2.256637978677851),
    30: (9, 1.2230410099638072, 36),
    31: (16, 19, 43, 49),
    32: (78, 33, 29.9952560256815985, 45, 36.7758129057882073),
    33: (1.0,) * 30,
}
"""Points with the best known values."""


def numbers(text):
    return np.array(text.split(), dtype=float)


def problem_of(number):
    return ENGINEERING.problem(number, len(DESIGNS[number].lower), 1)


def test_the_golden_values_cover_every_problem():
    assert {int(row["problem"]) for row in GOLDEN} == set(DESIGNS)


@pytest.mark.parametrize("row", GOLDEN, ids=lambda row: f"{row['problem']}-{row['point']}")
def test_values_are_those_of_the_organizers_program(row):
    number = int(row["problem"])
    design, x = DESIGNS[number], numbers(row["x"])
    if number != 31:  # which the program does not round
        x[list(design.whole)] = np.rint(x[list(design.whole)])
    with np.errstate(all="ignore"):
        f, g, h = design.values(*x)
    for found, column in ((f, "f"), (g, "g"), (h or 0.0, "h")):
        np.testing.assert_allclose(np.ravel(found), numbers(row[column]), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("number", BEST)
def test_the_best_known_point_is_feasible_and_has_the_stated_value(number):
    problem, x = problem_of(number), np.array(BEST[number], dtype=float)
    assert problem.constraints.violation(x) <= 1e-6 * (1 + abs(problem.f_opt))
    np.testing.assert_allclose(problem.evaluate(x), problem.f_opt, rtol=1e-8)


def test_equalities_have_a_tolerance_and_whole_variables_have_none():
    problem = problem_of(9)
    exact = np.array([2 * np.exp(-0.9), 0.9, 0.0])
    for distance, feasible in ((0.9, True), (1.1, False)):
        x = exact.copy()
        x[0] += distance * TOLERANCE
        g = problem.constraints.evaluate(x)
        assert (g[1] <= 0) == feasible
    with pytest.raises(ValueError, match="variable 0 of engineering f18"):
        problem_of(18).evaluate(np.array([13.2, 7, 42, 176]))
