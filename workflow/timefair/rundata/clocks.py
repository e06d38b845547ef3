"""The clocks that measure how long a run was."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.rundata.settings import Clock

MOST_WAITED = 0.99
"""Maximal share of a run that counts as waiting; shares add up over the processes of a run."""


def seconds(frame: pd.DataFrame, clock: Clock) -> NDArray[np.float64]:
    """Length of each run without simulated evaluation cost, shape (runs,).

    ``wall``: wall-clock seconds. ``cpu``: CPU seconds of all its processes. ``reference``: the CPU
    time as a multiple of the time of the reference kernel around the run. NaN if the time is
    unknown.
    """
    column = "real_s" if clock == "wall" else "cpu_s"
    told: NDArray[np.float64] = frame[column].to_numpy(dtype=np.float64)
    return told / reference_s(frame) if clock == "reference" else told


def seconds_per_evaluation(frame: pd.DataFrame, clock: Clock) -> NDArray[np.float64]:
    """Time per evaluation in each run, shape (runs,); NaN without evaluations or time."""
    evaluations = frame["evaluations"].to_numpy(dtype=np.float64)
    told = seconds(frame, clock)
    known = (evaluations > 0) & (told > 0)
    return np.asarray(np.where(known, told, np.nan) / np.where(known, evaluations, 1.0))


def slowdown(frame: pd.DataFrame, clock: Clock) -> NDArray[np.float64]:
    """Slowdown around each run, relative to the best time on that core, shape (runs,).

    It is the time of the reference kernel around the run, as a multiple of the best time on that
    core. For the wall clock, it is also divided by the share of the run in which the run did not
    wait for a core that others used. An unknown factor counts as no slowdown. NaN if neither is
    known, and for the clock ``reference``, which does not depend on the speed of the machine.
    """
    taken = pd.Series(reference_s(frame), index=frame.index)
    speed = (taken / taken.groupby(frame["core"].fillna(-1)).transform("min")).astype(float)
    if clock == "reference":
        return np.full(len(frame), np.nan)
    if clock == "cpu":
        return np.asarray(speed, dtype=np.float64)
    waited = frame["foreign_delay_s"].astype(float) / frame["real_s"].where(frame["real_s"] > 0)
    known = speed.notna() | waited.notna()
    running = 1.0 - waited.fillna(0.0).clip(upper=MOST_WAITED)
    return np.asarray((speed.fillna(1.0) / running).where(known), dtype=np.float64)


def objective_share(frame: pd.DataFrame) -> NDArray[np.float64]:
    """Estimated share of the wall clock that each run spent inside the objective, shape (runs,).

    It is the calibrated time of an evaluation, times the number of evaluations, divided by the
    wall-clock time, and at most 1: a calibration calls the objective from Python, and the machine
    may be slower during the calibration than during the run. NaN without a calibration or time.
    """
    inside = frame["objective_s"].astype(float) * frame["evaluations"]
    share = inside / frame["real_s"].where(frame["real_s"] > 0)
    return np.asarray(share.clip(upper=1.0), dtype=np.float64)


def reference_s(frame: pd.DataFrame) -> NDArray[np.float64]:
    """CPU time of the reference kernel, mean of the times before and after each run; NaN: not
    timed.
    """
    timed = frame[["reference_before_s", "reference_after_s"]].to_numpy(dtype=np.float64)
    return np.asarray(timed.mean(axis=1), dtype=np.float64)


def simulated_cost(frame: pd.DataFrame) -> str:
    """The simulated evaluation cost of runs as a sentence for captions; empty if there is none."""
    costs = sorted(set(frame["evaluation_cost_s"].dropna()) - {0.0})
    each = " or ".join(f"{cost:g}" for cost in costs)
    return f"Each evaluation counts {each} s more than it takes." if costs else ""
