"""Whether a new version is better: the runs, in pairs if the seeds are equal, and the answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import log
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.extensions.compare.answers import (
    UNKNOWN,
    Answer,
    Change,
    Judged,
    affordable,
    average,
    common_budgets,
    common_target,
    judge,
    judge_family,
    log_ratio,
    worse_probability,
)
from timefair.records.rundata.problems import precision_at_the_end
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.statistics.samples import Floats


class FunctionKey(NamedTuple):
    """A function in a suite and dimension."""

    suite: str
    dimension: int
    function: int


class Effort(NamedTuple):
    """What each run spent up to the target, or up to its common budget, arrays of shape (runs,).

    - `evaluations`, `seconds`: without times, `seconds` is None.
    - `success`: 1 if the run reached the target within its common budget, else 0.
    """

    evaluations: Floats
    seconds: Floats | None
    success: Floats


@dataclass(frozen=True)
class Cell:
    """The runs of one version on all instances of a function; arrays have the shape (runs,).

    - `runs`: all runs of the version on the function, treated as all tables in seconds do.
    - `rows`: the places of the runs that count, in their order.
    - `jobs`: the number of the job of each run, among those of the version on the function.
    - `reference`: reference value of the precisions: the optimum of each run's problem, or the best
      value that is known for the problem.
    """

    runs: Runs
    rows: NDArray[np.intp]
    jobs: NDArray[np.intp]
    reference: Floats

    @classmethod
    def of(cls, runs: Runs, instances_per_job: int) -> Cell:
        """All runs, with their own references."""
        reference = runs.frame["reference_f"].to_numpy(dtype=np.float64)
        rows = np.arange(len(runs.frame), dtype=np.intp)
        return cls(runs, rows, _jobs(runs.frame, instances_per_job), reference)

    def some(self, rows: NDArray[np.intp]) -> Cell:
        """Some of the runs, in the given order."""
        return replace(
            self, rows=self.rows[rows], jobs=self.jobs[rows], reference=self.reference[rows]
        )

    @property
    def names(self) -> list[tuple[int, int]]:
        """The instance and the number of each run."""
        return list(zip(*(self._column(key).tolist() for key in ("instance", "run")), strict=True))

    @property
    def seeds(self) -> list[int]:
        """The seed of each run."""
        return [int(seed) for seed in self._column("seed")]

    @property
    def precision(self) -> Floats:
        """The best precision at the end of each run."""
        return self._from_reference(self._numbers("best_precision"))

    @property
    def at_the_end(self) -> Floats:
        """The same; 0 if the run reached the final target."""
        return self._from_reference(precision_at_the_end(self.runs)[self.rows])

    @property
    def affordable(self) -> Floats:
        """The evaluations that the budget of each run allows; see `answers`."""
        columns = ("evaluations", "wall_s", "budget_s", "budget_evaluations")
        return affordable(*map(self._numbers, columns))

    def from_reference(self, best: Mapping[int, float]) -> Cell:
        """With the references of the instances in `best`."""
        return replace(self, reference=np.array([best[name] for name, _ in self.names]))

    def effort(self, target: float, budgets: Floats) -> Effort:
        """What each run spent up to a precision, or up to a number of evaluations."""
        targets = np.full(len(self.runs.frame), np.nan)
        targets[self.rows] = target + self.reference - self._own_reference
        reached = self.runs.runtimes("evaluations", targets[:, np.newaxis])[self.rows, 0]
        success = reached <= budgets
        spent = np.where(success, reached, np.minimum(budgets, self._numbers("evaluations")))
        return Effort(spent, self._seconds_after(spent), success.astype(np.float64))

    def _seconds_after(self, evaluations: Floats) -> Floats | None:
        if not self.runs.timed.all():
            return None
        of_runs = np.zeros(len(self.runs.frame))
        of_runs[self.rows] = evaluations
        return self.runs.seconds_after(of_runs)[self.rows]

    def _from_reference(self, precision: Floats) -> Floats:
        return precision + self._own_reference - self.reference

    @property
    def _own_reference(self) -> Floats:
        return self._numbers("reference_f")

    def _column(self, name: str) -> pd.Series[Any]:
        return self.runs.frame[name].iloc[self.rows]

    def _numbers(self, name: str) -> Floats:
        return self._column(name).to_numpy(dtype=np.float64)


@dataclass(frozen=True)
class Sample:
    """The runs of both versions on a function.

    - `target`: the precision up to which effort is compared; see `answers`.
      None if too few runs found any value.
    - `paired`: whether run i of both versions has the same problem, number and seed.
    - `efforts`: efforts of the baseline and of the candidate; None without a target.
    """

    key: FunctionKey
    target: float | None
    paired: bool
    baseline: Cell
    candidate: Cell
    efforts: tuple[Effort, Effort] | None


def cells(
    runs: Runs, analysis: Analysis, label: str, instances_per_job: int
) -> dict[FunctionKey, Cell]:
    """The runs of one algorithm, function by function, treated as all tables in seconds do.

    Perturbed runs are omitted, and times follow the clock and the ancillary costs of the analysis.
    """
    wanted = runs.where((runs.frame["algorithm"] == label).to_numpy()).wanted(analysis)
    wanted = wanted.with_values(analysis.noisy_value)
    if wanted.timed.all():
        wanted = wanted.timed_by(analysis.time)
        if analysis.ancillary == "amortised":
            wanted = wanted.amortised(analysis)
    found = {}
    for names, rows in wanted.groups(("suite", "dimension", "function")):
        key = FunctionKey(str(names["suite"]), int(names["dimension"]), int(names["function"]))
        mine = np.zeros(len(wanted.frame), dtype=np.bool_)
        mine[rows] = True
        found[key] = Cell.of(wanted.where(mine), instances_per_job)
    return found


def _jobs(frame: pd.DataFrame, instances_per_job: int) -> NDArray[np.intp]:
    """The runs that a job measured: those of a round on neighbouring instances."""
    instances = np.unique(frame["instance"], return_inverse=True)[1]
    chunks = instances // instances_per_job
    rounds = frame["round"].fillna(1).to_numpy(dtype=np.intp)
    return np.asarray(rounds * (chunks.max(initial=0) + 1) + chunks, dtype=np.intp)


def samples(
    baseline: Mapping[FunctionKey, Cell], candidate: Mapping[FunctionKey, Cell], hardest: float
) -> Iterator[Sample]:
    """Both versions on each common function, with pairs if the seeds are equal.

    Runs are pairs if every run of the version with fewer runs has a partner: a run of the same
    number on the same instance with the same seed. Runs without a partner are then omitted.

    - `baseline`, `candidate`: from `cells`.
    - `hardest`: the hardest precision that may become a target.
    """
    for key in baseline:
        if key not in candidate:
            continue
        one, other = _from_common_reference(baseline[key], candidate[key])
        rows = _partners(one, other)
        paired = len(rows) > 0 and len(rows) == min(len(one.rows), len(other.rows))
        if paired:
            one, other = one.some(rows[:, 0]), other.some(rows[:, 1])
        target = common_target(one.precision, other.precision, hardest)
        efforts = None
        if target is not None:
            budgets = common_budgets(one.affordable, other.affordable, paired=paired)
            efforts = one.effort(target, budgets[0]), other.effort(target, budgets[1])
        yield Sample(key, target, paired, one, other, efforts)


def _from_common_reference(baseline: Cell, candidate: Cell) -> tuple[Cell, Cell]:
    """Precisions of both relative to the best value that either knows of an instance."""
    best: dict[int, float] = {}
    for cell in (baseline, candidate):
        for (instance, _), value in zip(cell.names, cell.reference.tolist(), strict=True):
            best[instance] = min(best.get(instance, value), value)
    return baseline.from_reference(best), candidate.from_reference(best)


def _partners(baseline: Cell, candidate: Cell) -> NDArray[np.intp]:
    """Indices of runs with equal names and seeds, shape (pairs, 2)."""
    places = {(*name, seed): k for k, (name, seed) in enumerate(_named(candidate))}
    found = [
        (k, places[*name, seed])
        for k, (name, seed) in enumerate(_named(baseline))
        if (*name, seed) in places
    ]
    return np.array(found, dtype=np.intp).reshape(-1, 2)


def _named(cell: Cell) -> Iterator[tuple[tuple[int, int], int]]:
    return zip(cell.names, cell.seeds, strict=True)


class Measure(StrEnum):
    """The measures in which two versions are compared.

    The ratio of seconds is the product of the ratios of evaluations and of seconds per evaluation.
    """

    SECONDS = "seconds"
    EVALUATIONS = "evaluations"
    SPEED = "speed"
    QUALITY = "quality"


NEGLIGIBLE = 0.06
"""Distance of a probability from 0.5 that does not matter in quality (Vargha and Delaney 2000)."""


def margin_of(measure: Measure, ratio: float) -> float:
    """The margin in the unit of a change: the logarithm of the ratio, or `NEGLIGIBLE`."""
    return NEGLIGIBLE if measure is Measure.QUALITY else log(ratio)


def changes(sample: Sample) -> dict[Measure, Change]:
    """Changes of the cost from base to candidate on a function, in each measure; see `answers`."""
    found = dict.fromkeys(Measure, UNKNOWN)
    baseline, candidate = sample.baseline, sample.candidate
    jobs = (baseline.jobs, candidate.jobs)
    found[Measure.QUALITY] = worse_probability(
        baseline.at_the_end, candidate.at_the_end, paired=sample.paired, jobs=jobs
    )
    if sample.efforts is None:
        return found
    one, other = sample.efforts

    def ratio(above: Sequence[Floats], below: Sequence[Floats]) -> Change:
        pairs = tuple(zip(above, below, strict=True))
        return log_ratio(*pairs, paired=sample.paired, jobs=jobs)

    evaluations, success = (one.evaluations, other.evaluations), (one.success, other.success)
    found[Measure.EVALUATIONS] = ratio(evaluations, success)
    if one.seconds is not None and other.seconds is not None:
        seconds = one.seconds, other.seconds
        found[Measure.SECONDS] = ratio(seconds, success)
        found[Measure.SPEED] = ratio(seconds, evaluations)
    return found


@dataclass(frozen=True)
class Comparison:
    """Results of the comparison of two versions, `baseline` and `candidate`.

    - `by`, `ratio`: Measure of the verdict; ratio of costs above which a difference matters.
    - `level`: Of the answers over all functions, and of each measure's family of functions.
    - `on_functions`: For each measure, the answers in the order of `samples` (Holm).
    - `overall`: For each measure, the answer over all functions: of the geometric mean of the
      ratios, or of the average probability.
    """

    baseline: str
    candidate: str
    by: Measure
    ratio: float
    level: float
    samples: tuple[Sample, ...]
    on_functions: Mapping[Measure, Sequence[Judged]]
    overall: Mapping[Measure, Judged]

    @property
    def verdict(self) -> Judged:
        """The answer over all functions in the measure that counts."""
        return self.overall[self.by]

    @property
    def paired(self) -> int:
        """Number of functions on which the runs are pairs."""
        return sum(sample.paired for sample in self.samples)

    @property
    def runs(self) -> tuple[int, int]:
        """Runs of the baseline and of the candidate that were compared."""
        baseline = sum(len(sample.baseline.rows) for sample in self.samples)
        return baseline, sum(len(sample.candidate.rows) for sample in self.samples)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures with known results."""
        return tuple(m for m in Measure if any(one.change.known for one in self.on_functions[m]))

    @property
    def status(self) -> int:
        """Exit status: 1 for worse, 3 for undecided, else 0."""
        return {Answer.WORSE: 1, Answer.UNDECIDED: 3}.get(self.verdict.answer, 0)


def compare(
    baseline: str,
    candidate: str,
    samples: Iterable[Sample],
    *,
    by: Measure,
    ratio: float,
    level: float,
) -> Comparison:
    """Compare two versions; the arguments are the attributes of `Comparison`."""
    together = tuple(samples)
    of_samples = [changes(sample) for sample in together]
    on_functions: dict[Measure, Sequence[Judged]] = {}
    overall: dict[Measure, Judged] = {}
    for measure in Measure:
        found, margin = [one[measure] for one in of_samples], margin_of(measure, ratio)
        on_functions[measure] = judge_family(found, margin, level)
        overall[measure] = judge(average(found), margin, level)
    return Comparison(baseline, candidate, by, ratio, level, together, on_functions, overall)
