"""Quality at the end: a journal's numbers, quantiles, success; noise, changes, two objectives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.basics.errors import InputError
from timefair.exhibits import questions
from timefair.exhibits.charts.chart import LEADERS, MAP, Curves, Picture
from timefair.exhibits.columns import SECONDS
from timefair.exhibits.exhibit import Figure, Made, Parts, drawn, exhibit
from timefair.exhibits.layout import INTERVAL, Layout, Points, Value, by_function
from timefair.problems.base import Suite
from timefair.problems.kinds import Changes, TwoObjectives, after_each
from timefair.problems.registry import SUITES, find
from timefair.records.rundata.problems import (
    BUDGETS,
    in_words,
    listed_by_precision,
    precision_at_the_end,
    stacked,
    value_at_the_target,
)
from timefair.records.rundata.problems import KEYS as PROBLEM
from timefair.records.rundata.published import with_published
from timefair.records.rundata.runs import UNITS, Runs, Unit
from timefair.records.rundata.settings import Analysis, NoisyValue
from timefair.statistics import changes as following
from timefair.statistics import probability as statistics
from timefair.statistics.ert import ert
from timefair.statistics.ranks import rank
from timefair.statistics.samples import Estimate, quantile_interval, sample_quantile

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


DIGITS, DIGITS_OF_F = 4, 8  # in print; values of f often differ less than precisions

NAMES = {
    "best": "Best", "mean": "Mean", "deviation": "Std", "median": "Median", "worst": "Worst"
}  # fmt: skip
SUMMARY = tuple(NAMES)


def _layout(kind: str, words: str, digits: int, equal: str | None = None) -> Layout:
    values = [
        Value(f"{kind}_{name}", NAMES[name], "low", digits=digits, equal=equal) for name in SUMMARY
    ]
    values[2] = replace(values[2], better=None)  # a small deviation is not better
    return Layout(
        caption=f"{words} at the end of a run: best, mean, standard deviation, median and worst of "
        "the runs; rank of the mean among the algorithms. Values that are printed alike are tied.",
        values=(*values, Value("rank", "Rank")),
        name=kind if equal else "",
        whole=True,
    )


@exhibit(
    "paper_values",
    question=questions.QUALITY,
    title="Best, mean, deviation, median and worst of the runs",
    caption="""
    The precision (CEC calls it the error) at the end of the runs of each algorithm, as journals
    print it: best, mean with two intervals, standard deviation, median, worst, and the rank of the
    mean. The runs of all instances are pooled, and a run that reached the final target counts as 0.
    If all instances have the same optimum, also f itself, which timefair minimizes.
    """,
    columns="""
    CELL, RUNS
    precision_best [precision]: least precision at the end of a run
    precision_mean [precision] (interval, bootstrap-t; empty for a single run): mean; `inf` if a run
        found no finite value
    precision_mean_paper_low [precision]: lower limit by the normal approximation of Mathematics 10,
        4364 (2022), whose coverage is too low for skewed results; may be negative
    precision_mean_paper_high [precision]: upper limit by that approximation
    precision_deviation [precision]: standard deviation, over n − 1; empty for a single run
    precision_median [precision]: median: the mean of the two in the middle
    precision_worst [precision]: largest precision at the end of a run
    rank: rank of `precision_mean` among the algorithms; ties share a rank
    f_best (exact): the same of the least f of each run; empty if the instances have different
        optima
    f_mean (exact): mean of f
    f_deviation: standard deviation of f
    f_median (exact): median of f
    f_worst (exact): largest f; `inf` if a run found no finite value
    f_target (exact): value of f at the final target, which ends a run: lower values are equally
        good. Empty without a final target or optimum, or if a run found less than the optimum
    """,
    layouts=[
        _layout("precision", "Precision f − f_opt (0: the final target was reached)", DIGITS),
        _layout("f", "The least value of f", DIGITS_OF_F, equal="f_target"),
    ],
)
def paper_values(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    precision, at_target = precision_at_the_end(runs), value_at_the_target(runs)
    f = runs.frame["best_f"].to_numpy(np.float64)
    rows = []
    for names, members in runs.groups(CELL):
        values = precision[members]
        at = {"confidence": analysis.confidence, "resamples": analysis.resamples}
        default = statistics.mean_interval(values, **at, rng=analysis.stream(names))
        paper = statistics.mean_interval(values, **at, method="paper")
        row = {
            **names,
            "runs": len(members),
            **_summary("precision", values),
            **dict.fromkeys((*(f"f_{name}" for name in SUMMARY), "f_target"), np.nan),
            "precision_mean_low": float(np.maximum(default.low, runs.least_precision)),
            "precision_mean_high": default.high,
            "precision_mean_paper_low": paper.low,
            "precision_mean_paper_high": paper.high,
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


LIMITS = ("precision_low", "precision_high", "precision_coverage", "probability")
LIMITS += ("probability_low", "probability_high", "probability_paper_low", "probability_paper_high")


@exhibit(
    "quantiles",
    question=questions.QUALITY,
    title="Quantiles of the precision at the end",
    caption="""
    Quantiles of the best precision at the end of a run (0 if the final target was reached). The
    runs of all instances are pooled. A low probability shows the peak, 0.5 the average and a high
    probability the bad case. Intervals are distribution-free.
    """,
    columns="""
    CELL, RUNS, QUANTILE
    precision [precision]: the order statistic x_(⌈np⌉) of the n runs, of which those that reached
        the final target count as 0; `inf` if too many runs found no finite value
    precision_low [precision]: lower limit of a distribution-free interval of the quantile: an order
        statistic, or 0 if the runs are too few
    precision_high [precision]: upper limit of that interval: an order statistic, or `inf` if the
        runs are too few
    precision_coverage: probability that such limits contain the quantile
    probability (interval, exact, from the Beta distribution): probability that one more run is at
        least as good as `precision`; empty if that is `inf`
    probability_paper_low: lower limit by the normal approximation of Mathematics 10, 4364 (2022)
    probability_paper_high: upper limit by that approximation
    rank: rank of `precision` among the algorithms of the problem; ties share a rank
    """,
    layouts=[
        Layout(
            caption="Quantiles of the precision f − f_opt at the end of a run: peak, average and "
            "bad case; runs of all instances pooled. 0: the final target was reached. Parentheses: "
            "rank among the algorithms. ∞: too many runs found no finite value.",
            values=(Value("precision", "Precision", "low", rank="rank"),),
            rows=("function", "quantile"),
            columns="algorithm",
        ),
        Layout(
            caption="Quantiles of the precision f − f_opt at the end of a run, and the probability "
            "of a run at least as good. 0: the final target was reached. ∞: too many runs found no "
            "finite value.",
            brackets=INTERVAL,
            values=(
                Value.with_limits("precision", "Precision", "low"),
                Value.with_limits("probability", "Probability", decimals=2),
            ),
            parts=("suite", "dimension", "quantile"),
            name="intervals",
        ),
    ],
    figures=drawn(
        "Quantiles of the best precision at the end of a run, with the runs of all instances "
        "pooled: a line from the lowest to the highest quantile, with the marker of the "
        "algorithm at the quantile nearest to the median. The pale bar is the "
        "distribution-free interval of that quantile. Further left is better. An arrow at the "
        "right edge is a quantile without a finite value.",
        Picture("timefair.exhibits.charts.dots:quantiles", "functions", on_paper=MAP),
        default=True,
    ),
    default=True,
)
def at_the_end(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    return pooled(runs, analysis, confidence=analysis.confidence)


def pooled(runs: Runs, analysis: Analysis, *, confidence: float | None) -> pd.DataFrame:
    """The table `quantiles`; without a confidence, its intervals and probabilities are NaN."""
    best = precision_at_the_end(runs)
    rows = []
    for names, members in runs.groups(CELL):
        values = best[members]
        for p in sorted(analysis.quantiles):
            precision = float(sample_quantile(values, p))
            row = {**names, "runs": len(members), "quantile": p, "precision": precision}
            if confidence is not None:
                row |= _limits(values, p, confidence, runs.least_precision)
            rows.append(row)
    frame = pd.DataFrame(rows, columns=None if rows else [*CELL, "quantile", "precision"])
    return frame.assign(rank=ranks_within(frame, (*PROBLEM, "quantile"), "precision"))


def _limits(
    values: NDArray[np.float64], p: float, confidence: float, least: float
) -> dict[str, float]:
    limits = quantile_interval(values, p, confidence)
    exact, paper = (
        statistics.probability_of_quantile(values, p, confidence=confidence, method=method)
        for method in ("beta", "paper")
    )
    found = max(float(limits.low), least), limits.high, limits.coverage
    found += exact.value, exact.low, exact.high, paper.low, paper.high
    return dict(zip(LIMITS, map(float, found), strict=True))


SUFFIX: dict[Unit, str] = {"seconds": "s", "evaluations": "evaluations"}
MEANS = """
    mean_{0}_successes_only [{1}] <Successes, {2}>: mean cost of the successful runs only; it is too
        low for algorithms that often fail, and is shown so that readers recognize it in other work
    mean_{0} [{1}] <Mean, {2}>: mean cost to the target; empty unless every run reached it
    ert_{0} [{1}] <ERT, {2}; low>: expected running time: the cost of all runs divided by the
        successes; `inf` without a success
