"""Where a stopping rule ended the runs on each problem, and why."""

from __future__ import annotations

import pandas as pd

from timefair.tables.runs import Runs
from timefair.tables.settings import Analysis

KEYS = ["suite", "dimension", "function", "instance", "algorithm"]
COLUMNS = [*KEYS, "rounds", "runs", "reason", "looks", "value", "path"]


def decided(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """For each problem and algorithm: the runs that were made, and what ended them.

    ``rounds`` were begun. ``reason`` is empty where the last round ended and the rule would have
    gone on. ``looks`` counts how often the rule judged the sample, ``value`` is its number at the
    last look (a skewness, a width), ``path`` all of them from the first, as text. No row without a
    rule.
    """
    rows = runs.stopping.sort_values([*KEYS, "round"])
    last = rows.groupby(KEYS, sort=True).last().reset_index()
    last["path"] = list(rows.groupby(KEYS, sort=True)["path"].last())
    looks = last["path"]
    frame = last.assign(
        rounds=last["round"],
        looks=looks.map(len),
        value=looks.map(lambda path: path[-1] if path else None).astype(float),
        path=looks.map(_text),
    )
    return frame[COLUMNS]


def _text(path: list[float | None]) -> str:
    return " ".join("n/a" if value is None else f"{value:.6g}" for value in path)
