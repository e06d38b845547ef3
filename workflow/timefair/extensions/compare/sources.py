"""The runs of two versions in one campaign."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from timefair.basics.errors import InputError, suggest
from timefair.campaign import configuration, plan
from timefair.campaign.configuration import Campaign
from timefair.extensions.compare.comparison import Cell, FunctionKey, Sample, cells, samples
from timefair.records.integrity import mixed, several_hosts
from timefair.records.rundata.problems import final_target
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.records.status import Perturbation, Status
from timefair.records.store import torn


@dataclass(frozen=True)
class Measured:
    """A campaign's runs of some algorithms.

    - `name`: the folder, for messages.
    """

    name: str
    campaign: Campaign
    analysis: Analysis
    runs: Runs

    def cautions(self, label: str) -> Iterator[str]:
        """Reasons for doubts about the runs of an algorithm, one line each."""
        rows = self.runs.frame[self.runs.frame["algorithm"] == label]
        failed = rows[rows["status"] != Status.OK]
        if len(failed):
            by_status = failed["status"].value_counts()
            counts = ", ".join(f"{count} {status}" for status, count in by_status.items())
            yield (
                f"caution: {len(failed)} of {len(rows)} runs of {label} failed ({counts}), and "
                f"count with their results up to the failure{_message(failed)}"
            )
        perturbed = int((rows["perturbation"] == Perturbation.PERTURBED).sum())
        if perturbed:
            verb = "was" if perturbed == 1 else "were"
            treated = "omitted" if self.analysis.perturbed == "exclude" else "included"
            yield f"caution: {perturbed} of {len(rows)} runs of {label} {verb} perturbed; {treated}"

    @property
    def hardest(self) -> float:
        """The hardest precision at which versions are compared; 0 where optima are unknown.

        It is not harder than the final target.
        """
        known = self.runs.optimum == "known" and not self.analysis.target_values
        return max(min(self.analysis.targets), final_target(self.runs)) if known else 0.0

    def cells(self, label: str) -> dict[FunctionKey, Cell]:
        """The runs of an algorithm, function by function."""
        return cells(self.runs, self.analysis, label, self.campaign.instances_per_job)


@dataclass(frozen=True)
class Pair:
    """Two versions, ready to be compared.

    - `cautions`: reasons for doubts about the runs, one line each.
    """

    baseline: str
    candidate: str
    samples: tuple[Sample, ...]
    cautions: tuple[str, ...]


def read(folder: Path, labels: Sequence[str] | None = None) -> Measured:
    """The runs in a campaign's folder that belong to its present configuration.

    - `folder`: ``results/NAME``.
    - `labels`: the algorithms; None for all.
    `InputError` if the folder does not contain a campaign, an algorithm is unknown, has no runs or
    has made no evaluation, the stopping rule has already tested the same runs, or the runs have
    differences that ``statistics.mixed: refuse`` does not allow.
    """
    campaign = configuration.restore(folder / plan.SNAPSHOT)
    for label in labels or ():
        if label not in campaign.algorithms:
            known = ", ".join(campaign.algorithms)
            hint = suggest(label, campaign.algorithms)
            raise InputError(f"{folder}: has no algorithm {label!r}{hint}; it has {known}")
    if campaign.stopping.tests:
        raise InputError(
            f"{folder}: stopping.rule: {campaign.stopping.rule!r}: this rule has tested the same "
            "runs; compare versions in a campaign with another rule, such as 'fixed'"
        )
    paths = list(_records(folder, campaign, labels or tuple(campaign.algorithms)))
    return runs_of(str(folder), campaign, paths, labels)


def runs_of(
    name: str, campaign: Campaign, paths: Sequence[Path], labels: Sequence[str] | None = None
) -> Measured:
    """The runs of some record files of a campaign; the errors are those of `read`."""
    runs = Runs.read(paths)
    found = set(runs.frame["algorithm"])
    for label in labels or campaign.algorithms:
        if label not in found:
            raise InputError(f"{name}: has no runs of {label!r}; measure the campaign first")
        rows = runs.frame[runs.frame["algorithm"] == label]
        if not rows["evaluations"].any():
            raise InputError(f"{name}: {label} made no evaluation in any run{_message(rows)}")
    clauses = [*mixed(runs.origins), *torn(runs.nodes)]
    if clauses and campaign.statistics.mixed == "refuse":
        raise InputError(*(f"{name}: {clause}" for clause in clauses))
    analysis = Analysis.of(campaign.analysis_settings).suited(runs.optimum)
    return Measured(
        name, campaign, analysis, runs.with_targets_in_values(bool(analysis.target_values))
    )


def _message(rows: pd.DataFrame) -> str:
    """The first message of some runs, as the end of a line; empty if there is none."""
    messages = rows["message"].dropna()
    return f": {messages.iloc[0]}" if len(messages) else ""


def within(one: Measured, baseline: str, candidate: str) -> Pair:
    """Two algorithms of one campaign.

    `InputError` if they have no runs on a common function.
    """
    together = tuple(samples(one.cells(baseline), one.cells(candidate), one.hardest))
    if not together:
        raise InputError(
            f"{one.name}: {baseline} and {candidate} have no runs on a common function"
        )
    cautions = (
        *one.cautions(baseline),
        *one.cautions(candidate),
        *_machines((baseline, one), (candidate, one)),
    )
    return Pair(baseline, candidate, together, cautions)


def _machines(*versions: tuple[str, Measured]) -> Iterator[str]:
    """A caution if the runs of some versions come from several machines."""
    origins = {f"{label} of {of.name}": of.runs.origins[label] for label, of in versions}
    if text := several_hosts(origins):
        yield f"caution: {text}"


def _records(folder: Path, campaign: Campaign, labels: Sequence[str]) -> Iterator[Path]:
    """The record files of some algorithms that the campaign was last planned with and that exist.

    The collected files where there are no records.
    """
    keys = plan.read_keys(folder, campaign)
    for label in labels:
        paths = [
            path
            for job in plan.jobs(campaign)
            if job.algorithm == label
            and (path := folder / job.record(keys[label, job.round])).is_file()
        ]
        collected = folder / f"collected/{label}.parquet"
        yield from paths or ([collected] if collected.is_file() else [])
