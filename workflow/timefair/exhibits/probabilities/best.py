"""How probable it is that an algorithm is the best."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from timefair.basics.together import ALL
from timefair.charts.chart import Picture
from timefair.exhibits import questions
from timefair.exhibits.columns import ALGORITHM, FUNCTION_OR_ALL, SPACE, UNIT
from timefair.exhibits.exhibit import Column, Figure, column_names, exhibit
from timefair.exhibits.layout import INTERVAL, Layout, Points, Value
from timefair.exhibits.probabilities.columns import (
    COMPARED,
    DECISIVE_TARGET,
    FROM_RUNS,
    MATTERS,
)
from timefair.rundata.likely import LikelyCosts, LikelySpace, likely_costs
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis
from timefair.statistics.bootstrap import percentile_interval
from timefair.statistics.posterior.posterior import (
    probability_of_best,
    probability_of_largest,
    probability_of_near_best,
    weight_draws,
)

P_FIRST = ("p_first", "p_first_low", "p_first_high")
COLUMNS = (
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
    question=questions.PROBABLE,
    title="Probability that an algorithm is the best",
    caption=f"""
    The probability that an algorithm is the best, on each function and over all functions.
    {COMPARED} {FROM_RUNS} Over all functions (`all`), the probabilities come from the
    Plackett-Luce model of the rankings by the ERT, in which an algorithm that did not reach the
    target is last. `p_near` is the probability that the ERT of an algorithm is at most `matters`
    times the lowest one.
    """,
    columns=COLUMNS,
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
            "target have no cell.",
            Picture("timefair.charts.probability_map:probability_map", options={"value": "p_best"}),
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
            rows += [{**likely.names, **row} for row in _on_function(one, analysis)]
        together += [{**likely.names, **row} for row in _over(likely, analysis)]
    return pd.DataFrame([*rows, *together], columns=column_names(COLUMNS))


def _on_function(one: LikelyCosts, analysis: Analysis) -> Iterator[dict[str, Any]]:
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


def _over(likely: LikelySpace, analysis: Analysis) -> Iterator[dict[str, Any]]:
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
