"""How probable it is that an algorithm is the best, or faster than another by what matters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from timefair.basics.together import ALL
from timefair.exhibits.charts.chart import Picture
from timefair.exhibits.columns import ALGORITHM, FUNCTION_OR_ALL, PAIR, SPACE, TARGET, UNIT
from timefair.exhibits.exhibit import Column, Figure, column_names, exhibit
from timefair.exhibits.layout import INTERVAL, Layout, Points, Value
from timefair.exhibits.questions import Question
from timefair.extensions.probabilities.likely import LikelyCosts, LikelySpace, likely_costs
from timefair.extensions.probabilities.posterior import (
    UNKNOWN,
    Practical,
    compared,
    median_ratio,
    probability_of_best,
    probability_of_largest,
    probability_of_near_best,
    signed_rank,
    weight_draws,
)
from timefair.records.rundata.problems import Listed, Space, in_words, listed
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.statistics.bootstrap import percentile_interval

QUESTION = Question(
    2,
    "How likely is each algorithm the best, and does the difference matter?",
    "validation/probabilities.md",
)
DECISIVE_TARGET = Column(
    "target",
    "precision to reach: the hardest target that at least half of the runs of some algorithm "
    "reached; if there is none, the hardest target that any run reached; empty for `all`",
    TARGET.unit,
    exact=True,
)
MATTERS = Column("matters", "ratio of two costs above which a difference matters")

COMPARED = (
    "On a function, the algorithms are compared by the expected running time (ERT) to one target. "
    "The runs of all instances are pooled, and costs count up to the cost that all runs on the "
    "function were allowed. Functions on which no run reached a target by then are omitted."
)
FROM_RUNS = (
    "Probabilities on a function come from the Bayesian bootstrap of the runs, corrected by a "
    "model of all algorithms. If an algorithm has fewer than two runs on a function, the "
    "probabilities of its pairs are empty in `practical`, and those of all algorithms on the "
    "function are empty in `probability_best`."
)
P_FIRST = ("p_first", "p_first_low", "p_first_high")
BEST = (
    *SPACE,
    FUNCTION_OR_ALL,
    UNIT,
    DECISIVE_TARGET,
    ALGORITHM,
    Column(
        "runs", "number of runs; for `all`, number of functions that were run with every algorithm"
    ),
    Column(
        "p_best",
        "probability that the algorithm has the lowest ERT; for `all`, that it is first more often "
        "than any other algorithm",
    ),
    Column(
        "p_near",
        "probability that its ERT is at most `matters` times the lowest ERT; empty for `all`",
    ),
    *Column(
        "p_first",
        "for `all`: probability that the algorithm is first on another function like these; empty "
        "for a function",
    ).interval(),
    MATTERS,
)


@exhibit(
    "probability_best",
    question=QUESTION,
    title="Probability that an algorithm is the best",
    caption=f"""
    The probability that an algorithm is the best, on each function and over all functions.
    {COMPARED} {FROM_RUNS} Over all functions (`all`), the probabilities come from the
    Plackett-Luce model of the rankings by the ERT, in which an algorithm that did not reach the
    target is last. `p_near` is the probability that the ERT of an algorithm is at most `matters`
    times the lowest one. Verdicts come from the table `comparison`, which corrects for all pairs
    and functions: a probability above 0.95 on one function need not be significant there.
    """,
    columns=BEST,
    layouts=[
        Layout(
            caption="Probability of being the best over all functions, and of being first on "
            "another function like these (Plackett-Luce model of the rankings by expected running "
            "time).",
            brackets=INTERVAL,
            values=(
                Value("p_best", "P best", "high", decimals=3),
                Value("p_first", "P first", "high", interval=P_FIRST[1:], decimals=3),
            ),
            rows=("algorithm",),
            parts=("suite", "dimension", "unit"),
            points=(Points("function", 1),),
        ),
        Layout(
            caption="Probability of being the best on each function, and on all functions.",
            values=(Value("p_best", "P best", "high", decimals=2),),
            rows=("algorithm",),
            columns="function",
            parts=("suite", "dimension", "unit"),
            name="functions",
        ),
    ],
    figures=[
        Figure(
            "probability_best",
            "Probability that an algorithm is the best",
            "Probability that an algorithm has the lowest expected running time on each function, "
            "and that it is the best over all functions (rightmost column). On a function, it "
            "comes from the Bayesian bootstrap of the runs; over all functions, from the "
            "Plackett-Luce model of the rankings. The costs are seconds if the campaign has a "
            "budget in seconds, and evaluations otherwise. Functions on which no run reached a "
            "target have no cell. The probabilities are not corrected for the number of pairs and "
            "functions, as the verdicts of the table `comparison` are.",
            Picture("timefair.extensions.probabilities.figure:probability_map"),
            default=True,
        )
    ],
    default=True,
    comparing=True,
)
def best(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Each algorithm on each function, and over all functions, in each unit."""
    rows: list[dict[str, Any]] = []
    together: list[dict[str, Any]] = []
    for likely in likely_costs(runs, analysis):
        for one in likely.functions:
            rows += [{**likely.names, **row} for row in _best_on_function(one, analysis)]
        together += [{**likely.names, **row} for row in _best_over(likely, analysis)]
    return pd.DataFrame([*rows, *together], columns=column_names(BEST))


