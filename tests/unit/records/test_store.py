"""Journals survive a kill; records are whole or refused; collecting misses nothing."""

from __future__ import annotations

import multiprocessing
import os
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from timefair.errors import InputError
from timefair.records.collect import collect
from timefair.records.journal import Journal, journal_path
from timefair.records.schema import RUN_SCHEMA
from timefair.records.store import open_record, read_runs, write_record

KEY = "ab" * 32


def row(run: int, instance: int = 1, events: int = 3) -> dict:
    return {
        "suite": "bbob", "function": 1, "dimension": 2, "instance": instance, "algorithm": "a",
        "round": 1, "run": run, "seed": 2**64 - 1, "status": "ok", "stop_reason": "time",
        "launch_log": [],
        "events": [
            {"restart": 0, "evaluations": k, "time_s": 0.1 * k, "precision": 1.0 / k}
            for k in range(1, events + 1)
        ],
    }  # fmt: skip


@pytest.fixture
def record(tmp_path: Path) -> Path:
    return tmp_path / "records" / "a" / "f1.parquet"


def test_a_journal_gives_back_what_was_appended(record):
    with Journal(record, KEY) as journal:
        journal.append(row(0))
        journal.append(row(1, instance=2))
    with Journal(record, KEY) as journal:
        assert set(journal.runs) == {(1, 0), (2, 1)}
        again = journal.runs[1, 0].to_pylist()[0]
    assert again["events"] == row(0)["events"]
    assert again["seed"] == 2**64 - 1


@pytest.mark.parametrize("cut", [1, 5, 11, 12, 13, 100])
def test_a_torn_tail_is_cut_off_and_the_journal_goes_on(record, cut):
    with Journal(record, KEY) as journal:
        journal.append(row(0))
        journal.append(row(1))
    path = journal_path(record)
    os.truncate(path, path.stat().st_size - cut)
    with Journal(record, KEY) as journal:
        assert set(journal.runs) == {(1, 0)}
        journal.append(row(1))
    with Journal(record, KEY) as journal:
        assert set(journal.runs) == {(1, 0), (1, 1)}


@pytest.mark.parametrize("length", range(0, 120, 7))
def test_a_journal_torn_in_its_head_begins_anew(record, length):
    with Journal(record, KEY) as journal:
        journal.append(row(0))
    os.truncate(journal_path(record), length)
    with Journal(record, KEY) as journal:
        assert journal.runs == {}
        journal.append(row(0))
    with Journal(record, KEY) as journal:
        assert set(journal.runs) == {(1, 0)}


def test_a_flipped_byte_loses_that_entry_and_what_follows_not_what_is_before(record):
    with Journal(record, KEY) as journal:
        journal.append(row(0))
        first = journal_path(record).stat().st_size
        journal.append(row(1))
    data = bytearray(journal_path(record).read_bytes())
    data[first + 40] ^= 1
    journal_path(record).write_bytes(data)
    with Journal(record, KEY) as journal:
        assert set(journal.runs) == {(1, 0)}


def test_a_journal_of_another_key_is_set_aside_whole(record):
    with Journal(record, KEY) as journal:
        journal.append(row(0))
    before = journal_path(record).read_bytes()
    with Journal(record, "cd" * 32) as journal:
        assert journal.runs == {}
    aside = journal_path(record).with_name(f"{journal_path(record).name}.{KEY[:12]}")
    assert aside.read_bytes() == before


def _hold(record: Path, seconds: float, ready) -> None:
    with Journal(record, KEY) as journal:
        ready.set()
        time.sleep(seconds)
        journal.append(row(0))


def test_a_second_writer_waits_and_finds_what_the_first_one_made(record):
    context = multiprocessing.get_context("fork")
    ready = context.Event()
    other = context.Process(target=_hold, args=(record, 0.3, ready))
    other.start()
    assert ready.wait(10)
    with Journal(record, KEY) as journal:
        assert set(journal.runs) == {(1, 0)}
    other.join()


def write(path: Path, *rows: dict) -> None:
    with Journal(path, KEY) as journal:
        for one in rows:
            journal.append(one)
        write_record(path, journal.runs.values(), {"key": KEY})


def test_a_record_round_trips(record):
    write(record, row(0), row(1))
    file, facts = open_record(record)
    assert facts["key"] == KEY
    assert file.schema_arrow.remove_metadata() == RUN_SCHEMA
    assert read_runs([record]).column("run").to_pylist() == [0, 1]
    assert read_runs([]).num_rows == 0


def test_a_record_that_fails_half_way_is_not_there(record):
    def batches():
        with Journal(record, KEY) as journal:
            journal.append(row(0))
            yield journal.runs[1, 0]
        raise RuntimeError("half way")

    with pytest.raises(RuntimeError):
        write_record(record, batches(), {})
    assert [path.name for path in record.parent.iterdir()] == [journal_path(record).name]


@pytest.mark.parametrize("damage", ["empty", "truncated", "text", "foreign", "version"])
def test_what_is_no_record_is_refused_by_name(record, damage):
    write(record, row(0))
    if damage == "empty":
        record.write_bytes(b"")
    elif damage == "truncated":
        os.truncate(record, record.stat().st_size // 2)
    elif damage == "text":
        record.write_text("hello")
    else:
        table = pq.read_table(record)
        meta = {} if damage == "foreign" else {b"timefair": b'{"schema_version": 999}'}
        pq.write_table(table.replace_schema_metadata(meta), record)
    with pytest.raises(InputError) as error:
        open_record(record)
    assert len(error.value.faults) == 1
    assert str(record) in error.value.faults[0]


def test_collecting_joins_the_records_and_drops_their_journals(tmp_path):
    paths = [tmp_path / f"{k}.parquet" for k in (1, 2)]
    write(paths[0], row(0), row(1))
    write(paths[1], row(0, instance=2), row(1, instance=2))
    output = tmp_path / "collected" / "a.parquet"
    expected = {(1, 2, instance, run) for instance in (1, 2) for run in (0, 1)}
    collect(paths, expected, output)
    assert read_runs([output]).num_rows == 4
    assert not any(journal_path(path).exists() for path in paths)
    assert open_record(output)[1]["collected"]["key"] == [KEY]


@pytest.mark.parametrize(
    ("runs", "line"),
    [
        ([0], "f1 D=2 instance 1 run 1: missing"),
        ([0, 1, 2], "f1 D=2 instance 1 run 2: not part of the campaign"),
    ],
)
def test_collecting_refuses_what_is_incomplete_or_foreign(record, tmp_path, runs, line):
    write(record, *map(row, runs))
    output = tmp_path / "out.parquet"
    with pytest.raises(InputError) as error:
        collect([record], {(1, 2, 1, 0), (1, 2, 1, 1)}, output)
    assert error.value.faults == (line,)
    assert not output.exists()
    assert journal_path(record).exists()


def test_collecting_refuses_a_run_that_is_there_twice(tmp_path):
    paths = [tmp_path / f"{k}.parquet" for k in (1, 2)]
    for path in paths:
        write(path, row(0))
    with pytest.raises(InputError, match="is there twice"):
        collect(paths, {(1, 2, 1, 0)}, tmp_path / "out.parquet")
