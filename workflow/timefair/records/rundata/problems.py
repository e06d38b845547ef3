"""The runs on each problem: their costs and results, and the pairs of algorithms compared on it.

A run that reaches the final target is ended by it. How far below the target it ended is a matter of
chance, so precisions at or below the final target count as 0 here, and such runs are equal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from timefair.records.consistency import BATCH_FIELDS
from timefair.records.rundata.runs import PROBLEM, UNITS, Runs, Unit, kept
from timefair.records.rundata.settings import EVERY_PAIR, WITH_THE_BEST, Analysis
from timefair.records.status import ENDED_BY_BUDGET, ENDED_BY_TIME, FINAL_TARGET, StopReason
from timefair.statistics.bands import best_so_far
from timefair.statistics.ert import ert
from timefair.statistics.hitting_times import rounds
from timefair.statistics.rank_tests import average_ranks
from timefair.statistics.samples import sample_quantile

Space: TypeAlias = tuple[str, int]  # a suite and a dimension
KEYS = ("suite", "dimension", "function")
BUDGETS: dict[Unit, str] = {"seconds": "budget_s", "evaluations": "budget_evaluations"}
"""The column with the budget of runs in each unit."""


@dataclass(frozen=True, eq=False)
class ProblemRuns:
    """The runs on one problem, with all instances pooled or on one: its `KEYS`, and the instance,
    their rows in the frame, and which of these are each algorithm's, in alphabetical order.
    """

    names: dict[str, Any]
    rows: NDArray[np.intp]
    algorithms: dict[str, NDArray[np.intp]]

    @property
    def space(self) -> Space:
        return str(self.names["suite"]), int(self.names["dimension"])

    def samples(self, of_runs: NDArray[Any]) -> dict[str, NDArray[Any]]:
        """The part for each algorithm of an array with one row per run of the campaign."""
        return self.split(of_runs[self.rows])

    def split(self, of_rows: NDArray[Any]) -> dict[str, NDArray[Any]]:
        """The part for each algorithm of an array with one row per run on this problem."""
        return {name: of_rows[mine] for name, mine in self.algorithms.items()}


@kept
def problems(runs: Runs, *instance: str) -> list[ProblemRuns]:
    """The problems of all suites and dimensions, in the order of their keys; with the argument
    "instance", one for each instance.
    """
    found = []
    for names, rows in runs.groups((*KEYS, *instance)):
        labels = runs.frame["algorithm"].iloc[rows].to_numpy(dtype=object)
        algorithms = {str(name): np.flatnonzero(labels == name) for name in sorted(set(labels))}
        found.append(ProblemRuns(names, rows, algorithms))
    return found


def precision_at_the_end(runs: Runs) -> NDArray[np.float64]:
    """Best precision of each run, shape (runs,); 0 if it reached the final target."""
    return equal_if_solved(runs, runs.frame["best_precision"].to_numpy(dtype=np.float64))


def equal_if_solved(
    runs: Runs, precision: NDArray[np.float64], rows: NDArray[np.intp] | slice = slice(None)
) -> NDArray[np.float64]:
    """Precisions, with 0 for those from 0 to the final target, if the optimum is known. Shape
    (rows,) or (rows, points); `rows` is the run of each, by default all in their order.
    """
    limit = np.expand_dims(_solved_from(runs)[rows], tuple(range(1, precision.ndim)))
    return np.where((precision >= 0) & (precision <= limit), 0.0, precision)


def final_target(runs: Runs) -> float:
    """The largest precision that ends one of the runs, or `FINAL_TARGET`; `-inf`: none."""
    campaigns = (one for origins in runs.origins.values() for one in origins.campaign if one)
    ends = [one["budget"]["final_target"] for one in campaigns] or [FINAL_TARGET]
    return max((end for end in ends if end is not None), default=-np.inf)


def value_at_the_target(runs: Runs) -> NDArray[np.float64]:
    """The value of f at the final target on the problem of each run, shape (runs,); NaN without a
    final target or optimum, and where a run has found less than the optimum.
    """
    least = runs.frame.groupby(PROBLEM)["best_precision"].transform("min")
    value = np.asarray(runs.frame["f_opt"] + final_target(runs), dtype=np.float64)
    return np.where(np.isfinite(value) & (least >= 0), value, np.nan)


@kept
def _solved_from(runs: Runs) -> NDArray[np.float64]:
    """The precision from which each run counts as solved, shape (runs,); `-inf` for never."""
    frame = runs.frame
    limit = np.where(frame["f_opt"].notna(), final_target(runs), -np.inf)
    asked = frame["algorithm"].isin([k for k, one in runs.origins.items() if any(one.campaign)])
    ended = _solved(runs) & ~asked.to_numpy()
    return np.where(ended, np.maximum(limit, frame["best_precision"]), limit)


def precision_at(
    runs: Runs, evaluations: Sequence[tuple[ProblemRuns, NDArray[np.float64]]]
) -> list[NDArray[np.float64]]:
    """Best precision, (rows, points), of the runs on each problem at numbers of evaluations."""
    best = [np.empty((len(problem.rows), points.size)) for problem, points in evaluations]
    for part in runs.traces:
        for (problem, points), of_problem in zip(evaluations, best, strict=True):
            rows, mine, place = np.intersect1d(part.rows, problem.rows, return_indices=True)
            if rows.size:
                one = part.taken(mine)
                found = best_so_far(one.evaluations, one.precision, one.offsets, points)
                of_problem[place] = equal_if_solved(runs, found, rows)
    return best


def evaluations_allowed(runs: Runs) -> NDArray[np.float64]:
    """Evaluations up to which a run's result is known, shape (runs,); `inf`: it is final."""
    evaluations = runs.spent("evaluations")
    return np.where(cut_off(runs) & (evaluations > 0), evaluations, np.inf)


