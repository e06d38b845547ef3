"""Who is in front over many problems: average ranks, the Friedman test, rankings and a summary."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.exhibits import questions
from timefair.exhibits.charts.chart import Picture, counted_in, leaders
from timefair.exhibits.charts.pages import MANY
from timefair.exhibits.exhibit import Figure, Made, Parts, drawn, exhibit
from timefair.exhibits.layout import Layout, Points
from timefair.records.rundata import problems as rundata
from timefair.records.rundata.problems import KnownCosts, ProblemRuns, quantile_name
from timefair.records.rundata.published import with_published
from timefair.records.rundata.runs import UNITS, Runs
from timefair.records.rundata.settings import Analysis
from timefair.statistics import rank_tests as statistics
from timefair.statistics.probability import mean_of
from timefair.statistics.samples import sample_quantile

ERT = "ERT"  # the criterion of costs

CRITERION = """
    measure (text): what is ranked: `precision` at the end of the run, or `seconds` or `evaluations`
        to the targets
    criterion (text): of a precision: `mean` or a quantile such as `Q.50`; of a cost: `ERT` or a
        quantile of the runtimes, with failures as `inf`
"""
KEYS = ("suite", "dimension", "measure", "criterion")


BARS = (
    "Bars join algorithms whose average ranks differ by no more than Nemenyi's critical difference "
    f"(CD): their order may be due to chance. With {MANY} or more algorithms, there is one line "
    "per algorithm instead, and the grey area covers average ranks that differ from the best by no "
    "more than the CD."
)
AT_SOME_POSITION = leaders("that are the best at some position, or closest to it,")


def _slopes(frame: pd.DataFrame) -> pd.DataFrame:
    panels: dict[str, str] = {unit: f"{counted_in(frame, unit)} to targets" for unit in UNITS}
    panels["precision"] = "precision at the end"
    return frame.assign(panel=frame["measure"].map(panels), position=frame["criterion"])


@dataclass(frozen=True)
class Case:
    """What is ranked under one criterion: suite, dimension, measure and criterion; algorithms in
    alphabetical order; mean ranks on each function, shape (functions, algorithms)."""

    names: dict[str, Any]
    algorithms: tuple[str, ...]
    scores: NDArray[np.float64]

    def averages(self) -> dict[str, float]:
        """The average rank of each algorithm; NaN if no function was run with all of them."""
        averages = statistics.average_ranks(self.scores).tolist()
        return dict(zip(self.algorithms, averages, strict=True))


@exhibit(
    question=questions.BETTER,
    layouts=Layout(rows=("measure", "algorithm"), columns="criterion"),
    figures=[
        drawn(
            "Average ranks of the algorithms over the functions: by the mean and the quantiles of "
            "the precision at the end, then by the ERT and the quantiles of the {seconds} and "
            "evaluations to the targets, each pair within the cost that all runs of both were "
            "allowed. Higher is better. If two lines cross, the order depends on the criterion.",
            Picture(
                "timefair.exhibits.charts.dots:slopes", prepare=_slopes, on_paper=AT_SOME_POSITION
            ),
        ),
        Figure(
            "critical_difference",
            "Critical differences of average ranks",
            "Average ranks over the functions, by the precision at the end of the run and by the "
            "cost to the targets. Further left is better. Verdicts on pairs come from the table "
            "`comparison`, because a difference of average ranks depends on the other algorithms.",
            Picture("timefair.exhibits.charts.dots:critical_difference", on_paper=BARS),
            default=True,
        ),
    ],
    default=True,
    comparing=True,
)
def ranks(runs: Runs, analysis: Analysis) -> Made:
    """Average ranks under several criteria

    Average rank of each algorithm over the functions, by quantiles or mean of the precision at the
    end, and by the seconds and evaluations to the targets. The runs of all instances are pooled,
    and runs that reached the final target have equal precision. Ties share a rank, and infinite
    values share the worst. On each function, the ranks are averages over the targets and over the
    kinds of machines. Two algorithms are compared within the cost that all runs of both were
    allowed, as in the table `comparison`: targets that neither has reached by then are ties, so
    that an algorithm with few evaluations has many.

    SPACE
    {CRITERION}
    ALGORITHM
    problems: number of functions that were run with every algorithm; others are omitted
    average_rank <Average rank; low .2>: average rank over these functions; 1 is the best
    critical_difference [ranks]: Nemenyi's critical difference: average ranks that differ by more
        differ significantly; empty for fewer than two algorithms or functions
    """
    rows = []
    for case in cases(runs, analysis):
        count, alpha = len(case.scores), 1 - analysis.confidence
        difference = statistics.critical_difference(len(case.algorithms), count, alpha=alpha)
        rows += [
            (*case.names.values(), algorithm, count, average, difference)
            for algorithm, average in case.averages().items()
        ]
    return rows


def cases(runs: Runs, analysis: Analysis) -> list[Case]:
    """The ranked values for each (suite, dimension) under each criterion."""
    key = ("ranked", tuple(analysis.targets), tuple(analysis.quantiles))
    return runs.once(key, lambda: list(_cases(runs, analysis)))


def _cases(runs: Runs, analysis: Analysis) -> Iterator[Case]:
    every: defaultdict[tuple[Any, ...], list[dict[str, float]]] = defaultdict(list)
    for problem, *key, ranks in _ranks(with_published(runs), analysis):
        every[*problem.space, *key].append(ranks)
    for of_case, of_functions in every.items():
        scores = pd.DataFrame(of_functions).sort_index(axis="columns").dropna()
        names = dict(zip(KEYS, of_case, strict=True))
        yield Case(names, tuple(scores.columns), scores.to_numpy(dtype=np.float64))


def _ranks(
    runs: Runs, analysis: Analysis
) -> Iterator[tuple[ProblemRuns, str, str, dict[str, float]]]:
    """The mean rank of each algorithm on each function by each measure and criterion."""
    best = rundata.precision_at_the_end(runs)
    costs = {unit: KnownCosts.of(runs, unit, analysis.targets) for unit in UNITS}
    quantiles = {quantile_name(p): p for p in sorted(analysis.quantiles)}
    machine = runs.frame["machine"].to_numpy(dtype=object)
    for problem in rundata.problems(runs):
        rows_of = {name: problem.rows[mine] for name, mine in problem.algorithms.items()}
        kinds = {  # machines have equal weight
            name: [rows[machine[rows] == kind] for kind in sorted(set(machine[rows]))]
            for name, rows in rows_of.items()
        }
        ended = {name: of for name, of in kinds.items() if runs.ended[rows_of[name]].all()}
        for name, p in {"mean": None, **quantiles}.items() if ended else ():
            values = [
                [mean_of(best[k]) if p is None else sample_quantile(best[k], p) for k in of]
                for of in ended.values()
            ]
            ranks = statistics.rank(np.array(values, dtype=np.float64), axis=0).mean(axis=1)
            yield problem, "precision", name, dict(zip(ended, ranks.tolist(), strict=True))
        for unit in UNITS:
            split = {
                name: of if unit == "seconds" else [rows_of[name]]
                for name, of in kinds.items()
                if unit in runs.units_of(rows_of[name])
            }
            by = (ERT, *quantiles) if split else ()
            each = _in_pairs(problem, split, costs[unit], list(quantiles.values())) if by else ()
            for k, name in enumerate(by):
                ranks = np.reshape(each, (len(split), len(by), -1))[:, k].mean(axis=1)
                yield problem, unit, name, dict(zip(split, ranks.tolist(), strict=True))


def _in_pairs(
    problem: ProblemRuns,
    split: Mapping[str, Sequence[NDArray[np.intp]]],
    costs: KnownCosts,
    quantiles: Sequence[float] = (),
) -> NDArray[np.float64]:
    """Ranks by the ERT and by each quantile, each for all kinds of machines and targets, shape
    (algorithms, results); each pair within the cost that all runs of both were allowed."""
    names, until = list(split), rundata.limits(problem, costs.known)

    def values(limit: float, places: NDArray[np.intp]) -> NDArray[np.float64]:
        found = []
        for place in places:
            of_kinds = [costs.spent.of(rows).within(limit) for rows in split[names[place]]]
            by_ert = [one.ert for one in of_kinds]
            found.append([*by_ert, *(one.quantile(p) for p in quantiles for one in of_kinds)])
        return np.array(found).reshape(len(places), -1)

    return statistics.rank_within([until[name] for name in names], values)


IN_PART = "Only pairs with the best algorithm or with those named in `statistics.pairs` are listed."


@exhibit(
    question=questions.BETTER,
    layouts=Layout(rows=("measure", "criterion")),
    default=True,
    comparing=True,
)
def friedman(runs: Runs, analysis: Analysis) -> Made:
    """Friedman's test of average ranks

    Friedman's test of the hypothesis that all algorithms have equal ranks, with the functions as
    blocks, for each criterion of the table `ranks`. Values are empty for fewer than two algorithms
    or functions.

    SPACE
    {CRITERION}
    algorithms <Algorithms>: number of algorithms
    problems <Problems>: number of functions that were run with every algorithm
    chi2 <χ²; .2>: Friedman's χ², corrected for ties
    p <p; .4>: p-value of `chi2`
    iman_davenport <F; .2>: F statistic of Iman and Davenport
    iman_davenport_p <p of F; .4>: p-value of `iman_davenport`
    kendall_w <W; .2>: Kendall's coefficient W: agreement of the problems, from 0 to 1
    critical_difference [ranks] <CD; .2>: Nemenyi's critical difference of average ranks
    alpha: level of the critical difference: 1 − confidence
    """
    rows, alpha = [], 1 - analysis.confidence
    for case in cases(runs, analysis):
        test = statistics.friedman(case.scores)
        difference = statistics.critical_difference(test.algorithms, test.problems, alpha)
        rows.append(case.names | vars(test) | {"critical_difference": difference, "alpha": alpha})
    return rows


@exhibit(
    question=questions.BETTER,
    layouts=Layout(rows=("algorithm_a", "algorithm_b"), columns="criterion"),
    comparing=True,
)
def posthoc(runs: Runs, analysis: Analysis) -> Made:
    """Pairs of average ranks that differ

    Pairs of algorithms after Friedman's test: the difference of their average ranks, and its
    p-values, unadjusted and adjusted for all pairs. For more than 12 algorithms, only pairs with
    the best one (lowest average rank) are listed; `statistics.pairs` selects other pairs.

    SPACE
    {CRITERION}
    PAIR
    rank_difference [ranks] <Difference; .2>: average rank of `algorithm_a` minus that of
        `algorithm_b`: negative if a is better
    z: `rank_difference` in standard errors
    p_raw: two-sided p-value of `z`
    p_holm <p; .3>: `p_raw` adjusted for all pairs by Holm's procedure
    p_shaffer: `p_raw` adjusted for all pairs by Shaffer's static procedure
    p_nemenyi: p-value of Nemenyi's test, for all pairs simultaneously
    """
    rows, complete = [], True
    for case in cases(runs, analysis):
        pairs, names = statistics.posthoc(case.scores), case.algorithms
        chosen = rundata.listed(analysis, case.averages())
        numbers = pairs.difference, pairs.z, pairs.p, pairs.p_holm, pairs.p_shaffer, pairs.p_nemenyi
        for first, second, *of_pair in zip(pairs.first, pairs.second, *numbers, strict=True):
            if chosen.has(names[first], names[second]):
                rows.append((*case.names.values(), names[first], names[second], *of_pair))
            else:
                complete = False
    return rows, {"pairs": "" if complete else IN_PART}


FIXED_BUDGET, FIXED_TARGET = "fixed budget", "fixed target"
RANKINGS = ("by_evaluations", "rank_by_evaluations", "by_time", "rank_by_time")
PANELS = {FIXED_BUDGET: "fixed budget (median precision)", FIXED_TARGET: "fixed targets (ERT)"}
POSITIONS = {"rank_by_evaluations": "by evaluations", "rank_by_time": "by time"}


def _ranking_slopes(frame: pd.DataFrame) -> pd.DataFrame:
    """Average ranks by evaluations and by time, as in the table `ranks`: on each function that was
    run with every algorithm, the algorithms are ranked by their average rank over the targets."""
    keys = ["suite", "dimension", "criterion"]
    parts = []
    for key, rows in frame.groupby(keys):
        for column, position in POSITIONS.items():
            on_functions = rows.pivot_table(column, "function", "algorithm", observed=True)
            part: dict[str, Any] = dict(zip(keys, key, strict=True)) | {"position": position}
            part |= {"algorithm": on_functions.columns, "panel": PANELS[str(key[-1])]}
            averages = statistics.average_ranks(on_functions.dropna())
            parts.append(pd.DataFrame(part | {"average_rank": averages}))
    slopes = pd.concat(parts) if parts else frame
    slopes.attrs = frame.attrs
    return slopes


@exhibit(
    question=questions.REVERSAL,
    layouts=Layout(columns="target", points=(Points("target", 3),)),
    figures=Figure(
        "rank_reversals",
        "Ranks by evaluations and by time",
        "Average rank over the functions by evaluations and by time, as in the table `ranks`. "
        "Higher is better. At a fixed budget, ranks are by the median precision; at fixed targets, "
        "by the average rank of the ERT over the targets. If two lines cross, the order of the two "
        "algorithms in time differs from their order in evaluations.",
        Picture(
            "timefair.exhibits.charts.dots:slopes",
            prepare=_ranking_slopes,
            on_paper=AT_SOME_POSITION,
        ),
        default=True,
    ),
    comparing=True,
)
def rankings(runs: Runs, analysis: Analysis) -> Parts:
    """Ranks by evaluations and by time

    The rank of each algorithm by evaluations and its rank by time, on each function. At a fixed
    target, the ranks are those of the ERT in evaluations and in seconds. At a fixed budget, they
    are those of the median precision at equal evaluations and at the end of the time.

    PROBLEM, FIXED, TARGET, ALGORITHM
    evaluations [evaluations]: at a fixed budget: the number of evaluations at which precisions are
        compared: the smallest number of all runs that the budget ended or, if it ended none, the
        largest number of all runs
    by_evaluations [evaluations or precision] <Evaluations; low rank>: ERT in evaluations within the
        number that all runs of the algorithm were allowed, or median precision at `evaluations`
    by_time [s or precision] <Time; low rank>: ERT in seconds, or median precision at the end
    rank_by_evaluations: rank of `by_evaluations` among the algorithms of the function; of ERTs, 1
        plus the number of algorithms with a smaller one (ties count half), each pair within the
        evaluations that all runs of both were allowed
    rank_by_time: the same by time
    """
    targets = analysis.targets_from_easy
    costs = {unit: KnownCosts.of(runs, unit, targets) for unit in UNITS}
    best, allowed = rundata.precision_at_the_end(runs), rundata.evaluations_allowed(runs)
    spent = runs.spent("evaluations")
    asked = []
    for problem in rundata.problems(runs):
        least, most = allowed[problem.rows].min(), spent[problem.rows].max()
        asked.append((problem, np.array([least if np.isfinite(least) else most])))
    for (problem, equal), at_equal in zip(asked, rundata.precision_at(runs, asked), strict=True):
        names = list(problem.algorithms)
        medians = (
            np.array([[median(sample)] for sample in samples.values()])
            for samples in (problem.split(at_equal[:, 0]), problem.samples(best))
        )
        at_budget = [(of, statistics.rank(of, axis=0)) for of in medians]
        at_targets = [_erts(problem, costs[unit]) for unit in ("evaluations", "seconds")]
        for criterion, evaluations, at, both in (
            (FIXED_BUDGET, float(equal[0]), (np.nan,), at_budget),
            (FIXED_TARGET, np.nan, targets, at_targets),
        ):
            found = [each.T.ravel() for values_and_ranks in both for each in values_and_ranks]
            part = {"criterion": criterion, "evaluations": evaluations}
            part |= {"target": np.repeat(at, len(names)), "algorithm": names * len(at)}
            yield problem.names | part | dict(zip(RANKINGS, found, strict=True))


def _erts(
    problem: ProblemRuns, costs: KnownCosts
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The ERT of each algorithm to each target within its own limit, and its rank in pairs."""
    until = rundata.limits(problem, costs.known)
    rows = {name: problem.rows[of] for name, of in problem.algorithms.items()}
    own = [costs.spent.of(of).within(until[name]).ert for name, of in rows.items()]
    split = {name: [of] for name, of in rows.items()}
    return np.array(own), _in_pairs(problem, split, costs)


