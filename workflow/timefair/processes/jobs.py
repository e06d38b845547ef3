"""Measures the jobs of a campaign for the commands that measure without Snakemake.

Every job is done by `timefair measure` in a process of its own, as Snakemake has it done, and has
the same record: what one has measured, the other does not measure again.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from timefair.basics.errors import InputError, storing
from timefair.linux import kernel
from timefair.linux.interruption import interruptible
from timefair.processes.forks import Ended, in_processes

if TYPE_CHECKING:
    from timefair.campaign.configuration import Campaign
    from timefair.campaign.plan import Job, Keys

Progress = Callable[[int, int], object]
"""Called with the number of finished jobs and the number of all jobs."""


class JobFailed(InputError):
    """A job failed; `number` is its place among those that were to do, `why` is the last line of
    its log.
    """

    def __init__(self, number: int, log: Path, status: int) -> None:
        self.number = number
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        self.why = lines[-1].removeprefix("timefair: ") if lines else f"exit status {status}"
        super().__init__(f"{log}: the job failed: {self.why}")


def command(name: str, options: Mapping[str, Any]) -> list[str]:
    """A command of timefair for this interpreter, with its options in their order."""
    words = (word for option, value in options.items() for word in (f"--{option}", str(value)))
    return [sys.executable, "-P", "-m", "timefair", name, *words]


def measuring(folder: Path, job: Job, keys: Keys) -> list[str]:
    """The command that measures a job of a planned campaign, whose folder this is."""
    from timefair.campaign import plan

    key = keys[job.algorithm, job.round]
    options = {
        "campaign": folder / plan.SNAPSHOT,
        "algorithm": job.algorithm,
        "function": job.function,
        "dimension": job.dimension,
        "instances": plan.format_instances(job.instances),
        "round": job.round,
        "key": plan.short_key(key),
        "record": folder / job.record(key),
    }
    return command("measure", options)


def in_turn(commands: Iterable[Sequence[str]], most: int) -> Generator[Ended]:
    """Run commands, `most` at the same time; see `forks.in_processes`.

    A signal to this process ends them, and they do not outlive it. What they print is printed.
    """
    with interruptible():
        yield from in_processes((partial(_begun, one) for one in commands), most)


def measured(
    folder: Path,
    jobs: Sequence[Job],
    keys: Keys,
    workers: int,
    took: Callable[[Job, float], object] = lambda job, seconds: None,
) -> list[Path]:
    """The records of jobs; those that are missing are measured, in this order, so many at a time.

    `folder` is ``results/<campaign>`` with the snapshot and these keys. If this process holds it
    (`driver.held`), jobs are done by prepared processes. `took` is called after each measured job.
    `JobFailed` if a job fails; the others are ended, and continue when this is called again.
    """
    records = [folder / job.record(keys[job.algorithm, job.round]) for job in jobs]
    lacking = [job for job, record in zip(jobs, records, strict=True) if not record.is_file()]

    def log(job: Job) -> Path:
        place = str(job.record(keys[job.algorithm, job.round]))
        return folder / Path(place.replace("records/", "logs/", 1)).with_suffix(".log")

    work = ((measuring(folder, job, keys), log(job)) for job in lacking)
    _logged(work, workers, lambda number, seconds: took(lacking[number], seconds))
    return records


def complete(campaign: Campaign, folder: Path, cores: int, progress: Progress) -> list[Path]:
    """Measure a campaign whose numbers of runs are fixed, and return the collected files.

    Rounds follow each other, and functions within them; the algorithms on a function take turns in
    a random order that the seed determines, so that no core and no time is that of one algorithm. A
    stopped campaign is continued. `InputError` if a job fails, records contradict each other, or
    another process works on the folder, ``results/<campaign>``.
    """
    from timefair.campaign import collected, driver, plan, provenance

    keys = provenance.measure_keys(campaign)
    jobs = list(_shuffled(campaign))
    with driver.held(folder):
        plan.write_snapshot(campaign, folder)
        plan.write_keys(keys, folder)
        workers = max(1, cores // max(map(campaign.cores_of, campaign.algorithms)))
        _search(campaign, folder, keys, workers)
        records = [folder / job.record(keys[job.algorithm, job.round]) for job in jobs]
        done = sum(record.is_file() for record in records)

        def took(job: Job, seconds: float) -> None:
            nonlocal done
            done += 1
            progress(done, len(jobs))

        for _, of_round in groupby(jobs, key=lambda job: job.round):
            measured(folder, list(of_round), keys, workers, took)
        return [collected.join(campaign, keys, folder, label) for label in campaign.algorithms]


def _shuffled(campaign: Campaign) -> Iterator[Job]:
    from timefair.campaign import plan

    order = random.Random(campaign.seed)
    for _, some in groupby(
        plan.jobs(campaign), key=lambda job: (job.round, job.dimension, job.function)
    ):
        yield from sorted(some, key=lambda job: order.random())


def _search(campaign: Campaign, folder: Path, keys: Keys, workers: int) -> None:
    """Search for the parameters of the tuned variants that lack a record of it."""
    from timefair.campaign import plan

    work = []
    for label in campaign.tuned:
        record, key = folder / plan.tuning_record(label, keys), keys[label, plan.TUNING_ROUND]
        key = plan.short_key(key)
        options = {"campaign": folder / plan.SNAPSHOT, "algorithm": label}
        if not record.is_file():
            log = folder / plan.TUNING_LOG.format(algorithm=label, key=key)
            work.append((command("tune", options | {"key": key, "record": record}), log))
    _logged(work, workers, lambda number, seconds: None)


def _logged(
    work: Iterable[tuple[Sequence[str], Path]],
    most: int,
    took: Callable[[int, float], object],
) -> None:
    """Run commands, each with a log of its own; `JobFailed` when one fails."""
    logs: list[Path] = []

    def starts() -> Iterator[Callable[[], int]]:
        for words, log in work:
            logs.append(log)
            yield partial(_begun, words, log)

    with interruptible(), closing(in_processes(starts(), most)) as ends:
        for number, status, seconds in ends:
            if status:
                raise JobFailed(number, logs[number], status)
            took(number, seconds)


def _begun(words: Sequence[str], log: Path | None = None) -> int:
    """Start a process that ends with this one, and return its number."""
    end_with_us = partial(kernel.die_with_parent, os.getpid())
    if log is None:
        process = subprocess.Popen(words, preexec_fn=end_with_us)
    else:
        with storing():
            log.parent.mkdir(parents=True, exist_ok=True)
            with log.open("wb") as file:
                process = subprocess.Popen(
                    words, stdout=file, stderr=subprocess.STDOUT, preexec_fn=end_with_us
                )
    process.returncode = 0  # `in_processes` waits for it
    return process.pid