def known_until(
    runs: Runs, unit: Unit, done: NDArray[np.bool_] | None = None
) -> NDArray[np.float64]:
    """Cost up to which the results of each run are known, shape (runs,).

    This is where the budget cut the run off, or the end of published data; `inf` if the result is
    final: the run reached the final target, ended by itself or made no evaluation, or `done`, shape
    (runs,), says so. In seconds, runs of one budget are cut off together, at the end of the
    longest.
    """
    evaluations, spent = runs.spent("evaluations"), runs.spent(unit)
    if unit == "seconds":
        together = pd.Series(spent).groupby(runs.frame["budget_s"].to_numpy()).transform("max")
        timed_out = runs.frame["stop_reason"].isin(ENDED_BY_TIME) & together.notna()
        spent = np.where(timed_out, together, spent)
    known = np.where(cut_off(runs) & (evaluations > 0), spent, np.inf)
    known = np.where(runs.timed | _solved(runs), known, spent)
    return known if done is None else np.where(done, np.inf, known)


def limits(problem: ProblemRuns, known: NDArray[np.float64]) -> dict[str, float]:
    """The cost up to which all runs of each algorithm are known; two compare within the less."""
    return {name: float(until.min()) for name, until in problem.samples(known).items()}


def cut_off(runs: Runs) -> NDArray[np.bool_]:
    return np.asarray(runs.frame["stop_reason"].isin(ENDED_BY_BUDGET), dtype=np.bool_)


def _solved(runs: Runs) -> NDArray[np.bool_]:
    return np.asarray(runs.frame["stop_reason"] == StopReason.TARGET, dtype=np.bool_)


@dataclass(frozen=True)
class Spent:
    """Cost of each run up to each target, or to its own end, and success; (runs, targets)."""

    cost: NDArray[np.float64]
    success: NDArray[np.bool_]

    @classmethod
    def until(cls, reached_at: NDArray[np.float64], end: NDArray[np.float64]) -> Spent:
        """From the runtimes to the targets (`inf`: not reached) and costs of complete runs."""
        success = np.isfinite(reached_at)
        return cls(np.where(success, reached_at, end[:, np.newaxis]), success)

    def of(self, rows: NDArray[Any]) -> Spent:
        return Spent(self.cost[rows], self.success[rows])

    def within(self, limit: float) -> Spent:
        """What is known if each run ends at a cost."""
        return Spent(np.minimum(self.cost, limit), self.success & (self.cost <= limit))

    @property
    def ert(self) -> NDArray[np.float64]:
        return np.asarray(ert(self.cost, self.success, axis=0))

    def quantile(self, p: float) -> NDArray[np.float64]:
        """A quantile of the runtimes to each target, with failures as `inf`, shape (targets,)."""
        reached_at = np.where(self.success, self.cost, np.inf)
        return np.asarray(sample_quantile(reached_at, p, axis=0))


@dataclass(frozen=True)
class KnownCosts:
    """The costs of all runs to targets, and the cost up to which each run is known, (runs,)."""

    spent: Spent
    known: NDArray[np.float64]

    @classmethod
    def of(cls, runs: Runs, unit: Unit, targets: Sequence[float]) -> KnownCosts:
        reached_at = runs.runtimes(unit, np.asarray(targets, dtype=np.float64))
        return cls(Spent.until(reached_at, runs.spent(unit)), known_until(runs, unit))


