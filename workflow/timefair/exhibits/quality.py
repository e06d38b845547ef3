"""Quality at the end: a journal's numbers, quantiles, success; noise, changes, two objectives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.basics.errors import InputError
from timefair.exhibits import questions
from timefair.exhibits.charts.chart import LEADERS, MAP, Curves, Picture
from timefair.exhibits.columns import column_names, columns_of
from timefair.exhibits.exhibit import Figure, Made, Parts, drawn, exhibit
from timefair.exhibits.layout import PARTS, Layout, Points, Value, by_function
from timefair.exhibits.runtimes import SUFFIX, by_unit, to_targets
from timefair.problems.kinds import Changes, TwoObjectives, after_each
from timefair.problems.problem import Suite
from timefair.problems.suites import SUITES, find
from timefair.records.rundata import problems as rundata
from timefair.records.rundata.problems import KEYS as PROBLEM
from timefair.records.rundata.published import with_published
from timefair.records.rundata.runs import UNITS, Runs, Unit
from timefair.records.rundata.settings import Analysis, NoisyValue
from timefair.statistics import changes as following
from timefair.statistics import probability as statistics
from timefair.statistics.rank_tests import rank
from timefair.statistics.samples import Estimate, quantile_interval, resampled_sums, sample_quantile

CELL = (*PROBLEM, "algorithm")


def limited(name: str, interval: Estimate) -> dict[str, Any]:
    """The columns of a value with its limits."""
    return {name: interval.value, f"{name}_low": interval.low, f"{name}_high": interval.high}


def ranks_within(frame: pd.DataFrame, keys: Iterable[str], column: str) -> pd.Series[float]:
    """Rank of each row among those with the same keys, less is better: ties share their average,
    `inf` and NaN the worst."""
    if frame.empty:
        return pd.Series(dtype=float)
    values = frame[column].astype(float).fillna(np.inf)
    return values.groupby([frame[key] for key in keys]).rank()


SUMMARY = ("best", "mean", "deviation", "median", "worst")


@exhibit(
    question=questions.QUALITY,
    layouts=[
        Layout(shown=(*(f"{of}_{name}" for name in SUMMARY), "rank"), name=label, whole=True)
        for of, label in (("precision", ""), ("f", "f"))
    ],
)
def paper_values(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Best, mean, deviation, median and worst of the runs

    The precision (CEC calls it the error) at the end of the runs of each algorithm, as journals
    print it, with the runs of all instances pooled; a run that reached the final target counts as
    0. If all instances have the same optimum, also f itself, which timefair minimizes.

    CELL, RUNS
    precision_best [precision] <Best; low 4 digits>: least precision at the end of a run
    precision_mean [precision] (interval, bootstrap-t; empty for a single run) <Mean; low 4 digits>:
        mean; `inf` if a run found no finite value
    precision_mean_paper_low [precision]: lower limit by the normal approximation of Mathematics 10,
        4364 (2022), whose coverage is too low for skewed results; may be negative
    precision_mean_paper_high [precision]: upper limit by that approximation
    precision_deviation [precision] <Std; 4 digits>: standard deviation, over n − 1; empty for a
        single run
    precision_median [precision] <Median; low 4 digits>: median: the mean of the two in the middle
    precision_worst [precision] <Worst; low 4 digits>: largest precision at the end of a run
    rank <Rank>: rank of `precision_mean` among the algorithms; ties share a rank
    f_best (exact) <Best; low 8 digits to f_target>: the least f of a run; empty if the optima of
        the instances differ
    f_mean (exact) <Mean; low 8 digits to f_target>: mean of f
    f_deviation <Std; 8 digits>: standard deviation of f
    f_median (exact) <Median; low 8 digits to f_target>: median of f
    f_worst (exact) <Worst; low 8 digits to f_target>: largest f; `inf` if a run found no finite
        value
    f_target (exact): value of f at the final target, which ends a run: lower values are equally
        good. Empty without a final target or optimum, or if a run found less than the optimum
    """
    precision, at_target = rundata.precision_at_the_end(runs), rundata.value_at_the_target(runs)
    f = runs.frame["best_f"].to_numpy(np.float64)
    rows = []
    for names, members in runs.groups(CELL):
        values = precision[members]
        low, high = statistics.mean_interval(
            values,
            confidence=analysis.confidence,
            resamples=analysis.resamples,
            rng=analysis.stream(names),
        )
        paper = statistics.mean_interval(values, confidence=analysis.confidence)
        row = {
            **names,
            "runs": len(members),
            **_summary("precision", values),
            **dict.fromkeys((*(f"f_{name}" for name in SUMMARY), "f_target"), np.nan),
            "precision_mean_low": float(np.maximum(low, runs.least_precision)),
            "precision_mean_high": high,
            "precision_mean_paper_low": paper[0],
            "precision_mean_paper_high": paper[1],
        }
        own = runs.frame.iloc[members]
        known = own["f_opt"].notna().all() and own["f_opt"].nunique() == 1
        if known or own["instance"].nunique() == 1:  # values of f may be pooled
            row |= {**_summary("f", f[members]), "f_target": at_target[members[0]]}
        rows.append(row)
    frame = pd.DataFrame(rows)
    return by_function(frame.assign(rank=ranks_within(frame, PROBLEM, "precision_mean")))


