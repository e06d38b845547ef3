"""What the runs did: how they ended and what they left, restarts, stopping rules, best points."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.exhibits import questions
from timefair.exhibits.charts.chart import LINES, Picture
from timefair.exhibits.columns import ALGORITHM, CELL, INSTANCE_CELL, RUNS
from timefair.exhibits.exhibit import Column, Figure, column_names, columns_of, exhibit
from timefair.exhibits.layout import Layout, Points, Value
from timefair.records.rundata.conditions import objective_share
from timefair.records.rundata.problems import value_at_the_target
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.records.rundata.traces import COSTS, VIOLATION
from timefair.records.status import Isolation

OUTCOMES_COLUMNS = (
    ALGORITHM,
    *columns_of("""
        status (text): how the runs ended: `ok`, or what went wrong
        stop_reason (text): what ended the runs
        runs: number of these runs
        perturbed: number of these runs that something else on the machine perturbed
        evaluations: number of evaluations of these runs together
        real_s [s]: wall clock of these runs together
        overshoot_max_s [s]: longest time from the end of the budget to the end of the last
            evaluation of a run
        run_queue_delay_share: time that the main thread of the run waited for a core, as a share of
            the wall clock, whichever process used the core, also an external program of the same
            run. Empty if the kernel does not report it
        preparation_mean_s [s]: time of imports and warm-up before the clock starts, as a mean over
            the runs. All jobs that the same prepared process measures record the same time
        objective_share: estimated time inside the objective, the evaluation itself included, as a
            share of the wall clock, at most 1: the calibrated time of an evaluation times the
            evaluations
        objective_per_bare: cost of an evaluation by the instrumented objective as a multiple of the
            suite's own call; below 1 if the objective evaluates without the interpreter
        message (text): the first message of these runs, or `none`
    """),
)
KEYS = column_names(OUTCOMES_COLUMNS[:3])


@exhibit(
    "runs",
    question=questions.MEASUREMENT,
    title="Statuses, stop reasons and perturbations",
    caption="""
    How the runs went: their number for each status and stop reason, how many were perturbed, and
    what the measurement itself cost.
    """,
    columns=OUTCOMES_COLUMNS,
    layouts=Layout(
        caption="How the runs went. Overshoot: longest time from the end of the budget to the "
        "end of the last evaluation. Queue: waiting for a core, as a share of the wall clock. "
        "Preparation: imports and warm-up before the clock. Objective: estimated time inside "
        "the objective, as a share of the wall clock, and the cost of an evaluation as a "
        "multiple of the suite's own call.",
        values=(
            Value("runs", "Runs"),
            Value("perturbed", "Perturbed"),
            Value("overshoot_max_s", "Overshoot, s"),
            Value("run_queue_delay_share", "Queue", decimals=3),
            Value("preparation_mean_s", "Preparation, s"),
            Value("objective_share", "Objective", decimals=3),
            Value("objective_per_bare", "Multiple", decimals=2),
        ),
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
    return rows.reset_index()[column_names(OUTCOMES_COLUMNS)]


COUNTS = ("left_processes", "left_files")
SIZES = ("left_mb", "written_mb")
LEFTOVERS_COLUMNS = (
    ALGORITHM,
    *columns_of("""
        runs: number of runs
        with_processes: runs that left a process running at their end; an external program that is
            cut at T counts
        with_files: runs that left a file in their temporary folder
        with_names: runs during which files appeared or changed in folders that runs share
        left_processes_max: most processes that one run left
        left_files_max: most files that one run left
        left_mb_max [MB]: largest size of the files that one run left
        written_mb_max [MB]: most that one run passed to write(), also to pipes; empty where the
            machine does not report it
        private: runs with private views of the folders that algorithms write to
        strict: the same, with the algorithm in a process that does not hold the problem
        watched: runs with shared folders, which were compared before and after, because the machine
            allows no private views
        shared: runs with shared folders, because the campaign allows them
        watched_because (text): why the machine allows no private views, or `none`
        appeared (text): names of the files that appeared or changed in shared folders, separated by
            commas, or `none`
        appeared_in_trial (text): the same for the trial launch, which precedes all runs of a job
    """),
)


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
    columns=LEFTOVERS_COLUMNS,
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
    return rows.reset_index()[column_names(LEFTOVERS_COLUMNS)]


ALMOST = 0.9  # share of a schedule from which a launch was all but complete

RESTARTS_COLUMNS = (
    *CELL,
    RUNS,
    *columns_of("""
        launches_mean: mean number of launches per run
        completed_restarts_mean: mean number of launches per run that ended by themselves or by the
            restart policy
        length_median: median of what the campaign's key `schedule` gave its parameter, such as
            Max_iter; empty without this key
        stopped_at: if no launch of any run was completed, the share of its schedule at which the
            budget stopped a run, as a median; empty without the key `schedule`
        evaluations_per_s [1/s]: evaluations of all runs per second of wall clock
        s_per_evaluation [s]: seconds of wall clock per evaluation: the time of the algorithm and of
            the objective
        cpu_per_wall: CPU time over wall clock; above 1 if an algorithm computes in parallel
    """),
)


@exhibit(
    "restarts",
    question=questions.EXECUTIONS,
    title="Restarts within the budget, and speed",
    caption="""
    Launches and completed restarts of a run within the budget, evaluations per second and seconds
    per evaluation, and CPU time as a multiple of the wall clock, for each function and algorithm.
    """,
    columns=RESTARTS_COLUMNS,
    layouts=Layout(
        caption="Launches and completed restarts of a run, on average, and speed of all runs "
        "together.",
        values=(
            Value("launches_mean", "Launches", decimals=1),
            Value("completed_restarts_mean", "Completed", decimals=1),
            Value("evaluations_per_s", "Evaluations/s"),
            Value("s_per_evaluation", "s/evaluation"),
            Value("cpu_per_wall", "CPU/wall clock", decimals=2),
        ),
    ),
    figures=Figure(
        "restarts",
        "Restarts within the budget, and speed",
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
    return rows.reset_index()[column_names(RESTARTS_COLUMNS)]


CELL_KEYS = column_names(INSTANCE_CELL)
STOPPING_COLUMNS = (
    *INSTANCE_CELL,
    Column("rounds", "number of rounds that began"),
    RUNS,
    *columns_of("""
        reason (text): what ended the runs: `met`, `cap`, `degenerate`; `out of bounds` (a result
            outside the bounds of the rule, so that nothing is promised); `dropped` and `won` with
            `race`; empty if the rule would have continued
        looks: how often the rule was evaluated
        value: what the rule computed at the last look: a skewness, a width or a probability; empty
            for rules that compare algorithms
        path (text): what it computed at each look, separated by blanks
    """),
)


@exhibit(
    "stopping",
    question=questions.RUNS,
    title="Where a stopping rule ended the runs",
    caption="""
    Where the stopping rule ended the runs of each algorithm on each problem, and why. The table is
    empty without a stopping rule.
    """,
    columns=STOPPING_COLUMNS,
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
    return frame[column_names(STOPPING_COLUMNS)]


PROBLEM_KEYS = [name for name in column_names(INSTANCE_CELL) if name != "algorithm"]
POINTS_COLUMNS = (
    *INSTANCE_CELL,
    *columns_of("""
        run: number of the run
        place: place of the run among all runs on the problem, the least `f` first; 1: best. Runs
            that reached the final target are equal in `f`, and are placed by `time_s`
        f (exact): least value of the function that the run found; timefair minimizes. `inf` if no
            point of the run was feasible
        violation: sum of the violated constraints: 0 if the point is feasible. If no point of the
            run was, the least of any point. Empty without constraints
        evaluations: evaluations of the run up to this point, itself included
        time_s [s]: wall-clock time of the run up to this point
        x (text): the point, as it was evaluated: its coordinates, separated by blanks, with all
            digits. `none` in published data
    """),
)


@exhibit(
    "best_points",
    question=questions.POINT,
    title="Best point of each run",
    caption="""
    The best point that each run found, and its value. The coordinates and the value have all
    digits, so that the function gives the same value again; `timefair verify` checks that.
    """,
    columns=POINTS_COLUMNS,
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
        "none" if x is None else " ".join(map(repr, x)) for x in runs.read_points().to_pylist()
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
    rows["place"] = rows.groupby(PROBLEM_KEYS)["equal"].rank(method="first").astype(int)
    ordered = rows.sort_values([*column_names(INSTANCE_CELL), "place"], ignore_index=True)
    return pd.DataFrame(ordered, columns=column_names(POINTS_COLUMNS))


def violations(runs: Runs) -> NDArray[np.float64]:
    """The least violation of each run, shape (runs,); NaN without constraints."""
    found = np.full(len(runs.frame), np.nan)
    if runs.constrained.any():
        column = len(COSTS) + VIOLATION
        for row, vectors in enumerate(runs.read_vectors()):
            if runs.constrained[row] and len(vectors):
                found[row] = np.nanmin(vectors[:, column])
    return found
