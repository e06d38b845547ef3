"""Events of runs in flat arrays: runtimes to absolute and relative targets, and rounds of a batch.
The events of run i are ``offsets[i]:offsets[i + 1]`` of every array; within a run, costs never fall
and precisions never rise.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from timefair.statistics.samples import Floats, sample_quantile


def trace_arrays(
    cost: ArrayLike, precision: ArrayLike, offsets: ArrayLike
) -> tuple[Floats, Floats, NDArray[np.int64]]:
    spent, reached = np.asarray(cost, dtype=np.float64), np.asarray(precision, dtype=np.float64)
    return spent, reached, np.asarray(offsets, dtype=np.int64)


def count_within(mask: NDArray[np.bool_], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number of marked events of each run, shape (runs,).

    >>> count_within(np.array([True, False, True]), np.array([0, 2, 2, 3])).tolist()
    [1, 0, 1]
    """
    running = np.concatenate([[0], np.cumsum(mask, dtype=np.int64)])
    return np.asarray(running[offsets[1:]] - running[offsets[:-1]], dtype=np.int64)


def runtimes(
    cost: ArrayLike, precision: ArrayLike, offsets: ArrayLike, targets: ArrayLike
) -> Floats:
    """Cost at the first event whose precision is at most the target, shape (runs, targets); `inf`
    where a run missed it. `targets` are in any order, shape (targets,), or (runs, targets) for own
    ones of each run.

    This is the time to target t_i of J. J. Lian, "Time-Fair Benchmarking for Metaheuristics", 2025,
    Definition 3, before its truncation at T.
    """
    spent, reached, cuts = trace_arrays(cost, precision, offsets)
    runs = cuts.size - 1
    wanted = np.asarray(targets, dtype=np.float64)
    each = np.broadcast_to(wanted, (runs, wanted.shape[-1]))
    times = np.empty(each.shape)
    for run, (first, end) in enumerate(pairwise(cuts)):
        hit = np.searchsorted(-reached[first:end], -each[run])
        times[run] = np.append(spent[first:end], np.inf)[hit]
    return times


def relative_targets(
    first: ArrayLike, best: ArrayLike, problem: ArrayLike, shares: ArrayLike
) -> Floats:
    """Targets ``best + share * (start - best)`` of each run, shape (runs, shares), with the least
    `best` of the runs on its problem, and the median of `first` over those with events.

    - `first`, `best`, shape (runs,): Precision of the first event, and the best one; `inf` without
      events, as are the targets if no run has any.
    - `problem`, shape (runs,): Its label, of all algorithms together. `shares` are in [0, 1].

    Source: J. J. Moré and S. M. Wild, SIAM Journal on Optimization 20 (2009), equation (2.2), with
    the median in the place of the common start x0.
    """
    begun, found = np.asarray(first, dtype=np.float64), np.asarray(best, dtype=np.float64)
    labels, left = np.asarray(problem), np.asarray(shares, dtype=np.float64)
    _, index = np.unique(labels, return_inverse=True)
    ends = np.cumsum(np.bincount(index))
    targets = np.full((labels.size, left.size), np.inf)
    for runs in np.split(np.argsort(index, kind="stable"), ends[:-1]):
        starts = begun[runs][np.isfinite(begun[runs])]
        if starts.size:
            start, least = sample_quantile(starts, 0.5), found[runs].min()
            targets[runs] = least + left * (start - least)
    return targets


def decisive_target(targets: ArrayLike, rates: ArrayLike) -> float | None:
    """The target at which algorithms are compared on a function if one has to do: the hardest that
    at least half of the runs of some algorithm reached; else the hardest that any run reached, or
    None. `rates`, shape (algorithms, targets): share of the runs that reached each target.

    >>> decisive_target([10.0, 1.0, 0.1], [[1.0, 0.5, 0.2], [1.0, 0.3, 0.0]])
    1.0
    >>> decisive_target([10.0, 1.0], [[0.2, 0.0]]), decisive_target([10.0], [[0.0]])
    (10.0, None)
    """
    values = np.asarray(targets, dtype=np.float64)
    most = np.asarray(rates, dtype=np.float64).max(axis=0)
    for reached in (most >= 0.5, most > 0):
        if reached.any():
            return float(values[reached].min())
    return None


def rounds(
    evaluations: ArrayLike, first: ArrayLike, size: ArrayLike, count: ArrayLike, *, workers: int
) -> Floats:
    """Number of rounds that a run has started when it has made a number of evaluations, any shape;
    `inf` and NaN are returned unchanged.

    After ``first[j]`` evaluations, there are ``count[j]`` batches of ``size[j]`` points; all other
    evaluations are not in a batch. `workers` evaluations can run at the same time: m points of an
    unfinished batch take ⌈m / workers⌉ rounds.
    """
    begins, points, times = (np.asarray(x, dtype=np.int64) for x in (first, size, count))
    ends = begins + points * times
    each = -(-points // workers)
    inside = np.concatenate([[0], np.cumsum(points * times)])
    taken = np.concatenate([[0], np.cumsum(each * times)])
    made = np.asarray(evaluations, dtype=np.float64)
    known = np.isfinite(made)
    number = np.where(known, made, 0.0).astype(np.int64)
    row = np.searchsorted(begins, number, side="left") - 1  # the last that has begun
    last = np.maximum(row, 0)
    if not begins.size:
        return made.copy()
    within = np.where(row < 0, 0, np.minimum(number - begins[last], (ends - begins)[last]))
    whole, rest = np.divmod(within, points[last])
    of_batches = taken[last] + whole * each[last] + -(-rest // workers)
    alone = number - inside[last] - within
    return np.where(known, alone + of_batches, made)


Rule = Literal["recommended", "best_measured", "best_evaluated"]


def trace(
    rule: Rule, launch: NDArray[np.intp], measured: Floats, true: Floats
) -> tuple[NDArray[np.intp], Floats]:
    """The falling trace of a run: rising numbers of rows, and the strictly falling finite value
    from there on.

    - `launch`, `measured`, `true`, shape (rows,): The launch that made each row, its measured value
      (NaN for a recommendation), and its noise-free value, of which NaN counts as `inf`.
    """
    values = np.where(np.isnan(true), np.inf, true)
    if rule == "best_evaluated":
        best = np.minimum.accumulate(np.where(np.isnan(measured), np.inf, values))
    else:
        best = settled(at_each_row(rule, launch, measured, values))
    before = np.concatenate([[np.inf], best[:-1]])
    rows = np.flatnonzero((best < before) & np.isfinite(best))
    return rows, best[rows]


def at_each_row(rule: Rule, launch: NDArray[np.intp], measured: Floats, true: Floats) -> Floats:
    """The noise-free value of the recommended point after each row, by the first two rules, shape
    (rows,); `inf` before the first measured value. Parameters are as in `trace`.
    """
    value = np.full(len(true), np.inf)
    best, leader, of_best = np.inf, -1, np.inf
    by_launch: dict[int, float] = {}
    for row in range(len(true)):
        if np.isnan(measured[row]):
            by_launch[int(launch[row])] = float(true[row])
        elif measured[row] < best:
            best, leader, of_best = measured[row], int(launch[row]), float(true[row])
        value[row] = by_launch.get(leader, of_best) if rule == "recommended" else of_best
    return value


def settled(values: Floats) -> Floats:
    """The worst value from each row to the last one, shape (rows,)."""
    return np.maximum.accumulate(values[::-1])[::-1]
