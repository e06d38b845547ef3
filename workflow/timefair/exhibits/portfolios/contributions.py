"""Contribution of each algorithm to the virtual best of all algorithms."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.exhibits import questions
from timefair.exhibits.columns import ALGORITHM, SPACE, UNIT
from timefair.exhibits.exhibit import Column, column_names, exhibit
from timefair.exhibits.layout import Layout, Value
from timefair.exhibits.portfolios.columns import BUDGET, PAIRS
from timefair.rundata.frames import stacked
from timefair.rundata.portfolios import Field, fields
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis
from timefair.statistics.portfolios.portfolios import ANY_TIME, Contributions, contributions

MEASURES = {"at_budget": (1.0,), "any_time": ANY_TIME}
"""Shares of T at which pairs are counted, for each measure."""

COLUMNS = (
    *SPACE,
    UNIT,
    BUDGET,
    Column(
        "measure",
        "`at_budget`: pairs that are reached within T. `any_time`: the average over 31 budgets "
        "from T/1000 to T, evenly spaced in the logarithm, as in IOHanalyzer",
        text=True,
    ),
    ALGORITHM,
    Column("alone", "share of the pairs that the algorithm reaches alone"),
    Column("marginal", "what the virtual best of all algorithms loses without this algorithm"),
    Column("shapley", "Shapley value: part of `virtual_best`; all values add up to it"),
    Column("virtual_best", "share of the pairs that is reached by the best algorithm on each pair"),
)


@exhibit(
    "portfolio_contributions",
    question=questions.PORTFOLIO,
    title="Contribution of each algorithm to the virtual best",
    caption=f"""
    What each algorithm reaches alone, and what it contributes to the virtual best, which uses the
    best algorithm on each pair. {PAIRS} If two algorithms are equal, `marginal` is 0 for both, and
    the Shapley value divides what they reach equally between them; it is exact. The best algorithm
    of a pair is chosen from the same runs, so few runs make the virtual best too optimistic.
    """,
    columns=COLUMNS,
    layouts=[
        Layout(
            caption="Contribution of each algorithm to the virtual best: the share of the "
            "(function, target) pairs that it reaches alone, its Shapley value, and what the "
            "virtual best loses without it. at_budget: within T. any_time: averaged over budgets "
            "up to T.",
            values=(
                Value("alone", "Alone", "high", decimals=3),
                Value("shapley", "Shapley", "high", decimals=3),
                Value("marginal", "Marginal", "high", decimals=3),
            ),
            rows=("algorithm",),
            columns="measure",
        )
    ],
    comparing=True,
)
def parts(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Contributions of each algorithm for each suite, dimension, unit and measure."""
    rows = []
    for field in fields(runs, analysis):
        for measure, at in MEASURES.items():
            found = of_field(field, at)
            rows.append(
                {
                    **field.names,
                    "measure": measure,
                    "algorithm": np.array(field.algorithms, dtype=object),
                    "alone": found.alone,
                    "marginal": found.marginal,
                    "shapley": found.shapley,
                    "virtual_best": found.virtual_best,
                }
            )
    return stacked(rows, column_names(COLUMNS))


def of_field(field: Field, at: tuple[float, ...]) -> Contributions:
    """Contributions to pairs of (function, target, share of T); functions count equally."""
    of_functions: list[NDArray[np.float64]] = field.search.pairs(at)
    return contributions(np.concatenate([each.reshape(len(each), -1) for each in of_functions], 1))
