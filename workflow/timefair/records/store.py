"""Record files: written atomically, and read only if their content is unchanged.

The metadata of a file contain its facts, the checksums of its columns, and a checksum of both; the
same runs in another encoding are the same record.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import re
import struct
import sys
import time
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from timefair.basics.disk import atomic_file, begun_path, regular
from timefair.basics.errors import InputError
from timefair.basics.modules import hidden_modules
from timefair.records.schema import KEYS, RUN_SCHEMA, SCHEMA_VERSION

_HEX_DIGITS = 32


class ColumnChecksums:
    """The checksums of all columns of the added runs, in hex, by the column's name.

    Each field of nested rows has its own, as in Parquet: ``events.list.element.time_s``; that of
    the list itself is of its lengths. So some columns can be checked without the others. A column
    is numbers of one width: their count, which of them are null, and the bytes of the others.
    """

    def __init__(self) -> None:
        self._rows: Counter[str] = Counter()
        self._digests: dict[str, tuple[Any, Any]] = {}

    def add(self, runs: pa.Table) -> None:
        for name, column in zip(runs.column_names, runs.columns, strict=True):
            for values in column.chunks:
                self._add(name, values)

    def by_name(self) -> dict[str, str]:
        return {
            name: hashlib.sha256(
                self._rows[name].to_bytes(8, "little") + nulls.digest() + values.digest()
            ).hexdigest()[:_HEX_DIGITS]
            for name, (nulls, values) in self._digests.items()
        }

    def _add(self, name: str, values: pa.Array) -> None:
        if pa.types.is_list(values.type):
            self._add(name, values.value_lengths())
            self._add(f"{name}.list.element", values.flatten())
        elif pa.types.is_struct(values.type):
            for field, part in zip(values.type, values.flatten(), strict=True):
                self._add(f"{name}.{field.name}", part)
        elif pa.types.is_string(values.type):
            self._add(name, pc.binary_length(values))
            text = "".join(values.drop_null().to_pylist()).encode()
            self._add(f"{name}.text", pa.array(np.frombuffer(text, np.uint8)))
        else:
            nulls, others = self._digests.setdefault(name, (hashlib.sha256(), hashlib.sha256()))
            places = np.flatnonzero(values.is_null()) + self._rows[name]
            nulls.update(places.astype(np.uint64).tobytes())
            others.update(np.asarray(values.drop_null()).tobytes())
            self._rows[name] += len(values)


def avoid_pandas() -> None:
    """Keep pyarrow from importing pandas, which is slow, when it first converts a list."""
    with hidden_modules("pandas"):
        pa.array([0])


MEND = "delete it and start snakemake again"
_FACTS, _COLUMNS, _CHECKSUM = b"timefair", b"timefair.columns", b"timefair.checksum"
_ROW_GROUP_BYTES = 2**24


def write_record(path: Path, batches: Iterable[pa.RecordBatch], facts: Mapping[str, Any]) -> None:
    """Write a Parquet file of runs, complete or not at all, with `facts` (JSON values)."""
    columns = ColumnChecksums()
    # Without Arrow's own copy of the schema, the metadata are in only one place.
    encoding = {"compression": "zstd", "use_dictionary": False, "store_schema": False}
    with atomic_file(path) as file, pq.ParquetWriter(file, RUN_SCHEMA, **encoding) as writer:
        for runs in _row_groups(batches):
            columns.add(runs)
            writer.write_table(runs)
        texts = {
            _FACTS: _json({"schema_version": SCHEMA_VERSION, **facts}),
            _COLUMNS: _json(columns.by_name()),
        }
        writer.add_key_value_metadata(texts | {_CHECKSUM: _checksum(texts)})


def _row_groups(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Join the batches to tables of some megabytes: each adds the metadata of a row group."""
    waiting: list[pa.RecordBatch] = []
    size = 0
    for batch in batches:
        waiting.append(batch.replace_schema_metadata(None))
        size += batch.nbytes
        if size >= _ROW_GROUP_BYTES:
            yield pa.Table.from_batches(waiting).combine_chunks()
            waiting, size = [], 0
    if waiting:
        yield pa.Table.from_batches(waiting).combine_chunks()