"""


@exhibit(
    "success",
    question=questions.TARGET,
    title="Success rates, and three mean costs",
    caption="""
    Success rate to each target with its exact interval, and three mean costs in {seconds} and in
    evaluations. The runs of all instances are pooled.
    """,
    columns=f"""
    CELL, TARGET, RUNS, SUCCESSES
    success_rate (interval, Clopper and Pearson) <Success rate; high .2 limits>: `successes` divided
        by `runs`
    {MEANS.format("s", SECONDS, "s")}
    {MEANS.format("evaluations", "evaluations", "ev.")}
    """,
    layouts=Layout(
        caption="Success rate, and three means of the cost to the target: of successful runs "
        "only, which is misleading; of all runs, if all were successful; and the expected "
        "running time (ERT). ∞: no run reached the target.",
        brackets=INTERVAL,
        parts=("suite", "dimension", "target"),
        points=(Points("target", 1),),
    ),
    default=True,
)
def of_targets(runs: Runs, analysis: Analysis) -> Parts:
    runs, targets = with_published(runs), analysis.targets_from_easy
    reached_at = {unit: runs.runtimes(unit, targets) for unit in UNITS}
    for names, members in runs.groups(CELL):
        success = np.isfinite(reached_at["evaluations"][members])
        rate = statistics.success_interval(success.sum(axis=0), len(members), analysis.confidence)
        of_units = ("mean_{}_successes_only", "mean_{}", "ert_{}")
        part = {one.format(suffix): np.nan for suffix in SUFFIX.values() for one in of_units}
        part |= {**names, "target": targets, "runs": len(members)}
        part |= {"successes": success.sum(axis=0)}
        part |= limited("success_rate", rate)
        for unit in runs.units_of(members):
            suffix = SUFFIX[unit]
            times = reached_at[unit][members]
            end = runs.spent(unit)[members, np.newaxis]
            part[f"mean_{suffix}_successes_only"] = statistics.mean_of_successes(times, axis=0)
            part[f"mean_{suffix}"] = statistics.mean_if_all_succeed(times, axis=0)
            part[f"ert_{suffix}"] = ert(np.where(success, times, end), success, axis=0)
        yield part


COLUMN: dict[Unit, str] = {"seconds": "runtime_s", "evaluations": "runtime_evaluations"}
SIGN: dict[Unit, str] = {"seconds": " s", "evaluations": ""}


RUNTIME = """
    {0} [{1}]: the quantile of the cost to the target; `inf` if fewer than ⌈np⌉ of the n runs
        reached it, because a run that ended without the target is censored
    {0}_low [{1}]: lower limit of a distribution-free interval; 0 if the runs are too few
    {0}_high [{1}]: upper limit of that interval; `inf` if the runs are too few
    {0}_rank: rank among the algorithms of the problem; infinite values share the last rank
    {0}_text (text): the quantile as it is printed, with four digits. `> 0.8` is a censored quantile
        with its lower bound: the budget or, without a budget in this unit, the same quantile of
        what the runs had spent
