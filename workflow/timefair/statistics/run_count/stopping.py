"""One interface for all stopping rules, during measurement and on complete samples.

A rule examines the sample so far; `start` and `cap` are applied here, so n is the same either way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from timefair.statistics.checks import Floats


class Reason(StrEnum):
    """Why a rule stops or continues."""

    START = "start"
    """Continues: there are fewer runs than the rule needs for a first look."""
    OPEN = "open"
    """Continues: the criterion is not met."""
    MET = "met"
    """Stops: the criterion is met."""
    DEGENERATE = "degenerate"
    """Stops: the values that the rule looks at are constant."""
    CAP = "cap"
    """Stops at the cap; the criterion was never met."""
    OUT_OF_BOUNDS = "out of bounds"
    """Stops at the cap; a value is outside the bounds of the rule, so its promise is not valid."""

    @property
    def stops(self) -> bool:
        """Whether no more runs are wanted."""
        return self not in (Reason.START, Reason.OPEN)


@dataclass(frozen=True)
class Assessment:
    """The criterion of a rule on samples of one size; arrays of the leading shape of the samples.

    - `value`: The number that the rule computes, such as a width; NaN if it is undefined.
    - `met`, `degenerate`: Whether it is small enough, and whether only by constant values.
    - `outside`: Whether a value is outside the bounds of the rule, so that the criterion is not
      met; None for a rule without bounds.
    """

    value: Floats
    met: NDArray[np.bool_]
    degenerate: NDArray[np.bool_]
    outside: NDArray[np.bool_] | None = None


class StoppingRule(Protocol):
    """The interface of all stopping rules."""

    @property
    def start(self) -> int:
        """The least number of runs, at least 1."""

    @property
    def cap(self) -> int:
        """The greatest number of runs, at least `start`."""

    def look(self, samples: Floats) -> Assessment:
        """Evaluate the criterion on samples, shape (..., n), each in the order of its runs.

        The result must be deterministic. `inf` is a run without a finite value; there is no NaN.
        """


@dataclass(frozen=True)
class Decision:
    """Whether to stop, why, and the number that the rule computes (NaN before `start`)."""

    reason: Reason
    value: float

    @property
    def stop(self) -> bool:
        return self.reason.stops


@dataclass(frozen=True)
class StopCounts:
    """Where a rule stops on many samples; arrays of shape (samples,).

    `met` is False if the rule never stopped, so that the sample ended at the cap.
    """

    n: NDArray[np.int64]
    met: NDArray[np.bool_]


def decide(rule: StoppingRule, sample: ArrayLike) -> Decision:
    """Decide whether to stop or to make one more run; a criterion met at the cap counts as met.

    - `sample`, shape (n,): The values of all runs so far, in their order; `inf` for a run without a
      finite value. The sample may be empty.
    """
    values = checked_values(sample, dimensions=1)
    if values.size < rule.start:
        return Decision(Reason.START, np.nan)
    seen = rule.look(values)
    if seen.met:
        reason = Reason.DEGENERATE if seen.degenerate else Reason.MET
    elif values.size < rule.cap:
        reason = Reason.OPEN
    else:
        left = seen.outside is not None and seen.outside
        reason = Reason.OUT_OF_BOUNDS if left else Reason.CAP
    return Decision(reason, float(seen.value))


def stop_counts(
    rule: StoppingRule, samples: ArrayLike, *, progress: Callable[[int, int], None] | None = None
) -> StopCounts:
    """Where a rule stops on many complete samples; the n is that of `decide` after each run.

    - `samples`, shape (samples, runs): At least ``rule.cap`` runs each, in their order; `inf` for a
      run without a finite value. May have no rows.
    """
    values = checked_values(samples, dimensions=2)
    check_complete(rule, values.shape[1])
    counts = np.full(values.shape[0], rule.cap)
    met = np.zeros(values.shape[0], dtype=np.bool_)
    for n in range(rule.start, rule.cap + 1):
        still = np.flatnonzero(~met)
        now = still[rule.look(values[still, :n]).met]
        counts[now], met[now] = n, True
        if progress is not None:
            progress(n, rule.cap)
    return StopCounts(counts, met)


@dataclass(frozen=True)
class FixedCount:
    """The same number of runs for every sample: the simplest rule, and a control for the others."""

    count: int

    @property
    def start(self) -> int:
        return self.count

    @property
    def cap(self) -> int:
        return self.count

    def look(self, samples: Floats) -> Assessment:
        """The criterion depends only on the number of runs, and not on the values."""
        *shape, size = samples.shape
        enough = np.full(shape, size >= self.count)
        return Assessment(np.full(shape, float(size)), enough, np.zeros(shape, dtype=np.bool_))


def checked_values(values: ArrayLike, *, dimensions: int) -> Floats:
    array = np.ascontiguousarray(values, dtype=np.float64)
    if array.ndim != dimensions:
        raise ValueError(f"samples must have {dimensions} dimension(s), not {array.ndim}")
    if np.isnan(array).any() or np.isneginf(array).any():
        raise ValueError("values must not be NaN or -inf; a run without a finite value is inf")
    return array


def check_complete(rule: StoppingRule, runs: int) -> None:
    """Raise ValueError unless a sample has at least as many runs as the cap of the rule."""
    if runs < rule.cap:
        raise ValueError(f"a complete sample has at least cap = {rule.cap} runs, not {runs}")


def equal_if_solved(precision: ArrayLike, unknown: ArrayLike, final_target: float | None) -> Floats:
    """Best precisions, of which those beyond the final target are equal to it.

    - `precision`: Best precision of each run, shape (runs,); `inf` stays as it is.
    - `unknown`: Whether the optimum is unknown, one value or shape (runs,). The precision is then a
      value, which the final target does not limit.
    - `final_target`: The precision that ends a run; None if none does.
    """
    best = np.asarray(precision, dtype=np.float64)
    reached = -np.inf if final_target is None else final_target
    return np.where(unknown, best, np.maximum(best, reached))
