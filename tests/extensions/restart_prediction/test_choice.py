"""A choice among policies is judged where it was not made."""

import numpy as np
import pytest

from timefair.extensions.restart_prediction.choice import (
    best_option,
    interval_of_choice,
    jackknifed,
    over_functions,
    over_runs,
)


def test_noise_alone_gains_nothing_where_it_was_not_chosen():
    rng = np.random.default_rng(1)
    gains = rng.normal(0.0, 0.5, (400, 6, 20))
    same = [gain.mean(axis=0).max() for gain in gains]
    others = [over_functions(gain, confidence=0.95)[0] for gain in gains]
    assert np.mean(same) > 0.3  # the best in the sample flatters itself
    assert np.mean(others) == pytest.approx(0.0, abs=0.04)
    pairs = zip(gains[::2, np.newaxis], gains[1::2, np.newaxis], strict=True)
    runs = [over_runs(chosen_on, judged_on) for chosen_on, judged_on in pairs]
    assert np.nanmean(runs) == pytest.approx(0.0, abs=0.04)


def test_an_option_unknown_on_a_function_is_not_chosen():
    gain = [[1.0, 9.0], [1.0, np.nan]]
    assert best_option(gain) == 0
    assert best_option([[np.nan]]) == -1
    assert best_option(np.empty((3, 0))) == -1
    found = over_functions([[1.0, np.nan], [1.0, 9.0], [1.0, 9.0]], confidence=0.95)
    assert found[0] == pytest.approx((0 + 1 + 1) / 3)  # chosen without it, unknown there


def test_the_interval_of_the_choice_holds_what_samples_choose():
    gains = np.zeros((100, 2, 3))
    gains[:50, :, 0] = gains[50:97, :, 1] = gains[97:, :, 2] = 1.0
    assert interval_of_choice(gains, [10, 20, 40], confidence=0.95) == (10, 40)
    assert interval_of_choice(gains, [10, 20, 40], confidence=0.9) == (10, 20)


def test_the_jackknife_of_a_mean_is_its_standard_error():
    values = np.array([9.0, 10.0, 11.0, 10.5])
    without = (values.sum() - values) / 3
    low, high = jackknifed(values.mean(), without, confidence=0.95)
    error = values.std(ddof=1) / 2 / values.mean()
    assert np.log(high / low) / 2 == pytest.approx(3.1824 * error, rel=0.02)
    low, high = jackknifed(5.0, [5.0, np.inf, 6.0], confidence=0.95)
    assert (low < 5.0, high) == (True, np.inf)
    assert np.isnan(jackknifed(np.inf, [np.inf, np.inf], confidence=0.95)).all()
