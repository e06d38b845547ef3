"""The runtime with restarts: golden numbers, its own equation, and whatever a sample may hold."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from timefair.statistics import restarted
from timefair.statistics.curves import ecdf
from timefair.statistics.ert import ert
from timefair.statistics.quantiles import sample_quantile
from timefair.statistics.restarted import restarted_cdf, restarted_moments, restarted_quantile

GOLDEN = json.loads(
    (Path(__file__).parents[2] / "golden" / "seed000_checks.json").read_text(encoding="utf-8")
)["ert"]["simulated_restarts"]
TIMES, SUCCESS = GOLDEN["times"], np.array(GOLDEN["success"], dtype=bool)
INF = np.inf

costs = st.floats(1e-149, 100.0) | st.sampled_from([0.0, 1.0, 2.0, 1e-149])
samples = st.lists(st.tuples(costs, st.booleans()), min_size=0, max_size=6)


def split(sample):
    """Costs and successes of pairs."""
    return np.array([cost for cost, _ in sample]), np.array([hit for _, hit in sample], dtype=bool)


def exact(bounds):
    np.testing.assert_array_equal(bounds.low, bounds.high)
    return bounds.low.tolist()


def irregular(runs=40, failures=30, seed=1):
    """So many lengths that their sums cannot be listed."""
    rng = np.random.default_rng(seed)
    return rng.uniform(0.5, 1.5, size=runs), np.arange(runs) >= failures


def test_mean_and_spread_of_the_golden_data():
    moments = restarted_moments(TIMES, SUCCESS)
    assert moments.mean == GOLDEN["ert"]
    assert moments.sd == pytest.approx(GOLDEN["sd"], rel=1e-14)


def test_distribution_of_the_golden_data():
    cdf = GOLDEN["cdf"]
    grid = [float(b) for b in cdf]
    np.testing.assert_allclose(exact(restarted_cdf(TIMES, SUCCESS, grid)), list(cdf.values()))


def test_quantiles_of_the_golden_data():
    # 1, 3, 5, 8, 12 and 20 at .1 each, then the same 50 later at .04 each, then 100 later.
    quantiles = restarted_quantile(TIMES, SUCCESS, [0.1, 0.5, 0.6, 0.64, 0.65, 0.84])
    assert exact(quantiles) == [1.0, 12.0, 20.0, 51.0, 53.0, 70.0]


def test_the_variance_is_that_of_a_geometric_number_of_failures():
    rng = np.random.default_rng(2)
    times, success = rng.exponential(size=50), rng.random(50) < 0.3
    p, hits, fails = success.mean(), times[success], times[~success]
    odds = (1 - p) / p
    variance = hits.var() + odds * fails.var() + odds / p * fails.mean() ** 2
    moments = restarted_moments(times, success)
    assert moments.sd == pytest.approx(np.sqrt(variance), rel=1e-12)
    assert moments.mean == pytest.approx(odds * fails.mean() + hits.mean(), rel=1e-12)


def test_bounds_hold_the_solution_of_the_equation():
    times, success = irregular()
    grid = np.linspace(0.0, 30.0, 400)
    bounds = restarted_cdf(times, success, grid)
    assert (bounds.low < bounds.high).any()
    assert (bounds.low <= bounds.high).all()
    assert (bounds.high - bounds.low).max() < 0.01
    # What F(b - t) may be for each failure bounds what F(b) may be.
    earlier = grid[:, np.newaxis] - times[~success]
    inner = restarted_cdf(times, success, earlier.ravel())
    by_success = (times[success] <= grid[:, np.newaxis]).sum(axis=1)
    low, high = (
        (by_success + side.reshape(earlier.shape).sum(axis=1)) / times.size
        for side in (inner.low, inner.high)
    )
    assert (low <= bounds.high + 1e-9).all()
    assert (high >= bounds.low - 1e-9).all()


def test_the_lattice_agrees_with_the_list(monkeypatch):
    times, success = irregular(runs=12, failures=4)
    grid = np.linspace(0.0, 6.0, 100)
    listed_cdf = restarted_cdf(times, success, grid)
    listed = restarted_quantile(times, success, [0.1, 0.5, 0.9])
    assert exact(listed_cdf)
    monkeypatch.setattr(restarted, "MOST_SUMS", 0)
    cdf, quantiles = (
        restarted_cdf(times, success, grid),
        restarted_quantile(times, success, [0.1, 0.5, 0.9]),
    )
    assert (cdf.low <= listed_cdf.low + 1e-9).all()
    assert (cdf.high >= listed_cdf.low - 1e-9).all()
    assert (quantiles.low <= listed.low * (1 + 1e-9)).all()
    assert (quantiles.high >= listed.low * (1 - 1e-9)).all()
    np.testing.assert_allclose(quantiles.middle, listed.low, rtol=1e-3)


def test_whole_costs_on_a_lattice_are_exact(monkeypatch):
    rng = np.random.default_rng(4)
    times, success = rng.integers(1, 300, size=20).astype(float), np.arange(20) < 8
    grid = np.arange(0.0, 2000.0, 37.0)
    listed = restarted_quantile(times, success, [0.1, 0.5, 0.9])
    reference = restarted_cdf(times, success, grid)
    monkeypatch.setattr(restarted, "MOST_SUMS", 0)
    np.testing.assert_allclose(
        exact(restarted_cdf(times, success, grid)), reference.middle, atol=1e-9
    )
    np.testing.assert_allclose(
        exact(restarted_quantile(times, success, [0.1, 0.5, 0.9])), listed.middle, rtol=1e-12
    )


@pytest.mark.slow
@given(samples)
@example([(5e-324, False), (0.0, True)])
@example([(5e-324, False), (5e-324, False), (0.0, True)])
@example([(5e-324, False), (5e-324, True), (0.0, True)])
def test_whatever_the_sample_is(sample):
    times, success = split(sample)
    grid = np.array([0.0, 0.5, 1.0, 3.0, 50.0, 1000.0, INF])
    cdf = restarted_cdf(times, success, grid)
    quantiles = restarted_quantile(times, success, [0.1, 0.5, 0.9, 1.0])
    moments = restarted_moments(times, success)
    np.testing.assert_array_equal(moments.mean, ert(times, success))
    if times.size == 0:
        assert np.isnan(cdf.low).all()
        assert np.isnan(quantiles.high).all()
        return
    if not success.any():
        assert (cdf.high == 0).all()
        assert (quantiles.low == INF).all()
        assert moments.sd == INF
        return
    for curve in (cdf.low, cdf.high):
        assert ((curve >= 0) & (curve <= 1)).all()
        assert (np.diff(curve) >= -1e-12).all()
        assert curve[-1] == 1
    assert (cdf.low <= cdf.high).all()
    assert (quantiles.low <= quantiles.high).all()
    assert (np.diff(quantiles.low) >= 0).all()
    assert quantiles.low[0] >= times[success].min() * (1 - 1e-9)
    if success.all():
        np.testing.assert_array_equal(cdf.low, ecdf(times, grid))
        np.testing.assert_array_equal(
            quantiles.low, [sample_quantile(times, p) for p in (0.1, 0.5, 0.9, 1.0)]
        )


@pytest.mark.slow
@given(samples, st.sampled_from([0.05, 0.3, 0.5, 0.77, 0.95]))
@example([(0.0, True), (5e-324, False)], 0.77)
@example([(0.0, True), (1e-149, False)], 0.77)
@example([(0.0, True), (6e-239, False)], 0.7)
def test_a_quantile_is_where_the_distribution_comes_to_p(sample, p):
    times, success = split(sample)
    if not success.any():
        return
    quantile = restarted_quantile(times, success, [p])
    assert restarted_cdf(times, success, quantile.high).high[0] >= p - 1e-6
    before = quantile.low * (1 - 1e-9)
    if before < quantile.low and quantile.low[0] > 1e-6 * times.max():
        assert restarted_cdf(times, success, before).low[0] < p


@pytest.mark.parametrize("p", [0.0, -0.1, 1.1, np.nan])
def test_wrong_probabilities_are_named(p):
    with pytest.raises(ValueError, match="p must"):
        restarted_quantile([1.0], [True], [p])


@pytest.mark.parametrize("call", [restarted_cdf, restarted_quantile])
def test_wrong_samples_are_named(call):
    for times, success in ([[1.0], [True, False]], [[np.nan], [True]], [[-1.0], [True]]):
        with pytest.raises(ValueError, match="spent"):
            call(times, success, [0.5])
    with pytest.raises(ValueError, match=r"\(R,\)"):
        call([[1.0]], [[True]], [0.5])
    with pytest.raises(ValueError, match="must be a vector"):
        call([1.0], [True], 0.5)
    with pytest.raises(ValueError, match=r"must be a vector|must not have NaN"):
        call([1.0], [True], [np.nan])
