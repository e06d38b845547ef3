"""Small campaigns of runs in the schema of the records."""

import pyarrow as pa
import pytest

from timefair.records.schema import RUN_SCHEMA


@pytest.fixture
def run():
    """A function: one run as a row, from its events (evaluations, seconds, precision)."""

    def make(events=(), **changes):
        row = {
            "suite": "bbob",
            "function": 1,
            "dimension": 2,
            "instance": 1,
            "algorithm": "A",
            "round": 1,
            "run": 0,
            "f_opt": 0.0,
            "seed": 7,
            "budget_s": 1.0,
            "status": "ok",
            "stop_reason": "time",
            "attempts": 1,
            "wall_s": 1.0,
            "cpu_s": 0.5,
            "evaluations": 100,
            "launches": 2,
            "completed_restarts": 1,
            "best_f": 0.0,
            "best_precision": min((e[2] for e in events), default=float("inf")),
            "overshoot_s": 0.0,
            "reaped_s": 1.0,
            "preparation_s": 0.1,
            "objective_s": 1e-4,
            "bare_s": 2e-4,
            "launch_log": [],
            "events": [
                {"restart": 0, "evaluations": n, "time_s": t, "precision": q} for n, t, q in events
            ],
        }
        return row | changes

    return make


@pytest.fixture
def table():
    """A function: rows as a table of runs."""
    return lambda *rows: pa.Table.from_pylist(list(rows), RUN_SCHEMA)


@pytest.fixture
def campaign(run, table):
    """Two algorithms on two instances; B fails on the second, after half a second."""
    return table(
        run([(1, 0.1, 5.0), (10, 0.4, 0.5)]),
        run([(1, 0.2, 50.0), (20, 0.6, 0.05)], instance=2),
        run([(2, 0.2, 0.5)], algorithm="B"),
        run([(1, 0.1, 20.0)], algorithm="B", instance=2, wall_s=0.5, evaluations=40),
    )
