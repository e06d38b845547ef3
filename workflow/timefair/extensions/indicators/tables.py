"""One number for anytime performance, trial-based dominance, and who leads when."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import norm

from timefair.basics.words import ALL
from timefair.exhibits.charts.chart import Picture, leaders
from timefair.exhibits.columns import ALGORITHM, CELL_OR_ALL, RUNS, SPACE, TARGET, UNIT
from timefair.exhibits.exhibit import Column, Figure, column_names, exhibit
from timefair.exhibits.layout import BOOTSTRAP, INTERVAL, Layout, Points, Value
from timefair.exhibits.questions import Question
from timefair.extensions.indicators.statistics import BEST, WORST, aocc, resampled_medians, u_scores
from timefair.records.rundata.frames import stacked
from timefair.records.rundata.problems import equal_if_solved, known_until, problems
from timefair.records.rundata.published import told_in
from timefair.records.rundata.runs import UNITS, Runs, Unit
from timefair.records.rundata.settings import Analysis
from timefair.statistics.ranks import rank
from timefair.statistics.samples import (
    has_singles,
    percentile_interval,
    sample_quantile,
    stratified_sums,
)

Vector = NDArray[np.float64]
LEADS = Question(14.5, "Which algorithm leads, and when?", "validation/indicators.md")

DECADES = 3
"""An integral over seconds begins this number of decades before its end."""

FUNCTIONS = Column("functions", "number of functions of the row")
LAST = Column(
    "to", "cost up to which every run is known: the budget, if all have the same", "`unit`"
)
OBSERVED = (
    "The end, in the column `to`, is the budget or, if the budget does not limit this cost, the "
    "largest cost that all runs were observed to."
)


class Observed(NamedTuple):
    """The runs of a suite and dimension between two costs; all are known up to the second."""

    runs: Runs
    unit: Unit
    first: float
    last: float


def observed(runs: Runs) -> Iterator[Observed]:
    """Of each unit, and each suite and dimension with a run that cost something."""
    for unit in UNITS:
        for there in told_in(runs, unit).spaces():
            least = known_until(there, unit).min()
            last = float(least if np.isfinite(least) else there.spent(unit).max())
            if last > 0:
                yield Observed(there, unit, last * 10.0**-DECADES * (unit == "seconds"), last)


def over_functions(runs: Runs) -> Iterator[tuple[dict[str, Any], NDArray[np.intp]]]:
    """The names and runs of each algorithm on each function, and on all together."""
    for names, members in runs.groups(tuple(column_names(CELL_OR_ALL))):
        yield {**names, "function": str(names["function"])}, members
    for names, members in runs.groups(("suite", "dimension", "algorithm")):
        yield {**names, "function": ALL}, members


AOCC_COLUMNS = (
    *CELL_OR_ALL,
    FUNCTIONS,
    RUNS,
    UNIT,
    Column("from", "cost at which the integral begins", "`unit`"),
    LAST,
    *Column(
        "aocc", "normalized area over the convergence curve, from 0 (worst) to 1, mean over runs"
    ).interval(),
)


@exhibit(
    "aocc",
    question=LEADS,
    title="Normalized area over the convergence curve",
    caption=f"""
    Normalized area over the convergence curve (AOCC) of the runs: the mean over the cost of
    log₁₀ of the best precision so far, scaled so that {WORST:g} or more is 0 and {BEST:g} or less
    is 1. Higher is better. In evaluations, the cost is linear from 0, as in IOHprofiler; in
    {{seconds}}, it is logarithmic over the last {DECADES} decades. {OBSERVED} Over all functions,
    each function has the same weight. Limits come from runs resampled within each instance, and are
    empty if an instance has a single run.
    """,
    columns=AOCC_COLUMNS,
    layouts=Layout(
        caption="Normalized area over the convergence curve (AOCC); higher is better.",
        brackets=BOOTSTRAP,
        values=(Value.with_limits("aocc", "AOCC", "high", decimals=3),),
        rows=("function", "algorithm"),
        columns="unit",
    ),
)
def areas(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """AOCC for each function and algorithm, and over all functions."""
    rows = []
    for there, unit, first, last in observed(runs):
        area = np.zeros(len(there.frame))
        for part in there.traces:
            cost = part.time_s
            if unit == "evaluations":  # the first evaluation has the value from the start
                cost = np.where(part.evaluations <= 1, 0.0, part.evaluations)
            best = equal_if_solved(
                there, part.precision, np.repeat(part.rows, np.diff(part.offsets))
            )
            log = unit == "seconds"
            area[part.rows] = aocc(cost, best, part.offsets, first=first, last=last, log=log)
        function = there.frame["function"].to_numpy()
        problem = there.frame.groupby(["function", "instance"]).ngroup().to_numpy()
        for names, members in over_functions(there):
            _, place, sizes = np.unique(function[members], return_inverse=True, return_counts=True)
            weighted = area[members] / (sizes[place] * sizes.size)
            row = {**names, "functions": sizes.size, "runs": len(members), "unit": unit}
            row |= {"from": first, "to": last, "aocc": float(weighted.sum())}
            limits = _limits(weighted, problem[members], analysis, {**names, "unit": unit})
            rows.append(row | dict(zip(("aocc_low", "aocc_high"), limits, strict=True)))
    return pd.DataFrame(rows, columns=column_names(AOCC_COLUMNS))


def _limits(
    weighted: NDArray[np.float64],
    problem: NDArray[Any],
    analysis: Analysis,
    names: dict[str, Any],
) -> tuple[float, float]:
    """Limits of a sum over runs, which always contain it."""
    if has_singles(problem):
        return np.nan, np.nan
    total = float(weighted.sum())
    sums = stratified_sums(
        weighted[:, np.newaxis], problem, resamples=analysis.resamples, rng=analysis.stream(names)
    )
    low, high = percentile_interval(sums[:, 0], analysis.confidence)
    return max(min(float(low), total), 0.0), min(max(float(high), total), 1.0)


U_COLUMNS = (
    *CELL_OR_ALL,
    FUNCTIONS,
    RUNS,
    UNIT,
    LAST,
    TARGET,
    Column(
        "u_score",
        "number of pairs of its runs with runs of other algorithms that it wins, a tie as half",
    ),
    *Column(
        "share", "`u_score` divided by the number of pairs; the mean over functions"
    ).interval(),
    Column("place", "rank by `u_score`; 1 is the best"),
)


@exhibit(
    "u_scores",
    question=LEADS,
    title="U-scores by trial-based dominance",
    caption=f"""
    U-scores (Price, Kumar and Suganthan 2023), the rule of the CEC competitions since 2022. A run
    that reaches the hardest target beats one that does not; of two that reach it, the one with the
    lower cost wins, in {{seconds}} or evaluations, and of two that do not, the one with the better
    value at the end. {OBSERVED} Over all functions, scores are summed over the functions that were
    run with every algorithm. Another algorithm changes every score. Limits of `share` are normal
    (DeLong and others 1988), and are empty if it wins all pairs or none.
    """,
    columns=U_COLUMNS,
    layouts=Layout(
        caption="Share of the pairs with runs of other algorithms that a run wins (U-score "
        "divided by the number of pairs): by cost to the target, or by the value at the end.",
        brackets=INTERVAL,
        values=(Value.with_limits("share", "Share", "high", decimals=3),),
        rows=("function", "algorithm"),
        columns="unit",
    ),
    comparing=True,
)
def dominance(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """U-scores for each function and algorithm, and over all functions."""
    parts: list[dict[str, Any]] = []
    target = analysis.targets_from_easy[-1]
    for there, unit, _, last in observed(runs):
        reached_at = there.runtimes(unit, [target])[:, 0]
        reached_at = np.where(reached_at <= last, reached_at, np.inf)
        final = equal_if_solved(there, there.best_so_far(unit, np.array([last])))[:, 0]
        every = sorted(set(there.frame["algorithm"].astype(str)))
        shared = {"unit": unit, "to": last, "target": target}
        complete: list[list[NDArray[Any]]] = []
        for problem in problems(there):
            algorithms, counts = list(problem.algorithms), np.zeros(len(problem.rows), np.intp)
            for k, mine in enumerate(problem.algorithms.values()):
                counts[mine] = k
            found = u_scores(reached_at[problem.rows], final[problem.rows], counts)
            names = {**problem.names, "function": str(problem.names["function"]), "functions": 1}
            names |= {"algorithm": np.array(algorithms, dtype=object), **shared}
            numbers: list[NDArray[Any]] = [np.bincount(counts), *found]
            parts.append(names | _scores(analysis.confidence, *numbers))
            if algorithms == every:
                complete.append(numbers)
        if complete:
            sizes, score, share, variance = np.array(complete).transpose(1, 0, 2)
            count = len(complete)
            numbers = [sizes.sum(0), score.sum(0), share.mean(0), variance.sum(0) / count**2]
            space = {key: there.frame[key].iloc[0] for key in column_names(SPACE)}
            names = {**space, "function": ALL, "functions": count, **shared}
            names["algorithm"] = np.array(every, dtype=object)
            parts.append(names | _scores(analysis.confidence, *numbers))
    return stacked(parts, column_names(U_COLUMNS))


def _scores(
    confidence: float, runs: NDArray[Any], score: Vector, share: Vector, variance: Vector
) -> dict[str, Any]:
    """The numbers of one function, or of all."""
    half = norm.isf((1 - confidence) / 2) * np.sqrt(np.where(variance > 0, variance, np.nan))
    return {
        "runs": runs, "u_score": score, "share": share, "share_low": np.maximum(share - half, 0.0),
        "share_high": np.minimum(share + half, 1.0), "place": rank(-score),
    }  # fmt: skip


RANK_COLUMNS = (
    *SPACE,
    ALGORITHM,
    Column("functions", "number of functions that were run with every algorithm"),
    UNIT,
    Column("cost", "cost since the start of the run", "`unit`"),
    *Column(
        "average_rank",
        "rank by the median precision at this cost, averaged over the functions; 1 is the best",
    ).interval(),
    Column("leads", "share of the resamples in which its average rank is the lowest"),
)
COSTS = 21
"""Number of costs at which algorithms are ranked."""


@exhibit(
    "rank_over_time",
    question=LEADS,
    title="Average rank over elapsed cost",
    caption=f"""
    Rank of each algorithm by the median precision that its runs have found within a cost, in
    {{seconds}} and in evaluations, averaged over the functions. Lower is better; ties share a rank,
    and so do algorithms without a value. {OBSERVED.replace(", in the column `to`,", "")} Limits,
    and the share of the resamples in which an algorithm leads, come from a bootstrap of the runs on
    each function. Another algorithm changes every rank.
    """,
    columns=RANK_COLUMNS,
    layouts=Layout(
        caption="Rank by the median precision within a cost, averaged over the functions.",
        brackets=BOOTSTRAP,
        values=(Value.with_limits("average_rank", "Rank", "low", decimals=2),),
        rows=("algorithm",),
        columns="cost",
        parts=(*column_names(SPACE), "unit"),
        points=(Points("cost", (0.01, 0.1, 1.0), relative=True),),
    ),
    figures=Figure(
        "rank_over_time",
        "Average rank over elapsed cost",
        "Rank by the median precision within a cost, in {seconds} or, without times, in "
        "evaluations, averaged over the functions. Higher is better. Bands are bootstrap "
        "limits at each cost.",
        Picture(
            "timefair.extensions.indicators.figure:ranks",
            reading="With more than two algorithms, a band is drawn only where its algorithm "
            f"has the best rank. {leaders('with the best rank at any cost')}",
        ),
    ),
    comparing=True,
)
def ranks_over_time(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Average rank of each algorithm at each cost."""
    parts: list[dict[str, Any]] = []
    for there, unit, _, last in observed(runs):
        grid = costs_until(there, unit, last, COSTS)
        best = equal_if_solved(there, there.best_so_far(unit, grid))
        every = sorted(set(there.frame["algorithm"].astype(str)))
        complete = [one for one in problems(there) if list(one.algorithms) == every]
        if not complete or not grid.size:
            continue
        space = {key: there.frame[key].iloc[0] for key in column_names(SPACE)}
        average = np.zeros((len(every), grid.size))
        drawn = np.zeros((len(every), analysis.resamples, grid.size))
        for problem in complete:
            samples = problem.samples(best)
            rng = analysis.stream({**problem.names, "unit": unit})
            medians = np.array([sample_quantile(one, 0.5, axis=0) for one in samples.values()])
            average += rank(medians, axis=0) / len(complete)
            again = (
                resampled_medians(one, resamples=analysis.resamples, rng=rng)
                for one in samples.values()
            )
            drawn += rank(np.stack(list(again)), axis=0) / len(complete)
        first = np.isclose(drawn, drawn.min(axis=0), atol=1e-9)
        leads = (first / first.sum(axis=0)).mean(axis=1)
        single = any(len(one) < 2 for of in complete for one in of.algorithms.values())
        low, high = percentile_interval(drawn.swapaxes(0, 1), analysis.confidence)
        low, high = np.minimum(low, average), np.maximum(high, average)
        for k, name in enumerate(every):
            part = {**space, "algorithm": name, "functions": len(complete), "unit": unit}
            part |= {"cost": grid, "average_rank": average[k]}
            limits = {"average_rank_low": low[k], "average_rank_high": high[k], "leads": leads[k]}
            unknown = np.full(grid.size, np.nan)
            parts.append(part | (dict.fromkeys(limits, unknown) if single else limits))
    return stacked(parts, column_names(RANK_COLUMNS))


def costs_until(runs: Runs, unit: Unit, last: float, points: int) -> NDArray[np.float64]:
    """Log-spaced costs from the first event to the last cost; none without an event."""
    grid = runs.cost_grid(unit, points)
    if not grid.size:
        return grid
    grid = np.geomspace(min(grid[0], last), last, points)
    return np.unique(np.round(grid)) if unit == "evaluations" else np.unique(grid)
