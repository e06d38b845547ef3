"""Images as PNG."""

from __future__ import annotations

import struct
import zlib

import numpy as np
from numpy.typing import NDArray

SIGNATURE = b"\x89PNG\r\n\x1a\n"
EIGHT_BITS, RGBA = 8, 6
"""Bits of a number, and the kind of colours of an image."""
LIKE_ABOVE = 2
"""The filter of a row whose bytes are differences from the row above."""
INCH_M = 0.0254


def png(pixels: NDArray[np.uint8], dpi: float) -> bytes:
    """An image as the content of a file.

    Pillow tries five filters on each row. Here, all rows have one filter, which takes a third of
    the time. The files have about the same size, because a figure is mostly equal rows.

    Parameters
    ----------
    pixels : array, shape (rows, columns, 4)
        Red, green, blue and opacity.
    dpi : float
        Dots per inch.
    """
    height, width, _ = pixels.shape
    rows = pixels.reshape(height, -1)
    filtered = np.empty((height, 1 + rows.shape[1]), dtype=np.uint8)
    filtered[:, 0] = LIKE_ABOVE
    filtered[:1, 1:] = rows[:1]
    np.subtract(rows[1:], rows[:-1], out=filtered[1:, 1:])
    per_m = round(dpi / INCH_M)
    return SIGNATURE + b"".join(
        [
            _chunk(b"IHDR", struct.pack(">2I5B", width, height, EIGHT_BITS, RGBA, 0, 0, 0)),
            _chunk(b"pHYs", struct.pack(">2IB", per_m, per_m, 1)),
            _chunk(b"IDAT", zlib.compress(filtered.data, level=1)),
            _chunk(b"IEND", b""),
        ]
    )


def _chunk(name: bytes, content: bytes) -> bytes:
    """A part of the file, with its length and checksum."""
    checksum = zlib.crc32(content, zlib.crc32(name))
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", checksum)
