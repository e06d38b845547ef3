"""Pairs of algorithms that mean and median order differently, and their sorted solutions."""

from __future__ import annotations

import numpy as np
import pandas as pd

from timefair.exhibits import questions
from timefair.exhibits.charts.chart import Picture
from timefair.exhibits.columns import ALGORITHM, PROBLEM
from timefair.exhibits.exhibit import Column, Figure, column_names, columns_of, exhibit
from timefair.exhibits.layout import Layout, Points, Value
from timefair.records.rundata.frames import stacked
from timefair.records.rundata.problems import in_words, listed_by_precision, precision_at_the_end
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.statistics.probability import mean_of, opposed_pairs, smaller_gap
from timefair.statistics.ranks import rank
from timefair.statistics.samples import sample_quantile

MEASURES = ("mean", "median", "mean_rank", "median_rank")
GAP = Column(
    "gap_decades",
    "the smaller of the two distances, between the means and between the medians: how striking the "
    "disagreement is",
    "decades",
)
COLUMNS = (
    *PROBLEM,
    Column("algorithm", "algorithm with the better mean", text=True),
    Column("other", "algorithm with the better median", text=True),
    *(
        column
        for prefix, owner in (("", "algorithm"), ("other_", "other"))
        for column in columns_of(f"""
            {prefix}mean [precision]: mean precision of `{owner}`
            {prefix}median [precision]: median precision of `{owner}`
            {prefix}mean_rank: rank of the mean of `{owner}` among the algorithms of the problem
            {prefix}median_rank: rank of the median of `{owner}` among the algorithms of the problem
        """)
    ),
    GAP,
)
SORTED_COLUMNS = (
    *PROBLEM,
    Column("better_by_mean", "algorithm of the pair with the better mean", text=True),
    Column("better_by_median", "algorithm of the pair with the better median", text=True),
    ALGORITHM,
    Column("order", "place of the run, 1 for the best"),
    Column("precision", "best precision of the run", "precision"),
    Column("mean", "mean of the algorithm's runs", "precision"),
    Column("median", "median of the algorithm's runs", "precision"),
    GAP,
)
KEYS = tuple(column_names(PROBLEM))


@exhibit(
    "disagreements",
    question=questions.MEAN,
    title="Pairs that mean and median order differently",
    caption="""
    Pairs of algorithms that the mean and the median of the best precision put in strictly opposite
    order on a problem. The runs of all instances are pooled, and a run that reached the final
    target counts as 0. For more than 12 algorithms, only pairs with the best one (lowest average
    rank of the median precision) are listed; `statistics.pairs` selects other pairs.
    """,
    columns=COLUMNS,
    layouts=Layout(
        caption="Pairs of algorithms that the mean and the median of the precision at the end "
        "order differently; parentheses: rank among the algorithms. Gap: the smaller of the "
        "distances between the means and between the medians, in decades.",
        values=(
            Value("mean", "Mean", rank="mean_rank"),
            Value("other_mean", "Other's mean", rank="other_mean_rank"),
            Value("median", "Median", rank="median_rank"),
            Value("other_median", "Other's median", rank="other_median_rank"),
            Value("gap_decades", "Gap", decimals=2),
        ),
        rows=("function", "algorithm", "other"),
    ),
)
def of_mean_and_median(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    best = precision_at_the_end(runs)
    listed_in = listed_by_precision(runs, analysis)
    found = []
    for names, members in runs.groups(KEYS):
        listed = listed_in[str(names["suite"]), int(names["dimension"])]
        part = runs.frame.iloc[members]
        grouped = part.groupby(part["algorithm"].astype(str)).indices
        values = {str(name): best[members[rows]] for name, rows in grouped.items()}
        algorithms = sorted(values)
        mean = np.array([mean_of(values[name]) for name in algorithms])
        median = np.array([float(sample_quantile(values[name], 0.5)) for name in algorithms])
        measured = dict(zip(MEASURES, (mean, median, rank(mean), rank(median)), strict=True))
        pairs = opposed_pairs(mean, median)
        gaps = smaller_gap(np.maximum(mean, 0.0), np.maximum(median, 0.0), pairs)
        for (a, b), gap in zip(pairs, gaps, strict=True):
            if not listed.has(algorithms[a], algorithms[b]):
                continue
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
    frame = pd.DataFrame(found, columns=column_names(COLUMNS))
    frame.attrs["pairs"] = in_words(listed_in)
    return frame


@exhibit(
    "sorted_solutions",
    question=questions.MEAN,
    title="Sorted solutions of pairs in disagreement",
    caption="""
    Best precision of every run, sorted from best to worst, of both algorithms of each pair that
    mean and median order differently on a problem. An algorithm appears once for each of its pairs.
    """,
    columns=SORTED_COLUMNS,
    layouts=Layout(
        caption="Sorted precisions at the end of the runs of two algorithms that mean and "
        "median order differently.",
        values=(Value("precision", "Precision"),),
        rows=("function", "better_by_mean", "better_by_median", "algorithm"),
        columns="order",
        points=(Points("order", 6),),
    ),
    figures=Figure(
        "sorted_solutions",
        "Sorted solutions where mean and median disagree",
        "Sorted solutions of pairs of algorithms that mean and median order differently, one panel "
        "per pair and problem: the best precision of each run over the share of runs that are at "
        "least as good. The filled marker is the median and the hollow marker the mean, on the "
        "curve: a mean far to the right is caused by a few bad runs. The figure shows the pairs "
        "with the widest gap; the table `disagreements` has all of them. `inf` is at the top edge.",
        Picture("timefair.exhibits.charts.curves:sorted_solutions"),
    ),
)
def sorted_solutions(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    best = precision_at_the_end(runs)
    members = {tuple(names.values()): rows for names, rows in runs.groups((*KEYS, "algorithm"))}
    parts = []
    pairs = of_mean_and_median(runs, analysis)
    for pair in pairs.to_dict("records"):
        problem = {key: pair[key] for key in KEYS}
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
    frame = stacked(parts, column_names(SORTED_COLUMNS))
    frame.attrs["pairs"] = pairs.attrs["pairs"]
    return frame
