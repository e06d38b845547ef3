from enum import IntEnum
from typing import Any

import numpy as np

from timefair.algorithms.algorithm import Objective
from timefair.problems.problem import Problem

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
    objective: Objective
    def __init__(self, problem: Problem, state: Any, **options: Any) -> None: ...
    def __getattr__(self, method: str) -> Any: ...
