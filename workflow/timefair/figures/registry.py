"""The figures that a campaign can ask for, by name, and the table each is drawn from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import matplotlib.figure
    import pandas as pd


@dataclass(frozen=True)
class Figure:
    """A figure: its name, the table it shows, and the module that draws it when called."""

    name: str
    table: str
    title: str
    module: str
    """Below `timefair.figures`; its function ``draw`` takes the frame."""
    unit: str | None = None
    """``seconds`` or ``evaluations`` where the module draws both."""

    def __call__(self, frame: pd.DataFrame) -> matplotlib.figure.Figure:
        draw: Callable[..., matplotlib.figure.Figure] = import_module(
            f"timefair.figures.{self.module}"
        ).draw
        return draw(frame) if self.unit is None else draw(frame, unit=self.unit)


FIGURES: dict[str, Figure] = {
    figure.name: figure
    for figure in (
        Figure("ert", "ert", "Expected seconds to targets", "ert", "seconds"),
        Figure("ert_evaluations", "ert", "Expected evaluations to targets", "ert", "evaluations"),
        Figure("quantiles", "quantiles", "Quantiles of the precision at the end", "quantiles"),
        Figure("anytime", "anytime", "Best precision over seconds", "anytime", "seconds"),
        Figure(
            "anytime_evaluations",
            "anytime",
            "Best precision over evaluations",
            "anytime",
            "evaluations",
        ),
        Figure("ecdf", "ecdf", "Share of targets reached over seconds", "ecdf", "seconds"),
        Figure(
            "ecdf_evaluations",
            "ecdf",
            "Share of targets reached over evaluations",
            "ecdf",
            "evaluations",
        ),
        Figure("profile", "profile", "Performance profile on expected seconds", "profile"),
        Figure("restarts", "restarts", "Restarts within the budget, and speed", "restarts"),
    )
}
