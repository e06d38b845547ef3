"""Reads tables of runs with times: one row per improvement, or per line of a trace."""

from pathlib import Path

from timefair.published.cautions import Cautions
from timefair.published.table import benchopt, reading
from timefair.published.table.columns import Layout
from timefair.published.table.data_sets import sets_of
from timefair.published.table.numbering import Known, Numbering
from timefair.published.table.reading import Cells

__all__ = ["Cells", "Known", "Layout", "Numbering", "benchopt", "cells", "sets_of"]


def cells(path: Path, cautions: Cautions, layout: Layout) -> Cells:
    """The cells of a table: a CSV or Parquet file; see `reading.read`."""
    return reading.read(path, layout)
