"""The classifier of estimates, as a model and as a stopping rule."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from run_counts import stopping

from timefair.extensions.classifier.statistics import (
    SHAPE,
    Cases,
    ClassifierRule,
    Question,
    Stops,
    base_rates,
    described,
    held_out,
    shape,
    stop_at,
    stops,
    train,
)
from timefair.statistics.quantiles import sample_quantile
from timefair.statistics.run_count.stopping import Reason, stop_counts

QUESTION = Question(width=0.3, start=5, cap=20)
VALUES = st.one_of(
    st.sampled_from([0.0, 1.0, 5e-324, 1e-300, 1e300, np.inf]), st.floats(0, 1e9), st.floats(0, 1)
)


def lognormal(samples: int, seed: int = 1) -> Cases:
    """Samples of all spreads, judged by the true median."""
    rng = np.random.default_rng(seed)
    spread = rng.uniform(0.05, 2.0, size=(samples, 1))
    values = np.exp(spread * rng.normal(size=(samples, 20)))
    return Cases(values, np.ones(samples))


@pytest.fixture(scope="module")
def trained():
    cases = lognormal(300)
    return train(cases, np.arange(300) % 5, QUESTION)


# --- Features -----------------------------------------------------------------------------------


def test_the_odds_are_those_of_resamples() -> None:
    rng = np.random.default_rng(1)
    sample = rng.exponential(size=15)
    drawn = sample_quantile(rng.choice(sample, size=(200_000, 15)), 0.5)
    middle = sample_quantile(sample, 0.5)
    share = np.mean(np.abs(drawn - middle) <= 0.3 * middle)
    odds = shape(sample[np.newaxis], QUESTION)[0, SHAPE.index("resampled_log_odds")]
    # Half a value is added to each count of values beyond a limit.
    assert 1 / (1 + np.exp(-odds)) == pytest.approx(share, abs=0.06)


@pytest.mark.slow
@given(arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(1, 12)), elements=VALUES))
def test_the_shape_of_any_sample_is_finite(samples) -> None:
    assert np.isfinite(shape(samples, QUESTION)).all()


# --- Model --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_probabilities_are_right_on_average_on_other_samples(trained) -> None:
    other = lognormal(4000, seed=2)
    accurate = other.accurate(QUESTION)
    for n in (5, 12, 20):
        stated = trained.probability(other.values[:, :n])
        right = accurate[:, n - QUESTION.start]
        for low, high in ((0.0, 0.5), (0.5, 0.9), (0.9, 1.0)):
            inside = (stated >= low) & (stated < high)
            assert stated[inside].mean() == pytest.approx(right[inside].mean(), abs=0.1)


def test_what_is_held_out_is_not_seen() -> None:
    cases = lognormal(60)
    groups = np.arange(60) % 3
    tables, accurate = described(cases, QUESTION), cases.accurate(QUESTION)
    stated = held_out(tables, accurate, groups)
    opposite = accurate.copy()
    opposite[groups == 1] = ~opposite[groups == 1]
    again = held_out(tables, opposite, groups)
    np.testing.assert_array_equal(stated[groups == 1], again[groups == 1])
    assert not np.array_equal(stated[groups == 0], again[groups == 0])
    base = base_rates(accurate, groups)
    np.testing.assert_allclose(base[1], accurate[groups != 1].mean(axis=0))


# --- Stopping -----------------------------------------------------------------------------------


def test_thresholds_are_judged_where_they_stop() -> None:
    question = Question(start=2, cap=4)
    stated = np.array([[0.2, 0.9, 0.1], [0.6, 0.6, 0.6], [0.1, 0.1, 0.1]])
    accurate = np.array([[False, True, False], [False, True, True], [False, False, True]])
    n, met = stop_at(stated, 0.55, question)
    assert (n.tolist(), met.tolist()) == ([3, 2, 4], [True, True, False])
    found = stops(stated, accurate, question)
    place = found.threshold.tolist().index(0.55)
    assert found.kept[place] == 0.5  # (1 + 1/2) / (2 + 1)
    assert found.stopped[place] == pytest.approx(2 / 3)
    assert found.runs[place] == 3.0


def test_the_threshold_is_the_first_from_which_the_promise_is_always_kept() -> None:
    columns = np.array([0.5, 0.6, 0.7, 0.8, 0.9])
    kept = np.array([0.96, 0.90, 0.95, 0.97, 0.5])
    found = Stops(columns, np.array([1.0, 0.9, 0.8, 0.5, 0.0]), kept, columns)
    assert found.threshold_for(0.95) == 0.7
    assert found.threshold_for(0.90) == 0.5
    assert found.threshold_for(0.98) is None
    assert found.most == 0.97
    nothing = Stops(columns, np.zeros(5), kept, columns)
    assert nothing.threshold_for(0.1) is None
    assert nothing.most == 0.0


@pytest.mark.slow
def test_a_rule_decides_after_each_run_as_on_complete_samples(trained) -> None:
    rule = ClassifierRule(trained, trained.stops.threshold_for(0.9), start=5, cap=20)
    samples = lognormal(40, seed=4).values
    many = stop_counts(rule, samples)
    for sample, n, met in zip(samples, many.n, many.met, strict=True):
        one = stopping(rule, sample)
        assert (one.n, one.reason in (Reason.MET, Reason.DEGENERATE)) == (n, met)


@pytest.mark.slow
def test_a_rule_keeps_its_promise_on_other_samples_and_saves_runs(trained) -> None:
    other = lognormal(3000, seed=5)
    rule = ClassifierRule(trained, trained.stops.threshold_for(0.9), start=5, cap=20)
    found = stop_counts(rule, other.values)
    right = other.accurate(QUESTION)[np.arange(3000), found.n - QUESTION.start]
    assert right[found.met].mean() > 0.87
    assert 5 < found.n.mean() < 17
