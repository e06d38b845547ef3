"""Pairs of algorithms that mean and median put in opposite order, and their sorted solutions."""

from __future__ import annotations

import numpy as np
import pandas as pd

from timefair.statistics.disagreements import opposed_pairs, smaller_gap
from timefair.statistics.quantiles import sample_quantile
from timefair.statistics.ranks import rank
from timefair.tables.runs import Runs
from timefair.tables.settings import Analysis
from timefair.tables.stacked import stacked
from timefair.tables.standings import precision_at_the_end

PROBLEM = ("suite", "dimension", "function")
MEASURES = ("mean", "median", "mean_rank", "median_rank")
COLUMNS = [
    *PROBLEM,
    "algorithm",
    "other",
    *MEASURES,
    *(f"other_{measure}" for measure in MEASURES),
    "gap_decades",
]
SORTED_COLUMNS = [
    *PROBLEM,
    "better_by_mean",
    "better_by_median",
    "algorithm",
    "order",
    "precision",
    "mean",
    "median",
    "gap_decades",
]


def of_mean_and_median(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Each pair of algorithms on a problem whose order by mean is not that by median, strictly.

    Problems are (suite, dimension, function), with the runs of all instances together. Of the best
    precision at the end, ``algorithm`` has the better mean and ``other`` the better median (Q.50);
    a run that reached the final target counts as 0.
    Ranks are among all algorithms of the problem. ``gap_decades`` is the smaller of the two
    distances, between the means and between the medians, in decades: how striking it is.
    """
    best = precision_at_the_end(runs)
    found = []
    for names, members in runs.groups(PROBLEM):
        part = runs.frame.iloc[members]
        grouped = part.groupby(part["algorithm"].astype(str)).indices
        values = {str(name): best[members[rows]] for name, rows in grouped.items()}
        algorithms = sorted(values)
        mean = np.array([values[name].mean() for name in algorithms])
        median = np.array([float(sample_quantile(values[name], 0.5)) for name in algorithms])
        measured = dict(zip(MEASURES, (mean, median, rank(mean), rank(median)), strict=True))
        pairs = opposed_pairs(mean, median)
        for (a, b), gap in zip(pairs, smaller_gap(mean, median, pairs), strict=True):
            found.append(
                {
                    **names,
                    "algorithm": algorithms[a],
                    "other": algorithms[b],
                    **{measure: numbers[a] for measure, numbers in measured.items()},
                    **{f"other_{measure}": numbers[b] for measure, numbers in measured.items()},
                    "gap_decades": gap,
                }
            )
    return pd.DataFrame(found, columns=COLUMNS)


def sorted_solutions(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Both algorithms' precisions of each disagreement, from best to worst, a row a run.

    ``order`` counts from 1. A pair is named by the algorithm with the better mean and by that with
    the better median; an algorithm is there once for each of its pairs. The categories of
    ``algorithm`` are all algorithms of the campaign, so that each keeps its look in figures.
    """
    best = precision_at_the_end(runs)
    members = {tuple(names.values()): rows for names, rows in runs.groups((*PROBLEM, "algorithm"))}
    parts = []
    for pair in of_mean_and_median(runs, analysis).to_dict("records"):
        problem = {key: pair[key] for key in PROBLEM}
        for side, prefix in (("algorithm", ""), ("other", "other_")):
            precision = np.sort(best[members[*problem.values(), pair[side]]])
            parts.append(
                {
                    **problem,
                    "better_by_mean": pair["algorithm"],
                    "better_by_median": pair["other"],
                    "algorithm": pair[side],
                    "order": np.arange(1, precision.size + 1),
                    "precision": precision,
                    "mean": pair[f"{prefix}mean"],
                    "median": pair[f"{prefix}median"],
                    "gap_decades": pair["gap_decades"],
                }
            )
    everyone = pd.CategoricalDtype(sorted(runs.frame["algorithm"].astype(str).unique()))
    return stacked(parts, SORTED_COLUMNS).astype({"algorithm": everyone})
