"""Record files: written whole or not at all, read only if they are what they should be."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from timefair.errors import InputError
from timefair.records.schema import RUN_SCHEMA, SCHEMA_VERSION

_META = b"timefair"


def write_record(path: Path, batches: Iterable[pa.RecordBatch], facts: Mapping[str, Any]) -> None:
    """Write a Parquet file of runs, with `facts` (JSON values) in its metadata.

    The file appears under its name only when it is complete and on the disk.
    """
    schema = RUN_SCHEMA.with_metadata(_metadata({"schema_version": SCHEMA_VERSION, **facts}))
    path.parent.mkdir(parents=True, exist_ok=True)
    fd, part = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(fd, "wb") as file:
            with pq.ParquetWriter(file, schema, compression="zstd") as writer:
                for batch in batches:
                    writer.write_batch(batch.replace_schema_metadata(schema.metadata))
            file.flush()
            os.fsync(file.fileno())
        os.chmod(part, 0o644)
        os.replace(part, path)
    except BaseException:
        os.unlink(part)
        raise


def open_record(path: Path) -> tuple[pq.ParquetFile, dict[str, Any]]:
    """A record file and its facts.

    Raises
    ------
    InputError
        If the file is no whole record, or of another schema version.
    """
    try:
        file = pq.ParquetFile(path)
    except (OSError, pa.ArrowInvalid) as error:
        reason = str(error).splitlines()[0]
        raise InputError(
            f"{path}: not a whole record ({reason}); delete it and run again"
        ) from None
    facts = facts_of(file.schema_arrow)
    if not facts:
        raise InputError(f"{path}: not a record of timefair")
    if facts.get("schema_version") != SCHEMA_VERSION:
        raise InputError(
            f"{path}: schema version {facts.get('schema_version')}, and this timefair reads "
            f"{SCHEMA_VERSION}"
        )
    return file, facts


def facts_of(schema: pa.Schema) -> dict[str, Any]:
    """The facts in the metadata of a record, or of a table made from records; empty without any."""
    facts: dict[str, Any] = json.loads((schema.metadata or {}).get(_META, "{}"))
    return facts


def with_facts(runs: pa.Table, facts: Mapping[str, Any]) -> pa.Table:
    """The same table with these facts, and no others, in its metadata."""
    return runs.replace_schema_metadata(_metadata(facts))


def _metadata(facts: Mapping[str, Any]) -> dict[bytes, str]:
    return {_META: json.dumps(facts, sort_keys=True)}


def read_runs(paths: Iterable[Path]) -> pa.Table:
    """All runs of some record files, in the order of the files; no path gives an empty table."""
    tables = [open_record(path)[0].read().replace_schema_metadata(None) for path in paths]
    return pa.concat_tables(tables) if tables else RUN_SCHEMA.empty_table()