"""


@exhibit(
    "quantiles_to_target",
    question=questions.TARGET,
    title="Quantiles of the cost to targets",
    caption="""
    Quantiles of the cost to each target, in {seconds} and in evaluations. The runs of all instances
    are pooled. A run that ended without the target is censored, whether it used up its budget or
    ended earlier.
    """,
    columns=f"""
    CELL, TARGET, QUANTILE, RUNS, SUCCESSES
    {RUNTIME.format("runtime_s", SECONDS)}
    {RUNTIME.format("runtime_evaluations", "evaluations")}
    """,
    layouts=[
        Layout(
            caption=f"Quantiles of the cost to target precisions, in {words}; runs of all "
            "instances pooled. A value after > is a lower bound: too few runs reached the target. "
            "Parentheses: rank among the algorithms.",
            values=(
                Value(
                    f"runtime_{unit}",
                    "Cost",
                    "low",
                    rank=f"runtime_{unit}_rank",
                    censored=f"runtime_{unit}_text",
                ),
            ),
            rows=("function", "target", "quantile"),
            columns="algorithm",
            points=(Points("target", 3),),
            name=unit,
        )
        for unit, words in {"s": "{seconds}", "evaluations": "evaluations"}.items()
    ],
)
def quantiles_to_target(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    runs, targets = with_published(runs), analysis.targets_from_easy
    reached_at = {unit: runs.runtimes(unit, targets) for unit in UNITS}
    budgets = {unit: runs.frame[BUDGETS[unit]].to_numpy(dtype=np.float64) for unit in UNITS}
    bounds = {u: np.where(np.isnan(one), runs.spent(u), one) for u, one in budgets.items()}
    probabilities = sorted(analysis.quantiles)
    parts = []
    for names, members in runs.groups(CELL):
        successes = np.isfinite(reached_at["evaluations"][members]).sum(axis=0)
        unknown = COLUMN["seconds"]  # of runs without seconds
        part = {unknown: np.nan, f"{unknown}_low": np.nan, f"{unknown}_high": np.nan}
        part |= {f"{unknown}_text": "", **names, "runs": len(members)}
        part["target"] = np.repeat(targets, len(probabilities))
        part["quantile"] = np.tile(probabilities, len(targets))
        part["successes"] = np.repeat(successes, len(probabilities))
        for unit in runs.units_of(members):
            times, bound = reached_at[unit][members], bounds[unit][members]
            part |= _quantiles(unit, times, bound, probabilities, analysis.confidence)
        parts.append(part)
    keys = (*PROBLEM, "target", "quantile")
    of_units = [
        f"{name}{end}" for name in COLUMN.values() for end in ("", "_low", "_high", "_text")
    ]
    frame = stacked(parts, [*keys, "algorithm", "runs", "successes", *of_units])
    for column in COLUMN.values():
        known = frame[frame[column].notna()]
        frame[f"{column}_rank"] = ranks_within(known, keys, column)
    return frame


def _quantiles(
    unit: Unit,
    times: NDArray[np.float64],
    bounds: NDArray[np.float64],
    probabilities: list[float],
    confidence: float,
) -> dict[str, Any]:
    """The columns of one unit except the rank, one row per target and probability."""
    column, censored = COLUMN[unit], np.minimum(times, bounds[:, np.newaxis])
    limits = [quantile_interval(times, p, confidence, axis=0) for p in probabilities]
    values = _rows([sample_quantile(times, p, axis=0) for p in probabilities])
    beyond = _rows([sample_quantile(censored, p, axis=0) for p in probabilities])
    texts = [
        _digits(value) if np.isfinite(value) else f"> {_digits(bound)}"
        for value, bound in zip(values, beyond, strict=True)
    ]
    return {
        column: values,
        f"{column}_low": np.maximum(_rows([limit.low for limit in limits]), 0.0),
        f"{column}_high": _rows([limit.high for limit in limits]),
        f"{column}_text": [text + SIGN[unit] for text in texts],
    }


def _rows(of_targets: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    return np.stack(of_targets, axis=-1).ravel()


def _digits(value: float) -> str:
    """Four significant digits: ``4618``, ``5.749e4``, ``1e5``, ``0.8``."""
    return f"{value:.4g}".replace("e+0", "e").replace("e-0", "e-").replace("e+", "e")


NEEDED = "least number of executions for which `probability` reaches `statistics.confidence`"


@exhibit(
    "multirun",
    question=questions.EXECUTIONS,
    title="Probability of each quantile in several executions",
    caption="""
    Probability that the best of k independent executions is at least as good as a quantile of a
    single execution. It holds for every algorithm and problem.
    """,
    columns=f"""
    QUANTILE, EXECUTIONS
    probability <Probability; .4>: probability 1 − (1 − p)^k that the best of k executions is at
        least as good as the quantile of probability p of a single one
    executions_needed <Needed>: {NEEDED}
    """,
    layouts=Layout(
        caption="Probability that the best of several executions is at least as good as a quantile "
        "of a single execution, and the executions needed for a probability of {confidence}.",
        rows=("quantile", "executions"),
    ),
)
def to_quantile(runs: Runs, analysis: Analysis) -> Parts:
    for p in sorted(analysis.quantiles) if len(runs.frame) else ():
        k = np.array(sorted(analysis.executions))
        part = {
            "quantile": p,
            "executions": k,
            "probability": statistics.multirun_probability(p, k),
        }
        yield part | {"executions_needed": float(statistics.runs_needed(p, analysis.confidence))}


@exhibit(
    "multirun_to_target",
    question=questions.EXECUTIONS,
    title="Probability of each target in several executions",
    caption="""
    Probability that at least one of several independent executions, each with the complete budget,
    reaches a target. It follows from the success rate of single runs; the runs of all instances are
    pooled.
    """,
    columns=f"""
    CELL, TARGET, RUNS, SUCCESSES, SUCCESS_RATE, EXECUTIONS
    probability (interval, from Clopper and Pearson's for the success rate): probability that at
        least one of the executions reaches the target
    executions_needed (interval): {NEEDED}; `inf` if no run succeeded
    """,
    layouts=[
        Layout(
            caption="Probability that one of several executions reaches the target, from the "
            "success rate.",
            values=(Value("probability", "Probability", "high", decimals=2),),
            columns="executions",
            parts=("suite", "dimension", "target"),
            points=(Points("target", 1),),
        ),
        Layout(
            caption="Executions needed to reach a target with probability {confidence}. ∞: no run "
            "reached the target.",
            brackets=INTERVAL,
            values=(Value.with_limits("executions_needed", "Executions", "low"),),
            columns="target",
            points=(Points("target", 3), Points("executions", 1)),
            name="needed",
        ),
    ],
)
def to_target(runs: Runs, analysis: Analysis) -> Parts:
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
    gap_decades [decades]: the smaller of the two distances, between the means and between
        the medians: how striking the disagreement is
"""
OF = """
    {0}mean [precision]: mean precision of `{1}`
    {0}median [precision]: median precision of `{1}`
    {0}mean_rank: rank of the mean of `{1}` among the algorithms of the problem
    {0}median_rank: rank of the median of `{1}` among the algorithms of the problem
"""


@exhibit(
    "disagreements",
    question=questions.MEAN,
    title="Pairs that mean and median order differently",
    caption="""
    Pairs of algorithms that the mean and the median of the best precision put in strictly opposite
    order on a problem. The runs of all instances are pooled, and a run that reached the final
    target counts as 0. For more than 12 algorithms, only pairs with the best one (lowest average
    rank of the median precision) are listed; `statistics.pairs` selects other pairs.
    """,
    columns=f"""
    PROBLEM
    algorithm (text): algorithm with the better mean
    other (text): algorithm with the better median
    {OF.format("", "algorithm")}
    {OF.format("other_", "other")}
    {GAP}
    """,
    layouts=Layout(
        caption="Pairs of algorithms that the mean and the median of the precision at the end "
        "order differently; parentheses: rank among the algorithms. Gap: the smaller of the "
        "distances between the means and between the medians, in decades.",
        values=(
            Value("mean", "Mean", rank="mean_rank"),
            Value("other_mean", "Other's mean", rank="other_mean_rank"),
            Value("median", "Median", rank="median_rank"),
            Value("other_median", "Other's median", rank="other_median_rank"),
            Value("gap_decades", "Gap", decimals=2),
        ),
        rows=("function", "algorithm", "other"),
    ),
)
def of_mean_and_median(runs: Runs, analysis: Analysis) -> Made:
    best = precision_at_the_end(runs)
    listed_in = listed_by_precision(runs, analysis)
    found = []
    for names, members in runs.groups(PROBLEM):
        listed = listed_in[str(names["suite"]), int(names["dimension"])]
        part = runs.frame.iloc[members]
        grouped = part.groupby(part["algorithm"].astype(str)).indices
        values = {str(name): best[members[rows]] for name, rows in grouped.items()}
        algorithms = sorted(values)
        mean = np.array([statistics.mean_of(values[name]) for name in algorithms])
        median = np.array([float(sample_quantile(values[name], 0.5)) for name in algorithms])
        measured = dict(zip(MEASURES, (mean, median, rank(mean), rank(median)), strict=True))
        pairs = statistics.opposed_pairs(mean, median)
        gaps = statistics.smaller_gap(np.maximum(mean, 0.0), np.maximum(median, 0.0), pairs)
        for (a, b), gap in zip(pairs, gaps, strict=True):
            if listed.has(algorithms[a], algorithms[b]):
                row = {"algorithm": algorithms[a], "other": algorithms[b], "gap_decades": gap}
                row |= {measure: numbers[a] for measure, numbers in measured.items()}
                row |= {f"other_{measure}": numbers[b] for measure, numbers in measured.items()}
                found.append({**names, **row})
    return found, {"pairs": in_words(listed_in)}


@exhibit(
    "sorted_solutions",
    question=questions.MEAN,
    title="Sorted solutions of pairs in disagreement",
    caption="""
    Best precision of every run, sorted from best to worst, of both algorithms of each pair that
    mean and median order differently on a problem. An algorithm appears once for each of its pairs.
    """,
    columns=f"""
    PROBLEM
    better_by_mean (text): algorithm of the pair with the better mean
    better_by_median (text): algorithm of the pair with the better median
    ALGORITHM
    order: place of the run, 1 for the best
    precision [precision] <Precision>: best precision of the run
    mean [precision]: mean of the algorithm's runs
    median [precision]: median of the algorithm's runs
    {GAP}
    """,
    layouts=Layout(
        caption="Sorted precisions at the end of the runs of two algorithms that mean and "
        "median order differently.",
        rows=("function", "better_by_mean", "better_by_median", "algorithm"),
        columns="order",
        points=(Points("order", 6),),
    ),
    figures=Figure(
        "sorted_solutions",
        "Sorted solutions where mean and median disagree",
        "Sorted solutions of pairs of algorithms that mean and median order differently, one panel "
        "per pair and problem: the best precision of each run over the share of runs that are at "
        "least as good. The filled marker is the median and the hollow marker the mean, on the "
        "curve: a mean far to the right is caused by a few bad runs. The figure shows the pairs "
        "with the widest gap; the table `disagreements` has all of them. `inf` is at the top edge.",
        Picture("timefair.exhibits.charts.curves:sorted_solutions"),
    ),
)
def sorted_solutions(runs: Runs, analysis: Analysis) -> Made:
    best = precision_at_the_end(runs)
    members = {tuple(names.values()): rows for names, rows in runs.groups(CELL)}
    parts = []
    pairs = of_mean_and_median(runs, analysis)
    for pair in pairs.to_dict("records"):
        problem = {key: pair[key] for key in PROBLEM}
        for side, prefix in (("algorithm", ""), ("other", "other_")):
            precision = np.sort(best[members[*problem.values(), pair[side]]])
            part = problem | {"algorithm": pair[side], "gap_decades": pair["gap_decades"]}
            part |= {"better_by_mean": pair["algorithm"], "better_by_median": pair["other"]}
            part |= {"order": np.arange(1, precision.size + 1), "precision": precision}
            parts.append(part | {name: pair[f"{prefix}{name}"] for name in ("mean", "median")})
    return iter(parts), {"pairs": pairs.attrs["pairs"]}


GRID = 101  # points of a curve
FIRST = 1e-3  # the first point of a curve in seconds, as a share of the period

BOOTSTRAP = (
    "The environments of one run are not independent. The intervals are therefore from a bootstrap "
    "of whole runs; with one run, they have no width."
)
POOLED = "The runs of all instances are pooled."

OF_BUDGET = """
    unit (text): unit of the period and of all costs, that of the budget: `seconds` or `evaluations`
"""


@exhibit(
    "changes",
    question=questions.CHANGES,
    title="Errors on problems that change",
    caption=f"""
    How close algorithms come to the optimum between two changes: the best error before the change
    (Trojanowski and Michalewicz 1999), its mean over runs and environments, and the offline error
    (Branke and Schmeck 2003), the mean of the best error since the change over the seconds or the
    evaluations of the run. Until the first evaluation in an environment, the error is that of the
    middle of the bounds. Larger errors count as this error. A run that failed keeps this error in
    all environments that it did not reach. {POOLED} {BOOTSTRAP} Only for suites with problems that
    change.
    """,
    columns=f"""
    CELL, RUNS
    environments: number of environments of a run; one more than its changes
    {OF_BUDGET}
    period [`unit`]: length of an environment
    before_change [precision] (interval) <Before the change; low limits>: mean over runs and
        environments of the best error before the change
    offline_error [precision] (interval) <Offline; low limits>: offline error: mean over time, or
        over evaluations, of the best error since the change
    """,
    layouts=Layout(
        caption="Best error before a change and offline error, means over runs and changes.",
        brackets=INTERVAL,
    ),
    charged=False,
)
def errors(runs: Runs, analysis: Analysis) -> Parts:
    for cell in _cells(runs, analysis):
        draws, confidence = cell.draws(analysis), analysis.confidence
        best = [following.best_before_change(run) for run in cell.runs]
        offline = [following.offline_errors(cell.held(run), cell.period) for run in cell.runs]
        part = cell.columns | limited(
            "before_change", following.mean_over_runs(best, draws, confidence)
        )
        yield part | limited("offline_error", following.mean_over_runs(offline, draws, confidence))


@exhibit(
    "recovery",
    question=questions.CHANGES,
    title="Recovery after changes",
    caption=f"""
    Expected cost from a change until the error is again at most a target, and the share of
    environments in which this happens before the next change. Each environment is a trial, as each
    run is for the ERT. The targets of the campaign are errors here, and only an
    evaluated point can reach them. {POOLED} {BOOTSTRAP} Only for suites with problems that
    change.
    """,
    columns=f"""
    CELL, RUNS
    {OF_BUDGET}
    target [precision] (exact): error to reach again after a change
    recovered (interval): share of environments in which the error reached the target
    recovery [`unit`] (interval) <Recovery; low limits>: expected cost from a change until the error
        is at most `target`: the cost of all environments, each until it reached the target or
        ended, divided by the number of those that reached it; `inf` if none did
    """,
    layouts=Layout(
        caption="Expected cost from a change until the error is at most a target.",
        brackets=INTERVAL,
        columns="target",
        points=(Points("target", 5),),
    ),
    charged=False,
)
def recovery(runs: Runs, analysis: Analysis) -> Parts:
    targets = np.array(analysis.targets_from_easy)
    for cell in _cells(runs, analysis):
        times = [following.recovery_times(run, targets) for run in cell.runs]
        cost, share = following.recovered(
            times, cell.period, cell.draws(analysis), analysis.confidence
        )
        part = cell.columns | {"target": targets}
        yield part | limited("recovered", share) | limited("recovery", cost)


@exhibit(
    "after_change",
    question=questions.CHANGES,
    title="Error over the cost since the change",
    caption=f"""
    Best error since the change over the cost since the change: the mean over runs and environments,
    with its interval at each cost. Until the first evaluation in an environment, the error is that
    of the middle of the bounds. {POOLED} {BOOTSTRAP} Only for suites with problems that change.
    """,
    columns="""
    CELL, RUNS, UNIT
    cost [`unit`]: cost since the change
    error [precision] (interval) <Error; low limits>: mean over runs and environments of the best
        error since the change
    """,
    layouts=Layout(
        caption="Mean of the best error since the change after a cost.",
        brackets=INTERVAL,
        columns="cost",
        points=(Points("cost", (0.01, 0.1, 1.0), relative=True),),
    ),
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
    for cell in _cells(runs, analysis):
        grid = cell.grid
        found = [following.error_after(run, grid) for run in cell.runs]
        error = following.mean_over_runs(found, cell.draws(analysis), analysis.confidence)
        yield cell.columns | {"cost": grid} | limited("error", error)


@dataclass(frozen=True)
class _Cell:
    """The runs of an algorithm on a function, in the unit of their budget."""

    names: dict[str, Any]
    unit: str
    period: float
    environments: int
    runs: list[following.Followed]

    @property
    def columns(self) -> dict[str, Any]:
        of_changes = {"environments": self.environments, "unit": self.unit, "period": self.period}
        return {**self.names, "runs": len(self.runs), **of_changes}

    @property
    def grid(self) -> NDArray[np.float64]:
        if self.unit == "seconds":
            return np.geomspace(FIRST * self.period, self.period, GRID)
        return np.unique(np.round(np.geomspace(1.0, self.period, GRID)))

    def held(self, run: following.Followed) -> following.Followed:
        """A run with the cost from which each error holds: that of evaluation n from n - 1 on."""
        if self.unit == "seconds":
            return run
        return replace(run, since=np.maximum(run.since - 1.0, 0.0))

    def draws(self, analysis: Analysis) -> NDArray[np.float64]:
        rng = analysis.stream(self.names)
        return following.draws_of_runs(len(self.runs), resamples=analysis.resamples, rng=rng)


def _cells(runs: Runs, analysis: Analysis) -> list[_Cell]:
    """Every cell on problems that change; the tables of the same runs share them."""
    parameters = repr(sorted(analysis.suite_parameters.items()))
    return runs.once(("changes", parameters), lambda: list(_read(runs, analysis)))


def _read(runs: Runs, analysis: Analysis) -> Iterator[_Cell]:
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
        unit, budget = "evaluations", evaluations
        if np.isnan(evaluations):
            unit, budget = "seconds", budget_s
        period = budget / suite.environments
        followed = [_followed(runs, row, suite, unit, period) for row in members]
        yield _Cell(names, unit, period, suite.environments, followed)


def _followed(
    runs: Runs, row: np.intp, suite: Suite, unit: str, period: float
) -> following.Followed:
    place = runs.frame[["function", "dimension", "instance"]].iloc[row]
    key = (*map(int, place),)
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


@exhibit(
    "noise",
    question=questions.NOISE,
    title="What noisy runs have found",
    caption="""
    Quantiles over runs of the precision at the end: of the best measured value, and of values
    without noise by three rules. The quantiles of each column are computed separately. The runs of
    all instances are pooled. Only noisy runs whose value without noise is known have rows.
    """,
    columns="""
    CELL, RUNS, QUANTILE
    measured [precision] <Measured; low>: best measured value at the end, with its noise
    best_measured [precision] <Best measured; low>: value without noise of the best measured point
    recommended [precision] <Recommended; low>: value without noise of the point that the run
        recommends: what the launch with the best measured value recommended last, else the best
        measured point
    best_evaluated [precision] <Best evaluated; low>: best value without noise of all evaluated
        points, as in COCO's logger; empty for a user's function, because its value without noise is
        known for some points only
    luck <Luck>: quantile of the difference between the value without noise and the measured value
        of the best measured point, both values of f; positive: the point was measured better than
        it is
    recommending: share of the runs in which a launch has recommended a point
    """,
    layouts=Layout(
        caption="Precision at the end of noisy runs: of the best measured value, and without "
        "noise of the best measured point, of the recommended point, and of the best of all "
        "evaluated points. Quantiles over runs.",
        parts=("suite", "dimension", "quantile"),
    ),
    charged=False,
    measured=True,
)
def of_noisy_runs(runs: Runs, analysis: Analysis) -> Parts:
    every = runs.where(np.asarray(runs.frame["noise_free_f"].notna()))
    recommending = np.zeros(len(every.frame), dtype=np.bool_)
    for part in every.noisy:
        owner = np.repeat(part.rows, np.diff(part.offsets))
        recommending[owner[np.isnan(part.precision)]] = True
    for suite, of_suite in every.groups(("suite",)):
        mine = np.zeros(len(every.frame), dtype=np.bool_)
        mine[of_suite] = True
        noisy, own = every.where(mine), ":" in suite["suite"]
        ends = {
            value: precision_at_the_end(noisy.with_values(value))
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
    "attainment",
    question=questions.FRONT,
    title="Attainment surfaces",
    caption=f"""
    Which values of two objectives a share of the runs has reached by the end of the run: each row
    is a corner of the surface that at least this share of the runs dominates (Grunert da Fonseca,
    Fonseca and Hall 2001). The runs of all instances are pooled: objectives are normalized, so that
    the ideal point is (0, 0) and the nadir point (1, 1), and only this region is shown. A surface
    has at most {POINTS} corners. Only for suites with two objectives.
    """,
    columns="""
    CELL, RUNS
    share: share of the runs that reached every point of the surface
    f1: first objective; 0 is its ideal value, and 1 that of the nadir point
    f2: second objective, likewise
    missed <Missed; low .4>: part of the region between the ideal and the nadir point that the
        surface does not dominate; the same in all rows of a surface
    """,
    layouts=Layout(
        caption="Part of the region between the ideal and the nadir point that the surface of "
        "half of the runs does not dominate.",
        points=(Points("share", (0.5,)),),
    ),
    figures=Figure(
        "attainment",
        "Attainment surfaces of half of the runs",
        "The trade-offs between two objectives that half of the runs had reached at their end. "
        "Lower and further left is better. The axes have the ideal point at 0 and the nadir "
        "point at 1.",
        Picture(
            "timefair.exhibits.charts.curves:attainment",
            "functions",
            on_paper="An overview is a map of all functions: the part of the region that the "
            f"surface does not dominate, as a multiple of the least. {LEADERS}",
        ),
        needs="two objectives",
    ),
    charged=False,
)
def surfaces(runs: Runs, analysis: Analysis) -> Parts:
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
                missed = 1 - float(after_each(corners)[-1])
                f1, f2 = _thinned(corners).T
                part = {"share": share, "f1": f1, "f2": f2, "missed": missed}
                yield {**cell, "runs": len(members)} | part


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
    if len(points) <= POINTS:
        return points
    kept: NDArray[np.float64] = points[np.linspace(0, len(points) - 1, POINTS).astype(int)]
    return kept


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
    for share in shares:
        needed, corners = int(np.ceil(share * len(fronts) - 1e-9)), np.empty((0, 2))
        if needed <= len(some):
            sets = np.repeat(np.arange(len(some)), [len(front) for front in some])
            percentile = 100 * needed / len(some)
            corners = moocore.eaf(np.vstack(some), sets, percentiles=[percentile])[:, :2]
        found.append(corners[np.argsort(corners[:, 0], kind="stable")])
    return found
