"""Runtimes to targets of an algorithm that is run again and again until it succeeds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.statistics.restarted import restarted_cdf, restarted_moments, restarted_quantile
from timefair.tables.measures import MEAN, SD, quantile_name
from timefair.tables.problems import Spent
from timefair.tables.published import told_in, with_published
from timefair.tables.runs import UNITS, Runs, Unit
from timefair.tables.settings import Analysis
from timefair.tables.stacked import stacked

ALL = "all"
KEYS = ("suite", "dimension", "function", "algorithm")
VALUES = {"seconds": "runtime_s", "evaluations": "runtime_evaluations"}
COLUMNS = [*KEYS, "target", "runs", "successes", "measure", *VALUES.values()]
CURVE_COLUMNS = [*KEYS, "runs", "unit", "longest_run", "cost", "fraction", "error"]

BEYOND = 100.0
"""The curves go on to so many times the cost of the longest run."""

POINTS = 151
"""Of a curve."""


def to_targets(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Mean, standard deviation and quantiles of the runtime with restarts, a row a ``measure``.

    For each (suite, dimension, function, algorithm, target), runs of all instances together.
    ``measure`` is ``mean``, which is the ERT, ``sd``, or a quantile such as ``Q.10``; all in closed
    form, see `statistics.restarted`. `inf` where no run reached the target. Targets go from easy to
    hard. Published data count in evaluations; what is in seconds is NaN.
    """
    targets = analysis.targets_from_easy
    probabilities = sorted(analysis.quantiles)
    measures = [MEAN, SD, *map(quantile_name, probabilities)]
    parts = []
    for names, samples in _samples(with_published(runs), analysis):
        success = samples[-1].success
        part = {
            **dict.fromkeys(VALUES.values(), np.nan),
            **names,
            "target": np.repeat(targets, len(measures)),
            "runs": len(success),
            "successes": np.repeat(success.sum(axis=0), len(measures)),
            "measure": measures * len(targets),
        }
        for sample in samples:
            part[VALUES[sample.unit]] = sample.measures(probabilities).ravel()
        parts.append(part)
    return stacked(parts, COLUMNS)


def curves(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Share of targets that are reached within a cost if failed runs are restarted.

    ``fraction`` is the probability F(b) of `statistics.restarted.restarted_cdf`, averaged over the
    targets, and for the function ``all`` over the functions. ``function`` is a text, a number or
    ``all``; ``cost`` is in ``unit`` (seconds or evaluations). The exact value lies within
    ``fraction`` ± ``error``, which is 0 where it was computed exactly. Costs go beyond the end of
    the ``longest_run``, where all follows from the runs. A target that no run reached counts as
    never reached.
    """
    of_unit = {unit: told_in(runs, unit) for unit in UNITS}
    costs = {unit: _costs(of_unit[unit], unit) for unit in UNITS}
    longest = {unit: of_unit[unit].spent(unit).max(initial=0.0) for unit in UNITS}
    parts = []
    for names, samples in _samples(of_unit["evaluations"], analysis):
        for sample in samples:
            low, high = sample.cdf(costs[sample.unit])
            part = {**names, "runs": len(sample.spent), "unit": sample.unit}
            part |= {"longest_run": longest[sample.unit], "cost": costs[sample.unit]}
            part |= {"fraction": (low + high) / 2, "error": (high - low) / 2}
            parts.append(part)
    single = stacked(parts, CURVE_COLUMNS)
    shared = ["suite", "dimension", "algorithm", "unit", "longest_run", "cost"]
    sums = {"runs": "sum", "fraction": "mean", "error": "mean"}
    across = single.groupby(shared, as_index=False).agg(sums)
    frame = pd.concat([single.astype({"function": str}), across.assign(function=ALL)])
    return frame.reset_index(drop=True)[CURVE_COLUMNS]


@dataclass(frozen=True)
class _Sample:
    """What the runs spent up to each target or their end, arrays of shape (runs, targets)."""

    unit: Unit
    spent: NDArray[np.float64]
    success: NDArray[np.bool_]

    def measures(self, probabilities: list[float]) -> NDArray[np.float64]:
        """Shape (targets, measures)."""
        moments = restarted_moments(self.spent, self.success, axis=0)
        quantiles = [
            restarted_quantile(spent, success, probabilities).middle
            for spent, success in zip(self.spent.T, self.success.T, strict=True)
        ]
        return np.column_stack([moments.mean, moments.sd, np.array(quantiles)])

    def cdf(self, costs: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Limits of the mean over the targets."""
        bounds = [
            restarted_cdf(spent, success, costs)
            for spent, success in zip(self.spent.T, self.success.T, strict=True)
        ]
        return np.mean([b.low for b in bounds], axis=0), np.mean([b.high for b in bounds], axis=0)


def _samples(runs: Runs, analysis: Analysis) -> Iterator[tuple[dict[str, Any], list[_Sample]]]:
    """Each group of runs, in seconds if they have times, and in evaluations."""
    targets = analysis.targets_from_easy
    reached_at = {unit: runs.runtimes(unit, targets) for unit in UNITS}
    for names, rows in runs.groups(KEYS):
        samples = []
        for unit in runs.units_of(rows):
            spent = Spent.until(reached_at[unit][rows], runs.spent(unit)[rows])
            samples.append(_Sample(unit, spent.cost, spent.success))
        yield names, samples


def _costs(runs: Runs, unit: Unit) -> NDArray[np.float64]:
    measured = runs.cost_grid(unit)
    if measured.size == 0:
        return measured
    return np.geomspace(measured[0], BEYOND * measured[-1], POINTS)
