import numpy as np
import pytest
from objectives import Plain

from timefair.algorithms.builtin import bee_colony


def test_onlookers_follow_the_nectar():
    np.testing.assert_allclose(bee_colony.attraction(np.array([0.0, 1.0])), [2 / 3, 1 / 3])
    np.testing.assert_allclose(bee_colony.attraction(np.array([-2.0, 0.0])), [3 / 4, 1 / 4])
    np.testing.assert_array_equal(bee_colony.attraction(np.array([np.inf, 3.0])), [0, 1])
    np.testing.assert_array_equal(bee_colony.attraction(np.array([-np.inf, 3, 4])), [1, 0, 0])
    np.testing.assert_array_equal(bee_colony.attraction(np.full(4, np.inf)), np.full(4, 1 / 4))


def listed(*values: float) -> Plain:
    """Gives values in turn, 5 when there are no more."""
    rest = list(values)
    return Plain(lambda x: rest.pop(0) if rest else 5.0, 4, np.inf, lower=-1.0, upper=1.0)


def test_a_bee_changes_one_component_towards_or_away_from_another_source():
    objective = listed()
    colony = bee_colony.Colony(objective, np.random.default_rng(1), 3)
    before = colony.x.copy()
    colony.visit(np.repeat([0, 1, 2], 100))
    sources = np.repeat(before, 100, axis=0)
    changes = np.array(objective.points[3:]) - sources
    assert ((changes != 0).sum(axis=1) == 1).all()
    reach = np.ptp(before, axis=0)
    assert (np.abs(changes) <= reach).all()
    assert np.all(np.abs(changes).max(axis=0) > 0.5 * reach)


def test_what_is_better_is_kept_and_what_is_not_counts_as_a_trial():
    objective = listed(5, 5, 3, 3, 2)
    colony = bee_colony.Colony(objective, np.random.default_rng(1), 2)
    colony.visit(np.array([0, 0, 0, 1]))
    np.testing.assert_array_equal(colony.y, [2, 5])
    np.testing.assert_array_equal(colony.x[0], objective.points[4])
    np.testing.assert_array_equal(colony.trials, [0, 1])  # an equal value is no success


@pytest.mark.parametrize(("limit", "most"), [(None, 12), (7, 7)])
def test_one_exhausted_source_a_cycle_is_abandoned(launch, monkeypatch, limit, most):
    abandoned = []
    abandon = bee_colony.Colony.abandon

    def spy(self, source):
        abandoned.append((self.trials.max(), self.trials[source]))
        abandon(self, source)

    monkeypatch.setattr(bee_colony.Colony, "abandon", spy)
    launch("timefair:ABC", {"food": 4, "limit": limit}, dimension=3, most=3000)
    assert len(abandoned) > 3
    for largest, trials in abandoned:
        assert largest == trials >= most