MOST_COLOURS = 16  # number of algorithms up to which each has a colour of its own
MOST_ALGORITHMS = 12  # number of algorithms up to which every pair is listed by default


@dataclass(frozen=True)
class Listed:
    """The pairs that a table lists: those with an algorithm of `among`; None: every pair."""

    among: frozenset[str] | None = None

    def has(self, first: str, second: str) -> bool:
        return self.among is None or first in self.among or second in self.among

    def pairs(self, algorithms: Sequence[str]) -> Iterator[tuple[str, str]]:
        """The listed pairs of some algorithms, ordered as by `itertools.combinations`."""
        return (pair for pair in combinations(algorithms, 2) if self.has(*pair))


def listed(analysis: Analysis, ranks: Mapping[str, float]) -> Listed:
    """The pairs of a table by the setting ``pairs`` (None: every pair, of many with the best)."""
    usual = (EVERY_PAIR if len(ranks) <= MOST_ALGORITHMS else WITH_THE_BEST,)
    asked = analysis.pairs or usual
    if asked == (EVERY_PAIR,):
        return Listed()
    if asked != (WITH_THE_BEST,):
        return Listed(frozenset(asked))
    return Listed(frozenset(in_order(ranks)[:1]))


def in_order(ranks: Mapping[str, float]) -> list[str]:
    """The algorithms from the lowest rank on, equal ones in alphabetical order; NaN is last."""
    return sorted(ranks, key=lambda name: (np.nan_to_num(ranks[name], nan=np.inf), name))


def planned(analysis: Analysis) -> frozenset[str] | None:
    """The algorithms whose pairs the user has named beforehand; None for all pairs."""
    labels = frozenset(analysis.pairs or ()) - {EVERY_PAIR, WITH_THE_BEST}
    return labels or None


def listed_by_precision(runs: Runs, analysis: Analysis) -> dict[Space, Listed]:
    """The pairs of each suite and dimension, with the best by `ranks_by_precision`."""
    return {space: listed(analysis, ranks) for space, ranks in ranks_by_precision(runs).items()}


@kept
def in_order_of_looks(runs: Runs) -> list[str]:
    """All algorithms in the order of their colours: up to `MOST_COLOURS` measured ones from A to Z,
    more by `ranks_by_precision`; then published data.
    """
    measured = sorted(set(runs.frame["algorithm"].astype(str)))
    if len(measured) > MOST_COLOURS:
        ranks = pd.DataFrame(ranks_by_precision(runs)).mean(axis=1)
        measured.sort(key=lambda name: ranks[name])
    return [*measured, *sorted(set(runs.sources) - set(measured))]


def ranks_by_precision(runs: Runs) -> dict[Space, dict[str, float]]:
    """The rank of the median precision at the end, averaged over the functions; the worst rank
    where an algorithm was not run.
    """
    best = precision_at_the_end(runs)
    medians: dict[Space, list[dict[str, float]]] = {}
    for problem in problems(runs):
        samples = problem.samples(best).items()
        medians.setdefault(problem.space, []).append(
            {name: float(sample_quantile(sample, 0.5)) for name, sample in samples}
        )
    ranks = {}
    for space, functions in medians.items():
        values = pd.DataFrame(functions).sort_index(axis="columns").fillna(np.inf)
        ranks[space] = dict(zip(values.columns, average_ranks(values).tolist(), strict=True))
    return ranks


def in_words(listed_in: Mapping[Space, Listed]) -> str:
    """The listed pairs, as a sentence for captions; empty if all are listed."""
    limited = {space: one.among for space, one in listed_in.items() if one.among is not None}
    if not limited:
        return ""
    if len(set(limited.values())) == 1:
        (among,) = set(limited.values())
        return f"Only pairs with {' or '.join(sorted(among))} are listed."
    each = "; ".join(
        f"{' or '.join(sorted(among))} in {suite}, D = {dimension}"
        for (suite, dimension), among in limited.items()
    )
    return f"Only pairs with the best algorithm are listed: {each}."


COSTS_S = (0.0, *(float(f"{10 ** (k / 4):.6g}") for k in range(-24, 17)))
"""Evaluation costs of curves and maps: 0, and four per decade."""