def median(sample: NDArray[np.float64]) -> float:
    """The order statistic in the middle, `inf` last."""
    return float(sample_quantile(sample, 0.5))


RANKED: dict[tuple[str, ...], tuple[str, ...]] = {
    ("seconds", ERT): ("rank_s", "best_on_s"),
    ("evaluations", ERT): ("rank_evaluations", "best_on_evaluations"),
    ("precision", quantile_name(0.5)): ("rank_median",),
}
"""Criteria with the columns of average ranks, and of functions on which nobody has a better one."""

EQUAL = 1e-9  # ranks that differ by less count as equal, because they are averages over the targets


@exhibit(
    question=questions.BETTER,
    layouts=Layout(rows=("dimension", "algorithm")),
    default=True,
    comparing=True,
)
def summary(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Each algorithm over all functions of a dimension

    Which algorithm is better over all functions of a dimension: the share of the targets that it
    reaches, its average ranks (those of the table `ranks`), and the number of functions on which it
    is the best. Rows are sorted by the average rank in seconds, or in evaluations if these are the
    only budget. The tables `friedman`, `posthoc` and `comparison` show whether a difference is
    certain.

    SPACE, ALGORITHM
    functions: number of functions on which the algorithm was run
    reached <Targets; high .3>: share of the targets that a run reaches, an average over functions
    rank_* <Rank, *; low .2>: average over the functions of the rank by the ERT in * to the targets
    rank_median <Rank, precision; low .2>: average over the functions of the rank by the median
        precision at the end; empty if 0.5 is not among the quantiles of the campaign
    best_on_* <Best, *; high .0>: number of functions on which no algorithm has a better rank by the
        ERT in *; ties count for all
    """
    everyone = with_published(runs)
    reached = np.isfinite(everyone.runtimes(UNITS[-1], analysis.targets)).mean(axis=1)
    reached = np.where(everyone.known_in(UNITS[-1]), reached, np.nan)
    rows = [
        (*problem.space, algorithm, float(of_runs.mean()))
        for problem in rundata.problems(everyone)
        for algorithm, of_runs in problem.samples(reached).items()
    ]
    place = ["suite", "dimension", "algorithm"]
    shares = pd.DataFrame(rows, columns=[*place, "reached"]).groupby(place)["reached"]
    lines = shares.agg(functions="size", reached="mean")
    lines[[column for columns in RANKED.values() for column in columns]] = np.nan
    for case in cases(runs, analysis):
        *space, measure, criterion = case.names.values()
        if len(case.scores):
            best = (case.scores <= case.scores.min(axis=1, keepdims=True) + EQUAL).sum(axis=0)
            found = list(case.averages().values()), best.astype(float)
            of_case: Any = [(*space, algorithm) for algorithm in case.algorithms]
            for column, values in zip(RANKED.get((measure, criterion), ()), found, strict=False):
                lines.loc[of_case, column] = values
    first = "rank_s" if runs.frame["budget_s"].notna().any() else "rank_evaluations"
    return lines.reset_index().sort_values([*place[:2], first, "algorithm"], ignore_index=True)
