"""How runs went: statuses, stop reasons, and what perturbed or slowed them."""

from __future__ import annotations

import pandas as pd

from timefair.exhibits.columns import ALGORITHM
from timefair.exhibits.exhibit import Column, column_names, exhibit
from timefair.exhibits.layout import Layout, Value
from timefair.exhibits.questions import Question
from timefair.rundata.clocks import objective_share
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis

COLUMNS = (
    ALGORITHM,
    Column("status", "how the runs ended: `ok`, or what went wrong", text=True),
    Column("stop_reason", "what ended the runs", text=True),
    Column("runs", "number of these runs"),
    Column("perturbed", "number of these runs that something else on the machine perturbed"),
    Column("evaluations", "number of evaluations of these runs together"),
    Column("real_s", "wall clock of these runs together", "s"),
    Column(
        "overshoot_max_s",
        "longest time from the end of the budget to the end of the last evaluation of a run",
        "s",
    ),
    Column(
        "run_queue_delay_share",
        "time that the main thread of the run waited for a core, as a share of the wall clock, "
        "whichever process used the core, also an external program of the same run. Empty if "
        "the kernel does not report it",
    ),
    Column(
        "preparation_mean_s",
        "time of imports and warm-up before the clock starts, as a mean over the runs. All jobs "
        "that the same prepared process measures record the same time",
        "s",
    ),
    Column(
        "objective_share",
        "estimated time inside the objective, the evaluation itself included, as a share of the "
        "wall clock, at most 1: the calibrated time of an evaluation times the evaluations",
    ),
    Column(
        "objective_per_bare",
        "cost of an evaluation by the instrumented objective as a multiple of the suite's own "
        "call; below 1 if the objective evaluates without the interpreter",
    ),
    Column("message", "the first message of these runs, or `none`", text=True),
)
KEYS = column_names(COLUMNS[:3])


@exhibit(
    "runs",
    question=Question.MEASUREMENT,
    title="Statuses, stop reasons and perturbations",
    caption="""
    How the runs went: their number for each status and stop reason, how many were perturbed, and
    what the measurement itself cost.
    """,
    columns=COLUMNS,
    layouts=[
        Layout(
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
        )
    ],
    charged=False,
    complete=True,
    default=True,
)
def counted(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Number of runs for each (algorithm, status, stop reason), with the state of the machine."""
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
    return rows.reset_index()[column_names(COLUMNS)]
