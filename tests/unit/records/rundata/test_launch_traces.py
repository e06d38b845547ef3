"""What each launch found, from records."""

from itertools import pairwise

import numpy as np
import pytest

from timefair.records import store
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.traces import _EVENTS
from timefair.records.store import write_record
from timefair.records.thinning import THINNING


def events(*values):
    return [dict(zip(_EVENTS, one, strict=True)) for one in values]


def log(*spans):
    names = ("start_s", "end_s", "evaluations", "best_precision", "end")
    return [dict(zip(names, (*one, 0.0, "returned"), strict=True)) for one in spans]


FOUND = {
    "events": events((0, 1, 0.1, 9.0), (0, 3, 0.3, 4.0), (1, 7, 0.75, 2.0)),
    "launch_events": events((1, 5, 0.5, 8.0), (1, 6, 0.625, 5.0), (2, 9, 1.0, 7.0)),
    "launch_log": log((0.0, 0.5, 4), (0.5, 0.875, 4), (0.875, 1.0, 2)),
}


@pytest.fixture
def rows(run):
    none = {"events": [], "launch_events": [], "launch_log": []}
    return [
        run([], run=0) | none,
        run([], run=1, cpu_s=0.25, best_precision=2.0) | FOUND,
        run([(1, 0.1, 3.0)], run=2, launch_log=log((0.0, 1.0, 4))),  # of an older version
        run([], run=3, cpu_s=1.0, best_precision=2.0) | FOUND,
    ]


def traces(runs):
    """Run, launch and events of every launch."""
    found = []
    for part in runs.launch_traces:
        assert part.rows.shape == part.launch.shape == (part.offsets.size - 1,)
        values = np.column_stack([part.evaluations, part.time_s, part.precision]).tolist()
        own = [values[begin:end] for begin, end in pairwise(part.offsets)]
        found += zip(part.rows, part.launch, own, strict=True)
    return sorted(found)


EXPECTED = [
    (0, [[1, 0.1, 9.0], [3, 0.3, 4.0]]),
    (1, [[1, 0.0, 8.0], [2, 0.125, 5.0], [3, 0.25, 2.0]]),
    (2, [[1, 0.125, 7.0]]),
]


def expected(*rows):
    return [(row, launch, own) for row in rows for launch, own in EXPECTED]


def test_launches_have_what_they_found_from_their_own_start(rows, table):
    assert traces(Runs.of(table(*rows))) == expected(1, 3)


def test_they_are_read_from_records_part_by_part(rows, table, tmp_path, monkeypatch):
    monkeypatch.setattr(store, "_ROW_GROUP_BYTES", 1)
    path = tmp_path / "a.parquet"
    write_record(path, table(*rows).to_batches(max_chunksize=1), {})
    runs = Runs.read([path])
    assert len(list(runs.launch_traces)) == 4
    assert traces(runs) == traces(runs) == expected(1, 3)


def test_without_an_optimum_precisions_are_distances_to_the_best_known(run, table):
    runs = Runs.of(table(run([], f_opt=None, best_precision=2.0) | FOUND))
    assert traces(runs)[1][2] == [[1, 0.0, 6.0], [2, 0.125, 3.0], [3, 0.25, 0.0]]


def test_launches_that_are_not_traced_are_left_out(run, table):
    many = log(*((k / 128, (k + 1) / 128, 1) for k in range(128)))
    found = events(*((k, k + 1, (k + 1) / 128, 9.0) for k in (1, 64)))
    best = events((0, 1, 1 / 128, 8.0), (65, 66, 66 / 128, 4.0))
    row = run([]) | {"events": best, "launch_events": found, "launch_log": many}
    found = traces(Runs.of(table(row)))
    assert [launch for _, launch, _ in found] == [k for k in range(128) if THINNING.traces(k)]
    assert [(launch, own[0][0]) for _, launch, own in found if own] == [(0, 1), (1, 1), (64, 1)]
