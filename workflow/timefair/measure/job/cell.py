"""A measuring job: every run of one algorithm on one function, dimension and chunk of instances."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import chain
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from timefair.algorithms import registry as algorithms
from timefair.algorithms.base import Algorithm
from timefair.basics import user_code
from timefair.basics.errors import InputError
from timefair.campaign import provenance
from timefair.linux import kernel
from timefair.linux.interruption import interruptible
from timefair.machine.facts import machine_facts, machine_state
from timefair.measure.apart.messages import Setup
from timefair.measure.apart.solvers import Host, hosted
from timefair.measure.disturbance.monitor import RunMonitor
from timefair.measure.disturbance.reference import parts_for
from timefair.measure.evaluation.cost import evaluation_cost_s
from timefair.measure.evaluation.objective import NEVER, Measurement
from timefair.measure.evaluation.state import State
from timefair.measure.isolation import descriptors
from timefair.measure.isolation.scratch import reused_scratch_folders
from timefair.measure.isolation.views import Views, views
from timefair.measure.job import stopping
from timefair.measure.job.cores import held_cores, lock_folder
from timefair.measure.job.elsewhere import NoAnswer, elsewhere
from timefair.measure.job.repetitions import Repetitions
from timefair.measure.job.spending import Spending
from timefair.measure.launch.seeds import run_seed
from timefair.measure.preparation import loading
from timefair.measure.preparation.trial import Trial, prepare
from timefair.measure.runs.child import Allowance
from timefair.measure.runs.run import ATTEMPTS, explained, given_up, measure_run
from timefair.problems import registry as suites
from timefair.problems.base import Problem
from timefair.records.begun import BegunRun
from timefair.records.journal import Journal
from timefair.records.light_arrow import avoid_pandas
from timefair.records.status import Isolation
from timefair.records.store import write_record

if TYPE_CHECKING:
    from timefair.campaign.configuration import Campaign
    from timefair.campaign.plan import Job

SPENT = "where the time went:"
"""What the last line of a job's log begins with."""


class Prepared:
    """How far this process is on the way to measuring an algorithm in forks of itself.

    Attributes
    ----------
    seconds
        What the library and the algorithm have taken to get ready.
    trial
        What `trial.prepare` returned for the algorithm.
    views
        The private and the shared folders of its runs.
    """

    def __init__(self, campaign: Campaign) -> None:
        avoid_pandas()
        self.campaign = campaign
        problems = campaign.problems
        self.suite = suites.find(problems.suite, problems.parameters)
        self.seconds = 0.0
        self.trial = Trial()
        self.views = Views()
        self._loaded: Algorithm | None = None
        self._is_ready = False
        self._origins: dict[str, dict[str, Any]] = {}

    def import_library(self, job: Job) -> None:
        """Import what all algorithms of the job's library need."""
        if self.campaign.is_apart(job.algorithm):
            return
        start = time.monotonic()
        loading.import_library(self.campaign.algorithms[job.algorithm].use)
        self.seconds += time.monotonic() - start

    def load(self, job: Job) -> Algorithm:
        """Load the job's algorithm, once, before anything else here imports its code.

        A module that this process has imported already, because the campaign was checked here or
        the problem is in it, is charged as well.
        """
        if self._loaded is None:
            self.import_library(job)
            spec = self.campaign.algorithms[job.algorithm]
            self.seconds += user_code.import_s(spec.use)
            start = time.monotonic()
            self._loaded = loading.load(spec.use, spec.parameters, spec.integer == "round")
            self.seconds += time.monotonic() - start
        return self._loaded

    def key(self, job: Job) -> str:
        """`provenance.measure_key`. It imports the user's own modules, the algorithm's first."""

        def key() -> str:
            self.load(job)
            return provenance.measure_key(self.campaign, job.algorithm, job.round)

        found: str = self._computed(job.algorithm, key)
        return found

    def _computed(self, label: str, function: Callable[[], Any]) -> Any:
        """The value of a function that imports an algorithm's code, as JSON holds it.

        The code of an algorithm that is apart is not imported into this process.
        """
        if not self.campaign.is_apart(label):
            return function()
        try:
            return elsewhere(function)
        except NoAnswer:
            fault = "the algorithm's module ended the process that loaded it"
            raise InputError(fault) from None

    def get_ready(self, job: Job) -> Algorithm:
        """Load and prepare the job's algorithm, with a trial on the job's first problem; once."""
        algorithm = self.load(job)
        if not self._is_ready:
            memory_mb = self.campaign.limits.memory_mb
            self.views = self._views(job.algorithm)
            start = time.monotonic()
            kernel.adopt_orphans()
            problem = self.suite.problem(job.function, job.dimension, job.instances[0])
            self.trial = prepare(algorithm, problem, memory_mb, self.views)
            self.seconds += time.monotonic() - start
            self._is_ready = True
        return algorithm

    @contextmanager
    def ready(self, job: Job, cores: tuple[int, ...]) -> Iterator[Algorithm | Host]:
        """Get ready for the job's algorithm on held cores, here or in a process of its own."""
        if not self.campaign.is_apart(job.algorithm):
            yield self.get_ready(job)
            return
        with self.hosted(job, cores) as host:
            os.sched_setaffinity(0, host.cores)
            yield host

    @contextmanager
    def hosted(self, job: Job, cores: tuple[int, ...]) -> Iterator[Host]:
        """Have the job's algorithm get ready in a process of its own, which lives until the end."""
        spec = self.campaign.algorithms[job.algorithm]
        problem = self.suite.problem(job.function, job.dimension, job.instances[0])
        setup = Setup(
            starter=os.getpid(),
            use=spec.use,
            parameters=spec.parameters,
            rounds_integers=spec.integer == "round",
            lower=problem.lower,
            upper=problem.upper,
            integer=problem.integer,
            memory_mb=self.campaign.limits.memory_mb,
        )
        with hosted(setup, cores) as host:
            ready = host.ready
            watched = tuple(map(Path, ready.watched))
            self.views = Views(Isolation.STRICT, ready.watched_because, watched=watched)
            self.trial = Trial((), ready.trace, ready.appeared)
            self.seconds += ready.seconds
            yield host

    def _views(self, label: str) -> Views:
        spec = self.campaign.algorithms[label]
        sources = algorithms.source_files(*algorithms.involved(spec.use, spec.parameters))
        return views(
            Isolation(self.campaign.isolation_of(label)),
            [*sources, *self.suite.source_files()],
            self.campaign.limits.memory_mb,
        )

    def origin(self, label: str) -> dict[str, Any]:
        """The facts of a record that are the same for all jobs of an algorithm."""

        def facts() -> dict[str, Any]:
            spec = self.campaign.algorithms[label]
            uses = algorithms.involved(spec.use, spec.parameters)
            software = (*self.suite.distributions, *algorithms.distributions(*uses))
            return {
                "campaign": self.campaign.model_dump(mode="json"),
                "code": provenance.measure_code(self.campaign, label),
                "machine": machine_facts(software),
            }

        if label not in self._origins:
            self._origins[label] = self._computed(label, facts)
        return self._origins[label]


