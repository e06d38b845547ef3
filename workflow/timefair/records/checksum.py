"""Checksums of the values in columns. They do not depend on encoding or division into batches."""

from __future__ import annotations

import hashlib

import pyarrow as pa
import pyarrow.compute as pc

_DIGITS = 32


class ColumnChecksums:
    """The checksums of all columns of the added runs, in hex, by the column's name.

    Each field of nested rows has its own checksum and is named as in Parquet:
    ``events.list.element.time_s``. The checksum of the list itself is that of its lengths.
    Therefore some columns can be checked without the others.
    """

    def __init__(self) -> None:
        self._columns: dict[str, _Column] = {}

    def add(self, runs: pa.Table) -> None:
        for name, chunks in zip(runs.column_names, runs.columns, strict=True):
            for values in chunks.chunks:
                self._add(name, values)

    def by_name(self) -> dict[str, str]:
        return {name: column.hex() for name, column in self._columns.items()}

    def _add(self, name: str, values: pa.Array) -> None:
        if pa.types.is_list(values.type):
            self._add(name, values.value_lengths())
            self._add(f"{name}.list.element", values.flatten())
        elif pa.types.is_struct(values.type):
            for field, part in zip(values.type, values.flatten(), strict=True):
                self._add(f"{name}.{field.name}", part)
        elif pa.types.is_string(values.type):
            self._add(name, pc.binary_length(values))
            self._add(f"{name}.text", _text(values.fill_null("")))
        elif pa.types.is_boolean(values.type):
            self._add(name, values.cast(pa.uint8()))
        else:
            self._columns.setdefault(name, _Column()).add(values)


class _Column:
    """Numbers of one width: their count, which of them are null, and the bytes of the others."""

    def __init__(self) -> None:
        self._rows = 0
        self._nulls, self._values = hashlib.sha256(), hashlib.sha256()

    def add(self, values: pa.Array) -> None:
        rows = len(values)
        if values.null_count:
            places = pc.indices_nonzero(values.is_null())
            self._nulls.update(_bytes(pc.add(places, pa.scalar(self._rows, pa.uint64()))))
            values = values.drop_null()
        self._values.update(_bytes(values))
        self._rows += rows

    def hex(self) -> str:
        parts = self._rows.to_bytes(8, "little") + self._nulls.digest() + self._values.digest()
        return hashlib.sha256(parts).hexdigest()[:_DIGITS]


def _bytes(values: pa.Array) -> memoryview:
    """The bytes of numbers without nulls, in the order of this machine (little-endian)."""
    width = values.type.bit_width // 8
    data = values.buffers()[1]
    start = values.offset * width
    return memoryview(data or b"")[start : start + len(values) * width]


def _text(values: pa.Array) -> pa.Array:
    """The bytes of strings without nulls, one string after another."""
    _, ends, data = values.buffers()
    if not len(values) or data is None:
        return pa.array([], pa.uint8())
    offsets = pa.Array.from_buffers(pa.int32(), len(values) + 1, [None, ends], offset=values.offset)
    first, last = offsets[0].as_py(), offsets[-1].as_py()
    return pa.Array.from_buffers(pa.uint8(), last - first, [None, data], offset=first)
