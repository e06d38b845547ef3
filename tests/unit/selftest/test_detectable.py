"""The minimum detectable slowdown of machines whose noise is known."""

import math

import numpy as np
import pytest

from timefair.selftest.detectable import (
    BUDGET_S,
    RUNS,
    TESTS,
    Sample,
    confirmed,
    false_alarms,
    half_way,
    smallest,
)
from timefair.selftest.staircase import RAMP_LEVELS

LEVELS = 600


def machine(rng, noise, count, delta=0.0):
    """Samples of a machine whose runs differ by so much in speed, relative."""

    def run():
        each = BUDGET_S / LEVELS * np.exp(rng.normal(0, noise)) * (1 + delta)
        time_s = np.arange(1, int(BUDGET_S / each) + 1) * each
        return np.arange(time_s.size, dtype=np.float64), time_s

    return [Sample(*zip(*(run() for _ in range(RUNS)), strict=True), delta) for _ in range(count)]


@pytest.mark.slow
@pytest.mark.parametrize("test", TESTS, ids=lambda test: test.name)
@pytest.mark.parametrize("noise", [0.01, 0.05])
def test_the_slowdown_has_the_power_that_was_asked_for(test, noise):
    rng = np.random.default_rng(3)
    first, second = machine(rng, noise, 60), machine(rng, noise, 60)
    level = half_way(first)
    assert level == pytest.approx(LEVELS / 2, rel=0.05)
    delta = smallest(test, first, second, level)
    found = confirmed(test, machine(rng, noise, 150), machine(rng, noise, 150, delta), level, 0.0)
    assert found.delta == delta
    assert found.power_low - 0.05 < 0.8 < found.power_high + 0.05
    assert 0.5 * noise < delta < 4 * noise


@pytest.mark.parametrize("test", TESTS, ids=lambda test: test.name)
def test_equal_algorithms_are_rarely_told_apart(test):
    rng = np.random.default_rng(4)
    first, second = machine(rng, 0.02, 200), machine(rng, 0.02, 200)
    assert false_alarms(test, first, second, half_way(first)) < 0.11


def test_a_slowdown_is_that_of_a_slower_run():
    rng = np.random.default_rng(5)
    (own,), (slow,) = machine(rng, 0.0, 1), machine(rng, 0.0, 1, 0.1)
    assert own.ends(0.1) == pytest.approx(slow.ends(0.1) / 1.1 * 1.1, rel=0.01)
    cost, reached = own.costs(300, 0.1)
    assert reached.all()
    assert cost == pytest.approx(1.1 * own.costs(300, 0.0)[0], rel=0.01)


def test_a_level_that_is_not_reached_costs_the_budget():
    (one,) = machine(np.random.default_rng(6), 0.0, 1)
    cost, reached = one.costs(2 * LEVELS, 0.0)
    assert not reached.any()
    assert (cost == BUDGET_S).all()


@pytest.mark.thorough
def test_a_machine_on_which_nothing_is_detectable():
    rng = np.random.default_rng(7)
    first, second = machine(rng, 5.0, 8), machine(rng, 5.0, 8)
    assert math.isinf(smallest(TESTS[1], first, second, half_way(first)))


def test_samples_come_from_events():
    events = [{"precision": RAMP_LEVELS - level, "time_s": level / 100} for level in range(3)]
    one = Sample.of([{"events": events}, {"events": []}])
    assert one.level[0].tolist() == [0.0, 1.0, 2.0]
    assert one.ends(0.0).tolist() == [2.0, -1.0]
