"""Mean precision at the end of a run, with intervals."""

from __future__ import annotations

import numpy as np
import pandas as pd

from timefair.statistics.means import mean_interval
from timefair.tables.quality.ranked import ranks_within
from timefair.tables.runs import Runs
from timefair.tables.settings import Analysis

PROBLEM = ("suite", "dimension", "function")
KEYS = (*PROBLEM, "algorithm")
COLUMNS = [
    *KEYS,
    "runs",
    "mean_precision",
    "mean_precision_low",
    "mean_precision_high",
    "mean_precision_paper_low",
    "mean_precision_paper_high",
    "standard_deviation",
    "rank",
]


def of_precision(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Mean of the best precision for each (suite, dimension, function, algorithm).

    Runs of all instances together. ``_low`` and ``_high`` are bootstrap-t limits, cut at 0, because
    no precision is below; `inf` above where the mean rests on too few runs. ``_paper_low`` and
    ``_paper_high`` are the paper's, symmetric and perhaps negative. A run without a finite value
    makes the mean `inf`, without a lower limit. ``standard_deviation`` is over n - 1; it and the
    limits are NaN for one run. ``rank`` is that of the mean among the algorithms of a problem.
    """
    best = runs.frame["best_precision"].to_numpy()
    rows = []
    for names, members in runs.groups(KEYS):
        values = best[members]
        default = mean_interval(
            values,
            confidence=analysis.confidence,
            resamples=analysis.resamples,
            rng=analysis.stream(names),
        )
        paper = mean_interval(values, confidence=analysis.confidence, method="paper")
        spread = len(values) > 1 and np.isfinite(default.mean)
        rows.append(
            {
                **names,
                "runs": len(members),
                "mean_precision": default.mean,
                "mean_precision_low": float(np.maximum(default.low, 0.0)),
                "mean_precision_high": default.high,
                "mean_precision_paper_low": paper.low,
                "mean_precision_paper_high": paper.high,
                "standard_deviation": float(np.std(values, ddof=1)) if spread else np.nan,
            }
        )
    frame = pd.DataFrame(rows, columns=COLUMNS[:-1])
    frame["rank"] = ranks_within(frame, PROBLEM, "mean_precision")
    return frame