def measure(campaign: Campaign, job: Job, record: Path, key: str) -> None:
    """Measure a job in this process, which is prepared for nothing yet: `measure_job`."""
    measure_job(Prepared(campaign), job, record, key)


def measure_job(prepared: Prepared, job: Job, record: Path, key: str, number: int = 1) -> None:
    """Measure what the job's record lacks, and write the record.

    Runs that an ended job of the same key has finished are taken from its journal. Instances take
    turns, so that an unlucky minute hits them alike, until the round or the campaign's stopping
    rule ends them. The last line of the job's log says where the time went.

    Parameters
    ----------
    prepared
        It gets ready for the job's algorithm here if it is not, once a run is to be measured.
    record
        The file to write, at the job's place in the campaign's folder; the journal lies beside it.
    key
        The digest of everything that decides this measurement (`provenance.measure_key`).
    number
        The number of this job among those that the prepared process measures, from 1.
    """
    campaign, spending = prepared.campaign, Spending()
    with interruptible(), ExitStack() as stack:
        with spending.on("journal"):
            repetitions = stopping.repetitions(campaign, job, key, folder=record.parents[3])
            journal = stack.enter_context(Journal(record, key))
            begun = stack.enter_context(BegunRun(record))
            missing = _missing(repetitions, journal)
            first = next(missing, None)
        if first is not None:
            with reused_scratch_folders(), ExitStack() as holding:
                with spending.on("waiting for a core"):
                    cores = holding.enter_context(held_cores(campaign.cores_of(job.algorithm)))
                with spending.on("preparation"):
                    algorithm = holding.enter_context(prepared.ready(job, cores))
                turns = chain([first], missing)
                allowance = allowance_of(prepared, job, folder=record.parents[3])
                _measure(
                    prepared, job, algorithm, allowance, repetitions, turns, cores, journal, begun,
                    spending,
                )  # fmt: skip
        with spending.on("record"):
            done = [journal.runs[turn] for turn in sorted(journal.runs)]
            facts = _facts(prepared, job, key, repetitions, number)
            write_record(record, done, facts)
    print(f"{SPENT} {spending}", file=sys.stderr, flush=True)


def _missing(repetitions: Repetitions, journal: Journal) -> Iterator[tuple[int, int]]:
    """The runs to measure, one after the other; those that the journal has count on the way."""
    while (turn := repetitions.next()) is not None:
        if turn in journal.runs:
            precision = journal.runs[turn].column("best_precision")[0].as_py()
            repetitions.add(turn[0], precision)
        else:
            yield turn


