"""Tuning and preparation: their cost, and its effect on results."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from timefair.basics.words import ALL
from timefair.exhibits import questions
from timefair.exhibits.columns import ALGORITHM, DIMENSION, RUNS, SUITE
from timefair.exhibits.comparisons import ranks
from timefair.exhibits.curves import ecdf
from timefair.exhibits.exhibit import Column, column_names, columns_of, exhibit
from timefair.exhibits.layout import Layout, Points, Value
from timefair.exhibits.quality import quantiles
from timefair.exhibits.runtimes import ert
from timefair.records.rundata.conditions import ancillary_costs
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis

COLUMNS = (
    ALGORITHM,
    RUNS,
    *columns_of("""
        tuning_s [s]: seconds of tuning for all problems: declared seconds plus measured seconds of
            a search
        preparation_s [s]: seconds of preparation for all problems
        preparation (text): `declared`, or `measured`: the median over the runs of the time of
            loading and warm-up
        problems: number of problems by which the cost is divided
        share_s [s]: cost per problem: what a run is charged under `amortised`
        share_of_budget: `share_s` as a share of the budget; empty without a budget in seconds
    """),
)
KEYS = ["suite", "dimension", "function", "algorithm"]
EFFECT_COLUMNS = (
    Column("table", "table that contains the number", text=True),
    SUITE,
    DIMENSION,
    Column("function", "`f` and the number of the function, or `all`", text=True),
    ALGORITHM,
    Column("row", "the other keys of the row in that table", text=True),
    Column("column", "column of that table", text=True),
    Column("excluded", "the number without ancillary cost"),
    Column("amortised", "the number with ancillary cost"),
)

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
    columns=COLUMNS,
    layouts=Layout(
        caption="Tuning and preparation of each algorithm in seconds, declared or measured, "
        "the share of one problem in them, and that share of the budget.",
        values=(
            Value("tuning_s", "Tuning, s"),
            Value("preparation_s", "Preparation, s"),
            Value("preparation", "Known from"),
            Value("problems", "Problems"),
            Value("share_s", "Share, s"),
            Value("share_of_budget", "Share of budget", decimals=3),
        ),
        rows=("algorithm",),
    ),
    charged=False,
)
def declared(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    rows = ancillary_costs(runs.frame, runs.origins, analysis)
    grouped = runs.frame.groupby("algorithm")
    rows["runs"] = grouped.size()
    rows["share_of_budget"] = rows["share_s"] / grouped["budget_s"].median().astype(float)
    return rows.reset_index()[column_names(COLUMNS)]


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
    columns=EFFECT_COLUMNS,
    layouts=Layout(
        caption="A number that ancillary cost changes, without that cost and with it.",
        values=(Value("excluded", "Excluded"), Value("amortised", "Amortised")),
        parts=("suite", "dimension", "table", "column", "row"),
        points=(Points("row", 1),),
    ),
    charged=False,
)
def effect(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    charged = runs.amortised(analysis)
    parts = [table.changes(runs, charged, analysis) for table in COMPARED]
    return pd.concat(parts, ignore_index=True)[column_names(EFFECT_COLUMNS)]


def _fastest(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    frame = ecdf.of_ert_s(runs, analysis.model_copy(update={"resamples": 1}))
    return frame[frame["ratio"] == 1].assign(function=ALL)


@dataclass(frozen=True)
class Compared:
    """A table in seconds: the columns that name its rows besides the keys, and those compared."""

    name: str
    build: Callable[[Runs, Analysis], pd.DataFrame]
    names: tuple[str, ...]
    columns: tuple[str, ...]

    def changes(self, excluded: Runs, amortised: Runs, analysis: Analysis) -> pd.DataFrame:
        """The numbers that differ between two versions of the same runs."""
        pairs = pd.DataFrame(
            {
                "excluded": self._numbers(excluded, analysis),
                "amortised": self._numbers(amortised, analysis),
            }
        )
        same = np.isclose(pairs["excluded"], pairs["amortised"], ROUNDING, 0.0, equal_nan=True)
        return pairs[~same].reset_index().assign(table=self.name)

    def _numbers(self, runs: Runs, analysis: Analysis) -> pd.Series[float]:
        frame = self.build(runs, analysis)
        frame["function"] = [f"f{key}" if key != ALL else ALL for key in frame["function"]]
        rows = frame[list(self.names)].to_dict("records")
        frame["row"] = pd.Series(map(_text, rows), index=frame.index, dtype=str)
        long = frame.melt([*KEYS, "row"], list(self.columns), "column", "number")
        return long.set_index([*KEYS, "row", "column"])["number"].astype(float)


def _text(names: Mapping[Hashable, Any]) -> str:
    """The name of a row, such as ``target 0.1, Q.50``."""
    known = {name: value for name, value in names.items() if value == value}
    return ", ".join(
        value if isinstance(value, str) else f"{name} {value:g}" for name, value in known.items()
    )


# the limits are not compared
_ert, _quantiles = (partial(table, confidence=None) for table in (ert.to_targets, quantiles.pooled))
COMPARED = (
    Compared("ert", _ert, ("target",), ("success_rate", "ert_s")),
    Compared("quantiles", _quantiles, ("quantile",), ("precision", "rank")),
    Compared("rankings", ranks.side_by_side, ("criterion", "target"), ("rank_by_time",)),
    Compared("profile", _fastest, ("ratio",), ("fraction",)),
)
"""Tables of results in seconds; bands and curves follow from the same runs."""
