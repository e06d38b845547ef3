"""The pairs of algorithms that a table lists: all pairs of few algorithms, or the pairs with one of
many.

The number of pairs grows with the square of the number of algorithms: 104 algorithms have 5,356
pairs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from timefair.rundata.runs import Runs
from timefair.rundata.settings import EVERY_PAIR, WITH_THE_BEST, Analysis
from timefair.rundata.standings import Space, precision_at_the_end, problems
from timefair.statistics.quantiles import sample_quantile
from timefair.statistics.ranks import average_ranks

MOST_COLOURS = 16
"""Number of algorithms up to which each has a colour of its own."""
MOST_ALGORITHMS = 12
"""Number of algorithms up to which every pair is listed by default."""


@dataclass(frozen=True)
class Listed:
    """The pairs that a table lists.

    Attributes
    ----------
    among
        Every listed pair contains at least one of these algorithms; None if every pair is listed.
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
        The settings. ``pairs`` is `EVERY_PAIR`, `WITH_THE_BEST`, labels, or None. With None, every
        pair is listed for up to `MOST_ALGORITHMS` algorithms, and the pairs with the best algorithm
        for more.
    ranks
        The average ranks. The best algorithm has the lowest rank; of several, it is the first in
        alphabetical order. NaN is higher than every number.
    """
    usual = (EVERY_PAIR if len(ranks) <= MOST_ALGORITHMS else WITH_THE_BEST,)
    asked = analysis.pairs or usual
    if asked == (EVERY_PAIR,):
        return Listed()
    if asked != (WITH_THE_BEST,):
        return Listed(frozenset(asked))
    return Listed(frozenset(in_order(ranks)[:1]))


def in_order(ranks: Mapping[str, float]) -> list[str]:
    """The algorithms from the lowest rank on, equal ones in alphabetical order; NaN is last."""
    return sorted(ranks, key=lambda name: (np.nan_to_num(ranks[name], nan=np.inf), name))


def planned(analysis: Analysis) -> frozenset[str] | None:
    """The algorithms whose pairs the user has named beforehand; None for all pairs."""
    labels = frozenset(analysis.pairs or ()) - {EVERY_PAIR, WITH_THE_BEST}
    return labels or None


def listed_by_precision(runs: Runs, analysis: Analysis) -> dict[Space, Listed]:
    """The pairs of each suite and dimension, with the best algorithm by the precision at the end.

    See `ranks_by_precision`.
    """
    return {space: listed(analysis, ranks) for space, ranks in ranks_by_precision(runs).items()}


def in_order_of_looks(runs: Runs) -> list[str]:
    """All algorithms in the order in which figures give them colours.

    Up to `MOST_COLOURS` measured algorithms are in alphabetical order. More are ordered by their
    rank of `ranks_by_precision`, averaged over suites and dimensions. Published data are last.
    """

    def order() -> list[str]:
        measured = sorted(set(runs.frame["algorithm"].astype(str)))
        if len(measured) > MOST_COLOURS:
            ranks = pd.DataFrame(ranks_by_precision(runs)).mean(axis=1)
            measured.sort(key=lambda name: ranks[name])
        return [*measured, *sorted(set(runs.sources) - set(measured))]

    return runs.once("order of looks", order)


def ranks_by_precision(runs: Runs) -> dict[Space, dict[str, float]]:
    """The rank of the median precision at the end, averaged over the functions.

    An algorithm that was not run on a function shares the worst rank there.
    """
    best = precision_at_the_end(runs)
    medians: dict[Space, list[dict[str, float]]] = {}
    for problem in problems(runs):
        samples = problem.samples(best).items()
        medians.setdefault(problem.space, []).append(
            {name: float(sample_quantile(sample, 0.5)) for name, sample in samples}
        )
    return {space: _average(of) for space, of in medians.items()}


def _average(functions: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The average rank of each algorithm, in alphabetical order."""
    names = sorted({name for medians in functions for name in medians})
    values = [[medians.get(name, np.inf) for name in names] for medians in functions]
    return dict(zip(names, average_ranks(values).tolist(), strict=True))


def in_words(listed_in: Mapping[Space, Listed]) -> str:
    """The listed pairs in each suite and dimension, as a sentence for captions; empty if all are
    listed.
    """
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
