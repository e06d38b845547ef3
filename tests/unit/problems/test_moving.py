"""The suite of problems that change, and the quality of a run on them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from timefair.basics.errors import InputError
from timefair.problems.kinds import Changes
from timefair.problems.moving import SCENARIOS
from timefair.problems.registry import SUITES, find

MOVING = SUITES["moving"]
LEAST, MIDDLE = np.array([-70.0, -60.0, -65.0]), np.array([-10.0, -60.0, 5.0])
CHANGES = Changes(0, LEAST, MIDDLE)
UNINFORMED = [60.0, 0.0, 70.0]


def runs_of(environments):
    """Vectors of a run: values above the least one, in environments that never go back."""
    vector = st.tuples(st.floats(0, 100), st.integers(0, environments - 1))
    return st.lists(vector, max_size=30).map(lambda rows: sorted(rows, key=lambda row: row[1]))


def test_every_scenario_has_its_peaks_and_shift():
    assert [s.peaks for s in SCENARIOS.values()] == [5, 10, 25, 50, 100, 10, 10]
    assert [s.shift for s in SCENARIOS.values()] == [1, 1, 1, 1, 1, 2, 5]
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
    with pytest.raises(InputError) as caught:
        find("moving", {"environments": value})
    assert caught.value.faults == (
        "parameters: 'environments' of moving is a whole number from 2 to 1000, not " + repr(value),
    )


def test_errors_are_distances_to_the_least_value_of_the_environment():
    environments, errors = CHANGES.errors(np.array([[-65.0, 0.0], [-64.0, 2.0], [-60.5, 1.0]]))
    assert environments.tolist() == [0, 2, 1]
    assert errors.tolist() == [5.0, 1.0, 0.0]  # rounding may lead below the least value


@pytest.mark.parametrize("environment", [-1.0, 0.5, 3.0, 1e300])
def test_a_vector_of_no_environment_is_refused(environment):
    with pytest.raises(ValueError, match="a vector is of the environment"):
        CHANGES.quality(np.array([[0.0, 1.0], [0.0, environment]]))


def test_the_quality_of_a_run_by_hand():
    vectors = np.array([[-20.0, 0.0], [-69.0, 0.0], [30.0, 2.0], [-65.0, 2.0]])
    means = CHANGES.quality(vectors)
    np.testing.assert_allclose(means, np.array([120.0, 71.0, 71.0, 1.0]) / 3, rtol=1e-15)
    assert CHANGES.quality(np.empty((0, 2))).shape == (0,)


@given(runs_of(3))
def test_the_quality_never_rises_and_ends_at_the_mean_of_the_best_errors(rows):
    vectors = np.array([(LEAST[k] + error, k) for error, k in rows]).reshape(-1, 2)
    means = CHANGES.quality(vectors)
    assert (np.diff(means) <= 0).all()
    best = list(UNINFORMED)
    for (value, _), (_, k) in zip(vectors, rows, strict=True):
        best[k] = min(best[k], max(value - LEAST[k], 0.0))
    assert means.size == 0 or means[-1] == pytest.approx(np.mean(best), rel=1e-14)
