"""The minimum detectable slowdown of machines whose noise is known."""

import numpy as np
import pytest

from timefair.extensions.selftest.detectable import (
    BUDGET_S,
    RUNS,
    TESTS,
    Sample,
    confirmed,
    false_alarms,
    half_way,
    smallest,
)

LEVELS = 600


def machine(rng, noise, count, delta=0.0):
    """Samples of a machine whose runs differ by so much in speed, relative."""

    def run():
        each = BUDGET_S / LEVELS * np.exp(rng.normal(0, noise)) * (1 + delta)
        time_s = np.arange(1, int(BUDGET_S / each) + 1) * each
        return np.arange(time_s.size, dtype=np.float64), time_s

    return [Sample(*zip(*(run() for _ in range(RUNS)), strict=True), delta) for _ in range(count)]


@pytest.mark.slow
@pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)
@pytest.mark.parametrize("noise", [0.01, 0.05])
def test_the_slowdown_has_the_power_that_was_asked_for(test, noise):
    rng = np.random.default_rng(3)
    first, second = machine(rng, noise, 60), machine(rng, noise, 60)
    level = half_way(first)
    assert level == pytest.approx(LEVELS / 2, rel=0.05)
    delta = smallest(test, first, second, level)
    found = confirmed(test, machine(rng, noise, 150), machine(rng, noise, 150, delta), level)
    assert found["delta"] == delta
    assert found["power_low"] - 0.05 < 0.8 < found["power_high"] + 0.05
    assert 0.5 * noise < delta < 4 * noise


@pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)
def test_equal_algorithms_are_rarely_told_apart(test):
    rng = np.random.default_rng(4)
    first, second = machine(rng, 0.02, 200), machine(rng, 0.02, 200)
    assert false_alarms(test, first, second, half_way(first)) < 0.11
