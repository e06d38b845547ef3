"""Costs to targets, success rates."""

from __future__ import annotations

from timefair.tables.layout import Layout, Points, Value

UNITS = {"s": "{seconds}", "evaluations": "evaluations"}
SOME = (Points("target", 3),)
HARDEST = (Points("target", 1),)


def _ert(targets: str) -> tuple[Layout, ...]:
    return tuple(
        Layout(
            caption=f"Expected running time (ERT) to {targets}, in {words}; runs of all instances "
            "pooled. In brackets: {confidence} interval. ∞: no run reached the target.",
            values=(Value.with_limits(f"ert_{unit}", "ERT", "low"),),
            rows=("function", "algorithm"),
            columns="target",
            points=SOME,
            name=unit,
        )
        for unit, words in UNITS.items()
    )


LAYOUTS = {
    "ert": _ert("target precisions"),
    "ert_relative": _ert(
        "relative targets, the share that may be left of the way from a problem's first "
        "evaluations to the best that was found"
    ),
    "ert_by_instance": tuple(
        Layout(
            caption=f"Expected running time (ERT) to target precisions on each instance, in "
            f"{words}. ∞: no run reached the target.",
            values=(Value(f"ert_{unit}", "ERT", "low"),),
            rows=("function", "instance", "target"),
            columns="algorithm",
            points=SOME,
            name=unit,
        )
        for unit, words in UNITS.items()
    ),
    "quantiles_to_target": tuple(
        Layout(
            caption=f"Quantiles of the cost to target precisions, in {words}; runs of all "
            "instances pooled. Behind >: so many runs did not reach the target. In parentheses: "
            "rank among the algorithms.",
            values=(
                Value(
                    f"runtime_{unit}",
                    "Cost",
                    "low",
                    rank=f"runtime_{unit}_rank",
                    censored=f"runtime_{unit}_text",
                ),
            ),
            rows=("function", "target", "quantile"),
            columns="algorithm",
            points=SOME,
            name=unit,
        )
        for unit, words in UNITS.items()
    ),
    "restarted": tuple(
        Layout(
            caption=f"Mean, standard deviation and quantiles of the cost to the target, in {words},"
            " of an algorithm that is restarted until it succeeds, in closed form. ∞: no run "
            "reached the target.",
            values=(Value(f"runtime_{unit}", "Cost", "low"),),
            rows=("function", "algorithm"),
            columns="measure",
            parts=("suite", "dimension", "target"),
            points=HARDEST,
            name=unit,
        )
        for unit, words in UNITS.items()
    ),
    "success": (
        Layout(
            caption="Success rate with its {confidence} interval in brackets, and three means of "
            "the cost to the target: of successful runs only, which is misleading; of all runs, "
            "where all were successful; and the expected running time (ERT). ∞: no run reached the "
            "target.",
            values=(
                Value.with_limits("success_rate", "Success rate", "high", decimals=2),
                Value("mean_s_successes_only", "Successes, s"),
                Value("mean_s", "Mean, s"),
                Value("ert_s", "ERT, s", "low"),
                Value("mean_evaluations_successes_only", "Successes, ev."),
                Value("mean_evaluations", "Mean, ev."),
                Value("ert_evaluations", "ERT, ev.", "low"),
            ),
            rows=("function", "algorithm"),
            parts=("suite", "dimension", "target"),
            points=HARDEST,
        ),
    ),
    "multirun_to_target": (
        Layout(
            caption="Probability that one of several executions reaches the target, from the "
            "success rate.",
            values=(Value("probability", "Probability", "high", decimals=2),),
            rows=("function", "algorithm"),
            columns="executions",
            parts=("suite", "dimension", "target"),
            points=HARDEST,
        ),
        Layout(
            caption="Executions needed to reach a target with probability {confidence}, with the "
            "{confidence} interval in brackets. ∞: no run reached the target.",
            values=(Value.with_limits("executions_needed", "Executions", "low"),),
            rows=("function", "algorithm"),
            columns="target",
            points=(*SOME, Points("executions", 1)),
            name="needed",
        ),
    ),
}
