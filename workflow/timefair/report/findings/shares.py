"""How far the first algorithm is from the best one on each problem."""

from __future__ import annotations

import math

from timefair.basics.words import number, percent
from timefair.report.evidence import NOTICEABLE, Evidence, Space


def _limits(low: float, high: float) -> str:
    return "" if math.isnan(low) else f" [{100 * low:.0f}, {100 * high:.0f}]"


def how_far(evidence: Evidence, space: Space, algorithm: str) -> str:
    """A sentence on the cost of an algorithm relative to the best on each problem; empty if it is
    unknown or the algorithm has reached no target.

    It comes from the performance profile in the unit of the budget.
    """
    name = "profile" if evidence.unit == "seconds" else "profile_evaluations"
    rows = evidence.of(name, space, algorithm=algorithm)
    if rows.empty or not rows["problems"].iloc[0]:
        return ""
    detectable = evidence.detectable(space, evidence.unit)
    near = detectable if detectable >= NOTICEABLE else 1.0
    best, twice = (rows[rows["ratio"] <= r * (1 + 1e-12)].iloc[-1] for r in (near, max(2.0, near)))
    solved = float(rows["fraction"].iloc[-1])
    if not solved:
        return ""
    band = _limits(float(best["low"]), float(best["high"]))
    has = (
        f"costs at most {number(near, digits=2)} times the best (the minimum detectable ratio)"
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
        end = f"of the {problems} cases (problem and target){farther} and reaches "
        end += f"{percent(solved)} of them"
        end += ", of which the best run here reaches all by construction" if by_construction else ""
    else:
        end = f"of the {problems} cases (problem and target){farther} and solves "
        end += f"{percent(solved)} at all"
    return f"{algorithm} {has} on {percent(float(best['fraction']))}{band} {end}."
