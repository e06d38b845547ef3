"""A measuring job: every run of one algorithm on one function, dimension and chunk of instances."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from timefair.algorithms.registry import implementation
from timefair.basics import files
from timefair.basics.errors import InputError
from timefair.basics.extension import each
from timefair.campaign import earlier, plan, provenance, requirement
from timefair.machine.facts import machine_state
from timefair.machine.linux.keeper import kept
from timefair.machine.linux.kernel import interruptible
from timefair.measure.job import schedule, stopping
from timefair.measure.job.cores import held_cores
from timefair.measure.job.prepared import Prepared, Runner, allowance_of
from timefair.measure.job.stopping import Repetitions
from timefair.measure.kernels import kernels
from timefair.measure.launching import run_seed
from timefair.measure.perturbation import Row
from timefair.measure.runs.child import Allowance, Confined, Fresh
from timefair.measure.runs.run import ATTEMPTS, Subject, measure_run
from timefair.policies.restarts.none import NoRestart
from timefair.problems.base import ProblemName
from timefair.problems.refuted import refutation
from timefair.records.integrity import machine_kind
from timefair.records.journal import BegunRun, Journal
from timefair.records.readings import READINGS, by_run, listed
from timefair.records.schema import KEYS
from timefair.records.status import Status, StopReason
from timefair.records.store import avoid_pandas, facts_of, open_record, write_record

if TYPE_CHECKING:
    from timefair.campaign.configuration import Campaign
    from timefair.campaign.plan import Job


def measure(campaign: Campaign, job: Job, record: Path, key: str) -> None:
    """Measure a job by `measure_job`. This process is not prepared for any algorithm yet."""
    measure_job(unprepared(campaign), job, record, key)


def unprepared(campaign: Campaign) -> Prepared:
    """The state of a process that is not prepared for an algorithm yet, and will write records."""
    avoid_pandas()
    return Prepared(campaign)


def take_parameters(prepared: Prepared, label: str, folder: Path) -> None:
    """Take the parameters that a search has found, if the algorithm is a tuned variant.

    `folder` is ``results/<campaign>``, with the record of the search.
    """
    if label not in prepared.planned.tuned or prepared.search:
        return
    keys = plan.read_keys(folder, prepared.planned)
    record = open_record(folder / plan.tuning_record(label, keys))
    found = {name: value for name, value in record.facts["tuning"].items() if name != "trace"}
    machine = machine_kind(record.facts["machine"])._asdict()
    prepared.search = {**found, "checksum": record.checksum, "machine": machine}
    prepared.campaign = prepared.planned.with_parameters(label, found["result"]["parameters"])


def measure_job(prepared: Prepared, job: Job, record: Path, key: str, number: int = 1) -> None:
    """Measure the runs that the job's record lacks, and write the record.

    Runs that an earlier job of the same `key` (`provenance.measure_key`) has finished are taken
    from its journal, beside the record. Instances take turns until the round or the campaign's
    stopping rule ends them, so that a slow minute of the machine affects all alike. `prepared` is
    made ready for the job's algorithm when the first run has to be measured; this is its job number
    `number`.
    """
    take_parameters(prepared, job.algorithm, record.parents[3])
    campaign = prepared.campaign
    with interruptible(), ExitStack() as stack:
        repetitions = stopping.repetitions(campaign, job, key, folder=record.parents[3])
        journal = stack.enter_context(Journal(record, prepared.journal_key(key)))
        begun = stack.enter_context(BegunRun(record))
        if noted := next(iter(journal.runs.values()), None):
            prepared.schedule = facts_of(noted.schema).get("schedule", {})
        _take_earlier_runs(prepared, job, record, journal)
        missing = _missing(repetitions, journal)
        first, timed = next(missing, None), dict[str, Any]()
        if first is not None:
            requirement.check(campaign)
            files.remove_abandoned()
            with ExitStack() as holding:
                cores = holding.enter_context(held_cores(campaign.cores_of(job.algorithm)))
                _set_length(prepared, job, cores, record.parents[3])
                running = holding.enter_context(runner(prepared, job, cores, record.parents[3]))
                turns = chain([first], missing)
                _measure(prepared, job, running, repetitions, turns, journal, begun)
                code = implementation(campaign.algorithms[job.algorithm].use)
                timed = {"implementation": code, **kernels()}
        done = [journal.runs[turn] for turn in sorted(journal.runs)]
        facts = _facts(prepared, job, key, repetitions, number)
        facts |= {READINGS: told} if (told := listed(done)) else {}
        write_record(record, done, facts | ({"kernels": timed} if timed else {}))


def _set_length(prepared: Prepared, job: Job, cores: tuple[int, ...], folder: Path) -> None:
    """With a schedule, set the length of a launch, that of earlier runs of the job if any."""
    asked = prepared.planned.algorithms[job.algorithm].schedule
    if not asked:
        return
    if not prepared.schedule:
        prepared.get_ready_here(job)
        launch = partial(_launch, prepared, job, cores, folder)
        prepared.schedule = schedule.find(asked, launch, f"algorithms.{job.algorithm}.schedule")
    if prepared.schedule:
        prepared.set_length(job.algorithm, prepared.schedule["length"])


def _launch(
    prepared: Prepared, job: Job, cores: tuple[int, ...], folder: Path, length: int
) -> schedule.Launch:
    """One launch of this length, within the budget of a run; nothing of it is recorded."""
    campaign = prepared.campaign.with_length(job.algorithm, length)
    spec = campaign.algorithms[job.algorithm].model_copy(update={"restart": NoRestart()})
    budget = campaign.budget.model_copy(update={"final_target": None})
    alone = {"algorithms": {**campaign.algorithms, job.algorithm: spec}, "budget": budget}
    problem = prepared.suite.problem(job.function, job.dimension, job.instances[0])
    stream = f"schedule of {campaign.seeds_of(job.algorithm)}"
    seed = run_seed(campaign.seed, problem.name, stream, 0)
    try:
        with (
            prepared.instead(campaign.model_copy(update=alone)),
            allowed(prepared, job, cores, folder) as (algorithm, allowance),
        ):
            row = measure_run(algorithm, problem, allowance, seed)
    except InputError:  # the algorithm refuses this length
        return schedule.Launch(length, returned=False, failed=True, share=0.0, evaluations=0)
    budgets = [(row["wall_s"], row["budget_s"]), (row["evaluations"], row["budget_evaluations"])]
    return schedule.Launch(
        length=length,
        returned=row["stop_reason"] == StopReason.ALGORITHM_ENDED,
        failed=row["status"] != Status.OK,
        share=max(used / budget for used, budget in budgets if budget),
        evaluations=row["evaluations"],
    )


def _take_earlier_runs(prepared: Prepared, job: Job, record: Path, journal: Journal) -> None:
    """Take the job's runs from earlier records that differ in the numbers of runs and rounds, or in
    the instances of a job, and were measured on a machine of this kind.
    """
    campaign, label = prepared.planned, job.algorithm
    lacking = {*product(job.instances, plan.runs_of_round(campaign, job.round))} - {*journal.runs}
    if not lacking or not (others := [*earlier.earlier_records(campaign, job, record)]):
        return
    parts, machine = prepared.decisive(label), machine_kind(prepared.origin(label)["machine"])
    for runs, found in others:
        if (
            found.facts["key"] == provenance.span_key(parts, runs)
            and machine_kind(found.facts["machine"]) == machine
            and found.facts.get("tuning", {}).get("checksum") == prepared.search.get("checksum")
            and (not journal.runs or schedule.of(found.facts) == prepared.schedule)
        ):
            prepared.schedule = schedule.of(found.facts)
            told = by_run(found.facts.get(READINGS, []))
            for row in found.read().to_pylist():
                if (turn := (row["instance"], row["run"])) in lacking:
                    noted = _noted(prepared, told.get(tuple(row[key] for key in KEYS)))
                    row |= {"algorithm": label, "round": job.round}
                    journal.append(row, noted)
                    lacking.remove(turn)


def _missing(repetitions: Repetitions, journal: Journal) -> Iterator[tuple[int, int]]:
    """The runs to measure, one after the other; runs in the journal only count."""
    while (turn := repetitions.next()) is not None:
        if turn in journal.runs:
            precision = journal.runs[turn].column("best_precision")[0].as_py()
            repetitions.add(turn[0], precision)
        else:
            yield turn


@contextmanager
def runner(prepared: Prepared, job: Job, cores: tuple[int, ...], folder: Path) -> Iterator[Runner]:
    """What measures the runs of a job on held cores. Runs do not see the campaign's `folder`."""
    with allowed(prepared, job, cores, folder) as (algorithm, allowance), ExitStack() as stack:
        found = each("meters", prepared.campaign, cores, algorithm)
        meters = tuple(stack.enter_context(one) for one in found)
        yield Runner(prepared, job, algorithm, replace(allowance, meters=meters), cores)


