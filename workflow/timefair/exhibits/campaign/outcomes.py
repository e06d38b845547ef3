"""What the runs did: how they ended, restarts, stopping, best points, timing, ancillary cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import compress
from typing import Any

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
from timefair.exhibits.exhibit import Build, drawn, exhibit
from timefair.exhibits.layout import Layout, Points
from timefair.records.rundata import runs as rundata
from timefair.records.rundata.problems import value_at_the_target
from timefair.records.rundata.runs import PROBLEM, Runs
from timefair.records.rundata.settings import Analysis
from timefair.records.rundata.traces import COSTS, VIOLATION
from timefair.records.status import Isolation


@exhibit(
    question=questions.MEASUREMENT,
    layouts=Layout(rows=("algorithm", "status", "stop_reason")),
    complete=True,
    default=True,
)
def runs(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Statuses, stop reasons and perturbations

    How the runs went: their number for each status and stop reason, how many were perturbed, and
    what the measurement itself cost.

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
        share of the wall clock, whichever process used the core. Empty if the kernel does not
        report it
    preparation_mean_s [s] <Preparation, s>: time of imports and warm-up before the clock starts, as
        a mean over the runs; all jobs of the same prepared process record the same time
    objective_share <Objective; .3>: estimated time inside the objective as a share of the wall
        clock, at most 1: the calibrated time of an evaluation times the evaluations
    objective_per_bare <Multiple; .2>: cost of an evaluation by the instrumented objective as a
        multiple of the suite's own call; below 1 if the objective evaluates without the interpreter
    message (text): the first message of these runs, or `none`
    """
    frame = runs.frame
    delay = frame["run_queue_delay_s"].astype(float)
    grouped = frame.assign(
        perturbed=runs.perturbed,
        delay_s=delay,
        delay_wall_s=frame["real_s"].where(delay.notna()),
        inside_s=rundata.objective_share(frame) * frame["real_s"],
    ).groupby(["algorithm", "status", "stop_reason"])
    rows = grouped.agg(
        runs=("algorithm", "size"),
        perturbed=("perturbed", "sum"),
        evaluations=("evaluations", "sum"),
        overshoot_max_s=("overshoot_s", "max"),
        preparation_mean_s=("preparation_s", "mean"),
        message=("message", "first"),
    )
    summed = ["delay_s", "delay_wall_s", "inside_s", "real_s", "objective_s", "bare_s"]
    sums = grouped[summed].sum(min_count=1)
    positive = sums.where(sums > 0)
    rows["real_s"] = sums["real_s"]
    rows["run_queue_delay_share"] = sums["delay_s"] / positive["delay_wall_s"]
    rows["objective_share"] = sums["inside_s"] / positive["real_s"]
    rows["objective_per_bare"] = sums["objective_s"] / sums["bare_s"]
    return rows.fillna({"message": "none"}).reset_index()


