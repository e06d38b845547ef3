"""What a campaign can show with its design, as `timefair check` prints it."""

from __future__ import annotations

from collections.abc import Iterator
from math import isinf

import numpy as np

from timefair.basics.words import counted
from timefair.campaign.configuration import Campaign
from timefair.extensions.power.commands import POWER
from timefair.extensions.power.design import Design
from timefair.extensions.power.power import (
    CostLaw,
    EqualErt,
    SameRate,
    SignedRankPower,
    least_for_friedman,
    least_for_mann_whitney,
    least_for_nemenyi,
    least_for_wilcoxon,
    smallest_a12,
)

SUCCESS_RATES = (0.5, 0.9)
"""Success rates of the slower algorithm for which the smallest ratio of ERTs is found."""


def check(campaign: Campaign) -> Iterator[str]:
    """Yield lines on what a campaign can show; none for a single algorithm."""
    design = Design.of(campaign)
    if design.algorithms < 2:
        return
    rng = np.random.default_rng(campaign.seed)
    yield (
        f"can show      with {100 * POWER:g} % probability, after Bonferroni over "
        f"{counted(design.pairs, 'pair')} of algorithms, differences of at least"
    )
    share = SignedRankPower(design.functions, design.level_over_functions, rng=rng)
    yield _on_function(design, "" if campaign.stopping.rule == "fixed" else "at most ", rng)
    yield _over_functions(design, share.smallest_share(POWER))
    friedman = least_for_friedman(design.algorithms, design.alpha)
    nemenyi = least_for_nemenyi(design.algorithms, design.alpha)
    if design.functions < max(friedman, nemenyi):
        yield (
            "  ranks       this design cannot detect any difference in average ranks: "
            f"Friedman's test needs {friedman} functions, Nemenyi's {nemenyi}"
        )


def _on_function(design: Design, at_most: str, rng: np.random.Generator) -> str:
    runs, level = design.runs_on_function, design.level_on_function
    if runs < (least := least_for_mann_whitney(level)):
        return (
            "  function    this design cannot detect any difference on a function: "
            f"{counted(runs, 'run')} of each algorithm, "
            f"{counted(design.pairs * design.functions, 'test')}; the Mann-Whitney test needs "
            f"{least} runs"
        )
    a12, apart = smallest_a12(runs, level, POWER), SameRate(runs, level).smallest_difference(POWER)
    ratios = {
        rate: EqualErt(runs, CostLaw(rate), design.level_at_target, rng=rng).smallest_ratio(POWER)
        for rate in SUCCESS_RATES
    }
    return (
        f"  function    {'no A12' if isinf(a12) else f'A12 {a12:.2f}'}; "
        f"{'no success rates' if isinf(apart) else f'success rates {apart:.2f} apart'}; "
        f"{_ratios(ratios)} ({at_most}{counted(runs, 'run')})"
    )


def _over_functions(design: Design, share: float) -> str:
    if not isinf(share):
        return f"  all         an algorithm that is better on {100 * share:.0f} % of all functions"
    if design.functions < (least := least_for_wilcoxon(design.level_over_functions)):
        return (
            "  all         this design cannot detect any difference in final precision: "
            f"{counted(design.functions, 'function')}, {counted(design.pairs, 'pair')}; "
            f"Wilcoxon's test needs {least} functions"
        )
    return f"  all         none over {design.functions} functions"


def _ratios(smallest: dict[float, float]) -> str:
    if all(map(isinf, smallest.values())):
        return "no ratio of ERTs at a target"
    each = (
        f"{'none' if isinf(ratio) else f'{ratio:.3g}'} at success rate {rate:g}"
        for rate, ratio in smallest.items()
    )
    return f"ratio of ERTs {', '.join(each)}"
