"""Pairs of algorithms at the end of their runs, at equal time."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from timefair.basics.together import ALL
from timefair.exhibits.columns import FUNCTION_OR_ALL, SPACE
from timefair.exhibits.comparisons.pairs import PAIR
from timefair.exhibits.exhibit import Column, column_names, exhibit
from timefair.exhibits.layout import Layout, Points, Value
from timefair.exhibits.questions import Question
from timefair.rundata.pairs import Listed, in_words, listed_by_precision
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis
from timefair.rundata.standings import Space, precision_at_the_end, problems
from timefair.statistics.comparison import Effect, in_agreement, wilcoxon
from timefair.statistics.corrections import holm, holm_levels
from timefair.statistics.quantiles import sample_quantile
from timefair.statistics.within import a12_within, strata_of, superiority_within, van_elteren

KEYS = (*column_names((*SPACE, FUNCTION_OR_ALL)), *column_names(PAIR))
COLUMNS = (
    *SPACE,
    FUNCTION_OR_ALL,
    *PAIR,
    Column("n_a", "runs of `algorithm_a`; for `all`, functions that both ran"),
    Column("n_b", "runs of `algorithm_b`; for `all`, functions that both ran"),
    Column(
        "median_a",
        "median precision of `algorithm_a`; runs that reached the final target count as 0",
        "precision",
    ),
    Column("median_b", "the same for `algorithm_b`", "precision"),
    Column(
        "p",
        "p-value of the Mann-Whitney test over the runs, or of van Elteren's test within the "
        "kinds of machines if blocks mix several; for `all`, of Wilcoxon's signed-rank test on "
        "the logarithms of the medians over the functions",
    ),
    Column(
        "p_holm",
        "`p` adjusted by Holm's procedure for all pairs and functions of the suite and dimension; "
        "for `all`, for its pairs. Pairs that are not listed count as p = 1",
    ),
    *Column(
        "a12",
        "probability that a run of `algorithm_a` is better than one of `algorithm_b`, where a tie "
        "counts half; for `all`, share of the functions on which `algorithm_a` has the better "
        "median",
    ).interval(
        "`a12` at the level of this pair in Holm's procedure: it excludes 0.5 if and only if "
        "`better` names an algorithm; empty for `all`"
    ),
    Column(
        "better",
        "the better algorithm if `p_holm` is at most 1 − confidence; empty otherwise",
        text=True,
    ),
)


@exhibit(
    "comparison",
    question=Question.BETTER,
    title="Pairs of algorithms at equal time",
    caption="""
    Each pair of algorithms at equal time, by the best precision at the end of the runs (0 if the
    final target was reached): on each function over the runs of all instances, and over all
    functions. For more than 12 algorithms, only pairs with the best one (lowest average rank of the
    median precision) are listed; `statistics.pairs` selects other pairs.
    """,
    columns=COLUMNS,
    layouts=[
        Layout(
            caption="Pairs of algorithms over all functions at the end of the runs. A12: share of "
            "the functions on which the first has the better median. p: Wilcoxon's signed-rank "
            "test on the logarithms, and after Holm. Better: with {confidence} confidence.",
            values=(
                Value("n_a", "Functions"),
                Value("a12", "A12", decimals=2),
                Value("p", "p", decimals=4),
                Value("p_holm", "p (Holm)", decimals=4),
                Value("better", "Better"),
            ),
            rows=tuple(column_names(PAIR)),
            points=(Points("function", 1),),
        ),
        Layout(
            caption="Pairs of algorithms on each function at the end of the runs, and on all "
            "functions. A12: probability that a run of the first is better than one of the "
            "second. p: after Holm.",
            values=(
                Value("a12", "A12", decimals=2),
                Value("p_holm", "p", decimals=3),
            ),
            rows=tuple(column_names(PAIR)),
            columns="function",
            name="functions",
        ),
    ],
    default=True,
    comparing=True,
)
def at_the_end(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Each pair of algorithms on each (suite, dimension, function), and over all functions.

    The logarithm in Wilcoxon's test gives functions equal weight, independent of their scale.
    """
    rows: list[dict[str, Any]] = []
    together: dict[tuple[object, ...], list[dict[str, Any]]] = {}
    listed_in = listed_by_precision(runs, analysis)
    for row in on_functions(runs, listed_in):
        together.setdefault(tuple(row[key] for key in KEYS if key != "function"), []).append(row)
        rows.append(row)
    rows += [over_functions(pairs) for pairs in together.values()]
    frame = pd.DataFrame(rows, columns=[*column_names(COLUMNS), "balance", "strata"])
    alpha, levels = 1 - analysis.confidence, pd.Series(np.nan, index=frame.index)
    for family, tests in _families(runs).items():
        suite, dimension, over_all = family
        mine = (frame["suite"] == suite) & (frame["dimension"] == dimension)
        mine &= (frame["function"] == ALL) == over_all
        further = tests - int(mine.sum())
        frame.loc[mine, "p_holm"] = holm(frame.loc[mine, "p"], further=further)
        levels[mine] = holm_levels(frame.loc[mine, "p"], alpha, further=further)
    first = frame["balance"] > 0
    found = (frame["p_holm"] <= alpha) & (frame["balance"] != 0)
    frame["better"] = frame["algorithm_a"].where(first, frame["algorithm_b"]).where(found)
    frame = frame.assign(**_limits(frame["strata"], frame["p"], levels, found))
    frame = frame[column_names(COLUMNS)]
    frame.attrs["pairs"] = in_words(listed_in)
    return frame