def _best_on_function(one: LikelyCosts, analysis: Analysis) -> Iterator[dict[str, Any]]:
    """Probabilities are known only if all algorithms have draws."""
    p_best = p_near = np.full(len(one.algorithms), np.nan)
    if one.known.all():
        p_best = probability_of_best(one.draws)
        p_near = probability_of_near_best(one.draws, analysis.matters.ratio)
    for k, algorithm in enumerate(one.algorithms):
        yield {
            "function": str(one.function),
            "target": one.target,
            "algorithm": algorithm,
            "runs": one.runs[k],
            "p_best": p_best[k],
            "p_near": p_near[k],
            **dict.fromkeys(P_FIRST, np.nan),
            "matters": analysis.matters.ratio,
        }


def _best_over(likely: LikelySpace, analysis: Analysis) -> Iterator[dict[str, Any]]:
    """The functions that were run with every algorithm; without any, all values are NaN."""
    costs = likely.table()
    costs = costs[~np.isnan(costs).any(axis=1)]
    p_best = first = low = high = np.full(len(likely.algorithms), np.nan)
    if len(costs):
        rng = analysis.stream({**likely.names, "model": "Plackett-Luce"})
        weights = weight_draws(costs, draws=analysis.resamples, rng=rng)
        p_best, first = probability_of_largest(weights), weights.mean(axis=0)
        low, high = percentile_interval(weights, analysis.confidence)
    for k, algorithm in enumerate(likely.algorithms):
        yield {
            "function": ALL,
            "target": np.nan,
            "algorithm": algorithm,
            "runs": len(costs),
            "p_best": p_best[k],
            "p_near": np.nan,
            **dict(zip(P_FIRST, (first[k], low[k], high[k]), strict=True)),
            "matters": analysis.matters.ratio,
        }


BETTER, EQUAL, WORSE = "better", "equal", "worse"
VERDICTS = (BETTER, EQUAL, WORSE)

PRACTICAL = (
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
    question=QUESTION,
    title="Pairs of algorithms: better, practically equal or worse",
    caption=f"""
    The probability that the first algorithm of a pair is faster by a factor that matters, that both
    are practically equal, and that the second is faster by such a factor. The factor is
    `statistics.matters.ratio`. {COMPARED} {FROM_RUNS} Over all functions (`all`), the probabilities
    come from the Bayesian signed-rank test of the ERTs. For more than 12 algorithms, only pairs
    with the best algorithm are listed, which has the lowest average rank by ERT;
    `statistics.pairs` selects other pairs.
    """,
    columns=PRACTICAL,
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
            rows += [{**likely.names, **row} for row in _pairs_on_function(one, pairs, analysis)]
        together += [{**likely.names, **row} for row in _pairs_over(likely, pairs, analysis)]
    frame = pd.DataFrame([*rows, *together], columns=column_names(PRACTICAL))
    frame.attrs["pairs"] = in_words(listed_in)
    return frame


def _pairs_on_function(
    one: LikelyCosts, pairs: Listed, analysis: Analysis
) -> Iterator[dict[str, Any]]:
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


def _pairs_over(likely: LikelySpace, pairs: Listed, analysis: Analysis) -> Iterator[dict[str, Any]]:
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
