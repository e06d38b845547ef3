"""Generalized moving peaks: the landscapes of the paper, the suite, the quality of a run."""

import json
from pathlib import Path

import numpy as np
import pytest
from campaigns import refused
from hypothesis import given, settings
from hypothesis import strategies as st

from timefair.extensions.competitions.moving import (
    ANGLE,
    COORDINATE,
    ETA,
    HEIGHT,
    SCENARIOS,
    TAU,
    WIDTH,
    Severity,
    evaluation,
    landscapes,
)
from timefair.problems.kinds import Changes
from timefair.problems.pointwise import Landscape
from timefair.problems.suites import SUITES, find

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "moving_peaks.json").read_text())
"""Made by `make_moving_peaks.py`, with the authors' program."""


def drawn(dimension=3, peaks=4, environments=6, seed=1, severity=None):
    return landscapes(
        dimension,
        peaks=peaks,
        environments=environments,
        severity=severity or Severity(),
        rng=np.random.default_rng(seed),
    )


def cone(height, width, centre=(0.0, 0.0), tau=0.0, eta=(0.0, 0.0, 0.0, 0.0)):
    """One environment with one peak, whose axes are those of the box."""
    return Landscape(
        heights=[[height]],
        centres=[[centre]],
        widths=[[width]],
        rotations=[[np.eye(2)]],
        taus=[[tau]],
        etas=[[eta]],
    )


@pytest.mark.parametrize("x", [np.nan, np.inf, -np.inf])
def test_a_point_that_is_not_finite_has_the_worst_value(x):
    assert cone(50.0, [2.0, 2.0])([x, 0.0])[0] == np.inf


@pytest.mark.slow
@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(1, 6))
@settings(max_examples=20, deadline=None)
def test_the_optimum_is_the_highest_peak_in_every_environment(seed, dimension, peaks):
    of = drawn(dimension, peaks, 4, seed)
    value = evaluation(of)
    rng = np.random.default_rng(seed)
    for environment, optimum in enumerate(-of.heights.max(axis=1)):
        value.environment = environment
        highest = of.heights[environment].argmax()
        assert value(of.centres[environment, highest]).tolist() == [optimum, environment]
        assert min(value(x)[0] for x in COORDINATE.draw(rng, 50, dimension)) >= optimum


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=10, deadline=None)
def test_properties_stay_in_their_ranges_however_severe_the_changes(seed):
    of = drawn(seed=seed, severity=Severity(500.0, 90.0, 40.0, 9.0, 5.0, 99.0))
    ranges = ((of.heights, HEIGHT), (of.centres, COORDINATE), (of.widths, WIDTH))
    for values, bounds in (*ranges, (of.angles, ANGLE), (of.taus, TAU), (of.etas, ETA)):
        assert bounds.least <= values.min()
        assert values.max() <= bounds.most


def test_the_same_seed_has_the_same_landscape_and_a_longer_sequence_begins_with_it():
    short, long, other = drawn(environments=3), drawn(environments=6), drawn(seed=2)
    for name in ("heights", "centres", "widths", "angles", "rotations", "taus", "etas"):
        np.testing.assert_array_equal(getattr(short, name), getattr(long, name)[:3])
        assert not np.array_equal(getattr(long, name), getattr(other, name))
    squares = long.rotations @ long.rotations.swapaxes(-1, -2)
    np.testing.assert_allclose(squares, np.broadcast_to(np.eye(3), squares.shape), atol=1e-13)


@pytest.mark.parametrize("case", GOLDEN["cases"], ids=lambda c: c["seed"])
def test_values_are_those_of_the_authors_program(case):
    severity = Severity(shift=case["shift"])
    environments = GOLDEN["number_of_environments"]
    of = drawn(case["dimension"], case["peaks"], environments, case["seed"], severity)
    found = evaluation(of)
    for expected in case["environments"]:
        found.environment = expected["environment"]
        values = [-found(np.array(point))[0] for point in expected["points"]]
        np.testing.assert_allclose(values, expected["values"], rtol=1e-9, atol=1e-9)


MOVING = SUITES["moving"]
LEAST, MIDDLE = np.array([-70.0, -60.0, -65.0]), np.array([-10.0, -60.0, 5.0])
CHANGES = Changes(0, LEAST, MIDDLE)


def test_every_scenario_has_its_peaks_and_shift():
    assert [peaks for peaks, _ in SCENARIOS.values()] == [5, 10, 25, 50, 100, 10, 10]
    assert [shift for _, shift in SCENARIOS.values()] == [1, 1, 1, 1, 1, 2, 5]
    assert list(SCENARIOS) == list(MOVING.functions)


@pytest.mark.parametrize("dimension", [1, 2, 5])
def test_a_problem_has_as_many_environments_as_the_campaign_asks_for(dimension):
    for asked, expected in (({}, 20), ({"environments": 3}, 3)):
        suite = find("moving", asked)
        problem = suite.problem(7, dimension, 4)
        assert problem.changes.environments == suite.environments == expected
        assert problem.changes.least.shape == problem.changes.middle.shape == (expected,)
        assert (problem.changes.least <= problem.changes.middle).all()
        assert problem.evaluate(np.zeros(dimension)).tolist() == [problem.changes.middle[0], 0.0]


@pytest.mark.parametrize("value", [1, 0, -3, 1001, 2.0, True, "20", None, [20]])
def test_a_wrong_number_of_environments_is_one_line(value):
    assert refused(find, "moving", {"environments": value}) == (
        "parameters: 'environments' of moving is a whole number from 2 to 1000, not " + repr(value),
    )


def test_errors_and_the_quality_of_a_run_by_hand():
    environments, errors = CHANGES.errors(np.array([[-65.0, 0.0], [-64.0, 2.0], [-60.5, 1.0]]))
    assert environments.tolist() == [0, 2, 1]
    assert errors.tolist() == [5.0, 1.0, 0.0]  # rounding may lead below the least value
    vectors = np.array([[-20.0, 0.0], [-69.0, 0.0], [30.0, 2.0], [-65.0, 2.0]])
    means = CHANGES.quality(vectors)
    np.testing.assert_allclose(means, np.array([120.0, 71.0, 71.0, 1.0]) / 3, rtol=1e-15)
    assert CHANGES.quality(np.empty((0, 2))).shape == (0,)


@pytest.mark.parametrize("environment", [-1.0, 0.5, 3.0, 1e300])
def test_a_vector_of_no_environment_is_refused(environment):
    with pytest.raises(ValueError, match="a vector is of the environment"):
        CHANGES.quality(np.array([[0.0, 1.0], [0.0, environment]]))
