"""A measuring job: every run of one algorithm on one function, dimension and chunk of instances."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from timefair.algorithms import registry as algorithms
from timefair.algorithms.base import Algorithm
from timefair.campaign import provenance
from timefair.machine.facts import machine_facts, machine_state
from timefair.measure import kernel, stopping
from timefair.measure.child import Allowance
from timefair.measure.cores import held_cores
from timefair.measure.interruption import interruptible
from timefair.measure.monitor import RunMonitor
from timefair.measure.objective import NEVER, Objective
from timefair.measure.preparation import evaluation_cost_s, prepare
from timefair.measure.repetitions import Repetitions
from timefair.measure.run import measure_run
from timefair.measure.seeds import run_seed
from timefair.measure.state import State
from timefair.problems import registry as suites
from timefair.problems.base import Problem
from timefair.records.journal import Journal
from timefair.records.store import write_record

if TYPE_CHECKING:
    from timefair.campaign.configuration import Campaign
    from timefair.campaign.plan import Job


def measure(campaign: Campaign, job: Job, record: Path, key: str) -> None:
    """Measure what the job's record lacks, and write the record.

    Runs that an ended job of the same key has finished are taken from its journal. Instances take
    turns, so that an unlucky minute hits them alike, until the round or the campaign's stopping
    rule ends them.

    Parameters
    ----------
    record
        The file to write, at the job's place in the campaign's folder; the journal lies beside it.
    key
        The digest of everything that decides this measurement (`provenance.measure_key`).
    """
    repetitions = stopping.repetitions(campaign, job, key, folder=record.parents[3])
    with interruptible(), Journal(record, key) as journal:
        missing = _missing(repetitions, journal)
        if (first := next(missing, None)) is not None:
            with held_cores(campaign.algorithms[job.algorithm].threads) as cores:
                _measure(campaign, job, repetitions, chain([first], missing), cores, journal)
        done = [journal.runs[turn] for turn in sorted(journal.runs)]
        write_record(record, done, _facts(campaign, job, key, repetitions))


def _missing(repetitions: Repetitions, journal: Journal) -> Iterator[tuple[int, int]]:
    """The runs to measure, one after the other; those that the journal has count on the way."""
    while (turn := repetitions.next()) is not None:
        if turn in journal.runs:
            precision = journal.runs[turn].column("best_precision")[0].as_py()
            repetitions.add(turn[0], precision)
        else:
            yield turn


def _measure(
    campaign: Campaign,
    job: Job,
    repetitions: Repetitions,
    turns: Iterable[tuple[int, int]],
    cores: tuple[int, ...],
    journal: Journal,
) -> None:
    start = time.monotonic()
    kernel.adopt_orphans()
    spec = campaign.algorithms[job.algorithm]
    suite = suites.find(campaign.problems.suite, campaign.problems.parameters)
    problems = {
        instance: suite.problem(job.function, job.dimension, instance) for instance in job.instances
    }
    first = problems[job.instances[0]]
    algorithm: Algorithm = algorithms.load(spec.use, spec.parameters)
    prepare(algorithm, first, campaign.limits.memory_mb)
    common: dict[str, Any] = {
        "suite": suite.name,
        "function": job.function,
        "dimension": job.dimension,
        "algorithm": job.algorithm,
        "round": job.round,
        "core": cores[0],
        "preparation_s": time.monotonic() - start,
        **_evaluation_cost(first),
    }
    allowance = _allowance(campaign, job)
    timing = campaign.timing
    monitor = RunMonitor(cores, reference=campaign.reference_is_timed, repeats=timing.most_repeats)
    begun, found = time.monotonic(), len(journal.runs)
    for instance, run in turns:
        problem = problems[instance]
        seed = run_seed(campaign.seed, problem.name, job.algorithm, run)
        row = monitor.measure(partial(measure_run, algorithm, problem, allowance, seed))
        f_opt = None if isnan(problem.f_opt) else problem.f_opt
        journal.append({**common, "instance": instance, "run": run, "f_opt": f_opt, **row})
        repetitions.add(instance, row["best_precision"])
        spent_s = (time.monotonic() - begun) / (len(journal.runs) - found)
        how_far = _how_far(len(journal.runs), repetitions.most, spent_s)
        print(f"{how_far}  {_line(problem, run, row)}", file=sys.stderr, flush=True)


def _allowance(campaign: Campaign, job: Job) -> Allowance:
    budget, limits = campaign.budget, campaign.limits
    evaluations = budget.evaluations_for(job.dimension)
    return Allowance(
        time_ns=NEVER if budget.time_s is None else round(budget.time_s * 1e9),
        evaluations=NEVER if evaluations is None else evaluations,
        final_target=-1.0 if budget.final_target is None else budget.final_target,
        wall_ns=round(limits.wall_s * 1e9),
        memory_mb=limits.memory_mb,
        restart=campaign.restart_of(job.algorithm),
        cores=campaign.algorithms[job.algorithm].threads,
    )


def _evaluation_cost(problem: Problem) -> dict[str, float]:
    """What an evaluation costs here and now, by the instrumented objective and bare.

    Empty where the problem raises: that is for its runs to show.
    """
    state = State()
    try:
        objective = Objective(problem, state.header_array, state.event_log, state.launch_log)
        objective.start(0)
        objective.begin_launch()
        objective_s, bare_s = evaluation_cost_s(objective, problem)
        return {"objective_s": objective_s, "bare_s": bare_s}
    except Exception:
        return {}
    finally:
        state.close()


def _facts(campaign: Campaign, job: Job, key: str, repetitions: Repetitions) -> dict[str, Any]:
    spec = campaign.algorithms[job.algorithm]
    suite = suites.find(campaign.problems.suite, campaign.problems.parameters)
    software = (*suite.distributions, *algorithms.distributions(spec.use))
    return {
        "campaign": campaign.model_dump(mode="json"),
        "key": key,
        "code": provenance.measure_code(campaign, job.algorithm),
        "machine": machine_facts(software),
        "machine_state": machine_state(),
        "stopping": _decided(campaign, job, repetitions),
    }


def _decided(campaign: Campaign, job: Job, repetitions: Repetitions) -> list[dict[str, Any]]:
    """What the stopping rule decided on each instance; nothing without a rule."""
    if campaign.stopping.rule == "fixed":
        return []
    place = {
        "suite": campaign.problems.suite,
        "function": job.function,
        "dimension": job.dimension,
        "algorithm": job.algorithm,
        "round": job.round,
    }
    return [place | outcome for outcome in repetitions.outcome()]


def _how_far(done: int, most: int, run_s: float) -> str:
    return f"{done}/{most}, at most about {run_s * (most - done):.0f} s left"


def _line(problem: Problem, run: int, row: dict[str, Any]) -> str:
    said = f" ({row['message']})" if row["message"] else ""
    return (
        f"{problem.name}, run {run}: {row['status']}{said}, ended by "
        f"{row['stop_reason']} after {row['wall_s']:.3f} s and {row['evaluations']} evaluations, "
        f"best precision {row['best_precision']:.3g}"
    )
