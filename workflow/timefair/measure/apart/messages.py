"""The messages between a host and the process that starts it (`host`, `solvers`).

Messages to the host are pickled. Messages from the host are JSON, because a host that has run the
algorithm's code is not trusted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

LONGEST = 1 << 20
"""Maximal length of a message, in bytes."""


@dataclass(frozen=True)
class Setup:
    """What a host needs: an algorithm and its search space.

    Attributes
    ----------
    starter
        The process id of the starter.
    use, parameters, rounds_integers
        The algorithm, as in `loading.load`.
    lower, upper, integer
        Bounds and integer variables of the problems, shape ``(dimension,)``.
    memory_mb
        Memory limit of a solver; None for no limit.
    """

    starter: int
    use: str
    parameters: Mapping[str, object]
    rounds_integers: bool
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    integer: NDArray[np.bool_]
    memory_mb: float | None


@dataclass(frozen=True)
class Request:
    """A request for a solver: the seed of the run, its cores and its temporary folder."""

    seed: int
    cores: tuple[int, ...]
    folder: str


@dataclass(frozen=True)
class Ready:
    """The answer of a host that is ready.

    Attributes
    ----------
    seconds
        Time that loading and preparing the algorithm took.
    trace, appeared
        Results of the trial launch, see `trial.Trial`.
    watched, watched_because
        The folders that solvers share, and why; empty if solvers have private views of all folders.
    faults
        Why the algorithm cannot be loaded. If there are any, the host ends.
    """

    seconds: float = 0.0
    trace: str = ""
    appeared: str | None = None
    watched: list[str] = field(default_factory=list)
    watched_because: str | None = None
    faults: list[str] = field(default_factory=list)
