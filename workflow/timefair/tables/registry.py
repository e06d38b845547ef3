"""The tables that a campaign can ask for, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from timefair.tables.runs import Runs
    from timefair.tables.settings import Analysis


@dataclass(frozen=True)
class Table:
    """A table: its name, what it shows, and the function that makes it, imported when called."""

    name: str
    title: str
    function: str
    """``module:function`` below `timefair.tables`, from (runs, analysis) to a frame."""

    def __call__(self, runs: Runs, analysis: Analysis) -> pd.DataFrame:
        module, _, function = self.function.partition(":")
        build: Callable[[Runs, Analysis], pd.DataFrame] = getattr(
            import_module(f"timefair.tables.{module}"), function
        )
        return build(runs, analysis)


TABLES: dict[str, Table] = {
    table.name: table
    for table in (
        Table("ert", "Expected running time to targets, with intervals", "ert:pooled"),
        Table("ert_by_instance", "Expected running time on each instance", "ert:by_instance"),
        Table("quantiles", "Quantiles of the precision at the end", "quantiles:at_the_end"),
        Table("anytime", "Best precision over elapsed cost", "anytime:trajectories"),
        Table("ecdf", "Share of targets reached within a cost", "ecdf:solved_within"),
        Table("profile", "Performance profile on expected seconds", "profile:of_ert_s"),
        Table("restarts", "Restarts within the budget, and speed", "restarts:within_budget"),
        Table("runs", "Statuses, stop reasons and disturbances", "outcomes:counted"),
    )
}
