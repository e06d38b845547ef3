"""Share of (target, instance, run) triples that are solved within a cost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.statistics.ecdf import ecdf
from timefair.tables.runs import UNITS, Runs
from timefair.tables.settings import Analysis

ALL = "all"
COLUMNS = ["suite", "dimension", "function", "algorithm", "runs", "unit", "cost", "fraction"]


def solved_within(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """ECDF of runtimes for each (suite, dimension, function, algorithm) and over all functions.

    ``function`` is a text, a number or ``all``; ``cost`` is in ``unit`` (seconds or evaluations).
    Triples that were not solved stay in the denominator.
    """
    parts = []
    for unit in UNITS:
        grid = runs.cost_grid(unit)
        reached_at = runs.runtimes(unit, analysis.targets)
        for names, members in _groups(runs):
            part = {**names, "runs": len(members), "unit": unit, "cost": grid}
            parts.append(pd.DataFrame({**part, "fraction": ecdf(reached_at[members], grid)}))
    if not parts:
        return pd.DataFrame(columns=COLUMNS)
    return pd.concat(parts, ignore_index=True)[COLUMNS]


def _groups(runs: Runs) -> Iterator[tuple[dict[str, Any], NDArray[np.intp]]]:
    for names, members in runs.groups(("suite", "dimension", "function", "algorithm")):
        yield {**names, "function": str(names["function"])}, members
    for names, members in runs.groups(("suite", "dimension", "algorithm")):
        yield {**names, "function": ALL}, members
