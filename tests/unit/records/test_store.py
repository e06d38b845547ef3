"""Journals survive a kill; records are written whole or not at all, without pandas."""

import hashlib
import json
import multiprocessing
import os
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from timefair.records.journal import Journal, journal_path
from timefair.records.rundata.runs import Runs
from timefair.records.schema import BEFORE, RUN_SCHEMA, schema_of
from timefair.records.store import ColumnChecksums, open_record, read_runs, write_record

KEY = "ab" * 32


@pytest.fixture
def record(tmp_path):
    return tmp_path / "records" / "a" / "f1.parquet"


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
    monkeypatch.setattr("timefair.records.journal.time.monotonic", lambda: clock[0])
    monkeypatch.setattr(os, "fsync", lambda fd: synced.append(clock[0]))
    journal = Journal(record, KEY)
    for run, moment in enumerate((2.0, 4.0, 5.5, 7.0, 20.0, 21.0)):
        clock[0] = moment
        journal.append(row(run))
    assert synced == [5.5, 20.0]
    clock[0] = 22.0
    journal.__exit__(KeyboardInterrupt)  # the job is ended before it has written its record
    assert synced == [5.5, 20.0, 22.0]


@pytest.mark.parametrize("version", sorted(BEFORE))
def test_a_record_with_earlier_names_is_read_with_those_of_now(record, row, write, version):
    """Of columns, of states, and in the facts, such as the archive of the study has them."""
    write(record, row(0, perturbation="perturbed", perturbed_by="steal"), row(1))
    expected = read_runs([record])
    as_version(version, record)
    assert "disturbed_by" in pq.read_schema(record).names
    old = open_record(record)
    assert old.read() == expected == read_runs([record])
    assert old.read().schema == RUN_SCHEMA
    (alone,) = old.row_groups(["perturbation", "run"])
    assert alone["perturbation"].to_pylist() == ["perturbed", None]
    assert old.read(["run"]).column_names == ["run"]
    assert old.facts["campaign"] == {"timing": {"perturbed": "flag"}, "tables": ["timing_noise"]}
    assert Runs.read([record]).perturbed.tolist() == [True, False]


def as_version(version: int, path: Path) -> None:
    """Write a record again as the timefair of an earlier schema version did."""
    metadata = dict(pq.read_metadata(path).metadata)
    facts = json.loads(metadata[b"timefair"]) | {"schema_version": version}
    facts["campaign"] = {"timing": {"disturbed": "flag"}, "tables": ["resolution"]}
    runs = pq.read_table(path).replace_schema_metadata(None)
    place = runs.column_names.index("perturbation")
    states = ["disturbed" if s == "perturbed" else s for s in runs["perturbation"].to_pylist()]
    runs = runs.set_column(place, "perturbation", pa.array(states))
    runs = runs.rename_columns(schema_of(version).names)
    columns = ColumnChecksums()
    columns.add(runs)
    metadata[b"timefair"] = json.dumps(facts, sort_keys=True).encode()
    metadata[b"timefair.columns"] = json.dumps(columns.by_name(), sort_keys=True).encode()
    text = metadata[b"timefair"] + b"\n" + metadata[b"timefair.columns"]
    metadata[b"timefair.checksum"] = hashlib.sha256(text).hexdigest().encode()
    with pq.ParquetWriter(path, runs.schema, store_schema=False) as writer:
        writer.write_table(runs)
        writer.add_key_value_metadata(metadata)


def test_some_columns_are_read_alone(record, row, write):
    write(record, row(0, best_x=[0.5, 1.5]), row(1))
    one = open_record(record)
    assert one.read().schema == RUN_SCHEMA
    assert one.read(["best_x.list.element", "run"]).column_names == ["run", "best_x"]
    assert Runs.read([record]).read_points().to_pylist() == [[0.5, 1.5], None]


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


def test_a_flipped_byte_loses_that_entry_and_what_follows_not_what_is_before(record, row):
    with Journal(record, KEY) as journal:
        journal.append(row(0))
        first = journal_path(record).stat().st_size
        journal.append(row(1))
    data = bytearray(journal_path(record).read_bytes())
    data[first + 40] ^= 1
    journal_path(record).write_bytes(data)
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


def test_a_record_round_trips(record, row, write):
    write(record, row(0), row(1))
    assert open_record(record).facts["key"] == KEY
    assert pq.read_schema(record).remove_metadata() == RUN_SCHEMA
    assert read_runs([record]).column("run").to_pylist() == [0, 1]
    assert read_runs([]).num_rows == 0


def test_a_record_without_runs_has_the_columns_that_are_asked_for(record, row):
    """In a race, an algorithm may have no run in a round."""
    write_record(record, [], {"key": KEY})
    some = ["run", "best_precision", "instance"]
    empty = open_record(record).read(some)
    assert (empty.num_rows, set(empty.column_names)) == (0, set(some))
    with Journal(record.with_name("f2.parquet"), KEY) as journal:
        journal.append(row(0))
        write_record(record.with_name("f2.parquet"), journal.runs.values(), {"key": KEY})
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
