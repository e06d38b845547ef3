"""The runtime with restarts: golden numbers, its own equation, and whatever a sample may hold."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from timefair.statistics import restarted
from timefair.statistics.curves import ecdf
from timefair.statistics.restarted import restarted_cdf

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


def test_distribution_of_the_golden_data():
    cdf = GOLDEN["cdf"]
    grid = [float(b) for b in cdf]
    np.testing.assert_allclose(exact(restarted_cdf(TIMES, SUCCESS, grid)), list(cdf.values()))


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
    assert exact(listed_cdf)
    monkeypatch.setattr(restarted, "MOST_SUMS", 0)
    cdf = restarted_cdf(times, success, grid)
    assert (cdf.low <= listed_cdf.low + 1e-9).all()
    assert (cdf.high >= listed_cdf.low - 1e-9).all()


def test_whole_costs_on_a_lattice_are_exact(monkeypatch):
    rng = np.random.default_rng(4)
    times, success = rng.integers(1, 300, size=20).astype(float), np.arange(20) < 8
    grid = np.arange(0.0, 2000.0, 37.0)
    reference = restarted_cdf(times, success, grid)
    monkeypatch.setattr(restarted, "MOST_SUMS", 0)
    middle = (reference.low + reference.high) / 2
    np.testing.assert_allclose(exact(restarted_cdf(times, success, grid)), middle, atol=1e-9)


@pytest.mark.slow
@given(samples)
@example([(5e-324, False), (0.0, True)])
@example([(5e-324, False), (5e-324, False), (0.0, True)])
@example([(5e-324, False), (5e-324, True), (0.0, True)])
def test_whatever_the_sample_is(sample):
    times, success = split(sample)
    grid = np.array([0.0, 0.5, 1.0, 3.0, 50.0, 1000.0, INF])
    cdf = restarted_cdf(times, success, grid)
    if times.size == 0:
        assert np.isnan(cdf.low).all()
        return
    if not success.any():
        assert (cdf.high == 0).all()
        return
    for curve in (cdf.low, cdf.high):
        assert ((curve >= 0) & (curve <= 1)).all()
        assert (np.diff(curve) >= -1e-12).all()
        assert curve[-1] == 1
    assert (cdf.low <= cdf.high).all()
    if success.all():
        np.testing.assert_array_equal(cdf.low, ecdf(times, grid))


def test_wrong_samples_are_named():
    for times, success in ([[1.0], [True, False]], [[np.nan], [True]], [[-1.0], [True]]):
        with pytest.raises(ValueError, match="spent"):
            restarted_cdf(times, success, [0.5])
    with pytest.raises(ValueError, match=r"\(R,\)"):
        restarted_cdf([[1.0]], [[True]], [0.5])
    with pytest.raises(ValueError, match="must be a vector"):
        restarted_cdf([1.0], [True], 0.5)
    with pytest.raises(ValueError, match=r"must be a vector|must not have NaN"):
        restarted_cdf([1.0], [True], [np.nan])
