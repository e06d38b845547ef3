"""How runs went: statuses, stop reasons, and what disturbed or slowed them."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa

from timefair.tables.runs import Runs
from timefair.tables.settings import Analysis

KEYS = ("algorithm", "status", "stop_reason")
COLUMNS = [
    *KEYS,
    "runs",
    "overshoot_max_s",
    "run_queue_delay_share",
    "preparation_mean_s",
    "objective_overhead_share",
]


def counted(table: pa.Table, analysis: Analysis) -> pd.DataFrame:
    """Number of runs for each (algorithm, status, stop reason), with the state of the measurement.

    ``overshoot_max_s``: how far a last evaluation ended after the budget.
    ``run_queue_delay_share``: waiting for a core, as a share of the wall clock, over the runs where
    the kernel tells; NaN where none does. ``preparation_mean_s``: imports and warm-up before the
    clock, once a job. ``objective_overhead_share``: counting and stamping evaluations, as a share
    of the wall clock.
    """
    frame = Runs.of(table).frame
    delay = frame["run_queue_delay_s"].astype(float)
    grouped = frame.assign(
        delay_s=delay,
        delay_wall_s=frame["wall_s"].where(delay.notna()),
        overhead_s=frame["objective_overhead_s"] * frame["evaluations"],
        overhead_wall_s=frame["wall_s"].where(frame["objective_overhead_s"].notna()),
    ).groupby(list(KEYS), sort=True)
    sums = grouped[["delay_s", "delay_wall_s", "overhead_s", "overhead_wall_s"]].sum()
    delay_wall, overhead_wall = sums["delay_wall_s"], sums["overhead_wall_s"]
    rows = pd.DataFrame(
        {
            "runs": grouped.size(),
            "overshoot_max_s": grouped["overshoot_s"].max(),
            "run_queue_delay_share": sums["delay_s"] / delay_wall.where(delay_wall > 0),
            "preparation_mean_s": grouped["preparation_s"].mean(),
            "objective_overhead_share": sums["overhead_s"] / overhead_wall.where(overhead_wall > 0),
        }
    )
    return rows.reset_index()[COLUMNS]
