"""Run until a trained classifier is sure that the estimate is accurate."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from timefair.basics.errors import InputError
from timefair.basics.sections import CampaignView, Fault
from timefair.basics.values import Positive, Share
from timefair.policies.stopping.base import Cell, Started
from timefair.policies.trained import SHIPPED, Trained

if TYPE_CHECKING:
    from timefair.statistics.classifier.classifier import ClassifierRule

USUAL: Any = SHIPPED


class Classified(Started):
    """A classifier is sure that the sample quantile is accurate. It was trained on other campaigns
    with `timefair train-classifier`.

    Promise: none for a single algorithm and problem. In the validation during its training, on
    functions that it had not seen, at least the share `probability` of the estimates at which it
    stopped was accurate.
    """

    rule: Literal["classifier"] = "classifier"
    model: Trained = Field(
        default=USUAL,
        validate_default=True,
        description="Path of a file that `timefair train-classifier` has written. `default`: the "
        "model of timefair, for the median with a width of 0.5 and at most 50 runs.",
    )
    probability: Share = Field(
        default=0.95, description="Share of accurate estimates among those where the rule stops."
    )
    p: Share | None = Field(
        default=None,
        description="Probability of the quantile; `null`: that of the model.",
    )
    width: Positive | None = Field(
        default=None,
        description="Largest distance of the true quantile from the estimate, as a share of it; "
        "`null`: that of the model.",
    )

    def judge(self, runs: int) -> ClassifierRule:
        return self.judge_on(runs, Cell())

    def judge_on(self, runs: int, cell: Cell) -> ClassifierRule:
        from timefair.statistics.classifier.classifier import ClassifierRule, parameter_features
        from timefair.statistics.classifier.landscape import LANDSCAPE

        classifier = self.model.classifier()
        threshold = classifier.stops.threshold_for(self.probability)
        if threshold is None:
            raise InputError(f"stopping.probability: {self._unreachable()}")
        known = parameter_features(cell.use, cell.parameters)
        if set(classifier.names) & set(LANDSCAPE):
            known |= cell.landscape()
        first = max(self.first_look(runs), self.model.start)
        return ClassifierRule(classifier, threshold, known, first, runs)

    def faults(self, campaign: CampaignView) -> Iterator[Fault]:
        yield from super().faults(campaign)
        for key in ("p", "width"):
            own, trained = getattr(self, key), getattr(self.model, key)
            if own is not None and own != trained:
                yield key, f"{own:g}: the model was trained for {trained:g}; {_AGAIN}"
        if not self.model.start <= campaign.runs <= self.model.cap:
            yield (
                "model",
                f"trained for {self.model.start} to {self.model.cap} runs, but runs is "
                f"{campaign.runs}; change runs, or {_AGAIN}",
            )
        if self.start is not None and self.start < self.model.start:
            yield (
                "start",
                f"{self.start}: the model was trained for {self.model.start} runs or more; "
                f"{_AGAIN}",
            )
        try:
            reachable = self.model.classifier().stops.threshold_for(self.probability) is not None
        except InputError as error:
            yield "model", str(error)
        else:
            if not reachable:
                yield "probability", self._unreachable()

    def _unreachable(self) -> str:
        most = int(1000 * self.model.classifier().stops.most) / 1000
        return (
            f"{self.probability:g}: should be at most {most:g}, the largest share that this model "
            f"kept on {self.model.held_out}s that it had not seen"
        )


_AGAIN = "train another with `timefair train-classifier`"
