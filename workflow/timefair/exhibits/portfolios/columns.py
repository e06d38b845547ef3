"""Columns and sentences that the tables of this folder share."""

from __future__ import annotations

from timefair.exhibits.exhibit import Column

BUDGET = Column(
    "budget",
    "budget T of a run; smaller than the campaign's budget if a run was cut earlier, because "
    "nothing is known beyond its end",
    "`unit`",
)
PAIRS = (
    "The share of the (function, target) pairs is the probability that a run reaches the target "
    "within T, averaged over the instances, the targets and the functions that were run with every "
    "algorithm."
)