def _families(runs: Runs) -> Counter[tuple[str, int, bool]]:
    """The tests of each suite and dimension on its functions, and over all functions (True)."""
    tests: Counter[tuple[str, int, bool]] = Counter()
    over_all: defaultdict[Space, set[tuple[str, str]]] = defaultdict(set)
    for problem in problems(runs):
        pairs = set(combinations(problem.algorithms, 2))
        tests[*problem.space, False] += len(pairs)
        over_all[problem.space] |= pairs
    return tests + Counter({(*space, True): len(pairs) for space, pairs in over_all.items()})


def on_functions(runs: Runs, listed_in: Mapping[Space, Listed]) -> Iterator[dict[str, Any]]:
    """The listed pairs on each (suite, dimension, function), before Holm.

    Each row has ``strata``, the precisions of both algorithms on each kind of machine (on all
    together without blocks), and ``balance``, which is positive if ``algorithm_a`` is better,
    negative if ``algorithm_b`` is, and 0 if neither is.
    """
    best, machine = precision_at_the_end(runs), runs.frame["machine"].to_numpy(dtype=object)
    for problem in problems(runs):
        samples, machines = problem.samples(best), problem.samples(machine)
        medians = {name: float(sample_quantile(sample, 0.5)) for name, sample in samples.items()}
        for a, b in listed_in[problem.space].pairs(list(samples)):
            strata = strata_of(samples[a], samples[b], machines[a], machines[b])
            effect = superiority_within(strata)
            yield {
                **problem.names,
                "function": str(problem.names["function"]),
                **dict(zip(column_names(PAIR), (a, b), strict=True)),
                "n_a": samples[a].size,
                "n_b": samples[b].size,
                "median_a": medians[a],
                "median_b": medians[b],
                "p": van_elteren(strata),
                "a12": effect,
                "balance": effect - 0.5,
                "strata": strata,
            }


def _limits(
    strata: Iterable[Any], p: Iterable[float], levels: Iterable[float], found: Iterable[bool]
) -> dict[str, list[float]]:
    """The interval of A12 of each pair, in agreement with its test; NaN without strata."""
    low, high = [], []
    for pair, value, level, rejected in zip(strata, p, levels, found, strict=True):
        if not isinstance(pair, list) or np.isnan(level):
            effect = Effect(np.nan, np.nan, np.nan)
        else:
            measured = a12_within(pair, confidence=1 - level)
            effect = in_agreement(measured, value, level, rejected=rejected)
        low.append(effect.low)
        high.append(effect.high)
    return {"a12_low": low, "a12_high": high}


def over_functions(pairs: list[dict[str, Any]]) -> dict[str, Any]:
    """One pair of algorithms over all its functions, from at least one row of `on_functions`."""
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
