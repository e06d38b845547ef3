"""Cost to targets, also with restarts, and the best of several executions or launches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.basics.words import ALL
from timefair.exhibits import questions
from timefair.exhibits.charts.chart import Curves
from timefair.exhibits.curves import until_cut
from timefair.exhibits.exhibit import Figure, Parts, exhibit, over_costs
from timefair.exhibits.layout import Layout, Points
from timefair.records.rundata import problems as rundata
from timefair.records.rundata.published import bridges, told_in, with_published
from timefair.records.rundata.runs import UNITS, Runs, Unit
from timefair.records.rundata.settings import Analysis
from timefair.statistics import ert as statistics
from timefair.statistics import probability

CELL_KEYS = ("suite", "dimension", "function", "algorithm")
PROBLEM_KEYS = (*CELL_KEYS[:3], "instance", "algorithm")


@exhibit(
    question=questions.EXECUTIONS,
    layouts=Layout(columns="k"),
    figures=Figure(
        "best_of",
        "Expected best of several executions",
        "Expected best precision of k executions, each with the complete budget, over k, the runs "
        "of all instances pooled. A line ends where there are fewer than k runs. The steeper it "
        "falls, the more the results of an algorithm vary.",
        Curves(
            y="precision",
            y_label="expected best precision of k",
            view="best of k",
            x="k",
            x_label="executions k, each with the whole budget",
            measure="mean",
            scale="own log",
            steps=False,
        ),
    ),
)
def best_of(runs: Runs, analysis: Analysis) -> Parts:
    """Best of several executions

    Best precision of k executions, each with the complete budget. The runs of all instances are
    pooled, and a run that reached the final target counts as 0. The mean is the unbiased estimate
    of the expected best of k runs, computed from the R runs without resampling. Quantiles are those
    of the best of k. A run already contains its restarts, so k executions cost k budgets.

    CELL, RUNS
    k: number of executions, each with the complete budget
    MEASURE
    precision [precision] <Precision; low>: best precision of k executions; empty if there are fewer
        than k runs, `inf` if it is possible that none of the k found a finite value
    """
    best, executions = rundata.precision_at_the_end(runs), sorted(set(analysis.executions))
    for group, rows in runs.groups(CELL_KEYS):
        for k in executions:
            part = {**group, "runs": len(rows), "k": k, "measure": _measures(analysis)}
            yield part | {"precision": _best_of(best[rows], k, analysis)}


@exhibit(question=questions.EXECUTIONS, layouts=Layout(rows=("function", "instance", "algorithm")))
def restart_fairness(runs: Runs, analysis: Analysis) -> Parts:
    """Best of the launches that the budget allows

    Effect of the restarts within one budget T on each instance (*time-fair*, Definition 2): the
    best of k = floor(T/τ) complete launches, in closed form, and the best of the runs with their
    actual restarts. The best of k is empty if there are fewer than k complete launches, and the
    result of one launch if there are none. Long launches are cut more often, so τ is too small if k
    is small. A launch or run that reached the final target counts as 0.

    INSTANCE_CELL, RUNS, UNIT
    budget [`unit`]: budget T of a run
    complete_launches: launches that returned, were ended by the restart policy or reached the final
        target
    tau [`unit`] <τ>: mean length τ of a complete launch
    k <k>: number of launches that the budget allows: floor(T/τ)
    MEASURE
    one_launch [precision] <One launch; low>: best precision of single complete launches
    best_of_k_launches [precision] <Best of k; low>: best precision of k complete launches, in
        closed form; empty if there are fewer than k
    best_of_restarts [precision] <With restarts; low>: best precision of the runs with their actual
        restarts, including the last launch, which is cut at T
    """
    best, launches = rundata.precision_at_the_end(runs), runs.launches
    complete = launches["complete"].to_numpy(dtype=np.bool_)
    start_s, end_s, evaluations, precision = (
        launches[name].to_numpy(dtype=np.float64)
        for name in ("start_s", "end_s", "evaluations", "best_precision")
    )
    precision = rundata.equal_if_solved(runs, precision, launches["row"].to_numpy())
    of_runs, none = launches.groupby("row").indices, np.empty(0, dtype=np.intp)
    budgets = {unit: runs.frame[rundata.BUDGETS[unit]].to_numpy(dtype=np.float64) for unit in UNITS}
    for group, rows in runs.groups(PROBLEM_KEYS):
        own = np.concatenate([of_runs.get(row, none) for row in rows])
        ended = own[complete[own]]
        timed = not np.isnan(budgets["seconds"][rows]).any()
        unit: Unit = "seconds" if timed else "evaluations"
        used = (end_s - start_s if timed else evaluations)[ended]
        tau = used.mean() if used.sum() > 0 else np.nan
        budget = np.fmax.reduce(budgets[unit][rows])
        before = start_s[own].min() if timed and own.size else 0.0  # a charge is no launch
        k = float(probability.affordable_runs(budget - before, tau))
        yield group | {
            "runs": len(rows),
            "unit": unit,
            "budget": budget,
            "complete_launches": ended.size,
            "tau": tau,
            "k": k,
            "measure": _measures(analysis),
            "one_launch": _best_of(precision[ended], 1, analysis),
            "best_of_k_launches": _best_of(precision[ended], k, analysis),
            "best_of_restarts": _best_of(best[rows], 1, analysis),
        }


def _measures(analysis: Analysis) -> list[str]:
    return [rundata.MEAN, *map(rundata.quantile_name, sorted(analysis.quantiles))]


def _best_of(sample: NDArray[np.float64], k: float, analysis: Analysis) -> list[float]:
    """Mean and quantiles of the best of k values of a sample; NaN if k is NaN, below 1, or larger
    than the sample."""
    probabilities = sorted(analysis.quantiles)
    if not 1 <= k <= sample.size:
        return [np.nan] * (1 + len(probabilities))
    found = [probability.best_of_quantile(sample, p, int(k)) for p in probabilities]
    return [float(probability.best_of_mean(sample, int(k))), *map(float, found)]


SUFFIX: dict[Unit, str] = {"seconds": "s", "evaluations": "evaluations"}


def by_unit(name: str, **facts: Any) -> list[Layout]:
    """A layout of the column of each unit, at three targets."""
    points = (Points("target", 3),)
    of_both = {unit: (f"{name}_{unit}",) for unit in SUFFIX.values()}
    return [Layout(shown=one, points=points, name=unit, **facts) for unit, one in of_both.items()]


@exhibit(
    question=questions.TARGET,
    layouts=by_unit("ert", columns="target"),
    figures=over_costs(
        "ert",
        "Expected {unit} to targets",
        "Expected running time (ERT) in {unit} to targets from easy to hard, the runs of all "
        "instances pooled; a failed run costs all that it used. Lower is better. Bands are "
        "intervals, computed on a logarithmic scale.",
        Curves(
            x="target",
            y="ert_{unit}",
            low="ert_{unit}_low",
            high="ert_{unit}_high",
            x_label="target precision (easy to hard)",
            y_label="ERT in {unit}",
            view="{unit}",
            scale="log",
            steps=False,
            decreasing=True,
        ),
        default=True,
    ),
    default=True,
)
def ert(runs: Runs, analysis: Analysis) -> Parts:
    """Expected running time to targets

    Expected running time (ERT) to each target, in {seconds} and in evaluations, the runs of all
    instances pooled. It is the total cost of all runs divided by the number of runs that reached
    the target; a failed run costs all that it used. The limits are computed on a logarithmic scale.
    The upper limit is `inf` if the successes are too few to bound the ERT, and both limits are
    empty for a single run. The columns `ert_s_heavy_tail` and `ert_evaluations_heavy_tail` mark
    samples for which the interval may be too short.

    CELL, TARGET, RUNS, SUCCESSES, SUCCESS_RATE
    ert_* [*] (interval) <ERT; low limits>: expected running time in *; `inf` if no run reached the
        target
    ert_*_heavy_tail: whether the distribution of the runtimes looks heavy-tailed; the interval may
        then be too short
    """
    return to_targets(runs, analysis, CELL_KEYS, limits=True)


@exhibit(
    question=questions.TARGET,
    layouts=by_unit("ert", rows=("function", "instance", "target"), columns="algorithm"),
)
def ert_by_instance(runs: Runs, analysis: Analysis) -> Parts:
    """Expected running time on each instance

    Expected running time (ERT) to each target on each instance, in {seconds} and in evaluations.
    The performance profile is computed from its seconds.

    INSTANCE_CELL, TARGET, RUNS, SUCCESSES, SUCCESS_RATE
    ert_* [*] <ERT; low>: expected running time in *; `inf` if no run reached the target
    """
    return to_targets(runs, analysis, PROBLEM_KEYS)


def to_targets(
    runs: Runs, analysis: Analysis, keys: tuple[str, ...], limits: bool = False
) -> Parts:
    """The columns of `success`, and of `ert` with or without its limits, for some keys."""
    of_others = bridges(runs, analysis.confidence)
    runs, targets = with_published(runs), analysis.targets_from_easy
    reached_at = {unit: runs.runtimes(unit, targets) for unit in UNITS}
    for group, rows in runs.groups(keys):
        success = np.isfinite(reached_at["evaluations"][rows])
        successes = success.sum(axis=0)
        rate = probability.success_interval(successes, len(rows), analysis.confidence)
        part = {**group, "target": np.array(targets), "runs": len(rows), "successes": successes}
        part |= {"success_rate": rate.value, "success_rate_low": rate.low}
        part |= {"success_rate_high": rate.high}
        for unit, suffix in SUFFIX.items():
            times, ends = reached_at[unit][rows], runs.spent(unit)[rows]
            if unit not in runs.units_of(rows):
                of_unit = "mean_{}_successes_only", "mean_{}", "ert_{}", "ert_{}_low", "ert_{}_high"
                part |= dict.fromkeys((name.format(suffix) for name in of_unit), np.nan)
                part[f"ert_{suffix}_heavy_tail"] = False
                continue
            cost = rundata.Spent.until(times, ends).cost
            part[f"mean_{suffix}_successes_only"] = probability.mean_of_successes(times, axis=0)
            part[f"mean_{suffix}"] = probability.mean_if_all_succeed(times, axis=0)
            part[f"ert_{suffix}"] = statistics.ert(cost, success, axis=0)
            if limits:
                found = statistics.ert_interval(cost, success, confidence=analysis.confidence)
                low, high = found.low, found.high
                if unit == "seconds" and (one := of_others.get(str(group["algorithm"]))):
                    low, high = low * one.low / one.ratio, high * one.high / one.ratio
                part |= {f"ert_{suffix}_low": low, f"ert_{suffix}_high": high}
                part[f"ert_{suffix}_heavy_tail"] = found.heavy_tail
        yield part


BEYOND = 100.0  # length of the curves, as a multiple of the cost of the longest run


@exhibit(
    question=questions.TARGET,
    layouts=Layout(
        columns="cost", points=(Points("cost", (0.001, 0.01, 0.1, 1.0), relative=True),)
    ),
    figures=over_costs(
        "restarted",
        "Share of targets reached with restarts over {unit}",
        "Share of the targets that are reached within a number of {unit} if every failed run is "
        "followed by another one, in closed form, over all functions and for each function.",
        Curves(
            y="fraction",
            y_label="share of targets reached with restarts",
            view="restarted, {unit}",
            beyond="The thin line beyond is computed from how often and how late the runs reached "
            "each target.",
        ),
    ),
    beside="ecdf",
)
def restarted_curves(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Share of targets reached with restarts

    Share of the targets that are reached within a cost if every failed run is followed by another
    one, over {seconds} and over evaluations, for each function and for all functions together. It
    is the mean over the targets of the distribution function of the runtime with restarts, in
    closed form, up to 100 times the longest run. A target that no run reached is never reached.

    CELL_OR_ALL, RUNS, UNIT, COST
    observed: share of the runs that were as long as `cost`, or had reached every target before;
        below 1, the share is computed from how often and how late the runs reached each target
    fraction <Share; high .2>: share of the targets that are reached within `cost`
    error: the exact share is between `fraction` − `error` and `fraction` + `error`
    """
    targets, parts, costs = analysis.targets_from_easy, [], {}
    for unit in UNITS:
        there = told_in(runs, unit)
        grid = there.cost_grid(unit)
        if grid.size:
            grid = np.geomspace(grid[0], BEYOND * grid[-1], there.points)
        costs[unit] = grid
    everyone = told_in(runs, "evaluations")
    reached_at = {unit: everyone.runtimes(unit, targets) for unit in UNITS}
    for group, rows in everyone.groups(CELL_KEYS):
        for unit in everyone.units_of(rows):
            spent = rundata.Spent.until(reached_at[unit][rows], everyone.spent(unit)[rows])
            known = np.where(spent.success.all(axis=1), np.inf, spent.cost.max(axis=1))
            of_targets = [
                statistics.restarted_cdf(cost, success, costs[unit])
                for cost, success in zip(spent.cost.T, spent.success.T, strict=True)
            ]
            low = np.mean([bounds.low for bounds in of_targets], axis=0)
            high = np.mean([bounds.high for bounds in of_targets], axis=0)
            part = {**group, "unit": unit, "cost": costs[unit]}
            part |= {"fraction": (low + high) / 2, "error": (high - low) / 2}
            parts.append(until_cut(part, known, np.inf))
    shared = ["suite", "dimension", "algorithm", "unit", "cost"]
    sums = {"runs": "sum", "observed": "mean", "fraction": "mean", "error": "mean"}
    single = rundata.stacked(parts, [*shared, "function", *sums])
    across = single.groupby(shared, as_index=False).agg(sums)
    frame = pd.concat([single.astype({"function": str}), across.assign(function=ALL)])
    return frame.reset_index(drop=True)
