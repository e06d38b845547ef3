"""A figure with one sentence, if there is nothing to draw."""

from __future__ import annotations

from matplotlib.figure import Figure

from timefair.charts.paper import style


class NothingToDraw(ValueError):
    """A table has nothing to draw; the message says why, and is drawn instead."""


def note(text: str) -> Figure:
    """A figure with only this sentence, one column wide."""
    with style.applied():
        figure = Figure(figsize=(style.COLUMN_IN, 0.5))
        figure.text(0.5, 0.5, text, ha="center", va="center", fontsize=7.5)
    return figure
