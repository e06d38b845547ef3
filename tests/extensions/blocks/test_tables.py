"""Blocks of runs that were measured together, and intervals of ratios by resampled blocks."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from timefair.extensions.blocks.tables import _blocks, mean_ratios, ratio_limits, resampled_ratios
from timefair.records.rundata.runs import BLOCK


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("dtype", ["float64", "Int64", "category"])
def test_imported_runs_have_no_block(dtype):
    frame = pd.DataFrame({key: [0, 0, 1, 0] for key in BLOCK}).assign(machine=["m", "m", "m", ""])
    frame["round"] = pd.Series([0, 0, 1, None]).astype(dtype)
    one, same, other, imported = _blocks(SimpleNamespace(frame=frame)).tolist()
    assert one == same
    assert len({one, other, imported}) == 3
    assert imported == -1


@pytest.mark.filterwarnings("error")
def test_a_block_that_is_not_known_is_none():
    frame = pd.DataFrame({key: [0.0, np.nan] for key in BLOCK}).assign(machine="")
    assert _blocks(SimpleNamespace(frame=frame)).tolist() == [-1, -1]


def limits(first, second, confidence=0.95, seed=1):
    rng = np.random.default_rng(seed)
    (a, n), (b, m) = np.sum(first, axis=0), np.sum(second, axis=0)
    estimate = a * m / (b * n) if b * n else np.nan
    samples = resampled_ratios(first, second, resamples=300, rng=rng)
    return ratio_limits(estimate, samples, len(first) - 1, confidence)


def test_what_a_block_shares_cancels_and_rare_targets_leave_the_ratio_open():
    speed = np.array([[1.0], [3.0], [9.0]])
    first, second = np.hstack([speed, np.ones((3, 1))]), np.hstack([2 * speed, np.ones((3, 1))])
    assert limits(first, second) == pytest.approx((0.5, 0.5))
    first, second = [[1.0, 1.0], [1.0, 0.0], [1.0, 0.0]], [[1.0, 1.0]] * 3
    low, high = limits(first, second)
    assert 0 < low <= 3 < high == np.inf
    never = [[1.0, 0.0]] * 3
    assert np.isnan(limits(never, never)).all()
    low, high = limits(first, first)
    assert (low, high) == (0.0, np.inf)
    found = mean_ratios([np.array([2.0, 1.0]), np.array([8.0, 1.0])], [1, 1])
    assert found == pytest.approx([4.0, 1.0])


@pytest.mark.parametrize("blocks", [5, 15])
def test_the_interval_covers_the_ratio(blocks):
    """Blocks with 3 runs of each algorithm, each block with a speed of its own."""
    campaigns, covered = 200, 0
    for seed in range(campaigns):
        rng = np.random.default_rng(seed)
        speed = rng.lognormal(sigma=0.3, size=(blocks, 1))
        times = [speed * rng.exponential(mean, size=(blocks, 3)) for mean in (2.0, 3.0)]
        own = [np.stack([t.sum(axis=1), np.full(blocks, 3.0)], axis=1) for t in times]
        low, high = limits(*own, seed=seed)
        covered += low <= 2 / 3 <= high
    assert covered >= binom.ppf(0.001, campaigns, 0.92)
