"""Whether one of two algorithms is faster by a factor that matters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from timefair.basics.together import ALL
from timefair.exhibits import questions
from timefair.exhibits.columns import FUNCTION_OR_ALL, SPACE, UNIT
from timefair.exhibits.comparisons.pairs import PAIR
from timefair.exhibits.exhibit import Column, column_names, exhibit
from timefair.exhibits.layout import Layout, Points, Value
from timefair.exhibits.probabilities.columns import (
    COMPARED,
    DECISIVE_TARGET,
    FROM_RUNS,
    MATTERS,
)
from timefair.rundata.likely import LikelyCosts, LikelySpace, likely_costs
from timefair.rundata.problems import Listed, Space, in_words, listed
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis
from timefair.statistics.posterior.posterior import (
    UNKNOWN,
    Practical,
    compared,
    median_ratio,
    signed_rank,
)

BETTER, EQUAL, WORSE = "better", "equal", "worse"
VERDICTS = (BETTER, EQUAL, WORSE)

COLUMNS = (
    *SPACE,
    FUNCTION_OR_ALL,
    UNIT,
    DECISIVE_TARGET,
    *PAIR,
    Column(
        "n_a",
        "number of runs of `algorithm_a`; for `all`, number of functions on which at least one of "
        "the two algorithms has a success",
    ),
    Column("n_b", "the same for `algorithm_b`"),
    Column(
        "ratio",
        "ERT of `algorithm_b` divided by that of `algorithm_a`: above 1 if a is faster, `inf` if "
        "only a reached the target; for `all`, the median over the functions on a "
        "logarithmic scale",
    ),
    Column(
        "p_better",
        "probability that `algorithm_a` is faster by more than `matters`; empty if neither "
        "algorithm reached the target",
    ),
    Column("p_equal", "probability that the two differ by no more than `matters`"),
    Column("p_worse", "probability that `algorithm_b` is faster by more than `matters`"),
    Column(
        "verdict",
        "`better`, `equal` or `worse` if its probability is at least the confidence; empty "
        "otherwise",
        text=True,
    ),
    MATTERS,
)
P = (
    Value("ratio", "Ratio", decimals=2),
    Value("p_better", "P better", decimals=3),
    Value("p_equal", "P equal", decimals=3),
    Value("p_worse", "P worse", decimals=3),
)


@exhibit(
    "practical",
    question=questions.PROBABLE,
    title="Pairs of algorithms: better, practically equal or worse",
    caption=f"""
    The probability that the first algorithm of a pair is faster by a factor that matters, that both
    are practically equal, and that the second is faster by such a factor. The factor is
    `statistics.matters.ratio`. {COMPARED} {FROM_RUNS} Over all functions (`all`), the probabilities
    come from the Bayesian signed-rank test of the ERTs. For more than 12 algorithms, only pairs
    with the best algorithm are listed, which has the lowest average rank by ERT;
    `statistics.pairs` selects other pairs.
    """,
    columns=COLUMNS,
    layouts=[
        Layout(
            caption="Pairs of algorithms over all functions: the probability that the first is "
            "faster by a factor that matters, that both are practically equal, and that the first "
            "is slower (Bayesian signed-rank test). Ratio: median over the functions of the "
            "expected running time of the second, divided by that of the first.",
            values=(Value("n_a", "Functions"), *P, Value("verdict", "The first is")),
            rows=tuple(column_names(PAIR)),
            parts=("suite", "dimension", "unit"),
            points=(Points("function", 1),),
        ),
        Layout(
            caption="Pairs of algorithms on each function, and on all functions: the probability "
            "that the first is faster by a factor that matters, that both are practically equal, "
            "and that the first is slower.",
            values=P[1:],
            rows=tuple(column_names(PAIR)),
            columns="function",
            parts=("suite", "dimension", "unit"),
            name="functions",
        ),
    ],
    default=True,
    comparing=True,
)
def practical(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Each pair of algorithms on each function, and over all functions, in each unit."""
    rows: list[dict[str, Any]] = []
    together: list[dict[str, Any]] = []
    listed_in: dict[Space, Listed] = {}
    for likely in likely_costs(runs, analysis):
        pairs = listed_in.setdefault(likely.space, listed(analysis, likely.ranks()))
        for one in likely.functions:
            rows += [{**likely.names, **row} for row in _on_function(one, pairs, analysis)]
        together += [{**likely.names, **row} for row in _over(likely, pairs, analysis)]
    frame = pd.DataFrame([*rows, *together], columns=column_names(COLUMNS))
    frame.attrs["pairs"] = in_words(listed_in)
    return frame


def _on_function(one: LikelyCosts, pairs: Listed, analysis: Analysis) -> Iterator[dict[str, Any]]:
    places = {name: k for k, name in enumerate(one.algorithms)}
    known, ratio = one.known, analysis.matters.ratio
    for names in pairs.pairs(one.algorithms):
        a, b = (places[name] for name in names)
        some = bool(one.successes[[a, b]].any())
        found = UNKNOWN
        if some and known[a] and known[b]:
            found = compared(one.draws[:, a], one.draws[:, b], ratio)
        yield {
            "function": str(one.function),
            "target": one.target,
            **dict(zip(column_names(PAIR), names, strict=True)),
            "n_a": one.runs[a],
            "n_b": one.runs[b],
            "ratio": _ratio(one.ert[a], one.ert[b]) if some else np.nan,
            **_stated(found, analysis),
        }


def _over(likely: LikelySpace, pairs: Listed, analysis: Analysis) -> Iterator[dict[str, Any]]:
    """The listed pairs over the functions on which at least one of the two algorithms has a
    success.
    """
    algorithms, costs = likely.algorithms, likely.table()
    places = {name: k for k, name in enumerate(algorithms)}
    for names in pairs.pairs(algorithms):
        both = costs[:, [places[name] for name in names]]
        both = both[~np.isnan(both).any(axis=1) & np.isfinite(both).any(axis=1)]
        if not len(both):
            continue
        keys = dict(zip(column_names(PAIR), names, strict=True))
        found = signed_rank(
            both[:, 0],
            both[:, 1],
            analysis.matters.ratio,
            draws=analysis.resamples,
            rng=analysis.stream({**likely.names, **keys}),
        )
        yield {
            "function": ALL,
            "target": np.nan,
            **keys,
            "n_a": len(both),
            "n_b": len(both),
            "ratio": median_ratio(both[:, 0], both[:, 1]),
            **_stated(found, analysis),
        }


def _ratio(first: float, second: float) -> float:
    """Cost of the second as a multiple of that of the first; at least one is finite and none is
    NaN.
    """
    if first == second:
        return 1.0
    return float(second / first) if first else np.inf


def _stated(found: Practical, analysis: Analysis) -> dict[str, Any]:
    said = [verdict for verdict, p in zip(VERDICTS, found, strict=True) if p >= analysis.confidence]
    return {
        **{f"p_{name}": p for name, p in zip(VERDICTS, found, strict=True)},
        "verdict": said[0] if said else np.nan,
        "matters": analysis.matters.ratio,
    }
