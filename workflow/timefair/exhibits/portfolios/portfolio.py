"""Which two or three algorithms should share the budget of a run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from timefair.charts.chart import Picture
from timefair.exhibits import questions
from timefair.exhibits.columns import SPACE, UNIT
from timefair.exhibits.exhibit import Column, Figure, column_names, exhibit
from timefair.exhibits.layout import Layout, Value
from timefair.exhibits.portfolios.columns import BUDGET, PAIRS
from timefair.exhibits.portfolios.contributions import of_field
from timefair.rundata.frames import stacked
from timefair.rundata.portfolios import Field, fields
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis
from timefair.statistics.portfolios.portfolios import (
    ANY_TIME,
    EVERY_TRIPLE,
    MODES,
    Judged,
    Portfolio,
    Schedule,
)

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
        "order of `members`. `slices`: the members alternate in short rounds and have equal parts. "
        "`side by side`: each member has its own core for all of T. `virtual best`: the best "
        "algorithm on each pair, which is a bound and cannot be run",
        text=True,
    ),
    Column("size", "number of members"),
    Column("members", "labels of the members, separated by commas", text=True),
    Column("shares", "share of T of each member, in the same order", text=True),
    Column("cores", "number of cores that it needs"),
    Column(
        "share",
        "share of the pairs that is reached within T, on the functions that were used for the "
        "choice",
    ),
    Column(
        "any_time",
        "the same, averaged over 31 budgets from T/1000 to T, evenly spaced in the logarithm",
    ),
    *Column(
        "held_out",
        "share of the pairs on functions that were not used for the choice: for each function, the "
        "choice is made on all others; average over the functions; empty for one function",
    ).interval(),
    *Column(
        "gain",
        "`held_out` minus that of the single best algorithm with as many cores, on which "
        "independent copies of it run side by side",
    ).interval(),
    Column(
        "searched",
        "`every`: all groups of this size were tried. `extended`: only groups that extend the best "
        "group with one member less",
        text=True,
    ),
)


@exhibit(
    "portfolio",
    question=questions.PORTFOLIO,
    title="Algorithms that share the budget",
    caption=f"""
    The best pair and the best triple of algorithms that share the budget T of a run, with the
    single best algorithm and the virtual best. {PAIRS} The result of a member within its part of
    the budget is read from its runs up to this time. This assumes that a run does not depend on its
    budget, which is wrong for algorithms that read the clock or their remaining budget. Parts are
    tenths of T if the members run `in turn`. `share` refers to the functions that were used for the
    choice; `held_out` and `gain` refer to functions that were not used for it. Their limits hold
    for new runs on these functions. For more than {EVERY_TRIPLE} algorithms, only triples that
    extend the best pair are tried.
    """,
    columns=COLUMNS,
    layouts=[
        Layout(
            caption="Share of the (function, target) pairs that portfolios reach within T, on "
            "functions that were not used for the choice, and the gain over the single best "
            "algorithm with as many cores.",
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
            "the functions that were used for the choice. Dot: on functions that were not used for "
            "it (for each function, the choice is made on all others). Bar: the single best "
            "algorithm, chosen in the same way, with as many cores. Line: interval of the gain "
            "over the bar, for new runs on these functions; for the single best algorithm, the "
            "interval of its share. Numbers after the members are their parts of the budget.",
            Picture(
                "timefair.charts.portfolio:portfolio",
                reading=f"For more than {EVERY_TRIPLE} algorithms, only triples that extend the "
                "best pair are tried.",
            ),
            default=True,
        )
    ],
    default=True,
    comparing=True,
)
def portfolios(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """The single best, the best pairs and triples, and the virtual best of each field.

    A field contains the algorithms of a suite and dimension that may share a budget.
    """
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
