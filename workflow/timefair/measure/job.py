"""A measuring job: every run of one algorithm on one function, dimension and chunk of instances.

Instances take turns. Some stopping rules judge an algorithm by itself after each run; others
compare algorithms by the records of earlier rounds. A process that is prepared for an algorithm
measures its runs in forks of itself.
"""

from __future__ import annotations

import math
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from copy import copy
from dataclasses import replace
from functools import cache, partial
from itertools import chain, product
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, TypeVar

import numpy as np

from timefair.algorithms import libraries as algorithms
from timefair.algorithms.algorithm import Algorithm
from timefair.basics import disk, threads, user_code
from timefair.basics.errors import InputError
from timefair.basics.extension import confined, each
from timefair.campaign import driver, plan, provenance
from timefair.campaign.collected import earlier_records
from timefair.campaign.configuration import Campaign, restored
from timefair.campaign.configuration.model import USUAL_LENGTH
from timefair.campaign.plan import Job
from timefair.machine.facts import machine_facts, machine_state
from timefair.machine.linux import kernel
from timefair.machine.linux.kernel import interruptible
from timefair.measure import trial
from timefair.measure.evaluation.objective import NEVER
from timefair.measure.evaluation.state import State
from timefair.measure.isolation import Views, held_cores, views
from timefair.measure.perturbation import Row, RunMonitor, kernels
from timefair.measure.run import (
    ATTEMPTS,
    LOADING_S,
    Allowance,
    Fresh,
    Launcher,
    Subject,
    measure_run,
)
from timefair.measure.trial import NoAnswer, elsewhere, run_seed
from timefair.policies.restarts import NoRestart
from timefair.policies.stopping import Comparing
from timefair.problems import suites
from timefair.problems.problem import Problem, ProblemName
from timefair.records import store
from timefair.records.integrity import machine_kind
from timefair.records.schema import KEYS
from timefair.records.status import Isolation, Status, StopReason
from timefair.statistics.run_count.stopping_rules import StoppingRule, decide, equal_if_solved

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
            start = time.monotonic() - user_code.import_s(spec.use)
            with threads.noted():
                self._loaded = trial.load(
                    spec.use, spec.arguments, spec.integer, spec.constraint_penalty
                )
                if self._is_ready:
                    self._loaded.prepare()
            self.seconds += time.monotonic() - start
        return self._loaded

    def change(self, campaign: Campaign) -> None:
        self.campaign, self._loaded = campaign, None

    def key(self, job: Job) -> str:
        """`provenance.measure_key`, which imports the user's modules, the algorithm's first."""

        def key() -> str:
            self.load(job)
            return provenance.measure_key(self.planned, job.algorithm, job.round)

        return self.computed(job.algorithm, key)

    def tuning_key(self, label: str) -> str:
        return self.computed(label, lambda: provenance.tuning_key(self.planned, label))

    def computed(self, label: str, function: Callable[[], Value]) -> Value:
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
            start = time.monotonic()
            kernel.adopt_orphans()
            problem = self.suite.problem(job.function, job.dimension, job.instances[0])
            self.trial = trial.prepare(algorithm, problem, memory_mb, self.views, spec.threads)
            self.seconds += time.monotonic() - start
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
                process = stack.enter_context(confined(isolation, self, job, cores, folder))
                subject, keeper = process, process.keeper
            else:
                subject, keeper = self.get_ready(job), None
                self.views = self.views.without(folder)
                if lost := threads.lost():
                    context = self.campaign.snapshot(), job, self.views
                    kernel.adopt_orphans()
                    name = f"the process that imports {lost} again"
                    found = stack.enter_context(trial.companion(__name__, context, name))
                    subject, (_, tried) = Fresh(found, lost), found.told
                    self.trial, keeper = trial.Trial(*tried), found.keeper
                elif self.views.namespaces:
                    network = self.views.network
                    keeper = stack.enter_context(kernel.kept_keeper(network=network))
            allowance = allowance_of(self.campaign, self.views, job)
            yield subject, replace(allowance, keeper=keeper, trace=self.trial.trace)

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
            self._origins[label] = self.computed(label, facts)
        return self._origins[label]