def _checksum(metadata: Mapping[bytes, bytes]) -> bytes:
    text = metadata[_FACTS] + b"\n" + metadata.get(_COLUMNS, b"")
    return hashlib.sha256(text).hexdigest().encode()


class Record(NamedTuple):
    """A record file with the checksums of its columns, checked when they are read, and the
    `checksum` of these and of the facts.
    """

    file: pq.ParquetFile
    facts: dict[str, Any]
    path: Path
    columns: dict[str, str]
    checksum: str

    def row_groups(self, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """The runs, part by part, of some columns by Parquet's names; `InputError` if changed."""
        wanted = {name.partition(".")[0] for name in columns or RUN_SCHEMA.names}
        names = [name for name in RUN_SCHEMA.names if name in wanted]
        found = ColumnChecksums()
        for k in range(self.file.num_row_groups):
            with _decoding(self.path):
                runs = self.file.read_row_group(k, columns, use_threads=False)
                runs = runs.replace_schema_metadata(None)
                runs.validate(full=True)
                found.add(runs)
            yield runs.select(names)
        if not (now := found.by_name()):
            if self.columns:
                raise InputError(f"{self.path}: its runs are gone; {MEND}")
            yield RUN_SCHEMA.empty_table().select(names)
        if wrong := [name for name, checksum in now.items() if self.columns.get(name) != checksum]:
            shown = f"column {wrong[0]} is" if len(wrong) == 1 else f"{len(wrong)} columns are"
            raise InputError(f"{self.path}: {shown} not as measured (checksum); {MEND}")

    def read(self, columns: Sequence[str] | None = None) -> pa.Table:
        return pa.concat_tables(self.row_groups(columns))


@contextmanager
def _decoding(path: Path) -> Iterator[None]:
    """Report any error while a file is read in one line: any damage can make a decoder fail."""
    try:
        yield
    except (FileNotFoundError, NotADirectoryError, PermissionError) as error:
        raise InputError(f"{path}: {os.strerror(error.errno or 0)}") from None
    except Exception as error:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        mend = MEND if path.suffix == ".parquet" else "name results/NAME/collected/*.parquet"
        raise InputError(f"{path}: not a whole record ({reason}); {mend}") from None


def open_record(path: Path) -> Record:
    """Open a record file; `InputError` if it is incomplete, edited, or of another version."""
    with _decoding(regular(path)):
        file = pq.ParquetFile(path, pre_buffer=False)  # not the file beside its columns
        metadata = file.metadata.metadata or {}
        facts = json.loads(metadata.get(_FACTS, b"null"))
        columns = dict(json.loads(metadata.get(_COLUMNS, b"{}")))
        schema = file.schema_arrow.remove_metadata()
    if not isinstance(facts, dict) or "schema_version" not in facts:
        raise InputError(f"{path}: not a record of timefair; move it elsewhere")
    version = facts["schema_version"]
    if version != SCHEMA_VERSION:
        raise InputError(
            f"{path}: schema version {version}, and this timefair reads "
            f"{SCHEMA_VERSION}; measure again, or use the timefair that wrote it"
        )
    if metadata.get(_CHECKSUM) != _checksum(metadata):
        raise InputError(f"{path}: its metadata are not as written (checksum); {MEND}")
    if schema != RUN_SCHEMA:
        raise InputError(f"{path}: its columns are not those of a record; {MEND}")
    return Record(file, facts, path, columns, metadata[_CHECKSUM].decode())


def facts_of(schema: pa.Schema) -> dict[str, Any]:
    """The facts in the metadata of a table made from records; empty if there are none."""
    return dict(json.loads((schema.metadata or {}).get(_FACTS, "{}")))


def with_facts(runs: Any, facts: Mapping[str, Any]) -> Any:
    """The same table or batch with only these facts in its metadata."""
    return runs.replace_schema_metadata({_FACTS: _json(facts)})


def _json(value: object) -> bytes:
    return json.dumps(value, sort_keys=True).encode()


def read_runs(paths: Iterable[Path]) -> pa.Table:
    """All runs of some record files, in the order of the files; empty without paths."""
    tables = [open_record(path).read() for path in paths]
    return pa.concat_tables(tables) if tables else RUN_SCHEMA.empty_table()


READINGS = "readings"  # name of the fact, and of what meters read in each run that they metered
PLACE = ("suite", "function", "dimension", "instance", "algorithm", "round")


def listed(done: Iterable[pa.RecordBatch]) -> list[dict[str, Any]]:
    """The fact of a record, from the runs of a journal; empty if no run was metered."""
    return [
        {key: run.column(key)[0].as_py() for key in (*PLACE, "run")} | {READINGS: told}
        for run in done
        if (told := facts_of(run.schema).get(READINGS)) is not None
    ]


def by_run(fact: Iterable[Mapping[str, Any]]) -> dict[tuple[Any, ...], dict[str, Any]]:
    """The readings of each run by name, None for what was not available; by `schema.KEYS`."""
    return {tuple(row[key] for key in KEYS): row[READINGS] for row in fact}


_MAGIC = b"timefair journal 2\n"
_HEAD = struct.Struct("<QI")
SYNC_S = 5.0
"""An entry that comes this long after the last write to the disk is written to the disk at once."""


def journal_path(record: Path) -> Path:
    return record.with_name(record.name + ".journal")


class Content(NamedTuple):
    """The content of a journal."""

    owner: str | None  # the key of the measurement and the name of the record; None: not readable
    runs: dict[tuple[int, int], pa.RecordBatch]  # complete ones, of one row, by (instance, run)
    end: int  # of the last complete entry; anything after it is torn or unfinished
    damaged: int  # entries before it, each of which loses only its own run


def read_journal(data: bytes) -> Content:
    """Parse the bytes of a journal; this never fails."""
    entries = _entries(data, len(_MAGIC)) if data.startswith(_MAGIC) else iter(())
    first, end = next(entries, (None, 0))
    if first is None:
        return Content(None, {}, 0, 0)
    runs: dict[tuple[int, int], pa.RecordBatch] = {}
    damaged = skipped = 0
    for body, after in entries:
        batch = None if body is None else _run_in(body)
        if batch is None:
            skipped += 1
            continue
        runs[batch.column("instance")[0].as_py(), batch.column("run")[0].as_py()] = batch
        end, damaged = after, skipped
    return Content(first.decode(errors="replace"), runs, end, damaged)


def _entries(data: bytes, at: int) -> Iterator[tuple[bytes | None, int]]:
    """The content of each entry that ends within the data, None if damaged, and its end."""
    while (start := at + _HEAD.size) <= len(data):
        end = start + _HEAD.unpack_from(data, at)[0]
        if end > len(data):
            return
        yield data[start:end] if _entry(data[start:end]) == data[at:end] else None, end
        at = end


def _entry(body: bytes) -> bytes:
    length = len(body).to_bytes(8, "little")
    return _HEAD.pack(len(body), zlib.crc32(body, zlib.crc32(length))) + body


def _run_in(body: bytes) -> pa.RecordBatch | None:
    try:
        with pa.ipc.open_stream(body) as stream:
            batch = stream.read_next_batch()
    except (pa.ArrowException, OSError, StopIteration):
        return None
    return batch if batch.schema == RUN_SCHEMA and batch.num_rows == 1 else None


class Journal:
    """The journal of one record, with the `runs` of its `Content`, locked until it is closed.

    A torn last entry is cut off. A journal of another measurement, or without a readable owner, is
    renamed and not used. Losses are said on standard error.
    """

    def __init__(self, record: Path, key: str) -> None:
        self._path, self._owner = journal_path(record), f"{key} {record.name}"
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._fd = self._lock()
        data = self._path.read_bytes()
        content = read_journal(data)
        if content.owner == self._owner:
            self.runs = content.runs
            if content.damaged:
                self._say(f"{content.damaged} of its runs are damaged and measured again")
            if len(data) > content.end:
                self._say(f"its last {len(data) - content.end} bytes are no whole run; cut off")
            os.ftruncate(self._fd, content.end)
        else:
            self.runs = {}
            self._begin(data, content.owner)
        self._synced = time.monotonic()

    def append(self, row: dict[str, Any], facts: Mapping[str, Any] | None = None) -> pa.RecordBatch:
        """Keep a run: it survives the end of any process, and a power failure after `SYNC_S`; its
        facts, JSON values, are in the metadata of the batch.
        """
        batch = pa.RecordBatch.from_pylist([row], schema=RUN_SCHEMA)
        if facts is not None:
            batch = with_facts(batch, facts)
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema) as stream:
            stream.write_batch(batch)
        is_due = time.monotonic() - self._synced >= SYNC_S
        self._write(_entry(sink.getvalue().to_pybytes()), sync=is_due)
        self.runs[row["instance"], row["run"]] = batch
        return batch

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            with contextlib.suppress(OSError):
                self._write(b"", sync=True)
            done = f"keeps {len(self.runs)} runs that are done"
            self._say(f"{done}; the next start goes on from them")
        os.close(self._fd)

    def _lock(self) -> int:
        """Open and lock the file; again if it was replaced or deleted in the meantime."""
        while True:
            fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
            fcntl.flock(fd, fcntl.LOCK_EX)
            try:
                if os.fstat(fd).st_ino == os.stat(self._path).st_ino:
                    return fd
            except FileNotFoundError:
                pass
            os.close(fd)

    def _begin(self, data: bytes, owner: str | None) -> None:
        """Start a new journal; keep a foreign or damaged journal in the same folder."""
        head = _MAGIC + _entry(self._owner.encode())
        if not head.startswith(data):
            name = "damaged" if owner is None else owner[:12]
            aside = self._path.with_name(f"{self._path.name}.{name}")
            self._say(f"is not of this measurement or cannot be read; kept as {aside.name}")
            os.replace(self._path, aside)
            os.close(self._fd)
            self._fd = self._lock()
        os.ftruncate(self._fd, 0)
        self._write(head)

    def _say(self, what: str) -> None:
        with contextlib.suppress(OSError):  # the log may be on the full disk
            print(f"timefair: {self._path}: {what}", file=sys.stderr, flush=True)

    def _write(self, data: bytes, *, sync: bool = False) -> None:
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self._fd, view) :]
            if sync:
                os.fsync(self._fd)
                self._synced = time.monotonic()
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self._path)) from None


