"""Pairs of algorithms whose order over all functions differs between evaluations and time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from timefair.statistics.comparison import wilcoxon

Pair: TypeAlias = tuple[str, str]
Medians: TypeAlias = tuple[float, float, float, float]
"""Median precisions of a pair on a function: both at equal evaluations, then both at the end."""


@dataclass(frozen=True)
class Reversal:
    """A pair with opposite orders over its functions.

    Attributes
    ----------
    pair
        The algorithms.
    first_by_evaluations
        Whether the first one is better at equal evaluations; the other is then better at the end.
    functions
        Number of functions.
    better_on
        On how many of them each algorithm has the strictly better median: both at equal
        evaluations, then both at the end.
    p_by_evaluations, p_by_time
        p-values of the two orders.
    p_adjusted
        The larger of both, times the number of tests, at most 1.
    """

    pair: Pair
    first_by_evaluations: bool
    functions: int
    better_on: tuple[int, int, int, int]
    p_by_evaluations: float
    p_by_time: float
    p_adjusted: float


def reversals(medians: Mapping[Pair, Sequence[Medians]], tests: int) -> list[Reversal]:
    """Test which pairs of algorithms have opposite orders at equal evaluations and at equal time.

    Each order is over all functions. It has the p-value of Wilcoxon's signed-rank test on
    the logarithms of the medians. A reversal needs both orders, so its p-value is the larger of the
    two (an intersection-union test), times the number of pairs (Bonferroni). The probability of
    any false reversal is then at most the level of the test.

    Parameters
    ----------
    medians
        The medians of each pair, one entry per function. `inf` is allowed, and values below 0 (of
        an optimum that is wrong) count as 0. A pair with fewer
        than two functions is not tested.
    tests
        Number of tests in the family, at least ``len(medians)``.

    Returns
    -------
    list of Reversal
        In the order of `medians`; empty if no pair has opposite orders. The numbers of functions do
        not contradict them.
    """
    found = []
    for pair, on_functions in medians.items():
        values = np.array(on_functions, dtype=np.float64)
        if len(values) < 2:
            continue
        with np.errstate(divide="ignore"):
            logs = np.log10(np.maximum(values, 0.0)).T
        evaluations, time = wilcoxon(logs[0], logs[1]), wilcoxon(logs[2], logs[3])
        on = _better_on(values)
        orders = (on[0] - on[1], evaluations.balance), (on[2] - on[3], time.balance)
        agreed = all(count * balance >= 0 for count, balance in orders)
        if evaluations.balance * time.balance < 0 and agreed:
            found.append((pair, values, evaluations, time))
    return [
        Reversal(
            pair=pair,
            first_by_evaluations=evaluations.balance > 0,
            functions=len(values),
            better_on=_better_on(values),
            p_by_evaluations=evaluations.p,
            p_by_time=time.p,
            p_adjusted=min(max(evaluations.p, time.p) * tests, 1.0),
        )
        for pair, values, evaluations, time in found
    ]


def _better_on(values: NDArray[np.float64]) -> tuple[int, int, int, int]:
    """For each of the four medians, number of functions on which it is below the one it is compared
    with.
    """
    beside = values[:, [1, 0, 3, 2]]
    first, second, third, fourth = (values < beside).sum(axis=0).tolist()
    return first, second, third, fourth
