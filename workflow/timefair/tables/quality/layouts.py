"""Precisions at the end of the runs."""

from __future__ import annotations

from timefair.tables.layout import Layout, Points, Value

LAYOUTS = {
    "quantiles": (
        Layout(
            caption="Quantiles of the precision f − f_opt at the end of a run: peak, average and "
            "bad case; runs of all instances pooled. In parentheses: rank among the algorithms. "
            "∞: so many runs found no finite value.",
            values=(Value("precision", "Precision", "low", rank="rank"),),
            rows=("function", "quantile"),
            columns="algorithm",
        ),
        Layout(
            caption="Quantiles of the precision f − f_opt at the end of a run, with {confidence} "
            "interval in brackets, and the probability of a run at least as good, with its own. "
            "∞: so many runs found no finite value.",
            values=(
                Value.with_limits("precision", "Precision", "low"),
                Value.with_limits("probability", "Probability", decimals=2),
            ),
            rows=("function", "algorithm"),
            parts=("suite", "dimension", "quantile"),
            name="intervals",
        ),
    ),
    "means": (
        Layout(
            caption="Mean of the precision f − f_opt at the end of a run, with its {confidence} "
            "interval in brackets and rank among the algorithms in parentheses; runs of all "
            "instances pooled.",
            values=(
                Value.with_limits("mean_precision", "Mean", "low", rank="rank"),
                Value("standard_deviation", "Standard deviation"),
            ),
            rows=("function", "algorithm"),
        ),
    ),
    "multirun": (
        Layout(
            caption="Probability that the best of several executions is at least as good as a "
            "quantile of a single one, and the executions needed for a probability of "
            "{confidence}.",
            values=(
                Value("probability", "Probability", decimals=4),
                Value("executions_needed", "Needed"),
            ),
            rows=("quantile", "executions"),
        ),
    ),
    "best_of": (
        Layout(
            caption="Best precision f − f_opt of k executions, each with the whole budget; runs of "
            "all instances pooled. It takes k runs to tell. ∞: so many runs found no finite value.",
            values=(Value("precision", "Precision", "low"),),
            rows=("function", "algorithm"),
            columns="k",
            parts=("suite", "dimension", "measure"),
        ),
    ),
    "restart_fairness": (
        Layout(
            caption="Best precision f − f_opt of one launch, of the k launches of mean length τ "
            "that the budget affords, and of the runs with the restarts that they made.",
            values=(
                Value("tau", "τ"),
                Value("k", "k"),
                Value("one_launch", "One launch", "low"),
                Value("best_of_k_launches", "Best of k", "low"),
                Value("best_of_restarts", "With restarts", "low"),
            ),
            rows=("function", "instance", "algorithm"),
            parts=("suite", "dimension", "unit", "measure"),
        ),
    ),
    "disagreements": (
        Layout(
            caption="Pairs of algorithms that the mean and the median of the precision at the end "
            "order differently, with ranks among the algorithms in parentheses. Gap: decades "
            "between the medians or the means, the smaller one.",
            values=(
                Value("mean", "Mean", rank="mean_rank"),
                Value("other_mean", "Other's mean", rank="other_mean_rank"),
                Value("median", "Median", rank="median_rank"),
                Value("other_median", "Other's median", rank="other_median_rank"),
                Value("gap_decades", "Gap", decimals=2),
            ),
            rows=("function", "algorithm", "other"),
        ),
    ),
    "sorted_solutions": (
        Layout(
            caption="Sorted precisions at the end of the runs of two algorithms that mean and "
            "median order differently.",
            values=(Value("precision", "Precision"),),
            rows=("function", "better_by_mean", "better_by_median", "algorithm"),
            columns="order",
            points=(Points("order", 6),),
        ),
    ),
}
