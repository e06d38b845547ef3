"""The runs of a job that are done while the job is not.

A journal lies beside the record of its job and survives the job: a job that is killed goes on
after the last whole run. It is append-only; an entry is a length, a CRC-32 and an Arrow stream of
one run. The first entry names the key of the measurement that it belongs to.
"""

from __future__ import annotations

import fcntl
import os
import struct
import zlib
from pathlib import Path
from typing import Any, Self

import pyarrow as pa

from timefair.records.schema import RUN_SCHEMA

_MAGIC = b"timefair journal 1\n"
_HEAD = struct.Struct("<QI")


def journal_path(record: Path) -> Path:
    """Where the journal of a record lies."""
    return record.with_name(record.name + ".journal")


class Journal:
    """The journal of one record, held by this process until it is closed.

    Opening waits for another process that holds it: after a kill -9 of the workflow its jobs run
    on, and what they finish is then found here. A torn last entry is cut off. A journal of another
    key is set aside under its own key's name, never mixed in.

    Attributes
    ----------
    runs : dict
        The runs it holds, as one-row batches of `RUN_SCHEMA`, by (instance, run).
    """

    def __init__(self, record: Path, key: str) -> None:
        self._path, self._key = journal_path(record), key
        self.runs: dict[tuple[int, int], pa.RecordBatch] = {}
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._fd = self._lock()
        if not self._load():
            found = self._found_key()
            if found is not None:
                aside = self._path.with_name(f"{self._path.name}.{found[:12]}")
                os.replace(self._path, aside)
                os.close(self._fd)
                self._fd = self._lock()
            os.ftruncate(self._fd, 0)
            self._write(_MAGIC + _entry(key.encode()))

    def append(self, row: dict[str, Any]) -> None:
        """Keep a run for good: it is on the disk when this returns."""
        batch = pa.RecordBatch.from_pylist([row], schema=RUN_SCHEMA)
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, RUN_SCHEMA) as stream:
            stream.write_batch(batch)
        self._write(_entry(sink.getvalue().to_pybytes()))
        self.runs[row["instance"], row["run"]] = batch

    def close(self) -> None:
        os.close(self._fd)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _lock(self) -> int:
        """Open and lock the file; again if it was replaced or deleted while this waited."""
        while True:
            fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
            fcntl.flock(fd, fcntl.LOCK_EX)
            try:
                if os.fstat(fd).st_ino == os.stat(self._path).st_ino:
                    return fd
            except FileNotFoundError:
                pass
            os.close(fd)

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self._fd, view) :]
        os.fsync(self._fd)

    def _entries(self) -> tuple[list[bytes], int]:
        """The whole entries, and where the last of them ends."""
        with os.fdopen(os.dup(self._fd), "rb") as file:
            file.seek(0)
            data = file.read()
        entries: list[bytes] = []
        if not data.startswith(_MAGIC):
            return entries, 0
        at = len(_MAGIC)
        while at + _HEAD.size <= len(data):
            length, crc = _HEAD.unpack_from(data, at)
            body = data[at + _HEAD.size : at + _HEAD.size + length]
            if len(body) < length or zlib.crc32(body) != crc:
                break
            entries.append(body)
            at += _HEAD.size + length
        return entries, at

    def _found_key(self) -> str | None:
        entries, _ = self._entries()
        return entries[0].decode() if entries else None

    def _load(self) -> bool:
        """Read the runs if the journal is this key's, and cut a torn tail off."""
        entries, end = self._entries()
        if not entries or entries[0].decode() != self._key:
            return False
        os.ftruncate(self._fd, end)
        for entry in entries[1:]:
            with pa.ipc.open_stream(entry) as stream:
                for batch in stream:
                    row = (batch.column("instance")[0].as_py(), batch.column("run")[0].as_py())
                    self.runs[row] = batch
        return True


def _entry(body: bytes) -> bytes:
    return _HEAD.pack(len(body), zlib.crc32(body)) + body
