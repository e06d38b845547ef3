"""Recorded campaigns as samples for training a classifier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from timefair.basics.errors import InputError
from timefair.campaign import collected, configuration, plan
from timefair.campaign.configuration import Campaign
from timefair.exhibits.run_count.samples import Samples
from timefair.problems import registry as suites
from timefair.problems.sampling import sample, sample_size
from timefair.records.store import open_record
from timefair.rundata.runs import Runs
from timefair.statistics.classifier.classifier import (
    Cases,
    Question,
    known_table,
    parameter_features,
)
from timefair.statistics.classifier.landscape import named_landscape
from timefair.statistics.quantiles import sample_quantile

Known = Literal["landscape", "parameters"]
KNOWN: tuple[Known, ...] = get_args(Known)
"""Information that a classifier may use in addition to the shape of a sample."""


@dataclass(frozen=True)
class TrainingSamples:
    """Complete samples of recorded campaigns.

    Attributes
    ----------
    cases
        For the classifier.
    names
        One row per sample: suite, function, dimension, instance, algorithm, and `use`, the code of
        the algorithm.
    origin
        Description of each campaign, for the file of the classifier.
    """

    cases: Cases
    names: pd.DataFrame
    origin: list[dict[str, Any]]

    @classmethod
    def read(
        cls, folders: Sequence[Path], question: Question, known: Sequence[Known] = ()
    ) -> TrainingSamples:
        """The samples of the cells with at least twice as many runs as the cap.

        The runs after the cap are the truth. With ``landscape`` among `known`, each problem is
        evaluated here; these evaluations are not counted.

        Parameters
        ----------
        folders
            ``results/NAME`` of campaigns that are complete.
        question
            Task of the classifier. The cap is the number of runs that an estimate may see.
        known
            Information that the classifier may use in addition to the shape of the samples.

        Raises
        ------
        InputError
            One line for a folder without collected runs or without such cells.
        """
        parts = [_of_campaign(folder, question) for folder in folders]
        names = pd.concat([part.names for part in parts], ignore_index=True)
        rows: list[dict[str, float]] = [{} for _ in range(len(names))]
        if "parameters" in known:
            rows = [_of_algorithm(part, label) for part in parts for label in part.labels]
        if "landscape" in known:
            rows = [row | found for row, found in zip(rows, _landscapes(parts), strict=True)]
        table, columns = known_table(rows)
        values = np.concatenate([part.samples.values for part in parts])
        truth = np.concatenate([part.samples.truth for part in parts])
        cases = Cases(values, sample_quantile(truth, question.p), table, columns)
        return cls(cases, names, [part.origin for part in parts])


@dataclass(frozen=True)
class _Part:
    """The samples of one campaign."""

    campaign: Campaign
    samples: Samples
    names: pd.DataFrame
    origin: dict[str, Any]

    @property
    def labels(self) -> list[str]:
        """The algorithm of each sample."""
        return self.names["algorithm"].astype(str).tolist()


def _of_algorithm(part: _Part, label: str) -> dict[str, float]:
    spec = part.campaign.algorithms[label]
    return parameter_features(spec.use, spec.parameters)


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


def _landscapes(parts: Sequence[_Part]) -> list[dict[str, float]]:
    """The features of the landscape of each sample's problem; each problem is sampled once."""
    found = []
    for part in parts:
        problems = part.campaign.problems
        suite = suites.find(problems.suite, problems.parameters)
        kept: dict[tuple[int, int, int], dict[str, float]] = {}
        keys = (part.names[column] for column in ("function", "dimension", "instance"))
        for function, dimension, instance in zip(*keys, strict=True):
            name = int(function), int(dimension), int(instance)
            if name not in kept:
                kept[name] = named_landscape(*sample(suite.problem(*name)))
            found.append(kept[name])
    return found


def evaluations(names: pd.DataFrame) -> int:
    """Number of evaluations for the landscapes of all problems of some samples."""
    problems = names.drop_duplicates(["suite", "function", "dimension", "instance"])
    return int(sum(sample_size(int(dimension)) for dimension in problems["dimension"]))
