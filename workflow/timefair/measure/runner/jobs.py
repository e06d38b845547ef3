"""Does pieces of work in processes: in forks of this one, or the jobs of a campaign.

Every job of the commands that measure without Snakemake is done by `timefair measure` in a process
of its own, as Snakemake has it done, and has the same record.
"""

from __future__ import annotations

import os
import random
import selectors
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from itertools import groupby, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeVar

from timefair.basics.errors import InputError, storing
from timefair.machine.linux import kernel
from timefair.machine.linux.kernel import interruptible

if TYPE_CHECKING:
    from timefair.campaign.configuration import Campaign
    from timefair.campaign.plan import Job, Keys

Result = TypeVar("Result")


class Ended(NamedTuple):
    """A process that has ended: its place among those started, from 0, and how long it lived.

    The status is its exit status, or 128 plus the number of a signal that ended it.
    """

    number: int
    status: int
    seconds: float


def in_processes(starts: Iterable[Callable[[], int]], most: int) -> Generator[Ended]:
    """Start processes, at most so many at a time, and yield each when it has ended.

    Each of `starts` starts one and returns its number; it is taken when there is room. When the
    iterator is closed or an exception passes through it, those that still run are asked to end, and
    have ended afterwards. Other children are not affected.
    """
    waiting = enumerate(starts)
    running: dict[int, tuple[int, int, float]] = {}  # pidfd -> place, number, start
    with selectors.PollSelector() as ends:
        try:
            while True:
                while len(running) < most and (one := next(waiting, None)) is not None:
                    pid = one[1]()
                    descriptor = os.pidfd_open(pid)
                    running[descriptor] = one[0], pid, time.monotonic()
                    ends.register(descriptor, selectors.EVENT_READ)
                if not running:
                    return
                for ended, _ in ends.select():
                    ends.unregister(ended.fd)
                    number, pid, start = running.pop(ended.fd)
                    code, seconds = _status_of(ended.fd, pid), time.monotonic() - start
                    yield Ended(number, code if code >= 0 else 128 - code, seconds)
        finally:
            for _, pid, _ in running.values():
                os.kill(pid, signal.SIGTERM)
            for descriptor, (_, pid, _) in running.items():
                _status_of(descriptor, pid)


def in_forks(work: Iterable[Callable[[], int]], most: int) -> int:
    """Do each piece of work, which returns an exit status, in a fork, at most so many at a time.

    This process must not have started a thread that the work needs. When one fails, no further one
    begins. Returns 0, or the status of the first that failed: 128 plus the number of a signal that
    ended it, 1 after an exception, which the fork prints.
    """
    status = 0
    begun = takewhile(lambda one: not status, work)
    for ended in in_processes((partial(_fork, one) for one in begun), most):
        status = status or ended.status
    return status


def in_new_interpreter(function: Callable[..., Result], *given: object) -> Result:
    """The result of a function in a new interpreter; its arguments and result can be pickled.

    `ChildProcessError` if the function ends its process.
    """
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as process:
        try:
            return process.submit(function, *given).result()
        except BrokenProcessPool:
            raise ChildProcessError(f"{function.__name__} ended its process") from None


def _status_of(descriptor: int, pid: int) -> int:
    """Wait for the end of a fork, and return its exit status."""
    os.close(descriptor)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def _fork(work: Callable[[], int]) -> int:
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    pid = os.fork()
    return pid or _work(work)


def _work(work: Callable[[], int]) -> NoReturn:
    status = 1
    try:
        status = work()
    except BaseException:
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(status)


Progress = Callable[[int, int], object]
"""Called with the number of finished jobs and the number of all jobs."""


class JobFailed(InputError):
    """A job failed; `number`: its place among those to do; `why`: the last line of its log."""

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
    """Run commands, `most` at the same time; see `in_processes`.

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
    work: Iterable[tuple[Sequence[str], Path]], most: int, took: Callable[[int, float], object]
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