def _measure(
    prepared: Prepared,
    job: Job,
    algorithm: Algorithm | Host,
    allowance: Allowance,
    repetitions: Repetitions,
    turns: Iterable[tuple[int, int]],
    cores: tuple[int, ...],
    journal: Journal,
    begun: BegunRun,
    spending: Spending,
) -> None:
    campaign, suite = prepared.campaign, prepared.suite
    with spending.on("setting up"):
        kernel.adopt_orphans()
        problems = {
            instance: suite.problem(job.function, job.dimension, instance)
            for instance in job.instances
        }
        common: dict[str, Any] = {
            "suite": suite.name,
            "function": job.function,
            "dimension": job.dimension,
            "algorithm": job.algorithm,
            "round": job.round,
            "core": cores[0],
            "preparation_s": prepared.seconds,
            "appeared_in_trial": prepared.trial.appeared,
        }
        common |= _evaluation_cost(problems[job.instances[0]], allowance.answer_ns / 1e9)
    monitor = RunMonitor(
        cores,
        reference=campaign.reference_is_timed,
        repeats=campaign.timing.most_repeats,
        parts=parts_for(campaign.budget.time_s),
    )
    spending.add("reference kernel", monitor.reference_spent_s)
    started, found = time.monotonic(), len(journal.runs)
    for instance, run in turns:
        problem = problems[instance]
        seed = run_seed(campaign.seed, problem.name, job.algorithm, run)
        start, reference_s = time.monotonic(), monitor.reference_spent_s
        if begun.attempts((instance, run)) < ATTEMPTS:
            with begun.noted((instance, run)):
                row = monitor.measure(partial(measure_run, algorithm, problem, allowance, seed))
        else:
            row = monitor.measure(partial(given_up, problem, allowance, seed))
        reference_s = monitor.reference_spent_s - reference_s
        spending.add("timed runs", row["real_s"])
        spending.add("reference kernel", reference_s)
        spending.add("ends of processes", row["reaped_s"] - row["real_s"])
        others_s = time.monotonic() - start - row["reaped_s"] - reference_s
        spending.add("forks and warm-up", others_s)
        with spending.on("journal"):
            f_opt = None if isnan(problem.f_opt) else problem.f_opt
            row = explained(row, prepared.trial.trace)
            journal.append({**common, "instance": instance, "run": run, "f_opt": f_opt, **row})
            repetitions.add(instance, row["best_precision"])
        spent_s = (time.monotonic() - started) / (len(journal.runs) - found)
        how_far = _how_far(len(journal.runs), repetitions.most, spent_s)
        print(f"{how_far}  {_line(problem, run, row)}", file=sys.stderr, flush=True)


def allowance_of(prepared: Prepared, job: Job, folder: Path) -> Allowance:
    """What each run of a job may use; it closes the open files of the measurement in `folder`."""
    campaign = prepared.campaign
    budget, limits = campaign.budget, campaign.limits
    evaluations = budget.evaluations_for(job.dimension)
    return Allowance(
        time_ns=NEVER if budget.time_s is None else round(budget.time_s * 1e9),
        evaluations=NEVER if evaluations is None else evaluations,
        final_target=-1.0 if budget.final_target is None else budget.final_target,
        wall_ns=round(limits.wall_s * 1e9),
        cost_ns=round(budget.evaluation_cost_s * 1e9),
        memory_mb=limits.memory_mb,
        restart=campaign.restart_of(job.algorithm),
        cores=campaign.algorithms[job.algorithm].threads,
        views=prepared.views,
        closed=descriptors.of_the_measurement([folder, lock_folder()]),
    )


def _evaluation_cost(problem: Problem, answer_s: float) -> dict[str, float]:
    """What an evaluation costs here and now, by the instrumented objective and bare.

    Empty where the problem raises, ends its process or takes longer than `answer_s`; its runs show
    that. So it is measured in a process of its own.
    """
    try:
        costs = elsewhere(lambda: _measured_costs(problem), answer_s)
    except (InputError, NoAnswer):
        return {}
    return dict(zip(("objective_s", "bare_s"), costs, strict=True))


def _measured_costs(problem: Problem) -> tuple[float, float]:
    state = State()
    logs = (state.event_log, state.launch_log, state.launch_event_log)
    measurement = Measurement(problem, state.header_array, *logs, state.best_fd)
    measurement.start(0)
    measurement.begin_launch()
    return evaluation_cost_s(measurement.objective, problem)


def _facts(
    prepared: Prepared, job: Job, key: str, repetitions: Repetitions, number: int
) -> dict[str, Any]:
    return {
        **prepared.origin(job.algorithm),
        "key": key,
        "prepared": {"seconds": prepared.seconds, "job": number},
        "machine_state": machine_state(),
        "stopping": _decided(prepared.campaign, job, repetitions),
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