def _summary(kind: str, values: NDArray[np.float64]) -> dict[str, Any]:
    spread = values.size > 1 and bool(np.isfinite(values).all())
    found = (
        values.min(),
        statistics.mean_of(values),
        statistics.deviation_of(values) if spread else np.nan,
        float(np.median(values)),
        values.max(),
    )
    return {f"{kind}_{name}": value for name, value in zip(SUMMARY, found, strict=True)}


@exhibit(
    question=questions.QUALITY,
    layouts=[
        Layout(shown=("precision",), rows=("function", "quantile"), columns="algorithm"),
        Layout(
            values=(
                Value("precision", "Precision", "low", ("precision_low", "precision_high")),
                Value(
                    "probability",
                    "Probability",
                    None,
                    ("probability_low", "probability_high"),
                    decimals=2,
                ),
            ),
            name="intervals",
        ),
    ],
    figures=drawn(
        "Quantiles of the best precision at the end of a run, the runs of all instances pooled: a "
        "line from the lowest to the highest quantile, with a marker at the one nearest to the "
        "median, and its distribution-free interval as a pale bar. Further left is better. An "
        "arrow at the right edge is a quantile without a finite value.",
        Picture("timefair.exhibits.charts.dots:quantiles", "functions", on_paper=MAP),
        default=True,
    ),
    default=True,
)
def quantiles(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Quantiles of the precision at the end

    Quantiles of the best precision f − f_opt at the end of a run (0 if the final target was
    reached), the runs of all instances pooled. A low probability shows the peak, 0.5 the average
    and a high one the bad case. Intervals are distribution-free.

    CELL, RUNS, QUANTILE
    precision [precision] (interval, an order statistic, or 0 or `inf` if the runs are too few)
        <Precision; low rank>: the order statistic x_(⌈np⌉) of the n runs; `inf` if too many runs
        found no finite value
    precision_coverage: probability that such limits contain the quantile
    probability (interval, exact, from the Beta distribution): probability that one more run is at
        least as good as `precision`; empty if that is `inf`
    probability_paper_low: lower limit by the normal approximation of Mathematics 10, 4364 (2022)
    probability_paper_high: upper limit by that approximation
    rank: rank of `precision` among the algorithms of the problem; ties share a rank
    """
    best = rundata.precision_at_the_end(runs)
    rows = []
    for names, members in runs.groups(CELL):
        values = best[members]
        for p in sorted(analysis.quantiles):
            limits = quantile_interval(values, p, analysis.confidence)
            exact, paper = statistics.probability_of_quantile(
                values, p, confidence=analysis.confidence
            )
            numbers = limited("probability", exact) | {
                "quantile": p,
                "precision": sample_quantile(values, p),
                "precision_low": max(limits.low, runs.least_precision),
                "precision_high": limits.high,
                "precision_coverage": limits.coverage,
                "probability_paper_low": paper.low,
                "probability_paper_high": paper.high,
            }
            rows.append(
                names | {"runs": len(members)} | {name: float(of) for name, of in numbers.items()}
            )
    frame = pd.DataFrame(rows, columns=None if rows else [*CELL, "quantile", "precision"])
    return frame.assign(rank=ranks_within(frame, (*PROBLEM, "quantile"), "precision"))


AT_TARGET = Layout(parts=(*PARTS, "target"), points=(Points("target", 1),))


@exhibit(question=questions.TARGET, layouts=AT_TARGET, default=True)
def success(runs: Runs, analysis: Analysis) -> Parts:
    """Success rates, and three mean costs

    Success rate to each target, and three means of the cost to it in {seconds} and in evaluations,
    the runs of all instances pooled.

    CELL, TARGET, RUNS, SUCCESSES
    success_rate (interval, Clopper and Pearson) <Success rate; high .2 limits>: `successes` divided
        by `runs`
    mean_*_successes_only [*] <Successes, *>: mean cost of the successful runs only; it is too low
        for algorithms that often fail, and is shown so that readers recognize it in other work
    mean_* [*] <Mean, *>: mean cost to the target; empty unless every run reached it
    ert_* [*] <ERT, *; low>: expected running time: the cost of all runs divided by the successes;
        `inf` without a success
    """
    return to_targets(runs, analysis, CELL)


SIGN: dict[Unit, str] = {"seconds": " s", "evaluations": ""}


@exhibit(
    question=questions.TARGET,
    layouts=by_unit("runtime", rows=("function", "target", "quantile"), columns="algorithm"),
)
def quantiles_to_target(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Quantiles of the cost to targets

    Quantiles of the cost to each target, in {seconds} and in evaluations, the runs of all instances
    pooled. A run that ended without the target is censored, whether it used up its budget or not: a
    printed value after > is a lower bound.

    CELL, TARGET, QUANTILE, RUNS, SUCCESSES
    runtime_* [*] (interval, distribution-free; from 0 or to `inf` if the runs are too few) <Cost;
        low rank text>: the quantile of the cost; `inf` if fewer than ⌈np⌉ of the n runs reached the
        target
    runtime_*_rank: rank among the algorithms of the problem; infinite values share the last rank
    runtime_*_text (text): the quantile as it is printed, with four digits. `> 0.8` is a censored
        quantile with its lower bound: the budget or, without a budget in this unit, the same
        quantile of what the runs had spent
    """
    runs, targets = with_published(runs), analysis.targets_from_easy
    reached_at = {unit: runs.runtimes(unit, targets) for unit in UNITS}
    budgets = {unit: runs.frame[rundata.BUDGETS[unit]].to_numpy(dtype=np.float64) for unit in UNITS}
    bounds = {u: np.where(np.isnan(one), runs.spent(u), one) for u, one in budgets.items()}
    probabilities, level = sorted(analysis.quantiles), analysis.confidence
    parts = []
    for names, members in runs.groups(CELL):
        successes = np.isfinite(reached_at["evaluations"][members]).sum(axis=0)
        part = names | {
            "runs": len(members),
            "target": np.repeat(targets, len(probabilities)),
            "quantile": np.tile(probabilities, len(targets)),
            "successes": np.repeat(successes, len(probabilities)),
        }
        part |= dict.fromkeys((f"runtime_s{end}" for end in ("", "_low", "_high")), np.nan)
        part["runtime_s_text"] = ""  # of runs without seconds
        for unit in runs.units_of(members):
            times, column = reached_at[unit][members], f"runtime_{SUFFIX[unit]}"
            censored = np.minimum(times, bounds[unit][members, np.newaxis])
            of_targets = []
            for p in probabilities:
                value, bound = (sample_quantile(of, p, axis=0) for of in (times, censored))
                limits = quantile_interval(times, p, level, axis=0)
                of_targets.append((value, bound, limits.low, limits.high))
            values, beyond, low, high = np.stack(of_targets, axis=-1).reshape(4, -1)
            part |= {column: values, f"{column}_low": np.maximum(low, 0.0), f"{column}_high": high}
            part[f"{column}_text"] = [
                (_digits(value) if value < np.inf else f"> {_digits(bound)}") + SIGN[unit]
                for value, bound in zip(values, beyond, strict=True)
            ]
        parts.append(part)
    names_of = column_names(columns_of("CELL, TARGET, QUANTILE, RUNS, SUCCESSES"))
    of_units = [f"runtime_{unit}" for unit in SUFFIX.values()]
    ends = [f"{name}{end}" for name in of_units for end in ("", "_low", "_high", "_text")]
    frame = rundata.stacked(parts, [*names_of, *ends])
    for column in of_units:
        known = frame[frame[column].notna()]
        frame[f"{column}_rank"] = ranks_within(known, (*PROBLEM, "target", "quantile"), column)
    return frame


def _digits(value: float) -> str:
    """Four significant digits: ``4618``, ``5.749e4``, ``1e5``, ``0.8``."""
    return f"{value:.4g}".replace("e+0", "e").replace("e-0", "e-").replace("e+", "e")


NEEDED = "least number of executions for which `probability` reaches `statistics.confidence`"


@exhibit(question=questions.EXECUTIONS, layouts=Layout(rows=("quantile", "executions")))
def multirun(runs: Runs, analysis: Analysis) -> Parts:
    """Probability of each quantile in several executions

    Probability that the best of k independent executions is at least as good as a quantile of a
    single execution. It holds for every algorithm and problem.

    QUANTILE, EXECUTIONS
    probability <Probability; .4>: 1 − (1 − p)^k for the quantile of probability p
    executions_needed <Needed>: {NEEDED}
    """
    k = np.array(sorted(analysis.executions))
    for p in sorted(analysis.quantiles) if len(runs.frame) else ():
        part = {"quantile": p, "executions": k}
        part["probability"] = statistics.multirun_probability(p, k)
        yield part | {"executions_needed": float(statistics.runs_needed(p, analysis.confidence))}


@exhibit(
    question=questions.EXECUTIONS,
    layouts=[
        replace(AT_TARGET, shown=("probability",), columns="executions"),
        Layout(
            shown=("executions_needed",),
            columns="target",
            points=(Points("target", 3), Points("executions", 1)),
            name="needed",
        ),
    ],
)
def multirun_to_target(runs: Runs, analysis: Analysis) -> Parts:
    """Probability of each target in several executions

    Probability that at least one of several independent executions, each with the complete budget,
    reaches a target, from the success rate of single runs, those of all instances pooled.

    CELL, TARGET, RUNS, SUCCESSES, SUCCESS_RATE, EXECUTIONS
    probability (interval, from Clopper and Pearson's for the success rate) <Probability; high .2>:
        that at least one of the executions reaches the target
    executions_needed (interval) <Executions; low limits>: {NEEDED}; `inf` if no run succeeded
    """
    targets, executions = analysis.targets_from_easy, sorted(analysis.executions)
    k = np.tile(executions, len(targets))
    reached = np.isfinite(runs.runtimes("seconds", targets))
    for names, members in runs.groups(CELL):
        successes = np.repeat(reached[members].sum(axis=0), len(executions))
        rate = statistics.success_interval(successes, len(members), analysis.confidence)
        part = {**names, "target": np.repeat(targets, len(executions)), "runs": len(members)}
        part |= {"successes": successes, "success_rate": rate.value, "executions": k}
        for end, at, opposite in (
            *(("", rate.value, rate.value), ("_low", rate.low, rate.high)),
            ("_high", rate.high, rate.low),
        ):
            part[f"probability{end}"] = statistics.multirun_probability(at, k)
            part[f"executions_needed{end}"] = statistics.runs_needed(opposite, analysis.confidence)
        yield part


MEASURES = ("mean", "median", "mean_rank", "median_rank")
GAP = """
    gap_decades [decades] <Gap; .2>: the smaller of the two distances, between the means and between
        the medians: how striking the disagreement is
"""


@exhibit(question=questions.MEAN, layouts=Layout(rows=("function", "algorithm", "other")))
def disagreements(runs: Runs, analysis: Analysis) -> Made:
    """Pairs that mean and median order differently

    Pairs of algorithms that the mean and the median of the best precision put in strictly opposite
    order on a problem. The runs of all instances are pooled, and a run that reached the final
    target counts as 0. For more than 12 algorithms, only pairs with the best one (lowest average
    rank of the median precision) are listed; `statistics.pairs` selects other pairs.

    PROBLEM
    algorithm (text): algorithm with the better mean
    other (text): algorithm with the better median
    mean [precision] <Mean; rank>: mean precision of `algorithm`
    median [precision] <Median; rank>: median precision of `algorithm`
    mean_rank: rank of the mean of `algorithm` among the algorithms of the problem
    median_rank: rank of the median of `algorithm` among the algorithms of the problem
    other_mean [precision] <Other's mean; rank>: mean precision of `other`
    other_median [precision] <Other's median; rank>: median precision of `other`
    other_mean_rank: rank of the mean of `other` among the algorithms of the problem
    other_median_rank: rank of the median of `other` among the algorithms of the problem
    {GAP}
    """
    best = rundata.precision_at_the_end(runs)
    listed_in = rundata.listed_by_precision(runs, analysis)
    found = []
    for problem in rundata.problems(runs):
        listed, samples = listed_in[problem.space], problem.samples(best)
        names = list(samples)
        mean = np.array([statistics.mean_of(values) for values in samples.values()])
        median = np.array([float(sample_quantile(values, 0.5)) for values in samples.values()])
        measured = dict(zip(MEASURES, (mean, median, rank(mean), rank(median)), strict=True))
        pairs = statistics.opposed_pairs(mean, median)
        gaps = statistics.smaller_gap(np.maximum(mean, 0.0), np.maximum(median, 0.0), pairs)
        for (a, b), gap in zip(pairs, gaps, strict=True):
            if listed.has(names[a], names[b]):
                row = {"algorithm": names[a], "other": names[b], "gap_decades": gap}
                row |= {measure: numbers[a] for measure, numbers in measured.items()}
                row |= {f"other_{measure}": numbers[b] for measure, numbers in measured.items()}
                found.append(problem.names | row)
    return found, {"pairs": rundata.in_words(listed_in)}


@exhibit(
    question=questions.MEAN,
    layouts=Layout(
        shown=("precision",),
        rows=("function", "better_by_mean", "better_by_median", "algorithm"),
        columns="order",
        points=(Points("order", 6),),
    ),
    figures=Figure(
        "sorted_solutions",
        "Sorted solutions where mean and median disagree",
        "Sorted solutions of the pairs with the widest gap, one panel per pair and problem: the "
        "best precision of each run over the share of runs that are at least as good. The filled "
        "marker is the median and the hollow marker the mean: a mean far to the right is caused by "
        "a few bad runs. `inf` is at the top edge.",
        Picture("timefair.exhibits.charts.lines:sorted_solutions"),
    ),
)
def sorted_solutions(runs: Runs, analysis: Analysis) -> Made:
    """Sorted solutions of pairs in disagreement

    Best precision of every run, sorted from best to worst, of both algorithms of each pair that
    mean and median order differently on a problem. An algorithm appears once for each of its pairs.

    PROBLEM
    better_by_mean (text): algorithm of the pair with the better mean
    better_by_median (text): algorithm of the pair with the better median
    ALGORITHM
    order: place of the run, 1 for the best
    precision [precision] <Precision>: best precision of the run
    mean [precision]: mean of the algorithm's runs
    median [precision]: median of the algorithm's runs
    {GAP}
    """
    best = rundata.precision_at_the_end(runs)
    members = {tuple(names.values()): rows for names, rows in runs.groups(CELL)}
    parts = []
    pairs = disagreements(runs, analysis)
    for pair in pairs.to_dict("records"):
        pair |= {"better_by_mean": pair["algorithm"], "better_by_median": pair["other"]}
        second = {name: pair[f"other_{name}"] for name in ("mean", "median")}
        for part in (pair, pair | second | {"algorithm": pair["other"]}):
            precision = np.sort(best[members[tuple(part[key] for key in CELL)]])
            place = np.arange(1, precision.size + 1)
            parts.append(part | {"order": place, "precision": precision})
    return iter(parts), {"pairs": pairs.attrs["pairs"]}


GRID = 101  # points of a curve
FIRST = 1e-3  # the first point of a curve in seconds, as a share of the period

OF_RUNS = (
    "The runs of all instances are pooled. The environments of one run are not independent. The "
    "intervals are therefore from a bootstrap of whole runs; with one run, they have no width. "
    "Only for suites with problems that change."
)
OF_BUDGET = """
    unit (text): unit of the period and of all costs, that of the budget: `seconds` or `evaluations`
"""


@exhibit(question=questions.CHANGES, layouts=Layout(), charged=False)
def changes(runs: Runs, analysis: Analysis) -> Parts:
    """Errors on problems that change

    How close algorithms come to the optimum between two changes: the best error before the change
    (Trojanowski and Michalewicz 1999), and the offline error (Branke and Schmeck 2003), the mean of
    the best error since the change over the cost. Until the first evaluation in an environment, the
    error is that of the middle of the bounds, and larger errors count as this one. A run that
    failed keeps it in all environments that it did not reach. {OF_RUNS}

    CELL, RUNS
    environments: number of environments of a run; one more than its changes
    {OF_BUDGET}
    period [`unit`]: length of an environment
    before_change [precision] (interval) <Before the change; low limits>: mean over runs and
        environments of the best error before the change
    offline_error [precision] (interval) <Offline; low limits>: mean over time, or over evaluations,
        of the best error since the change
    """
    for columns, found, draws in _cells(runs, analysis):
        best = [following.best_before_change(run) for run in found]
        early = float(columns["unit"] == "evaluations")  # that of evaluation n holds from n - 1 on
        held = (replace(run, since=np.maximum(run.since - early, 0.0)) for run in found)
        offline = [following.offline_errors(run, columns["period"]) for run in held]
        for name, errors in (("before_change", best), ("offline_error", offline)):
            columns |= limited(name, following.mean_over_runs(errors, draws, analysis.confidence))
        yield columns


@exhibit(
    question=questions.CHANGES,
    layouts=Layout(columns="target", points=(Points("target", 5),)),
    charged=False,
)
def recovery(runs: Runs, analysis: Analysis) -> Parts:
    """Recovery after changes

    Expected cost from a change until the error is again at most a target, and the share of
    environments in which this happens before the next change. Each environment is a trial, as each
    run is for the ERT. The targets of the campaign are errors here, and only an evaluated point can
    reach them. {OF_RUNS}

    CELL, RUNS
    {OF_BUDGET}
    target [precision] (exact): error to reach again after a change
    recovered (interval): share of environments in which the error reached the target
    recovery [`unit`] (interval) <Recovery; low limits>: expected cost from a change until the error
        is at most `target`: the cost of all environments, each until it reached the target or
        ended, divided by the number of those that reached it; `inf` if none did
    """
    targets = np.array(analysis.targets_from_easy)
    for columns, found, draws in _cells(runs, analysis):
        times = [following.recovery_times(run, targets) for run in found]
        cost, share = following.recovered(times, columns["period"], draws, analysis.confidence)
        part = columns | {"target": targets}
        yield part | limited("recovered", share) | limited("recovery", cost)


@exhibit(
    question=questions.CHANGES,
    layouts=Layout(columns="cost", points=(Points("cost", (0.01, 0.1, 1.0), relative=True),)),
    figures=drawn(
        "Mean over runs and changes of the best error since the change, with its interval at "
        "each cost. Lower is better. A curve ends at the next change.",
        Curves(
            y="error",
            low="error_low",
            high="error_high",
            x_label="{cost} since the change",
            y_label="mean error",
            view="error since the change",
            scale="own log",
        ),
        needs="problems that change",
    ),
    charged=False,
)
def after_change(runs: Runs, analysis: Analysis) -> Parts:
    """Error over the cost since the change

    Best error since the change over the cost since the change: the mean over runs and environments,
    with its interval at each cost. Until the first evaluation in an environment, the error is that
    of the middle of the bounds. {OF_RUNS}

    CELL, RUNS, UNIT
    cost [`unit`]: cost since the change
    error [precision] (interval) <Error; low limits>: mean of the best error since the change
    """
    for columns, found, draws in _cells(runs, analysis):
        period = columns["period"]
        grid = np.geomspace(FIRST * period, period, GRID)
        if columns["unit"] == "evaluations":
            grid = np.unique(np.round(np.geomspace(1.0, period, GRID)))
        after = [following.error_after(run, grid) for run in found]
        error = following.mean_over_runs(after, draws, analysis.confidence)
        yield columns | {"cost": grid} | limited("error", error)


def _cells(
    runs: Runs, analysis: Analysis
) -> Iterator[tuple[dict[str, Any], list[following.Followed], NDArray[np.float64]]]:
    """The columns of each cell on problems that change, its runs in the unit of their budget, and
    draws of them for a bootstrap."""
    for names, members in runs.groups(CELL):
        suite = SUITES.get(names["suite"])
        if suite is None or suite.environments == 1:
            continue
        suite = suite.configured(analysis.suite_parameters)
        budgets = runs.frame[["budget_s", "budget_evaluations"]].iloc[members].drop_duplicates()
        if len(budgets) > 1:
            raise InputError(
                f"{names['algorithm']}: its runs on f{names['function']} in {names['dimension']} "
                "dimensions have several budgets, and thus several periods; read one campaign at "
                "a time"
            )
        budget_s, evaluations = budgets.to_numpy(dtype=np.float64)[0]
        unit = "seconds" if np.isnan(evaluations) else "evaluations"
        period = (budget_s if unit == "seconds" else evaluations) / suite.environments
        rng, runs_of = analysis.stream(names), np.eye(len(members))
        draws = resampled_sums(runs_of, resamples=analysis.resamples, rng=rng)
        columns = names | {"runs": len(members), "environments": suite.environments}
        followed = [_followed(runs, row, suite, unit, period) for row in members]
        yield columns | {"unit": unit, "period": period}, followed, draws


def _followed(
    runs: Runs, row: np.intp, suite: Suite, unit: str, period: float
) -> following.Followed:
    key = (*map(int, runs.frame[["function", "dimension", "instance"]].iloc[row]),)
    changes: Changes | None = runs.once(
        ("landscape", suite.environments, *key), lambda: suite.problem(*key).changes
    )
    assert changes is not None
    evaluations, time_s, *vectors = runs.vectors[row].T
    if not vectors:
        nothing = np.empty(0)
        return following.Followed(nothing.astype(np.intp), nothing, nothing, changes.uninformed)
    environment, error = changes.errors(np.column_stack(vectors))
    cost = time_s if unit == "seconds" else evaluations
    since = np.maximum(cost - environment * period, 0.0)
    return following.Followed(environment, since, error, changes.uninformed)


VALUES: tuple[NoisyValue, ...] = ("measured", "best_measured", "recommended", "best_evaluated")


@exhibit(question=questions.NOISE, layouts=Layout(), charged=False, measured=True)
def noise(runs: Runs, analysis: Analysis) -> Parts:
    """What noisy runs have found

    Quantiles over runs of the precision at the end: of the best measured value, and of values
    without noise by three rules, each column for itself. The runs of all instances are pooled. Only
    noisy runs whose value without noise is known have rows.

    CELL, RUNS, QUANTILE
    measured [precision] <Measured; low>: best measured value at the end, with its noise
    best_measured [precision] <Best measured; low>: value without noise of the best measured point
    recommended [precision] <Recommended; low>: value without noise of the point that the run
        recommends: what the launch with the best measured value recommended last, else the best
        measured point
    best_evaluated [precision] <Best evaluated; low>: best value without noise of all evaluated
        points, as in COCO's logger; empty for a user's function, whose values without noise are not
        all known
    luck <Luck>: quantile of the difference between the value without noise and the measured value
        of the best measured point, both values of f; positive: it was measured better than it is
    recommending: share of the runs in which a launch has recommended a point
    """
    every = runs.where(np.asarray(runs.frame["noise_free_f"].notna()))
    recommending = np.zeros(len(every.frame), dtype=np.bool_)
    for part in every.noisy:
        owner = np.repeat(part.rows, np.diff(part.offsets))
        recommending[owner[np.isnan(part.precision)]] = True
    for suite, _ in every.groups(("suite",)):
        mine = np.asarray(every.frame["suite"] == suite["suite"])
        noisy, own = every.where(mine), ":" in suite["suite"]
        ends: dict[str, NDArray[np.float64]] = {
            value: rundata.precision_at_the_end(noisy.with_values(value))
            for value in VALUES
            if not (own and value == "best_evaluated")
        }
        noise_free, measured = (
            noisy.frame[name].to_numpy(dtype=np.float64) for name in ("noise_free_f", "best_f")
        )
        found = np.isfinite(noise_free)
        ends["luck"] = np.where(found, noise_free - np.where(found, measured, 0.0), np.inf)
        for names, members in noisy.groups(CELL):
            share = float(np.mean(recommending[mine][members]))
            for p in sorted(analysis.quantiles):
                values = {name: float(sample_quantile(of[members], p)) for name, of in ends.items()}
                row = {**names, "runs": len(members), "quantile": p, "recommending": share}
                yield dict.fromkeys(VALUES, np.nan) | row | values


SHARES = (0.25, 0.5, 0.75)  # shares of the runs that have reached a surface
POINTS = 200  # maximal number of points of a surface, and of the front of a run


@exhibit(
    question=questions.FRONT,
    layouts=Layout(points=(Points("share", (0.5,)),)),
    figures=Figure(
        "attainment",
        "Attainment surfaces of half of the runs",
        "The trade-offs between two objectives that half of the runs had reached at their end. "
        "Lower and further left is better. The axes have the ideal point at 0 and the nadir "
        "point at 1.",
        Picture(
            "timefair.exhibits.charts.lines:attainment",
            "functions",
            on_paper="An overview is a map of all functions: the part of the region that the "
            f"surface does not dominate, as a multiple of the least. {LEADERS}",
        ),
        needs="two objectives",
    ),
    charged=False,
)
def attainment(runs: Runs, analysis: Analysis) -> Parts:
    """Attainment surfaces

    Values of two objectives that a share of the runs has reached at the end, and the part of the
    region between the ideal and the nadir point that was missed. Each row is a corner of the
    surface that at least this share of the runs dominates (Grunert da Fonseca, Fonseca and Hall
    2001). The runs of all instances are pooled in normalized objectives: the ideal point is (0, 0)
    and the nadir point (1, 1), and only this region is shown. A surface has at most {POINTS}
    corners. Only for suites with two objectives.

    CELL, RUNS
    share: share of the runs that reached every point of the surface
    f1: first objective; 0 is its ideal value, and 1 that of the nadir point
    f2: second objective, likewise
    missed <Missed; low .4>: part of the region that the surface does not dominate; the same in all
        rows of a surface
    """
    for cell, members in runs.groups(CELL):
        try:
            suite = find(cell["suite"], analysis.suite_parameters)
        except InputError:  # of imported runs
            continue
        if not issubclass(suite.kind, TwoObjectives):
            continue
        fronts = [_normalized_front(runs, cell, row, suite) for row in members]
        surfaces = attained(fronts, SHARES) if any(map(len, fronts)) else ()
        for share, corners in zip(SHARES, surfaces, strict=False):
            if len(corners):
                f1, f2 = _thinned(corners).T
                part = {"runs": len(members), "share": share, "f1": f1, "f2": f2}
                yield cell | part | {"missed": 1 - float(after_each(corners)[-1])}


def _normalized_front(
    runs: Runs, cell: dict[str, Any], row: np.intp, suite: Suite
) -> NDArray[np.float64]:
    front = runs.fronts[row]
    if not len(front):
        return np.empty((0, 2))
    instance = int(runs.frame["instance"].iloc[row])
    kind = suite.problem(int(cell["function"]), int(cell["dimension"]), instance).kind
    assert isinstance(kind, TwoObjectives)
    found = kind.normalize(front)
    return _thinned(found[(found <= 1).all(axis=1)])


def _thinned(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """At most `POINTS` of the points, including the first and the last."""
    kept = np.linspace(0, len(points) - 1, min(len(points), POINTS))
    return np.asarray(points[kept.astype(int)])


def attained(
    fronts: list[NDArray[np.float64]], shares: tuple[float, ...]
) -> list[NDArray[np.float64]]:
    """The corners of the surface that each share of the fronts, each of shape ``(points, 2)``,
    dominates, by their first number. InputError if the package moocore is not installed."""
    try:
        import moocore
    except ImportError:
        raise InputError(
            "tables: 'attainment': needs the package moocore: pip install 'timefair[extras]'"
        ) from None
    some = [front for front in fronts if len(front)]
    found = []
    sets = np.repeat(np.arange(len(some)), [len(front) for front in some])
    for share in shares:
        needed, corners = int(np.ceil(share * len(fronts) - 1e-9)), np.empty((0, 2))
        if needed <= len(some):
            percentile = 100 * needed / len(some)
            corners = moocore.eaf(np.vstack(some), sets, percentiles=[percentile])[:, :2]
        found.append(corners[np.argsort(corners[:, 0], kind="stable")])
    return found