def allowance_of(campaign: Campaign, views: Views, job: Job) -> Allowance:
    budget, limits = campaign.budget, campaign.limits
    evaluations = budget.evaluations_for(job.dimension)
    return Allowance(
        time_ns=NEVER if budget.seconds is None else round(budget.seconds * 1e9),
        cpu=budget.cpu_s is not None,
        evaluations=NEVER if evaluations is None else evaluations,
        final_target=-math.inf if budget.final_target is None else budget.final_target,
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
        budget_s=campaign.budget.seconds,
    )


def place_of(prepared: Prepared, job: Job) -> Row:
    names = ("function", "dimension", "algorithm", "round")
    return {"suite": prepared.suite.name, **{name: getattr(job, name) for name in names}}


def common(prepared: Prepared, job: Job, cores: tuple[int, ...]) -> Row:
    return place_of(prepared, job) | {
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


# --- The job ------------------------------------------------------------------------------------


def take_parameters(prepared: Prepared, label: str, folder: Path) -> None:
    """Take the parameters that a search has found, if the algorithm is a tuned variant."""
    if label not in prepared.planned.tuned or prepared.search:
        return
    keys = plan.read_keys(folder, prepared.planned)
    record = store.open_record(folder / plan.tuning_record(label, keys))
    found = {name: value for name, value in record.facts["tuning"].items() if name != "trace"}
    machine = machine_kind(record.facts["machine"])._asdict()
    prepared.search = {**found, "checksum": record.checksum, "machine": machine}
    prepared.campaign = prepared.planned.with_parameters(label, found["result"]["parameters"])


def measure_job(prepared: Prepared, job: Job, record: Path, key: str, number: int = 1) -> None:
    """Measure the runs that neither the job's record nor its journal, of the same `key`
    (`provenance.measure_key`), has, and write the record; the job is number `number` of this
    process.
    """
    take_parameters(prepared, job.algorithm, record.parents[3])
    campaign = prepared.campaign
    with interruptible(), ExitStack() as stack:
        to_do = repetitions(campaign, job, key, folder=record.parents[3])
        # It depends on the parameters of a tuned variant.
        own_key = f"{key} {prepared.search['checksum']}" if prepared.search else key
        journal = stack.enter_context(store.Journal(record, own_key))
        begun = stack.enter_context(store.BegunRun(record))
        if noted := next(iter(journal.runs.values()), None):
            prepared.schedule = store.facts_of(noted.schema).get("schedule", {})
        _take_earlier_runs(prepared, job, record, journal)
        missing = _missing(to_do, journal)
        first, timed = next(missing, None), dict[str, Any]()
        if first is not None:
            driver.check_machine(campaign)
            disk.remove_abandoned()
            with ExitStack() as holding:
                cores = holding.enter_context(held_cores(campaign.cores_of(job.algorithm)))
                _set_length(prepared, job, cores, record.parents[3])
                running = holding.enter_context(runner(prepared, job, cores, record.parents[3]))
                _measure(prepared, job, running, to_do, chain([first], missing), journal, begun)
                code = algorithms.implementation(campaign.algorithms[job.algorithm].use)
                timed = {"implementation": code, **kernels()}
        done = [journal.runs[turn] for turn in sorted(journal.runs)]
        facts = _facts(prepared, job, key, to_do, number)
        facts |= {store.READINGS: told} if (told := store.listed(done)) else {}
        store.write_record(record, done, facts | ({"kernels": timed} if timed else {}))


def _set_length(prepared: Prepared, job: Job, cores: tuple[int, ...], folder: Path) -> None:
    asked = prepared.planned.algorithms[job.algorithm].schedule
    if not asked:
        return
    if not prepared.schedule:
        if not prepared.campaign.is_apart(job.algorithm):
            prepared.get_ready(job)
        launch = partial(_launch, prepared, job, cores, folder)
        prepared.schedule = found_schedule(asked, launch, f"algorithms.{job.algorithm}.schedule")
    if prepared.schedule:
        length = prepared.schedule["length"]
        prepared.change(prepared.campaign.with_length(job.algorithm, length))


def _launch(
    prepared: Prepared, job: Job, cores: tuple[int, ...], folder: Path, length: int
) -> Launch:
    """One launch of this length, within the budget of a run; nothing of it is recorded."""
    campaign = prepared.campaign.with_length(job.algorithm, length)
    spec = campaign.algorithms[job.algorithm].model_copy(update={"restart": NoRestart()})
    budget = campaign.budget.model_copy(update={"final_target": None})
    alone = {"algorithms": {**campaign.algorithms, job.algorithm: spec}, "budget": budget}
    problem = prepared.suite.problem(job.function, job.dimension, job.instances[0])
    stream = f"schedule of {campaign.seeds_of(job.algorithm)}"
    seed = run_seed(campaign.seed, problem.name, stream, 0)
    prepared = copy(prepared)  # this preparation is not charged
    prepared.change(campaign.model_copy(update=alone))
    try:
        with prepared.ready(job, cores, folder) as (algorithm, allowance):
            row = measure_run(algorithm, problem, allowance, seed)
    except InputError:  # the algorithm refuses this length
        return Launch(length, returned=False, failed=True, share=0.0, evaluations=0)
    budgets = [(row["wall_s"], row["budget_s"]), (row["evaluations"], row["budget_evaluations"])]
    return Launch(
        length=length,
        returned=row["stop_reason"] == StopReason.ALGORITHM_ENDED,
        failed=row["status"] != Status.OK,
        share=max(used / budget for used, budget in budgets if budget),
        evaluations=row["evaluations"],
    )


def _take_earlier_runs(prepared: Prepared, job: Job, record: Path, journal: store.Journal) -> None:
    """Take runs from records of a machine of this kind with other numbers of runs or instances."""
    campaign, label = prepared.planned, job.algorithm
    lacking = {*product(job.instances, plan.runs_of_round(campaign, job.round))} - {*journal.runs}
    if not lacking or not (others := [*earlier_records(campaign, job, record)]):
        return
    parts = prepared.computed(label, lambda: provenance.decisive(campaign, [label])[label])
    machine = machine_kind(prepared.origin(label)["machine"])
    for runs, found in others:
        if (
            found.facts["key"] == provenance.key_of(parts, runs)
            and machine_kind(found.facts["machine"]) == machine
            and found.facts.get("tuning", {}).get("checksum") == prepared.search.get("checksum")
            and (not journal.runs or schedule_of(found.facts) == prepared.schedule)
        ):
            prepared.schedule = schedule_of(found.facts)
            told = store.by_run(found.facts.get(store.READINGS, []))
            for row in found.read().to_pylist():
                if (turn := (row["instance"], row["run"])) in lacking:
                    noted = _noted(prepared, told.get(tuple(row[key] for key in KEYS)))
                    row |= {"algorithm": label, "round": job.round}
                    journal.append(row, noted)
                    lacking.remove(turn)


def _missing(repetitions: Repetitions, journal: store.Journal) -> Iterator[tuple[int, int]]:
    """The runs to measure, one after the other; runs in the journal only count."""
    while (turn := repetitions.next()) is not None:
        if turn in journal.runs:
            precision = journal.runs[turn].column("best_precision")[0].as_py()
            repetitions.add(turn[0], precision)
        else:
            yield turn


Running = Callable[..., Row]  # ``(instance, run, seed, give_up=False)``: measures a run


@contextmanager
def runner(prepared: Prepared, job: Job, cores: tuple[int, ...], folder: Path) -> Iterator[Running]:
    """What measures the runs of a job on held cores. Runs do not see the campaign's `folder`."""
    with prepared.ready(job, cores, folder) as (algorithm, allowance), ExitStack() as stack:
        found = each("meters", prepared.campaign, cores, algorithm)
        meters = tuple(stack.enter_context(one) for one in found)
        metered = replace(allowance, meters=meters)
        kernel.adopt_orphans()
        make = partial(prepared.suite.problem, job.function, job.dimension)
        problems = {instance: make(instance) for instance in job.instances}
        known = common(prepared, job, cores)
        known |= evaluation_cost(problems[job.instances[0]], allowance.answer_ns / 1e9)
        monitored = monitor(prepared.campaign, cores)

        def running(instance: int, run: int, seed: int, *, give_up: bool = False) -> Row:
            problem = problems[instance]
            measure = partial(measure_run, algorithm, problem, metered, seed, give_up)
            f_opt = None if math.isnan(problem.f_opt) else problem.f_opt
            place = {"instance": instance, "run": run, "f_opt": f_opt}
            return known | place | monitored.measure(measure)

        yield running


def seed_of(prepared: Prepared, job: Job, instance: int, run: int) -> int:
    name = ProblemName(prepared.suite.name, job.function, job.dimension, instance)
    return run_seed(prepared.campaign.seed, name, prepared.campaign.seeds_of(job.algorithm), run)


def _measure(
    prepared: Prepared,
    job: Job,
    running: Running,
    to_do: Repetitions,
    turns: Iterable[tuple[int, int]],
    journal: store.Journal,
    begun: store.BegunRun,
) -> None:
    started, found = time.monotonic(), len(journal.runs)
    for instance, run in turns:
        name = ProblemName(prepared.suite.name, job.function, job.dimension, instance)
        seed = seed_of(prepared, job, instance, run)
        given_up_on = begun.attempts((instance, run)) >= ATTEMPTS
        with begun.noted((instance, run)):
            row = running(instance, run, seed, give_up=given_up_on)
        journal.append(row, _noted(prepared, row.get(store.READINGS)))
        to_do.add(instance, row["best_precision"])
        spent_s = (time.monotonic() - started) / (len(journal.runs) - found)
        done, said = len(journal.runs), f" ({row['message']})" if row["message"] else ""
        print(
            f"{done}/{to_do.most}, at most about {spent_s * (to_do.most - done):.0f} s left  "
            f"{name}, run {run}: {row['status']}{said}, ended by {row['stop_reason']} after "
            f"{row['wall_s']:.3f} s and {row['evaluations']} evaluations, "
            f"best precision {row['best_precision']:.3g}",
            file=sys.stderr,
            flush=True,
        )
        if (wrong := suites.refutation(row)) is not None:
            print(f"caution: {wrong}; the optimum is wrong", file=sys.stderr, flush=True)


def _facts(
    prepared: Prepared, job: Job, key: str, repetitions: Repetitions, number: int
) -> dict[str, Any]:
    place = place_of(prepared, job)
    decided = [] if prepared.campaign.stopping.rule == "fixed" else repetitions.outcome()
    return {
        **prepared.origin(job.algorithm),
        "key": key,
        "prepared": {"seconds": prepared.seconds, "job": number},
        "machine_state": machine_state(),
        "stopping": [place | outcome for outcome in decided],
        "schedule": [
            place | {"instance": instance} | prepared.schedule
            for instance in job.instances
            if prepared.schedule
        ],
        **({"tuning": prepared.search} if prepared.search else {}),
    }


def _noted(prepared: Prepared, readings: dict[str, Any] | None) -> dict[str, Any] | None:
    kept = {"schedule": prepared.schedule} if prepared.schedule else {}
    return (kept if readings is None else {**kept, store.READINGS: readings}) or None


# --- How many runs ------------------------------------------------------------------------------


class Repetitions:
    """The runs of one job: instances take turns until the round or a stopping rule ends them.

    ``earlier`` has the best precisions of runs in earlier rounds by instance, in the order of
    turns, ``more`` is the most runs of an instance in this round. ``rule`` may end instances
    earlier, and ``resting`` ones get no run, for these reasons.
    """

    def __init__(
        self,
        earlier: Mapping[int, Sequence[float]],
        more: int,
        rule: StoppingRule | None = None,
        resting: Mapping[int, str] | None = None,
    ) -> None:
        self._values = {instance: list(values) for instance, values in earlier.items()}
        self._ends = {instance: len(values) + more for instance, values in earlier.items()}
        self._rule = rule
        self._paths: dict[int, list[float]] = {instance: [] for instance in earlier}
        self._ended: dict[int, str] = dict(resting or {})
        for instance, values in self._values.items():
            for n in range(1, len(values) + 1):
                self._judge(instance, n)
        self.most = more * len(self._values.keys() - self._ended.keys())
        """Maximal number of runs in this round."""

    def next(self) -> tuple[int, int] | None:
        waiting = [
            (instance, len(values))
            for instance, values in self._values.items()
            if instance not in self._ended and len(values) < self._ends[instance]
        ]
        return min(waiting, key=itemgetter(1), default=None)

    def add(self, instance: int, precision: float) -> None:
        self._values[instance].append(precision)
        self._judge(instance, len(self._values[instance]))

    def outcome(self) -> list[dict[str, Any]]:
        """Of each instance: its runs, why it ended (None: it continues), the rule's statistic at
        each look (None: undefined).
        """
        return [
            {
                "instance": instance,
                "runs": len(values),
                "reason": self._ended.get(instance),
                "path": [None if math.isnan(look) else look for look in self._paths[instance]],
            }
            for instance, values in self._values.items()
        ]

    def _judge(self, instance: int, n: int) -> None:
        rule = self._rule
        if rule is None or instance in self._ended:
            return
        decision = decide(rule, self._values[instance][:n])
        if n >= rule.start:
            self._paths[instance].append(decision.value)
        if decision.stop:
            self._ended[instance] = decision.reason.value


def repetitions(campaign: Campaign, job: Job, key: str, folder: Path) -> Repetitions:
    """The runs of a job, with the records of earlier rounds in `folder`, ``results/<campaign>``;
    `InputError` if it was planned otherwise since then.
    """
    runs, stopping = plan.runs_of_round(campaign, job.round), campaign.stopping
    rule = stopping.judge(campaign.runs)
    if rule is None and not isinstance(stopping, Comparing):
        made = {instance: [math.nan] * runs.start for instance in job.instances}
        return Repetitions(made, len(runs))
    keys = plan.read_keys(folder, campaign)
    if keys[job.algorithm, job.round] != key:
        raise InputError(f"{folder}: planned otherwise since this job began; {plan.AGAIN}")
    if rule is not None:
        return Repetitions(_earlier(job.algorithm, job, keys, folder), len(runs), rule)
    assert isinstance(stopping, Comparing)
    field = {
        label: _earlier(label, job, keys, folder, campaign.budget.final_target)
        for label in campaign.algorithms
    }
    place = list(field).index(job.algorithm)
    looks = [plan.runs_of_round(campaign, round).stop for round in range(1, campaign.rounds)]
    resting = {}
    for instance in job.instances:
        samples = [of[instance] for of in field.values()]
        if any(samples) and (reason := stopping.rests(samples, place, looks, campaign.runs)):
            resting[instance] = reason
    return Repetitions(field[job.algorithm], len(runs), resting=resting)


def _earlier(
    label: str, job: Job, keys: plan.Keys, folder: Path, solved: float | None = None
) -> dict[int, list[float]]:
    """Results of an algorithm on the job's problems in earlier rounds, equal where `solved`."""
    paths = [
        folder / replace(job, algorithm=label, round=round).record(keys[label, round])
        for round in range(1, job.round)
    ]
    runs = store.read_runs(paths)
    unknown = np.isnan(runs["f_opt"].to_numpy().astype(np.float64))
    results = equal_if_solved(runs["best_precision"].to_numpy(), unknown, solved)
    order, of = np.argsort(runs["run"].to_numpy()), runs["instance"].to_numpy()
    return {n: results[order][of[order] == n].tolist() for n in job.instances}


# --- The length of a launch (Max_iter) that fills the budget, from launches before any clock -----

ENOUGH = 1 / 10  # least share of the budget of the longest launch; each is `LONGER` times the last
LONGER = 4
FIRST = 10
LONGEST = 10**8
LEAST = 2
LONG = 1000  # above this length, the evaluations of a launch need not grow with it


class Launch(NamedTuple):
    length: int
    returned: bool
    failed: bool
    share: float
    evaluations: int


SCHEDULED = ("parameter", "asked", "length", "launch_evaluations")
"""What a record says: the schedule of the campaign, and evaluations of a launch of this length."""


def schedule_of(facts: Mapping[str, Any]) -> dict[str, Any]:
    return {key: one[key] for one in facts.get("schedule", [])[:1] for key in SCHEDULED}


def found_schedule(
    schedule: Mapping[str, Any], launch: Callable[[int], Launch], place: str
) -> dict[str, Any]:
    """The `SCHEDULED` for a schedule of a campaign, from launches that are made here.

    Empty if all fail, which the runs will report, or if none ends and the length is given; else
    `InputError`, after `place`, if none ends or the length makes none longer.
    """
    (name, asked), *_ = schedule.items()
    most = asked if isinstance(asked, int) else LONGEST
    length, ended = min(FIRST, most), [Launch(0, True, False, 0.0, 0)]
    while True:
        one = launch(length)
        if one.returned:
            earlier = ended[-1].evaluations
            ended.append(one)
            # At first, the first generations are most of a launch whose length is in evaluations.
            grown = one.evaluations >= 2 * earlier > 0
            same = length > LONG and one.evaluations <= earlier
            if length in (most, LEAST) or (one.share >= ENOUGH and (grown or same)):
                break
        elif (
            len(ended) > 1 or length <= LEAST or (one.failed and length >= min(USUAL_LENGTH, most))
        ):
            break
        elif not one.failed:
            length = LEAST
            continue
        length = min(LONGER * length, most)  # another parameter may not allow a short launch
    if len(ended) == 1:
        if isinstance(asked, int) or one.failed:
            return {}
        raise InputError(
            f"{place}: a launch with {name}: {length} did not end within the budget of a run"
        )
    first, last = ended[-2:]
    share, evaluations = last.share - first.share, last.evaluations - first.evaluations
    if (share <= 0 or evaluations <= 0) and not (one.returned or one.failed):
        most = last.length  # the first generations are most of the budget
    elif not isinstance(asked, int):
        if last.length == LONGEST or share <= 0 or evaluations <= 0:
            if last.evaluations < 2 * ended[1].evaluations:
                lengths = f"{first.length} and {last.length}"
                raise InputError(f"{place}: launches with {name}: {lengths} take equally long")
            most = last.length  # longer ones end by themselves
        else:
            number = 1 if asked == "fill" else asked["launches"]
            more = (1 / number - last.share) / share
            most = max(1, int(last.length + more * (last.length - first.length)))
    each = evaluations / (last.length - first.length)
    made = last.evaluations + (most - last.length) * each
    return dict(zip(SCHEDULED, (name, asked, most, max(1, round(made))), strict=True))


# --- The process without any code of the user that forks runs which import it (`run.Fresh`) ------


def ready(starter: int, message: tuple[str, Job, Views]) -> trial.Ready:
    """What `trial.companion` needs of it."""
    snapshot, job, folders = message
    campaign, begun, tried = restored(snapshot), time.monotonic(), trial.Trial()
    prepared = cache(partial(Prepared, campaign))  # in each of its forks
    allowance = allowance_of(campaign, folders, job)

    def problem(instance: int) -> Problem:
        return prepared().suite.problem(job.function, job.dimension, instance)

    def algorithm() -> tuple[Algorithm, float]:
        loaded, begun = prepared().load(job), time.monotonic()
        loaded.prepare()
        trial.import_modules(tried.modules)
        return loaded, prepared().seconds + time.monotonic() - begun

    def on_trial() -> tuple[Algorithm, Problem]:
        first = problem(job.instances[0])
        return algorithm()[0], first

    def live(request: Any, fds: list[int]) -> NoReturn:
        try:
            instance, seed, tempfile.tempdir, (numbers, recommended) = request
            for fd in fds:
                os.set_inheritable(fd, False)
            state = State(numbers, recommended, fds)
            Launcher(algorithm, partial(problem, instance), allowance, state, seed).live(starter)
        finally:
            kernel.end_process(1)

    memory_mb, cores = allowance.memory_mb, allowance.cores
    tried = trial.trial_launch(on_trial, memory_mb, folders, cores, LOADING_S)
    return [time.monotonic() - begun, tried], live, folders
