import numpy as np
import pytest

from timefair.algorithms.builtin.coral_reefs import Reef


@pytest.fixture
def reef():
    """Four corals with the values 0 to 3 on six squares; 4 and 5 are free."""
    reef = Reef(6, 2)
    reef.place(np.arange(4), np.arange(8.0).reshape(4, 2), np.array([3.0, 1.0, 2.0, 0.0]))
    return reef


class Squares:
    """Draws the given squares."""

    def __init__(self, *squares: int) -> None:
        self._squares = [list(squares)]

    def integers(self, high, size):
        return np.array(self._squares)


@pytest.mark.parametrize(
    ("y", "tried", "settled"),
    [
        (2.5, (1, 4, 0), 4),  # the first that is free or worse
        (2.5, (3, 0, 4), 0),
        (2.5, (1, 2, 3), None),
        (1.0, (1, 3, 1), None),  # not where an equal one is
        (np.inf, (0, 1, 5), 5),
        (-np.inf, (3, 0, 4), 3),
    ],
)
def test_a_larva_settles_on_the_first_free_or_worse_square(reef, y, tried, settled):
    before = reef.x.copy()
    larva = np.array([[70.0, 71.0]])
    reef.settle(Squares(*tried), larva, np.array([y]), 3)
    if settled is None:
        np.testing.assert_array_equal(reef.x[:4], before[:4])
        assert len(reef.corals()) == 4
    else:
        np.testing.assert_array_equal(reef.x[settled], larva[0])
        assert reef.y[settled] == y
        assert reef.occupied[settled]


@pytest.fixture
def watched(monkeypatch):
    """The reefs after each settlement: how many corals, their best and their worst value."""
    seen = []
    settle = Reef.settle

    def spy(self, *args):
        settle(self, *args)
        y = self.y[self.corals()]
        seen.append((len(y), y.min(), y.max()))

    monkeypatch.setattr(Reef, "settle", spy)
    return seen


def test_the_reef_fills_up_and_never_loses_its_best(launch, watched):
    launch("timefair:CRO", {"pd": 1.0}, most=3000)
    corals, best, _ = np.array(watched).T
    assert corals[0] > 60
    assert corals.max() <= 100
    assert corals[-1] > 85
    assert (np.diff(best) <= 0).all()


@pytest.mark.parametrize(("fd", "left"), [(0.0, 36), (0.5, 18)])
def test_a_predation_takes_the_worst(launch, watched, monkeypatch, fd, left):
    sizes = []
    corals = Reef.corals
    monkeypatch.setattr(Reef, "corals", lambda self: sizes.append(corals(self)) or sizes[-1])
    parameters = {"n": 6, "m": 6, "rho": 1.0, "pd": 1.0, "fd": fd}
    launch("timefair:CRO", parameters, most=36 + 36 // 2 + 4 + 1)
    assert len(sizes[-1]) == left


def test_pairs_spawn_one_larva_each_and_the_others_brood_one(launch, generations):
    launch("timefair:CRO", most=100)
    assert generations[:2] == [60, 27 + 6]  # 54 of 60 in 27 pairs
    generations.clear()
    launch("timefair:CRO", {"fbs": 0.0, "rho": 0.25}, most=100)
    assert generations[:2] == [25, 25]
