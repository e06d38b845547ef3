"""The table of evaluation costs at which the order of two algorithms changes. At the additional
cost c of an evaluation, an ERT is ERT_s + c ERT_evaluations. With its own time multiplied by α, it
is the ERT of its evaluations alone + α times the ERT of its own time. Both are lines in a factor x.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from timefair.exhibits import questions
from timefair.exhibits.columns import PAIR, column_names
from timefair.exhibits.exhibit import Made, exhibit
from timefair.exhibits.layout import Layout, Points
from timefair.records.rundata.problems import ProblemRuns, UsedByRuns, in_words, listed_by_precision
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.statistics.comparison import score_p
from timefair.statistics.samples import Floats, check_confidence, floats


def turning_cost(
    seconds_a: ArrayLike, evaluations_a: ArrayLike, seconds_b: ArrayLike, evaluations_b: ArrayLike
) -> Floats:
    """The evaluation cost in seconds, above 0, at which two algorithms have the same ERT; NaN if
    the order is the same at all costs above 0, for example for an ERT of `inf`.
    """
    lines = floats(seconds_a, evaluations_a, seconds_b, evaluations_b)
    with np.errstate(divide="ignore", invalid="ignore"):
        time_a, count_a, time_b, count_b = lines
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


Case: TypeAlias = tuple[ProblemRuns, tuple[str, str]]
"""A problem and a pair of algorithms that were run on it."""
Parts: TypeAlias = tuple[Floats, Floats, NDArray[np.bool_]]
"""Fixed and growing part of the cost of each run up to each target, and its success."""

CELLS_COLUMNS = 10_000
"""Maximal number of columns of samples in one call. It limits the memory of the call."""


@exhibit(
    question=questions.COST,
    layouts=Layout(
        caption="Evaluation cost, in {seconds}, at which the order of two algorithms by the "
        "expected running time to a target changes, with the form and the limits of its "
        "{confidence} confidence set.",
        rows=("function", *column_names(PAIR)),
        parts=("suite", "dimension", "target"),
        points=(Points("target", 1),),
    ),
    comparing=True,
)
def cost_crossovers(runs: Runs, analysis: Analysis) -> Made:
    """Evaluation costs at which the order of two algorithms changes

    The evaluation cost at which the order of two algorithms by the expected running time (ERT) to a
    target changes, with its confidence set. The set contains all costs at which the score test of
    equal ERTs, as in the table `rank_reversals`, does not reject. The confidence applies to each
    set separately. Targets that no run of the two algorithms reached are omitted. The evaluation
    cost is added afterwards: a run that used t seconds and e evaluations takes t + c e seconds if
    each evaluation costs c seconds more. Nothing is measured again. A run that was cut counts as a
    failure and costs what it used. Therefore the ERT of an algorithm with few evaluations is an
    upper estimate at large evaluation costs. For more than 12 algorithms, only pairs with the best
    one (lowest average rank of the median precision) are listed; `statistics.pairs` selects other
    pairs.

    PROBLEM, TARGET, PAIR
    better_below (text): the algorithm with the lower ERT at evaluation costs near 0; empty if both
        are equal
    better_above (text): the algorithm with the lower ERT at very large evaluation costs; empty if
        both are equal
    turns_at_s [{SECONDS}] <Turns at>: evaluation cost at which the order changes; empty if it is
        the same at every cost
    set (text) <Set>: form of the confidence set of this cost. `empty`: one algorithm is better at
        every cost. `every`: the runs do not show at any cost which algorithm is better. `below`:
        costs up to `turns_at_s_high`. `above`: all costs from `turns_at_s_low`. `between`: costs
        between both limits. `outside`: costs up to `turns_at_s_low`, and all costs from
        `turns_at_s_high`
    turns_at_s_low [{SECONDS}] <Low>: lower limit of the set (see `set`); 0 if the set begins at 0,
        empty for `empty`
    turns_at_s_high [{SECONDS}] <High>: upper limit of the set (see `set`); `inf` if there is none,
        empty for `empty`
    """
    used = UsedByRuns.of(runs, analysis)
    listed_in = listed_by_precision(used.runs, analysis)
    cases = [
        (problem, pair)
        for problem in used.problems
        for pair in listed_in[problem.space].pairs(list(problem.algorithms))
    ]
    erts = {
        (id(problem), name): [of.of(problem.rows[mine]).ert for of in (used.seconds, used.rounds)]
        for problem in used.problems
        for name, mine in problem.algorithms.items()
    }
    targets = np.asarray(analysis.targets_from_easy)
    spent = used.seconds.cost, used.rounds.cost, used.seconds.success
    parts = []
    for (problem, pair), sets in zip(
        cases, sets_of(cases, spent, spent, analysis.confidence), strict=True
    ):
        (time_a, count_a), (time_b, count_b) = (erts[id(problem), name] for name in pair)
        near, far = _sign(time_a, time_b), _sign(count_a, count_b)
        row = {
            "target": targets,
            "better_below": _better(pair, np.where(near == 0, far, near)),
            "better_above": _better(pair, np.where(far == 0, near, far)),
            "turns_at_s": turning_cost(time_a, count_a, time_b, count_b),
            "set": sets.shape.astype(object),
            "turns_at_s_low": sets.low,
            "turns_at_s_high": sets.high,
        }
        reached = np.isfinite(time_a) | np.isfinite(time_b)
        names = dict(zip(column_names(PAIR), pair, strict=True))
        parts.append(problem.names | names | {key: of[reached] for key, of in row.items()})
    return iter(parts), {"pairs": in_words(listed_in), "refused": used.remarks}


def sets_of(
    cases: Sequence[Case], first: Parts, second: Parts, confidence: float
) -> list[TurningSets]:
    """The confidence sets of all targets for each case, from the parts of its two algorithms."""
    sides = [[problem.rows[problem.algorithms[name]] for name in pair] for problem, pair in cases]
    of_sizes: dict[tuple[int, ...], list[int]] = {}
    for place, rows in enumerate(sides):
        of_sizes.setdefault(tuple(map(len, rows)), []).append(place)
    most = max(1, CELLS_COLUMNS // max(first[0].shape[1], 1))
    found: dict[int, TurningSets] = {}
    blocks = (
        same[start : start + most]
        for same in of_sizes.values()
        for start in range(0, len(same), most)
    )
    for members in blocks:
        samples = [
            np.hstack([of[sides[k][side]] for k in members])
            for side, parts in enumerate((first, second))
            for of in parts
        ]
        sets = turning_sets(*samples, confidence=confidence)
        found |= dict(zip(members, sets.split(len(members)), strict=True))
    return [found[k] for k in range(len(cases))]


def _sign(of_first: Floats, of_second: Floats) -> Floats:
    return (of_first < of_second).astype(float) - (of_first > of_second)


def _better(pair: tuple[str, str], for_first: Floats) -> NDArray[np.object_]:
    names = np.array([None, *pair], dtype=object)
    better: NDArray[np.object_] = names[np.select([for_first > 0, for_first < 0], [1, 2], 0)]
    return better
