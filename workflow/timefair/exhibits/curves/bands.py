"""Common parts of the tables of shares over the cost."""

from __future__ import annotations

from timefair.exhibits.exhibit import Column
from timefair.exhibits.layout import Layout, Points, Value

PROBLEMS = Column("problems", "number of problems that were run with every algorithm")
LIMITS = (
    Column(
        "low",
        "lower limit at this point of the curve, from a bootstrap of the runs within each "
        "instance; empty if an instance has a single run",
    ),
    Column("high", "upper limit at this point of the curve"),
)
SHARE = Value("fraction", "Share", "high", interval=("low", "high"), decimals=2)
BOOTSTRAP = "Brackets: {confidence} bootstrap interval."


def costs_layout(what: str, key: str) -> Layout:
    """The printed form of a share over costs: four points, one row per value of a key."""
    return Layout(
        caption=f"{what}.",
        brackets=BOOTSTRAP,
        values=(SHARE,),
        rows=(key, "algorithm"),
        columns="cost",
        points=(Points("cost", (0.001, 0.01, 0.1, 1.0), relative=True),),
    )
