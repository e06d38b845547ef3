"""Stop reason and status of a run with times, if the data do not contain them."""

from __future__ import annotations

import math

from timefair.records.status import FINAL_TARGET, Status, StopReason


def status(evaluations: float, best: float) -> Status:
    """The status of a run with this number of evaluations; `best` is inf without a finite value."""
    if not evaluations:
        return Status.NO_EVALUATION
    return Status.OK if math.isfinite(best) else Status.NO_FINITE_VALUE


def stop_reason(
    last_precision: float,
    evaluations: float,
    end_s: float,
    budget_s: float | None,
    budget_evaluations: float | None,
) -> StopReason:
    """The reason why a run ended.

    Parameters
    ----------
    last_precision
        Precision of the improvement at the last evaluation; inf if the last evaluation is not an
        improvement, or without an optimum.
    evaluations, end_s
        Evaluations and seconds of the complete run.
    budget_s, budget_evaluations
        Budget of the run; None without such a budget.
    """
    if last_precision <= FINAL_TARGET:
        return StopReason.TARGET
    if budget_evaluations is not None and evaluations >= budget_evaluations:
        return StopReason.EVALUATIONS
    if budget_s is not None and end_s >= budget_s:
        return StopReason.TIME
    return StopReason.ALGORITHM_ENDED
