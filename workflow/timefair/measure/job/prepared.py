"""A process that is prepared for an algorithm, and measures its runs in forks of itself."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from math import inf, isnan
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from timefair.algorithms import registry as algorithms
from timefair.algorithms.base import Algorithm
from timefair.basics import threads, user_code
from timefair.basics.errors import InputError
from timefair.basics.extension import confined, each
from timefair.campaign import provenance
from timefair.machine.facts import machine_facts
from timefair.machine.linux import kernel
from timefair.measure.evaluation.objective import NEVER, Measurement
from timefair.measure.evaluation.state import State
from timefair.measure.isolation import Views, views
from timefair.measure.perturbation import Row, RunMonitor, parts_for
from timefair.measure.processes import NoAnswer, elsewhere
from timefair.measure.runs.child import Allowance, Confined
from timefair.measure.runs.fresh import Context, Fresh, fresh
from timefair.measure.runs.run import Subject, explained, given_up, measure_run
from timefair.measure.trial import Trial, evaluation_cost_s, import_library, load, prepare
from timefair.problems import registry as suites
from timefair.problems.base import Problem
from timefair.records.status import Isolation

if TYPE_CHECKING:
    from timefair.campaign.configuration import Campaign
    from timefair.campaign.plan import Job


class Prepared:
    """The state of preparation of this process for measuring an algorithm in forks of itself.

    ``seconds`` is the time that the library and the algorithm took to get ready, ``trial`` the
    result of `trial.prepare`, and ``views`` has the folders of its runs. The ``campaign`` has the
    parameters that a ``search`` has found for a tuned variant, which ``planned`` has not;
    ``search`` is its record. ``schedule`` is what a job has chosen, or empty.
    """

    def __init__(self, campaign: Campaign) -> None:
        self.campaign = self.planned = campaign
        self.search: dict[str, Any] = {}
        self.schedule: dict[str, Any] = {}
        problems = campaign.problems
        with threads.noted():
            self.suite = suites.find(problems.suite, problems.parameters)
        self.seconds = 0.0
        self.trial = Trial()
        self.views = Views()
        self._loaded: Algorithm | None = None
        self._is_ready = False
        self._origins: dict[str, dict[str, Any]] = {}

    def journal_key(self, key: str) -> str:
        """The key of a job's journal; it depends on the parameters of a tuned variant."""
        return f"{key} {self.search['checksum']}" if self.search else key

    def import_library(self, job: Job) -> None:
        """Import the modules that all algorithms of the job's library need."""
        if not self._is_loaded_here(job.algorithm):
            return
        start = monotonic()
        with threads.noted():
            import_library(self.campaign.algorithms[job.algorithm].use)
        self.seconds += monotonic() - start

    def load(self, job: Job) -> Algorithm:
        """Load the job's algorithm, once, before anything else here imports its code.

        A module that this process has already imported is charged as well; this is the case if the
        campaign was checked here or the module contains the problem.
        """
        if self._loaded is None:
            self.import_library(job)
            spec = self.campaign.algorithms[job.algorithm]
            self.seconds += user_code.import_s(spec.use)
            start = monotonic()
            with threads.noted():
                self._loaded = load(spec.use, spec.arguments, spec.integer, spec.constraint_penalty)
                if self._is_ready:
                    self._loaded.prepare()
            self.seconds += monotonic() - start
        return self._loaded

    def set_length(self, label: str, length: int) -> None:
        """Set the parameter of the algorithm's schedule; its next launches have this length."""
        self.campaign, self._loaded = self.campaign.with_length(label, length), None

    @contextmanager
    def instead(self, campaign: Campaign) -> Iterator[None]:
        """Measure by another campaign in the block, whose preparation is not charged."""
        before = self.campaign, self.seconds
        self.campaign, self._loaded = campaign, None
        try:
            yield
        finally:
            (self.campaign, self.seconds), self._loaded = before, None

    def _is_loaded_here(self, label: str) -> bool:
        return not self.campaign.is_apart(label)

    def get_ready_here(self, job: Job) -> None:
        """`get_ready`, unless the algorithm runs in processes that are not forks of this one."""
        if self._is_loaded_here(job.algorithm):
            self.get_ready(job)

    def key(self, job: Job) -> str:
        """`provenance.measure_key`, which imports the user's modules, the algorithm's first."""

        def key() -> str:
            self.load(job)
            return provenance.measure_key(self.planned, job.algorithm, job.round)

        found: str = self._computed(job.algorithm, key)
        return found

    def decisive(self, label: str) -> dict[str, Any]:
        """`provenance.decisive` of an algorithm, as `key`."""
        found: dict[str, Any] = self._computed(
            label, lambda: provenance.decisive(self.planned, [label])[label]
        )
        return found

    def tuning_key(self, label: str) -> str:
        """`provenance.tuning_key` of a tuned variant. It imports the user's own modules."""
        found: str = self._computed(label, lambda: provenance.tuning_key(self.planned, label))
        return found

    def _computed(self, label: str, function: Callable[[], Any]) -> Any:
        """The value of a function that imports an algorithm's code, as JSON can represent it.

        The code of an algorithm with `isolation: strict` is not imported into this process.
        """
        if self._is_loaded_here(label):
            return function()
        try:
            return elsewhere(function)
        except NoAnswer:
            fault = "the algorithm's module ended the process that loaded it"
            raise InputError(fault) from None

    def get_ready(self, job: Job) -> Algorithm:
        """Load and prepare the job's algorithm, with a trial launch on the job's first problem."""
        algorithm = self.load(job)
        if not self._is_ready:
            memory_mb = self.campaign.limits.memory_mb
            self.views = self._views(job.algorithm)
            start = monotonic()
            kernel.adopt_orphans()
            problem = self.suite.problem(job.function, job.dimension, job.instances[0])
            threads = self.campaign.algorithms[job.algorithm].threads
            self.trial = prepare(algorithm, problem, memory_mb, self.views, threads)
            self.seconds += monotonic() - start
            self._is_ready = True
        return algorithm

    @contextmanager
    def ready(
        self, job: Job, cores: tuple[int, ...], folder: Path
    ) -> Iterator[Algorithm | Confined | Fresh]:
        """Get ready for the job's algorithm on held cores, here or in a separate process. Its runs
        do not see the campaign's `folder`.
        """
        if not self.campaign.is_apart(job.algorithm):
            algorithm = self.get_ready(job)
            self.views = self.views.without(folder)
            if not (lost := threads.lost()):
                yield algorithm
                return
            context = Context(os.getpid(), self.campaign.snapshot(), job, self.views.arguments())
            with fresh(context, lost) as process:
                self.trial = Trial(*process.trial)
                yield process
            return
        isolation = self.campaign.isolation_of(job.algorithm)
        with confined(isolation, self, job, cores, folder) as process:
            yield process

    def _views(self, label: str) -> Views:
        spec = self.campaign.algorithms[label]
        sources = algorithms.source_files(*algorithms.involved(spec.use, spec.parameters))
        return views(
            Isolation(self.campaign.isolation_of(label)),
            [*sources, *self.suite.source_files()],
            self.campaign.limits.memory_mb,
            network=not self.campaign.network,
        )

    def origin(self, label: str) -> dict[str, Any]:
        """The facts of a record that are the same for all jobs of an algorithm."""

        def facts() -> dict[str, Any]:
            asked = self.campaign.model_dump(mode="json")
            planned = self.planned.algorithms[label].schedule  # not what a job has chosen
            asked["algorithms"][label]["schedule"] = planned
            return {
                "campaign": asked,
                "code": provenance.measure_code(self.campaign, label),
                "machine": self._machine(label),
            }

        if label not in self._origins:
            self._origins[label] = self._computed(label, facts)
        return self._origins[label]

    def _machine(self, label: str) -> dict[str, Any]:
        """The facts of the machine, with the software that measures an algorithm."""
        spec = self.campaign.algorithms[label]
        uses = algorithms.involved(spec.use, spec.parameters)
        found = machine_facts((*self.suite.distributions, *algorithms.distributions(*uses)))
        return found | dict(each("facts", self.campaign, label))


