"""The completed runs of an unfinished job, in a file that survives the job beside its record.

The file is append-only. An entry consists of a length, a CRC-32 of length and content, and the
content, an Arrow stream of one run; the first entry names the measurement and the record. A note
beside it says which run was begun, in case the run ends its job: the next start tries it again.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import struct
import sys
import time
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Self

import pyarrow as pa

from timefair.basics.files import begun_path
from timefair.records.schema import RUN_SCHEMA
from timefair.records.store import with_facts

_MAGIC = b"timefair journal 2\n"
_HEAD = struct.Struct("<QI")

SYNC_S = 5.0
"""An entry that comes this long after the last write to the disk is written to the disk at once."""


def journal_path(record: Path) -> Path:
    return record.with_name(record.name + ".journal")


class Content(NamedTuple):
    """The content of a journal.

    - `owner`: The key of the measurement and the name of the record; None if not readable.
    - `runs`: Each complete run, as a one-row batch of `RUN_SCHEMA`, by (instance, run).
    - `end`: End of the last complete entry; anything after it is torn or unfinished.
    - `damaged`: Number of damaged entries before it; each of them loses only its own run.
    """

    owner: str | None
    runs: dict[tuple[int, int], pa.RecordBatch]
    end: int
    damaged: int


def read_journal(data: bytes) -> Content:
    """Parse the bytes of a journal; this never fails."""
    first = _entry_at(data, len(_MAGIC)) if data.startswith(_MAGIC) else None
    if first is None:
        return Content(None, {}, 0, 0)
    runs: dict[tuple[int, int], pa.RecordBatch] = {}
    end = at = len(_MAGIC) + _HEAD.size + len(first)
    damaged = skipped = 0
    while (length := _length_at(data, at)) is not None:
        batch, at = _run_at(data, at), at + _HEAD.size + length
        if batch is None:
            skipped += 1
            continue
        runs[batch.column("instance")[0].as_py(), batch.column("run")[0].as_py()] = batch
        end, damaged = at, skipped
    return Content(first.decode(errors="replace"), runs, end, damaged)


def _length_at(data: bytes, at: int) -> int | None:
    """Length of the entry that begins here; None if it does not end within the data."""
    if at + _HEAD.size > len(data):
        return None
    length: int = _HEAD.unpack_from(data, at)[0]
    return length if at + _HEAD.size + length <= len(data) else None


def _entry_at(data: bytes, at: int) -> bytes | None:
    """Content of the entry that begins here; None if it is damaged."""
    length = _length_at(data, at)
    if length is None:
        return None
    body = data[at + _HEAD.size : at + _HEAD.size + length]
    return body if _entry(body) == data[at : at + _HEAD.size + length] else None


def _entry(body: bytes) -> bytes:
    length = len(body).to_bytes(8, "little")
    return _HEAD.pack(len(body), zlib.crc32(body, zlib.crc32(length))) + body


def _run_at(data: bytes, at: int) -> pa.RecordBatch | None:
    entry = _entry_at(data, at)
    try:
        with pa.ipc.open_stream(entry or b"") as stream:
            batch = stream.read_next_batch()
    except (pa.ArrowException, OSError, StopIteration):
        return None
    return batch if batch.schema == RUN_SCHEMA and batch.num_rows == 1 else None


class Journal:
    """The journal of one record, locked by this process until it is closed; opening waits for
    others.

    A torn last entry is cut off. A journal of another measurement, or without a readable owner, is
    renamed and not used. Losses are said on standard error. `runs` are as in `Content`.
    """

    def __init__(self, record: Path, key: str) -> None:
        self._path, self._owner = journal_path(record), f"{key} {record.name}"
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._fd = self._lock()
        data = self._read()
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
        """Keep a run: it survives the end of any process, and a power failure after `SYNC_S`.

        `facts`, JSON values, are kept with the run; `store.facts_of` reads them from the batch.
        """
        batch = pa.RecordBatch.from_pylist([row], schema=RUN_SCHEMA)
        if facts is not None:
            batch = with_facts(batch, facts)
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema) as stream:
            stream.write_batch(batch)
        self._write(_entry(sink.getvalue().to_pybytes()))
        if time.monotonic() - self._synced >= SYNC_S:
            self._sync()
        self.runs[row["instance"], row["run"]] = batch
        return batch

    def close(self) -> None:
        os.close(self._fd)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            with contextlib.suppress(OSError):
                self._sync()
        self.close()
        if kind is not None:
            self._say(
                f"keeps {len(self.runs)} runs that are done; the next start goes on from them"
            )

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

    def _read(self) -> bytes:
        with os.fdopen(os.dup(self._fd), "rb") as file:
            file.seek(0)
            return file.read()

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        with self._naming():
            while view:
                view = view[os.write(self._fd, view) :]

    def _sync(self) -> None:
        with self._naming():
            os.fsync(self._fd)
        self._synced = time.monotonic()

    @contextlib.contextmanager
    def _naming(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self._path)) from None


_NOTE_WIDTH = 40  # width of the line, so that a new line covers the old one
Turn = tuple[int, int]  # an instance and the number of a run


class BegunRun:
    """The note of one job on the run that was begun."""

    def __init__(self, record: Path) -> None:
        self._path = begun_path(record)
        self._fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        self._turn, self._attempts = _noted(os.pread(self._fd, _NOTE_WIDTH, 0))

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


def _noted(line: bytes) -> tuple[Turn | None, int]:
    """The run and its attempts; none if this module did not write the line."""
    words = line.decode(errors="replace").split()
    try:
        if words[::2] == ["instance", "run", "attempt"]:
            instance, run, attempts = map(int, words[1::2])
            return (instance, run), attempts
    except ValueError:
        pass
    return None, 0
