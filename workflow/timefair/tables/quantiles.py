"""Quantiles of the precision at the end of a run: peak, average and bad case."""

from __future__ import annotations

import pandas as pd

from timefair.statistics.quantiles import sample_quantile
from timefair.tables.runs import Runs
from timefair.tables.settings import Analysis

KEYS = ("suite", "dimension", "function", "algorithm")
COLUMNS = [*KEYS, "runs", "quantile", "precision"]


def at_the_end(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Q_p of the best precision for each (suite, dimension, function, algorithm), a row a p.

    Runs of all instances together. ``precision`` is `inf` where at least that share of the runs
    found no finite value.
    """
    best = runs.frame["best_precision"].to_numpy()
    probabilities = sorted(analysis.quantiles)
    rows = [
        {
            **names,
            "runs": len(members),
            "quantile": p,
            "precision": float(sample_quantile(best[members], p)),
        }
        for names, members in runs.groups(KEYS)
        for p in probabilities
    ]
    return pd.DataFrame(rows, columns=COLUMNS)
