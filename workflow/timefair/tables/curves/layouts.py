"""Tables of curves: a few of their points are printed."""

from __future__ import annotations

import math

from timefair.tables.layout import Layout, Points, Value

COSTS = (Points("cost", (0.001, 0.01, 0.1, 1.0), relative=True),)
RATIOS = (Points("ratio", (1.0, 2.0, 10.0, 100.0, math.inf)),)

SHARE = Value("fraction", "Share", "high", interval=("low", "high"), decimals=2)
BOOTSTRAP = "with its {confidence} bootstrap interval in brackets."


def _profile(cost: str, problem: str) -> Layout:
    return Layout(
        caption=f"Performance profile: share of problems, each a {problem}, on which the "
        f"{cost} of an algorithm are at most a ratio times the best, {BOOTSTRAP}",
        values=(SHARE,),
        rows=("algorithm",),
        columns="ratio",
        points=RATIOS,
    )


LAYOUTS = {
    "anytime": (
        Layout(
            caption="Median of the best precision up to a cost, runs of all instances pooled, with "
            "its {confidence} interval in brackets. ∞: so many runs had no value yet.",
            values=(Value("median", "Precision", "low", interval=("median_low", "median_high")),),
            rows=("function", "algorithm"),
            columns="cost",
            points=(Points("cost", (0.01, 0.1, 1.0), relative=True),),
        ),
    ),
    "ecdf": (
        Layout(
            caption="Share of (target, instance, run) triples that are solved within a cost, "
            + BOOTSTRAP,
            values=(SHARE,),
            rows=("function", "algorithm"),
            columns="cost",
            points=COSTS,
        ),
    ),
    "restarted_curves": (
        Layout(
            caption="Share of targets that are reached within a cost if failed runs are restarted, "
            "in closed form.",
            values=(Value("fraction", "Share", "high", decimals=2),),
            rows=("function", "algorithm"),
            columns="cost",
            points=COSTS,
        ),
    ),
    "ecdf_dimensions": (
        Layout(
            caption="Share of (target, function, instance, run) that are solved within a cost, "
            + BOOTSTRAP,
            values=(SHARE,),
            rows=("dimension", "algorithm"),
            columns="cost",
            points=COSTS,
        ),
    ),
    "profile": (_profile("expected seconds", "function, instance and target"),),
    "profile_evaluations": (_profile("expected evaluations", "function, instance and target"),),
    "profile_quality": (_profile("expected seconds", "function, instance and relative target"),),
    "profile_pairs": (
        Layout(
            caption="Share of problems, each a function, instance and target, on which the "
            "expected seconds of an algorithm are at most those of another.",
            values=(Value("fraction", "Share", decimals=2),),
            rows=("algorithm",),
            columns="against",
            points=(Points("ratio", (1.0,)),),
        ),
    ),
    "data_profile": (
        Layout(
            caption="Data profile: share of problems, each a function, instance and relative "
            f"target, that are solved with an expected cost of at most so much, {BOOTSTRAP}",
            values=(SHARE,),
            rows=("dimension", "algorithm"),
            columns="cost",
            points=COSTS,
        ),
    ),
}
