"""Checks of arguments that several statistics share; each check has one message."""

from __future__ import annotations


def check_confidence(confidence: float) -> None:
    """Raise ValueError unless a nominal coverage is in (0, 1)."""
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must lie in (0, 1), not {confidence}")
