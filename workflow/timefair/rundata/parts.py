"""Common base of the parts of traces of runs and of traces of launches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Part:
    """The events of some traces, one trace after the other.

    Attributes
    ----------
    rows
        The run of each trace; shape (traces here,).
    offsets
        Shape (traces here + 1,): the events of trace i are ``offsets[i]:offsets[i + 1]``.
    time_s, evaluations, precision
        One value per event, in a flat array.
    """

    rows: NDArray[np.intp]
    offsets: NDArray[np.int64]
    time_s: NDArray[np.float64]
    evaluations: NDArray[np.float64]
    precision: NDArray[np.float64]

    def at_events(self, of_runs: NDArray[np.float64]) -> NDArray[np.float64]:
        """The value of each event's run; `of_runs` has one value per run, for all runs."""
        return np.repeat(of_runs[self.rows], np.diff(self.offsets))

    def from_reference(self, reference: NDArray[np.float64]) -> Self:
        """Precisions as distances to a reference value per run."""
        return replace(self, precision=self.precision - self.at_events(reference))

    def scaled(self, scale: NDArray[np.float64]) -> Self:
        """Times multiplied by a factor per run."""
        return replace(self, time_s=self.time_s * self.at_events(scale))


AnyPart = TypeVar("AnyPart", bound=Part)


class Parts(Generic[AnyPart]):
    """An iterable of all parts; every iteration reads them again.

    Parameters
    ----------
    read
        Starts an iteration: returns a new iterator over the parts.
    """

    def __init__(self, read: Callable[[], Iterator[AnyPart]]) -> None:
        self._read = read

    def __iter__(self) -> Iterator[AnyPart]:
        return self._read()

    def each(self, change: Callable[[AnyPart], AnyPart]) -> Self:
        """The same parts, each changed when it is read."""
        return type(self)(lambda: map(change, self))


def offsets_of(lengths: NDArray[Any]) -> NDArray[np.int64]:
    """Offsets of traces of these lengths in flat arrays; shape (traces + 1,)."""
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