def allowance_of(campaign: Campaign, views: Views, job: Job) -> Allowance:
    """The resources that each run of a job may use."""
    budget, limits = campaign.budget, campaign.limits
    evaluations = budget.evaluations_for(job.dimension)
    return Allowance(
        time_ns=NEVER if budget.seconds is None else round(budget.seconds * 1e9),
        cpu=budget.cpu_s is not None,
        evaluations=NEVER if evaluations is None else evaluations,
        final_target=-inf if budget.final_target is None else budget.final_target,
        wall_ns=round(limits.wall_s * 1e9),
        cost_ns=round(budget.evaluation_cost_s * 1e9),
        memory_mb=limits.memory_mb,
        restart=campaign.restart_of(job.algorithm),
        cores=campaign.algorithms[job.algorithm].threads,
        views=views,
    )


class Runner:
    """Measures runs of a job in forks of this process, which is pinned to the cores."""

    def __init__(
        self,
        prepared: Prepared,
        job: Job,
        algorithm: Subject,
        allowance: Allowance,
        cores: tuple[int, ...],
    ) -> None:
        campaign, suite = prepared.campaign, prepared.suite
        self._trace, self._algorithm = prepared.trial.trace, algorithm
        self._allowance = allowance
        kernel.adopt_orphans()
        self._problems = {
            instance: suite.problem(job.function, job.dimension, instance)
            for instance in job.instances
        }
        first = self._problems[job.instances[0]]
        self._common = common(prepared, job, cores)
        self._common |= _evaluation_cost(first, allowance.answer_ns / 1e9)
        self._monitor = RunMonitor(
            cores,
            reference=campaign.reference_is_timed,
            repeats=campaign.timing.most_repeats,
            parts=parts_for(campaign.budget.seconds),
        )

    def measure(self, instance: int, run: int, seed: int, *, give_up: bool) -> Row:
        """Measure one run, or describe an abandoned one, in the columns of `records.schema`."""
        problem, allowance = self._problems[instance], self._allowance
        if give_up:
            one = partial(given_up, problem, allowance, seed)
        else:
            one = partial(measure_run, self._algorithm, problem, allowance, seed)
        f_opt = None if isnan(problem.f_opt) else problem.f_opt
        row = explained(self._monitor.measure(one), self._trace)
        return {**self._common, "instance": instance, "run": run, "f_opt": f_opt, **row}


