"""How long a run was: by which clock, and with which share of tuning and preparation."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.records.integrity import Origins
from timefair.records.rundata.settings import Analysis, Clock

MOST_WAITED = 0.99
"""Maximal share of a run that counts as waiting; shares add up over the processes of a run."""


def seconds(frame: pd.DataFrame, clock: Clock) -> NDArray[np.float64]:
    """Length of each run without simulated evaluation cost, shape (runs,); NaN: unknown.

    ``reference``: the CPU time as a multiple of the time of the reference kernel around the run.
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
    """Time of the reference kernel around each run, as a multiple of the best one on that core.

    On the wall clock, it is divided by the share of the run that did not wait for a core that
    others used. An unknown factor counts as 1. Shape (runs,); NaN if neither is known, and for
    ``reference``.
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

    At most 1; NaN without a calibration or time.
    """
    inside = frame["objective_s"].astype(float) * frame["evaluations"]
    share = inside / frame["real_s"].where(frame["real_s"] > 0)
    return np.asarray(share.clip(upper=1.0), dtype=np.float64)


def reference_s(frame: pd.DataFrame) -> NDArray[np.float64]:
    """CPU time of the reference kernel, mean of before and after each run; NaN: not timed."""
    timed = frame[["reference_before_s", "reference_after_s"]].to_numpy(dtype=np.float64)
    return np.asarray(timed.mean(axis=1), dtype=np.float64)


def simulated_cost(frame: pd.DataFrame) -> str:
    """The simulated evaluation cost of runs as a sentence for captions; empty if there is none."""
    costs = sorted(set(frame["evaluation_cost_s"].dropna()) - {0.0})
    each = " or ".join(f"{cost:g}" for cost in costs)
    return f"Each evaluation counts {each} s more than it takes." if costs else ""


ANCILLARY = ["tuning_s", "preparation_s", "preparation", "problems", "share_s"]


def ancillary_costs(
    frame: pd.DataFrame, origins: Mapping[str, Origins], analysis: Analysis
) -> pd.DataFrame:
    """Tuning, preparation and the share of a problem, one row per algorithm.

    Tuning is the declared time plus that of a search. An undeclared preparation is the median of
    the measured ones. ``share_s`` is the sum divided by ``problems``.
    """
    measured = frame.groupby("algorithm")["preparation_s"].median().astype(float)
    rows = pd.DataFrame(index=measured.index)
    rows["tuning_s"] = [
        float(analysis.tuning_s.get(name, 0.0)) + searched_s(origins.get(str(name)))
        for name in rows.index
    ]
    declared = [analysis.preparation_s.get(name) for name in rows.index]
    rows["preparation_s"] = [
        float(known if given is None else given)
        for given, known in zip(declared, measured, strict=True)
    ]
    rows["preparation"] = ["measured" if given is None else "declared" for given in declared]
    rows["problems"] = np.full(len(rows), analysis.problems)
    rows["share_s"] = (rows["tuning_s"] + rows["preparation_s"].fillna(0.0)) / analysis.problems
    return rows[ANCILLARY]


def searched_s(origin: Origins | None) -> float:
    """Measured seconds of the searches for an algorithm's parameters; 0 without a search."""
    searches = [] if origin is None else origin.tuning
    return float(sum(search["seconds"] for search in searches))


def shares_s(
    frame: pd.DataFrame, origins: Mapping[str, Origins], analysis: Analysis
) -> dict[str, float]:
    """The seconds that each algorithm is charged per problem."""
    shares = ancillary_costs(frame, origins, analysis)["share_s"]
    return {str(name): float(share) for name, share in shares.items()}
