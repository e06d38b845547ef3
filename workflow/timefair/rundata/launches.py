"""The launches of runs, one row per launch, and their changes when runs are changed.

Columns: ``row``: index of the run in the frame of runs; ``start_s``, ``end_s``, ``evaluations`` and
``best_precision`` of the launch by itself; ``complete``: whether it ended by itself, by its share
tau or at the final target, and was not cut; ``unlimited``: whether neither a limit tau nor a budget
ended it.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from timefair.records.schema import RUN_SCHEMA
from timefair.records.status import COMPLETED, LaunchEnd
from timefair.rundata.sources import Source

NUMBERS = ("start_s", "end_s", "evaluations", "best_precision")
ENDED_BY_ITSELF = [str(end) for end in sorted({*COMPLETED, LaunchEnd.TARGET})]
LIMITED = [str(LaunchEnd.TAU), str(LaunchEnd.CUT)]


def read(source: Source, rows: NDArray[np.intp], reference: NDArray[np.float64]) -> pd.DataFrame:
    """The launches of all runs without a negative row, in the order of the rows.

    Precisions are distances to `reference`, one number per run.
    """
    parts = [_flat(pa.chunked_array([], RUN_SCHEMA.field("launch_log").type), rows[:0])]
    first = 0
    for log in source.nested("launch_log", (*NUMBERS, "end")):
        here = rows[first : first + len(log)]
        first += len(log)
        parts.append(_flat(log, here))
    launches = pd.concat(parts, ignore_index=True)
    launches = launches[launches["row"] >= 0].sort_values("row", kind="stable", ignore_index=True)
    return from_reference(launches, reference)


def _flat(log: pa.ChunkedArray, rows: NDArray[np.intp]) -> pd.DataFrame:
    lengths = pc.fill_null(pc.list_value_length(log), 0).to_numpy()
    flat = pc.list_flatten(log)
    end = pc.struct_field(flat, "end")
    complete = pc.is_in(end, pa.array(ENDED_BY_ITSELF))
    unlimited = pc.invert(pc.is_in(end, pa.array(LIMITED)))
    numbers = {name: np.asarray(pc.struct_field(flat, name), dtype=np.float64) for name in NUMBERS}
    return pd.DataFrame(
        {
            "row": np.repeat(rows, lengths),
            **numbers,
            "complete": np.asarray(complete),
            "unlimited": np.asarray(unlimited),
        }
    )


def of_runs(launches: pd.DataFrame, rows: NDArray[np.intp]) -> pd.DataFrame:
    """The same launches with other rows for their runs; those of runs with a negative row are
    omitted.
    """
    moved = launches.assign(row=rows[launches["row"]])
    return moved[moved["row"] >= 0].sort_values("row", kind="stable", ignore_index=True)


def from_reference(launches: pd.DataFrame, reference: NDArray[np.float64]) -> pd.DataFrame:
    """Precisions as distances to a reference value per run."""
    precision = launches["best_precision"] - reference[launches["row"]]
    return launches.assign(best_precision=precision)


def scaled(launches: pd.DataFrame, scale: NDArray[np.float64]) -> pd.DataFrame:
    """The same launches with times multiplied by one factor per run."""
    of_launch = scale[launches["row"]]
    return launches.assign(
        start_s=launches["start_s"] * of_launch, end_s=launches["end_s"] * of_launch
    )


def begun_later(
    launches: pd.DataFrame, late_s: NDArray[np.float64], budget_s: NDArray[np.float64]
) -> pd.DataFrame:
    """The same launches, later by one delay per run; a launch that then ends at or after the budget
    is cut there.
    """
    delay, limit = late_s[launches["row"]], budget_s[launches["row"]]
    end_s = launches["end_s"] + delay
    return launches.assign(
        start_s=launches["start_s"] + delay,
        end_s=np.minimum(end_s, limit),
        complete=launches["complete"] & (end_s < limit),
        unlimited=launches["unlimited"] & (end_s < limit),
    )[launches["start_s"] + delay < limit].reset_index(drop=True)