@exhibit(question=questions.MEASUREMENT, layouts=Layout(rows=("algorithm",)), complete=True)
def leftovers(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Processes and files that the algorithms left

    What the algorithms wrote and left behind. Processes are ended and files in the temporary folder
    of the run are removed after it; files in folders that runs share stay. A run with private views
    of the folders leaves no such file.

    ALGORITHM
    runs <Runs>: number of runs
    with_processes <Processes>: runs that left a process running at their end; an external program
        that is cut at T counts
    with_files <Files>: runs that left a file in their temporary folder
    with_names <Shared>: runs during which files appeared or changed in folders that runs share
    left_processes_max <Most processes>: most processes that one run left
    left_files_max <Most files>: most files that one run left
    left_mb_max [MB] <MB, at most; .1>: largest size of the files that one run left
    written_mb_max [MB] <Written, MB; .1>: most that one run passed to write(), also to pipes; empty
        where the machine does not report it
    private: runs with private views of the folders that algorithms write to
    strict: the same, with the algorithm in a process that does not hold the problem
    watched: runs with shared folders, which were compared before and after, because the machine
        allows no private views
    shared: runs with shared folders, because the campaign allows them
    watched_because (text): why the machine allows no private views, or `none`
    appeared (text): names of the files that appeared or changed in shared folders, or `none`
    appeared_in_trial (text): the same for the trial launch, which precedes all runs of a job
    """
    frame, unable = runs.frame, runs.frame["watched_because"].notna()
    counts: dict[str, Any] = {
        "runs": 1,
        "with_processes": frame["left_processes"] > 0,
        "with_files": frame["left_files"] > 0,
        "with_names": frame["appeared"].notna(),
        "watched": unable,
    }
    for kind in (Isolation.PRIVATE, Isolation.STRICT, Isolation.SHARED):
        counts[str(kind)] = (frame["isolation"] == kind) & ~unable
    rows = pd.DataFrame(counts).groupby(frame["algorithm"]).sum().astype(int)
    named = frame.groupby("algorithm")
    for name in ("left_processes", "left_files"):
        rows[f"{name}_max"] = named[name].max().fillna(0).astype(int)
    for name in ("left_mb", "written_mb"):
        rows[f"{name}_max"] = named[name].max().astype(float)
    for name in ("watched_because", "appeared", "appeared_in_trial"):
        rows[name] = named[name].agg(lambda texts: ", ".join(sorted({*texts.dropna()})) or "none")
    return rows.reset_index()


ALMOST = 0.9  # share of a schedule from which a launch was all but complete


@exhibit(
    question=questions.EXECUTIONS,
    layouts=Layout(),
    figures=drawn(
        "Completed restarts of a run within the budget, evaluations per second, and CPU time "
        "as a multiple of the wall clock; means over the runs of all instances. A slow "
        "algorithm restarts less often in the same time.",
        Picture("timefair.exhibits.charts.dots:restarts", "functions", on_paper=LINES),
        default=True,
    ),
    charged=False,
    default=True,
)
def restarts(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Restarts within the budget, and speed

    Launches and completed restarts of a run within the budget, evaluations per second and seconds
    per evaluation, and CPU time as a multiple of the wall clock, for each function and algorithm.

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
    """
    frame = runs.frame.assign(**runs.scheduled())
    grouped = frame.groupby(column_names(CELL))
    sums = grouped[["wall_s", "cpu_s", "evaluations"]].sum(min_count=1)
    positive = sums.where(sums > 0)
    rows = grouped.agg(
        runs=("run", "size"),
        launches_mean=("launches", "mean"),
        completed_restarts_mean=("completed_restarts", "mean"),
        length_median=("length", "median"),
        stopped_at=("stopped_at", "median"),
    )
    rows["stopped_at"] = rows["stopped_at"].where(rows["completed_restarts_mean"] == 0)
    rows["evaluations_per_s"] = sums["evaluations"] / positive["wall_s"]
    rows["s_per_evaluation"] = sums["wall_s"] / positive["evaluations"]
    rows["cpu_per_wall"] = sums["cpu_s"] / positive["wall_s"]
    return rows.reset_index()


CELL_KEYS = column_names(INSTANCE_CELL)


@exhibit(question=questions.RUNS, complete=True)
def stopping(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Where a stopping rule ended the runs

    Where the stopping rule ended the runs of each algorithm on each problem, and why. The table is
    empty without a stopping rule.

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
    """
    rows = runs.stopping.sort_values([*CELL_KEYS, "round"]).groupby(CELL_KEYS)
    last = rows.last().reset_index()
    paths = list(rows["path"].last())
    return last.assign(
        rounds=last["round"],
        looks=list(map(len, paths)),
        value=pd.Series([path[-1] if path else None for path in paths], dtype=float),
        path=[" ".join("n/a" if v is None else f"{v:.6g}" for v in path) for path in paths],
    )


@exhibit(
    question=questions.POINT,
    layouts=Layout(rows=("function", "instance", "algorithm"), points=(Points("place", (1.0,)),)),
    complete=True,
    default=True,
)
def best_points(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Best point of each run

    The best point that each run found, and its value. The coordinates and the value have all
    digits, so that the function gives the same value again; `timefair verify` checks that.

    INSTANCE_CELL
    run <Run; .0>: number of the run
    place: place of the run among all runs on the problem, the least `f` first; 1: best. Runs that
        reached the final target are equal in `f`, and are placed by `time_s`
    f (exact) <f; low>: least value of the function that the run found; timefair minimizes. `inf` if
        no point of the run was feasible
    violation: sum of the violated constraints: 0 if the point is feasible. If no point of the run
        was, the least of any point. Empty without constraints
    evaluations <Evaluations; .0>: evaluations of the run up to this point, itself included
    time_s [s] <Time, s>: wall-clock time of the run up to this point
    x (text): the point, as it was evaluated: its coordinates, separated by blanks, with all digits.
        `none` in published data
    """
    points = [
        "none" if x is None else " ".join(map(repr, x)) for x in runs.column("best_x").to_pylist()
    ]
    f = runs.frame["best_f"].astype(float)
    rows: pd.DataFrame = runs.frame.assign(
        f=f,
        equal=np.fmax(f, value_at_the_target(runs)),
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


@exhibit(question=questions.MEASUREMENT, layouts=Layout(rows=("function",)), charged=False)
def timing_noise(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Timing noise and the minimum detectable ratio

    How much the speed of the machine varied, and which ratio of the times of two algorithms is
    therefore detectable: the upper {confidence} limit of this ratio for identical algorithms. The
    slowdown of a run comes from the reference kernel before and after it and from the time that it
    waited for a core that others used. A slow machine lengthens real time, but not a simulated
    evaluation cost. Values are empty if the machine reports neither value, and if the unit of time
    is the reference kernel.

    SPACE, FUNCTION_OR_ALL, RUNS
    jobs <Jobs>: number of (function, round) pairs in which an algorithm ran, minimum over the
        algorithms
    slowdown_median <Slowdown, median; .2>: median over the runs of the time of equal work, as a
        multiple of the best on that core
    slowdown_max <at most; .2>: largest such multiple
    real_share <Real time; .2>: share of real time in the times of the algorithm with the largest
        share, mean over the functions; the rest is simulated evaluation cost
    detectable_ratio <Minimum detectable ratio; .2>: largest ratio of the times of two algorithms
        that the speed of the machine may explain; empty for a single job
    """
    return detectable(slowdowns(runs, analysis), analysis.confidence)


def slowdowns(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """The slowdown of each run and the time on its clock, with the names of its job."""
    return runs.frame[[*JOB, "real_s"]].assign(
        slowdown=rundata.slowdown(runs.frame, analysis.time),
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
    cell = ["function", "algorithm"]
    for (suite, dimension), space in runs.groupby(["suite", "dimension"], sort=True):
        jobs = space.drop_duplicates(JOB).groupby(cell, observed=True).size()
        sums = space.groupby(cell, observed=True)[["real_s", "clock_s"]].sum()
        shares = (sums["real_s"] / sums["clock_s"]).fillna(1.0)
        by_function, slow = space.groupby("function", sort=True)["slowdown"], space["slowdown"]
        of_each = by_function.agg(["size", "median", "max"])
        of_each.insert(1, "jobs", jobs.groupby("function").min())
        of_each["share"] = shares.groupby("function").max()
        for function, *numbers in of_each.itertuples():
            yield suite, dimension, str(function), *numbers
        least = int(jobs.groupby("algorithm").sum().min())
        real_share = float(shares.groupby("algorithm").mean().max())
        yield suite, dimension, ALL, len(space), least, slow.median(), slow.max(), real_share


@exhibit(
    question=questions.MEASUREMENT,
    layouts=Layout(),
    figures=drawn(
        "Time per evaluation that each algorithm itself takes, without the function: median "
        "and quartiles over the runs. Further left is cheaper. Algorithms far to the right "
        "lose evaluations to their own computations.",
        Picture(
            "timefair.exhibits.charts.dots:overhead",
            "functions",
            on_paper="An overview has one line per algorithm, with a dot for each function and "
            f"a bar at the median. {LEADERS}",
        ),
    ),
    charged=False,
)
def overhead(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Time that an algorithm itself takes per evaluation

    Time per evaluation that each algorithm itself takes, without the function. Comparisons at equal
    numbers of evaluations hide it. The time of the objective is calibrated before the runs, so the
    overhead is an estimate; 0 means that it is too small for the calibration to show. Runs without
    an evaluation are omitted.

    CELL, RUNS
    s_per_evaluation [s] <Per evaluation, s>: median over the runs of the wall clock per evaluation
    objective_s [s]: median over the runs of the calibrated time of one evaluation by the objective,
        at most the wall clock per evaluation of the run
    overhead_s [s] (interval, the quartiles over the runs) <Overhead, s; low>: median over the runs
        of the difference of the two, the time per evaluation that the algorithm itself takes
    overhead_share <Share; .2>: median share of the wall clock that the algorithm itself takes
    """
    frame = runs.frame[runs.frame["evaluations"] > 0]
    spent = (frame["real_s"] / frame["evaluations"]).astype(float)
    objective = spent * rundata.objective_share(frame)
    overhead = spent - objective
    columns = {
        "s_per_evaluation": spent,
        "objective_s": objective,
        "overhead_s": overhead,
        "overhead_share": overhead / spent,
    }
    grouped = frame.assign(**columns).groupby(column_names(CELL))
    rows = grouped[list(columns)].median()
    rows["overhead_s_low"] = grouped["overhead_s"].quantile(0.25)
    rows["overhead_s_high"] = grouped["overhead_s"].quantile(0.75)
    rows["runs"] = grouped.size()
    return rows.reset_index()


@exhibit(question=questions.MEASUREMENT, layouts=Layout(rows=("algorithm",)), complete=True)
def perturbation(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Perturbed runs

    Runs that something else on the machine perturbed, per algorithm. A run is perturbed if it
    waited more than 5 % of its time for a core that others used, or if a slow core made its time
    more than 1.15 times as long. The speed of the core is that of the reference kernel (a small
    fixed piece of work), as the mean before and after the run, relative to its best in the job so
    far; no machine lengthens a simulated evaluation cost. Values are empty if the machine does not
    report them.

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
    """
    frame = runs.frame
    taken = pd.Series(rundata.reference_s(frame), index=frame.index)
    counts: dict[str, Any] = {
        "runs": 1,
        **{state: frame["perturbation"] == state for state in ("clean", "perturbed", "unknown")},
        "excluded": runs.perturbed & (analysis.perturbed == "exclude"),
        "repeated": frame["repeats"] > 0,
        "repeats": frame["repeats"].fillna(0),
    }
    shares: dict[str, Any] = {
        "delay_share": frame["foreign_delay_s"].astype(float)
        / frame["real_s"].where(frame["real_s"] > 0),
        "reference_ratio": taken / taken.groupby(frame["core"]).transform("min"),
    }
    grouped = frame.assign(**counts, **shares).groupby("algorithm")
    rows = grouped[list(counts)].sum().astype(int)
    for name in shares:
        rows[f"{name}_median"] = grouped[name].median()
        rows[f"{name}_max"] = grouped[name].max()
    for name in ("steal_s", "throttled_s"):
        rows[name] = grouped[name].sum(min_count=1).astype(float)
    return rows.reset_index()


SPREAD = 0.1  # standard deviation over mean above which pyperf calls a benchmark unstable
OUTLIER = 14.826  # modified z-score above which hyperfine reports an outlier
FIRST_RUN = 1.1  # time of a first run, as a multiple of the others, above which it is called slow


@exhibit(question=questions.MEASUREMENT, layouts=Layout(rows=("algorithm", "round")), complete=True)
def drift(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Speed over the rounds

    Whether the speed of the machine changed during the campaign: the time of an evaluation, in
    seconds of wall clock, and of the reference kernel in each round, relative to the first round of
    the algorithm. Values are empty for too few runs.

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
    """
    frame, on_problem = runs.frame, [*PROBLEM, "algorithm"]
    taken = (frame["real_s"] / frame["evaluations"]).where(frame["evaluations"] > 0)
    taken = taken.where(taken > 0).astype(float)
    taken = taken / taken.groupby([frame[key] for key in on_problem]).transform("median")
    earliest = frame.groupby([*on_problem, "round"])["run"].transform("min")
    rounds = frame[["algorithm", "round"]].assign(
        taken=taken,
        first=taken.where(frame["run"] == earliest),
        later=taken.where(frame["run"] != earliest),
        reference=rundata.reference_s(frame),
    )
    grouped, by = rounds.groupby(["algorithm", "round"]), [frame["algorithm"], frame["round"]]
    distance = (taken - grouped["taken"].transform("median")).abs()
    usual = distance.groupby(by).transform("median")  # 0 if half of the values are equal
    rows = grouped[["taken", "reference", "first", "later"]].median()
    rows = rows.rename(columns={"taken": "per_evaluation"})
    rows["runs"] = grouped.size()
    rows["spread"] = grouped["taken"].std() / grouped["taken"].mean()
    rows["outliers"] = ((usual > 0) & (0.6745 * distance > OUTLIER * usual)).groupby(by).sum()
    rows["first_run"] = rows["first"] / rows["later"]
    found = {"spread": rows["spread"] >= SPREAD, "outliers": rows["outliers"] > 0}
    found["slow first runs"] = rows["first_run"] > FIRST_RUN
    said = [
        ", ".join(compress(found, flags)) or "none" for flags in zip(*found.values(), strict=True)
    ]
    rows["warnings"] = pd.Series(said, rows.index, dtype=str)
    for name in ("per_evaluation", "reference"):
        first = rows.groupby("algorithm")[name].transform("first")
        rows[name] = (rows[name] / first).astype(float)
    return rows.reset_index()


ROUNDING = 1e-9  # relative difference up to which two numbers count as equal


@exhibit(question=questions.ANCILLARY, layouts=Layout(rows=("algorithm",)), charged=False)
def ancillary(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Cost of tuning and preparation

    Cost of each algorithm besides its runs: tuning and preparation, and the share of one problem in
    both. With `ancillary: amortised`, every table of results in seconds charges this share to the
    start of each run.

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
    """
    rows = rundata.ancillary_costs(runs, analysis)
    grouped = runs.frame.groupby("algorithm")
    rows["runs"] = grouped.size()
    rows["share_of_budget"] = rows["share_s"] / grouped["budget_s"].median().astype(float)
    return rows.reset_index()


@exhibit(
    question=questions.ANCILLARY,
    layouts=Layout(
        parts=("suite", "dimension", "table", "column", "row"), points=(Points("row", 1),)
    ),
    charged=False,
)
def ancillary_effect(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Effect of ancillary cost

    Every number of the tables in seconds that changes if each run is charged its share of tuning
    and preparation: it begins later by this share and ends at the same T, so an event near T may be
    lost. Counts of evaluations stay as measured. From the performance profile, the table has the
    share of cases on which an algorithm is the fastest.

    table (text): table that contains the number
    SUITE, DIMENSION
    function (text): `f` and the number of the function, or `all`
    ALGORITHM
    row (text): the other keys of the row in that table
    column (text): column of that table
    excluded <Excluded>: the number without ancillary cost
    amortised <Amortised>: the number with ancillary cost
    """
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
    frame = curves.profile(runs, analysis.model_copy(update={"resamples": 1}))
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


COMPARED: dict[str, tuple[Build, tuple[str, ...], tuple[str, ...]]] = {
    "ert": (runtimes.ert, ("target",), ("success_rate", "ert_s")),
    "quantiles": (quality.quantiles, ("quantile",), ("precision", "rank")),
    "rankings": (ranks.rankings, ("criterion", "target"), ("rank_by_time",)),
    "profile": (_fastest, ("ratio",), ("fraction",)),
}
"""Tables of results in seconds, with the columns that name their rows besides the keys, and those
that are compared; bands and curves follow from the same runs.
"""
