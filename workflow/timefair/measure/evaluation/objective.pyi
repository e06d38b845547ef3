from collections.abc import Callable
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from timefair.algorithms.base import ConstrainedObjective as ConstrainedObjective
from timefair.algorithms.base import Objective as Objective
from timefair.problems.base import Problem

NEVER: int
AT_ONCE: int
MOST_BATCHES: int
HEADER: np.dtype[np.void]
EVENT: np.dtype[np.void]
BATCH: np.dtype[np.void]
LAUNCH: np.dtype[np.void]

def vector_dtype(numbers: int) -> np.dtype[np.void]: ...

Stop = IntEnum("Stop", "RUNNING TARGET TIME EVALUATIONS ENDED FAILURE SOLVER_ENDED OUT_OF_MEMORY")
LaunchCode = IntEnum(
    "LaunchCode", "OPEN RETURNED TAU LAUNCH_TARGET LAUNCH_CUT LAUNCH_FAILED STAGNATED"
)

class LaunchCut(BaseException): ...

def now_ns(cpu: bool = ...) -> int: ...
def cpu_ns() -> int: ...

class Log:
    fd: int
    dtype: np.dtype[np.void]
    def __init__(self, fd: int, dtype: np.dtype[np.void], rows: int = ...) -> None: ...

class Measurement:
    def __init__(
        self, problem: Problem, header: NDArray[np.void], *logs: Any, **_: Any
    ) -> None: ...
    @property
    def objective(self) -> Objective: ...
    def start(self, t0: int, deadline: int = ..., cpu: bool = ...) -> None: ...
    def begin_launch(
        self,
        start: int = ...,
        deadline: int = ...,
        evaluations: int = ...,
        turn: tuple[int, int] = ...,
        pause: Callable[[], object] | None = ...,
    ) -> None: ...
    def until_change(self, now: int) -> tuple[int, int]: ...
    def recommend(self, x: ArrayLike) -> None: ...
    def end_launch(self, code: int) -> int: ...
    def finish(self, stop: int) -> None: ...
    def disown(self) -> None: ...
