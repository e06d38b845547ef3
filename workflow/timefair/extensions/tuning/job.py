"""A tuning job: the search for the parameters of one tuned variant. Every evaluation is a run,
which is measured like the runs of the comparison. All seconds from the moment at which the core is
held are charged, including those of the tuner and of preparation, and so is the earlier import of
the user's own module.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import asdict
from functools import partial
from math import isnan
from pathlib import Path
from typing import Any, cast

import pyarrow as pa

from timefair.basics import user_code
from timefair.basics.errors import InputError
from timefair.campaign import driver
from timefair.campaign.configuration import Campaign
from timefair.campaign.plan import TUNING_ROUND, Job
from timefair.extensions.tuning import tuners
from timefair.extensions.tuning.keys import LEAST_CANDIDATES, Tune, read
from timefair.extensions.tuning.tuners import Evaluation, Tried
from timefair.machine.facts import machine_state
from timefair.machine.linux import kernel
from timefair.machine.linux.kernel import interruptible
from timefair.measure.isolation import held_cores
from timefair.measure.job import Prepared, common, monitor
from timefair.measure.run import ATTEMPTS, measure_run
from timefair.measure.trial import run_seed
from timefair.problems.problem import ProblemName
from timefair.records.store import BegunRun, Journal, facts_of, journal_path, write_record


def tune(campaign: Campaign, label: str, record: Path, key: str, folder: Path) -> None:
    """Search for the parameters of a tuned variant, and write the record; an interrupted search
    continues from the journal beside it. `key`: digest of all that determines it. `InputError` if
    this machine does not meet the requirements.
    """
    driver.check_machine(campaign)
    with interruptible(), ExitStack() as stack:
        journal = stack.enter_context(Journal(record, key))
        begun = stack.enter_context(BegunRun(record))
        cores = stack.enter_context(held_cores(campaign.cores_of(label)))
        search = _Search(campaign, label, journal, begun, cores, folder)
        search.go_on()
        write_record(record, search.rows, {"key": key, **search.facts()})
    journal_path(record).unlink(missing_ok=True)


class _Search:
    def __init__(
        self,
        campaign: Campaign,
        label: str,
        journal: Journal,
        begun: BegunRun,
        cores: tuple[int, ...],
        folder: Path,
    ) -> None:
        # The key of the search has imported the user's own module before the core was held.
        self._last = time.monotonic() - user_code.import_s(campaign.algorithms[label].use)
        self._whole, self._campaign, self._label = campaign, campaign.of_tuning(label), label
        self._tune = cast(Tune, campaign.tuned[label])
        self._targets = campaign.target_values or campaign.targets
        self._journal, self._begun, self._cores, self._folder = journal, begun, cores, folder
        problems = self._tune.on.problems
        self._jobs = [Job(label, f, d, (i,), TUNING_ROUND) for f, d, i in problems]
        self._ready: dict[int, Prepared] = {}
        self._notes: list[Mapping[str, Any]] = []
        self.rows: list[pa.RecordBatch] = []
        self.trace: list[Tried] = []
        kernel.adopt_orphans()
        self._monitor = monitor(campaign, cores)

    def go_on(self) -> None:
        time_s, budget_s = self._campaign.budget.time_s, self._tune.budget_s
        search = tuners.begin(
            self._tune.tuner,
            read(self._tune.space),
            len(self._jobs),
            self._seed(ProblemName(self._campaign.problems.suite, 0, 0, 0), 0),
            None if time_s is None else int(budget_s / time_s),
        )
        asked = next(search)
        made = {run: batch for (_, run), batch in self._journal.runs.items()}
        while (number := len(self.trace)) in made:
            note = facts_of(made[number].schema)
            tried = Tried(**note["tried"])
            if asked != (tried.candidate, tried.parameters, tried.problem, tried.repetition):
                raise InputError(
                    f"{self._label}: its tuner proposes other candidates than its journal has; "
                    "delete the journal and start snakemake again"
                )
            self._add(tried, made[number], note)
            asked = search.send(tried.loss)
        least = LEAST_CANDIDATES * len(self._jobs)
        while len(self.trace) < least or self.seconds + (time_s or 0.0) <= budget_s:
            self._evaluate(asked)
            asked = search.send(self.trace[-1].loss)

    @property
    def seconds(self) -> float:
        """Seconds of the search so far; an interrupted evaluation counts in full."""
        known = sum(one.seconds for one in self.trace) + self._noted("interrupted_s")
        return known + time.monotonic() - self._last

    def _noted(self, name: str) -> float:
        return float(sum(note[name] for note in self._notes))

    def facts(self) -> dict[str, Any]:
        return {
            **Prepared(self._campaign).origin(self._label),
            "machine_state": machine_state(),
            "stopping": [],
            "tuning": {
                "of": str(self._whole.algorithms[self._label].tuned),
                "tuner": self._tune.tuner,
                "space": self._tune.space,
                "budget_s": self._tune.budget_s,
                "problems": str(self._tune.on),
                "overlap": list(map(str, self._tune.overlapping(self._whole))),
                "targets": list(self._targets),
                "target_values": bool(self._whole.target_values),
                "seconds": self.seconds,
                "interrupted": int(self._noted("interrupted")),
                "interrupted_s": self._noted("interrupted_s"),
                "evaluations": len(self.trace),
                "candidates": 1 + max(one.candidate for one in self.trace),
                "result": tuners.result(self.trace),
                "trace": [asdict(one) for one in self.trace],
            },
        }

    def _seed(self, problem: ProblemName, repetition: int) -> int:
        # with the seeds of another label, so that no run of the comparison has the same one
        stream = f"tuning of {self._label}"
        return run_seed(self._campaign.seed, problem, stream, repetition)

    def _add(self, tried: Tried, batch: pa.RecordBatch, note: Mapping[str, Any]) -> None:
        self._notes.append(note)
        self.trace.append(tried)
        self.rows.append(batch)

    def _evaluate(self, asked: Evaluation) -> None:
        """Measure a run of a candidate. Interrupted ones are charged T, or the longest one."""
        job, number = self._jobs[asked.problem], len(self.trace)
        turn = job.instances[0], number
        longest_s = max((one.seconds for one in self.trace), default=0.0)
        attempts = self._begun.attempts(turn)
        lost_s = attempts * (self._campaign.budget.time_s or longest_s)
        with self._begun.noted(turn):
            row = self._measured(asked, job, given_up_on=attempts >= ATTEMPTS)
        row["run"] = number
        loss = tuners.loss(row, self._targets, in_values=bool(self._whole.target_values))
        now = time.monotonic()
        seconds, self._last = now - self._last + row["charged_s"], now
        tried = Tried(number, **asked._asdict(), loss=loss, seconds=seconds)
        note = {"tried": asdict(tried), "interrupted": attempts, "interrupted_s": lost_s}
        self._add(tried, self._journal.append(row, note), note)
        how_far = f"{self.seconds:.1f} of {self._tune.budget_s:g} s"
        print(f"{how_far}  {_line(tried, job)}, {row['status']}", file=sys.stderr, flush=True)

    def _measured(self, asked: Evaluation, job: Job, *, given_up_on: bool) -> dict[str, Any]:
        prepared = self._candidate(asked.candidate, asked.parameters)
        problem = prepared.suite.problem(job.function, job.dimension, job.instances[0])
        seed = self._seed(problem.name, asked.repetition)
        with prepared.ready(job, self._cores, self._folder) as (algorithm, allowance):
            measure = partial(measure_run, algorithm, problem, allowance, seed, given_up_on)
            row = self._monitor.measure(measure)
        f_opt = None if isnan(problem.f_opt) else problem.f_opt
        place = {"instance": job.instances[0], "f_opt": f_opt}
        return {**common(prepared, job, self._cores), **place, **row}

    def _candidate(self, candidate: int, parameters: Mapping[str, Any]) -> Prepared:
        if candidate not in self._ready:
            changed = self._campaign.with_parameters(self._label, parameters)
            self._ready[candidate] = Prepared(changed)
        prepared = self._ready[candidate]
        try:
            if not self._campaign.is_apart(self._label):
                prepared.load(self._jobs[0])
        except InputError as error:
            of = self._whole.algorithms[self._label].tuned
            key = f"algorithms.{of}.tune.space: {dict(parameters)}"
            raise InputError(*(f"{key}: {one}" for one in error.faults)) from None
        return prepared


def _line(tried: Tried, job: Job) -> str:
    set_to = ", ".join(f"{name}={value}" for name, value in tried.parameters.items()) or "default"
    return (
        f"candidate {tried.candidate} ({set_to}) on f{job.function} D={job.dimension} "
        f"i{job.instances[0]}: loss {tried.loss:.4g} in {tried.seconds:.2f} s"
    )