def common(prepared: Prepared, job: Job, cores: tuple[int, ...]) -> Row:
    """What is the same in the rows of all runs of a job."""
    return {
        "suite": prepared.suite.name,
        "function": job.function,
        "dimension": job.dimension,
        "algorithm": job.algorithm,
        "round": job.round,
        "core": cores[0],
        "preparation_s": prepared.seconds,
        "appeared_in_trial": prepared.trial.appeared,
    }


def _evaluation_cost(problem: Problem, answer_s: float) -> dict[str, float]:
    """Present cost of an evaluation, by the instrumented objective and by the suite's own call.

    It is measured in a separate process. The result is empty if the problem raises, ends its
    process or takes longer than `answer_s`; its runs show that.
    """
    try:
        costs = elsewhere(lambda: _measured_costs(problem), answer_s)
    except (InputError, NoAnswer):
        return {}
    return dict(zip(("objective_s", "bare_s"), costs, strict=True))


def _measured_costs(problem: Problem) -> tuple[float, float]:
    state = State.of(problem)
    logs = (state.event_log, state.launch_log, state.launch_event_log)
    measurement = Measurement(
        problem, state.header_array, *logs, state.best_fd, vectors=state.vector_log
    )
    measurement.start(0)
    measurement.begin_launch()
    return evaluation_cost_s(measurement.objective, problem)
