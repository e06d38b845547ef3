"""Measures a campaign of the self-test, one process per core, with the code of a measuring job.

A campaign that was interrupted continues: jobs whose records exist are not measured again.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from timefair.basics.errors import InputError
from timefair.campaign import configuration, plan, provenance
from timefair.campaign.configuration import Campaign
from timefair.measure.job.cell import measure_job, unprepared
from timefair.records.collect import collect
from timefair.records.integrity import Place

LOOK_S = 0.5
"""Time between two checks of the progress of the processes."""


def measured(
    mapping: Mapping[str, object],
    folder: Path,
    *,
    cores: int,
    environment: Mapping[str, str],
    progress: Callable[[int, int], None],
) -> list[Path]:
    """Measure the records that a campaign lacks, and join the records of each algorithm.

    Parameters
    ----------
    mapping
        The campaign.
    folder
        Folder of the records.
    cores
        Number of processes, each on a core of its own.
    environment
        Environment variables of these processes.
    progress
        Called with the number of finished jobs and the number of all jobs.

    Returns
    -------
    list of Path
        One file of runs per algorithm, named by its label.

    Raises
    ------
    InputError
        If a process fails (with the last line of its log), or if records contain contradictions.
    """
    campaign = configuration.parse(mapping)
    folder.mkdir(parents=True, exist_ok=True)
    plan.write_snapshot(campaign, folder)
    plan.write_keys(provenance.measure_keys(campaign), folder)
    records = _records(campaign, folder)
    if not all(path.exists() for path in records.values()):
        _work(folder, cores, environment, lambda: _count(records), len(records), progress)
    return _collected(campaign, folder)


def _records(campaign: Campaign, folder: Path) -> dict[plan.Job, Path]:
    keys = plan.read_keys(folder, campaign)
    return {job: folder / job.record(keys[job.algorithm, job.round]) for job in plan.jobs(campaign)}


def _count(records: Mapping[plan.Job, Path]) -> int:
    return sum(path.exists() for path in records.values())


def _work(
    folder: Path,
    cores: int,
    environment: Mapping[str, str],
    done: Callable[[], int],
    jobs: int,
    progress: Callable[[int, int], None],
) -> None:
    """Measure in several processes, all of which have ended when this returns."""
    logs = [folder / f"worker-{k}.log" for k in range(cores)]
    workers: list[subprocess.Popen[bytes]] = []
    try:
        for k, log in enumerate(logs):
            command = [sys.executable, "-P", "-m", __name__, str(folder), str(k), str(cores)]
            with log.open("wb") as file:
                workers.append(subprocess.Popen(command, env=environment, stderr=file))
        while any(worker.poll() is None for worker in workers):
            time.sleep(LOOK_S)
            progress(done(), jobs)
    finally:
        for worker in workers:
            worker.terminate()
            worker.wait()
    for worker, log in zip(workers, logs, strict=True):
        if worker.returncode:
            lines = log.read_text(errors="replace").splitlines() or ["no output"]
            raise InputError(f"{log}: exit status {worker.returncode}: {lines[-1]}")


def _collected(campaign: Campaign, folder: Path) -> list[Path]:
    """Join the records of each algorithm, as `timefair collect` does."""
    records, keys = _records(campaign, folder), plan.read_keys(folder, campaign)
    (folder / "collected").mkdir(exist_ok=True)
    files = []
    for label in campaign.algorithms:
        places = {
            path: Place(key=keys[label, job.round], **vars(job))
            for job, path in records.items()
            if job.algorithm == label
        }
        files.append(folder / "collected" / f"{label}.parquet")
        collect(label, places, plan.expected_runs(campaign), files[-1])
    return files


def main(folder: Path, worker: int, workers: int) -> None:
    """Measure every `workers`-th job whose record is missing.

    The order is random within each function, so that no core and no period of time is used by one
    algorithm alone.
    """
    campaign = configuration.restore(folder / plan.SNAPSHOT)
    records, keys = _records(campaign, folder), plan.read_keys(folder, campaign)
    order = random.Random(campaign.seed)
    jobs = sorted(records, key=lambda job: (job.function, order.random()))
    prepared = {label: unprepared(campaign) for label in campaign.algorithms}
    for number, job in enumerate(jobs[worker::workers], start=1):
        if not records[job].exists():
            records[job].parent.mkdir(parents=True, exist_ok=True)
            key = keys[job.algorithm, job.round]
            measure_job(prepared[job.algorithm], job, records[job], key, number)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
    os._exit(0)  # nothing is left to be torn down
