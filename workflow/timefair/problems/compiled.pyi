from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

class Evaluation:
    @property
    def c_function(self) -> tuple[int, int]: ...
    def __call__(self, x: ArrayLike, /) -> Any: ...

class Basic: ...

def __getattr__(name: str) -> Basic: ...  # each basic function, in capitals

class Composed(Evaluation):
    def __init__(self, components: Sequence[tuple[Any, ...]], bias: float) -> None: ...

class InGroups(Evaluation):
    def __init__(self, grouped: int, rest: int, **data: Any) -> None: ...

class Landscape(Evaluation):
    environment: int
    def __init__(self, **peaks: NDArray[np.float64]) -> None: ...
    @property
    def environment_address(self) -> int: ...

class NoisyPair(Evaluation):
    def __init__(self, evaluate: int, problem: int, noise_free: int, dimension: int) -> None: ...
