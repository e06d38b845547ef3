"""Time of an evaluation, by the instrumented objective and by the suite's own call."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from timefair.measure.evaluation.objective import now_ns
from timefair.problems.base import Problem

COST_EVALUATIONS = 400
COST_S = 1.0
"""The cost of an evaluation is the least of 5 means. Each mean is over `COST_EVALUATIONS`
evaluations, or over fewer if all of them would take longer than `COST_S`. At least 11 evaluations
are made.
"""


def evaluation_cost_s(
    objective: Callable[[NDArray[np.float64]], object], problem: Problem
) -> tuple[float, float]:
    """Seconds of one evaluation: by the instrumented objective, and by the suite's own call."""
    x = problem.points(3)[1]  # the middle
    start = now_ns()
    problem.evaluate(x)
    count = max(1, min(COST_EVALUATIONS, round(COST_S * 1e9 / (10 * max(now_ns() - start, 1)))))
    least = []
    for call in (objective, problem.evaluate):
        times = []
        for _ in range(5):
            start = now_ns()
            for _ in range(count):
                call(x)
            times.append(now_ns() - start)
        least.append(min(times) / count / 1e9)
    return least[0], least[1]
