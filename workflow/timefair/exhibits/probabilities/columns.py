"""Columns and sentences that the tables of this folder share."""

from __future__ import annotations

from timefair.exhibits.columns import TARGET
from timefair.exhibits.exhibit import Column

DECISIVE_TARGET = Column(
    "target",
    "precision to reach: the hardest target that at least half of the runs of some algorithm "
    "reached; if there is none, the hardest target that any run reached; empty for `all`",
    TARGET.unit,
    exact=True,
)
MATTERS = Column("matters", "ratio of two costs above which a difference matters")

COMPARED = (
    "On a function, the algorithms are compared by the expected running time (ERT) to one target. "
    "The runs of all instances are pooled. Functions on which no run reached a target are omitted."
)
FROM_RUNS = (
    "Probabilities on a function come from the Bayesian bootstrap of the runs, corrected by a "
    "model of all algorithms. If an algorithm has fewer than two runs on a function, the "
    "probabilities of its pairs are empty in `practical`, and those of all algorithms on the "
    "function are empty in `probability_best`."
)
