"""The speed of a core at one moment, from a small fixed piece of work that resembles a run.

The work is an evolution strategy with covariance matrix adaptation (Hansen and Ostermeier, 2001)
in plain numpy: a Python loop around short vectors, small matrices and cheap evaluations. A loop of
arithmetic alone is not enough: memory traffic of another core slows it less than it slows an
optimizer.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

DIMENSION = 10
OFFSPRING = 10
GENERATIONS = 190
"""About 14 ms on a machine of 2024."""

SHORT_BUDGET_S = 1.5
"""For runs shorter than this, half of the work is timed and the time is doubled, because the
complete work would take more than 1 % of the run. On a busy machine, both variants found the same
share of perturbed runs.
"""

WARM_UP_GENERATIONS = 8
"""Repetitions that are not timed: after a fork, the first write to a page takes longer."""

BEST_OF = 3
"""Number of timings at the start of a job, the best of which is the first best time."""


class Reference:
    """Times the work in this process, on the core that it is pinned to.

    Parameters
    ----------
    parts
        1 to time all of the work; 2 to time half of it and double the time.

    Attributes
    ----------
    best_s
        Least CPU time of the work in this process.
    last_s
        CPU time of the last timing.
    spent_s
        Wall-clock seconds of all timings, including the warm-up.
    """

    def __init__(self, parts: int = 1) -> None:
        self._parts = parts
        self.spent_s = 0.0
        self.best_s = self.last_s = min(self._timing() for _ in range(BEST_OF))

    def take(self) -> float:
        """CPU seconds of the work now. They exclude the time in which others use this core."""
        self.last_s = self._timing()
        self.best_s = min(self.best_s, self.last_s)
        return self.last_s

    def _timing(self) -> float:
        start = time.monotonic()
        cpu_s = _cpu_s(GENERATIONS // self._parts) * self._parts
        self.spent_s += time.monotonic() - start
        return cpu_s


def parts_for(budget_s: float | None) -> int:
    """The `parts` for runs of this length; None for runs without a budget in seconds."""
    return 2 if budget_s is not None and budget_s < SHORT_BUDGET_S else 1


def _cpu_s(generations: int) -> float:
    adapt(WARM_UP_GENERATIONS)
    start = time.thread_time_ns()
    adapt(generations)
    return (time.thread_time_ns() - start) / 1e9


def adapt(generations: int) -> float:
    """Minimize an ellipsoid and return the best value. This value is the same at each call."""
    n, rng = DIMENSION, np.random.default_rng(1)
    weights = np.log((OFFSPRING + 1) / 2) - np.log(np.arange(1, OFFSPRING // 2 + 1))
    weights /= weights.sum()
    scales: NDArray[np.float64] = 10.0 ** (4 * np.arange(n) / (n - 1))
    mean, sigma, covariance, best = np.full(n, 3.0), 1.0, np.eye(n), np.inf
    for _ in range(generations):
        lengths, axes = np.linalg.eigh(covariance)
        spread: Any = np.sqrt(np.maximum(lengths, 1e-20))
        steps = [axes @ (spread * rng.standard_normal(n)) for _ in range(OFFSPRING)]
        values = [float(scales @ (mean + sigma * step) ** 2) for step in steps]
        order = np.argsort(values)[: len(weights)]
        chosen = np.array([steps[i] for i in order])
        mean = mean + sigma * (weights @ chosen)
        covariance = 0.8 * covariance + 0.2 * (chosen.T * weights) @ chosen
        sigma *= 1.05 if values[order[0]] < best else 0.9
        best = min(best, values[order[0]])
    return best
