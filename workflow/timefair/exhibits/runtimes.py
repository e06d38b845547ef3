"""Cost to targets, also with restarts, and the best of several executions or launches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.basics.words import ALL
from timefair.exhibits import questions
from timefair.exhibits.charts.chart import Curves
from timefair.exhibits.columns import SECONDS
from timefair.exhibits.curves import until_cut
from timefair.exhibits.exhibit import Figure, Parts, exhibit, over_costs
from timefair.exhibits.layout import INTERVAL, Layout, Points, Value
from timefair.records.rundata.problems import (
    BUDGETS,
    MEAN,
    Spent,
    equal_if_solved,
    precision_at_the_end,
    quantile_name,
    stacked,
)
from timefair.records.rundata.published import bridges, told_in, with_published
from timefair.records.rundata.runs import UNITS, Runs, Unit
from timefair.records.rundata.settings import Analysis
from timefair.statistics.ert import ert, ert_interval, restarted_cdf, success_rate
from timefair.statistics.probability import affordable_runs, best_of_mean, best_of_quantile

CELL_KEYS = ("suite", "dimension", "function", "algorithm")
PROBLEM_KEYS = (*CELL_KEYS[:3], "instance", "algorithm")


@exhibit(
    "best_of",
    question=questions.EXECUTIONS,
    title="Best of several executions",
    caption="""
    Best precision of k executions, each with the complete budget. The runs of all instances are
    pooled, and a run that reached the final target counts as 0. The mean is the unbiased estimate
    of the expected best of k runs, computed from the R runs without resampling. Quantiles are those
    of the best of k. A run already contains its restarts, so k executions cost k budgets.
    """,
    columns="""
    CELL, RUNS
    k: number of executions, each with the complete budget
    MEASURE
    precision [precision] <Precision; low>: best precision of k executions; empty if there are fewer
        than k runs, `inf` if it is possible that none of the k found a finite value
    """,
    layouts=Layout(
        caption="Best precision f − f_opt of k executions, each with the complete budget; runs of "
        "all instances pooled. k executions need k runs. ∞: too many runs found no finite value.",
        columns="k",
        parts=("suite", "dimension", "measure"),
    ),
    figures=Figure(
        "best_of",
        "Expected best of several executions",
        "Expected best precision of k executions, each with the complete budget, over k. The "
        "runs of all instances are pooled. The estimate is unbiased and needs no resampling. A "
        "line ends where there are fewer than k runs. The steeper it falls, the more the "
        "results of an algorithm vary.",
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
def of_executions(runs: Runs, analysis: Analysis) -> Parts:
    best = precision_at_the_end(runs)
    cells = list(runs.groups(CELL_KEYS))
    samples = [best[members] for _, members in cells]
    executions = sorted(set(analysis.executions))
    measures = _measures(analysis)
    precision = np.stack(
        [_best_of(samples, np.full(len(samples), k), analysis) for k in executions], axis=1
    )
    return (
        {
            **group,
            "runs": len(members),
            "k": np.repeat(executions, len(measures)),
            "measure": measures * len(executions),
            "precision": of_cell.ravel(),
        }
        for (group, members), of_cell in zip(cells, precision, strict=True)
    )


@exhibit(
    "restart_fairness",
    question=questions.EXECUTIONS,
    title="Best of the launches that the budget allows",
    caption="""
    Effect of the restarts within one budget T on each instance (*time-fair*, Definition 2): the
    best of k = floor(T/τ) complete launches, in closed form, and the best of the runs with their
    actual restarts. The best of k is empty if there are fewer than k complete launches, and the
    result of one launch if there are none. Long launches are cut more often, so τ is too small if k
    is small. A launch or run that reached the final target counts as 0.
    """,
    columns="""
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
    """,
    layouts=Layout(
        caption="Best precision f − f_opt of one launch, of the k launches of mean length τ "
        "that the budget allows, and of the runs with their actual restarts.",
        rows=("function", "instance", "algorithm"),
        parts=("suite", "dimension", "unit", "measure"),
    ),
)
def within_budget(runs: Runs, analysis: Analysis) -> Parts:
    cells = list(runs.groups(PROBLEM_KEYS))
    rows_of = [rows for _, rows in cells]
    fair, singles = _fair(runs, rows_of)
    best = precision_at_the_end(runs)
    once = np.ones(len(cells))
    results = {
        "one_launch": _best_of(singles, once, analysis),
        "best_of_k_launches": _best_of(singles, np.array([one["k"] for one in fair]), analysis),
        "best_of_restarts": _best_of([best[rows] for rows in rows_of], once, analysis),
    }
    for (group, rows), of_budget, *found in zip(cells, fair, *results.values(), strict=True):
        part = {**group, "runs": len(rows), **of_budget, "measure": _measures(analysis)}
        yield part | dict(zip(results, found, strict=True))


def _measures(analysis: Analysis) -> list[str]:
    return [MEAN, *map(quantile_name, sorted(analysis.quantiles))]


def _best_of(
    samples: Sequence[NDArray[np.float64]], executions: NDArray[np.float64], analysis: Analysis
) -> NDArray[np.float64]:
    """Mean and quantiles of the best of k values of each sample with its k, shape (samples,
    measures); NaN if k is NaN, below 1, or larger than the sample."""
    probabilities = sorted(analysis.quantiles)
    sizes = np.array([sample.size for sample in samples])
    found = np.full((len(samples), 1 + len(probabilities)), np.nan)
    known = (executions >= 1) & (executions <= sizes)
    for size, k in set(zip(sizes[known].tolist(), executions[known].tolist(), strict=True)):
        alike = np.flatnonzero((sizes == size) & (executions == k))
        values = np.stack([samples[place] for place in alike])
        found[alike, 0] = best_of_mean(values, int(k))
        for column, p in enumerate(probabilities, start=1):
            found[alike, column] = best_of_quantile(values, p, int(k))
    return found


def _fair(
    runs: Runs, rows_of: Sequence[NDArray[np.intp]]
) -> tuple[list[dict[str, Any]], list[NDArray[np.float64]]]:
    """The number of launches that the budget of each cell allows, to which the charge before the
    first one does not belong, and its precisions of complete ones."""
    launches = runs.launches
    cell = np.empty(len(runs.frame), dtype=np.intp)
    for place, rows in enumerate(rows_of):
        cell[rows] = place
    launches_of = launches.groupby(cell[launches["row"]]).indices
    complete = launches["complete"].to_numpy(dtype=np.bool_)
    start_s, end_s, evaluations, best = (
        launches[name].to_numpy(dtype=np.float64)
        for name in ("start_s", "end_s", "evaluations", "best_precision")
    )
    precision = equal_if_solved(runs, best, launches["row"].to_numpy())
    lengths: dict[Unit, NDArray[np.float64]] = {"seconds": end_s - start_s}
    lengths["evaluations"] = evaluations
    budgets = {unit: runs.frame[BUDGETS[unit]].to_numpy(dtype=np.float64) for unit in UNITS}
    found, singles = [], []
    for place, rows in enumerate(rows_of):
        own = np.asarray(launches_of.get(place, ()), dtype=np.intp)
        ended = own[complete[own]]
        timed = not np.isnan(budgets["seconds"][rows]).any()
        unit: Unit = "seconds" if timed else "evaluations"
        used, budget = lengths[unit][ended], np.fmax.reduce(budgets[unit][rows])
        tau = used.mean() if used.sum() > 0 else np.nan
        before = start_s[own].min() if timed and own.size else 0.0
        launches_k = float(affordable_runs(budget - before, tau))
        of_unit = {"unit": unit, "budget": budget, "complete_launches": ended.size}
        found.append(of_unit | {"tau": tau, "k": launches_k})
        singles.append(precision[ended])
    return found, singles


SUFFIX = {"seconds": "ert_s", "evaluations": "ert_evaluations"}

HEAVY, ENDS = "_heavy_tail", ("_low", "_high")
LIMITS = f"""
    {{0}} [{{1}}] (interval): expected running time in {{2}}; `inf` if no run reached the target
    {{0}}{HEAVY}: whether the distribution of the runtimes looks heavy-tailed; the interval may then
        be too short
