"""A recorded run, measured again alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from timefair.basics.errors import InputError
from timefair.campaign import configuration
from timefair.campaign.configuration import Campaign
from timefair.campaign.configuration.faults import unknown_names
from timefair.linux.interruption import interruptible
from timefair.measure.isolation.scratch import reused_scratch_folders
from timefair.measure.job.cell import Prepared, allowance_of
from timefair.measure.job.cores import held_cores
from timefair.measure.launch.seeds import run_seed
from timefair.measure.runs.run import explained, measure_run
from timefair.policies.stopping import STOPPING
from timefair.records.schema import RUN_SCHEMA
from timefair.replay.chosen import RecordedRun

_DECISIVE = ("seed", "budget", "restart", "runs", "rounds", "limits", "isolation", "timing")


def campaign_of(recorded: RecordedRun) -> Campaign:
    """The recorded campaign, with nothing in it but what the run was measured by.

    Other algorithms need not be installed. A stopping rule that compares them is left out, because
    it decides only how many runs there are.

    Raises
    ------
    InputError
        If this version of timefair, or what is installed here, does not allow the campaign.
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
            "algorithms": {recorded.label: campaign["algorithms"][recorded.label]},
        }
    except (KeyError, TypeError):
        raise InputError(f"{recorded.path}: its campaign lacks the algorithm") from None
    return configuration.parse(asked, name=str(recorded.path))


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
    return campaign


class Replayer:
    """Measures runs of one algorithm again; it is prepared once for all of them."""

    def __init__(self, campaign: Campaign) -> None:
        self._prepared = Prepared(campaign)

    def measure(self, recorded: RecordedRun) -> Mapping[str, Any]:
        """The run in the columns of `records.schema` that are its own; no file is written.

        Its seed is the one that the campaign gives to a run of this name.
        """
        prepared, row = self._prepared, recorded.row
        job = recorded.job
        problem = prepared.suite.problem(job.function, job.dimension, row["instance"])
        campaign = prepared.campaign
        seed = run_seed(campaign.seed, problem.name, job.algorithm, row["run"])
        cores = campaign.cores_of(job.algorithm)
        with (
            interruptible(),
            reused_scratch_folders(),
            held_cores(cores) as held,
            prepared.ready(job, held) as algorithm,
        ):
            allowance = allowance_of(prepared, job, folder=recorded.path.parent)
            measured = measure_run(algorithm, problem, allowance, seed)
        as_recorded = explained(measured, prepared.trial.trace)
        again: Mapping[str, Any]
        (again,) = pa.RecordBatch.from_pylist([as_recorded], schema=RUN_SCHEMA).to_pylist()
        return again

    def origin(self, recorded: RecordedRun) -> Mapping[str, Any]:
        """The facts that a record of the run would have now: campaign, code and machine."""
        return self._prepared.origin(recorded.label)

    def key(self, recorded: RecordedRun) -> str:
        """The measure key that the run would have now."""
        return self._prepared.key(recorded.job)
