"""Whether times can be trusted: noise of timing, overhead, perturbation by others, and drift."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from timefair.basics.optimum import lengthened
from timefair.basics.words import ALL
from timefair.exhibits import questions
from timefair.exhibits.charts.chart import LEADERS, Picture
from timefair.exhibits.columns import ALGORITHM, CELL, FUNCTION_OR_ALL, RUNS, SPACE
from timefair.exhibits.exhibit import Figure, column_names, columns_of, exhibit
from timefair.exhibits.layout import Layout, Value
from timefair.records.rundata.conditions import (
    objective_share,
    reference_s,
    seconds_per_evaluation,
    slowdown,
)
from timefair.records.rundata.runs import PROBLEM, Runs
from timefair.records.rundata.settings import Analysis

JOB = ["suite", "dimension", "function", "algorithm", "round"]
COLUMNS = (
    *SPACE,
    FUNCTION_OR_ALL,
    RUNS,
    *columns_of("""
        jobs: number of (function, round) pairs in which an algorithm ran, minimum over the
            algorithms
        slowdown_median: median over the runs of the time of equal work, as a multiple of the best
            on that core
        slowdown_max: largest such multiple
        real_share: share of real time in the times of the algorithm with the largest share, mean
            over the functions; the rest is simulated evaluation cost
        detectable_ratio: largest ratio of the times of two algorithms that the speed of the machine
            may explain, at the confidence of the campaign
    """),
)


@exhibit(
    "timing_noise",
    question=questions.MEASUREMENT,
    title="Timing noise and the minimum detectable ratio",
    caption="""
    How much the speed of the machine varied, and which ratio of the times of two algorithms is
    therefore detectable. The slowdown of a run comes from the reference kernel before and after it
    and from the time that it waited for a core that others used. A slow machine lengthens real
    time, but not a simulated evaluation cost. `detectable_ratio` is the upper {confidence} limit of
    the ratio of the times of two identical algorithms. Values are empty if the machine reports
    neither value, and if the unit of time is the reference kernel. `detectable_ratio` is also empty
    for a single job.
    """,
    columns=COLUMNS,
    layouts=Layout(
        caption="Slowdown of the runs, as a multiple of the best on each core, and the largest "
        "ratio of the times of two algorithms that the speed of the machine may explain, with "
        "{confidence} confidence.",
        values=(
            Value("jobs", "Jobs"),
            Value("slowdown_median", "Slowdown, median", decimals=2),
            Value("slowdown_max", "at most", decimals=2),
            Value("real_share", "Real time", decimals=2),
            Value("detectable_ratio", "Minimum detectable ratio", decimals=2),
        ),
        rows=("function",),
    ),
    charged=False,
)
def of_times(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    return detectable(slowdowns(runs, analysis), analysis.confidence)


def slowdowns(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """The slowdown of each run and the time on its clock, with the names of its job."""
    return runs.frame[[*JOB, "real_s"]].assign(
        slowdown=slowdown(runs.frame, analysis.time),
        clock_s=runs.frame["real_s"] + runs.frame["charged_s"].fillna(0.0),
    )


def detectable(rows: pd.DataFrame, confidence: float) -> pd.DataFrame:
    """The table `timing_noise` of some rows of `slowdowns`."""
    frame = pd.DataFrame(_rows(rows), columns=column_names(COLUMNS[:-1]))
    known = rows.dropna(subset="slowdown")
    job = known.groupby(JOB).ngroup().to_numpy()
    count = np.bincount(job)
    if count.size < 2:
        return frame.assign(detectable_ratio=np.nan)
    slow = known["slowdown"].to_numpy(dtype=np.float64)
    spread = frame["real_share"].map(
        lambda share: (np.bincount(job, np.log(lengthened(slow, share))) / count).std(ddof=1)
    )
    error = spread * np.sqrt(2 / frame["jobs"].astype(float))
    ratio = np.exp(stats.t.isf((1 - confidence) / 2, count.size - 1) * error)
    return frame.assign(detectable_ratio=ratio.where(frame["slowdown_median"].notna()))


def _rows(runs: pd.DataFrame) -> Iterator[tuple[Any, ...]]:
    for (suite, dimension), space in runs.groupby(["suite", "dimension"], sort=True):
        parts = [(str(function), part) for function, part in space.groupby("function", sort=True)]
        for function, part in [*parts, (ALL, space)]:
            jobs = part.drop_duplicates(JOB).groupby("algorithm").size()
            sums = part.groupby(["algorithm", "function"])[["real_s", "clock_s"]].sum()
            shares = (sums["real_s"] / sums["clock_s"]).fillna(1.0)
            slow, real_share = part["slowdown"], float(shares.groupby("algorithm").mean().max())
            keys = suite, dimension, function, len(part), int(jobs.min())
            yield *keys, slow.median(), slow.max(), real_share


OVERHEAD_COLUMNS = (
    *CELL,
    RUNS,
    *columns_of("""
        s_per_evaluation [s]: median over the runs of the wall clock per evaluation
        objective_s [s]: median over the runs of the estimated time of one evaluation by the
            objective: the calibrated time, at most the wall clock per evaluation of the run
        overhead_s [s]: median over the runs of the time per evaluation that the algorithm itself
            takes: the difference of the two; 0 if the calibrated time is not below
            `s_per_evaluation`
        overhead_s_low [s]: first quartile of that time over the runs
        overhead_s_high [s]: third quartile of that time over the runs
        overhead_share: median share of the wall clock that the algorithm itself takes
    """),
)


@exhibit(
    "overhead",
    question=questions.MEASUREMENT,
    title="Time that an algorithm itself takes per evaluation",
    caption="""
    Time per evaluation that each algorithm itself takes, without the function. Comparisons at equal
    numbers of evaluations hide it. The time of the objective is calibrated before the runs, so the
    overhead is an estimate; a value of 0 means that it is too small for the calibration to show.
    Runs without an evaluation are omitted.
    """,
    columns=OVERHEAD_COLUMNS,
    layouts=Layout(
        caption="Wall clock per evaluation, and the part of it that the algorithm itself "
        "takes; medians over the runs.",
        values=(
            Value("s_per_evaluation", "Per evaluation, s"),
            Value("overhead_s", "Overhead, s", "low"),
            Value("overhead_share", "Share", decimals=2),
        ),
    ),
    figures=Figure(
        "overhead",
        "Time that an algorithm itself takes per evaluation",
        "Time per evaluation that each algorithm itself takes, without the function: median "
        "and quartiles over the runs. Further left is cheaper. Algorithms far to the right "
        "lose evaluations to their own computations.",
        Picture(
            "timefair.exhibits.charts.dots:overhead",
            "functions",
            reading="An overview has one line per algorithm, with a dot for each function and "
            f"a bar at the median. {LEADERS}",
        ),
    ),
    charged=False,
)
def of_algorithms(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    frame = runs.frame[runs.frame["evaluations"] > 0]
    spent = (frame["real_s"] / frame["evaluations"]).astype(float)
    objective = spent * objective_share(frame)
    overhead = spent - objective
    grouped = frame.assign(
        s_per_evaluation=spent,
        objective_s=objective,
        overhead_s=overhead,
        overhead_share=overhead / spent,
    ).groupby(column_names(CELL), sort=True)
    rows = grouped[["s_per_evaluation", "objective_s", "overhead_s", "overhead_share"]].median()
    rows["overhead_s_low"] = grouped["overhead_s"].quantile(0.25)
    rows["overhead_s_high"] = grouped["overhead_s"].quantile(0.75)
    rows["runs"] = grouped.size()
    return rows.reset_index()[column_names(OVERHEAD_COLUMNS)]


STATES = ("clean", "perturbed", "unknown")
FIGURES = ("delay_share", "reference_ratio")
PERTURBATION_COLUMNS = (
    ALGORITHM,
    *columns_of("""
        runs: number of runs
        clean: number of runs that nothing perturbed
        perturbed: number of perturbed runs
        unknown: number of runs for which the machine reports neither value
        excluded: perturbed runs that tables of results omit (`timing.perturbed: exclude`)
        repeated: runs that were measured again (`timing.perturbed: repeat`)
        repeats: how often runs were measured again, in total
        delay_share_median: median of the time waited for a core that others used, as a share of the
            real time
        delay_share_max: largest such share
        reference_ratio_median: median of the time of the reference kernel around the run, as a
            multiple of its best on that core in the complete campaign
        reference_ratio_max: largest such multiple
        steal_s [s]: time that the host took from the cores, in total
        throttled_s [s]: time lost to a quota, in total
    """),
)


@exhibit(
    "perturbation",
    question=questions.MEASUREMENT,
    title="Perturbed runs",
    caption="""
    Runs that something else on the machine perturbed, per algorithm. A run is perturbed if it
    waited more than 5 % of its time for a core that others used, or if a slow core made its time
    more than 1.15 times as long. The speed of the core is that of the reference kernel (a small
    fixed piece of work), as the mean before and after the run, relative to its best in the job so
    far. A simulated evaluation cost is part of the time of a run, and no machine lengthens it.
    Values are empty if the machine does not report them.
    """,
    columns=PERTURBATION_COLUMNS,
    layouts=Layout(
        caption="Perturbed runs per algorithm. Again: measured again after a perturbation. "
        "Delay: waiting for a core that others used, as a share of the real time. Reference: "
        "the reference kernel around a run, as a multiple of its best.",
        values=(
            Value("runs", "Runs"),
            Value("clean", "Clean"),
            Value("perturbed", "Perturbed"),
            Value("unknown", "Unknown"),
            Value("excluded", "Omitted"),
            Value("repeated", "Again"),
            Value("delay_share_median", "Delay, median", decimals=3),
            Value("delay_share_max", "at most", decimals=3),
            Value("reference_ratio_median", "Reference, median", decimals=2),
            Value("reference_ratio_max", "at most", decimals=2),
        ),
        rows=("algorithm",),
    ),
    complete=True,
)
def counted(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    frame = runs.frame
    taken = pd.Series(reference_s(frame), index=frame.index)
    counts = frame[["algorithm", "steal_s", "throttled_s"]].assign(
        runs=1,
        **{state: frame["perturbation"] == state for state in STATES},
        excluded=runs.perturbed & (analysis.perturbed == "exclude"),
        repeated=frame["repeats"] > 0,
        repeats=frame["repeats"].fillna(0),
        delay_share=frame["foreign_delay_s"].astype(float)
        / frame["real_s"].where(frame["real_s"] > 0),
        reference_ratio=taken / taken.groupby(frame["core"]).transform("min"),
    )
    grouped = counts.groupby("algorithm")
    sums = ["runs", *STATES, "excluded", "repeated", "repeats"]
    rows = grouped[sums].sum().astype(int)
    for figure in FIGURES:
        rows[f"{figure}_median"] = grouped[figure].median()
        rows[f"{figure}_max"] = grouped[figure].max()
    for name in ("steal_s", "throttled_s"):
        rows[name] = grouped[name].sum(min_count=1).astype(float)
    return rows.reset_index()[column_names(PERTURBATION_COLUMNS)]


DRIFT_COLUMNS = (
    ALGORITHM,
    *columns_of("""
        round: number of the round
        runs: number of runs in the round
        per_evaluation: time of an evaluation relative to the first round: above 1 is slower
        reference: time of the reference kernel relative to the first round
        spread: standard deviation divided by mean, both of the time of an evaluation as a multiple
            of its median on the problem
        outliers: number of runs far from the others
        first_run: median time of an evaluation in the first run on each problem, over that in the
            others
        warnings (text): `spread` (10 % or more), `outliers`, `slow first runs` (more than 10 %
            slower), or `none`
    """),
)

SPREAD = 0.1  # standard deviation over mean above which pyperf calls a benchmark unstable
OUTLIER = 14.826  # modified z-score above which hyperfine reports an outlier
FIRST_RUN = 1.1  # time of a first run, as a multiple of the others, above which it is called slow


@exhibit(
    "drift",
    question=questions.MEASUREMENT,
    title="Speed over the rounds",
    caption="""
    Whether the speed of the machine changed during the campaign: the time of an evaluation, in
    seconds of wall clock, and of the reference kernel in each round, relative to the first round of
    the algorithm. Values are empty for too few runs.
    """,
    columns=DRIFT_COLUMNS,
    layouts=Layout(
        caption="Time of an evaluation and of the reference kernel in each round, relative to "
        "the first. Spread: standard deviation over mean. First: a problem's first run over "
        "the others.",
        values=(
            Value("runs", "Runs"),
            Value("per_evaluation", "Evaluation", decimals=2),
            Value("reference", "Reference", decimals=2),
            Value("spread", "Spread", decimals=2),
            Value("outliers", "Outliers"),
            Value("first_run", "First", decimals=2),
            Value("warnings", "Warnings"),
        ),
        rows=("algorithm", "round"),
    ),
    complete=True,
)
def over_rounds(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    relative = _relative(runs.frame)
    by_round = relative.groupby(["algorithm", "round"], sort=True)
    rows = pd.DataFrame(
        [_row(names, part) for names, part in by_round], columns=column_names(DRIFT_COLUMNS)
    )
    for name in ("per_evaluation", "reference"):
        first = rows.groupby("algorithm")[name].transform("first")
        rows[name] = (rows[name] / first).astype(float)
    return rows


def _relative(frame: pd.DataFrame) -> pd.DataFrame:
    per_evaluation = pd.Series(seconds_per_evaluation(frame, "wall"), index=frame.index)
    median = per_evaluation.groupby([frame[key] for key in [*PROBLEM, "algorithm"]]).transform(
        "median"
    )
    earliest = frame.groupby([*PROBLEM, "algorithm", "round"])["run"].transform("min")
    return frame[["algorithm", "round"]].assign(
        per_evaluation=per_evaluation / median,
        reference=reference_s(frame),
        first=frame["run"] == earliest,
    )


def _row(names: tuple[Hashable, ...], part: pd.DataFrame) -> dict[str, object]:
    algorithm, round = names
    known = part.dropna(subset="per_evaluation")
    values, is_first = known["per_evaluation"], known["first"]
    spread = float(values.std() / values.mean())
    distance = (values - values.median()).abs()
    usual = distance.median()  # 0 if half of the values are equal
    outliers = int((0.6745 * distance > OUTLIER * usual).sum()) if usual > 0 else 0
    first_run = float(values[is_first].median() / values[~is_first].median())
    warnings = {"spread": spread >= SPREAD, "outliers": outliers > 0}
    warnings["slow first runs"] = first_run > FIRST_RUN
    return {
        "algorithm": algorithm,
        "round": round,
        "runs": len(part),
        "per_evaluation": values.median(),
        "reference": part["reference"].median(),
        "spread": spread,
        "outliers": outliers,
        "first_run": first_run,
        "warnings": ", ".join(name for name, is_so in warnings.items() if is_so) or "none",
    }