_NOTE_WIDTH = 40  # width of the line, so that a new line covers the old one
_NOTE = re.compile(rb"instance (\d+) run (\d+) attempt (\d+)\s*")
Turn = tuple[int, int]  # an instance and the number of a run


class BegunRun:
    """The note of one job on the run that was begun."""

    def __init__(self, record: Path) -> None:
        self._path = begun_path(record)
        self._fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        known = _NOTE.fullmatch(os.pread(self._fd, _NOTE_WIDTH, 0))
        instance, run, self._attempts = map(int, known.groups()) if known else (-1, -1, 0)
        self._turn = instance, run

    def attempts(self, turn: Turn) -> int:
        """Number of times that this run, if it was the last one begun, has ended its job."""
        return self._attempts if turn == self._turn else 0

    @contextlib.contextmanager
    def noted(self, turn: Turn) -> Iterator[None]:
        """Note that a run is begun; an exception that the run did not cause clears the note."""
        attempts = self.attempts(turn) + 1
        self._write(f"instance {turn[0]} run {turn[1]} attempt {attempts}")
        try:
            yield
        except Exception:
            self._write("")
            raise

    def _write(self, line: str) -> None:
        os.pwrite(self._fd, f"{line:<{_NOTE_WIDTH - 1}}\n".encode(), 0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        os.close(self._fd)
        if kind is None:
            self._path.unlink(missing_ok=True)
