"""A run in the form of COCO: the best precision from each cost on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from timefair.basics.optimum import NOTHING_YET
from timefair.export.runs import ExportedRun

Cost = Literal["evaluations", "seconds"]


@dataclass(frozen=True)
class CocoTrial:
    """A run as a COCO trial: the best precision as a step function of the cost.

    Attributes
    ----------
    algorithm, suite : str
        Names of the algorithm and of the suite.
    function, dimension, instance : int
        Number of the function, dimension, and number of the instance.
    reference : float
        Minus the optimal value. With two objectives, this is COCO's reference value of the
        hypervolume indicator.
    cost : ndarray, shape (lines,)
        Evaluations or microseconds, increasing; the last one is the end of the run.
    precision : ndarray, shape (lines,)
        Best precision from each cost on.
    """

    algorithm: str
    suite: str
    function: int
    dimension: int
    instance: int
    reference: float
    cost: NDArray[np.int64]
    precision: NDArray[np.float64]

    @classmethod
    def of(cls, run: ExportedRun, cost: Cost) -> CocoTrial:
        """From a run, with its evaluations or its seconds as costs."""
        if cost == "evaluations":
            at, end = run.evaluations, np.int64(run.all_evaluations)
        else:
            at, end = _microseconds(run.time_s), np.int64(_microseconds(run.wall_s))
        steps, best = _steps(at, run.precision, end)
        return cls(
            algorithm=run.algorithm,
            suite=run.suite,
            function=run.function,
            dimension=run.dimension,
            instance=run.instance,
            reference=-run.f_opt,
            cost=steps,
            precision=best,
        )

    @property
    def info(self) -> str:
        """The trial in the ``.info`` file."""
        return f"{self.instance}:{self.cost[-1]}|{self.precision[-1]:.1e}"

    def at(self, cost: NDArray[np.int64]) -> NDArray[np.float64]:
        """The best precision at each cost; costs are at least 1."""
        return self.precision[np.searchsorted(self.cost, cost, side="right") - 1]


def at_triggers(trial: CocoTrial) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Best precisions at COCO's triggers: 20 per decade; 1, 2 and 5 times D per decade; the end."""
    end = trial.cost[-1]
    decades = int(np.log10(end)) + 1
    triggers = np.concatenate(
        [
            np.floor(10 ** (np.arange(20 * decades) / 20)),
            np.multiply.outer(10 ** np.arange(decades), [1, 2, 5]).ravel() * trial.dimension,
        ]
    ).astype(np.int64)
    cost = np.unique([*triggers[triggers < end], end])
    return cost, trial.at(cost)


def _microseconds(seconds: ArrayLike) -> NDArray[np.int64]:
    return np.asarray(np.rint(np.asarray(seconds) * 1e6), dtype=np.int64)


def _steps(
    at: NDArray[np.int64], precision: NDArray[np.float64], end: np.int64
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Costs from 1 to the end of the run, without duplicates, and the best precision at each."""
    cost = np.maximum(np.concatenate([[1], at, [end]]), 1)
    best = np.concatenate([[NOTHING_YET], precision])
    best = np.append(best, best[-1])
    last = np.append(np.diff(cost) > 0, True)
    return cost[last], best[last]
