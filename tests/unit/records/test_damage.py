"""Whatever happens to a record or a journal, no other numbers come out of it, and no traceback."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from campaigns import refused
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from timefair.basics.errors import InputError
from timefair.records.journal import journal_path, read_journal
from timefair.records.rundata.runs import Runs
from timefair.records.schema import RUN_SCHEMA
from timefair.records.store import ColumnChecksums, open_record, read_runs, with_facts


@pytest.fixture
def record(tmp_path, row, write):
    path = tmp_path / "f1.parquet"
    write(path, row(0), row(1, instance=2, message="slow", f_opt=None))
    return path


def complaint(path: Path) -> str:
    """The one line that a file is refused with."""
    with pytest.raises(InputError) as error:
        open_record(path).read()
    assert len(error.value.faults) == 1
    (line,) = error.value.faults
    assert line.startswith(f"{path}: ")
    assert "\n" not in line
    return line


def edit(path: Path, change=lambda table: table, facts: dict | None = None) -> None:
    """Change the runs in a file, or its facts, and write it with all else as it was."""
    metadata = pq.read_metadata(path).metadata
    if facts is not None:
        metadata[b"timefair"] = json.dumps(facts).encode()
    table = change(pq.read_table(path))
    pq.write_table(table.replace_schema_metadata(metadata), path)


@pytest.mark.slow
def test_truncated_anywhere(record):
    data = record.read_bytes()
    for length in range(0, len(data), 10):
        record.write_bytes(data[:length])
        assert "delete it and start snakemake again" in complaint(record)


@pytest.mark.parametrize("name", ["best_f", "run", "f_opt", "message", "seed", "started_utc"])
def test_an_edited_value(record, name):
    other = {"message": "fast", "started_utc": 5}.get(name, 3)

    def change(table: pa.Table) -> pa.Table:
        values = [other, *table[name].to_pylist()[1:]]
        place, kind = table.schema.get_field_index(name), RUN_SCHEMA.field(name).type
        return table.set_column(place, name, pa.array(values, kind))

    edit(record, change)
    assert f"column {name}" in complaint(record) or "2 columns" in complaint(record)


@pytest.mark.parametrize("name", ["time_s", "precision", "evaluations"])
def test_an_edited_event_is_found_by_all_who_read_it(record, name):
    def change(table: pa.Table) -> pa.Table:
        rows = table.to_pylist()
        rows[1]["events"][2][name] = 9
        return pa.Table.from_pylist(rows, schema=RUN_SCHEMA)

    edit(record, change)
    assert f"column events.list.element.{name} is not as measured" in complaint(record)
    with pytest.raises(InputError, match="not as measured"):
        Runs.read([record]).traces.together()


def test_a_run_that_was_taken_out_put_in_or_moved(record):
    table = pq.read_table(record)
    for other in (table.slice(1), pa.concat_tables([table, table]), table.take([1, 0])):
        edit(record, lambda _, other=other: other)
        assert "not as measured" in complaint(record)
    edit(record, lambda _: table.slice(0, 0))
    assert "its runs are gone" in complaint(record) or "not as measured" in complaint(record)


def test_a_record_without_a_checksum(record):
    facts = pq.read_metadata(record).metadata[b"timefair"]
    pq.write_table(with_facts(read_runs([record]), json.loads(facts)), record)
    assert "has no checksum" in complaint(record)


@pytest.mark.parametrize("version", [1, 999, "2", None])
def test_another_schema_version_is_refused_not_guessed(record, version):
    edit(record, facts={"schema_version": version})
    line = complaint(record)
    assert f"schema version {version}, and this timefair reads" in line


def test_loading_names_every_file_that_is_damaged(record, tmp_path):
    others = [tmp_path / name for name in ("x.parquet", "y.parquet")]
    for other in others:
        other.write_text("hello")
    assert [
        line.partition(":")[0] for line in refused(Runs.read, [others[0], record, others[1]])
    ] == [str(p) for p in others]


flips = st.lists(
    st.tuples(st.floats(0, 1, exclude_max=True), st.integers(1, 255)), min_size=1, max_size=8
)
often = settings(
    max_examples=3 * settings.default.max_examples,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def flipped(data: bytes, places: list[tuple[float, int]]) -> bytes:
    damaged = bytearray(data)
    for place, change in places:
        damaged[int(place * len(data))] ^= change
    return bytes(damaged)


@pytest.fixture
def whole(record):
    opened = open_record(record)
    return record.read_bytes(), opened, opened.read()


@pytest.mark.slow
@given(places=flips)
@often
def test_flipped_bytes_of_a_record_are_found_or_harmless(record, whole, places):
    data, before, runs = whole
    record.write_bytes(flipped(data, places))
    try:
        after = open_record(record)
        assert after.read().equals(runs)
        assert after.facts == before.facts
    except InputError as error:
        (line,) = error.faults
        assert line.startswith(f"{record}: ")
        assert "\n" not in line


@pytest.mark.slow
@given(places=flips)
@often
def test_flipped_bytes_of_a_journal_lose_runs_and_change_none(record, places):
    data = journal_path(record).read_bytes()
    kept = read_journal(data).runs
    for run, batch in read_journal(flipped(data, places)).runs.items():
        assert batch.equals(kept[run])


# --- Checksums ------------------------------------------------------------------------------

doubles = st.none() | st.floats(allow_nan=False)
texts = st.none() | st.text(max_size=4)
nested = st.none() | st.lists(st.fixed_dictionaries({"x": doubles, "end": texts}), max_size=3)
plain = {"n": doubles, "text": texts, "yes": st.none() | st.booleans()}
rows = st.lists(st.fixed_dictionaries({**plain, "in": nested}), max_size=6)
SCHEMA = pa.schema(
    [
        ("n", pa.float64()),
        ("text", pa.string()),
        ("yes", pa.bool_()),
        ("in", pa.list_(pa.struct([("x", pa.float64()), ("end", pa.string())]))),
    ]
)


def checksums(*tables: pa.Table) -> dict[str, str]:
    found = ColumnChecksums()
    for table in tables:
        found.add(table)
    return found.by_name()


@pytest.mark.slow
@given(rows=rows.filter(len), others=rows.filter(len))
def test_checksums_differ_when_values_do(rows, others):
    table, other = (pa.Table.from_pylist(each, schema=SCHEMA) for each in (rows, others))
    same = checksums(table) == checksums(other)
    assert same == (repr(table.to_pylist()) == repr(other.to_pylist()))
