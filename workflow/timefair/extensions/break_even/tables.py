"""At which evaluation cost, and at which factor of its own time, an algorithm ties with another."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.basics.words import ALL, listed, number, p_value
from timefair.exhibits import questions
from timefair.exhibits.campaign.checklist import ChecklistPart, asked
from timefair.exhibits.charts.chart import Picture, leaders
from timefair.exhibits.columns import PAIR, SPACE, column_names
from timefair.exhibits.comparisons.comparison import decided
from timefair.exhibits.comparisons.ranks import ERT
from timefair.exhibits.exhibit import Made, drawn, exhibit
from timefair.exhibits.layout import Layout, Points
from timefair.exhibits.registry import TABLES
from timefair.extensions.break_even.sets import (
    EMPTY,
    TurningSets,
    turning_cost,
    turning_factor,
    turning_sets,
)
from timefair.records.rundata.problems import (
    ProblemRuns,
    Space,
    UsedByRuns,
    in_words,
    listed_by_precision,
)
from timefair.records.rundata.runs import Runs, ancillary_costs, reference_s
from timefair.records.rundata.settings import Analysis
from timefair.report.evidence import Evidence
from timefair.report.evidence import Space as Where
from timefair.statistics.ert import ert
from timefair.statistics.samples import Floats, quantile_interval, sample_quantile
from timefair.statistics.two_samples import wilcoxon

NO_TARGET = -1


class OwnTimes(NamedTuple):
    """The time of each run up to each target, in two parts; shape (runs, targets).

    The calibrated cost of an evaluation, times the evaluations up to the event at which the run
    reached the target, is `fixed`; the rest is `own`. `final`: the runs that would have made no
    further evaluation if their own time had been shorter; of the others, nothing is known behind
    their end. `remarks` names the algorithms that are omitted, and why.
    """

    used: UsedByRuns
    fixed: Floats
    own: Floats
    final: NDArray[np.bool_]
    remarks: str

    @classmethod
    def of(cls, runs: Runs, analysis: Analysis) -> OwnTimes:
        return runs.once((cls, repr(analysis)), lambda: cls._of(runs, analysis))

    @classmethod
    def _of(cls, runs: Runs, analysis: Analysis) -> OwnTimes:
        known = runs.frame["objective_s"].notna().groupby(runs.frame["algorithm"].astype(str)).all()
        unknown = known.index[~known.to_numpy()].tolist()
        given = asked(runs, lambda label, campaign: campaign["algorithms"][label].get("threads"))
        parallel = sorted(name for name, of in given.items() if any((t or 1) > 1 for t in of))
        left = ~runs.frame["algorithm"].isin([*unknown, *parallel]).to_numpy()
        kept = runs if left.all() else runs.where(left)
        used = UsedByRuns.of(kept, analysis.model_copy(update={"workers": 1}))
        frame = used.runs.frame
        begun = np.zeros(len(frame))
        if analysis.ancillary == "amortised":
            shares = ancillary_costs(used.runs, analysis)["share_s"]
            begun += frame["algorithm"].map(shares).fillna(0.0).to_numpy()
        count = frame["evaluations"].where(frame["evaluations"] > 0, 1)
        each = (frame["objective_s"] + frame["charged_s"].fillna(0.0) / count).to_numpy(np.float64)
        each = each / reference_s(frame) if analysis.time == "reference" else each
        seconds = used.seconds.cost
        fixed = np.minimum(begun[:, np.newaxis] + each[:, np.newaxis] * used.rounds.cost, seconds)
        told = (
            ("the cost of an evaluation was not calibrated", unknown),
            ("their evaluations ran on several cores", parallel),
        )
        omitted = (f"Omitted, because {why}: {', '.join(names)}." for why, names in told if names)
        return cls(
            used, fixed, seconds - fixed, np.isinf(used.observed_rounds),
            " ".join(filter(None, (*omitted, used.remarks))),
        )  # fmt: skip

    def lines(self, problem: ProblemRuns) -> Lines:
        success = self.used.seconds.success
        rows = [problem.rows[mine] for mine in problem.algorithms.values()]
        fixed, own = (
            np.stack([ert(of[r], success[r], axis=0) for r in rows], axis=-1)
            for of in (self.fixed, self.own)
        )
        pace = [self.own[r].sum(axis=0) / self.used.rounds.cost[r].sum(axis=0) for r in rows]
        return Lines(
            tuple(problem.algorithms), fixed, own, np.stack(pace, axis=-1),
            np.stack([success[r].mean(axis=0) for r in rows], axis=-1),
            np.stack([(success[r] | self.final[r, None]).all(axis=0) for r in rows], axis=-1),
        )  # fmt: skip

    def seconds_to_know(self, rows: NDArray[np.intp], target: int, factor: float) -> float:
        """Seconds to measure the cut runs among some again, until they have used what a factor
        below 1 saves, if each run continues at its pace.
        """
        cut = rows[~(self.used.seconds.success[rows, target] | self.final[rows])]
        whole = self.used.seconds.cost[cut, target]  # a cut run's own end
        scaled = self.fixed[cut, target] + factor * self.own[cut, target]
        return float((whole**2 / np.where(scaled > 0, scaled, whole)).sum())


class Lines(NamedTuple):
    """Of algorithms, in alphabetical order, up to each target; arrays of shape (targets,
    algorithms).
    - `fixed`, `own`: ERT at the own-time factor α is fixed + α own; `inf` without a success.
    - `pace`, `rates`: Own time per evaluation; share of the runs that reached the target.
    - `known`: Whether factors below 1 are known: every run reached the target, or is final.
    """

    algorithms: tuple[str, ...]
    fixed: Floats
    own: Floats
    pace: Floats
    rates: Floats
    known: NDArray[np.bool_]

    def against(
        self, scaled: int, *, both: bool = False
    ) -> tuple[NDArray[np.intp], NDArray[np.intp], Floats, Floats]:
        """Of one algorithm against each: the place of the target of the table `comparison`, and of
        the hardest one up to it at which factors below 1 are known (with `both`, of both),
        `NO_TARGET` for none; the own-time factors with which both have one ERT, and one own time
        per evaluation, NaN if not known.
        """
        either = np.maximum(self.rates, self.rates[:, [scaled]])
        wanted = _last(either >= 0.5)
        wanted = np.where(wanted == NO_TARGET, _last(either > 0), wanted)
        places = np.arange(len(self.rates))[:, np.newaxis]
        known = self.known[:, [scaled]] & (self.known if both else True)
        at = _last(known & (places <= wanted))
        others = np.arange(len(self.algorithms))
        factor = turning_factor(
            self.fixed[at, scaled], self.own[at, scaled], (self.fixed + self.own)[at, others]
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            equal = self.pace[at, others] / self.pace[at, scaled]
        factor, equal = (np.where(at == NO_TARGET, np.nan, of) for of in (factor, equal))
        return wanted, at, factor, equal

    def gain(self, scaled: int, other: int, factor: float, last: int) -> float:
        """Share of the targets up to `last` with the smaller ERT, minus that of the other."""
        upto = slice(last + 1)
        mine = self.fixed[upto, scaled] + factor * self.own[upto, scaled]
        there = (self.fixed + self.own)[upto, other]
        known = self.known[upto, scaled]
        return float(np.sign(np.where(mine == there, 0.0, there - mine))[known].mean())


def _last(chosen: NDArray[np.bool_]) -> NDArray[np.intp]:
    """The last chosen target of each algorithm, `NO_TARGET` for none."""
    last = len(chosen) - 1 - chosen[::-1].argmax(axis=0)
    return np.where(chosen.any(axis=0), last, NO_TARGET)


QUESTION = questions.Question(
    3.5,
    "Would another implementation change the order of two algorithms?",
    "validation/implementation.md",
)
SCALED = (
    "The own time of a run is its time without its evaluations, for which the calibrated cost of "
    "an evaluation counts, up to the event that reached the target. With its own time multiplied "
    "by α, an algorithm has an ERT that is a linear function of α."
)
MEASURED = {
    "pycma:BIPOP": ("modcma:BIPOP", ((239, 5.7), (83, 4.0))),
    "scipy:differential_evolution": ("timefair:DE", ((84, 1.3), (26, 0.87))),
}
"""Implementations of one algorithm: the faster one, and both own times per evaluation in µs, in 5
and 20 dimensions, medians of the table `overhead` of the database.
"""


@exhibit(
    question=QUESTION,
    layouts=Layout(
        brackets="Brackets: {confidence} interval of the median.",
        shown=("behind", "by_time", "at_equal_own_time", "by_evaluations", "factor"),
        rows=tuple(column_names(PAIR)),
    ),
    default=True,
    comparing=True,
)
def implementation(runs: Runs, analysis: Analysis) -> Made:
    """Break-even factors of own time over the functions

    Whether the order of two algorithms by time is one of their implementations: which of them is
    better as measured, at equal own time per evaluation, and in evaluations, and how fast the own
    computations of the one behind would have to be for a tie. {SCALED} Factors below 1 are known at
    targets that every run of the algorithm reached: a run that was cut could have used the saved
    time. Each function counts with the factor at the target of the table `comparison`, or at the
    next easier one at which it is known.

    SPACE, PAIR
    by_time (label) <By time>: the better algorithm by ERT in seconds over all functions, from the
        table `comparison`; empty if the difference is not significant
    leading: whether `by_time` is first over all functions by time, as the headline of the report
        names it
    by_evaluations (label) <By evaluations>: the same as `by_time` in evaluations
    behind (label) <Behind>: the algorithm whose own time is multiplied: the worse one by time, or
        the one with the worse average rank
    at_equal_own_time (label) <At equal own time>: the better algorithm if `behind` had the own time
        per evaluation of the other: Wilcoxon's test over the functions, times the tests of
        `by_time`; unknown functions count as ties; empty if it is not significant
    p_equal: p-value of this test, times the number of tests, at most 1
    equal: own-time factor of `behind` for equal own time per evaluation, median
    functions: number of functions that both ran
    known: number of these with a known break-even factor
    easier: number of known functions on which the factor is that of an easier target than in
        `comparison`, because runs of `behind` were cut before its target
    behind_on: number of known functions on which the factor is below 1
    never: number of known functions with a factor of 0: behind without own time, too
    factor <Factor; limits>: break-even factor of the own time of `behind`, median over the known
        functions: with it, both have the same ERT; 0.1: its own computations would have to be 10
        times as fast
    factor_q1: first quartile over the known functions
    factor_q3: third quartile
    factor_low: lower limit of the median over functions like these, between two of the factors;
        unknown factors count as 0; 0 for fewer than 6 functions at 95 %
    factor_high: upper limit; unknown factors count as `inf`
    missing_s [s]: time to measure the cut runs of `behind` again, until the factors at the targets
        of `comparison` are known, if each run continues at its pace
    """
    times = OwnTimes.of(runs, analysis)
    on = _by_space(times)
    orders: Orders = {}
    for row in decided(runs, analysis)[0]:
        if row["criterion"] == ERT and row["function"] == ALL:
            key = tuple(row[name] for name in column_names((*SPACE, *PAIR)))
            orders.setdefault(key, {})[row["measure"]] = row
    leaders = _leaders(orders, 1 - analysis.confidence)
    rows = []
    for (suite, dimension, *pair), found in orders.items():
        both = [
            one for one in on.get((suite, dimension), ()) if set(pair) <= set(one[1].algorithms)
        ]
        if "seconds" in found and both:
            names = dict(zip(column_names((*SPACE, *PAIR)), (suite, dimension, *pair), strict=True))
            row = names | _pair(times, both, found, analysis.confidence)
            rows.append(row | {"leading": row["by_time"] in leaders[suite, dimension]})
    return rows, {"refused": times.remarks}


Orders: TypeAlias = dict[tuple[Any, ...], dict[str, Mapping[str, Any]]]
"""Rows of the table `comparison` over all functions by ERT, by suite, dimension and pair, then by
measure.
"""
Cell: TypeAlias = tuple[ProblemRuns, Lines]


def _leaders(orders: Orders, level: float) -> dict[Space, tuple[str, ...]]:
    from timefair.report.findings import Pairs

    of_spaces: dict[Space, list[Mapping[str, Any]]] = {}
    for (suite, dimension, *_), found in orders.items():
        if "seconds" in found:
            of_spaces.setdefault((suite, dimension), []).append(
                {"better": None, "target": np.nan, **found["seconds"]}
            )
    return {
        space: Pairs.of(rows, level).standing("", "").leaders for space, rows in of_spaces.items()
    }


def _by_space(times: OwnTimes) -> dict[Space, list[Cell]]:
    cells: dict[Space, list[Cell]] = {}
    for problem in times.used.problems:
        cells.setdefault(problem.space, []).append((problem, times.lines(problem)))
    return cells


def _pair(
    times: OwnTimes,
    cells: Sequence[Cell],
    orders: Mapping[str, Mapping[str, Any]],
    confidence: float,
) -> dict[str, Any]:
    row = orders["seconds"]
    pair = row["algorithm_a"], row["algorithm_b"]
    better = row.get("better") or pair[int(row["value_a"] > row["value_b"])]
    behind = pair[better == pair[0]]
    factors, equals, gains, easier, missing = [], [], [], 0, 0.0
    for problem, lines in cells:
        k, j = (lines.algorithms.index(name) for name in (behind, better))
        wanted, at, factor, equal = (of[j] for of in lines.against(k))
        factors.append(factor)
        gains.append(0.0 if at == NO_TARGET else lines.gain(k, j, equal, at))
        if at != NO_TARGET:
            equals.append(equal)
            easier += at < wanted
        if at < wanted:
            runs = problem.rows[problem.algorithms[behind]]
            missing += times.seconds_to_know(runs, wanted, _asked(lines, k, j, wanted))
    test = wilcoxon(-np.array(gains), np.zeros(len(gains)))
    p = min(test.p * row["tests"], 1.0)
    sides = {1: behind, -1: better}
    orders_equal = p <= 1 - confidence and np.mean(gains) * test.balance > 0
    return {
        "by_time": row.get("better"),
        "by_evaluations": orders.get("evaluations", {}).get("better"),
        "behind": behind,
        "at_equal_own_time": sides[int(np.sign(test.balance))] if orders_equal else None,
        "p_equal": p,
        "equal": float(sample_quantile(np.array(equals), 0.5)),
        "functions": len(cells),
        "known": len(equals),
        "easier": easier,
        **_summary(np.array(factors), confidence),
        "missing_s": missing,
    }


def _asked(lines: Lines, scaled: int, other: int, target: int) -> float:
    """The factor that longer runs would have to show: the break-even, or equal own time."""
    there = lines.fixed[target, other] + lines.own[target, other]
    factor = float(turning_factor(lines.fixed[target, scaled], lines.own[target, scaled], there))
    if 0 < factor < 1:
        return factor
    mine = lines.pace[target, scaled]
    return min(float(lines.pace[target, other] / mine), 1.0) if mine > 0 else 1.0


def _summary(factors: Floats, confidence: float) -> dict[str, Any]:
    """Quantiles of the factors over functions, with limits that unknown ones (NaN) widen."""
    known = factors[~np.isnan(factors)]
    first, middle, third = (float(sample_quantile(known, p)) for p in (0.25, 0.5, 0.75))
    low, high = (np.where(np.isnan(factors), other, factors) for other in (0.0, np.inf))
    return {
        "behind_on": int((known < 1).sum()),
        "never": int((known == 0).sum()),
        "factor": middle,
        "factor_q1": first,
        "factor_q3": third,
        "factor_low": max(float(quantile_interval(low, 0.5, confidence).low), 0.0),
        "factor_high": float(quantile_interval(high, 0.5, confidence).high),
    }


@exhibit(
    question=QUESTION,
    layouts=Layout(
        caption="Factor of the own time of the first algorithm at which the expected running "
        "times of both are equal, with its {confidence} confidence set.",
        rows=("function", "algorithm", "other"),
        parts=("suite", "dimension", "target"),
        points=(Points("target", 1),),
    ),
    comparing=True,
)
def own_time_factors(runs: Runs, analysis: Analysis) -> Made:
    """Break-even factors of own time to each target

    Factor of the own time of `algorithm` at which it has the same expected running time (ERT) to a
    target as `other`, with its confidence set: all factors at which the score test of equal ERTs
    does not reject. The confidence applies to each set separately. {SCALED} Targets that no run of
    either reached are omitted. For more than 12 algorithms, only pairs with the best one are
    listed; `statistics.pairs` selects other pairs.

    PROBLEM, TARGET
    algorithm (text): algorithm whose own time is multiplied by the factor
    other (text): the algorithm that it is compared with, as measured
    factor <Factor>: factor at which both have the same ERT; 0: `algorithm` is behind without own
        time, too; `inf`: it is ahead at every factor; empty if it is unknown
    set (text) <Set>: form of the confidence set of the factor: as in `cost_crossovers`, or
        `unknown`: runs were cut before they could have used the saved time
    factor_low <Low>: lower limit of the set; 0 if it begins at 0, empty for `empty`
    factor_high <High>: upper limit; `inf` if there is none, empty for `empty`
    cut_runs: runs of `algorithm` that were cut before the target
    missing_s [s]: time to measure these runs again until they have used what the factor saves
        (without one, the factor for equal own time per evaluation), if each continues at its pace
    """
    times = OwnTimes.of(runs, analysis)
    used = times.used
    listed_in = listed_by_precision(used.runs, analysis)
    cases = [
        (problem, ordered, lines)
        for problem, lines in chain.from_iterable(_by_space(times).values())
        for pair in listed_in[problem.space].pairs(list(problem.algorithms))
        for ordered in (pair, pair[::-1])
    ]
    success = used.seconds.success
    sets = sets_of(
        [case[:2] for case in cases],
        (times.fixed, times.own, success),
        (used.seconds.cost, np.zeros_like(times.own), success),
        analysis.confidence,
    )
    targets = np.asarray(analysis.targets_from_easy)
    parts = []
    for (problem, pair, lines), found in zip(cases, sets, strict=True):
        k, j = (lines.algorithms.index(name) for name in pair)
        there = lines.fixed[:, j] + lines.own[:, j]
        factor = turning_factor(lines.fixed[:, k], lines.own[:, k], there)
        # the end of cut runs matters only for factors below 1
        above_one = (found.low >= 1) | ((found.shape == EMPTY) & (factor > 1))
        known = lines.known[:, k] | above_one
        rows = problem.rows[problem.algorithms[pair[0]]]
        cut = (~success[rows] & ~times.final[rows, np.newaxis]).sum(axis=0)
        missing = [
            0.0 if known[t] else times.seconds_to_know(rows, t, _asked(lines, k, j, t))
            for t in range(targets.size)
        ]
        row = {
            "target": targets,
            "algorithm": pair[0],
            "other": pair[1],
            "factor": np.where(known, factor, np.nan),
            "set": np.where(known, found.shape, "unknown").astype(object),
            "factor_low": np.where(known, found.low, np.nan),
            "factor_high": np.where(known, found.high, np.nan),
            "cut_runs": cut,
            "missing_s": np.array(missing),
        }
        reached = (lines.rates[:, [k, j]] > 0).any(axis=1)
        arrays = {n: v[reached] if isinstance(v, np.ndarray) else v for n, v in row.items()}
        parts.append(problem.names | arrays)
    return iter(parts), {"pairs": in_words(listed_in), "refused": times.remarks}


@exhibit(
    question=QUESTION,
    layouts=Layout(rows=("algorithm",), parts=("suite", "dimension")),
    figures=drawn(
        "Range of factors of an algorithm's own time in which it keeps its position, while "
        "the others stay as measured; 0.1: its own computations are 10 times as fast. "
        "The line at 1 is the measured time. A diamond is a faster implementation of the same "
        "algorithm that was measured. Long bars: the position does not depend on the "
        "implementation.",
        Picture(
            "timefair.extensions.break_even.figure:positions",
            on_paper="Bars with an arrow go on beyond the axis. "
            + leaders("at the best positions"),
        ),
    ),
    comparing=True,
)
def own_time_ranks(runs: Runs, analysis: Analysis) -> Made:
    """Own-time factors at which an algorithm keeps its position

    Position of each algorithm by its median break-even factors over the functions against each
    other one, and the range of factors of its own time in which it keeps this position, while the
    others stay as they were measured. The factor of a pair on a function is that at the target of
    the table `comparison`, or at the next easier one that all runs of both reached. {SCALED}

    SPACE, ALGORITHM
    position <Position>: 1 plus the number of algorithms against which its break-even factor is
        below 1 on more than half of the functions
    holds_from <From>: smallest own-time factor at which it has this position: the break-even factor
        against the next algorithm in front; 0: none can be reached
    holds_to <To>: largest such factor, at which the next one behind would tie; `inf`: none
    next_ahead (label): algorithm with which it ties at `holds_from`
    next_behind (label): algorithm with which it ties at `holds_to`
    unknown: number of algorithms against which no factor is known
    measured_factor: own time per evaluation of another implementation, divided by that of this one,
        measured by timefair (the database, bbob, geometric mean over 5 and 20 dimensions)
    measured_as (label): this implementation
    """
    times = OwnTimes.of(runs, analysis)
    uses = asked(runs, lambda name, campaign: campaign["algorithms"][name]["use"])
    rows = []
    for (suite, dimension), cells in _by_space(times).items():
        names = sorted({name for _, lines in cells for name in lines.algorithms})
        for name in names:
            factors = {other: [np.nan] for other in names if other != name}
            for _, lines in cells:
                if name in lines.algorithms:
                    scaled = lines.algorithms.index(name)
                    _, _, found, _ = lines.against(scaled, both=True)
                    for other, factor in zip(lines.algorithms, found, strict=True):
                        factors.get(other, []).append(factor)
            medians = {  # the upper ones, below 1 if more than half of the known factors are
                other: -float(sample_quantile(-np.array(of)[~np.isnan(of)], 0.5))
                for other, of in factors.items()
            }
            keys = {"suite": suite, "dimension": dimension, "algorithm": name}
            use = uses[name][0] if len(uses.get(name, ())) == 1 else ""
            elsewhere, pairs = MEASURED.get(use, (None, ()))
            ratios = [np.log(fast / slow) for slow, fast in pairs]
            row = keys | _range(medians) | {"measured_as": elsewhere}
            rows.append(row | {"measured_factor": np.exp(np.mean(ratios)) if ratios else np.nan})
    return rows, {"refused": times.remarks}


def _range(medians: Mapping[str, float]) -> dict[str, Any]:
    ahead = {other: factor for other, factor in medians.items() if factor < 1}
    behind = {other: factor for other, factor in medians.items() if factor >= 1}
    first = max(ahead, key=lambda other: ahead[other], default=None)
    last = min(behind, key=lambda other: behind[other], default=None)
    start, end = (0.0 if first is None else ahead[first]), np.inf if last is None else behind[last]
    return {
        "position": 1 + len(ahead),
        "holds_from": start,
        "holds_to": end,
        "next_ahead": first if start > 0 else None,
        "next_behind": last if end < np.inf else None,
        "unknown": len(medians) - len(ahead) - len(behind),
    }


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


def findings(evidence: Evidence, space: Where) -> Iterator[str]:
    yield from robustness(evidence.of("implementation", space))


def checklist(runs: Runs, analysis: Analysis) -> Iterator[ChecklistPart]:
    if "implementation" not in analysis.asked_tables:
        return
    table = TABLES["implementation"](runs, analysis)
    said = [
        f"{suite}, D = {dimension}: {sentence}"
        for (suite, dimension), rows in table.groupby(["suite", "dimension"], sort=True)
        for sentence in robustness(rows)
    ]
    if said:
        yield ChecklistPart("Implementations", " ".join(said))


def robustness(rows: pd.DataFrame) -> Iterator[str]:
    """On the pair whose order by time needs the least to change; none without a clear lead."""
    if rows.empty:
        return
    leads = rows[rows["leading"].astype(bool)]
    turned = leads[leads["at_equal_own_time"] == leads["behind"]]
    least = (turned if len(turned) else leads[leads["factor_high"] < 1]).nlargest(1, "factor")
    for row in least.to_dict("records"):
        leader, behind = row["by_time"], row["behind"]
        if len(turned):
            others = sorted(set(turned["behind"].astype(str)) - {behind})
            also = f" The same holds for {listed(others)}." if others else ""
            tie = f"; they tie if {_faster(row)}" if row["factor_high"] < 1 else ""
            yield (
                f"The order of {leader} and {behind} by time is one of implementations: at equal "
                f"own time per evaluation it reverses ({p_value(row['p_equal'])}){tie}.{also}"
            )
        elif row["factor"] == 0:
            yield (
                f"{leader} leads {behind} by time; the lead holds even if the own computations of "
                f"{behind} took no time (median over {_counted(row)})."
            )
        else:
            yield f"{leader} leads {behind} by time; the lead holds unless {_faster(row)}."


def _faster(row: Mapping[Hashable, Any]) -> str:
    middle, low, high = (
        number(1 / row[name], digits=2) if row[name] > 0 else "∞"
        for name in ("factor", "factor_high", "factor_low")
    )
    return (
        f"the own computations of {row['behind']} became {middle} times faster [{low}, {high}] "
        f"(median over {_counted(row)})"
    )


def _counted(row: Mapping[Hashable, Any]) -> str:
    every = int(row["functions"])
    return f"{int(row['known'])} of {every} functions" if row["known"] < every else "all functions"
