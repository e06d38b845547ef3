"""Stopping rules: when an algorithm has enough runs on a problem.

A class derived from `StoppingPolicy` is a rule: its fields are the keys of `stopping` in the
campaign file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field

from timefair.basics.sections import (
    Bounds,
    CampaignView,
    Cost,
    Fault,
    Positive,
    Repeats,
    Section,
    Share,
    Technique,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from timefair.statistics.run_count.stopping_rules import Assessment, StoppingRule


class StoppingPolicy(Section):
    """A stopping rule: when an algorithm has enough runs on a problem; `runs` is the maximum.

    A rule derives from this class or from one of those below, and the default of `rule` is its
    name. In its docstring, the paragraph that begins with "Promise:" states what is guaranteed at
    the number of runs at which it stops.
    """

    compares: ClassVar[bool] = False
    """Whether the rule decides by the results of all algorithms, after each round."""

    tests: ClassVar[bool] = False
    """Whether it decides by tests between algorithms: others of these runs do not keep a level."""

    rule: str

    def judge(self, runs: int) -> StoppingRule | None:
        """The rule that judges each algorithm separately, after each of at most `runs` runs; None
        if the rule compares algorithms, or never ends the runs earlier.
        """
        return None


class Started(StoppingPolicy):
    """A rule that examines a sample only after `start` runs."""

    usual_start: ClassVar[int] = 10
    least_start: ClassVar[int] = 1
    looks_at: ClassVar[str] = ""
    """Name of the quantity that needs at least `least_start` runs, for a message."""

    start: Repeats | None = Field(
        default=None,
        description="Smallest number of runs; `null`: 10, or `runs` if that is smaller.",
    )

    def first_look(self, runs: int) -> int:
        """The smallest number of runs, at most `runs`."""
        return self.start or min(self.usual_start, runs)

    def faults(self, campaign: CampaignView) -> Iterator[Fault]:
        yield from super().faults(campaign)
        if self.start is not None and self.start > campaign.runs:
            yield "start", f"{self.start}: more than runs ({campaign.runs})"
        if (self.start or campaign.runs) < self.least_start:
            yield "start", f"{self.looks_at} needs at least {self.least_start} runs"


class Comparing(StoppingPolicy):
    """A rule that compares the algorithms on a problem by the runs of the previous rounds."""

    compares: ClassVar[bool] = True

    def rests(
        self, samples: Sequence[Sequence[float]], place: int, looks: Sequence[int], runs: int
    ) -> str | None:
        """The reason why the algorithm at a place has no run on a problem in the next round, for
        the table ``stopping``; None if it has runs.

        `samples` has, for each algorithm, the best precisions of its runs so far; `inf` for a run
        without a finite value, and equal ones for runs that reached the final target. At least one
        is not empty. `looks` are the numbers of runs after each round except the last one, and
        `runs` is the maximal number.
        """
        raise NotImplementedError

    def faults(self, campaign: CampaignView) -> Iterator[Fault]:
        yield from super().faults(campaign)
        if campaign.rounds < 2:
            yield (
                "rule",
                f"{self.rule!r} with rounds {campaign.rounds}: algorithms are compared after each "
                "round; give rounds: 2 or more",
            )


class FixedNumber(StoppingPolicy):
    """All `runs` are made.

    Promise: none.
    """

    rule: Literal["fixed"] = "fixed"


Width = Annotated[
    Positive, Field(description="Largest distance from the estimate to an end of the interval.")
]
Relative = Annotated[
    bool, Field(description="`width` is a share of the estimate (`true`) or a precision (`false`).")
]
Confidence = Annotated[Share, Field(description="Confidence of the interval.")]


class KnownMean(Started):
    """The confidence interval of the mean is within `width` of the sample mean. The interval is
    Student's, or a betting confidence sequence if `bounds` are given.

    Promise: none without `bounds`, because Student's interval is for one look and normal values.
    With `bounds` that contain all values: with a probability of at least `confidence`, the mean is
    within `width` of the sample mean when the rule stops, whatever the number of runs.
    """

    least_start: ClassVar[int] = 2
    looks_at: ClassVar[str] = "an interval of a mean"

    rule: Literal["mean"] = "mean"
    width: Width = 0.5
    relative: Relative = True
    confidence: Confidence = 0.95
    bounds: Bounds | None = Field(
        default=None,
        description="Smallest and largest best precision that a run can have, known in advance, "
        "such as `[0, 100]`.",
    )

    def judge(self, runs: int) -> StoppingRule:
        from timefair.statistics.run_count.widths import BoundedMeanWidth, MeanWidth

        given: dict[str, Any] = {"relative": self.relative, "confidence": self.confidence}
        given |= {"start": self.first_look(runs), "cap": runs}
        if self.bounds is None:
            return MeanWidth(self.width, **given)
        return BoundedMeanWidth(self.width, *self.bounds, **given)


class KnownQuantile(Started):
    """The confidence interval of a quantile (`p`) is within `width` of the sample quantile.

    Promise: with `validity: horizon` (valid for all looks up to `runs`) or `anytime` (for any
    number of looks): with a probability of at least `confidence`, the quantile is within `width`
    of the sample quantile when the rule stops. With `single` (for one look): none.
    """

    rule: Literal["quantile"] = "quantile"
    p: Share = Field(default=0.5, description="Probability of the quantile; 0.5 is the median.")
    width: Width = 0.5
    relative: Relative = True
    confidence: Confidence = 0.95
    validity: Literal["single", "horizon", "anytime"] | None = Field(
        default=None,
        description="The confidence holds for one look (`single`), for all looks up to `runs` "
        "together (`horizon`), or for any number of looks together (`anytime`). `null`: "
        "`horizon`.",
    )

    def judge(self, runs: int) -> StoppingRule:
        from timefair.statistics.run_count.widths import QuantileWidth, Validity

        return QuantileWidth(
            self.width,
            self.p,
            Validity(self.validity or "horizon"),
            relative=self.relative,
            confidence=self.confidence,
            start=self.first_look(runs),
            cap=runs,
        )


DROPPED = "dropped"  # reason for an algorithm that has left the race
WON = "won"  # reason for the last algorithm in the race


class Racing(Comparing):
    """The algorithm can no longer be the best, by a Mann-Whitney test against the leader after each
    round.

    Promise: the best algorithm is dropped with a probability of at most 1 − `confidence`, over all
    algorithms and rounds.
    """

    tests: ClassVar[bool] = True

    rule: Literal["race"] = "race"
    confidence: Share = Field(
        default=0.95, description="Probability that the best algorithm is never dropped."
    )

    def rests(
        self, samples: Sequence[Sequence[float]], place: int, looks: Sequence[int], runs: int
    ) -> str | None:
        from timefair.statistics.run_count.stopping_rules import race

        state = race(samples, alpha=1.0 - self.confidence, looks=tuple(looks), cap=runs)
        if not state.goes_on[place]:
            return DROPPED
        return WON if state.goes_on.sum() == 1 and len(samples) > 1 else None


class SymmetricSample(Started):
    """The skewness of the sample without outliers is within ±`tau` (run-count paper).

    Promise: none.
    """

    usual_start: ClassVar[int] = 5
    least_start: ClassVar[int] = 3
    looks_at: ClassVar[str] = "a skewness"

    rule: Literal["skewness"] = "skewness"
    start: Repeats | None = Field(
        default=None,
        description="Smallest number of runs; `null`: 5, or `runs` if that is smaller.",
    )
    tau: Cost = Field(default=0.05, description="Largest absolute skewness.")
    outliers: Technique = Field(
        default="mad", description="Outlier filter applied before the skewness is computed."
    )

    def judge(self, runs: int) -> StoppingRule:
        from timefair.statistics.run_count.stopping_rules import Outliers, SkewnessRule

        return SkewnessRule(self.tau, Outliers(self.outliers), self.first_look(runs), runs)


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
    confidence: Confidence = 0.95

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
    """

    target: float
    width: float
    confidence: float = 0.95
    start: int = 10
    cap: int = 50

    def look(self, samples: NDArray[np.float64]) -> Assessment:
        import numpy as np

        from timefair.statistics.run_count.stopping_rules import Assessment

        n = samples.shape[-1]
        successes = np.asarray((samples <= self.target).sum(axis=-1))
        limits = [success_interval(int(k), n, self.confidence) for k in successes.flat]
        low, high = np.array(limits).T.reshape(2, *successes.shape)
        value = np.maximum(high - successes / n, successes / n - low)
        return Assessment(value, value <= self.width, np.zeros(value.shape, dtype=np.bool_))


@lru_cache(maxsize=4096)
def success_interval(successes: int, n: int, confidence: float) -> tuple[float, float]:
    """Limits of the success rate that hold simultaneously for all n, with probability `confidence`.

    The n runs, at least 1, are independent, with one success rate. The likelihood of the runs,
    averaged over success rates from the beta distribution with both parameters 1/2 and divided by
    the likelihood under the true rate, is a martingale with mean 1. By Ville's inequality, it ever
    reaches 1 / (1 - confidence) with a probability of at most 1 - confidence. The interval contains
    the rates for which it has not (Robbins, Annals of Mathematical Statistics 41, 1970).
    """
    from math import log

    from scipy.optimize import brentq
    from scipy.special import betaln, xlog1py, xlogy

    def lower_limit(successes: int) -> float:
        if successes == 0:
            return 0.0
        failures = n - successes
        mixed = betaln(successes + 0.5, failures + 0.5) - betaln(0.5, 0.5)
        least = mixed + log(1.0 - confidence)

        def excess(rate: float) -> float:
            return float(xlogy(successes, rate) + xlog1py(failures, -rate) - least)

        return float(brentq(excess, 1e-300, successes / n, xtol=1e-12))

    return lower_limit(successes), 1.0 - lower_limit(n - successes)
