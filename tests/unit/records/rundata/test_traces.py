"""Traces of runs and of launches."""

import shutil
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from timefair.basics.errors import InputError
from timefair.records import store
from timefair.records.rundata import runs as runs_module
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.traces import _EVENTS, TracePart
from timefair.records.schema import PUBLISHED
from timefair.records.store import write_record
from timefair.records.thinning import THINNING

SOURCE = {"format": "coco", "path": "old.tgz", "sha256": "0123456789abcdef", "algorithm": "old"}


@pytest.fixture(scope="module")
def rows(run):
    """Three algorithms on two problems; some runs without an event, one problem no optimum."""
    chance = np.random.default_rng(1)
    made = []
    for algorithm in ("A", "B", "C"):
        for function in (1, 8):
            for k in range(4):
                count = int(chance.integers(0, 9))
                cost = np.sort(chance.choice(np.arange(1, 90), count, replace=False)).tolist()
                precision = np.sort(10.0 ** chance.uniform(-4, 2, count))[::-1].tolist()
                events = [(n, n / 100, q) for n, q in zip(cost, precision, strict=True)]
                launches = [
                    {"start_s": 0.5 * j, "end_s": 0.5 * (j + 1), "evaluations": 50,
                     "best_precision": float(chance.uniform(0, 2)), "end": ("own", "cut")[j]}
                    for j in range(2)
                ]  # fmt: skip
                made.append(
                    run(events, algorithm=algorithm, function=function, run=k,
                        instance=1 + k % 2, f_opt=None if function == 8 else 0.0,
                        launch_log=launches, cpu_s=float(chance.uniform(0.4, 0.9)),
                        perturbation="perturbed" if k == 3 else "clean",
                        reference_before_s=0.1, reference_after_s=0.1)
                )  # fmt: skip
    return made


@pytest.fixture(scope="module")
def written(rows, table, tmp_path_factory):
    """A file an algorithm, C a published one, every three runs a row group."""
    folder = tmp_path_factory.mktemp("written")
    untimed = {"wall_s": None, "cpu_s": None, "budget_s": None, "launch_log": None, "seed": None}
    for name in ("A", "B", "C"):
        mine = [row for row in rows if row["algorithm"] == name]
        if name == "C":
            mine = [row | untimed for row in mine]
            for row in mine:
                row["events"] = [event | {"time_s": None} for event in row["events"]]
        facts = {PUBLISHED: SOURCE} if name == "C" else {}
        batches = table(*mine).to_batches(max_chunksize=3)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(store, "_ROW_GROUP_BYTES", 1)
            write_record(folder / f"{name}.parquet", batches, facts)
    return sorted(folder.glob("*.parquet"))


@pytest.fixture
def paths(written, tmp_path):
    """Copies of these files, to damage and to remove."""
    return [Path(shutil.copy(path, tmp_path)) for path in written]


def test_damage_is_found_in_the_pass_that_meets_it(paths, monkeypatch):
    monkeypatch.setattr(runs_module, "HELD_EVENTS", -1)
    runs = Runs.read(paths)
    runs.runtimes("evaluations", [1.0])
    content = bytearray(paths[0].read_bytes())
    for place in range(100, len(content) // 2, 40):
        content[place] ^= 0xFF
    paths[0].write_bytes(content)
    with pytest.raises(InputError, match=r"A\.parquet: "):
        runs.runtimes("evaluations", [2.0])


@pytest.fixture
def part():
    events = pa.chunked_array(
        [
            [[{"time_s": 0.1, "evaluations": 1, "precision": 5.0},
              {"time_s": 0.4, "evaluations": 4, "precision": 2.0}], None],
            [[{"time_s": 0.2, "evaluations": 2, "precision": 7.0}]],
        ]
    )  # fmt: skip
    return TracePart.of(events, np.array([3, 0, 1]))


def test_rows_change_and_runs_are_left_out(part):
    left = part.renumbered(np.array([5, -1, -1, 2]))
    assert left.rows.tolist() == [2, 5]
    assert left.offsets.tolist() == [0, 2, 2]
    assert left.precision.tolist() == [5.0, 2.0]


def test_what_lies_at_the_budget_is_dropped(part):
    later = part.begun_later(np.array([0.0, 0.3, 0.0, 0.1]), np.array([1.0, 0.5, 1.0, 0.6]))
    assert later.offsets.tolist() == [0, 2, 2, 2]
    np.testing.assert_allclose(later.time_s, [0.2, 0.5])


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
def launch_rows(run):
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


def expected(*launch_rows):
    return [(row, launch, own) for row in launch_rows for launch, own in EXPECTED]


def test_launches_have_what_they_found_from_their_own_start(launch_rows, table):
    assert traces(Runs.of(table(*launch_rows))) == expected(1, 3)


def test_they_are_read_from_records_part_by_part(launch_rows, table, tmp_path, monkeypatch):
    monkeypatch.setattr(store, "_ROW_GROUP_BYTES", 1)
    path = tmp_path / "a.parquet"
    write_record(path, table(*launch_rows).to_batches(max_chunksize=1), {})
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