"""

PRINTED_UNITS = {"s": "{seconds}", "evaluations": "evaluations"}
SOME_TARGETS = (Points("target", 3),)


@exhibit(
    "ert",
    question=questions.TARGET,
    title="Expected running time to targets",
    caption="""
    Expected running time (ERT) to each target, in {seconds} and in evaluations. The runs of all
    instances are pooled. The ERT is the total cost of all runs divided by the number of runs that
    reached the target; a failed run costs all that it used. The limits are computed on
    a logarithmic scale. The upper limit is `inf` if the successes are too few to bound the ERT,
    and both limits are empty for a single run. The columns `ert_s_heavy_tail` and
    `ert_evaluations_heavy_tail` mark samples for which the interval may be too short.
    """,
    columns=f"""
    CELL, TARGET, RUNS, SUCCESSES, SUCCESS_RATE
    {LIMITS.format("ert_s", SECONDS, "seconds")}
    {LIMITS.format("ert_evaluations", "evaluations", "evaluations")}
    """,
    layouts=[
        Layout(
            caption=f"Expected running time (ERT) to target precisions, in {words}, with the runs "
            "of all instances pooled. ∞: no run reached the target.",
            brackets=INTERVAL,
            values=(Value.with_limits(f"ert_{unit}", "ERT", "low"),),
            columns="target",
            points=SOME_TARGETS,
            name=unit,
        )
        for unit, words in PRINTED_UNITS.items()
    ],
    figures=over_costs(
        "ert",
        "Expected {unit} to targets",
        "Expected running time (ERT) in {unit} to targets from easy to hard. The runs of all "
        "instances are pooled, and a failed run costs all that it used. Lower is better. Bands are "
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
def pooled(runs: Runs, analysis: Analysis) -> Parts:
    return _parts(runs, analysis, CELL_KEYS, analysis.confidence)


@exhibit(
    "ert_by_instance",
    question=questions.TARGET,
    title="Expected running time on each instance",
    caption="""
    Expected running time (ERT) to each target on each instance, in {seconds} and in evaluations.
    The performance profile is computed from its seconds. `inf`: no run on the instance reached the
    target.
    """,
    columns=f"""
    INSTANCE_CELL, TARGET, RUNS, SUCCESSES, SUCCESS_RATE
    ert_s [{SECONDS}]: expected running time in seconds; `inf` if no run reached the target
    ert_evaluations [evaluations]: expected running time in evaluations; `inf` if no run reached the
        target
    """,
    layouts=[
        Layout(
            caption=f"Expected running time (ERT) to target precisions on each instance, in "
            f"{words}. ∞: no run reached the target.",
            values=(Value(f"ert_{unit}", "ERT", "low"),),
            rows=("function", "instance", "target"),
            columns="algorithm",
            points=SOME_TARGETS,
            name=unit,
        )
        for unit, words in PRINTED_UNITS.items()
    ],
)
def by_instance(runs: Runs, analysis: Analysis) -> Parts:
    return _parts(runs, analysis, PROBLEM_KEYS)


def in_seconds(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """The success rates and ERTs of the table `ert` in seconds."""
    columns = [*CELL_KEYS, "target", "success_rate", "ert_s"]
    return stacked(_parts(runs, analysis, CELL_KEYS), columns)


def _parts(
    runs: Runs, analysis: Analysis, keys: tuple[str, ...], confidence: float | None = None
) -> Parts:
    """The columns of `ert` for some keys; without a confidence, limits are unknown."""
    of_others = bridges(runs, analysis.confidence)
    runs, targets = with_published(runs), analysis.targets_from_easy
    spent = {unit: Spent.until(runs.runtimes(unit, targets), runs.spent(unit)) for unit in UNITS}
    unknown = {f"{column}{end}": np.nan for column in SUFFIX.values() for end in ("", *ENDS)}
    unknown |= {f"{column}{HEAVY}": False for column in SUFFIX.values()}
    for group, rows in runs.groups(keys):
        success = spent["evaluations"].success[rows]
        part = {
            **unknown,
            **group,
            "target": np.asarray(targets, dtype=np.float64),
            "runs": len(rows),
            "successes": success.sum(axis=0),
            "success_rate": success_rate(success, axis=0),
        }
        for unit in runs.units_of(rows):
            column, cost = SUFFIX[unit], spent[unit].cost[rows]
            part[column] = ert(cost, success, axis=0)
            if confidence is not None:
                interval = ert_interval(cost, success, confidence=confidence)
                part[f"{column}_low"], part[f"{column}_high"] = interval.low, interval.high
                part[f"{column}{HEAVY}"] = interval.heavy_tail
                if unit == "seconds" and (one := of_others.get(str(group["algorithm"]))):
                    part[f"{column}_low"] = interval.low * one.low / one.ratio
                    part[f"{column}_high"] = interval.high * one.high / one.ratio
        yield part


BEYOND = 100.0  # length of the curves, as a multiple of the cost of the longest run


@exhibit(
    "restarted_curves",
    question=questions.TARGET,
    title="Share of targets reached with restarts",
    caption="""
    Share of the targets that are reached within a cost if every failed run is followed by another
    one, over {seconds} and over evaluations, for each function and for all functions together. It
    is the mean over the targets of the distribution function of the runtime with restarts, in
    closed form, up to 100 times the longest run. A target that no run reached is never reached.
    """,
    columns="""
    CELL_OR_ALL, RUNS, UNIT, COST
    observed: share of the runs that were as long as `cost`, or had reached every target before;
        below 1, the share is computed from how often and how late the runs reached each target
    fraction <Share; high .2>: share of the targets that are reached within `cost`
    error: the exact share is between `fraction` − `error` and `fraction` + `error`
    """,
    layouts=Layout(
        caption="Share of targets that are reached within a cost if failed runs are restarted, "
        "in closed form.",
        columns="cost",
        points=(Points("cost", (0.001, 0.01, 0.1, 1.0), relative=True),),
    ),
    figures=over_costs(
        "restarted",
        "Share of targets reached with restarts over {unit}",
        "Share of the targets that are reached within a number of {unit} if every failed run is "
        "followed by another one, over all functions and for each function. The share is computed "
        "in closed form from the runs of all instances.",
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
def curves(runs: Runs, analysis: Analysis) -> pd.DataFrame:
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
            spent = Spent.until(reached_at[unit][rows], everyone.spent(unit)[rows])
            known = np.where(spent.success.all(axis=1), np.inf, spent.cost.max(axis=1))
            of_targets = [
                restarted_cdf(cost, success, costs[unit])
                for cost, success in zip(spent.cost.T, spent.success.T, strict=True)
            ]
            low = np.mean([bounds.low for bounds in of_targets], axis=0)
            high = np.mean([bounds.high for bounds in of_targets], axis=0)
            part = {**group, "unit": unit, "cost": costs[unit]}
            part |= {"fraction": (low + high) / 2, "error": (high - low) / 2}
            parts.append(until_cut(part, known, np.inf))
    shared = ["suite", "dimension", "algorithm", "unit", "cost"]
    sums = {"runs": "sum", "observed": "mean", "fraction": "mean", "error": "mean"}
    single = stacked(parts, [*shared, "function", *sums])
    across = single.groupby(shared, as_index=False).agg(sums)
    frame = pd.concat([single.astype({"function": str}), across.assign(function=ALL)])
    return frame.reset_index(drop=True)
