"""Columns and sentences that several tables of this folder share."""

from __future__ import annotations

from timefair.exhibits.columns import SECONDS
from timefair.exhibits.exhibit import Column

EVALUATION_COST = Column(
    "evaluation_cost_s",
    "seconds that each evaluation costs in addition to its measured time",
    SECONDS,
)
COUNTED = (
    "The evaluation cost is added afterwards: a run that used t seconds and e evaluations takes "
    "t + c e seconds if each evaluation costs c seconds more. Nothing is measured again."
)
ROUNDS = Column(
    "ert_rounds",
    "ERT in rounds of evaluations, by which the evaluation cost is multiplied; if "
    "`statistics.workers` is 1, `ert_evaluations` of the table `ert`; `inf` if no run reached the "
    "target",
)
CUT = (
    "A run that was cut counts as a failure and costs what it used. Therefore the ERT of an "
    "algorithm with few evaluations is an upper estimate at large evaluation costs."
)
