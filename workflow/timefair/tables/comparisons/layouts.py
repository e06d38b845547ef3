"""Which algorithm is better, and how sure that is."""

from __future__ import annotations

from timefair.tables.layout import Layout, Points, Value

PAIR = ("algorithm_a", "algorithm_b")
BY_CRITERION = ("suite", "dimension", "criterion")

LAYOUTS = {
    "ranks": (
        Layout(
            caption="Average rank of the algorithms over the functions, by quantiles or mean of "
            "the precision at the end, and of the seconds and evaluations to the targets.",
            values=(Value("average_rank", "Average rank", "low", decimals=2),),
            rows=("measure", "algorithm"),
            columns="criterion",
        ),
    ),
    "friedman": (
        Layout(
            caption="Friedman's test of equal average ranks, corrected for ties; the F statistic "
            "of Iman and Davenport; Kendall's W. Average ranks that lie further apart than "
            "Nemenyi's critical difference (CD) differ with {confidence} confidence.",
            values=(
                Value("algorithms", "Algorithms"),
                Value("problems", "Problems"),
                Value("chi2", "χ²", decimals=2),
                Value("p", "p", decimals=4),
                Value("iman_davenport", "F", decimals=2),
                Value("iman_davenport_p", "p of F", decimals=4),
                Value("kendall_w", "W", decimals=2),
                Value("critical_difference", "CD", decimals=2),
            ),
            rows=("measure", "criterion"),
        ),
    ),
    "posthoc": (
        Layout(
            caption="Difference of the average ranks of two algorithms, negative where the first "
            "is better, and its p-value after Holm over all pairs.",
            values=(
                Value("rank_difference", "Difference", decimals=2),
                Value("p_holm", "p", decimals=3),
            ),
            rows=PAIR,
            columns="criterion",
            parts=("suite", "dimension", "measure"),
        ),
    ),
    "comparison": (
        Layout(
            caption="Pairs of algorithms over all functions at the end of the runs. A12: share of "
            "the functions on which the first has the better median. p: Wilcoxon's signed-rank "
            "test on the logarithms, and after Holm. Better: with {confidence} confidence.",
            values=(
                Value("n_a", "Functions"),
                Value("a12", "A12", decimals=2),
                Value("p", "p", decimals=4),
                Value("p_holm", "p (Holm)", decimals=4),
                Value("better", "Better"),
            ),
            rows=PAIR,
            points=(Points("function", 1),),
        ),
        Layout(
            caption="Pairs of algorithms on each function at the end of the runs, and on all of "
            "them. A12: probability that a run of the first is better than one of the second. p: "
            "after Holm.",
            values=(
                Value("a12", "A12", decimals=2),
                Value("p_holm", "p", decimals=3),
            ),
            rows=PAIR,
            columns="function",
            name="functions",
        ),
    ),
    "rankings": (
        Layout(
            caption="Expected evaluations and seconds to targets, or median precision at equal "
            "evaluations and at equal time, with ranks among the algorithms in parentheses.",
            values=(
                Value("by_evaluations", "Evaluations", "low", rank="rank_by_evaluations"),
                Value("by_time", "Time", "low", rank="rank_by_time"),
            ),
            rows=("function", "algorithm"),
            columns="target",
            parts=BY_CRITERION,
            points=(Points("target", 3),),
        ),
    ),
    "inversions": (
        Layout(
            caption="Pairs of algorithms of which one is better by evaluations, the other by time, "
            "with the p-value of each order and that of both together, after Holm.",
            values=(
                Value("p_by_evaluations", "p, evaluations", decimals=4),
                Value("p_by_time", "p, time", decimals=4),
                Value("p_holm", "p, both", decimals=4),
            ),
            rows=("function", "target", "winner_by_evaluations", "winner_by_time"),
            parts=BY_CRITERION,
            points=(Points("target", 1),),
        ),
    ),
}
