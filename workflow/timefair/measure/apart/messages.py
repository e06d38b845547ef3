"""The messages between a host and the process that starts it (`host`, `solvers`).

Those to the host are pickled. Those from it are JSON, because it has run the algorithm's code.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

LONGEST = 1 << 20
"""The most bytes of a message."""


@dataclass(frozen=True)
class Setup:
    """An algorithm and the space that it searches, for a host.

    Attributes
    ----------
    starter
        The process that has it started.
    use, parameters, rounds_integers
        Of the algorithm, see `loading.load`.
    lower, upper, integer
        Of the problems, shape ``(dimension,)``.
    memory_mb
        What a solver may use; None: without a limit.
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
        What the algorithm took to get ready.
    trace, appeared
        Of the trial launch, see `trial.Trial`.
    watched, watched_because
        The folders that solvers share, and why; none where they have views of their own.
    faults
        Why the algorithm cannot be loaded. Then the host ends.
    """

    seconds: float = 0.0
    trace: str = ""
    appeared: str | None = None
    watched: list[str] = field(default_factory=list)
    watched_because: str | None = None
    faults: list[str] = field(default_factory=list)
