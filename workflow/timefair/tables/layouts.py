"""The printed forms of the tables, by the table's name, one module in each family."""

from __future__ import annotations

import pandas as pd

from timefair.tables.campaign.layouts import LAYOUTS as CAMPAIGN
from timefair.tables.comparisons.layouts import LAYOUTS as COMPARISONS
from timefair.tables.curves.layouts import LAYOUTS as CURVES
from timefair.tables.layout import Layout, generic
from timefair.tables.quality.layouts import LAYOUTS as QUALITY
from timefair.tables.registry import Table
from timefair.tables.run_count.layouts import LAYOUTS as RUN_COUNT
from timefair.tables.runtimes.layouts import LAYOUTS as RUNTIMES

LAYOUTS: dict[str, tuple[Layout, ...]] = {
    **RUNTIMES,
    **QUALITY,
    **CURVES,
    **COMPARISONS,
    **RUN_COUNT,
    **CAMPAIGN,
}


def layouts_of(table: Table, frame: pd.DataFrame) -> tuple[Layout, ...]:
    """The layouts of a table; one made from its columns where it has none of its own."""
    return LAYOUTS.get(table.name) or (generic(frame, table.title),)
