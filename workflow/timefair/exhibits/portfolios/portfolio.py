"""Which two or three algorithms should share the budget of a run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from timefair.charts.chart import Picture
from timefair.exhibits.columns import SPACE, UNIT
from timefair.exhibits.exhibit import Column, Figure, column_names, exhibit
from timefair.exhibits.layout import Layout, Value
from timefair.exhibits.portfolios.columns import BUDGET, PAIRS
from timefair.exhibits.portfolios.contributions import of_field
from timefair.exhibits.questions import Question
from timefair.rundata.portfolios import Field, fields
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis
from timefair.rundata.stacked import stacked
from timefair.statistics.portfolios.schedules import MODES, Schedule
from timefair.statistics.portfolios.search import ANY_TIME, EVERY_TRIPLE, Judged, Portfolio

SINGLE, VIRTUAL = "single best", "virtual best"
SIZES = (2, 3)
EVERY, EXTENDED = "every", "extended"
HELD_OUT = ("held_out", "held_out_low", "held_out_high")
GAIN = ("gain", "gain_low", "gain_high")

COLUMNS = (
    *SPACE,
    UNIT,
    BUDGET,
    Column(
        "arrangement",
        "`single best`: the best algorithm alone. `in turn`: one member after the other, in the "
        "order of `members`. `slices`: in short rounds, of which each member has an equal part. "
        "`side by side`: each member on a core of its own for all of T. `virtual best`: the best "
        "algorithm of each pair, which nobody can run",
        text=True,
    ),
    Column("size", "number of members"),
    Column("members", "labels of the members, separated by commas", text=True),
    Column("shares", "share of T of each member, in the same order", text=True),
    Column("cores", "cores that it takes"),
    Column("share", "share of the pairs that is reached within T, on the functions of the choice"),
    Column(
        "any_time",
        "the same averaged over 31 budgets from T/1000 to T, evenly spaced in the logarithm",
    ),
    *Column(
        "held_out",
        "share of the pairs on each function of what is best on all others, averaged over the "
        "functions: what such a choice is worth on another function; empty for one function",
    ).interval(),
    *Column(
        "gain",
        "`held_out` minus that of the single best algorithm with as many cores, independent "
        "copies of it side by side",
    ).interval(),
    Column(
        "searched",
        "`every`: all groups of this size were tried. `extended`: those that the best group with "
        "one member less is part of",
        text=True,
    ),
)


@exhibit(
    "portfolio",
    question=Question.PORTFOLIO,
    title="Algorithms that share the budget",
    caption=f"""
    The best pair and the best triple of algorithms that share the budget T of a run, with the
    single best algorithm and the virtual best. {PAIRS} What a member does in its share is read from
    its runs up to there, as nothing in a run depends on how long it may go on, except in algorithms
    that read the clock or the rest of their budget. Shares in turn are tenths of T. `share` is of
    the functions that the choice was made on; `held_out` and `gain` of functions that it was not
    made on. Their limits are about new runs on these functions. Of more than {EVERY_TRIPLE}
    algorithms, triples extend the best pair.
    """,
    columns=COLUMNS,
    layouts=[
        Layout(
            caption="Share of the (function, target) pairs that portfolios reach within T, on "
            "functions that they were not chosen on, and the gain over the single best algorithm "
            "with as many cores.",
            brackets="Brackets: {confidence} bootstrap interval.",
            values=(
                Value("members", "Members"),
                Value("shares", "Shares"),
                Value(
                    "held_out", "Reached", interval=("held_out_low", "held_out_high"), decimals=3
                ),
                Value("gain", "Gain", interval=("gain_low", "gain_high"), decimals=3),
            ),
            rows=("arrangement", "size"),
        )
    ],
    figures=[
        Figure(
            "portfolio",
            "Algorithms that share the budget",
            "Share of the (function, target) pairs that are reached within the budget. Circle: on "
            "the functions that the choice was made on. Dot: on each function, what is best on all "
            "others. Bar: the single best algorithm, chosen in the same way, with as many cores. "
            "Line: interval of the gain over the bar, for new runs on these functions; of the "
            "single best, that of its share. Numbers after the members are their shares of the "
            "budget.",
            Picture(
                "portfolio",
                reading=f"Of more than {EVERY_TRIPLE} algorithms, triples extend the best pair.",
            ),
            default=True,
        )
    ],
    default=True,
    comparing=True,
)
def portfolios(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """The single best, the best pairs and triples, and the virtual best of each field."""
    rows = []
    for field in fields(runs, analysis):
        rows += [{**field.names, **row} for row in _rows(field, analysis)]
    return stacked(rows, column_names(COLUMNS))


def _rows(field: Field, analysis: Analysis) -> Iterator[dict[str, Any]]:
    search = field.search
    count = search.algorithms
    alone = Portfolio((search.single_best(),), Schedule("in turn", (1.0,)))
    yield _row(field, SINGLE, alone, analysis)
    for mode in MODES:
        for size in SIZES:
            if size <= count:
                yield _row(field, mode, search.best(size, mode), analysis)
    if count > 1:
        unknown = dict.fromkeys((*HELD_OUT, *GAIN), np.nan)
        yield {
            "arrangement": VIRTUAL,
            "size": count,
            "members": None,
            "shares": None,
            "cores": 1,
            "share": of_field(field, (1.0,)).virtual_best,
            "any_time": of_field(field, ANY_TIME).virtual_best,
            **unknown,
            "searched": EVERY,
        }


def _row(
    field: Field, arrangement: str, portfolio: Portfolio, analysis: Analysis
) -> dict[str, Any]:
    search, size = field.search, len(portfolio.members)
    schedule = portfolio.schedule
    rng = analysis.stream({**field.names, "arrangement": arrangement, "size": size})
    judged: Judged = search.judged(
        size,
        schedule.mode,
        confidence=analysis.confidence,
        resamples=analysis.resamples,
        rng=rng,
    )
    held_out = (judged.share, judged.share_low, judged.share_high)
    gain = (judged.gain, judged.gain_low, judged.gain_high)
    return {
        "arrangement": arrangement,
        "size": size,
        "members": ", ".join(field.algorithms[member] for member in portfolio.members),
        "shares": ", ".join(f"{share:.2g}" for share in schedule.shares),
        "cores": schedule.cores,
        "share": search.value(portfolio).item(),
        "any_time": search.any_time(portfolio),
        **dict(zip(HELD_OUT, held_out, strict=True)),
        **dict(zip(GAIN, gain, strict=True)),
        "searched": EVERY if size < 3 or search.algorithms <= EVERY_TRIPLE else EXTENDED,
    }