@dataclass(frozen=True)
class UsedByRuns:
    """Cost of each run to each target in seconds and evaluations, targets from easy to hard.

    - `runs`: Those for which the effect of another evaluation cost is known: not if launches end by
      seconds, nor with several workers and without recorded batches.
    - `seconds`, `rounds`: Cost up to the target, or up to the run's own end; rounds: by one worker.
    - `observed_rounds`: Rounds up to which each run was observed, shape (runs,); `inf` for a run
      that could not continue.
    - `remarks`: Sentences for captions: which algorithms are omitted and why; number of workers.
    """

    runs: Runs
    seconds: Spent
    rounds: Spent
    observed_rounds: NDArray[np.float64]
    remarks: str

    @classmethod
    def of(cls, runs: Runs, analysis: Analysis) -> UsedByRuns:
        """The costs of some runs; tables with the same settings share the result."""
        return runs.once((cls, repr(analysis)), lambda: _used_by(runs, analysis))

    @property
    def problems(self) -> list[ProblemRuns]:
        return problems(self.runs)


def _used_by(runs: Runs, analysis: Analysis) -> UsedByRuns:
    algorithms, restarted = runs.frame["algorithm"], analysis.restarted_by_seconds
    batches = runs.column("batches") if analysis.workers > 1 else None
    unknown = set() if batches is None else {*algorithms[np.asarray(batches.is_null())]}
    remarks = []
    if batches is not None:
        remarks.append(
            f"Up to {analysis.workers} evaluations of a batch run at the same time and count as "
            "one; an algorithm that asks for one point at a time gains nothing."
        )
    if restarted:
        named = ", ".join(f"{label} ({key})" for label, key in sorted(restarted.items()))
        remarks.append(
            "Omitted, because their launches end by seconds and would be others at another "
            f"evaluation cost: {named}."
        )
    if unknown:
        names = ", ".join(sorted(unknown))
        remarks.append(f"Omitted, because their batches were not recorded: {names}.")
    refused = algorithms.isin({*restarted, *unknown}).to_numpy()
    left = runs.where(~refused) if refused.any() else runs
    seconds, evaluations = (
        Spent.until(left.runtimes(unit, analysis.targets_from_easy), left.spent(unit))
        for unit in UNITS
    )
    total = left.spent("evaluations")
    final = np.isinf(evaluations_allowed(left)) & (total > 0)
    begun = np.column_stack([evaluations.cost, total])
    rows_of = [] if batches is None else batches.filter(pa.array(~refused)).to_pylist()
    for run, rows in enumerate(rows_of):
        if rows:
            columns = ([row[name] for row in rows] for name in BATCH_FIELDS)
            begun[run] = rounds(begun[run], *columns, workers=analysis.workers)
    observed = np.where(final, np.inf, begun[:, -1])
    of_rounds = replace(evaluations, cost=begun[:, :-1])
    return UsedByRuns(left, seconds, of_rounds, observed, " ".join(remarks))


def complete_problems(
    every: Iterable[ProblemRuns],
) -> Iterator[tuple[Space, tuple[str, ...], list[ProblemRuns]]]:
    """For each suite and dimension, its algorithms and the problems on which all were run."""
    together: dict[Space, list[ProblemRuns]] = {}
    for problem in every:
        together.setdefault(problem.space, []).append(problem)
    for space, members in together.items():
        algorithms = tuple(sorted({name for problem in members for name in problem.algorithms}))
        complete = [one for one in members if len(one.algorithms) == len(algorithms)]
        yield space, algorithms, complete


def stacked(parts: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> pd.DataFrame:
    """The parts below one another: for each column, a vector, or one value for all rows of a part.

    Without parts, the frame has no rows. ValueError if the vectors of a part differ in length.

    >>> parts = [{"algorithm": "A", "k": [1, 2]}, {"algorithm": "B", "k": [1]}]
    >>> stacked(parts, ["algorithm", "k"]).values.tolist()
    [['A', 1], ['A', 2], ['B', 1]]
    """
    pieces = [
        np.broadcast_arrays(*(np.atleast_1d(part[name]) for name in columns)) for part in parts
    ]
    joined = map(np.concatenate, zip(*pieces, strict=True)) if pieces else [[] for _ in columns]
    return pd.DataFrame(dict(zip(columns, joined, strict=True)))


def with_labels(frame: pd.DataFrame, columns: Sequence[str], like: str) -> pd.DataFrame:
    """The frame, changed: some columns, maybe with None, become NaN or labels of another's type."""
    for name in columns:
        frame[name] = frame[name].where(frame[name].notna(), np.nan).astype(frame[like].dtype)
    return frame


MEAN = "mean"


def quantile_name(p: float) -> str:
    """The name of a quantile such as ``Q.10``: two digits, or more if needed.

    >>> quantile_name(0.1), quantile_name(0.5), quantile_name(0.025), quantile_name(1.0)
    ('Q.10', 'Q.50', 'Q.025', 'Q1.00')
    """
    digits = f"{p:.2f}" if round(p, 2) == p else f"{p:g}"
    return "Q" + digits.removeprefix("0")
