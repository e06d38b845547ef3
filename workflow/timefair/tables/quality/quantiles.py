"""Quantiles of the precision at the end of a run: peak, average and bad case."""

from __future__ import annotations

import pandas as pd

from timefair.statistics.probability import probability_of_quantile
from timefair.statistics.quantiles import quantile_interval, sample_quantile
from timefair.tables.quality.ranked import ranks_within
from timefair.tables.runs import Runs
from timefair.tables.settings import Analysis

PROBLEM = ("suite", "dimension", "function")
KEYS = (*PROBLEM, "algorithm")
COLUMNS = [
    *KEYS,
    "runs",
    "quantile",
    "precision",
    "precision_low",
    "precision_high",
    "precision_coverage",
    "probability",
    "probability_low",
    "probability_high",
    "probability_paper_low",
    "probability_paper_high",
    "rank",
]


def at_the_end(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Q_p of the best precision for each (suite, dimension, function, algorithm), a row a p.

    Runs of all instances together. ``precision`` is `inf` where at least that share of the runs
    found no finite value. Its limits are order statistics: 0 below and `inf` above where the runs
    are too few for one, and ``precision_coverage`` is how often such limits hold the quantile.

    ``probability`` is that of a run at least as good as ``precision``, with exact limits and, in
    ``probability_paper_low`` and ``_high``, those of the paper; NaN where ``precision`` is `inf`.
    ``rank`` is that of ``precision`` among the algorithms of a problem.
    """
    best = runs.frame["best_precision"].to_numpy()
    rows = []
    for names, members in runs.groups(KEYS):
        values = best[members]
        for p in sorted(analysis.quantiles):
            limits = quantile_interval(values, p, analysis.confidence)
            exact, paper = (
                probability_of_quantile(values, p, confidence=analysis.confidence, method=method)
                for method in ("beta", "paper")
            )
            rows.append(
                {
                    **names,
                    "runs": len(members),
                    "quantile": p,
                    "precision": float(sample_quantile(values, p)),
                    "precision_low": max(float(limits.low), 0.0),
                    "precision_high": float(limits.high),
                    "precision_coverage": limits.coverage,
                    "probability": float(exact.value),
                    "probability_low": float(exact.low),
                    "probability_high": float(exact.high),
                    "probability_paper_low": float(paper.low),
                    "probability_paper_high": float(paper.high),
                }
            )
    frame = pd.DataFrame(rows, columns=COLUMNS[:-1])
    frame["rank"] = ranks_within(frame, (*PROBLEM, "quantile"), "precision")
    return frame
