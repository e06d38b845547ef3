from collections.abc import Callable
from typing import Any

import numpy as np

from timefair.algorithms.base import Objective

def minimize(
    objective: Objective,
    rng: np.random.Generator,
    *,
    vectors: str,
    exponential: bool,
    F: float | None,
    CR: float,
    size: int,
    patience: int | None,
    bounds: str,
) -> None: ...

class ShareUsed(BaseException): ...

class Share:
    closed: bool
    evaluations: int
    def __init__(
        self,
        objective: Objective,
        hand_over: Callable[[], object],
        evaluations_left: int | None = ...,
    ) -> None: ...
    def __getattr__(self, name: str) -> Any: ...  # as of an objective
    def grant(self, evaluations: int | None = ..., time_ns: int | None = ...) -> None: ...
