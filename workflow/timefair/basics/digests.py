"""Digests as people read them."""

from __future__ import annotations

DIGITS = 12
"""Digits of a digest that are shown."""


def short(digest: str | None) -> str:
    """Return the first digits of a digest.

    >>> short("0123456789abcdef")
    '0123456789ab'
    >>> short(None)
    'unknown'
    """
    return digest[:DIGITS] if digest else "unknown"
