"""A process that is prepared for an algorithm, and measures its runs in forks of itself."""

from __future__ import annotations

import json
import os
import pickle
import socket
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any, NoReturn, TypeVar

from timefair.algorithms import registry as algorithms
from timefair.algorithms.base import Algorithm
from timefair.basics import threads, user_code
from timefair.basics.errors import InputError
from timefair.basics.extension import confined, each
from timefair.campaign import provenance
from timefair.campaign.configuration import Campaign, restored
from timefair.campaign.plan import Job
from timefair.machine.facts import machine_facts
from timefair.machine.linux import kernel
from timefair.machine.linux.kernel import ends_at_once
from timefair.measure import trial
from timefair.measure.evaluation.objective import NEVER
from timefair.measure.evaluation.state import State
from timefair.measure.isolation import Views, views
from timefair.measure.launching import LONGEST, NoAnswer, elsewhere, fork_on_request
from timefair.measure.perturbation import Row, RunMonitor, parts_for
from timefair.measure.run import (
    LOADING_S,
    Allowance,
    Subject,
    Unloaded,
    fresh,
    live,
)
from timefair.problems import registry as suites
from timefair.problems.base import Problem
from timefair.records import store
from timefair.records.status import Isolation

Value = TypeVar("Value")


class Prepared:
    """How far this process is prepared for measuring an algorithm, and the ``seconds`` that took.
    ``planned`` lacks the parameters that a ``search`` has found for the ``campaign``; ``schedule``
    is what a job has chosen, or empty.
    """

    def __init__(self, campaign: Campaign) -> None:
        store.avoid_pandas()
        self.campaign = self.planned = campaign
        self.search: dict[str, Any] = {}
        self.schedule: dict[str, Any] = {}
        problems = campaign.problems
        with threads.noted():
            self.suite = suites.find(problems.suite, problems.parameters)
        self.seconds = 0.0
        self.trial = trial.Trial()
        self.views = Views()
        self._loaded: Algorithm | None = None
        self._is_ready = False
        self._origins: dict[str, dict[str, Any]] = {}

    def load(self, job: Job) -> Algorithm:
        """Load the job's algorithm, once, before anything else here imports its code. An earlier
        import is charged too.
        """
        if self._loaded is None:
            spec = self.campaign.algorithms[job.algorithm]
            start = monotonic() - user_code.import_s(spec.use)
            with threads.noted():
                self._loaded = trial.load(
                    spec.use, spec.arguments, spec.integer, spec.constraint_penalty
                )
                if self._is_ready:
                    self._loaded.prepare()
            self.seconds += monotonic() - start
        return self._loaded

    def set_length(self, label: str, length: int) -> None:
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

    def get_ready_here(self, job: Job) -> None:
        """`get_ready`, unless the algorithm runs in processes that are not forks of this one."""
        if not self.campaign.is_apart(job.algorithm):
            self.get_ready(job)

    def key(self, job: Job) -> str:
        """`provenance.measure_key`, which imports the user's modules, the algorithm's first."""

        def key() -> str:
            self.load(job)
            return provenance.measure_key(self.planned, job.algorithm, job.round)

        return self._computed(job.algorithm, key)

    def decisive(self, label: str) -> dict[str, Any]:
        return self._computed(label, lambda: provenance.decisive(self.planned, [label])[label])

    def tuning_key(self, label: str) -> str:
        return self._computed(label, lambda: provenance.tuning_key(self.planned, label))

    def _computed(self, label: str, function: Callable[[], Value]) -> Value:
        """The value of a function that imports an algorithm's code, as JSON can represent it."""
        if not self.campaign.is_apart(label):
            return function()
        try:
            found: Value = elsewhere(function)
            return found
        except NoAnswer:
            fault = "the algorithm's module ended the process that loaded it"
            raise InputError(fault) from None

    def get_ready(self, job: Job) -> Algorithm:
        """Load and prepare the job's algorithm, with a trial launch on the job's first problem."""
        algorithm = self.load(job)
        if not self._is_ready:
            memory_mb = self.campaign.limits.memory_mb
            spec = self.campaign.algorithms[job.algorithm]
            sources = algorithms.source_files(*algorithms.involved(spec.use, spec.parameters))
            self.views = views(
                Isolation(self.campaign.isolation_of(job.algorithm)),
                [*sources, *self.suite.source_files()],
                memory_mb,
                network=not self.campaign.network,
            )
            start = monotonic()
            kernel.adopt_orphans()
            problem = self.suite.problem(job.function, job.dimension, job.instances[0])
            self.trial = trial.prepare(algorithm, problem, memory_mb, self.views, spec.threads)
            self.seconds += monotonic() - start
            self._is_ready = True
        return algorithm

    @contextmanager
    def ready(
        self, job: Job, cores: tuple[int, ...], folder: Path
    ) -> Iterator[tuple[Subject, Allowance]]:
        """What runs on held cores are made of, here or elsewhere, and what they may use. They do
        not see the campaign's `folder`.
        """
        with ExitStack() as stack:
            subject: Subject
            if self.campaign.is_apart(job.algorithm):
                isolation = self.campaign.isolation_of(job.algorithm)
                subject = stack.enter_context(confined(isolation, self, job, cores, folder))
                keeper = subject.keeper
            else:
                subject, keeper = self.get_ready(job), None
                self.views = self.views.without(folder)
                if lost := threads.lost():
                    context = os.getpid(), self.campaign.snapshot(), job, self.views
                    subject = stack.enter_context(fresh(context, lost))
                    self.trial, keeper = trial.Trial(*subject.trial), subject.keeper
                elif self.views.namespaces:
                    network = self.views.network
                    keeper = stack.enter_context(kernel.kept_keeper(network=network))
            allowance = allowance_of(self.campaign, self.views, job)
            yield subject, replace(allowance, keeper=keeper)

    def origin(self, label: str) -> dict[str, Any]:
        def facts() -> dict[str, Any]:
            asked = self.campaign.model_dump(mode="json")
            planned = self.planned.algorithms[label].schedule  # not what a job has chosen
            asked["algorithms"][label]["schedule"] = planned
            spec = self.campaign.algorithms[label]
            uses = algorithms.involved(spec.use, spec.parameters)
            found = machine_facts((*self.suite.distributions, *algorithms.distributions(*uses)))
            return {
                "campaign": asked,
                "code": provenance.measure_code(self.campaign, label),
                "machine": found | dict(each("facts", self.campaign, label)),
            }

        if label not in self._origins:
            self._origins[label] = self._computed(label, facts)
        return self._origins[label]


