"""The state of preparation of a process that measures an algorithm in forks of itself."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from timefair.algorithms import registry as algorithms
from timefair.algorithms.base import Algorithm
from timefair.basics import threads, user_code
from timefair.basics.errors import InputError
from timefair.basics.extension import each
from timefair.campaign import provenance
from timefair.linux import kernel
from timefair.machine.facts import machine_facts
from timefair.measure.apart.messages import Setup
from timefair.measure.apart.solvers import Host, hosted
from timefair.measure.evaluation.objective import NEVER
from timefair.measure.isolation import confinement
from timefair.measure.isolation.views import Views, views
from timefair.measure.job.cores import lock_folder
from timefair.measure.preparation import loading
from timefair.measure.preparation.trial import Trial, prepare
from timefair.measure.runs.child import Allowance
from timefair.measure.runs.elsewhere import NoAnswer, elsewhere
from timefair.measure.runs.fresh import Context, Fresh, fresh
from timefair.problems import registry as suites
from timefair.records.status import Isolation

if TYPE_CHECKING:
    from timefair.campaign.configuration import Campaign
    from timefair.campaign.plan import Job


class Prepared:
    """The state of preparation of this process for measuring an algorithm in forks of itself.

    Attributes
    ----------
    seconds
        Time that the library and the algorithm took to get ready.
    trial
        Result of `trial.prepare` for the algorithm.
    views
        The private and the shared folders of its runs.
    campaign, planned
        The campaign with and without the parameters that a search has found for the algorithm.
    search
        The record of that search; empty for an algorithm that is not a tuned variant.
    """

    def __init__(self, campaign: Campaign) -> None:
        self.campaign = self.planned = campaign
        self.search: dict[str, Any] = {}
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
        start = time.monotonic()
        with threads.noted():
            loading.import_library(self.campaign.algorithms[job.algorithm].use)
        self.seconds += time.monotonic() - start

    def load(self, job: Job) -> Algorithm:
        """Load the job's algorithm, once, before anything else here imports its code.

        A module that this process has already imported is charged as well; this is the case if the
        campaign was checked here or the module contains the problem.
        """
        if self._loaded is None:
            self.import_library(job)
            spec = self.campaign.algorithms[job.algorithm]
            self.seconds += user_code.import_s(spec.use)
            start = time.monotonic()
            with threads.noted():
                self._loaded = loading.load(
                    spec.use, spec.parameters, spec.integer == "round", spec.constraint_penalty
                )
            self.seconds += time.monotonic() - start
        return self._loaded

    def _is_loaded_here(self, label: str) -> bool:
        return not self.campaign.is_apart(label)

    def get_ready_here(self, job: Job) -> None:
        """Call `get_ready`, unless the algorithm runs in processes that are not forks
        of this one.
        """
        if self._is_loaded_here(job.algorithm):
            self.get_ready(job)

    def key(self, job: Job) -> str:
        """`provenance.measure_key`. It imports the user's own modules, that of the
        algorithm first.
        """

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
        """The value of a function that imports an algorithm's code, in a form that JSON can
        represent.

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
        """Load and prepare the job's algorithm once, with a trial launch on the job's first
        problem.
        """
        algorithm = self.load(job)
        if not self._is_ready:
            memory_mb = self.campaign.limits.memory_mb
            self.views = self._views(job.algorithm)
            start = time.monotonic()
            kernel.adopt_orphans()
            problem = self.suite.problem(job.function, job.dimension, job.instances[0])
            threads = self.campaign.algorithms[job.algorithm].threads
            self.trial = prepare(algorithm, problem, memory_mb, self.views, threads)
            self.seconds += time.monotonic() - start
            self._is_ready = True
        return algorithm

    @contextmanager
    def ready(self, job: Job, cores: tuple[int, ...]) -> Iterator[Algorithm | Host | Fresh]:
        """Get ready for the job's algorithm on held cores, here or in a separate process."""
        if not self.campaign.is_apart(job.algorithm):
            algorithm = self.get_ready(job)
            if not (lost := threads.lost()):
                yield algorithm
                return
            context = Context(os.getpid(), self.campaign.snapshot(), job, self.views.arguments())
            with fresh(context, lost) as process:
                self.trial = Trial(*process.trial)
                yield process
            return
        with self.hosted(job, cores) as host:
            os.sched_setaffinity(0, host.cores)
            yield host

    @contextmanager
    def hosted(self, job: Job, cores: tuple[int, ...]) -> Iterator[Host]:
        """Prepare the job's algorithm in a separate process. It lives until the block ends."""
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
            return {
                "campaign": self.campaign.model_dump(mode="json"),
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


def allowance_of(campaign: Campaign, views: Views, job: Job, folder: Path) -> Allowance:
    """The resources that each run of a job may use; a run closes the measurement's open files in
    `folder`.
    """
    budget, limits = campaign.budget, campaign.limits
    evaluations = budget.evaluations_for(job.dimension)
    return Allowance(
        time_ns=NEVER if budget.time_s is None else round(budget.time_s * 1e9),
        evaluations=NEVER if evaluations is None else evaluations,
        final_target=-inf if budget.final_target is None else budget.final_target,
        wall_ns=round(limits.wall_s * 1e9),
        cost_ns=round(budget.evaluation_cost_s * 1e9),
        memory_mb=limits.memory_mb,
        restart=campaign.restart_of(job.algorithm),
        cores=campaign.algorithms[job.algorithm].threads,
        views=views,
        closed=confinement.of_the_measurement([folder, lock_folder()]),
    )
