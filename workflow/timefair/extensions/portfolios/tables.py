"""Which two algorithms should share the budget of a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from timefair.basics.words import percent
from timefair.exhibits.charts.chart import Picture
from timefair.exhibits.exhibit import Parts, drawn, exhibit
from timefair.exhibits.layout import Layout
from timefair.exhibits.questions import Question
from timefair.records.rundata.problems import (
    BUDGETS,
    ProblemRuns,
    complete_problems,
    cut_off,
    problems,
)
from timefair.records.rundata.runs import UNITS, Runs
from timefair.records.rundata.settings import Analysis
from timefair.report.evidence import Evidence, Space
from timefair.statistics.samples import Floats, percentile_interval, stratified_sums

Mode = Literal["in turn", "slices", "side by side"]
MODES: tuple[Mode, ...] = ("in turn", "slices", "side by side")


class Portfolio(NamedTuple):
    """Indices of algorithms, and how these share the budget T: `shares` of T, one per member. ``in
    turn``: one member after the other. ``slices``: the members alternate in short rounds. ``side by
    side``: each member has its own core for all of T, and the share 1.
    """

    members: tuple[int, ...]
    mode: Mode
    shares: tuple[float, ...]

    @property
    def cores(self) -> int:
        return len(self.shares) if self.mode == "side by side" else 1

    def own_time(self, at: ArrayLike) -> Floats:
        """Time of each member, (members, points), when the portfolio has run for shares of T."""
        there = np.asarray(at, dtype=np.float64)
        each = np.array(self.shares)[:, np.newaxis]
        if self.mode == "in turn":
            start = np.cumsum(each, axis=0) - each
            return np.asarray(np.clip(there - start, 0.0, each))
        return np.asarray(each * there)


TENTHS = 10  # shares of T for members in turn are multiples of T divided by this
ANY_TIME = tuple(float(share) for share in np.geomspace(1e-3, 1.0, 31))
"""Budgets, as shares of T, that stand for any time."""
EQUAL = 1e-12
"""Values that differ by less are equal: which of them is chosen must not depend on rounding."""

Sample = tuple[Floats, Floats]
"""The runs of an algorithm on an instance: costs to the targets, shape (runs, targets), and up to
which cost each run was observed, shape (runs,), `inf` if a longer run would have the same result.
"""
FunctionRuns = Sequence[Sequence[Sample]]
"""Of each instance of a function, the runs of each algorithm."""


class Judged(NamedTuple):
    """Result of a choice on functions that were not used for it.
    - `held_out`: Share of the (function, target) pairs that are reached, averaged over the
      functions: on each, by the portfolio that is best on all others. NaN for one function.
    - `gain`: The share minus that of the single best algorithm, which is chosen in the same way and
      has as many cores. NaN if an algorithm has fewer runs on an instance than there are cores.

    Limits are NaN if a chosen algorithm has only one run on an instance.
    """

    held_out: float
    held_out_low: float
    held_out_high: float
    gain: float
    gain_low: float
    gain_high: float


class Search:
    """Portfolios of some algorithms over some functions, which count equally.

    All algorithms have runs on each instance. ValueError if it is not known whether a run reaches a
    target within the budget T. The value of a portfolio on a function is the probability that a
    member reaches the target within its share of T, averaged over instances and targets. Given the
    instance, the runs of different members are independent.
    """

    def __init__(self, functions: Sequence[FunctionRuns], budget: float) -> None:
        self._functions, self._budget = functions, budget
        self._known: dict[Mode, tuple[NDArray[np.intp], Floats]] = {}
        self.algorithms = len(functions[0][0])
        self._of_algorithms = [list(zip(*instances, strict=True)) for instances in functions]
        if any(np.isnan(shares).any() for shares in self.shares((1.0,))):
            raise ValueError(f"every run must be known up to the budget, {budget:g}")

    def shares(self, at: Sequence[float]) -> list[Floats]:
        points = self._budget * np.asarray(at, dtype=np.float64)
        return [np.stack([reached(of, points) for of in every]) for every in self._of_algorithms]

    def virtual_best(self, at: Sequence[float] = (1.0,)) -> float:
        """What the best algorithm of each (function, target, share of T) reaches, on average."""
        parts = []
        for shares, instances in zip(self.shares(at), self._functions, strict=True):
            pairs = shares.reshape(*shares.shape[:2], len(instances), -1).mean(axis=2)
            parts.append(pairs.max(axis=0).ravel())
        best = np.concatenate(parts)
        return float(best @ np.full(best.size, 1 / best.size))

    def value(self, portfolio: Portfolio, at: Sequence[float] = (1.0,)) -> Floats:
        own = portfolio.own_time(at)
        total = np.zeros(len(at))
        for every in self._of_algorithms:
            members = [
                reached(every[member], self._budget * own[k])
                for k, member in enumerate(portfolio.members)
            ]
            total += (1 - np.prod(1 - np.array(members), axis=0)).mean(axis=1)
        return np.asarray(total / len(self._functions))

    def copies(self, count: int) -> Floats:
        """Share of the pairs that `count` independent runs reach side by side, shape (algorithms,
        functions); NaN for fewer. Unbiased: among all choices of `count` different runs, the share
        in which at least one reaches the target.
        """
        every = self._of_algorithms
        return np.array([[_any_of(of, count, self._budget) for of in each] for each in every]).T

    def best(self, mode: Mode) -> Portfolio:
        """The best pair over all functions; in turn, in the order that is best at any time."""
        best = self._best(mode, None)
        if mode != "in turn":
            return best
        orders = (best, Portfolio(best.members[::-1], mode, best.shares[::-1]))
        return orders[_first_largest(np.array([self.any_time(one) for one in orders]))]

    def any_time(self, portfolio: Portfolio) -> float:
        return float(self.value(portfolio, ANY_TIME).mean())

    def single_best(self) -> int:
        return _first_largest(self.copies(1).mean(axis=1))

    def judged(
        self, size: int, mode: Mode, *, confidence: float, resamples: int, rng: np.random.Generator
    ) -> Judged:
        """Choose 1 or 2 algorithms, and judge the choice on functions that were not used for it.
        One is the single best algorithm, whose gain is 0. The bootstrap draws runs within the
        instances and does not repeat the choices, so the limits apply to new runs on these
        functions, not to other functions.
        """
        count = len(self._functions)
        if count < 2:
            return Judged(*[np.nan] * len(Judged._fields))
        cores = size if mode == "side by side" else 1
        alone = self.copies(cores)
        if np.isnan(alone).any():  # fewer runs than cores
            alone = np.full(alone.shape, np.nan)
        shares, replicates = np.empty((2, count)), np.zeros((2, resamples))
        for f in range(count):
            others = np.delete(alone, f, axis=1).mean(axis=1)
            single = 0 if np.isnan(others).any() else _first_largest(others)
            one = Portfolio((single,) * cores, "side by side", (1.0,) * cores)
            chosen = one if size == 1 else self._best(mode, f)
            shares[:, f] = alone[single, f]
            if size > 1:
                shares[0, f] = self._on(chosen, f)
            replicates += self._resampled((chosen, one), f, resamples, rng) / count
        share, base = shares.mean(axis=1)
        replicates += np.array([[share], [base]]) - replicates.mean(axis=1, keepdims=True)
        return Judged(
            float(share),
            *_limits(replicates[0], confidence),
            float(share - base),
            *_limits(replicates[0] - replicates[1], confidence),
        )

    @cached_property
    def _missed(self) -> list[Floats]:
        """What each algorithm does not reach within each of `_FRACTIONS`, on each function."""
        return [1 - shares for shares in self.shares(_FRACTIONS)]

    def _on(self, portfolio: Portfolio, function: int) -> float:
        missed = self._missed[function]
        places = [_FRACTIONS.index(share) for share in portfolio.shares]
        return float(1 - np.prod(missed[list(portfolio.members), places], axis=0).mean())

    def _best(self, mode: Mode, without: int | None) -> Portfolio:
        pairs, values = self._pairs(mode)
        kept = np.arange(values.shape[2]) != without
        k = _first_largest(values[..., kept].mean(axis=2).ravel())
        shares, pair = np.unravel_index(k, values.shape[:2])
        return Portfolio(tuple(pairs[pair].tolist()), mode, _shares(mode)[int(shares)])

    def _pairs(self, mode: Mode) -> tuple[NDArray[np.intp], Floats]:
        """All pairs, and their values, shape (shares, pairs, functions)."""
        if mode not in self._known:
            pairs = np.array(list(combinations(range(self.algorithms), 2)), dtype=np.intp)
            both = tuple(pairs.T)
            missed = [
                [(of[:, one] @ of[:, other].T)[both] / of.shape[-1] for of in self._missed]
                for one, other in (map(_FRACTIONS.index, shares) for shares in _shares(mode))
            ]
            self._known[mode] = pairs, 1 - np.swapaxes(missed, 1, 2)
        return self._known[mode]

    def _resampled(
        self,
        portfolios: Sequence[Portfolio],
        function: int,
        resamples: int,
        rng: np.random.Generator,
    ) -> Floats:
        """Values on a function of samples of whole runs; NaN with one run."""
        instances = self._functions[function]
        parts = [list(zip(one.members, one.shares, strict=True)) for one in portfolios]
        wanted = sorted({part for of in parts for part in of})
        members = sorted({member for member, _ in wanted})
        if any(len(samples[member][0]) < 2 for samples in instances for member in members):
            return np.full((len(portfolios), resamples), np.nan)
        values = np.zeros((len(portfolios), resamples))
        for samples in instances:
            drawn: dict[tuple[int, float], Floats] = {}
            for member in members:
                mine = [part for part in wanted if part[0] == member]
                at = self._budget * np.array([share for _, share in mine])
                drawn |= zip(mine, _draws(samples[member][0], at, resamples, rng), strict=True)
            for k, of in enumerate(parts):
                missed = np.prod([1 - drawn[part] for part in of], axis=0)
                values[k] += 1 - missed.mean(axis=1)
        return np.asarray(values / len(instances))


def reached(samples: Sequence[Sample], at: Floats) -> Floats:
    """Share of the runs on each instance within each cost, shape (points, instances * targets); NaN
    if unknown.
    """
    points, parts = at[:, np.newaxis, np.newaxis], []
    for costs, known_until in samples:
        hit = costs <= points
        unknown = (~hit & (known_until[:, np.newaxis] < points)).any(axis=1)
        parts.append(np.where(unknown, np.nan, hit.mean(axis=1)))
    return np.concatenate(parts, axis=1)


def _any_of(samples: Sequence[Sample], count: int, budget: float) -> float:
    """Mean chance that one of `count` different runs reaches a target; NaN for fewer runs."""
    chances = []
    for costs, _ in samples:
        runs, failed = len(costs), (costs > budget).sum(axis=0)
        if runs < count:
            return float("nan")
        factors = [np.maximum(failed - k, 0) / (runs - k) for k in range(count)]
        chances.append(1 - np.prod(factors, axis=0).mean())
    return float(np.mean(chances))


_FRACTIONS = [k / TENTHS for k in range(1, TENTHS + 1)]


def _shares(mode: Mode) -> list[tuple[float, ...]]:
    if mode == "side by side":
        return [(1.0, 1.0)]
    if mode == "slices":
        return [(0.5, 0.5)]
    parts = sorted(range(1, TENTHS), key=lambda k: (abs(2 * k - TENTHS), k))
    return [(first / TENTHS, (TENTHS - first) / TENTHS) for first in parts]


def _first_largest(values: Floats) -> int:
    return int(np.flatnonzero(values >= values.max() - EQUAL)[0])


def _limits(replicates: Floats, confidence: float) -> tuple[float, float]:
    if np.isnan(replicates).any():
        return float("nan"), float("nan")
    low, high = percentile_interval(replicates, confidence)
    return float(low), float(high)


def _draws(costs: Floats, at: Floats, resamples: int, rng: np.random.Generator) -> Floats:
    """Shares of samples of the runs that reach each target; shape (points, resamples, targets)."""
    runs, targets = costs.shape
    hit = (costs[:, np.newaxis] <= at[:, np.newaxis]).reshape(runs, -1).astype(np.float64)
    sums = stratified_sums(hit, np.zeros(runs), resamples=resamples, rng=rng) / runs
    return np.moveaxis(sums.reshape(resamples, at.size, targets), 1, 0)


QUESTION = Question(7, "Which algorithms should share my time?", "guide/portfolios.md")
SINGLE, VIRTUAL = "single best", "virtual best"


@exhibit(
    question=QUESTION,
    layouts=Layout(
        brackets="Brackets: {confidence} bootstrap interval.", rows=("arrangement", "size")
    ),
    figures=drawn(
        "Share of the (function, target) pairs that are reached within the budget. Circle: on "
        "the functions that were used for the choice. Dot: on functions that were not used for "
        "it (for each function, the choice is made on all others). Bar: the single best "
        "algorithm, chosen in the same way, with as many cores. Line: interval of the gain "
        "over the bar, for new runs on these functions; for the single best algorithm, the "
        "interval of its share. Numbers after the members are their parts of the budget.",
        Picture("timefair.extensions.portfolios.figure:portfolio_lines"),
        default=True,
    ),
    default=True,
    comparing=True,
)
def portfolio(runs: Runs, analysis: Analysis) -> Parts:
    """Algorithms that share the budget

    The best pair of algorithms that share the budget T of a run, with the single best algorithm and
    the virtual best. The share of the (function, target) pairs is the probability that a run
    reaches the target within T, averaged over the instances, the targets and the functions that
    were run with every algorithm. The result of a member within its part of the budget is read from
    its runs up to this time. This assumes that a run does not depend on its budget, which is wrong
    for algorithms that read the clock or their remaining budget. Parts are tenths of T if the
    members run `in turn`. `share` refers to the functions that were used for the choice; `held_out`
    and `gain` refer to functions that were not used for it. Their limits hold for new runs on these
    functions.

    SPACE, UNIT
    budget [`unit`]: budget T of a run; smaller than the campaign's budget if a run was cut earlier,
        because nothing is known beyond its end
    arrangement (text): `single best`: the best algorithm alone. `in turn`: one member after the
        other, in the order of `members`. `slices`: the members alternate in short rounds and have
        equal parts. `side by side`: each member has its own core for all of T. `virtual best`: the
        best algorithm on each pair, which is a bound and cannot be run
    size: number of members
    members (text) <Members>: labels of the members, separated by commas
    shares (text) <Shares>: share of T of each member, in the same order
    cores: number of cores that it needs
    share: share of the pairs that is reached within T, on the functions that were used for the
        choice
    any_time: the same, averaged over 31 budgets from T/1000 to T, evenly spaced in the logarithm
    held_out (interval) <Reached; .3 limits>: share of the pairs on functions that were not used for
        the choice: for each function, the choice is made on all others; average over the functions;
        empty for one function
    gain (interval) <Gain; .3 limits>: `held_out` minus that of the single best algorithm with as
        many cores, on which independent copies of it run side by side
    """
    for names, algorithms, search in fields(runs, analysis):
        chosen = {SINGLE: Portfolio((search.single_best(),), "in turn", (1.0,))}
        if search.algorithms > 1:
            chosen |= {mode: search.best(mode) for mode in MODES}
        for arrangement, one in chosen.items():
            size = len(one.members)
            row = names | {"arrangement": arrangement, "size": size}
            judged = search.judged(
                size,
                one.mode,
                confidence=analysis.confidence,
                resamples=analysis.resamples,
                rng=analysis.stream(row),
            )
            yield row | {
                "members": ", ".join(algorithms[member] for member in one.members),
                "shares": ", ".join(f"{share:.2g}" for share in one.shares),
                "cores": one.cores,
                "share": search.value(one).item(),
                "any_time": search.any_time(one),
                **judged._asdict(),
            }
        if search.algorithms == 1:
            continue
        yield names | {
            "arrangement": VIRTUAL,
            "size": search.algorithms,
            **dict.fromkeys(("members", "shares")),
            "cores": 1,
            "share": search.virtual_best(),
            "any_time": search.virtual_best(ANY_TIME),
            **dict.fromkeys(Judged._fields, np.nan),
        }


def fields(
    runs: Runs, analysis: Analysis
) -> Iterator[tuple[dict[str, Any], tuple[str, ...], Search]]:
    """In each suite, dimension and unit with a budget: these with ``budget``, the T up to which
    every run is known; the algorithms; and the search over what all of them were run on.
    """
    reached_at = {unit: runs.runtimes(unit, analysis.targets_from_easy) for unit in UNITS}
    cut = cut_off(runs)
    for (suite, dimension), algorithms, complete in complete_problems(problems(runs)):
        if not complete:
            continue
        rows = np.concatenate([one.rows for one in complete])
        for unit, column in BUDGETS.items():
            known = np.where(cut, runs.spent(unit), np.inf)
            limits = runs.frame[column].to_numpy(dtype=np.float64)
            if np.isnan(limits[rows]).any():
                continue
            budget = float(min(limits[rows].min(), known[rows].min()))
            functions = [_instances(runs, one, reached_at[unit], known) for one in complete]
            functions = [function for function in functions if function]
            if functions and budget > 0:
                names = {"suite": suite, "dimension": dimension, "unit": unit, "budget": budget}
                yield names, algorithms, Search(functions, budget)


def _instances(runs: Runs, problem: ProblemRuns, reached: Floats, known: Floats) -> FunctionRuns:
    instance = runs.frame["instance"].to_numpy()
    found = []
    for number in np.unique(instance[problem.rows]):
        mine = [
            rows[instance[rows] == number]
            for rows in (problem.rows[of] for of in problem.algorithms.values())
        ]
        if all(len(rows) for rows in mine):
            found.append([(reached[rows], known[rows]) for rows in mine])
    return found


FEWEST_FUNCTIONS = 6  # with fewer functions, an average over them says nothing about other ones

ARRANGEMENT = "in turn"  # in the sentence; choosing the best of several would be biased


def findings(evidence: Evidence, space: Space) -> Iterator[str]:
    """On the pair that shares the budget. None if the gain may be due to chance, or the pair is not
    better than the best single algorithm, or for fewer than `FEWEST_FUNCTIONS` functions.
    """
    from timefair.report.findings import functions_of

    rows = evidence.of("portfolio", space, unit=evidence.unit)
    if rows.empty or len(functions_of(evidence, space)) < FEWEST_FUNCTIONS:
        return
    of = {row["arrangement"]: row for row in rows.to_dict("records")}
    if not {ARRANGEMENT, SINGLE, VIRTUAL} <= of.keys():
        return
    row, single, bound = of[ARRANGEMENT], of[SINGLE], of[VIRTUAL]
    if not (row["gain_low"] > 0 and row["held_out"] > single["share"]):
        return
    shares = [percent(float(share)) for share in row["shares"].split(", ")]
    first, second = (
        f"{name} for {share} of the budget"
        for name, share in zip(row["members"].split(", "), shares, strict=True)
    )
    yield (
        f"{first}, then {second} reach {percent(row['held_out'])} of the targets on "
        f"functions not used to choose them; {single['members']} alone reaches "
        f"{percent(single['share'])}, and the best algorithm on each target "
        f"{percent(bound['share'])}."
    )
