from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timefair.algorithms.base import Objective

class ShareUsed(BaseException): ...

class Share:
    evaluations: int
    closed: bool
    dimension: int
    def __init__(
        self,
        objective: Objective,
        hand_over: Callable[[], object],
        evaluations_left: int | None = ...,
    ) -> None: ...
    def grant(self, evaluations: int | None = ..., time_ns: int | None = ...) -> None: ...
    @property
    def lower(self) -> NDArray[np.float64]: ...
    @property
    def upper(self) -> NDArray[np.float64]: ...
    @property
    def integer(self) -> NDArray[np.bool_]: ...
    @property
    def evaluations_left(self) -> int | None: ...
    def __call__(self, x: Any, /) -> float: ...
    def batch(self, points: Any, /) -> NDArray[np.float64]: ...
