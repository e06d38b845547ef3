"""What a campaign can show with its design, as `timefair check` prints it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import comb, isinf

import numpy as np

from timefair.basics.words import counted
from timefair.campaign.configuration import Campaign
from timefair.extensions.power.power import (
    EqualErt,
    SameRate,
    SignedRankPower,
    least_for_friedman,
    least_for_mann_whitney,
    least_for_nemenyi,
    least_for_wilcoxon,
    smallest_a12,
)

POWER = 0.8
"""Probability with which a difference is found."""

SUCCESS_RATES = (0.5, 0.9)
"""Success rates of the slower algorithm for which the smallest ratio of ERTs is found."""


@dataclass(frozen=True)
class Design:
    """A comparison on one suite in one dimension.

    - `functions`, `instances`, `runs`: Number of functions, of instances per function, and of runs
      of each algorithm per instance. All are at least 1.
    - `algorithms`: Number of algorithms, at least 1. All pairs are compared.
    - `targets`: Number of precisions at which ERTs are compared.
    - `alpha`: Error level of each family of tests, in (0, 1).
    """

    functions: int
    instances: int
    runs: int
    algorithms: int
    targets: int
    alpha: float = 0.05

    @classmethod
    def of(cls, campaign: Campaign) -> Design:
        """The comparison of a campaign in each dimension; the largest one."""
        problems = campaign.problems
        dimensions = [dimension for _, dimension in problems.spaces]
        return cls(
            functions=max(map(dimensions.count, problems.dimensions)),
            instances=len(problems.instances),
            runs=campaign.runs,
            algorithms=len(campaign.algorithms),
            targets=len(campaign.target_values or campaign.targets),
            alpha=1 - campaign.statistics.confidence,
        )

    @property
    def pairs(self) -> int:
        """Number of pairs of algorithms."""
        return comb(self.algorithms, 2)

    @property
    def runs_on_function(self) -> int:
        """Number of runs of an algorithm on a function; the tests pool the instances."""
        return self.instances * self.runs

    @property
    def level_on_function(self) -> float:
        """Level of the smallest p-value of all pairs and functions, at the end of the runs."""
        return self.alpha / (self.pairs * self.functions)

    @property
    def level_at_target(self) -> float:
        """Level of the smallest p-value of all pairs, functions and targets."""
        return self.level_on_function / self.targets

    @property
    def level_over_functions(self) -> float:
        """Level of the smallest p-value of all pairs over the functions."""
        return self.alpha / self.pairs


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
        rate: EqualErt(runs, rate, design.level_at_target, rng=rng).smallest_ratio(POWER)
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
