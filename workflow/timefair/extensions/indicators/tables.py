"""One number for anytime performance, trial-based dominance, and who leads when."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.stats import norm, rankdata

from timefair.basics import words
from timefair.basics.words import ALL, number
from timefair.exhibits.charts.chart import Picture, leaders
from timefair.exhibits.curves import over_functions
from timefair.exhibits.exhibit import Parts, drawn, exhibit
from timefair.exhibits.layout import BOOTSTRAP, Layout, Points
from timefair.exhibits.questions import Question
from timefair.records.rundata.problems import (
    complete_problems,
    equal_if_solved,
    known_until,
    planned,
    problems,
)
from timefair.records.rundata.published import told_in
from timefair.records.rundata.runs import UNITS, Runs, Unit
from timefair.records.rundata.settings import Analysis
from timefair.report.evidence import Evidence, Space
from timefair.statistics.hitting_times import trace_arrays
from timefair.statistics.rank_tests import rank
from timefair.statistics.samples import (
    Floats,
    has_singles,
    percentile_interval,
    quantile_rank,
    sample_quantile,
    stratified_sums,
)

BEST, WORST = 1e-8, 1e2  # precisions beyond these count as these


def scaled(precision: ArrayLike) -> Floats:
    """Precisions on a logarithmic scale from 0 at `WORST` or more to 1 at `BEST` or less.

    >>> scaled([1e3, 1e-3, 0.0]).tolist()
    [0.0, 0.5, 1.0]
    """
    decades = np.log10(np.clip(np.asarray(precision, dtype=np.float64), BEST, WORST))
    low, high = np.log10(BEST), np.log10(WORST)
    return np.asarray(1 - (decades - low) / (high - low))


def areas(
    cost: ArrayLike,
    precision: ArrayLike,
    offsets: ArrayLike,
    *,
    first: float,
    last: float,
    log: bool = False,
) -> Floats:
    """Normalized area over the convergence curve of each run, shape (runs,), from 0 to 1; more is
    better: the average of `scaled` precisions between the costs `first` and `last`, or over the
    logarithm of the cost; 0 counts before the first event. Events as of `best_so_far`. Source: D.
    Vermetten et al., MA-BBOB, AutoML 2023; M. López-Ibáñez et al., IEEE Transactions on
    Evolutionary Computation 2024, arXiv 2404.02031: the expectation of the attainment function.
    """
    spent, reached, cuts = trace_arrays(cost, precision, offsets)
    place = np.log if log else np.asarray
    start = place(np.clip(spent, first, last))
    end = np.append(start[1:], 0.0)[: start.size]
    end[cuts[1:][np.diff(cuts) > 0] - 1] = place(last)
    run = np.repeat(np.arange(cuts.size - 1), np.diff(cuts))
    area = np.bincount(run, scaled(reached) * (end - start), minlength=cuts.size - 1)
    return np.asarray(area / (place(last) - place(first)))


def attained(best: ArrayLike, levels: ArrayLike) -> Floats:
    """Empirical attainment function: share of the runs with at most a precision within a cost,
    shape (points, levels), from `best_so_far`, shape (runs, points); NaN without runs.
    """
    values, wanted = np.asarray(best, dtype=np.float64), np.asarray(levels, dtype=np.float64)
    if not len(values):
        return np.full((values.shape[1], wanted.size), np.nan)
    return np.stack([(values <= level).mean(axis=0) for level in wanted], axis=1)


def dominance(reached_at: ArrayLike, final: ArrayLike, algorithm: ArrayLike) -> tuple[Floats, ...]:
    """U-scores of several algorithms on one problem, by time to the target (`inf`: not reached),
    else by final value; all of shape (runs,). `algorithm`: their numbers, 0, ..., k - 1.

    Of each algorithm: how many trials of others its trials beat, a tie as half, the share of all
    these pairs, and its variance, NaN with one run. Source: K. V. Price, A. Kumar, P. N. Suganthan,
    Swarm and Evolutionary Computation 78 (2023), arXiv 2212.09423. Variance: E. R. DeLong, D. M.
    DeLong, D. L. Clarke-Pearson, Biometrics 44 (1988), with one group per algorithm.
    """
    reached, value = np.asarray(reached_at, np.float64), np.asarray(final, np.float64)
    owner = np.asarray(algorithm, dtype=np.intp)
    keys = np.column_stack([reached, np.where(np.isfinite(reached), 0.0, value)])
    order = np.unique(keys, axis=0, return_inverse=True)[1].reshape(-1)
    runs, total = np.bincount(owner), owner.size
    ranks = rankdata(order)
    score, share, variance = np.zeros((3, runs.size))
    for k, n in enumerate(runs):
        mine = owner == k
        own, others = np.sort(order[mine]), total - n
        beaten = (total - ranks[mine]) - (n - rankdata(order[mine]))
        score[k] = beaten.sum()
        if not others:
            share[k] = variance[k] = np.nan
            continue
        share[k] = score[k] / (n * others)
        before = (own.searchsorted(order) + own.searchsorted(order, side="right")) / (2 * n)
        of_own = np.var(beaten / others, ddof=1) / n if n > 1 else np.nan
        sums, squares = (np.bincount(owner, before**power) for power in (1, 2))
        with np.errstate(divide="ignore", invalid="ignore"):
            spread = (squares - sums**2 / runs) / (runs - 1)
        of_others = (np.delete(runs, k) * np.delete(spread, k)).sum() / others**2
        variance[k] = of_own + max(of_others, 0.0)
    return score, share, variance


def resampled_medians(values: ArrayLike, *, resamples: int, rng: np.random.Generator) -> Floats:
    """The median of each column in samples drawn with replacement from the rows, one per run, shape
    (resamples, points); `inf` is sorted last. The order statistic of n uniform draws has a Beta
    distribution, so one draw per sample, which its columns share, is enough.
    """
    ordered = np.sort(np.asarray(values, dtype=np.float64), axis=0)
    n = len(ordered)
    middle = quantile_rank(n, 0.5)
    place = (n * rng.beta(middle, n + 1 - middle, size=resamples)).astype(np.intp)
    return np.asarray(ordered[np.minimum(place, n - 1)])


SPACE = ("suite", "dimension")
LEADS = Question(14.5, "Which algorithm leads, and when?", "validation/indicators.md")

DECADES = 3  # an integral over seconds begins this number of decades before its end

OBSERVED = (
    "The end, in the column `to`, is the budget or, if the budget does not limit this cost, the "
    "largest cost that all runs were observed to."
)


def observed(runs: Runs) -> Iterator[tuple[Runs, Unit, float, float]]:
    """Of each unit, and each suite and dimension with a run that cost something: the runs, and the
    costs between which all are observed.
    """
    for unit in UNITS:
        for there in told_in(runs, unit).spaces():
            least = known_until(there, unit).min()
            last = float(least if np.isfinite(least) else there.spent(unit).max())
            if last > 0:
                yield there, unit, last * 10.0**-DECADES * (unit == "seconds"), last


LEVELS = np.geomspace(WORST, BEST, 21)  # precisions of a surface
PAIR = ("algorithm_a", "algorithm_b")
POINTS = (
    Points("function", 1),
    Points("cost", (0.01, 0.1, 1.0), relative=True),
    Points("precision", 3),
)


@exhibit(
    question=LEADS,
    layouts=Layout(
        rows=("precision", "algorithm"),
        columns="cost",
        parts=(*SPACE, "function", "unit"),
        points=POINTS,
    ),
    figures=drawn(
        "Share of the runs on all functions that have found at most a precision within a cost, "
        "in {seconds} or, without times, in evaluations. Darker is better.",
        Picture(
            "timefair.extensions.indicators.figure:surfaces",
            on_paper="If not all algorithms fit, those with the largest mean share are drawn.",
        ),
    ),
)
def eaf(runs: Runs, analysis: Analysis) -> Parts:
    """Empirical attainment function

    Empirical attainment function of one objective (López-Ibáñez and others 2024): the share of the
    runs that have found at most a precision within a cost, in {seconds} and in evaluations, for
    each function and for all functions together. No targets need be chosen. Its mean over the
    logarithm of the precision and over the cost is the AOCC of the table `aocc`. The lines of equal
    share are quantiles of the runs, as in the table `anytime`. Costs end where not all runs were
    observed.

    CELL_OR_ALL, RUNS, UNIT, COST
    precision [precision] (exact): precision to reach
    share <Share; high .2>: share of the runs with this precision within `cost`
    """
    for *_, surfaces in _surfaces(runs):
        yield from surfaces


def _surfaces(runs: Runs) -> Iterator[tuple[Runs, Floats, list[dict[str, Any]]]]:
    """Of each suite, dimension and unit: the runs, their best precision at each cost, shape (runs,
    costs), and the parts of `eaf`.
    """
    points = max(runs.points // 4, 12)
    for there, unit, _, last in observed(runs):
        if (grid := costs_until(there, unit, last, points)).size:
            best = equal_if_solved(there, there.best_so_far(unit, grid))
            at = {"cost": np.repeat(grid, LEVELS.size), "precision": np.tile(LEVELS, grid.size)}
            parts = [
                names
                | {"runs": len(members), "unit": unit}
                | at
                | {"share": attained(best[members], LEVELS).ravel()}
                for names, members in over_functions(there)
            ]
            yield there, best, parts


@exhibit(
    question=LEADS,
    layouts=Layout(
        rows=("precision",),
        columns="cost",
        parts=(*SPACE, "function", *PAIR, "unit"),
        points=POINTS,
    ),
    figures=drawn(
        "Where more runs of one of two algorithms have found at most a precision within a "
        "cost, in {seconds} or, without times, in evaluations. Without room for all functions, "
        "they are drawn together.",
        Picture("timefair.extensions.indicators.figure:difference"),
    ),
    comparing=True,
)
def eaf_difference(runs: Runs, analysis: Analysis) -> Parts:
    """Difference of two attainment functions

    Difference of the empirical attainment functions of two algorithms: positive where more runs of
    `algorithm_a` have found this precision within this cost. The two are those with the largest
    mean share over all functions, or the first ones that `statistics.pairs` names.

    SPACE, FUNCTION_OR_ALL, PAIR, UNIT, COST
    precision [precision] (exact): precision to reach
    difference <Difference; .2>: share of the runs of `algorithm_a` minus that of `algorithm_b`
    """
    for there, best, surfaces in _surfaces(runs):
        pair = _pair(there, best, analysis)
        cells = {(part["function"], part["algorithm"]): part for part in surfaces}
        for function in dict.fromkeys(function for function, _ in cells):
            both = [cells[function, name] for name in pair if (function, name) in cells]
            if len(both) == 2:
                a, b = both
                named = dict(zip(PAIR, pair, strict=True))
                yield a | named | {"difference": a["share"] - b["share"]}


def _pair(runs: Runs, best: Floats, analysis: Analysis) -> list[str]:
    """Two algorithms: the named ones first, then those with the largest mean share."""
    reached = LEVELS.size - np.sort(LEVELS).searchsorted(best)  # levels, by run and cost
    names = runs.frame["algorithm"].astype(str).to_numpy()
    share = pd.Series(reached.mean(axis=1)).groupby(names).mean()
    named = planned(analysis) or ()
    return sorted(share.index, key=lambda name: (name not in named, -share[name], name))[:2]


@exhibit(question=LEADS, layouts=Layout(brackets=BOOTSTRAP, columns="unit"))
def aocc(runs: Runs, analysis: Analysis) -> Parts:
    """Normalized area over the convergence curve

    Normalized area over the convergence curve (AOCC) of the runs: the mean over the cost of log₁₀
    of the best precision so far, scaled so that 100 or more is 0 and 1e-08 or less is 1.
    Higher is better. In evaluations, the cost is linear from 0, as in IOHprofiler; in {seconds}, it
    is logarithmic over the last {DECADES} decades. {OBSERVED} Over all functions, each function has
    the same weight. Limits come from runs resampled within each instance, and are empty if an
    instance has a single run.

    CELL_OR_ALL
    functions: number of functions of the row
    RUNS, UNIT
    from [`unit`]: cost at which the integral begins
    to [`unit`]: cost up to which every run is known: the budget, if all have the same
    aocc (interval) <AOCC; high .3 limits>: normalized area over the convergence curve, from 0
        (worst) to 1, mean over runs
    """
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
            area[part.rows] = areas(cost, best, part.offsets, first=first, last=last, log=log)
        function = there.frame["function"].to_numpy()
        problem = there.frame.groupby(["function", "instance"]).ngroup().to_numpy()
        for names, members in over_functions(there):
            _, place, sizes = np.unique(function[members], return_inverse=True, return_counts=True)
            weighted = area[members] / (sizes[place] * sizes.size)
            row = {**names, "functions": sizes.size, "runs": len(members), "unit": unit}
            row |= {"from": first, "to": last, "aocc": float(weighted.sum())}
            limits = _limits(weighted, problem[members], analysis, {**names, "unit": unit})
            yield row | dict(zip(("aocc_low", "aocc_high"), limits, strict=True))


def _limits(
    weighted: Floats, problem: NDArray[Any], analysis: Analysis, names: dict[str, Any]
) -> tuple[float, float]:
    if has_singles(problem):
        return np.nan, np.nan
    total = float(weighted.sum())
    sums = stratified_sums(
        weighted[:, np.newaxis], problem, resamples=analysis.resamples, rng=analysis.stream(names)
    )
    low, high = percentile_interval(sums[:, 0], analysis.confidence)
    return max(min(float(low), total), 0.0), min(max(float(high), total), 1.0)


@exhibit(
    question=LEADS,
    layouts=Layout(
        caption="Share of the pairs with runs of other algorithms that a run wins (U-score "
        "divided by the number of pairs): by cost to the target, or by the value at the end.",
        columns="unit",
    ),
    comparing=True,
)
def u_scores(runs: Runs, analysis: Analysis) -> Parts:
    """U-scores by trial-based dominance

    U-scores (Price, Kumar and Suganthan 2023), the rule of the CEC competitions since 2022. A run
    that reaches the hardest target beats one that does not; of two that reach it, the one with the
    lower cost wins, in {seconds} or evaluations, and of two that do not, the one with the better
    value at the end. {OBSERVED} Over all functions, scores are summed over the functions that were
    run with every algorithm. Another algorithm changes every score. Limits of `share` are normal
    (DeLong and others 1988), and are empty if it wins all pairs or none.

    CELL_OR_ALL
    functions: number of functions of the row
    RUNS, UNIT
    to [`unit`]: cost up to which every run is known: the budget, if all have the same
    TARGET
    u_score: number of pairs of its runs with runs of other algorithms that it wins, a tie as half
    share (interval) <Share; high .3 limits>: `u_score` divided by the number of pairs; the mean
        over functions
    place: rank by `u_score`; 1 is the best
    """
    target = analysis.targets_from_easy[-1]
    for there, unit, _, last in observed(runs):
        reached_at = there.runtimes(unit, [target])[:, 0]
        reached_at = np.where(reached_at <= last, reached_at, np.inf)
        final = equal_if_solved(there, there.best_so_far(unit, np.array([last])))[:, 0]
        ((_, every, _),) = complete_problems(problems(there))
        shared = {"unit": unit, "to": last, "target": target}
        complete: list[list[NDArray[Any]]] = []
        for problem in problems(there):
            algorithms, counts = list(problem.algorithms), np.zeros(len(problem.rows), np.intp)
            for k, mine in enumerate(problem.algorithms.values()):
                counts[mine] = k
            found = dominance(reached_at[problem.rows], final[problem.rows], counts)
            names = {**problem.names, "function": str(problem.names["function"]), "functions": 1}
            names |= {"algorithm": np.array(algorithms, dtype=object), **shared}
            numbers: list[NDArray[Any]] = [np.bincount(counts), *found]
            yield names | _scores(analysis.confidence, *numbers)
            if len(algorithms) == len(every):
                complete.append(numbers)
        if complete:
            sizes, score, share, variance = np.array(complete).transpose(1, 0, 2)
            count = len(complete)
            numbers = [sizes.sum(0), score.sum(0), share.mean(0), variance.sum(0) / count**2]
            space = {key: there.frame[key].iloc[0] for key in SPACE}
            names = {**space, "function": ALL, "functions": count, **shared}
            names["algorithm"] = np.array(every, dtype=object)
            yield names | _scores(analysis.confidence, *numbers)


def _scores(
    confidence: float, runs: NDArray[Any], score: Floats, share: Floats, variance: Floats
) -> dict[str, Any]:
    half = norm.isf((1 - confidence) / 2) * np.sqrt(np.where(variance > 0, variance, np.nan))
    return {
        "runs": runs, "u_score": score, "share": share, "share_low": np.maximum(share - half, 0.0),
        "share_high": np.minimum(share + half, 1.0), "place": rank(-score),
    }  # fmt: skip


COSTS = 21  # number of costs at which algorithms are ranked


@exhibit(
    question=LEADS,
    layouts=Layout(
        brackets=BOOTSTRAP,
        rows=("algorithm",),
        columns="cost",
        points=(Points("cost", (0.01, 0.1, 1.0), relative=True),),
    ),
    figures=drawn(
        "Rank by the median precision within a cost, in {seconds} or, without times, in "
        "evaluations, averaged over the functions. Higher is better. Bands are bootstrap "
        "limits at each cost.",
        Picture(
            "timefair.extensions.indicators.figure:ranks",
            on_paper="With more than two algorithms, a band is drawn only where its algorithm "
            f"has the best rank. {leaders('with the best rank at any cost')}",
        ),
    ),
    comparing=True,
)
def rank_over_time(runs: Runs, analysis: Analysis) -> Parts:
    """Average rank over elapsed cost

    Rank of each algorithm by the median precision that its runs have found within a cost, in
    {seconds} and in evaluations, averaged over the functions. Lower is better; ties share a rank,
    and so do algorithms without a value. The end is the budget or, if the budget does not limit
    this cost, the largest cost that all runs were observed to. Limits, and the share of the
    resamples in which an algorithm leads, come from a bootstrap of the runs on each function.
    Another algorithm changes every rank.

    SPACE, ALGORITHM
    functions: number of functions that were run with every algorithm
    UNIT
    cost [`unit`]: cost since the start of the run
    average_rank (interval) <Rank; low .2 limits>: rank by the median precision at this cost,
        averaged over the functions; 1 is the best
    leads: share of the resamples in which its average rank is the lowest
    """
    for there, unit, _, last in observed(runs):
        grid = costs_until(there, unit, last, COSTS)
        best = equal_if_solved(there, there.best_so_far(unit, grid))
        ((_, every, complete),) = complete_problems(problems(there))
        if not complete or not grid.size:
            continue
        space = {key: there.frame[key].iloc[0] for key in SPACE}
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
            yield part | (dict.fromkeys(limits, unknown) if single else limits)


def costs_until(runs: Runs, unit: Unit, last: float, points: int) -> Floats:
    """Log-spaced costs from the first event to the last cost; none without an event."""
    grid = runs.cost_grid(unit, points)
    if not grid.size:
        return grid
    grid = np.geomspace(min(grid[0], last), last, points)
    return np.unique(np.round(grid)) if unit == "evaluations" else np.unique(grid)


INDICATORS = {"aocc": ("aocc", "AOCC"), "u_scores": ("share", "U-score")}
"""Tables with their values and the names of these."""


def findings(evidence: Evidence, space: Space) -> Iterator[str]:
    from timefair.report.findings import leading

    first = leading(evidence)[:1]
    for table, (column, called) in INDICATORS.items():
        rows = evidence.of(table, space, function=ALL, unit=evidence.unit)
        leader = _leader(rows, column)
        if leader is not None and [leader["algorithm"]] != first:
            low, high = (number(leader[f"{column}_{end}"], digits=2) for end in ("low", "high"))
            value = number(leader[column], digits=2)
            yield (
                f"By {called} in {evidence.unit}, {leader['algorithm']} leads with {value} "
                f"[{low}, {high}]; no other interval reaches its own."
            )
    yield from _over_time(evidence, space)


def _leader(rows: pd.DataFrame, column: str) -> pd.Series | None:
    if len(rows) < 2:
        return None
    ordered = rows.sort_values(column, ascending=False, kind="stable")
    above = ordered[f"{column}_low"].iloc[0] > ordered[f"{column}_high"].iloc[1:]
    return ordered.iloc[0] if above.all() else None


def _over_time(evidence: Evidence, space: Space) -> Iterator[str]:
    rows = evidence.of("rank_over_time", space, unit=evidence.unit)
    if rows.empty:
        return
    sure = rows[rows["leads"] >= evidence.confidence].sort_values("cost")
    names = sure["algorithm"].astype(str)
    if names.nunique() < 2:
        return
    early, late = names.iloc[0], names.iloc[-1]
    until = sure.loc[names == early, "cost"].max()
    since = sure.loc[(names == late) & (sure["cost"] > until), "cost"].min()
    if early == late or pd.isna(since):
        return
    until, since = (words.cost(float(at), evidence.unit, evidence.clock) for at in (until, since))
    yield (
        f"By the median precision, {early} leads until {until}, and {late} from {since} on "
        f"(average rank over the functions, in {100 * evidence.confidence:g} % of the resamples)."
    )
