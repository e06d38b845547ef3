"""What the runs did: how they ended, restarts, stopping, best points, timing, ancillary cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from timefair.basics.optimum import lengthened
from timefair.basics.words import ALL
from timefair.exhibits import curves, quality, questions, runtimes
from timefair.exhibits.charts.chart import LEADERS, LINES, Picture
from timefair.exhibits.columns import CELL, INSTANCE_CELL, column_names
from timefair.exhibits.comparisons import ranks
from timefair.exhibits.exhibit import drawn, exhibit
from timefair.exhibits.layout import Layout, Points, Value
from timefair.records.rundata.problems import value_at_the_target
from timefair.records.rundata.runs import (
    PROBLEM,
    Runs,
    ancillary_costs,
    objective_share,
    reference_s,
    slowdown,
)
from timefair.records.rundata.settings import Analysis
from timefair.records.rundata.traces import COSTS, VIOLATION
from timefair.records.status import Isolation

KEYS = ["algorithm", "status", "stop_reason"]


@exhibit(
    "runs",
    question=questions.MEASUREMENT,
    title="Statuses, stop reasons and perturbations",
    caption="""
    How the runs went: their number for each status and stop reason, how many were perturbed, and
    what the measurement itself cost.
    """,
    columns="""
    ALGORITHM
    status (text): how the runs ended: `ok`, or what went wrong
    stop_reason (text): what ended the runs
    runs <Runs>: number of these runs
    perturbed <Perturbed>: number of these runs that something else on the machine perturbed
    evaluations: number of evaluations of these runs together
    real_s [s]: wall clock of these runs together
    overshoot_max_s [s] <Overshoot, s>: longest time from the end of the budget to the end of the
        last evaluation of a run
    run_queue_delay_share <Queue; .3>: time that the main thread of the run waited for a core, as a
        share of the wall clock, whichever process used the core, also an external program of the
        same run. Empty if the kernel does not report it
    preparation_mean_s [s] <Preparation, s>: time of imports and warm-up before the clock starts, as
        a mean over the runs. All jobs that the same prepared process measures record the same time
    objective_share <Objective; .3>: estimated time inside the objective, the evaluation itself
        included, as a share of the wall clock, at most 1: the calibrated time of an evaluation
        times the evaluations
    objective_per_bare <Multiple; .2>: cost of an evaluation by the instrumented objective as a
        multiple of the suite's own call; below 1 if the objective evaluates without the interpreter
    message (text): the first message of these runs, or `none`
    """,
    layouts=Layout(
        caption="How the runs went. Overshoot: longest time from the end of the budget to the "
        "end of the last evaluation. Queue: waiting for a core, as a share of the wall clock. "
        "Preparation: imports and warm-up before the clock. Objective: estimated time inside "
        "the objective, as a share of the wall clock, and the cost of an evaluation as a "
        "multiple of the suite's own call.",
        rows=("algorithm", "status", "stop_reason"),
    ),
    complete=True,
    default=True,
)
def counted(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    frame = runs.frame
    delay = frame["run_queue_delay_s"].astype(float)
    grouped = frame.assign(
        perturbed=runs.perturbed,
        delay_s=delay,
        delay_wall_s=frame["real_s"].where(delay.notna()),
        inside_s=objective_share(frame) * frame["real_s"],
    ).groupby(KEYS, sort=True)
    summed = ["delay_s", "delay_wall_s", "inside_s", "real_s", "objective_s", "bare_s"]
    sums = grouped[summed].sum(min_count=1)
    delay_wall, wall = sums["delay_wall_s"], sums["real_s"]
    rows = pd.DataFrame(
        {
            "runs": grouped.size(),
            "perturbed": grouped["perturbed"].sum(),
            "evaluations": grouped["evaluations"].sum(),
            "real_s": wall,
            "overshoot_max_s": grouped["overshoot_s"].max(),
            "run_queue_delay_share": sums["delay_s"] / delay_wall.where(delay_wall > 0),
            "preparation_mean_s": grouped["preparation_s"].mean(),
            "objective_share": sums["inside_s"] / wall.where(wall > 0),
            "objective_per_bare": sums["objective_s"] / sums["bare_s"],
            "message": grouped["message"].first().fillna("none"),
        }
    )
    return rows.reset_index()


COUNTS = ("left_processes", "left_files")
SIZES = ("left_mb", "written_mb")


@exhibit(
    "leftovers",
    question=questions.MEASUREMENT,
    title="Processes and files that the algorithms left",
    caption="""
    What the algorithms wrote and left behind: processes, files in their temporary folder, and files
    that appeared or changed in folders that runs share. Processes are ended and temporary files
    removed after the run; the other files stay. A run with private views of the folders
    leaves no such file.
    """,
    columns="""
    ALGORITHM
    runs: number of runs
    with_processes: runs that left a process running at their end; an external program that is cut
        at T counts
    with_files: runs that left a file in their temporary folder
    with_names: runs during which files appeared or changed in folders that runs share
    left_processes_max: most processes that one run left
    left_files_max: most files that one run left
    left_mb_max [MB]: largest size of the files that one run left
    written_mb_max [MB]: most that one run passed to write(), also to pipes; empty where the machine
        does not report it
    private: runs with private views of the folders that algorithms write to
    strict: the same, with the algorithm in a process that does not hold the problem
    watched: runs with shared folders, which were compared before and after, because the machine
        allows no private views
    shared: runs with shared folders, because the campaign allows them
    watched_because (text): why the machine allows no private views, or `none`
    appeared (text): names of the files that appeared or changed in shared folders, separated by
        commas, or `none`
    appeared_in_trial (text): the same for the trial launch, which precedes all runs of a job
    """,
    layouts=Layout(
        caption="What the algorithms wrote and left behind. Processes: runs that left any when "
        "their own had ended, external programs at the end of the time included. Files: runs that "
        "left any in their temporary folder. Shared: runs during which files appeared or changed "
        "in folders that runs share. Written: by write(), also to pipes, at most in one run.",
        values=(
            Value("runs", "Runs"),
            Value("with_processes", "Processes"),
            Value("left_processes_max", "at most"),
            Value("with_files", "Files"),
            Value("left_files_max", "at most"),
            Value("left_mb_max", "MB, at most", decimals=1),
            Value("with_names", "Shared"),
            Value("written_mb_max", "Written, MB", decimals=1),
        ),
        rows=("algorithm",),
    ),
    complete=True,
)
def leftovers_counted(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    frame = runs.frame
    counts = frame[["algorithm", *COUNTS, *SIZES]].assign(
        runs=1,
        with_processes=frame["left_processes"] > 0,
        with_files=frame["left_files"] > 0,
        with_names=frame["appeared"].notna(),
    )
    grouped = counts.groupby("algorithm")
    rows = grouped[["runs", "with_processes", "with_files", "with_names"]].sum().astype(int)
    for name in COUNTS:
        rows[f"{name}_max"] = grouped[name].max().fillna(0).astype(int)
    for name in SIZES:
        rows[f"{name}_max"] = grouped[name].max().astype(float)
    named = frame.groupby("algorithm")
    rows["watched"] = named["watched_because"].count()
    for kind in (Isolation.PRIVATE, Isolation.STRICT, Isolation.SHARED):
        counts[kind] = (frame["isolation"] == kind) & frame["watched_because"].isna()
        rows[kind] = counts.groupby("algorithm")[kind].sum()
    for name in ("watched_because", "appeared", "appeared_in_trial"):
        rows[name] = named[name].agg(lambda texts: ", ".join(sorted({*texts.dropna()})) or "none")
    return rows.reset_index()


ALMOST = 0.9  # share of a schedule from which a launch was all but complete


@exhibit(
    "restarts",
    question=questions.EXECUTIONS,
    title="Restarts within the budget, and speed",
    caption="""
    Launches and completed restarts of a run within the budget, evaluations per second and seconds
    per evaluation, and CPU time as a multiple of the wall clock, for each function and algorithm.
    """,
    columns="""
    CELL, RUNS
    launches_mean <Launches; .1>: mean number of launches per run
    completed_restarts_mean <Completed; .1>: mean number of launches per run that ended by
        themselves or by the restart policy
    length_median: median of what the campaign's key `schedule` gave its parameter, such as
        Max_iter; empty without this key
    stopped_at: if no launch of any run was completed, the share of its schedule at which the budget
        stopped a run, as a median; empty without the key `schedule`
    evaluations_per_s [1/s] <Evaluations/s>: evaluations of all runs per second of wall clock
    s_per_evaluation [s] <s/evaluation>: seconds of wall clock per evaluation: the time of the
        algorithm and of the objective
    cpu_per_wall <CPU/wall clock; .2>: CPU time over wall clock; above 1 if an algorithm computes in
        parallel
    """,
    layouts=Layout(
        caption="Launches and completed restarts of a run, on average, and speed of all runs "
        "together.",
    ),
    figures=drawn(
        "Completed restarts of a run within the budget, evaluations per second, and CPU time "
        "as a multiple of the wall clock; means over the runs of all instances. A slow "
        "algorithm restarts less often in the same time.",
        Picture("timefair.exhibits.charts.dots:restarts", "functions", reading=LINES),
        default=True,
    ),
    charged=False,
    default=True,
)
def within_budget(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    frame = runs.frame.assign(**runs.scheduled())
    grouped = frame.groupby(column_names(CELL), sort=True)
    sums = grouped[["wall_s", "cpu_s", "evaluations"]].sum(min_count=1)
    means = grouped[["launches", "completed_restarts"]].mean()
    medians = grouped[["length", "stopped_at"]].median()
    wall = sums["wall_s"].where(sums["wall_s"] > 0)
    evaluations = sums["evaluations"].where(sums["evaluations"] > 0)
    rows = pd.DataFrame(
        {
            "runs": grouped.size(),
            "launches_mean": means["launches"],
            "completed_restarts_mean": means["completed_restarts"],
            "length_median": medians["length"],
            "stopped_at": medians["stopped_at"].where(means["completed_restarts"] == 0),
            "evaluations_per_s": sums["evaluations"] / wall,
            "s_per_evaluation": sums["wall_s"] / evaluations,
            "cpu_per_wall": sums["cpu_s"] / wall,
        }
    )
    return rows.reset_index()


CELL_KEYS = column_names(INSTANCE_CELL)


@exhibit(
    "stopping",
    question=questions.RUNS,
    title="Where a stopping rule ended the runs",
    caption="""
    Where the stopping rule ended the runs of each algorithm on each problem, and why. The table is
    empty without a stopping rule.
    """,
    columns="""
    INSTANCE_CELL
    rounds: number of rounds that began
    RUNS
    reason (text): what ended the runs: `met`, `cap`, `degenerate`; `out of bounds` (a result
        outside the bounds of the rule, so that nothing is promised); `dropped` and `won` with
        `race`; empty if the rule would have continued
    looks: how often the rule was evaluated
    value: what the rule computed at the last look: a skewness, a width or a probability; empty for
        rules that compare algorithms
    path (text): what it computed at each look, separated by blanks
    """,
    complete=True,
)
def decided(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    rows = runs.stopping.sort_values([*CELL_KEYS, "round"])
    last = rows.groupby(CELL_KEYS, sort=True).last().reset_index()
    last["path"] = list(rows.groupby(CELL_KEYS, sort=True)["path"].last())
    looks = last["path"]
    frame = last.assign(
        rounds=last["round"],
        looks=looks.map(len),
        value=looks.map(lambda path: path[-1] if path else None).astype(float),
        path=[" ".join("n/a" if v is None else f"{v:.6g}" for v in path) for path in looks],
    )
    return frame


@exhibit(
    "best_points",
    question=questions.POINT,
    title="Best point of each run",
    caption="""
    The best point that each run found, and its value. The coordinates and the value have all
    digits, so that the function gives the same value again; `timefair verify` checks that.
    """,
    columns="""
    INSTANCE_CELL
    run: number of the run
    place: place of the run among all runs on the problem, the least `f` first; 1: best. Runs that
        reached the final target are equal in `f`, and are placed by `time_s`
    f (exact): least value of the function that the run found; timefair minimizes. `inf` if no point
        of the run was feasible
    violation: sum of the violated constraints: 0 if the point is feasible. If no point of the run
        was, the least of any point. Empty without constraints
    evaluations: evaluations of the run up to this point, itself included
    time_s [s]: wall-clock time of the run up to this point
    x (text): the point, as it was evaluated: its coordinates, separated by blanks, with all digits.
        `none` in published data
    """,
    layouts=Layout(
        caption="The best value on each problem, and the run that found it first. The file of "
        "the table has the points.",
        values=(
            Value("f", "f", better="low"),
            Value("run", "Run", decimals=0),
            Value("evaluations", "Evaluations", decimals=0),
            Value("time_s", "Time, s"),
        ),
        rows=("function", "instance", "algorithm"),
        points=(Points("place", (1.0,)),),
    ),
    complete=True,
    default=True,
)
def found(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    points = [
        "none" if x is None else " ".join(map(repr, x)) for x in runs.column("best_x").to_pylist()
    ]
    rows = runs.frame.assign(
        f=runs.frame["best_f"].astype(float),
        equal=np.fmax(runs.frame["best_f"].astype(float), value_at_the_target(runs)),
        violation=violations(runs),
        x=pd.Series(points, dtype=object),
        **runs.at_the_best(),
    )
    rows = rows[np.isfinite(rows["f"]) | rows["violation"].notna()].sort_values(
        ["equal", "violation", "time_s", "evaluations", "run"]
    )
    rows["place"] = rows.groupby(CELL_KEYS[:-1])["equal"].rank(method="first").astype(int)
    return rows.sort_values([*CELL_KEYS, "place"], ignore_index=True)


def violations(runs: Runs) -> NDArray[np.float64]:
    """The least violation of each run, shape (runs,); NaN without constraints."""
    found = np.full(len(runs.frame), np.nan)
    if runs.constrained.any():
        column = len(COSTS) + VIOLATION
        for row, vectors in enumerate(runs.vectors):
            if runs.constrained[row] and len(vectors):
                found[row] = np.nanmin(vectors[:, column])
    return found


MEASURED = ["suite", "dimension", "function", "runs", "jobs"]
MEASURED += ["slowdown_median", "slowdown_max", "real_share"]
JOB = ["suite", "dimension", "function", "algorithm", "round"]


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
    columns="""
    SPACE, FUNCTION_OR_ALL, RUNS
    jobs <Jobs>: number of (function, round) pairs in which an algorithm ran, minimum over the
        algorithms
    slowdown_median <Slowdown, median; .2>: median over the runs of the time of equal work, as a
        multiple of the best on that core
    slowdown_max <at most; .2>: largest such multiple
    real_share <Real time; .2>: share of real time in the times of the algorithm with the largest
        share, mean over the functions; the rest is simulated evaluation cost
    detectable_ratio <Minimum detectable ratio; .2>: largest ratio of the times of two algorithms
        that the speed of the machine may explain, at the confidence of the campaign
    """,
    layouts=Layout(
        caption="Slowdown of the runs, as a multiple of the best on each core, and the largest "
        "ratio of the times of two algorithms that the speed of the machine may explain, with "
        "{confidence} confidence.",
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
    frame = pd.DataFrame(_rows(rows), columns=MEASURED)
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
    columns="""
    CELL, RUNS
    s_per_evaluation [s] <Per evaluation, s>: median over the runs of the wall clock per evaluation
    objective_s [s]: median over the runs of the estimated time of one evaluation by the objective:
        the calibrated time, at most the wall clock per evaluation of the run
    overhead_s [s] <Overhead, s; low>: median over the runs of the time per evaluation that the
        algorithm itself takes: the difference of the two; 0 if the calibrated time is not below
        `s_per_evaluation`
    overhead_s_low [s]: first quartile of that time over the runs
    overhead_s_high [s]: third quartile of that time over the runs
    overhead_share <Share; .2>: median share of the wall clock that the algorithm itself takes
    """,
    layouts=Layout(
        caption="Wall clock per evaluation, and the part of it that the algorithm itself "
        "takes; medians over the runs.",
    ),
    figures=drawn(
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
    return rows.reset_index()


STATES = ("clean", "perturbed", "unknown")
FIGURES = ("delay_share", "reference_ratio")


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
    columns="""
    ALGORITHM
    runs <Runs>: number of runs
    clean <Clean>: number of runs that nothing perturbed
    perturbed <Perturbed>: number of perturbed runs
    unknown <Unknown>: number of runs for which the machine reports neither value
    excluded <Omitted>: perturbed runs that tables of results omit (`timing.perturbed: exclude`)
    repeated <Again>: runs that were measured again (`timing.perturbed: repeat`)
    repeats: how often runs were measured again, in total
    delay_share_median <Delay, median; .3>: median of the time waited for a core that others used,
        as a share of the real time
    delay_share_max <at most; .3>: largest such share
    reference_ratio_median <Reference, median; .2>: median of the time of the reference kernel
        around the run, as a multiple of its best on that core in the complete campaign
    reference_ratio_max <at most; .2>: largest such multiple
    steal_s [s]: time that the host took from the cores, in total
    throttled_s [s]: time lost to a quota, in total
    """,
    layouts=Layout(
        caption="Perturbed runs per algorithm. Again: measured again after a perturbation. "
        "Delay: waiting for a core that others used, as a share of the real time. Reference: "
        "the reference kernel around a run, as a multiple of its best.",
        rows=("algorithm",),
    ),
    complete=True,
)
def perturbations(runs: Runs, analysis: Analysis) -> pd.DataFrame:
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
    return rows.reset_index()


MEDIANS, SPREADS = ("per_evaluation", "reference"), ("spread", "outliers", "first_run")
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
    columns="""
    ALGORITHM
    round: number of the round
    runs <Runs>: number of runs in the round
    per_evaluation <Evaluation; .2>: time of an evaluation relative to the first round: above 1 is
        slower
    reference <Reference; .2>: time of the reference kernel relative to the first round
    spread <Spread; .2>: standard deviation divided by mean, both of the time of an evaluation as a
        multiple of its median on the problem
    outliers <Outliers>: number of runs far from the others
    first_run <First; .2>: median time of an evaluation in the first run on each problem, over that
        in the others
    warnings (text) <Warnings>: `spread` (10 % or more), `outliers`, `slow first runs` (more than 10
        % slower), or `none`
    """,
    layouts=Layout(
        caption="Time of an evaluation and of the reference kernel in each round, relative to "
        "the first. Spread: standard deviation over mean. First: a problem's first run over "
        "the others.",
        rows=("algorithm", "round"),
    ),
    complete=True,
)
def over_rounds(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    frame, on_problem = runs.frame, [*PROBLEM, "algorithm"]
    taken = (frame["real_s"] / frame["evaluations"]).where(frame["evaluations"] > 0)
    taken = taken.where(taken > 0).astype(float)
    taken = taken / taken.groupby([frame[key] for key in on_problem]).transform("median")
    earliest = frame.groupby([*on_problem, "round"])["run"].transform("min")
    rounds = frame[["algorithm", "round"]].assign(
        taken=taken,
        first=taken.where(frame["run"] == earliest),
        later=taken.where(frame["run"] != earliest),
        reference=reference_s(frame),
    )
    rows = []
    for round_of, part in rounds.groupby(["algorithm", "round"], sort=True):
        values = part["taken"].dropna()
        distance = (values - values.median()).abs()
        usual = distance.median()  # 0 if half of the values are equal
        spread = float(values.std() / values.mean())
        outliers = int((0.6745 * distance > OUTLIER * usual).sum()) if usual > 0 else 0
        first_run = float(part["first"].median() / part["later"].median())
        warnings = {"spread": spread >= SPREAD, "outliers": outliers > 0}
        warnings["slow first runs"] = first_run > FIRST_RUN
        said = ", ".join(name for name, is_so in warnings.items() if is_so) or "none"
        medians = values.median(), part["reference"].median()
        rows.append((*round_of, len(part), *medians, spread, outliers, first_run, said))
    columns = ["algorithm", "round", "runs", *MEDIANS, *SPREADS, "warnings"]
    table = pd.DataFrame(rows, columns=columns)
    for name in MEDIANS:
        first = table.groupby("algorithm")[name].transform("first")
        table[name] = (table[name] / first).astype(float)
    return table


ROUNDING = 1e-9  # relative difference up to which two numbers count as equal


@exhibit(
    "ancillary",
    question=questions.ANCILLARY,
    title="Cost of tuning and preparation",
    caption="""
    Cost of each algorithm besides its runs: tuning and preparation, and the share of one problem in
    both. With `ancillary: amortised`, every table of results in seconds charges this share to
    the start of each run.
    """,
    columns="""
    ALGORITHM, RUNS
    tuning_s [s] <Tuning, s>: seconds of tuning for all problems: declared seconds plus measured
        seconds of a search
    preparation_s [s] <Preparation, s>: seconds of preparation for all problems
    preparation (text) <Known from>: `declared`, or `measured`: the median over the runs of the time
        of loading and warm-up
    problems <Problems>: number of problems by which the cost is divided
    share_s [s] <Share, s>: cost per problem: what a run is charged under `amortised`
    share_of_budget <Share of budget; .3>: `share_s` as a share of the budget; empty without a
        budget in seconds
    """,
    layouts=Layout(
        caption="Tuning and preparation of each algorithm in seconds, declared or measured, "
        "the share of one problem in them, and that share of the budget.",
        rows=("algorithm",),
    ),
    charged=False,
)
def declared(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    rows = ancillary_costs(runs, analysis)
    grouped = runs.frame.groupby("algorithm")
    rows["runs"] = grouped.size()
    rows["share_of_budget"] = rows["share_s"] / grouped["budget_s"].median().astype(float)
    return rows.reset_index()


@exhibit(
    "ancillary_effect",
    question=questions.ANCILLARY,
    title="Effect of ancillary cost",
    caption="""
    Every number of the tables in seconds that changes if each run is charged its share of tuning
    and preparation. A charged run begins later by this share and ends at the same T, so an event
    near T may be lost. Numbers that stay equal are not listed; counts of evaluations stay as
    measured. From the performance profile, the table has the share of cases on which an
    algorithm is the fastest.
    """,
    columns="""
    table (text): table that contains the number
    SUITE, DIMENSION
    function (text): `f` and the number of the function, or `all`
    ALGORITHM
    row (text): the other keys of the row in that table
    column (text): column of that table
    excluded <Excluded>: the number without ancillary cost
    amortised <Amortised>: the number with ancillary cost
    """,
    layouts=Layout(
        caption="A number that ancillary cost changes, without that cost and with it.",
        parts=("suite", "dimension", "table", "column", "row"),
        points=(Points("row", 1),),
    ),
    charged=False,
)
def effect(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    versions = {"excluded": runs, "amortised": runs.amortised(analysis)}
    parts = []
    for name, (build, names, columns) in COMPARED.items():
        pairs = pd.DataFrame(
            {kind: _numbers(build(of, analysis), names, columns) for kind, of in versions.items()}
        )
        same = np.isclose(pairs["excluded"], pairs["amortised"], ROUNDING, 0.0, equal_nan=True)
        parts.append(pairs[~same].reset_index().assign(table=name))
    return pd.concat(parts, ignore_index=True)


def _fastest(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    frame = curves.of_ert_s(runs, analysis.model_copy(update={"resamples": 1}))
    return frame[frame["ratio"] == 1].assign(function=ALL)


def _numbers(frame: pd.DataFrame, names: Sequence[str], columns: Sequence[str]) -> pd.Series[float]:
    frame["function"] = [f"f{key}" if key != ALL else ALL for key in frame["function"]]
    rows = [  # the name of each row, such as ``target 0.1, Q.50``
        ", ".join(
            value if isinstance(value, str) else f"{name} {value:g}"
            for name, value in row.items()
            if value == value
        )
        for row in frame[list(names)].to_dict("records")
    ]
    frame["row"] = pd.Series(rows, index=frame.index, dtype=str)
    long = frame.melt([*column_names(CELL), "row"], list(columns), "column", "number")
    return long.set_index([*column_names(CELL), "row", "column"])["number"].astype(float)


Compared: TypeAlias = tuple[
    Callable[[Runs, Analysis], pd.DataFrame], tuple[str, ...], tuple[str, ...]
]
COMPARED: dict[str, Compared] = {
    "ert": (runtimes.in_seconds, ("target",), ("success_rate", "ert_s")),
    "quantiles": (partial(quality.pooled, confidence=None), ("quantile",), ("precision", "rank")),
    "rankings": (ranks.side_by_side, ("criterion", "target"), ("rank_by_time",)),
    "profile": (_fastest, ("ratio",), ("fraction",)),
}
"""Tables of results in seconds, with the columns that name their rows besides the keys, and those
that are compared; bands and curves follow from the same runs.
"""
