import numpy as np
import pytest

from timefair.extensions.power import power as of_tests
from timefair.extensions.power.power import (
    least_for_mann_whitney,
    power_of_a12,
    runs_for_a12,
    smallest_a12,
)
from timefair.statistics.comparison import mann_whitney


@pytest.mark.slow
@pytest.mark.parametrize("runs", [4, 7, 10])
def test_without_a_difference_the_power_is_the_size_of_the_test(runs):
    rng = np.random.default_rng(runs)
    p = [mann_whitney(*rng.random((2, runs))) for _ in range(3000)]
    assert power_of_a12(0.5, runs, level=0.05) == pytest.approx(
        np.mean(np.less_equal(p, 0.05)), abs=0.015
    )
    assert power_of_a12(0.5, runs, level=0.05) <= 0.05


@pytest.mark.slow
def test_power_is_the_share_of_simulated_samples_that_are_found():
    rng = np.random.default_rng(1)
    samples = rng.standard_exponential((3000, 2, 9)) * np.array([[1.0], [6.0]])
    found = np.mean([mann_whitney(*pair) <= 0.01 for pair in samples])
    assert power_of_a12(6 / 7, 9, level=0.01) == pytest.approx(found, abs=0.03)


@pytest.mark.parametrize("level", [0.05, 1e-4])
def test_the_normal_approximation_takes_over_without_a_jump(monkeypatch, level):
    runs = of_tests.EXACT_RANKS
    effect = smallest_a12(runs, level, 0.8)
    monkeypatch.setattr(of_tests, "EXACT_RANKS", 1)
    assert power_of_a12(effect, runs, level) == pytest.approx(0.8, abs=0.01)


@pytest.mark.parametrize("tests", [1, 168, 5356])
def test_so_many_runs_are_significant_and_fewer_are_not(tests):
    least = least_for_mann_whitney(0.05 / tests)
    assert mann_whitney(np.arange(least), np.arange(least) + least) * tests <= 0.05
    assert mann_whitney(np.arange(least - 1), np.arange(least - 1) + least) * tests > 0.05


@pytest.mark.parametrize("level", [0.05, 0.001])
def test_runs_and_the_smallest_effect_agree(level):
    effect = smallest_a12(20, level, 0.8)
    assert runs_for_a12(effect, level, 0.8) == 20
    assert runs_for_a12(effect + 0.01, level, 0.8) <= 20
