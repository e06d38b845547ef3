"""Which two algorithms should share the budget of a run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.exhibits.charts.chart import Picture
from timefair.exhibits.columns import SPACE, UNIT
from timefair.exhibits.exhibit import Column, Figure, column_names, exhibit
from timefair.exhibits.layout import Layout, Value
from timefair.exhibits.questions import Question
from timefair.extensions.portfolios.search import (
    ANY_TIME,
    MODES,
    FunctionRuns,
    Portfolio,
    Schedule,
    Search,
)
from timefair.records.rundata.evaluation_cost import complete_problems
from timefair.records.rundata.frames import stacked
from timefair.records.rundata.problems import BUDGETS, ProblemRuns, cut_off, problems
from timefair.records.rundata.runs import UNITS, Runs
from timefair.records.rundata.settings import Analysis

QUESTION = Question(7, "Which algorithms should share my time?", "guide/portfolios.md")
SINGLE, VIRTUAL = "single best", "virtual best"
JUDGED = ("held_out", "held_out_low", "held_out_high", "gain", "gain_low", "gain_high")

BUDGET = Column(
    "budget",
    "budget T of a run; smaller than the campaign's budget if a run was cut earlier, because "
    "nothing is known beyond its end",
    "`unit`",
)
PAIRS = (
    "The share of the (function, target) pairs is the probability that a run reaches the target "
    "within T, averaged over the instances, the targets and the functions that were run with every "
    "algorithm."
)

PORTFOLIOS = (
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
)


def _virtual_best(field: Field, at: tuple[float, ...]) -> float:
    """What the best algorithm of each (function, target, share of T) reaches, on average."""
    parts = [pairs.reshape(len(pairs), -1).max(axis=0) for pairs in field.search.pairs(at)]
    best = np.concatenate(parts)
    return float(best @ np.full(best.size, 1 / best.size))


@exhibit(
    "portfolio",
    question=QUESTION,
    title="Algorithms that share the budget",
    caption=f"""
    The best pair of algorithms that share the budget T of a run, with the single best algorithm and
    the virtual best. {PAIRS} The result of a member within its part of
    the budget is read from its runs up to this time. This assumes that a run does not depend on its
    budget, which is wrong for algorithms that read the clock or their remaining budget. Parts are
    tenths of T if the members run `in turn`. `share` refers to the functions that were used for the
    choice; `held_out` and `gain` refer to functions that were not used for it. Their limits hold
    for new runs on these functions.
    """,
    columns=PORTFOLIOS,
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
            Picture("timefair.extensions.portfolios.figure:portfolio"),
            default=True,
        )
    ],
    default=True,
    comparing=True,
)
def portfolios(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """The single best, the best pairs, and the virtual best of each field."""
    rows = []
    for field in fields(runs, analysis):
        rows += [{**field.names, **row} for row in _rows(field, analysis)]
    return stacked(rows, column_names(PORTFOLIOS))


def _rows(field: Field, analysis: Analysis) -> Iterator[dict[str, Any]]:
    search = field.search
    count = search.algorithms
    alone = Portfolio((search.single_best(),), Schedule("in turn", (1.0,)))
    yield _row(field, SINGLE, alone, analysis)
    if count > 1:
        for mode in MODES:
            yield _row(field, mode, search.best(mode), analysis)
        yield {
            "arrangement": VIRTUAL,
            "size": count,
            "members": None,
            "shares": None,
            "cores": 1,
            "share": _virtual_best(field, (1.0,)),
            "any_time": _virtual_best(field, ANY_TIME),
            **dict.fromkeys(JUDGED, np.nan),
        }


def _row(
    field: Field, arrangement: str, portfolio: Portfolio, analysis: Analysis
) -> dict[str, Any]:
    search, size, schedule = field.search, len(portfolio.members), portfolio.schedule
    judged = search.judged(
        size,
        schedule.mode,
        confidence=analysis.confidence,
        resamples=analysis.resamples,
        rng=analysis.stream({**field.names, "arrangement": arrangement, "size": size}),
    )
    return {
        "arrangement": arrangement,
        "size": size,
        "members": ", ".join(field.algorithms[member] for member in portfolio.members),
        "shares": ", ".join(f"{share:.2g}" for share in schedule.shares),
        "cores": schedule.cores,
        "share": search.value(portfolio).item(),
        "any_time": search.any_time(portfolio),
        **dict(zip(JUDGED, astuple(judged), strict=True)),
    }


@dataclass(frozen=True)
class Field:
    """The algorithms of a suite and dimension that may share a budget, in alphabetical order.

    - `names`: Suite, dimension, unit and ``budget``: the T up to which every run is known.
    - `search`: Over the functions and instances on which all algorithms were run.
    """

    names: dict[str, Any]
    algorithms: tuple[str, ...]
    search: Search


def fields(runs: Runs, analysis: Analysis) -> Iterator[Field]:
    """The fields of all suites and dimensions, one for each unit in which there is a budget.

    T is the budget, or less if another limit ended a run earlier. Suites and dimensions without a
    function on which all algorithms were run are omitted.
    """
    reached = {unit: runs.runtimes(unit, analysis.targets_from_easy) for unit in UNITS}
    cut = cut_off(runs)
    for (suite, dimension), algorithms, complete in complete_problems(problems(runs)):
        if not algorithms:
            continue
        for unit, column in BUDGETS.items():
            known = np.where(cut, runs.spent(unit), np.inf)
            limits = runs.frame[column].to_numpy(dtype=np.float64)
            rows = np.concatenate([np.empty(0, np.intp), *(one.rows for one in complete)])
            if not rows.size or np.isnan(limits[rows]).any():
                continue
            budget = float(min(limits[rows].min(), known[rows].min()))
            functions = [_instances(runs, one, reached[unit], known) for one in complete]
            functions = [function for function in functions if function]
            if functions and budget > 0:
                names = {"suite": suite, "dimension": dimension, "unit": unit, "budget": budget}
                yield Field(names, algorithms, Search(functions, budget))


def _instances(
    runs: Runs, problem: ProblemRuns, reached: NDArray[np.float64], known: NDArray[np.float64]
) -> FunctionRuns:
    """The runs of each algorithm on each instance on which all algorithms were run."""
    instance = runs.frame["instance"].to_numpy()
    found = []
    for number in np.unique(instance[problem.rows]):
        mine = [
            rows[instance[rows] == number]
            for rows in (problem.rows[of] for of in problem.algorithms.values())
        ]
        if all(len(rows) for rows in mine):
            found.append([(reached[rows], known[rows]) for rows in mine])
    return found
