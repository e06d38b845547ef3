"""Pairs of algorithms at the end of their runs, at equal time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from timefair.statistics.comparison import a12, mann_whitney, wilcoxon
from timefair.statistics.corrections import holm
from timefair.statistics.quantiles import sample_quantile
from timefair.tables.runs import Runs
from timefair.tables.settings import Analysis
from timefair.tables.standings import precision_at_the_end, problems

ALL = "all"
PAIR = ("algorithm_a", "algorithm_b")
KEYS = ("suite", "dimension", "function", *PAIR)
SIZES = ("n_a", "n_b", "median_a", "median_b")
RESULTS = ("p", "p_holm", "a12", "a12_low", "a12_high", "better")
COLUMNS = [*KEYS, *SIZES, *RESULTS]


def at_the_end(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Each pair of algorithms on each (suite, dimension, function), and on all functions.

    On a function the samples are the precisions at the end of the ``n_a`` and ``n_b`` runs, all
    instances together, with their medians; 0 where the final target was reached. ``p`` is Mann and
    Whitney's, ``a12`` the probability that a run of a is better than one of b (ties half) with the
    limits of its interval.

    With ``function`` = ``all``, the pairs are the medians of the ``n_a`` = ``n_b`` functions that
    both ran: ``p`` is Wilcoxon's signed-rank test on their logarithms, so that no function counts
    more for its scale, and ``a12`` the share of the functions on which a is better, without limits.

    ``p_holm`` is adjusted over all pairs and functions of the suite and dimension, and for ``all``
    over its pairs. ``better`` names the better algorithm where ``p_holm`` is at most 1 minus the
    confidence; else it is empty.
    """
    rows: list[dict[str, Any]] = []
    together: dict[tuple[object, ...], list[dict[str, Any]]] = {}
    for row in _on_functions(runs, analysis):
        together.setdefault(tuple(row[key] for key in KEYS if key != "function"), []).append(row)
        rows.append(row)
    rows += [_over(pairs) for pairs in together.values()]
    frame = pd.DataFrame(rows, columns=[*COLUMNS, "balance"])
    family = [frame["suite"], frame["dimension"], frame["function"] == ALL]
    frame["p_holm"] = frame.groupby(family)["p"].transform(holm)
    first = frame["balance"] > 0
    found = (frame["p_holm"] <= 1 - analysis.confidence) & (frame["balance"] != 0)
    frame["better"] = frame["algorithm_a"].where(first, frame["algorithm_b"]).where(found)
    return frame[COLUMNS]


def _on_functions(runs: Runs, analysis: Analysis) -> Iterator[dict[str, Any]]:
    best = precision_at_the_end(runs)
    for problem in problems(runs):
        samples = problem.samples(best)
        medians = {name: float(sample_quantile(sample, 0.5)) for name, sample in samples.items()}
        for a, b in combinations(samples, 2):
            effect = a12(samples[a], samples[b], confidence=analysis.confidence)
            yield {
                **problem.names,
                "function": str(problem.names["function"]),
                **dict(zip(PAIR, (a, b), strict=True)),
                "n_a": samples[a].size,
                "n_b": samples[b].size,
                "median_a": medians[a],
                "median_b": medians[b],
                "p": mann_whitney(samples[a], samples[b]),
                "a12": effect.a12,
                "a12_low": effect.low,
                "a12_high": effect.high,
                "balance": effect.a12 - 0.5,
            }


def _over(pairs: list[dict[str, Any]]) -> dict[str, Any]:
    """One pair of algorithms over all its functions."""
    a = np.array([row["median_a"] for row in pairs])
    b = np.array([row["median_b"] for row in pairs])
    with np.errstate(divide="ignore"):
        test = wilcoxon(np.log10(a), np.log10(b))
    return {
        **{key: pairs[0][key] for key in KEYS},
        "function": ALL,
        "n_a": len(pairs),
        "n_b": len(pairs),
        "p": test.p,
        "a12": float(np.mean((a < b) + 0.5 * (a == b))),
        "balance": test.balance,
    }
