"""Which pairs of algorithms a table lists: all pairs of few algorithms, those with one of many.

The number of pairs grows with the square of the algorithms: 104 of them have 5,356 pairs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from timefair.rundata.runs import Runs
from timefair.rundata.settings import EVERY_PAIR, WITH_THE_BEST, Analysis
from timefair.rundata.standings import Space, precision_at_the_end, problems
from timefair.statistics.quantiles import sample_quantile
from timefair.statistics.ranks import average_ranks

MOST_ALGORITHMS = 12
"""Algorithms up to which every pair is listed, unless the campaign asks otherwise."""


@dataclass(frozen=True)
class Listed:
    """The pairs that a table lists.

    Attributes
    ----------
    among
        Algorithms of which a listed pair has at least one; None: every pair is listed.
    """

    among: frozenset[str] | None = None

    def has(self, first: str, second: str) -> bool:
        """Whether a pair is listed."""
        return self.among is None or first in self.among or second in self.among

    def pairs(self, algorithms: Sequence[str]) -> Iterator[tuple[str, str]]:
        """The listed pairs of some algorithms, ordered as by `itertools.combinations`."""
        return (pair for pair in combinations(algorithms, 2) if self.has(*pair))


def listed(analysis: Analysis, ranks: Mapping[str, float]) -> Listed:
    """The pairs of a table, given the average rank of each algorithm.

    Parameters
    ----------
    analysis
        Its ``pairs`` is `EVERY_PAIR`, `WITH_THE_BEST`, labels, or None: every pair up to
        `MOST_ALGORITHMS`, and those with the best beyond.
    ranks
        The best is the algorithm with the lowest one, of several the first by the alphabet; NaN is
        higher than every number.
    """
    usual = (EVERY_PAIR if len(ranks) <= MOST_ALGORITHMS else WITH_THE_BEST,)
    asked = analysis.pairs or usual
    if asked == (EVERY_PAIR,):
        return Listed()
    if asked != (WITH_THE_BEST,):
        return Listed(frozenset(asked))
    best = min(ranks, key=lambda name: (np.nan_to_num(ranks[name], nan=np.inf), name))
    return Listed(frozenset({best}))


def listed_by_precision(runs: Runs, analysis: Analysis) -> dict[Space, Listed]:
    """The pairs of each suite and dimension, with the best algorithm by the precision at the end.

    Averaged over the functions are the ranks of the median precision; an algorithm that did not
    run on a function shares its worst rank.
    """
    best = precision_at_the_end(runs)
    medians: dict[Space, list[dict[str, float]]] = {}
    for problem in problems(runs):
        samples = problem.samples(best).items()
        medians.setdefault(problem.space, []).append(
            {name: float(sample_quantile(sample, 0.5)) for name, sample in samples}
        )
    return {space: listed(analysis, _average(of)) for space, of in medians.items()}


def _average(functions: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The average rank of each algorithm, by the alphabet."""
    names = sorted({name for medians in functions for name in medians})
    values = [[medians.get(name, np.inf) for name in names] for medians in functions]
    return dict(zip(names, average_ranks(values).tolist(), strict=True))


def in_words(listed_in: Mapping[Space, Listed]) -> str:
    """Which pairs are listed in each space, as a sentence for captions; empty if all are."""
    limited = {space: one.among for space, one in listed_in.items() if one.among is not None}
    if not limited:
        return ""
    if len(set(limited.values())) == 1:
        (among,) = set(limited.values())
        return f"Only pairs with {' or '.join(sorted(among))} are listed."
    each = "; ".join(
        f"{' or '.join(sorted(among))} in {suite}, D = {dimension}"
        for (suite, dimension), among in limited.items()
    )
    return f"Only pairs with the best algorithm are listed: {each}."
