"""Measures the runs of a job in the process that is prepared for its algorithm."""

from __future__ import annotations

from functools import partial
from math import isnan
from typing import TYPE_CHECKING

from timefair.basics.errors import InputError
from timefair.linux import kernel
from timefair.measure.evaluation.objective import Measurement
from timefair.measure.evaluation.state import State
from timefair.measure.job.prepared import Prepared
from timefair.measure.perturbation.monitor import Row, RunMonitor, parts_for
from timefair.measure.processes import NoAnswer, elsewhere
from timefair.measure.runs.child import Allowance
from timefair.measure.runs.run import Subject, explained, given_up, measure_run
from timefair.measure.trial import evaluation_cost_s
from timefair.problems.base import Problem

if TYPE_CHECKING:
    from timefair.campaign.plan import Job


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
            parts=parts_for(campaign.budget.time_s),
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
