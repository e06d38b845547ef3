"""Curves: shares of what is reached and the best precision over the cost, and profiles."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from timefair.basics.words import ALL
from timefair.exhibits import questions
from timefair.exhibits.charts.chart import Curves
from timefair.exhibits.exhibit import Made, Parts, exhibit, over_costs
from timefair.exhibits.layout import BOOTSTRAP, Layout, Points
from timefair.records.rundata.problems import (
    ProblemRuns,
    Spent,
    complete_problems,
    equal_if_solved,
    known_until,
    problems,
)
from timefair.records.rundata.published import told_in, with_published
from timefair.records.rundata.runs import UNITS, Runs, Unit
from timefair.records.rundata.settings import Analysis
from timefair.statistics import bands as statistics
from timefair.statistics.probability import success_interval
from timefair.statistics.samples import sample_quantile

LIMITS = """
    low: lower limit at this point of the curve, from a bootstrap of the runs within each instance;
        empty if an instance has a single run
    high: upper limit at this point of the curve
"""
OBSERVED = """
    observed: share of the runs that were observed up to `cost`, or had nothing left to reach. Below
        1, the budget (or the end of published data) has cut off the others, and the row counts only
        what they had reached
"""
SPACE = ("suite", "dimension")
CELL = (*SPACE, "function", "algorithm")
AT_COSTS = (Points("cost", (0.001, 0.01, 0.1, 1.0), relative=True),)


def _curves(y_label: str, beyond: str) -> Curves:
    return Curves(
        y="fraction",
        low="low",
        high="high",
        y_label=y_label,
        view="{unit}",
        beyond=f"The thin line beyond counts {beyond}, so it is a lower bound; it ends where the "
        "last of them is cut off.",
    )


SO_FAR = (
    "The thin line beyond is the result of the runs so far; it ends where half of them are cut off."
)


@exhibit(
    question=questions.ANYTIME,
    layouts=Layout(
        columns="cost",
        points=(Points("cost", (0.01, 0.1, 1.0), relative=True),),
        observed="observed",
    ),
    figures=(
        *over_costs(
            "anytime",
            "Best precision over {unit}",
            "Median over the runs of all instances of the best precision so far, over {unit}, with "
            "its interval at each cost. Lower is better. A curve begins where half of the runs "
            "have a value. Each panel has its own vertical scale.",
            Curves(
                y="median",
                low="median_low",
                high="median_high",
                y_label="best precision so far, median",
                view="median, {unit}",
                scale="own log",
                beyond=SO_FAR,
            ),
            default=True,
        ),
        *over_costs(
            "convergence",
            "Mean of the best precision over {unit}",
            "Mean over all runs of the best precision so far, over {unit}: the convergence curve "
            "of most papers, which a single bad run can determine. Lower is better. A curve begins "
            "where all runs have a value. Each panel has its own vertical scale.",
            Curves(
                y="mean",
                y_label="best precision so far, mean",
                view="mean, {unit}",
                scale="own log",
                beyond=SO_FAR,
            ),
        ),
    ),
    default=True,
)
def anytime(runs: Runs, analysis: Analysis) -> Parts:
    """Best precision over elapsed cost

    Best precision so far over elapsed cost, in {seconds} and in evaluations, over the runs of all
    instances: the median with its interval and with the quartiles of single runs. The rows of an
    algorithm end when the budget (or the end of published data) has cut off half of its runs; from
    the first cut on, there are no limits. A run that ended by itself or at the final target keeps
    its best precision. Precisions at or below the final target count as 0.

    CELL, RUNS, UNIT
    cost [`unit`]: cost since the start of the run, the same grid for all algorithms
    {OBSERVED}
    median [precision] <Precision; low limits>: median over the runs of the best precision so far;
        `inf` while half of them have no value
    low [precision]: 0.25 quantile of single runs
    high [precision]: 0.75 quantile of single runs
    median_low [precision]: lower limit of the interval of `median` at this cost; empty if the runs
        are too few (a 95 % interval needs six)
    median_high [precision]: upper limit of that interval
    mean [precision]: mean over the runs; `inf` while a run has no value
    """
    points = runs.points
    spaces = ((unit, there) for unit in UNITS for there in told_in(runs, unit).spaces())
    for unit, there in spaces:
        grid = there.cost_grid(unit, points)
        best = equal_if_solved(there, there.best_so_far(unit, grid))
        known = known_until(there, unit)
        for names, members in there.groups(CELL):
            reached = best[members]
            low, high = (sample_quantile(reached, p, axis=0) for p in analysis.band)
            median = statistics.median_band(reached, analysis.confidence)
            part = {**names, "unit": unit, "cost": grid, "mean": reached.mean(axis=0)}
            part |= {"low": low, "high": high, "median": median.value}
            part |= {"median_low": median.low, "median_high": median.high}
            yield until_cut(part, known[members], float(np.median(known[members])))


@exhibit(
    question=questions.ANYTIME,
    layouts=Layout(columns="cost", points=AT_COSTS, observed="observed", brackets=BOOTSTRAP),
    figures=over_costs(
        "ecdf",
        "Share of targets reached over {unit}",
        "Share of the (target, instance, run) triples that were reached within a number of {unit}, "
        "over all functions and for each function. Higher is better. Bands are bootstrap limits at "
        "each cost, from runs resampled within each instance; none if one has a single run.",
        _curves("share of (target, instance, run) reached", "what the runs had reached"),
        default=True,
    ),
    default=True,
)
def ecdf(runs: Runs, analysis: Analysis) -> Parts:
    """Share of targets reached within a cost

    Share of the (target, instance, run) triples that were reached within a cost, in {seconds} and
    in evaluations, for each function and for all functions together. If the budget has cut off runs
    before they had reached all targets, the share is a lower bound without limits, and the rows of
    an algorithm end with the last of these runs. Limits come from runs resampled within each
    instance, so they do not apply to other problems. Few targets are replaced by 51 between the
    easiest and the hardest one.

    CELL_OR_ALL, RUNS, UNIT, COST
    {OBSERVED}
    fraction <Share; high .2 limits>: share of the (target, instance, run) triples reached by then
    {LIMITS}
    everywhere_low: lower limit of a band that holds at all costs simultaneously
    everywhere_high: upper limit of that band
    """
    for unit in UNITS:
        there = told_in(runs, unit)
        problem = there.frame.groupby(["dimension", "function", "instance"]).ngroup().to_numpy()
        reached_at = there.runtimes(unit, analysis.curve_targets)
        known = known_until(there, unit, np.asarray(np.isfinite(reached_at).all(axis=1)))
        spaces = {tuple(space.values()): rows for space, rows in there.groups(SPACE)}
        grids = dict(zip(spaces, there.cost_grids(unit, spaces.values()), strict=True))
        for names, members in over_functions(there):
            grid = grids[names["suite"], names["dimension"]]
            band = statistics.ecdf_band(
                reached_at[members],
                problem[members],
                grid,
                confidence=analysis.confidence,
                resamples=analysis.resamples,
                rng=analysis.stream(names),
            )
            yield until_cut({**names, "unit": unit, "cost": grid} | band, known[members])


@exhibit(
    question=questions.FEASIBLE,
    layouts=Layout(columns="cost", points=AT_COSTS, observed="observed"),
    figures=over_costs(
        "feasible",
        "Share of feasible runs over {unit}",
        "Share of the runs that evaluated a feasible point within a number of {unit}, over all "
        "functions and for each function. Higher is better. Bands are limits at each cost.",
        _curves("share of feasible runs", "the runs that were feasible before"),
        needs="constraints",
    ),
)
def feasible(runs: Runs, analysis: Analysis) -> Parts:
    """Share of feasible runs within a cost

    Share of the runs that evaluated a feasible point within a cost, in {seconds} and in evaluations
    (of objective and constraints together), with its exact interval, for each function and for all
    functions together. If the budget has cut off runs that were not feasible, the share is a lower
    bound without limits, and the rows end with the last of these runs. Empty without constraints.

    CELL_OR_ALL, RUNS, UNIT, COST
    {OBSERVED}
    fraction <Share; high .2 limits>: share of the runs that evaluated a feasible point by then
    low: lower limit of the interval of `fraction` (Clopper and Pearson)
    high: upper limit of that interval
    """
    for space in runs.where(runs.constrained).spaces():
        for unit in UNITS:
            after, grid = space.feasible_after(unit), space.cost_grid(unit)
            if not grid.size:  # no run found a feasible point
                grid = np.array([space.spent(unit).max()])
            known = known_until(space, unit, np.isfinite(after))
            for names, members in over_functions(space):
                count = np.searchsorted(np.sort(after[members]), grid, side="right")
                share = success_interval(count, len(members), analysis.confidence)
                part = {**names, "unit": unit, "cost": grid}
                part |= {"fraction": share.value, "low": share.low, "high": share.high}
                yield until_cut(part, known[members])


def until_cut(
    part: dict[str, Any], known: NDArray[np.float64], end: float | None = None
) -> dict[str, Any]:
    """A part of a table up to a cost, with the columns ``runs`` and `OBSERVED`.

    - `part`: The columns of the part; ``cost`` rises. Those that end in ``low`` or ``high`` are NaN
      from the first cut on.
    - `known`: Cost up to which the results of each run are known, shape (runs,).
    - `end`: The last cost, by default that of the last cut; the first row is always there.
    """
    if end is None:
        end = float(known[np.isfinite(known)].max(initial=0.0)) or np.inf
    cost = part["cost"]
    before = np.searchsorted(np.sort(known), cost * (1 - 1e-9))
    part = part | {"observed": 1 - before / len(known), "runs": len(known)}
    limits = [name for name in part if name.endswith(("low", "high"))]
    part |= {name: np.where(before > 0, np.nan, part[name]) for name in limits}
    points = max(int(np.searchsorted(cost, end * (1 + 1e-9), side="right")), 1)
    return {
        name: value[:points] if isinstance(value, np.ndarray) else value
        for name, value in part.items()
    }


def over_functions(runs: Runs) -> Iterator[tuple[dict[str, Any], NDArray[np.intp]]]:
    for names, members in runs.groups(CELL):
        yield {**names, "function": str(names["function"])}, members
    for names, members in runs.groups((*SPACE, "algorithm")):
        yield {**names, "function": ALL}, members


LEAST: dict[Unit, float] = {"seconds": 1e-9, "evaluations": 1.0}  # of a cost

PROFILE_COLUMNS = """
    SPACE, ALGORITHM
    problems: number of cases (problem and target) that were run with every algorithm
    ratio: expected cost as a multiple of the lowest expected cost in the case
    fraction <Share; high .2 limits>: share of the cases on which this multiple is at most `ratio`
    {LIMITS}
