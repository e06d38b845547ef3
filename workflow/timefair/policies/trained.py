"""The file of a trained classifier, and the part of it that a campaign contains."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, Field, JsonValue, ValidationError

from timefair.basics.errors import InputError
from timefair.basics.sections import Section
from timefair.basics.values import Positive, Repeats, Share

if TYPE_CHECKING:
    from timefair.statistics.classifier.classifier import Classifier

SHIPPED = "default"
"""The name of the model that comes with timefair."""

Column = Annotated[tuple[float, ...], Field(strict=False)]


class TrainedStops(Section):
    """Results of each threshold on groups that were held out; see `classifier.Stops`."""

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
    held_out: Literal["function", "algorithm"]
    stops: TrainedStops
    origin: dict[str, JsonValue]

    @classmethod
    def of(
        cls, classifier: Classifier, held_out: Literal["function", "algorithm"],
        origin: Mapping[str, Any],
    ) -> TrainedModel:  # fmt: skip
        """The content of the file of a classifier."""
        from timefair.statistics.classifier.classifier import SHAPE

        question, model, stops = classifier.question, classifier.model, classifier.stops
        return cls(
            p=question.p,
            width=question.width,
            start=question.start,
            cap=question.cap,
            features=(*SHAPE, *classifier.names),
            centre=model.centre.tolist(),
            scale=model.scale.tolist(),
            weights=model.weights.tolist(),
            intercept=model.intercept,
            held_out=held_out,
            stops=TrainedStops(
                threshold=stops.threshold.tolist(),
                stopped=stops.stopped.tolist(),
                kept=stops.kept.tolist(),
                runs=stops.runs.tolist(),
            ),
            origin=dict(origin),
        )

    def classifier(self) -> Classifier:
        """The classifier, ready to predict.

        Raises
        ------
        InputError
            If its features are not those of this version of timefair, or its lists have wrong
            lengths.
        """
        import numpy as np

        from timefair.statistics.classifier.classifier import (
            SHAPE,
            Classifier,
            Question,
            ReliabilityModel,
            Stops,
        )

        names = self.features[len(SHAPE) :]
        sizes = {len(each) for each in (self.features, self.centre, self.scale, self.weights)}
        steps = {len(each) for each in vars(self.stops).values()}
        if self.features[: len(SHAPE)] != SHAPE or len(sizes) != 1 or len(steps) != 1:
            raise InputError(
                "has other features than this version of timefair; train it again with "
                "`timefair train-classifier`"
            )
        centre, scale, weights = map(np.array, (self.centre, self.scale, self.weights))
        return Classifier(
            Question(self.p, self.width, self.start, self.cap),
            names,
            ReliabilityModel(centre, scale, weights, self.intercept),
            Stops(
                np.array(self.stops.threshold),
                np.array(self.stops.stopped),
                np.array(self.stops.kept),
                np.array(self.stops.runs),
            ),
        )


def _content(value: object) -> object:
    """The content of the file at a path; any other value is returned unchanged."""
    if not isinstance(value, str):
        return value
    path = Path(__file__).with_name("classifier.json") if value == SHIPPED else Path(value)
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
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
