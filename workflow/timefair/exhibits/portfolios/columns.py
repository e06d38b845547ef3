"""Columns and words that the tables of this room share."""

from __future__ import annotations

from timefair.exhibits.exhibit import Column

BUDGET = Column(
    "budget",
    "T of a run; less than the campaign's budget where a run was cut before, as nothing is known "
    "of it beyond",
    "`unit`",
)
PAIRS = (
    "What is counted are pairs of a function and a target: the probability that a run reaches the "
    "target within T, averaged over the instances, the targets and the functions that were run "
    "with every algorithm."
)