"""


PROFILES = Layout(
    brackets=BOOTSTRAP,
    rows=("algorithm",),
    columns="ratio",
    points=(Points("ratio", (1.0, 2.0, 10.0, 100.0, math.inf)),),
)
IN_SECONDS, IN_EVALUATIONS = over_costs(
    "profile",
    "Performance profile on expected {unit}",
    "Performance profiles (Dolan and Moré 2002) on the expected {unit} to targets, over all "
    "(function, instance, target) triples. Higher is better. The left end of a curve is the share "
    "of cases on which the algorithm is the best, the right end the share that it solves at all. "
    "Bands are bootstrap limits at each ratio. Another algorithm in the campaign may change which "
    "one is the best.",
    Curves(
        x="ratio",
        y="fraction",
        low="low",
        high="high",
        x_label="ERT in {unit}, as a multiple of the best",
        y_label="share of cases",
        view="{unit}",
        functions=False,
    ),
    default=True,
)


@exhibit(question=questions.FACTOR, layouts=PROFILES, figures=IN_SECONDS, default=True)
def profile(runs: Runs, analysis: Analysis) -> Parts:
    """Performance profile on expected seconds

    Performance profile (Dolan and Moré 2002): share of the cases on which the expected {seconds}
    are at most a multiple of the least. A case is a problem and a target that every algorithm was
    run on. Cases that no algorithm solved stay in the denominator. Another algorithm in the
    campaign may change which one is the best, and therefore every profile.

    {PROFILE_COLUMNS}
    """
    return _profile(runs, analysis, "seconds", runs.runtimes("seconds", analysis.targets))


@exhibit(question=questions.FACTOR, layouts=PROFILES, figures=IN_EVALUATIONS, beside="profile")
def profile_evaluations(runs: Runs, analysis: Analysis) -> Made:
    """Performance profile on expected evaluations

    Performance profile (Dolan and Moré 2002) on the expected number of evaluations; otherwise as
    the table `profile`. The two tables differ because of the time that algorithms themselves take.
    Unlike ranks, costs count to the end of each run, so the curve of a slow algorithm is a lower
    bound.

    {PROFILE_COLUMNS}
    """
    everyone = with_published(runs)
    reached_at = everyone.runtimes("evaluations", analysis.targets)
    failed, known = np.isinf(reached_at), known_until(everyone, "evaluations")
    cut, total = int(failed[np.isfinite(known)].sum()), int(failed.sum())
    share = "All" if cut == total else f"{cut} of {total}"
    refused = (
        f"{share} failures (a run and a target that it did not reach) are of runs that were cut "
        "off: with more evaluations, the curves may end higher."
    )
    profiles = _profile(everyone, analysis, "evaluations", reached_at)
    return profiles, {"refused": refused if cut else ""}


def _profile(runs: Runs, analysis: Analysis, unit: Unit, reached_at: NDArray[np.float64]) -> Parts:
    def ratios(costs: ArrayLike) -> NDArray[np.float64]:
        return statistics.performance_ratios(costs, floor=LEAST[unit])

    spent = Spent.until(reached_at, runs.spent(unit))

    def costs(problem: ProblemRuns) -> dict[str, Spent]:
        return {name: spent.of(problem.rows[mine]) for name, mine in problem.algorithms.items()}

    def resampled(problem: ProblemRuns) -> NDArray[np.float64]:
        each = [
            statistics.resampled_ert(
                one.cost,
                one.success,
                resamples=analysis.resamples,
                rng=analysis.stream({**problem.names, "algorithm": algorithm}),
            )
            for algorithm, one in costs(problem).items()
        ]
        return ratios(np.stack(each, axis=-1))

    for space, algorithms, complete in complete_problems(problems(runs, "instance")):
        erts = [np.stack([one.ert for one in costs(k).values()], axis=-1) for k in complete]
        observed = ratios(np.concatenate([np.empty((0, len(algorithms))), *erts]))
        largest = max(observed[np.isfinite(observed)].max(initial=1.0), 2.0)
        grid = np.geomspace(1.0, largest, runs.points)
        grid[-1] = largest
        fraction = statistics.performance_profile(observed, grid)
        alone = any(rows.size == 1 for one in complete for rows in one.algorithms.values())
        samples = () if alone else map(resampled, complete)
        band = statistics.profile_band(fraction, samples, grid, confidence=analysis.confidence)
        names = dict(zip(SPACE, space, strict=True)) | {"problems": len(observed), "ratio": grid}
        for algorithm, *of_it in zip(algorithms, fraction.T, band.low.T, band.high.T, strict=True):
            limits = dict(zip(("fraction", "low", "high"), of_it, strict=True))
            yield names | {"algorithm": algorithm} | limits
