"""How many runs are enough."""

from __future__ import annotations

from timefair.tables.layout import Layout, Points, Value

BANDS = tuple(
    Value(name, f"{name[1:]} %", decimals=2) for name in ("p0.5", "p1", "p5", "p10", "p15", "p20")
)
TRUE = Value("true", "True", decimals=2)
NEVER = Value("never_stopped_percent", "Never stopped", decimals=1)
SAVED = Value("saved_percent", "Saved", decimals=1)
RIGHT = "percentage of samples for which the mean of the runs made counts as right"
CONTROLS = (
    "Its controls have tables of their own: one fixed n that saves at least as much, and the "
    "rule's numbers of runs dealt to the samples at random."
)
BY_RULE = ("suite", "dimension", "rule")

LAYOUTS = {
    "run_count_accuracy": (
        Layout(
            caption=f"Accuracy of the skewness rule: {RIGHT} (true), and with errors up to so many "
            "percent. Never stopped: samples that the cap alone ended, right by definition. "
            f"Others: true among those that stopped. Independent: against other runs. {CONTROLS}",
            values=(
                TRUE,
                *BANDS,
                NEVER,
                Value("accurate_stopped_percent", "Others", decimals=2),
                Value("accurate_independent_percent", "Independent", decimals=2),
            ),
            rows=("tau", "outliers"),
            parts=BY_RULE,
        ),
    ),
    "run_count_savings": (
        Layout(
            caption="Runs that the skewness rule makes and saves, in runs and percent of all; "
            f"accurate: {RIGHT}; expected saved: saved times accurate. {CONTROLS}",
            values=(
                Value("total_runs", "Total"),
                Value("estimated_runs", "Estimated"),
                Value("estimated_percent", "%", decimals=2),
                Value("saved_runs", "Saved"),
                Value("saved_percent", "%", decimals=2),
                Value("accurate_percent", "Accurate, %", decimals=2),
                Value("expected_saved_runs", "Expected saved", decimals=0),
                Value("expected_saved_percent", "%", decimals=2),
                Value("mean_runs", "Mean n", decimals=2),
            ),
            rows=("tau", "outliers"),
            parts=BY_RULE,
        ),
    ),
    "run_count_groups": (
        Layout(
            caption=f"Skewness rule: {RIGHT} (true), and with errors up to so many percent, with "
            "the mean number of runs and the percentage of samples that the cap alone ended.",
            values=(Value("mean_runs", "Mean n", decimals=1), NEVER, TRUE, *BANDS),
            rows=("function", "algorithm"),
            parts=("suite", "dimension", "tau", "outliers"),
            points=(Points("tau", 1), Points("outliers", 1)),
        ),
    ),
    "run_count_rules": (
        Layout(
            caption="Rules for the number of runs, in percent of the samples. Accurate: the mean "
            "of the runs made counts as right, untrimmed, against the complete sample and against "
            "independent runs (ind.). Kept: the median of the independent runs lies within the "
            "stated width of that of the runs made. Winner: problems whose best algorithm by the "
            "median is found.",
            values=(
                Value("mean_runs", "Mean n", decimals=1),
                SAVED,
                Value("never_stopped_percent", "At cap", decimals=1),
                Value("accurate_percent", "Accurate", decimals=1),
                Value("accurate_independent_percent", "ind.", decimals=1),
                Value("kept_median_percent", "Kept", decimals=1),
                Value("winner_percent", "Winner", decimals=1),
                Value("winner_independent_percent", "ind.", decimals=1),
            ),
            rows=("rule", "setting"),
        ),
        Layout(
            caption="Rules for the number of runs: percentage of samples whose median, quantiles "
            "or mean of the independent runs lie within the stated width of those of the runs "
            "made, and which of them the rule promises.",
            values=(
                SAVED,
                Value("kept_median_percent", "Median", decimals=1),
                Value("kept_q10_percent", "Q.10", decimals=1),
                Value("kept_q90_percent", "Q.90", decimals=1),
                Value("kept_mean_percent", "Mean", decimals=1),
                Value("promises", "Promised"),
            ),
            rows=("rule", "setting"),
            name="kept",
        ),
    ),
    "run_count_reliability": (
        Layout(
            caption="Probability that an estimate from the first runs is within an error of the "
            "truth, stated for functions or algorithms not seen before. Right: how often that is "
            "so, in percent. Brier score of the stated probabilities and of the base rate; skill: "
            "the part of the latter that is saved; AUC of .5: nothing is known.",
            values=(
                Value("right_percent", "Right", decimals=1),
                Value("brier", "Brier", decimals=3),
                Value("brier_base", "Base", decimals=3),
                Value("skill", "Skill", decimals=2),
                Value("auc", "AUC", decimals=2),
            ),
            rows=("estimate", "n", "error_percent"),
            columns="held_out",
            parts=("suite", "truth"),
            points=(Points("bin", (1.0,)),),
        ),
    ),
}
