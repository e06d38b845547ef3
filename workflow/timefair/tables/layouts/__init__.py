"""The printed forms of the tables, by the table's name, one module a theme."""

from __future__ import annotations

import pandas as pd

from timefair.tables.layout import Layout, generic
from timefair.tables.layouts import campaign, comparisons, curves, quality, run_count, runtimes
from timefair.tables.registry import Table

LAYOUTS: dict[str, tuple[Layout, ...]] = {
    **runtimes.LAYOUTS,
    **quality.LAYOUTS,
    **curves.LAYOUTS,
    **comparisons.LAYOUTS,
    **run_count.LAYOUTS,
    **campaign.LAYOUTS,
}


def layouts_of(table: Table, frame: pd.DataFrame) -> tuple[Layout, ...]:
    """The layouts of a table; one made from its columns where it has none of its own."""
    return LAYOUTS.get(table.name) or (generic(frame, table.title),)