@contextmanager
def allowed(
    prepared: Prepared, job: Job, cores: tuple[int, ...], folder: Path
) -> Iterator[tuple[Subject, Allowance]]:
    """The job's algorithm, ready on held cores, and what its runs may use."""
    with ExitStack() as stack:
        algorithm = stack.enter_context(prepared.ready(job, cores, folder))
        allowance = allowance_of(prepared.campaign, prepared.views, job)
        if isinstance(algorithm, Confined | Fresh):
            keeper = algorithm.keeper
        else:
            has_keeper, network = allowance.views.namespaces, allowance.views.network
            keeper = stack.enter_context(kept(network=network)) if has_keeper else None
        yield algorithm, replace(allowance, keeper=keeper)


def seed_of(prepared: Prepared, job: Job, instance: int, run: int) -> int:
    """The seed of a run of a job."""
    name = ProblemName(prepared.suite.name, job.function, job.dimension, instance)
    return run_seed(prepared.campaign.seed, name, prepared.campaign.seeds_of(job.algorithm), run)


def _measure(
    prepared: Prepared,
    job: Job,
    running: Runner,
    repetitions: Repetitions,
    turns: Iterable[tuple[int, int]],
    journal: Journal,
    begun: BegunRun,
) -> None:
    started, found = time.monotonic(), len(journal.runs)
    for instance, run in turns:
        name = ProblemName(prepared.suite.name, job.function, job.dimension, instance)
        seed = seed_of(prepared, job, instance, run)
        if begun.attempts((instance, run)) < ATTEMPTS:
            with begun.noted((instance, run)):
                row = running.measure(instance, run, seed, give_up=False)
        else:
            row = running.measure(instance, run, seed, give_up=True)
        journal.append(row, _noted(prepared, row.get(READINGS)))
        repetitions.add(instance, row["best_precision"])
        spent_s = (time.monotonic() - started) / (len(journal.runs) - found)
        how_far = _how_far(len(journal.runs), repetitions.most, spent_s)
        print(f"{how_far}  {_line(name, run, row)}", file=sys.stderr, flush=True)
        if (wrong := refutation(row)) is not None:
            print(f"caution: {wrong}; the optimum is wrong", file=sys.stderr, flush=True)


