"""Run until a trained classifier is sure that the estimate is accurate."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, Field, JsonValue, ValidationError

from timefair.basics.errors import InputError
from timefair.basics.files import regular
from timefair.basics.sections import CampaignView, Fault, Section
from timefair.basics.values import Positive, Repeats, Share
from timefair.policies.stopping.base import Started

if TYPE_CHECKING:
    from timefair.extensions.classifier.statistics import Classifier, ClassifierRule

SHIPPED: Any = "default"
"""The name of the model that comes with timefair."""

Column = Annotated[tuple[float, ...], Field(strict=False)]
HeldOut = Literal["function", "algorithm"]


class TrainedStops(Section):
    """Results of each threshold on groups that were held out; see `statistics.Stops`."""

    threshold: Column
    stopped: Column
    kept: Column
    runs: Column


class TrainedModel(Section):
    """A classifier in the form of its file."""

    kind: Literal["timefair classifier"] = "timefair classifier"
    version: Literal[1] = 1
    p: Share
    width: Positive
    start: Repeats
    cap: Repeats
    features: Annotated[tuple[str, ...], Field(strict=False)]
    centre: Column
    scale: Column
    weights: Column
    intercept: float
    held_out: HeldOut
    stops: TrainedStops
    origin: dict[str, JsonValue]

    @classmethod
    def of(
        cls, classifier: Classifier, held_out: HeldOut, origin: Mapping[str, Any]
    ) -> TrainedModel:
        """The content of the file of a classifier."""
        from timefair.extensions.classifier.statistics import SHAPE

        model = classifier.model
        return cls(
            **vars(classifier.question),
            features=SHAPE,
            centre=model.centre.tolist(),
            scale=model.scale.tolist(),
            weights=model.weights.tolist(),
            intercept=model.intercept,
            held_out=held_out,
            stops=TrainedStops(**{k: v.tolist() for k, v in vars(classifier.stops).items()}),
            origin=dict(origin),
        )

    def classifier(self) -> Classifier:
        """The classifier, ready to predict.

        Raises InputError if its features are not those of this version of timefair, or its lists
        have wrong lengths.
        """
        import numpy as np

        from timefair.extensions.classifier.statistics import (
            SHAPE,
            Classifier,
            Question,
            ReliabilityModel,
            Stops,
        )

        sizes = {len(each) for each in (self.features, self.centre, self.scale, self.weights)}
        steps = {len(each) for each in vars(self.stops).values()}
        if self.features != SHAPE or len(sizes) != 1 or len(steps) != 1:
            raise InputError(
                "has other features than this version of timefair; train it again with "
                "`timefair train-classifier`"
            )
        centre, scale, weights = map(np.array, (self.centre, self.scale, self.weights))
        return Classifier(
            Question(self.p, self.width, self.start, self.cap),
            ReliabilityModel(centre, scale, weights, self.intercept),
            Stops(**{name: np.array(column) for name, column in vars(self.stops).items()}),
        )


def _content(value: object) -> object:
    """The content of the file at a path; any other value is returned unchanged."""
    if not isinstance(value, str):
        return value
    path = Path(__file__).with_name("model.json") if value == SHIPPED else Path(value)
    try:
        content = json.loads(regular(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"{error.strerror}; name a file of `timefair train-classifier`") from None
    except ValueError:
        content = None
    try:
        return TrainedModel.model_validate(content, strict=False)
    except ValidationError:
        raise ValueError(
            "not a model of this version of timefair; make one with `timefair train-classifier`"
        ) from None


def _path_or_content(schema: dict[str, Any]) -> None:
    """In the JSON schema: users write a path."""
    schema.clear()
    schema["anyOf"] = [{"type": "string"}, {"type": "object"}]


Trained = Annotated[
    TrainedModel, BeforeValidator(_content), Field(json_schema_extra=_path_or_content)
]
"""A path in a campaign file; in a snapshot, the content of the file."""


class Classified(Started):
    """A classifier is sure that the sample quantile is accurate. It was trained on other campaigns
    with `timefair train-classifier`.

    Promise: none for a single algorithm and problem. In the validation during its training, on
    functions that it had not seen, at least the share `probability` of the estimates at which it
    stopped was accurate.
    """

    rule: Literal["classifier"] = "classifier"
    model: Trained = Field(
        default=SHIPPED,
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
        from timefair.extensions.classifier.statistics import ClassifierRule

        classifier = self.model.classifier()
        threshold = classifier.stops.threshold_for(self.probability)
        if threshold is None:
            raise InputError(f"stopping.probability: {self._unreachable()}")
        first = max(self.first_look(runs), self.model.start)
        return ClassifierRule(classifier, threshold, first, runs)

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
