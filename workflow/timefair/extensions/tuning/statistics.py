"""Number of problems after which a saving per problem has paid for an initial cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from timefair.statistics.bootstrap import percentile_interval, resampled_sums


@dataclass(frozen=True)
class BreakEven:
    """A saving per problem, and the number of problems after which it pays; shape (columns,) each.

    A saving is negative if problems cost more than before. Numbers of problems are whole; `inf`:
    never. All limits are NaN if a sample has a single row.
    """

    saved: NDArray[np.float64]
    saved_low: NDArray[np.float64]
    saved_high: NDArray[np.float64]
    problems: NDArray[np.float64]
    problems_low: NDArray[np.float64]
    problems_high: NDArray[np.float64]


def break_even(
    spent: float,
    before: Sequence[ArrayLike],
    after: Sequence[ArrayLike],
    *,
    confidence: float,
    resamples: int,
    rng: np.random.Generator,
) -> BreakEven:
    """Compare an initial cost with the saving on each further problem.

    - `spent`: Initial cost, at least 0.
    - `before`, `after`, shape (runs, columns): For each kind of problem, the finite costs of runs
      before and after the initial cost was spent. All kinds have the same weight.
    - `confidence`, `resamples`: Coverage of the percentile intervals, in (0, 1), and number of
      bootstrap samples, which are drawn within each kind of problem.

    Raises ValueError if there is no kind of problem, the numbers of kinds differ, or `spent` is
    negative.

    The number of problems ceil(spent / saved) decreases as the saving increases, so its lower limit
    follows from the upper limit of the saving, and vice versa. It has no upper limit if the saving
    may be 0.
    """
    if spent < 0:
        raise ValueError(f"spent must be at least 0, not {spent}")
    if not before or len(before) != len(after):
        raise ValueError(f"{len(before)} kinds of problems before, and {len(after)} after")
    pairs = [
        (np.asarray(old, dtype=np.float64), np.asarray(new, dtype=np.float64))
        for old, new in zip(before, after, strict=True)
    ]
    saved = np.mean([old.mean(axis=0) - new.mean(axis=0) for old, new in pairs], axis=0)
    if min(len(sample) for pair in pairs for sample in pair) < 2:
        low = high = np.full(saved.shape, np.nan)
    else:
        drawn = np.zeros((resamples, saved.size))
        for old, new in pairs:
            drawn += resampled_sums(old, resamples=resamples, rng=rng) / len(old)
            drawn -= resampled_sums(new, resamples=resamples, rng=rng) / len(new)
        low, high = percentile_interval(drawn / len(pairs), confidence)
    return BreakEven(
        saved, low, high, _problems(spent, saved), _problems(spent, high), _problems(spent, low)
    )


def _problems(spent: float, saved: NDArray[np.float64]) -> NDArray[np.float64]:
    """The least whole number of problems that saves what was spent; `inf` if nothing is saved."""
    needed = np.where(np.isnan(saved), np.nan, np.inf)
    np.divide(spent, saved, out=needed, where=saved > 0)
    return np.asarray(np.ceil(needed))
