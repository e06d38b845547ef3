"""The answer that follows from a change: better, worse, equal within the margin, or undecided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import isnan, nan

import numpy as np
from scipy.special import stdtr

from timefair.statistics.corrections import holm_levels
from timefair.statistics.versions.changes import Change


class Answer(StrEnum):
    """What the runs show about a new version."""

    BETTER = "better"
    WORSE = "worse"
    EQUAL = "equal"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Judged:
    """A change with its answer and the interval from which the answer follows.

    - `level`: Level of the interval: its confidence is ``1 - level``. NaN if the change is not
      known.
    - `low`, `high`: Limits of the interval.
    """

    change: Change
    answer: Answer
    level: float
    low: float
    high: float


def judge(change: Change, margin: float, level: float) -> Judged:
    """Judge one change.

    - `change`: An estimate.
    - `margin`: Changes in ``[-margin, margin]`` do not matter; not negative, in the unit of the
      change.
    - `level`: Level of the interval, in (0, 1).

    Returns: ``WORSE`` if the interval is above the margin, ``BETTER`` if it is below, ``EQUAL`` if
    it is within, and ``UNDECIDED`` if it contains a limit of the margin or is not known. Raises
    ValueError if `margin` is negative or NaN, or `level` is out of range.

    At most one of the three claims is true unless the change is equal to a limit of the margin.
    Each claim is tested at half of the level. Therefore the probability of a wrong claim is at most
    level/2 if the change is equal to a limit, and smaller otherwise. ``EQUAL`` is the equivalence
    test with two one-sided tests at level/2 each.

    Source: D. J. Schuirmann, A comparison of the two one-sided tests procedure and the power
    approach for assessing the equivalence of average bioavailability, Journal of Pharmacokinetics
    and Biopharmaceutics 15 (1987). H. Finner and K. Strassburger, The partitioning principle,
    Annals of Statistics 30 (2002).
    """
    if not margin >= 0:
        raise ValueError(f"margin must not be negative, not {margin}")
    low, high = change.interval(1 - level)
    answer = Answer.UNDECIDED
    if low > margin:
        answer = Answer.WORSE
    elif high < -margin:
        answer = Answer.BETTER
    elif low >= -margin and high <= margin:
        answer = Answer.EQUAL
    return Judged(change, answer, level if change.known else nan, low, high)


def judge_family(changes: Sequence[Change], margin: float, level: float) -> list[Judged]:
    """Judge several changes so that all answers are right with a probability of at least 1 - level.

    Holm's procedure gives each change its level. The p-value of a change is the smallest level at
    which `judge` decides it. Changes that are not known are undecided, and do not count in the
    family.
    """
    levels = holm_levels([_p(change, margin) for change in changes], level)
    return [
        judge(change, margin, level if isnan(own) else float(own))
        for change, own in zip(changes, levels, strict=True)
    ]


def _p(change: Change, margin: float) -> float:
    """The smallest level at which a change is decided; NaN if it is not known."""
    if not change.known:
        return nan
    distance = abs(abs(change.estimate) - margin)
    if change.error == 0:
        return 0.0 if distance or abs(change.estimate) <= margin else 1.0
    return float(np.minimum(2 * stdtr(min(change.freedom, 1e9), -distance / change.error), 1.0))
