"""Runs to export, one row per run."""

import pyarrow as pa

from timefair.records.schema import RUN_SCHEMA


def a_run(*events, **changes):
    """One run as a row, from its events (evaluations, seconds, precision)."""
    return {
        "suite": "bbob", "function": 1, "dimension": 2, "instance": 1, "algorithm": "A", "run": 0,
        "f_opt": 1.0, "evaluations": 100, "wall_s": 0.5,
        "events": [
            {"launch": 0, "evaluations": n, "time_s": t, "precision": q} for n, t, q in events
        ],
        **changes,
    }  # fmt: skip


def table(*rows):
    return pa.Table.from_pylist(list(rows), RUN_SCHEMA)
