"""Tuning and preparation: their cost, and its effect on results."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from timefair.basics.words import ALL
from timefair.exhibits import questions
from timefair.exhibits.comparisons import ranks
from timefair.exhibits.curves import ecdf
from timefair.exhibits.exhibit import exhibit
from timefair.exhibits.layout import Layout, Points
from timefair.exhibits.quality import quantiles
from timefair.exhibits.runtimes import ert
from timefair.records.rundata.runs import Runs, ancillary_costs
from timefair.records.rundata.settings import Analysis

KEYS = ["suite", "dimension", "function", "algorithm"]

ROUNDING = 1e-9  # relative difference up to which two numbers count as equal


@exhibit(
    "ancillary",
    question=questions.ANCILLARY,
    title="Cost of tuning and preparation",
    caption="""
    Cost of each algorithm besides its runs: tuning and preparation, and the share of one problem in
    both. With `ancillary: amortised`, every table of results in seconds charges this share to
    the start of each run.
    """,
    columns="""
    ALGORITHM, RUNS
    tuning_s [s] <Tuning, s>: seconds of tuning for all problems: declared seconds plus measured
        seconds of a search
    preparation_s [s] <Preparation, s>: seconds of preparation for all problems
    preparation (text) <Known from>: `declared`, or `measured`: the median over the runs of the time
        of loading and warm-up
    problems <Problems>: number of problems by which the cost is divided
    share_s [s] <Share, s>: cost per problem: what a run is charged under `amortised`
    share_of_budget <Share of budget; .3>: `share_s` as a share of the budget; empty without a
        budget in seconds
    """,
    layouts=Layout(
        caption="Tuning and preparation of each algorithm in seconds, declared or measured, "
        "the share of one problem in them, and that share of the budget.",
        rows=("algorithm",),
    ),
    charged=False,
)
def declared(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    rows = ancillary_costs(runs.frame, runs.origins, analysis)
    grouped = runs.frame.groupby("algorithm")
    rows["runs"] = grouped.size()
    rows["share_of_budget"] = rows["share_s"] / grouped["budget_s"].median().astype(float)
    return rows.reset_index()


@exhibit(
    "ancillary_effect",
    question=questions.ANCILLARY,
    title="Effect of ancillary cost",
    caption="""
    Every number of the tables in seconds that changes if each run is charged its share of tuning
    and preparation. A charged run begins later by this share and ends at the same T, so an event
    near T may be lost. Numbers that stay equal are not listed; counts of evaluations stay as
    measured. From the performance profile, the table has the share of cases on which an
    algorithm is the fastest.
    """,
    columns="""
    table (text): table that contains the number
    SUITE, DIMENSION
    function (text): `f` and the number of the function, or `all`
    ALGORITHM
    row (text): the other keys of the row in that table
    column (text): column of that table
    excluded <Excluded>: the number without ancillary cost
    amortised <Amortised>: the number with ancillary cost
    """,
    layouts=Layout(
        caption="A number that ancillary cost changes, without that cost and with it.",
        parts=("suite", "dimension", "table", "column", "row"),
        points=(Points("row", 1),),
    ),
    charged=False,
)
def effect(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    versions = {"excluded": runs, "amortised": runs.amortised(analysis)}
    parts = []
    for name, (build, names, columns) in COMPARED.items():
        pairs = pd.DataFrame(
            {kind: _numbers(build(of, analysis), names, columns) for kind, of in versions.items()}
        )
        same = np.isclose(pairs["excluded"], pairs["amortised"], ROUNDING, 0.0, equal_nan=True)
        parts.append(pairs[~same].reset_index().assign(table=name))
    return pd.concat(parts, ignore_index=True)


def _fastest(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    frame = ecdf.of_ert_s(runs, analysis.model_copy(update={"resamples": 1}))
    return frame[frame["ratio"] == 1].assign(function=ALL)


def _numbers(frame: pd.DataFrame, names: Sequence[str], columns: Sequence[str]) -> pd.Series[float]:
    frame["function"] = [f"f{key}" if key != ALL else ALL for key in frame["function"]]
    rows = frame[list(names)].to_dict("records")
    frame["row"] = pd.Series(map(_text, rows), index=frame.index, dtype=str)
    long = frame.melt([*KEYS, "row"], list(columns), "column", "number")
    return long.set_index([*KEYS, "row", "column"])["number"].astype(float)


def _text(names: Mapping[Hashable, Any]) -> str:
    """The name of a row, such as ``target 0.1, Q.50``."""
    known = {name: value for name, value in names.items() if value == value}
    return ", ".join(
        value if isinstance(value, str) else f"{name} {value:g}" for name, value in known.items()
    )


Compared: TypeAlias = tuple[
    Callable[[Runs, Analysis], pd.DataFrame], tuple[str, ...], tuple[str, ...]
]
COMPARED: dict[str, Compared] = {
    "ert": (ert.in_seconds, ("target",), ("success_rate", "ert_s")),
    "quantiles": (partial(quantiles.pooled, confidence=None), ("quantile",), ("precision", "rank")),
    "rankings": (ranks.side_by_side, ("criterion", "target"), ("rank_by_time",)),
    "profile": (_fastest, ("ratio",), ("fraction",)),
}
"""Tables of results in seconds, with the columns that name their rows besides the keys, and those
that are compared; bands and curves follow from the same runs.
"""