def allowance_of(campaign: Campaign, views: Views, job: Job) -> Allowance:
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


def monitor(campaign: Campaign, cores: tuple[int, ...]) -> RunMonitor:
    return RunMonitor(
        cores,
        reference=campaign.reference_is_timed,
        repeats=campaign.timing.most_repeats,
        parts=parts_for(campaign.budget.seconds),
    )


def common(prepared: Prepared, job: Job, cores: tuple[int, ...]) -> Row:
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


def evaluation_cost(problem: Problem, answer_s: float) -> dict[str, float]:
    """Seconds of an evaluation, by the instrumented objective and by the suite's own call; empty if
    the problem raises, ends its process or takes longer than `answer_s`.
    """

    def measured() -> tuple[float, float]:
        measurement = State.of(problem).measurement(problem)
        measurement.start(0)
        measurement.begin_launch()
        return trial.evaluation_cost_s(measurement.objective, problem)

    try:
        costs = elsewhere(measured, answer_s)
    except (InputError, NoAnswer):
        return {}
    return dict(zip(("objective_s", "bare_s"), costs, strict=True))


# --- The process without any code of the user that forks runs which import it (`child.Fresh`) ----


class _Loader:
    def __init__(self, campaign: Campaign, job: Job) -> None:
        self._campaign, self._job = campaign, job
        self.modules: Sequence[str] = ()

    def problem(self, instance: int) -> Problem:
        self._prepared = Prepared(self._campaign)
        suite = self._prepared.suite
        return suite.problem(self._job.function, self._job.dimension, instance)

    def algorithm(self) -> tuple[Algorithm, float]:
        algorithm, begun = self._prepared.load(self._job), monotonic()
        algorithm.prepare()
        trial.import_modules(self.modules)
        return algorithm, self._prepared.seconds + monotonic() - begun

    def on_trial(self) -> tuple[Algorithm, Problem]:
        problem = self.problem(self._job.instances[0])
        return self.algorithm()[0], problem


def main(descriptor: str) -> None:
    """Run the process. The argument is the descriptor of the socket to its starter."""
    connection = socket.socket(fileno=int(descriptor))
    starter, snapshot, job, folders = pickle.loads(connection.recv(LONGEST))
    kernel.die_with_parent(starter)
    ends_at_once()
    campaign, begun = restored(snapshot), monotonic()
    allowance, loader = allowance_of(campaign, folders, job), _Loader(campaign, job)
    memory_mb, cores = allowance.memory_mb, allowance.cores
    tried = trial.trial_launch(loader.on_trial, memory_mb, folders, cores, LOADING_S)
    loader.modules = tried.modules
    connection.send(json.dumps([monotonic() - begun, tried]).encode())
    kernel.hand_over_new_keeper(connection, possible=folders.namespaces, network=folders.network)
    fork_on_request(connection, partial(_live, starter, loader, allowance))


def _live(
    starter: int, loader: _Loader, allowance: Allowance, request: Any, fds: list[int]
) -> NoReturn:
    try:
        instance, seed, tempfile.tempdir, (numbers, recommended) = request
        for fd in fds:
            os.set_inheritable(fd, False)
        unloaded = Unloaded(partial(loader.problem, instance), loader.algorithm)
        live(starter, unloaded, None, allowance, State(numbers, recommended, fds), seed)
    finally:
        kernel.end_process(1)
