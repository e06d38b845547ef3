"""A classifier from recorded campaigns, with its origin and its quality."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

import timefair
from timefair.basics.errors import InputError
from timefair.basics.files import atomic_file
from timefair.extensions.classifier.samples import Known, TrainingSamples, evaluations
from timefair.policies.trained import TrainedModel
from timefair.statistics.classifier.classifier import (
    Classifier,
    Question,
    auc,
    base_rates,
    brier_score,
    described,
    held_out,
    train,
)

HeldOut = Literal["function", "algorithm"]


@dataclass(frozen=True)
class Trained:
    """A classifier with its results on groups that were held out.

    Attributes
    ----------
    classifier
        The classifier, trained on all samples.
    model
        The content of its file.
    samples
        Number of samples.
    accurate
        Share of accurate estimates, over all numbers of runs.
    skill
        Brier skill score in comparison with the share of accurate estimates at each number of runs;
        NaN if the estimates are all accurate, or none.
    auc
        Area under the ROC curve; NaN in the same case.
    """

    classifier: Classifier
    model: TrainedModel
    samples: int
    accurate: float
    skill: float
    auc: float

    def write(self, path: Path) -> None:
        """Write the file of the classifier, complete or not at all."""
        text = json.dumps(self.model.model_dump(mode="json"), indent=1, allow_nan=False)
        with atomic_file(path) as file:
            file.write(f"{text}\n".encode())


def train_classifier(
    folders: Sequence[Path],
    question: Question,
    known: Sequence[Known] = (),
    hold_out: HeldOut = "function",
) -> Trained:
    """Train a classifier on recorded campaigns.

    Parameters
    ----------
    folders
        ``results/NAME`` of campaigns that are complete.
    question
        The question that it predicts.
    known
        Information that it uses in addition to the shape of a sample.
    hold_out
        The groups that are held out to find the share of accurate estimates for each threshold.

    Raises
    ------
    InputError
        One line per fault of the folders, or if all samples are of one function (or algorithm).
    """
    training = TrainingSamples.read(folders, question, known)
    groups = training.names[hold_out].astype(str).to_numpy()
    if len(set(groups)) < 2:
        raise InputError(
            f"{folders[0]}: has one {hold_out}; {hold_out}s are held out in turn, which needs two "
            "or more"
        )
    cases = training.cases
    accurate = cases.accurate(question)
    stated = held_out(described(cases, question), cases.known, accurate, groups)
    base = base_rates(accurate, groups)
    classifier = train(cases, groups, question)
    origin = {
        "timefair": timefair.__version__,
        "known": list(known),
        "landscape_evaluations": evaluations(training.names) if "landscape" in known else 0,
        "campaigns": training.origin,
    }
    return Trained(
        classifier,
        TrainedModel.of(classifier, hold_out, origin),
        samples=len(groups),
        accurate=float(accurate.mean()),
        skill=_skill(stated.ravel(), base.ravel(), accurate.ravel()),
        auc=auc(stated.ravel(), accurate.ravel()),
    )


def _skill(
    stated: NDArray[np.float64], base: NDArray[np.float64], accurate: NDArray[np.bool_]
) -> float:
    """Brier skill score; NaN if the base rates have no error."""
    error = brier_score(base, accurate)
    return 1.0 - brier_score(stated, accurate) / error if error > 0.0 else float("nan")
