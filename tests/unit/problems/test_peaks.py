"""The landscapes of the generalized moving peaks benchmark have the properties of its paper."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from timefair.problems.moving import (
    ANGLE,
    COORDINATE,
    ETA,
    HEIGHT,
    TAU,
    WIDTH,
    Severity,
    landscapes,
)
from timefair.problems.peaks_evaluation import Evaluation

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
    return Evaluation(
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
    value = of.evaluation()
    rng = np.random.default_rng(seed)
    for environment, optimum in enumerate(of.optima):
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


def test_a_peak_moves_by_the_shift_severity():
    of = drawn(environments=20, severity=Severity(shift=1.5))
    steps = np.linalg.norm(np.diff(of.centres, axis=0), axis=2)
    inside = (np.abs(of.centres) < COORDINATE.most - 2).all(axis=2)
    unreflected = inside[1:] & inside[:-1]
    assert unreflected.any()
    np.testing.assert_allclose(steps[unreflected], 1.5, rtol=1e-10)


def test_rotations_are_orthogonal_and_turn_from_change_to_change():
    turned = drawn(dimension=5).rotations
    np.testing.assert_allclose(
        turned @ turned.swapaxes(-1, -2), np.broadcast_to(np.eye(5), turned.shape), atol=1e-13
    )
    assert not np.isclose(turned[1:], turned[:-1]).all(axis=(-1, -2)).any()


@pytest.mark.parametrize("case", GOLDEN["cases"], ids=lambda c: c["seed"])
def test_values_are_those_of_the_authors_program(case):
    severity = Severity(shift=case["shift"])
    environments = GOLDEN["number_of_environments"]
    of = drawn(case["dimension"], case["peaks"], environments, case["seed"], severity)
    found = of.evaluation()
    for expected in case["environments"]:
        found.environment = expected["environment"]
        values = [-found(np.array(point))[0] for point in expected["points"]]
        np.testing.assert_allclose(values, expected["values"], rtol=1e-9, atol=1e-9)
