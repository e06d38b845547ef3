"""Runtime of an algorithm that is restarted until it succeeds, computed without simulation.

Runs are drawn from the sample with replacement until one succeeds. The runtime is the sum of the
costs of the failures, each up to the end of its run, and of the cost of the success.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from timefair.statistics.checks import Floats, vector
from timefair.statistics.ert import check_pairs

MOST_SUMS = 1 << 15  # pairs of failure sums above which a lattice replaces the list of all sums
CELLS = (1 << 15) - 1  # number of cells of a lattice
NEGLIGIBLE = 1e-17  # probability below which longer sequences of failures are neglected
MOST_STEPS = 2000  # number of steps of a recurrence above which Fourier transforms are faster
SLACK = 1e-12  # relative difference of two runtimes that counts as rounding
NOTHING = 1e-150  # smaller costs count as zero, because their square would underflow


@dataclass(frozen=True)
class Bounds:
    """Limits that contain the exact value; both arrays have the same shape.

    The two limits are equal if the value is computed exactly.
    """

    low: Floats
    high: Floats

    @classmethod
    def around(cls, first: Floats, second: Floats) -> Bounds:
        """The limits in ascending order, also if they differ only by rounding."""
        return cls(np.minimum(first, second), np.maximum(first, second))


def restarted_cdf(spent: ArrayLike, success: ArrayLike, grid: ArrayLike) -> Bounds:
    """Distribution function of the runtime with restarts.

    - `spent`, `success`, shape (R,): As for `ert.ert`; costs below 1e-150 count as 0.
    - `grid`, shape (points,): Costs b, in the unit of `spent`, in any order.

    Returns, shape (points,): The probability F(b) that the runtime is at most b. 0 if no run
    succeeded, also at ``b = inf``; NaN if there are no runs.

    F(b) = 1/R (number of successes up to b + sum of F(b - t) over the failures). This equation is
    solved by listing all sums of failure costs if there are few. Otherwise, the failure costs are
    rounded to a lattice of `CELLS` cells, once down and once up, and F is between both results.

    Source: J. J. Lian, "Time-Fair Benchmarking for Metaheuristics", 2025, Definition 3; the limit
    of N. Hansen et al., COCO, Optimization Methods and Software 36 (2021).
    """
    sample = _RestartedRuns.of(_costs(spent), success)
    points = vector(grid, "grid")
    if sample.successes.size == 0:
        never = np.full(points.shape, 0.0 if np.size(spent) else np.nan)
        return Bounds(never, never)
    limit = points[np.isfinite(points)].max(initial=0.0)
    early, late = _waits(sample, float(limit))
    first = early.cdf(sample, points)
    return Bounds.around(first if late is early else late.cdf(sample, points), first)


def _costs(spent: ArrayLike) -> Floats:
    cost = np.asarray(spent, dtype=np.float64)
    return np.where(np.abs(cost) < NOTHING, 0.0, cost)


@dataclass(frozen=True)
class _RestartedRuns:
    """Runs to be drawn with restarts, without failures of zero cost.

    - `runs`: Number of runs.
    - `successes`: Cost of each success.
    - `lengths`, `chances`: The different costs of failures, ascending, and their probabilities.
    """

    runs: int
    successes: Floats
    lengths: Floats
    chances: Floats

    @classmethod
    def of(cls, spent: ArrayLike, success: ArrayLike) -> _RestartedRuns:
        cost, reached = check_pairs(spent, success)
        if cost.ndim != 1:
            raise ValueError(f"spent must have the shape (R,), not {cost.shape}")
        matters = reached | (cost > 0)
        runs = int(matters.sum())
        lengths, counts = np.unique(cost[matters & ~reached], return_counts=True)
        return cls(runs, cost[reached], lengths, counts / max(runs, 1))


@dataclass(frozen=True)
class _Waits:
    """Possible sums of the costs of the failures before a run, ascending.

    ``begun[i]`` is the expected number of runs that begin before ``sums[i]``. The last item is the
    expected number of all runs.
    """

    sums: Floats
    begun: Floats

    def cdf(self, sample: _RestartedRuns, points: Floats) -> Floats:
        # a run that begins at x succeeds up to b if its own cost is at most b - x
        latest = points[:, np.newaxis] * (1.0 + SLACK) - sample.successes
        begun = self.begun[self.sums.searchsorted(latest, side="right")]
        fraction = np.minimum(begun.sum(axis=1) / sample.runs, 1.0)
        return np.where(np.isposinf(points), 1.0, fraction)


def _waits(sample: _RestartedRuns, limit: float) -> tuple[_Waits, _Waits]:
    """The waits up to a limit, at the earliest and at the latest; the same if they are exact."""
    limit *= 1.0 + 2 * SLACK
    within = sample.lengths <= limit
    lengths, chances = sample.lengths[within], sample.chances[within]
    listed = _listed(lengths, chances, limit)
    if listed is not None:
        return listed, listed
    whole = bool((lengths == np.floor(lengths)).all())
    cell = max(np.ceil(limit / CELLS), 1.0) if whole else limit / CELLS
    lattice = np.linspace(0.0, cell * CELLS, CELLS + 1)
    down, up = np.floor(lengths / cell * (1 + SLACK)), np.ceil(lengths / cell * (1 - SLACK))
    early = _Waits(lattice, _runs_begun(down, chances))
    if np.array_equal(down, up):
        return early, early
    return early, _Waits(lattice, _runs_begun(up, chances))


def _listed(lengths: Floats, chances: Floats, limit: float) -> _Waits | None:
    """All sums of failure costs up to a limit; None if there are too many to list.

    With Q the failures, 1 + Q + Q^2 + ... is the product of (1 + Q), (1 + Q^2), (1 + Q^4), ...
    """
    sums, chance = np.zeros(1), np.ones(1)
    more, rarer = lengths, chances
    while rarer.sum() > NEGLIGIBLE:
        if max(sums.size, more.size) * more.size > MOST_SUMS:
            return None
        longer = _sums(sums, chance, more, rarer)
        sums, chance = _different(np.append(sums, longer[0]), np.append(chance, longer[1]), limit)
        more, rarer = _different(*_sums(more, rarer, more, rarer), limit)
    return _Waits(sums, np.concatenate([[0.0], np.cumsum(chance)]))


def _sums(
    first: Floats, of_first: Floats, second: Floats, of_second: Floats
) -> tuple[Floats, Floats]:
    return np.add.outer(first, second).ravel(), np.multiply.outer(of_first, of_second).ravel()


def _different(values: Floats, chances: Floats, limit: float) -> tuple[Floats, Floats]:
    """The different values up to a limit, ascending, with the sums of their chances."""
    order = np.argsort(values, kind="stable")
    order = order[: np.searchsorted(values, limit, side="right", sorter=order)]
    values = values[order]
    new = np.ones(values.size, dtype=np.bool_)
    new[1:] = np.diff(values) > SLACK * values[1:]
    sums = np.bincount(np.cumsum(new) - 1, chances[order])
    return values[new], np.asarray(sums, dtype=np.float64)


def _runs_begun(steps: Floats, chances: Floats) -> Floats:
    """Expected number of runs that begin before each point of a lattice, if failures cost whole
    cells: the sums of the power series 1/(1 - Q), in blocks of the cheapest failure if these are
    few.
    """
    kept = steps <= CELLS
    failed = np.bincount(steps[kept].astype(np.intp), chances[kept], minlength=1)
    again = 1.0 - failed[0]
    different = np.flatnonzero(failed[1:]) + 1
    size = CELLS + 1
    begun = np.zeros(size + 1)
    at = begun[1:]
    at[0] = 1.0 / again
    shortest = int(different[0]) if different.size else size
    if different.size * (size // shortest) > MOST_STEPS:
        return np.append(0.0, np.cumsum(_reciprocal(np.append(again, -failed[1:]), size)))
    for start in range(shortest, size, shortest):  # no point of a block depends on another of it
        end = min(start + shortest, size)
        for step in different[different < end]:
            first = max(start, step)
            at[first:end] += failed[step] / again * at[first - step : end - step]
    return np.cumsum(begun)


def _reciprocal(series: Floats, size: int) -> Floats:
    """The first coefficients of 1/series, by Newton's iteration, each step with twice as many."""
    found = np.array([1.0 / series[0]])
    while found.size < size:
        count = min(2 * found.size, size)
        of_found = np.fft.rfft(found, 2 * count)
        product = np.fft.irfft(np.fft.rfft(series[:count], 2 * count) * of_found)[:count]
        product[: found.size] = 0.0  # they are those of 1
        more = np.fft.irfft(np.fft.rfft(product, 2 * count) * of_found)[:count]
        found = np.pad(found, (0, count - found.size)) - more
    return found
