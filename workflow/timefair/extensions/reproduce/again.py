"""Measures a single recorded run again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from timefair.basics.errors import InputError
from timefair.campaign import configuration
from timefair.campaign.configuration import Campaign
from timefair.campaign.configuration.faults import unknown_names
from timefair.extensions.reproduce.chosen import RecordedRun
from timefair.linux.interruption import interruptible
from timefair.measure.isolation.leftovers import reused_scratch_folders
from timefair.measure.job.cell import runner, seed_of, unprepared
from timefair.measure.job.cores import held_cores
from timefair.measure.job.spending import Spending
from timefair.policies.stopping import STOPPING
from timefair.records.schema import RUN_SCHEMA

_DECISIVE = (
    "seed", "budget", "restart", "runs", "rounds", "block", "limits", "isolation", "timing",
)  # fmt: skip
"""Keys of a campaign that determine what a run measures, as in `provenance.measure_key`."""


def campaign_of(recorded: RecordedRun) -> Campaign:
    """The recorded campaign, restricted to the settings by which the run was measured.

    Other algorithms need not be installed. A stopping rule that compares algorithms is omitted,
    because it determines only the number of runs. The search for the parameters of an algorithm is
    omitted, too.

    Raises
    ------
    InputError
        If the campaign is not possible with this version of timefair and the installed packages.
    """
    campaign, row = recorded.campaign, recorded.row
    asked = {name: campaign[name] for name in _DECISIVE if name in campaign}
    if "stopping" in campaign and not is_compared(recorded):
        asked["stopping"] = campaign["stopping"]
    places = {
        "functions": [row["function"]],
        "dimensions": [row["dimension"]],
        "instances": list(recorded.instances),
        "names": {},
    }
    try:
        asked |= {
            "name": campaign["name"],
            "problems": campaign["problems"] | places,
            "algorithms": _seeded(campaign["algorithms"], recorded.label),
        }
    except (KeyError, TypeError):
        raise InputError(f"{recorded.path}: its campaign lacks the algorithm") from None
    return configuration.parse(asked, name=str(recorded.path))


def _seeded(algorithms: Mapping[str, Any], label: str) -> dict[str, Any]:
    """One algorithm and, under the label whose seeds it has, a copy that names this label.

    Of a tuned variant, the record has the parameters that were found.
    """
    spec, seeds = algorithms[label] | {"tune": None, "tuned": None}, label
    while isinstance(algorithms[seeds], Mapping) and algorithms[seeds].get("seed_as"):
        seeds = algorithms[seeds]["seed_as"]
    if seeds == label:
        return {label: spec}
    former = algorithms[seeds].get("formerly")
    return {
        label: spec | {"seed_as": seeds},
        seeds: spec | {"seed_as": None, "formerly": former},
    }


def is_compared(recorded: RecordedRun) -> bool:
    """Whether the stopping rule of the campaign compared the algorithm with the others."""
    rule = recorded.campaign.get("stopping", {}).get("rule")
    return rule in STOPPING and STOPPING[rule].compares


def claimed_campaign(path: Path, recorded: RecordedRun) -> Campaign:
    """The campaign of a file.

    Raises
    ------
    InputError
        If it lacks the algorithm of the run, or its suite lacks the problem of the run.

    Notes
    -----
    The parameters of a tuned variant are those in its record.
    """
    campaign = configuration.load(path)
    if recorded.label not in campaign.algorithms:
        known = ", ".join(campaign.algorithms)
        raise InputError(f"--campaign: {path} has no algorithm {recorded.label!r}; it has {known}")
    row = recorded.row
    place = {f"{name}s": (row[name],) for name in ("function", "dimension", "instance")}
    problems = campaign.problems.model_copy(update=place)
    of_run = campaign.model_copy(update={"problems": problems})
    if faults := [f"--campaign: {path}: {fault}" for fault in unknown_names(of_run)]:
        raise InputError(*faults)
    if is_tuned(recorded) and recorded.label in campaign.tuned:
        found = recorded.campaign["algorithms"][recorded.label]["parameters"]
        return campaign.with_parameters(recorded.label, found)
    return campaign


def is_tuned(recorded: RecordedRun) -> bool:
    """Whether a search found the parameters; if so, the recorded key covers the search, too."""
    return recorded.campaign["algorithms"][recorded.label].get("tuned") is not None


class Replayer:
    """Measures runs of one algorithm again; it is prepared once for all of them."""

    def __init__(self, campaign: Campaign) -> None:
        self._prepared = unprepared(campaign)

    def measure(self, recorded: RecordedRun) -> Mapping[str, Any]:
        """The run in its own columns of `records.schema`; no file is written.

        Its seed is the one that the campaign gives to a run of this name.
        """
        prepared, row = self._prepared, recorded.row
        job = recorded.job
        instance, run = row["instance"], row["run"]
        seed = seed_of(prepared, job, instance, run)
        cores = prepared.campaign.cores_of(job.algorithm)
        with (
            interruptible(),
            reused_scratch_folders(),
            held_cores(cores) as held,
            runner(prepared, job, held, recorded.path.parent, Spending()) as running,
        ):
            measured = running.measure(instance, run, seed, give_up=False)
        again: Mapping[str, Any]
        (again,) = pa.RecordBatch.from_pylist([measured], schema=RUN_SCHEMA).to_pylist()
        return again

    def origin(self, recorded: RecordedRun) -> Mapping[str, Any]:
        """The facts that a record of the run would have now: campaign, code and machine."""
        return self._prepared.origin(recorded.label)

    def key(self, recorded: RecordedRun) -> str:
        """The measure key that the run would have now."""
        return self._prepared.key(recorded.job)
