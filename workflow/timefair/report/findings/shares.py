"""Standings after a part of the budget, with their margins, from curves and their bands."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from timefair.basics.together import ALL
from timefair.report.evidence import NOTICEABLE, Evidence, Space
from timefair.report.findings.standing import Standing, judged, nothing, untested
from timefair.report.words import number, percent, unresolved

Limits = tuple[float, float]


def within(evidence: Evidence, space: Space, share: float) -> tuple[float, Standing] | None:
    """Who has reached the largest share of targets after a share of the budget, from `ecdf`.

    Algorithms are tied if their bands overlap; the bands hold at all costs simultaneously. In
    seconds, the band of the first is taken earlier by the ratio that the speed of the machine may
    explain. The result includes the cost. If the budget is not in these seconds, the cost is a
    share of the longest run. None without curves of at least two algorithms.
    """
    rows = evidence.of("ecdf", space, function=ALL, unit=evidence.unit)
    rows = rows[~rows["algorithm"].isin(evidence.failed(space))] if len(rows) else rows
    if rows.empty or rows["algorithm"].nunique() < 2:
        return None
    at = share * (evidence.budget(space) or float(rows["cost"].max()))
    if evidence.unit == "evaluations":
        at = max(math.floor(at), 1)
    reached = _reached(rows, at)
    if reached.empty or not reached["fraction"].any():
        return at, nothing("No algorithm has reached any target by then.")
    fractions = {str(name): -float(x) for name, x in reached["fraction"].items()}
    if len(set(fractions.values())) == 1:
        said = percent(-min(fractions.values()))
        return at, nothing(f"All algorithms have reached {said} of the targets.")
    bands = _bands(reached)
    best = min(fractions, key=lambda name: fractions[name])
    said = _said(fractions, bands)
    if any(np.isnan(limits).any() for limits in bands.values()):
        return at, untested(fractions, f"{said} With one run per instance there is no band.")
    ratio = evidence.resolved(space, evidence.unit)
    earlier = _bands(_reached(rows, at / ratio)).get(best, (0.0, 0.0))
    tied = [name for name, (_, high) in bands.items() if high >= earlier[0]]
    if ratio >= NOTICEABLE:
        said += f" {unresolved(ratio)}"
    return at, judged(fractions, tied, said, "by the runs")


def _reached(rows: pd.DataFrame, at: float) -> pd.DataFrame:
    """The last point of each curve up to a cost."""
    return rows[rows["cost"] <= at * (1 + 1e-12)].groupby("algorithm", observed=True).last()


def _bands(reached: pd.DataFrame) -> dict[str, Limits]:
    return {
        str(name): (float(low), float(high))
        for name, low, high in zip(
            reached.index, reached["everywhere_low"], reached["everywhere_high"], strict=True
        )
    }


def _said(fractions: dict[str, float], bands: dict[str, Limits]) -> str:
    """The share of the first and of the next algorithm, with their bands."""
    shown = sorted(fractions, key=lambda name: fractions[name])[:2]
    parts = [f"{percent(-fractions[name])}{_limits(bands[name])}" for name in shown]
    return f"{parts[0]} of the targets reached, then {shown[1]} with {parts[1]}."


def _limits(limits: Limits) -> str:
    low, high = limits
    return "" if np.isnan(low) else f" [{100 * low:.0f}, {100 * high:.0f}]"


def how_far(evidence: Evidence, space: Space, algorithm: str) -> str:
    """A sentence on the cost of an algorithm relative to the best on each problem; empty if
    unknown.

    It comes from the performance profile in the unit of the budget.
    """
    name = "profile" if evidence.unit == "seconds" else "profile_evaluations"
    rows = evidence.of(name, space, algorithm=algorithm)
    if rows.empty or not rows["problems"].iloc[0]:
        return ""
    resolved = evidence.resolved(space, evidence.unit)
    near = resolved if resolved >= NOTICEABLE else 1.0
    best, twice = (rows[rows["ratio"] <= r * (1 + 1e-12)].iloc[-1] for r in (near, max(2.0, near)))
    solved = float(rows["fraction"].iloc[-1])
    band = _limits((float(best["low"]), float(best["high"])))
    has = (
        f"costs at most {number(near, digits=2)} times the best (the smallest ratio that this "
        "machine resolves)"
        if near > 1
        else "has the lowest cost"
    )
    farther = (
        f", takes at most twice the best cost on {percent(float(twice['fraction']))},"
        if near < 2
        else ""
    )
    problems = rows["problems"].iloc[0]
    if evidence.optimum == "unknown":
        by_construction = not evidence.campaign.target_values
        end = f"of the {problems} targets (function, instance, target){farther} and reaches "
        end += f"{percent(solved)} of them"
        end += ", of which the best run here reaches all by construction" if by_construction else ""
    else:
        end = f"of the {problems} problems (function, instance, target){farther} and solves "
        end += f"{percent(solved)} at all"
    return f"{algorithm} {has} on {percent(float(best['fraction']))}{band} {end}."
