"""Sources of the runs for tables: record files, or a table in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from timefair.basics.errors import InputError
from timefair.records.blocks import NODES, nodes_of
from timefair.records.integrity import Origins
from timefair.records.schema import PUBLISHED, RUN_SCHEMA
from timefair.records.store import open_record, with_facts

PLAIN = [field.name for field in RUN_SCHEMA if not pa.types.is_list(field.type)]


class Source(Protocol):
    """Runs in an arbitrary order. The order is the same in every pass."""

    def plain(self) -> pa.Table:
        """The columns of all runs that are not nested.

        Its metadata contain facts: the decisions of a stopping rule, the nodes of blocks, the
        origins of each algorithm's runs, and the sources of published data.
        """

    def nested(self, column: str, fields: Sequence[str]) -> Iterator[pa.ChunkedArray]:
        """A nested column with at least these fields, for one part of the runs at a time.

        Without fields, it is a column of lists of numbers.
        """

    def events(self) -> int:
        """Upper bound of the number of events."""


class Held:
    """A table of `RUN_SCHEMA`, with the facts in its metadata."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def plain(self) -> pa.Table:
        """The columns of all runs that are not nested."""
        return self._table.select(PLAIN)

    def nested(self, column: str, fields: Sequence[str]) -> Iterator[pa.ChunkedArray]:
        """The complete column in one part."""
        yield self._table[column]

    def events(self) -> int:
        """Number of events."""
        return pc.sum(pc.list_value_length(self._table["events"])).as_py() or 0


class Stored:
    """Record files with any number of runs. Every pass checks the data that it reads."""

    def __init__(self, paths: Iterable[Path]) -> None:
        self._paths = tuple(paths)

    def plain(self) -> pa.Table:
        """The columns of all runs that are not nested.

        Raises
        ------
        InputError
            One line for each file that is not a complete record.
        """
        tables = [RUN_SCHEMA.empty_table().select(PLAIN)]
        decided: list[dict[str, Any]] = []
        nodes: list[dict[str, Any]] = []
        origins: dict[str, Origins] = {}
        published: dict[str, Any] = {}
        faults: list[str] = []
        for path in self._paths:
            try:
                record = open_record(path)
                tables.append(record.read(PLAIN))
            except InputError as error:
                faults += error.faults
                continue
            decided += record.facts.get("stopping", [])
            for label in pc.unique(tables[-1]["algorithm"]).to_pylist():
                nodes += [{**row, "algorithm": label} for row in nodes_of(record.facts, tables[-1])]
                if PUBLISHED in record.facts:
                    published[label] = record.facts[PUBLISHED]
                else:
                    origin = origins.setdefault(label, Origins())
                    origin.add(record.facts)
                    origin.started(record.facts, tables[-1]["started_utc"].to_pylist())
        if faults:
            raise InputError(*faults)
        named = {label: vars(one) for label, one in origins.items()}
        facts = {"stopping": decided, NODES: nodes, "origins": named, PUBLISHED: published}
        return with_facts(pa.concat_tables(tables), facts)

    def nested(self, column: str, fields: Sequence[str]) -> Iterator[pa.ChunkedArray]:
        """A nested column, one row group of a file at a time."""
        element = f"{column}.list.element"
        columns = [f"{element}.{name}" for name in fields] or [element]
        for path in self._paths:
            for runs in open_record(path).row_groups(columns):
                yield runs[column]

    def events(self) -> int:
        """Number of events; a run without events counts as one."""
        count = 0
        for path in self._paths:
            metadata = open_record(path).file.metadata
            last = metadata.num_columns - 1  # a field of the events: they end the schema
            groups = range(metadata.num_row_groups)
            count += sum(metadata.row_group(k).column(last).num_values for k in groups)
        return count
