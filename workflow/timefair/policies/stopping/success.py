"""Run until the success rate is known well enough."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from timefair.basics.sections import CampaignView, Fault, Positive, Share
from timefair.policies.stopping.base import Started

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from timefair.statistics.run_count.stopping import Assessment, StoppingRule


class SuccessRate(Started):
    """The confidence interval of the success rate is within `width` of the share of successes. The
    success rate is the probability that a run reaches `target` (beta-binomial confidence sequence,
    Robbins 1970).

    Promise: with a probability of at least `confidence`, the success rate is within `width` of the
    share of successes when the rule stops, whatever the number of runs.
    """

    rule: Literal["success"] = "success"
    target: Positive = Field(default=1e-8, description="Precision that a successful run reaches.")
    width: Share = Field(
        default=0.2,
        description="Largest distance from the share of successes to an end of the interval.",
    )
    confidence: Share = Field(default=0.95, description="Confidence of the interval.")

    def judge(self, runs: int) -> StoppingRule:
        start = self.first_look(runs)
        return SuccessWidth(self.target, self.width, self.confidence, start, runs)

    def faults(self, campaign: CampaignView) -> Iterator[Fault]:
        yield from super().faults(campaign)
        final = campaign.budget.final_target
        if final is not None and self.target < final:
            yield "target", f"{self.target:g}: harder than budget.final_target ({final:g})"


@dataclass(frozen=True)
class SuccessWidth:
    """Stop when the confidence sequence of the success rate is narrow enough: when the further
    limit is within `width` of the share of runs with a value of at most `target`.

    >>> from timefair.statistics.run_count.stopping import decide
    >>> rule = SuccessWidth(1e-8, width=0.2)
    >>> decide(rule, [0.0] * 23).stop, decide(rule, [0.0] * 24).stop
    (False, True)
    """

    target: float
    width: float
    confidence: float = 0.95
    start: int = 10
    cap: int = 50

    def look(self, samples: NDArray[np.float64]) -> Assessment:
        """Distance of the further limit from the share of successes."""
        import numpy as np

        from timefair.statistics.run_count.stopping import Assessment

        n = samples.shape[-1]
        successes = np.asarray((samples <= self.target).sum(axis=-1))
        limits = [success_interval(int(k), n, self.confidence) for k in successes.flat]
        low, high = np.array(limits).T.reshape(2, *successes.shape)
        value = np.maximum(high - successes / n, successes / n - low)
        return Assessment(value, value <= self.width, np.zeros(value.shape, dtype=np.bool_))


def success_interval(successes: int, n: int, confidence: float) -> tuple[float, float]:
    """Limits of the success rate that hold simultaneously for all n, with probability `confidence`.

    The n runs, at least 1, are independent, with one success rate. The likelihood of the runs,
    averaged over success rates from the beta distribution with both parameters 1/2 and divided by
    the likelihood under the true rate, is a martingale with mean 1. By Ville's inequality, it ever
    reaches 1 / (1 - confidence) with a probability of at most 1 - confidence. The interval contains
    the rates for which it has not (Robbins, Annals of Mathematical Statistics 41, 1970).

    >>> low, high = success_interval(20, 20, 0.95)
    >>> round(low, 3), high
    (0.776, 1.0)
    """
    return (
        _lower_limit(successes, n, confidence),
        1.0 - _lower_limit(n - successes, n, confidence),
    )


@lru_cache(maxsize=4096)
def _lower_limit(successes: int, n: int, confidence: float) -> float:
    from math import log

    from scipy.optimize import brentq
    from scipy.special import betaln, xlog1py, xlogy

    if successes == 0:
        return 0.0
    failures = n - successes
    mixed = betaln(successes + 0.5, failures + 0.5) - betaln(0.5, 0.5)
    least = mixed + log(1.0 - confidence)

    def excess(rate: float) -> float:
        """Log-likelihood under a rate, minus the smallest one that is not excluded."""
        return float(xlogy(successes, rate) + xlog1py(failures, -rate) - least)

    return float(brentq(excess, 1e-300, successes / n, xtol=1e-12))
