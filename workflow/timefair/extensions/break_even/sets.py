"""Factors at which the order of two algorithms changes. At the additional cost c of an
evaluation, an ERT is ERT_s + c ERT_evaluations. With its own time multiplied by α, it is the ERT of
its evaluations alone + α times the ERT of its own time. Both are lines in a factor x.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from timefair.statistics.samples import Floats, check_confidence, floats
from timefair.statistics.two_samples import score_p


def turning_cost(*lines: ArrayLike) -> Floats:
    """The evaluation cost in seconds, above 0, at which two algorithms have the same ERT, from the
    ERTs in seconds and in evaluations of each; NaN if the order is the same at all costs above 0,
    for example for an ERT of `inf`.
    """
    time_a, count_a, time_b, count_b = floats(*lines)
    with np.errstate(divide="ignore", invalid="ignore"):
        cost = (time_b - time_a) / (count_a - count_b)
    return np.asarray(np.where(np.isfinite(cost) & (cost > 0), cost, np.nan))


def turning_factor(fixed: ArrayLike, own: ArrayLike, other: ArrayLike) -> Floats:
    """The factor of an algorithm's own time at which its ERT, fixed + factor * own, is that of
    another; all in seconds, `inf` if no run succeeded. 0 if the algorithm is behind even without
    own time, `inf` if it is ahead at every factor, NaN if no run of either succeeded.
    """
    rest, grows, there = floats(fixed, own, other)
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.maximum(there - rest, 0.0) / grows
    factor = np.where(grows == 0, np.where(there > rest, np.inf, 0.0), factor)
    factor = np.where(np.isinf(there), np.inf, np.where(np.isinf(rest), 0.0, factor))
    return np.asarray(np.where(np.isinf(there) & np.isinf(rest), np.nan, factor))


GRID = 33  # angles at which the test is made before the limits are refined
HALVINGS = 40
"""Number of bisection steps for each limit, enough for the precision of floating point."""

EMPTY, EVERY, BELOW, ABOVE, BETWEEN, OUTSIDE = (
    "empty", "every", "below", "above", "between", "outside",
)  # fmt: skip
"""The shapes of a set; see `TurningSets`."""


class TurningSets(NamedTuple):
    """The factors at which two algorithms may have the same ERT; one set per target.
    - `shape`: ``empty``: none; one algorithm is better at every factor. ``every``: all; the runs do
      not show at any which is better. ``below``: from 0 to `high`. ``above``: from `low` to
      infinity. ``between``: from `low` to `high`. ``outside``: from 0 to `low`, and from `high` to
      infinity.
    - `low`, `high`: 0 and `inf` if the set has no other limit, NaN for the empty set.
    """

    shape: NDArray[np.str_]
    low: Floats
    high: Floats

    def split(self, parts: int) -> list[TurningSets]:
        return list(map(TurningSets, *(np.split(of, parts) for of in self)))


class _Scores(NamedTuple):
    """Moments of the scores of `equal_ert` in both parts of a cost, shapes (2, targets) and (2, 2,
    targets). At the factor x, a score is that of the fixed part plus x times that of the growing
    part, because the common ERT is a straight line in x too.
    """

    mean: Floats
    covariance: Floats
    runs: int

    @classmethod
    def of(cls, fixed: Floats, growing: Floats) -> _Scores:
        both = np.stack([fixed, growing])
        mean = both.mean(axis=1)
        centred = both - mean[:, np.newaxis]
        covariance = np.einsum("irt,jrt->ijt", centred, centred) / (both.shape[1] - 1)
        return cls(mean, covariance, both.shape[1])

    def at(self, angle: Floats) -> tuple[Floats, Floats, int]:
        """Mean and variance where the weights are cosine and sine; shape (targets, angles)."""
        c, s = np.where(angle == np.pi / 2, 0.0, np.cos(angle)), np.sin(angle)
        (tt, te), (_, ee) = self.covariance[..., np.newaxis]
        mean = c * self.mean[0][:, np.newaxis] + s * self.mean[1][:, np.newaxis]
        return mean, np.maximum(c * c * tt + 2 * c * s * te + s * s * ee, 0.0), self.runs


def turning_sets(*costs: ArrayLike, confidence: float) -> TurningSets:
    """The factors x of the growing parts at which the test of equal ERTs does not reject, per
    target; each set has the true factor, if there is one, with the probability `confidence`.

    `costs`, shape (runs, targets): both parts of the cost of each run of the first algorithm up to
    each target or its own end, fixed and growing, such as seconds and evaluations, and whether it
    reached the target; then those of the second. Every factor if no run succeeded, or if an
    algorithm has fewer than two runs. Else x belongs to the set if `equal_ert` of the costs fixed +
    x growing has a p-value above 1 - confidence. The test is made at `GRID` angles arctan(x / s)
    and at the crossing, and bisection finds the limits.

    Source: E. C. Fieller, Some problems in interval estimation, Journal of the Royal Statistical
    Society B 16 (1954), whose sets have the same shapes.
    """
    check_confidence(confidence)
    every = floats(*costs)
    parts, others = every[:3], every[3:]
    targets = parts[0].shape[1]
    successes = parts[2].sum(axis=0) + others[2].sum(axis=0)
    low, high = np.zeros(targets), np.full(targets, np.inf)
    shape = np.full(targets, EVERY, dtype="<U7")
    tested = np.flatnonzero(successes > 0)
    if min(len(parts[0]), len(others[0])) < 2 or tested.size == 0:
        return TurningSets(shape, low, high)
    used = [x[:, tested] for x in parts], [x[:, tested] for x in others]
    common = [(used[0][k].sum(axis=0) + used[1][k].sum(axis=0)) / successes[tested] for k in (0, 1)]
    both = (common[0] > 0) & (common[1] > 0)
    scale = np.divide(common[0], common[1], out=np.ones_like(common[0]), where=both)
    first, second = (
        _Scores.of(fixed - common[0] * reached, (growing - common[1] * reached) * scale)
        for fixed, growing, reached in used
    )

    def accepts(angle: Floats) -> NDArray[np.bool_]:
        return np.asarray(score_p(*first.at(angle), *second.at(angle)) > 1 - confidence)

    moments = [of for side in (first, second) for of in (side.mean[1], side.covariance[1, 1])]
    equal_growing = (np.array(moments) == 0).all(axis=0)  # so that no factor changes the test
    angles = np.where(equal_growing[:, np.newaxis], 0.0, _angles(first, second))
    inside = accepts(angles)
    limits = [_limit(accepts, angles, inside, last=last) for last in (False, True)]
    start, end = (np.tan(angle) * scale for angle in limits)
    begins, ends = inside[:, 0], inside[:, -1]
    parts_of_it = np.abs(np.diff(inside.astype(np.int8), axis=1)).sum(axis=1)
    cases = {
        EMPTY: ~inside.any(axis=1),
        EVERY: inside.all(axis=1),
        BELOW: begins & ~ends,
        ABOVE: ~begins & ends,
        OUTSIDE: begins & ends & (parts_of_it > 0),
    }
    of = np.select([*cases.values()], [*cases], BETWEEN)
    shape[tested] = of
    low[tested] = np.select([of == EMPTY, np.isin(of, (EVERY, BELOW))], [np.nan, 0.0], start)
    high[tested] = np.select([of == EMPTY, np.isin(of, (EVERY, ABOVE))], [np.nan, np.inf], end)
    return TurningSets(shape, low, high)


def _angles(first: _Scores, second: _Scores) -> Floats:
    """The angles of the grid with that of the crossing, shape (targets, GRID + 1), rising."""
    grid = np.broadcast_to(np.linspace(0.0, np.pi / 2, GRID), (first.mean.shape[1], GRID))
    fixed, growing = first.mean - second.mean
    crossing = np.arctan2(np.abs(fixed), np.abs(growing))
    crossing = np.where(np.sign(fixed) * np.sign(growing) < 0, crossing, 0.0)
    return np.sort(np.column_stack([grid, crossing]), axis=1)


def _limit(
    accepts: Callable[[Floats], NDArray[np.bool_]],
    angles: Floats,
    inside: NDArray[np.bool_],
    *,
    last: bool,
) -> Floats:
    """The angle of the first or last change between inside and outside; 0 without a change."""
    changes, rows = inside[:, 1:] != inside[:, :-1], np.arange(len(inside))
    place = changes.shape[1] - 1 - changes[:, ::-1].argmax(axis=1) if last else changes.argmax(1)
    left, right = angles[rows, place], angles[rows, place + 1]
    side = inside[rows, place]
    for _ in range(HALVINGS):
        middle = (left + right) / 2
        same = accepts(middle[:, np.newaxis])[:, 0] == side
        left, right = np.where(same, middle, left), np.where(same, right, middle)
    return np.where(changes.any(axis=1), np.where(side, left, right), 0.0)
