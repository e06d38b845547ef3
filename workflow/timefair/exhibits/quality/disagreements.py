"""Pairs of algorithms that mean and median order differently, and their sorted solutions."""

from __future__ import annotations

import numpy as np

from timefair.exhibits import questions
from timefair.exhibits.charts.chart import Picture
from timefair.exhibits.exhibit import Figure, Made, exhibit
from timefair.exhibits.layout import Layout, Points, Value
from timefair.records.rundata.problems import in_words, listed_by_precision, precision_at_the_end
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.statistics.means import mean_of, opposed_pairs, smaller_gap
from timefair.statistics.quantiles import sample_quantile
from timefair.statistics.ranks import rank

MEASURES = ("mean", "median", "mean_rank", "median_rank")
GAP = """
    gap_decades [decades]: the smaller of the two distances, between the means and between
        the medians: how striking the disagreement is
"""
OF = """
    {0}mean [precision]: mean precision of `{1}`
    {0}median [precision]: median precision of `{1}`
    {0}mean_rank: rank of the mean of `{1}` among the algorithms of the problem
    {0}median_rank: rank of the median of `{1}` among the algorithms of the problem
"""
KEYS = ("suite", "dimension", "function")


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
    columns=f"""
    PROBLEM
    algorithm (text): algorithm with the better mean
    other (text): algorithm with the better median
    {OF.format("", "algorithm")}
    {OF.format("other_", "other")}
    {GAP}
    """,
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
def of_mean_and_median(runs: Runs, analysis: Analysis) -> Made:
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
    return found, {"pairs": in_words(listed_in)}


@exhibit(
    "sorted_solutions",
    question=questions.MEAN,
    title="Sorted solutions of pairs in disagreement",
    caption="""
    Best precision of every run, sorted from best to worst, of both algorithms of each pair that
    mean and median order differently on a problem. An algorithm appears once for each of its pairs.
    """,
    columns=f"""
    PROBLEM
    better_by_mean (text): algorithm of the pair with the better mean
    better_by_median (text): algorithm of the pair with the better median
    ALGORITHM
    order: place of the run, 1 for the best
    precision [precision] <Precision>: best precision of the run
    mean [precision]: mean of the algorithm's runs
    median [precision]: median of the algorithm's runs
    {GAP}
    """,
    layouts=Layout(
        caption="Sorted precisions at the end of the runs of two algorithms that mean and "
        "median order differently.",
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
def sorted_solutions(runs: Runs, analysis: Analysis) -> Made:
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
    return iter(parts), {"pairs": pairs.attrs["pairs"]}
