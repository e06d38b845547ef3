"""RLS and the (1+1) EA: what they flip, what they keep, and their known expected times."""

import numpy as np
import pytest
from objectives import Cut, Plain

from timefair.algorithms import registry


class Bits(Plain):
    """A function of 0 and 1 that ends at its optimum, or after so many evaluations."""

    def __init__(self, function, dimension: int, *, target=-np.inf, most: int = 10**6) -> None:
        super().__init__(function, dimension, most, lower=0.0, upper=1.0, integer=True)
        self.target = target

    def __call__(self, x) -> float:
        if super().__call__(x) <= self.target:
            raise Cut
        return self.values[-1]

    @property
    def flips(self):
        """How many places each point differs in from the best before it."""
        best, flips = self.points[0], []
        value = self.values[0]
        for x, new in zip(self.points[1:], self.values[1:], strict=True):
            flips.append(int(np.sum(x != best)))
            if new <= value:
                best, value = x, new
        return np.array(flips)


def zeros(x):
    return len(x) - np.sum(x)


def launch(use: str, objective: Bits, parameters=None, seed=1) -> Bits:
    with pytest.raises(Cut):
        registry.load(use, parameters or {}).solve(objective, np.random.default_rng(seed))
    return objective


@pytest.mark.parametrize("use", ["timefair:RLS", "timefair:OnePlusOneEA"])
def test_it_takes_binary_variables_and_evaluates_nothing_else(use):
    assert registry.variables(use, {}) == {"binary"}
    objective = launch(use, Bits(zeros, 7, most=300))
    assert set(np.unique(objective.points)) == {0.0, 1.0}
    first = [launch(use, Bits(zeros, 40, most=1), seed=s).points[0].mean() for s in range(40)]
    assert np.mean(first) == pytest.approx(0.5, abs=0.1)


def test_rls_flips_one():
    assert set(launch("timefair:RLS", Bits(zeros, 20, most=200)).flips) == {1}


@pytest.mark.parametrize("value", [1.0, -1.0])
def test_what_is_not_worse_is_kept(value):
    """A plateau is a random walk; a function that gets worse at each step keeps the first."""
    flat = launch("timefair:RLS", Bits(lambda x: value, 8, most=200))
    assert len(np.unique(flat.points, axis=0)) > 50
    calls = iter(range(1000))
    worse = launch("timefair:RLS", Bits(lambda x: next(calls), 8, most=200))
    assert all(np.sum(x != worse.points[0]) == 1 for x in worse.points[1:])


def test_each_place_is_flipped_with_the_rate():
    flips = launch("timefair:OnePlusOneEA", Bits(zeros, 10, most=4000), {"rate": 0.3}).flips
    assert flips.mean() == pytest.approx(3.0, abs=0.15)
    assert flips.var() == pytest.approx(10 * 0.3 * 0.7, abs=0.2)


@pytest.mark.slow
def test_rls_needs_the_coupon_collectors_time_on_one_max():
    """Given the first string, the sum of n/k for its k zeros (Doerr and Doerr 2016)."""
    n, runs = 30, 150
    needed, expected = [], []
    for seed in range(runs):
        objective = launch("timefair:RLS", Bits(zeros, n, target=0), seed=seed)
        start = int(zeros(objective.points[0]))
        needed.append(len(objective.points) - 1)
        expected.append(sum(n / k for k in range(1, start + 1)))
    error = np.std(np.array(needed) - expected) / np.sqrt(runs)
    assert np.mean(needed) == pytest.approx(np.mean(expected), abs=4 * error)


@pytest.mark.parametrize("value", [0, -0.1, 1.5, "much", True, float("nan")])
def test_a_wrong_rate_gets_its_line(value):
    (line,) = registry.faults("timefair:OnePlusOneEA", {"rate": value})
    assert line.startswith("'rate' of timefair:OnePlusOneEA is a number above 0, up to 1, not ")
