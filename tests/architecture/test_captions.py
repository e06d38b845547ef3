"""Every table and figure has a caption for the report, and no caption is left over."""

from __future__ import annotations

from pathlib import Path

from timefair.figures.registry import FIGURES
from timefair.tables.registry import TABLES

CAPTIONS = Path(__file__).parents[2] / "workflow/report"


def test_captions() -> None:
    there = {path.stem for path in CAPTIONS.glob("*.rst")}
    assert there == {f"table_{name}" for name in TABLES} | set(FIGURES)
