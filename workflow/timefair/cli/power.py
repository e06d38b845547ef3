"""What a campaign can show with its design, as `timefair check` prints it."""

from __future__ import annotations

from collections.abc import Iterator
from math import isinf
from typing import TYPE_CHECKING

from timefair.basics.words import counted

if TYPE_CHECKING:
    from timefair.campaign.configuration import Campaign
    from timefair.statistics.power.design import Design

POWER = 0.8
"""Probability with which a difference is found, unless the user requests another probability."""


def check_lines(campaign: Campaign) -> Iterator[str]:
    """Yield lines on what a campaign can show; none for a single algorithm."""
    import numpy as np

    from timefair.statistics.power.design import detectable

    design = design_of(campaign)
    if design.algorithms < 2:
        return
    shown = detectable(design, POWER, rng=np.random.default_rng(campaign.seed))
    at_most = "" if campaign.stopping.rule == "fixed" else "at most "
    yield (
        f"can show      with {100 * POWER:g} % probability, after Bonferroni over "
        f"{counted(design.pairs, 'pair')} of algorithms, differences of at least"
    )
    if design.runs_on_function < shown.mann_whitney:
        yield (
            "  function    this design cannot detect any difference on a function: "
            f"{counted(design.runs_on_function, 'run')} of each algorithm, "
            f"{counted(design.pairs * design.functions, 'test')}; the Mann-Whitney test needs "
            f"{shown.mann_whitney} runs"
        )
    else:
        yield (
            f"  function    {_a12(shown.a12)}; {_apart(shown.success)}; "
            f"{_ratios(shown.ratios)} ({at_most}{counted(design.runs_on_function, 'run')})"
        )
    if isinf(shown.share) and design.functions < shown.wilcoxon:
        yield (
            "  all         this design cannot detect any difference in final precision: "
            f"{counted(design.functions, 'function')}, {counted(design.pairs, 'pair')}; "
            f"Wilcoxon's test needs {shown.wilcoxon} functions"
        )
    elif isinf(shown.share):
        yield f"  all         none over {design.functions} functions"
    else:
        share = f"{100 * shown.share:.0f} %"
        yield f"  all         an algorithm that is better on {share} of all functions"
    least = max(shown.friedman, shown.nemenyi)
    if design.functions < least:
        yield (
            "  ranks       this design cannot detect any difference in average ranks: "
            f"Friedman's test needs {shown.friedman} functions, Nemenyi's {shown.nemenyi}"
        )


def design_of(campaign: Campaign) -> Design:
    """The numbers of a campaign that determine what it can show in each dimension."""
    from timefair.statistics.power.design import Design

    problems = campaign.problems
    return Design(
        functions=len(problems.functions),
        instances=len(problems.instances),
        runs=campaign.runs,
        algorithms=len(campaign.algorithms),
        targets=len(campaign.target_values or campaign.targets),
        alpha=1 - campaign.statistics.confidence,
    )


def _a12(smallest: float) -> str:
    return "no A12" if isinf(smallest) else f"A12 {smallest:.2f}"


def _apart(smallest: float) -> str:
    return "no success rates" if isinf(smallest) else f"success rates {smallest:.2f} apart"


def _ratios(smallest: dict[float, float]) -> str:
    if all(map(isinf, smallest.values())):
        return "no ratio of ERTs at a target"
    each = (
        f"{'none' if isinf(ratio) else f'{ratio:.3g}'} at success rate {rate:g}"
        for rate, ratio in smallest.items()
    )
    return f"ratio of ERTs {', '.join(each)}"
