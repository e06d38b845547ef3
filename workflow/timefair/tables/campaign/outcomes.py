"""How runs went: statuses, stop reasons, and what disturbed or slowed them."""

from __future__ import annotations

import pandas as pd

from timefair.tables.runs import Runs
from timefair.tables.settings import Analysis

KEYS = ("algorithm", "status", "stop_reason")
COLUMNS = [
    *KEYS,
    "runs",
    "disturbed",
    "overshoot_max_s",
    "run_queue_delay_share",
    "preparation_mean_s",
    "objective_share",
    "objective_per_bare",
]


def counted(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Number of runs for each (algorithm, status, stop reason), with the state of the measurement.

    ``disturbed`` counts the runs that others have slowed. ``overshoot_max_s``: how far a last
    evaluation ended after the budget. ``run_queue_delay_share``: waiting of the run's process for a
    core, whoever had it, as a share of the wall clock, over the runs where the kernel tells; NaN
    where none does. An external program that takes turns with this process on one core is in it,
    and does not make a run disturbed: that goes by ``foreign_delay_s`` of the records.
    ``preparation_mean_s``: imports and warm-up before the clock, once a job. ``objective_share``:
    time inside the objective, the evaluation itself included, as a share of the wall clock.
    ``objective_per_bare``: what an evaluation by the instrumented objective costs, as a multiple of
    the suite's own call; below 1 where the objective evaluates without the interpreter.
    """
    frame = runs.frame
    delay = frame["run_queue_delay_s"].astype(float)
    grouped = frame.assign(
        disturbed=runs.disturbed,
        delay_s=delay,
        delay_wall_s=frame["wall_s"].where(delay.notna()),
        inside_s=frame["objective_s"] * frame["evaluations"],
    ).groupby(list(KEYS), sort=True)
    sums = grouped[["delay_s", "delay_wall_s", "inside_s", "wall_s", "objective_s", "bare_s"]].sum()
    delay_wall, wall = sums["delay_wall_s"], sums["wall_s"]
    rows = pd.DataFrame(
        {
            "runs": grouped.size(),
            "disturbed": grouped["disturbed"].sum(),
            "overshoot_max_s": grouped["overshoot_s"].max(),
            "run_queue_delay_share": sums["delay_s"] / delay_wall.where(delay_wall > 0),
            "preparation_mean_s": grouped["preparation_s"].mean(),
            "objective_share": sums["inside_s"] / wall.where(wall > 0),
            "objective_per_bare": sums["objective_s"] / sums["bare_s"],
        }
    )
    return rows.reset_index()[COLUMNS]
