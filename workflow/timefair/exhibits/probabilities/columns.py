"""Columns and words that the tables of this room share."""

from __future__ import annotations

from timefair.exhibits.columns import TARGET
from timefair.exhibits.exhibit import Column

DECISIVE_TARGET = Column(
    "target",
    "precision to reach: the hardest target that at least half of the runs of some algorithm "
    "reached or, if there is none, that any run reached; empty for `all`",
    TARGET.unit,
    exact=True,
)
MATTERS = Column("matters", "ratio of two costs from which on a difference matters")

COMPARED = (
    "On a function, the expected running times (ERT) to one target are compared, with the runs of "
    "all instances pooled. Functions on which no run reached a target are omitted."
)
FROM_RUNS = (
    "Probabilities on a function come from the Bayesian bootstrap of the runs, corrected by what "
    "all algorithms show. They are empty if an algorithm that they compare has fewer than two "
    "runs: one of the pair in `practical`, any on the function in `probability_best`."
)
