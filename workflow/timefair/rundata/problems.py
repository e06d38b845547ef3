"""The cost of every problem (function, instance, target) for every algorithm."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis
from timefair.statistics.curves import ProfileBand, profile_band, resampled_ert
from timefair.statistics.ert import ert

CELL = ("suite", "dimension", "function", "instance", "algorithm")
INSTANCE = ("dimension", "function", "instance")


@dataclass(frozen=True)
class Spent:
    """Cost of each run up to each target, arrays of shape (runs, targets).

    Attributes
    ----------
    cost
        Cost up to the target, or up to the run's own end if it did not reach the target.
    success
        Whether the run reached the target.
    """

    cost: NDArray[np.float64]
    success: NDArray[np.bool_]

    @classmethod
    def until(cls, reached_at: NDArray[np.float64], end: NDArray[np.float64]) -> Spent:
        """Make it from the runtimes to the targets (`inf` if not reached) and the costs of complete
        runs.
        """
        success = np.isfinite(reached_at)
        return cls(np.where(success, reached_at, end[:, np.newaxis]), success)


@dataclass(frozen=True)
class Cell:
    """The runs of one algorithm on one instance."""

    names: dict[str, Any]
    spent: Spent

    @property
    def is_single(self) -> bool:
        """Whether there is only one run, so that resampling is not possible."""
        return len(self.spent.cost) == 1

    def resampled_ert(self, analysis: Analysis) -> NDArray[np.float64]:
        """ERT to each target in each resample of the runs, shape (resamples, targets)."""
        return resampled_ert(
            self.spent.cost,
            self.spent.success,
            resamples=analysis.resamples,
            rng=analysis.stream(self.names),
        )


@dataclass(frozen=True)
class Problems:
    """The problems of a suite and dimension, or of a suite, on which every algorithm was run.

    Attributes
    ----------
    names
        The keys that all of them share.
    algorithms
        Algorithms in alphabetical order.
    instances
        For each instance, the cells of all algorithms, in the order of `algorithms`.
    """

    names: dict[str, Any]
    algorithms: tuple[str, ...]
    instances: list[tuple[Cell, ...]]

    @property
    def identity(self) -> tuple[object, ...]:
        """A value that only the same algorithms on the same instances have."""
        keys = ("suite", *INSTANCE)
        named = (tuple(cells[0].names[key] for key in keys) for cells in self.instances)
        return self.algorithms, *named

    def costs(self) -> NDArray[np.float64]:
        """ERT, shape (problems, algorithms); `inf` if a problem was not solved."""
        cells = [cell.spent for of_instance in self.instances for cell in of_instance]
        if not cells:
            return np.empty((0, len(self.algorithms)))
        runs, targets = np.array([len(cell.cost) for cell in cells]), cells[0].cost.shape[1]
        values = np.empty((len(cells), targets))
        for number in np.unique(runs):
            alike = np.flatnonzero(runs == number)
            spent = np.stack([cells[k].cost for k in alike])
            values[alike] = ert(spent, np.stack([cells[k].success for k in alike]), axis=1)
        of_instances = values.reshape(len(self.instances), -1, targets)
        return of_instances.transpose(0, 2, 1).reshape(-1, len(self.algorithms))

    def band(
        self,
        fraction: NDArray[np.float64],
        grid: NDArray[np.float64],
        analysis: Analysis,
        measure: Callable[[NDArray[np.float64]], NDArray[np.float64]] = np.asarray,
    ) -> ProfileBand:
        """Limits of profiles of a `measure` of the costs, e.g. their ratios.

        NaN without an instance, or if an algorithm has only one run on some instance.
        """
        if not self.instances or any(cell.is_single for cells in self.instances for cell in cells):
            unknown = np.full(fraction.shape, np.nan)
            return ProfileBand(unknown, unknown)
        samples = (
            np.stack([cell.resampled_ert(analysis) for cell in cells], axis=-1)
            for cells in self.instances
        )
        return profile_band(fraction, map(measure, samples), grid, confidence=analysis.confidence)


def problems(runs: Runs, spent: Spent, *shared: tuple[str, ...]) -> Iterator[Problems]:
    """The problems of each combination of some shared keys, in the order of the keys' values; then
    the problems of each combination of the next keys.
    """
    cells = [
        Cell(names, Spent(spent.cost[rows], spent.success[rows]))
        for names, rows in runs.groups(CELL)
    ]
    for keys in shared:
        yield from _together(cells, keys)


def _together(cells: Iterable[Cell], shared: tuple[str, ...]) -> Iterator[Problems]:
    groups: dict[tuple[Any, ...], dict[tuple[Any, ...], dict[str, Cell]]]
    groups = defaultdict(lambda: defaultdict(dict))
    for cell in cells:
        names = cell.names
        together = groups[tuple(names[key] for key in shared)]
        together[tuple(names[key] for key in INSTANCE)][names["algorithm"]] = cell
    for values, instances in groups.items():
        algorithms = tuple(sorted({name for cells in instances.values() for name in cells}))
        complete = [
            tuple(cells[name] for name in algorithms)
            for cells in instances.values()
            if len(cells) == len(algorithms)
        ]
        names = dict(zip(shared, values, strict=True))
        yield Problems(names, algorithms, complete)
