"""Records, journals and notes of what was begun; writing them does not import pandas."""

import multiprocessing
import os
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pytest

from timefair.basics.disk import begun_path
from timefair.basics.errors import Interrupted
from timefair.records import store
from timefair.records.rundata.runs import Runs
from timefair.records.schema import RUN_SCHEMA
from timefair.records.store import BegunRun, Journal, journal_path, open_record

KEY = "ab" * 32


@pytest.fixture
def record(tmp_path):
    return tmp_path / "f1.parquet"


def test_a_journal_gives_back_what_was_appended(record, row):
    with Journal(record, KEY) as journal:
        journal.append(row(0))
        journal.append(row(1, instance=2))
    with Journal(record, KEY) as journal:
        assert set(journal.runs) == {(1, 0), (2, 1)}
        again = journal.runs[1, 0].to_pylist()[0]
    assert again["events"] == row(0)["events"]
    assert again["seed"] == 2**64 - 1


def test_short_runs_go_to_the_disk_together_and_long_ones_at_once(record, row, monkeypatch):
    clock = [0.0]
    synced = []
    monkeypatch.setattr("timefair.records.store.time.monotonic", lambda: clock[0])
    monkeypatch.setattr(os, "fsync", lambda fd: synced.append(clock[0]))
    journal = Journal(record, KEY)
    for run, moment in enumerate((2.0, 4.0, 5.5, 7.0, 20.0, 21.0)):
        clock[0] = moment
        journal.append(row(run))
    assert synced == [5.5, 20.0]
    clock[0] = 22.0
    journal.__exit__(KeyboardInterrupt)  # the job is ended before it has written its record
    assert synced == [5.5, 20.0, 22.0]


def test_some_columns_are_read_alone(record, row, write):
    write(record, row(0, best_x=[0.5, 1.5]), row(1))
    one = open_record(record)
    assert one.read().schema == RUN_SCHEMA
    assert one.read(["best_x.list.element", "run"]).column_names == ["run", "best_x"]
    assert Runs.read([record]).column("best_x").to_pylist() == [[0.5, 1.5], None]


@pytest.mark.parametrize("cut", [1, 5, 11, 12, 13, 100])
def test_a_torn_tail_is_cut_off_and_the_journal_goes_on(record, cut, row):
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
def test_a_journal_torn_in_its_head_begins_anew(record, length, row):
    with Journal(record, KEY) as journal:
        journal.append(row(0))
    os.truncate(journal_path(record), length)
    with Journal(record, KEY) as journal:
        assert journal.runs == {}
        journal.append(row(0))
    with Journal(record, KEY) as journal:
        assert set(journal.runs) == {(1, 0)}


def test_a_journal_whose_head_is_damaged_is_kept_aside(record, row, capsys):
    with Journal(record, KEY) as journal:
        journal.append(row(0))
    data = bytearray(journal_path(record).read_bytes())
    data[40] ^= 1
    journal_path(record).write_bytes(data)
    with Journal(record, KEY) as journal:
        assert journal.runs == {}
    aside = journal_path(record).with_name(f"{journal_path(record).name}.damaged")
    assert aside.read_bytes() == data
    assert f"kept as {aside.name}" in capsys.readouterr().err


def test_a_journal_of_another_key_is_set_aside_whole(record, row):
    with Journal(record, KEY) as journal:
        journal.append(row(0))
    before = journal_path(record).read_bytes()
    with Journal(record, "cd" * 32) as journal:
        assert journal.runs == {}
    aside = journal_path(record).with_name(f"{journal_path(record).name}.{KEY[:12]}")
    assert aside.read_bytes() == before


def _hold(record: Path, appended: dict, seconds: float, ready) -> None:
    with Journal(record, KEY) as journal:
        ready.set()
        time.sleep(seconds)
        journal.append(appended)


@pytest.mark.slow
def test_a_second_writer_waits_and_finds_what_the_first_one_made(record, row):
    context = multiprocessing.get_context("fork")
    ready = context.Event()
    other = context.Process(target=_hold, args=(record, row(0), 0.3, ready))
    other.start()
    assert ready.wait(10)
    with Journal(record, KEY) as journal:
        assert set(journal.runs) == {(1, 0)}
    other.join()


def test_a_record_without_runs_has_the_columns_that_are_asked_for(record, row, write):
    """In a race, an algorithm may have no run in a round."""
    store.write_record(record, [], {"key": KEY})
    some = ["run", "best_precision", "instance"]
    empty = open_record(record).read(some)
    assert (empty.num_rows, set(empty.column_names)) == (0, set(some))
    write(record.with_name("f2.parquet"), row(0))
    other = open_record(record.with_name("f2.parquet")).read(some)
    assert pa.concat_tables([empty, other]).num_rows == 1


SCRIPT = """
import sys
import pyarrow as pa
from timefair.records.store import avoid_pandas
avoid_pandas()
pa.RecordBatch.from_pylist([{"a": [{"b": 1.0}]}])
assert "pandas" not in sys.modules
frame = pa.table({"a": [1, 2]}).to_pandas()
assert frame["a"].tolist() == [1, 2]
import pandas
avoid_pandas()
assert pa.array(pandas.Series([1.0, None]), from_pandas=True).null_count == 1
"""


def test_lists_are_converted_without_pandas_which_works_when_it_is_wanted():
    subprocess.run([sys.executable, "-c", SCRIPT], check=True)


def end_the_job(record: Path, turn: tuple[int, int]) -> None:
    pid = os.fork()
    if pid == 0:
        with BegunRun(record) as begun, begun.noted(turn):
            os._exit(9)
    os.waitpid(pid, 0)


@pytest.mark.slow
def test_attempts_are_counted_for_the_run_that_was_begun_last(record):
    for turn in ((1, 10), (71, 3), (71, 3), (71, 3)):
        end_the_job(record, turn)
    with BegunRun(record) as begun:
        assert begun.attempts((71, 3)) == 3
        assert begun.attempts((1, 10)) == begun.attempts((71, 2)) == 0


def test_a_job_that_ends_in_order_leaves_nothing_but_a_signal_may_be_the_run_s_doing(record):
    with BegunRun(record) as begun, begun.noted((1, 0)):
        assert begun_path(record).read_text().rstrip() == "instance 1 run 0 attempt 1"
    assert not begun_path(record).exists()
    with pytest.raises(Interrupted), BegunRun(record) as begun, begun.noted((1, 0)):
        raise Interrupted(15)
    with BegunRun(record) as begun:
        assert begun.attempts((1, 0)) == 1


@pytest.mark.parametrize("content", [b"", b"\xff" * 50, b"instance 1 run x attempt 3", b"9 " * 30])
def test_a_damaged_note_is_none(record, content):
    begun_path(record).write_bytes(content)
    with BegunRun(record) as begun:
        assert begun.attempts((1, 0)) == 0
