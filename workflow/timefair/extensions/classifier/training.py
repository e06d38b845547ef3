"""A classifier from recorded campaigns, with its origin and its quality."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import timefair
from timefair.basics.errors import InputError
from timefair.basics.files import atomic_file
from timefair.campaign import collected, configuration, plan
from timefair.campaign.configuration import Campaign
from timefair.exhibits.run_count.accuracy import Samples
from timefair.extensions.classifier.rule import HeldOut, TrainedModel
from timefair.extensions.classifier.statistics import (
    Cases,
    Classifier,
    Question,
    auc,
    base_rates,
    brier_skill,
    described,
    held_out,
    train,
)
from timefair.records.store import open_record
from timefair.rundata.runs import Runs
from timefair.statistics.quantiles import sample_quantile


class TrainingSamples(NamedTuple):
    """Complete samples of recorded campaigns.

    `names` has one row per sample: suite, function, dimension, instance, algorithm, and `use`, the
    code of the algorithm. `origin` describes each campaign, for the file of the classifier.
    """

    cases: Cases
    names: pd.DataFrame
    origin: list[dict[str, Any]]

    @classmethod
    def read(cls, folders: Sequence[Path], question: Question) -> TrainingSamples:
        """The samples of the cells with at least twice as many runs as the cap.

        The runs after the cap are the truth. Raises InputError for a folder without collected runs
        or without such cells.
        """
        parts = [_of_campaign(folder, question) for folder in folders]
        names = pd.concat([part.names for part in parts], ignore_index=True)
        values = np.concatenate([part.samples.values for part in parts])
        truth = np.concatenate([part.samples.truth for part in parts])
        cases = Cases(values, sample_quantile(truth, question.p))
        return cls(cases, names, [part.origin for part in parts])


class _Part(NamedTuple):
    """The samples of one campaign."""

    campaign: Campaign
    samples: Samples
    names: pd.DataFrame
    origin: dict[str, Any]


def _of_campaign(folder: Path, question: Question) -> _Part:
    campaign = configuration.restore(folder / plan.SNAPSHOT)
    files = collected.in_folder(folder, campaign)
    everything = Samples.of(Runs.read(files), question.cap)
    samples = everything.taken(np.flatnonzero(everything.has_truth))
    if samples.names.empty:
        raise InputError(
            f"{folder}: has no cell with {2 * question.cap} runs: {question.cap} for the estimate "
            f"and {question.cap} that judge it; increase runs or decrease --runs"
        )
    specs = [campaign.algorithms[label] for label in samples.names["algorithm"]]
    names = samples.names.assign(use=[spec.use for spec in specs])
    origin = {
        "campaign": campaign.name,
        "seed": campaign.seed,
        "problems": campaign.problems.model_dump(mode="json", exclude={"names"}),
        "algorithms": {
            label: {"use": spec.use, "parameters": spec.parameters}
            for label, spec in campaign.algorithms.items()
        },
        "budget": campaign.budget.model_dump(mode="json"),
        "runs": campaign.runs,
        "samples": len(names),
        "records": {path.stem: open_record(path).checksum for path in files},
    }
    return _Part(campaign, samples, names, origin)


@dataclass(frozen=True)
class Trained:
    """A classifier with its results on groups that were held out.

    - `classifier`: Trained on all samples; `model` is the content of its file.
    - `samples`: Number of samples.
    - `accurate`: Share of accurate estimates, over all numbers of runs.
    - `skill`: Brier skill score in comparison with the share of accurate estimates at each number
      of runs; `auc`: area under the ROC curve. NaN if the estimates are all accurate, or none.
    """

    classifier: Classifier
    model: TrainedModel
    samples: int
    accurate: float
    skill: float
    auc: float

    def write(self, path: Path) -> None:
        """Write the file of the classifier, complete or not at all."""
        content = self.model.model_dump(mode="json")
        lines = (f" {json.dumps(k)}: {json.dumps(v, allow_nan=False)}" for k, v in content.items())
        with atomic_file(path) as file:
            file.write(("{\n" + ",\n".join(lines) + "\n}\n").encode())


def train_classifier(
    folders: Sequence[Path],
    question: Question,
    hold_out: HeldOut = "function",
) -> Trained:
    """Train a classifier on complete recorded campaigns, the folders ``results/NAME``.

    The groups to `hold_out` give the share of accurate estimates for each threshold. Raises
    InputError with one line per fault of the folders, or if all samples are of one function (or
    algorithm).
    """
    training = TrainingSamples.read(folders, question)
    groups = training.names[hold_out].astype(str).to_numpy()
    if len(set(groups)) < 2:
        raise InputError(
            f"{folders[0]}: has one {hold_out}; {hold_out}s are held out in turn, which needs two "
            "or more"
        )
    cases = training.cases
    accurate = cases.accurate(question)
    stated = held_out(described(cases, question), accurate, groups)
    classifier = train(cases, groups, question)
    origin = {"timefair": timefair.__version__, "campaigns": training.origin}
    return Trained(
        classifier,
        TrainedModel.of(classifier, hold_out, origin),
        samples=len(groups),
        accurate=float(accurate.mean()),
        skill=brier_skill(stated, base_rates(accurate, groups), accurate),
        auc=auc(stated, accurate),
    )