def _facts(
    prepared: Prepared, job: Job, key: str, repetitions: Repetitions, number: int
) -> dict[str, Any]:
    return {
        **prepared.origin(job.algorithm),
        "key": key,
        "prepared": {"seconds": prepared.seconds, "job": number},
        "machine_state": machine_state(),
        "stopping": _decided(prepared.campaign, job, repetitions),
        "schedule": [
            _place(prepared.campaign, job) | {"instance": instance} | prepared.schedule
            for instance in job.instances
            if prepared.schedule
        ],
        **({"tuning": prepared.search} if prepared.search else {}),
    }


def _decided(campaign: Campaign, job: Job, repetitions: Repetitions) -> list[dict[str, Any]]:
    """The decisions of the stopping rule on each instance; empty without a rule."""
    if campaign.stopping.rule == "fixed":
        return []
    return [_place(campaign, job) | outcome for outcome in repetitions.outcome()]


def _place(campaign: Campaign, job: Job) -> dict[str, Any]:
    """The names of a job in the facts of its record."""
    return {
        "suite": campaign.problems.suite,
        "function": job.function,
        "dimension": job.dimension,
        "algorithm": job.algorithm,
        "round": job.round,
    }


def _noted(prepared: Prepared, readings: dict[str, Any] | None) -> dict[str, Any] | None:
    """What the journal keeps beside a run."""
    kept = {"schedule": prepared.schedule} if prepared.schedule else {}
    return (kept if readings is None else {**kept, READINGS: readings}) or None


def _how_far(done: int, most: int, run_s: float) -> str:
    return f"{done}/{most}, at most about {run_s * (most - done):.0f} s left"


def _line(problem: ProblemName, run: int, row: Row) -> str:
    said = f" ({row['message']})" if row["message"] else ""
    return (
        f"{problem}, run {run}: {row['status']}{said}, ended by "
        f"{row['stop_reason']} after {row['wall_s']:.3f} s and {row['evaluations']} evaluations, "
        f"best precision {row['best_precision']:.3g}"
    )
