"""Tuning and preparation: what they cost, and what they change."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from timefair.tables.charges import costs
from timefair.tables.comparisons import rankings
from timefair.tables.curves import profile
from timefair.tables.quality import quantiles
from timefair.tables.runs import Runs
from timefair.tables.runtimes import ert
from timefair.tables.settings import Analysis

COLUMNS = [
    *("algorithm", "runs", "tuning_s", "preparation_s", "preparation"),
    *("problems", "share_s", "share_of_budget"),
]
ALL = "all"
KEYS = ["suite", "dimension", "function", "algorithm"]
EFFECT_COLUMNS = ["table", *KEYS, "row", "column", "excluded", "amortised"]

ROUNDING = 1e-9
"""Relative difference of two numbers that counts as none."""


def declared(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Seconds of tuning and preparation of each algorithm, and the share of a problem in them.

    ``preparation`` says whether ``preparation_s`` was declared or is the median measured over the
    runs. ``share_s`` is what a run is charged under ``ancillary: amortised``, and
    ``share_of_budget`` that share of the budget; NaN without a budget in seconds.
    """
    rows = costs(runs.frame, analysis)
    grouped = runs.frame.groupby("algorithm")
    rows["runs"] = grouped.size()
    rows["share_of_budget"] = rows["share_s"] / grouped["budget_s"].median().astype(float)
    return rows.reset_index()[COLUMNS]


def effect(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Each number of the tables in seconds that ancillary cost changes, before and after.

    ``table`` and ``column`` say where it stands, ``row`` what names its row beside the keys;
    ``excluded`` is without and ``amortised`` with ancillary cost. ``function`` is a text such as
    ``f1``, or ``all``. What stays equal has no row. Of the performance profile, the share of
    problems on which an algorithm is the fastest is compared.
    """
    charged = runs.amortised(analysis)
    parts = [table.changes(runs, charged, analysis) for table in COMPARED]
    return pd.concat(parts, ignore_index=True)[EFFECT_COLUMNS]


def _fastest(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    frame = profile.of_ert_s(runs, analysis.model_copy(update={"resamples": 1}))
    return frame[frame["ratio"] == 1].assign(function=ALL)


@dataclass(frozen=True)
class Compared:
    """A table in seconds: what names its rows beside the keys, and what is compared."""

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
    """Such as ``target 0.1, Q.50``."""
    known = {name: value for name, value in names.items() if value == value}
    return ", ".join(
        value if isinstance(value, str) else f"{name} {value:g}" for name, value in known.items()
    )


COMPARED = (
    Compared("ert", ert.pooled, ("target",), ("success_rate", "ert_s")),
    Compared("ert_relative", ert.relative, ("target",), ("success_rate", "ert_s")),
    Compared("quantiles", quantiles.at_the_end, ("quantile",), ("precision", "rank")),
    Compared("rankings", rankings.side_by_side, ("criterion", "target"), ("rank_by_time",)),
    Compared("profile", _fastest, ("ratio",), ("fraction",)),
)
"""Tables of results in seconds; bands and curves follow from the same runs."""
