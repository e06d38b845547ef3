from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

class Evaluation:
    @property
    def c_function(self) -> tuple[int, int]: ...
    def __call__(self, x: ArrayLike, /) -> Any: ...

class Basic:
    name: str
    rate: float

ACKLEY: Basic
BENT_CIGAR: Basic
DIFFERENT_POWERS: Basic
DISCUS: Basic
ELLIPTIC: Basic
GRIEWANK: Basic
GRIEWANK_ROSENBROCK: Basic
HAPPYCAT: Basic
HGBAT: Basic
KATSUURA: Basic
LEVY: Basic
LEVY_2017: Basic
LUNACEK: Basic
RASTRIGIN: Basic
ROSENBROCK: Basic
SCHAFFER_F6: Basic
SCHAFFER_F7: Basic
SCHWEFEL: Basic
WEIERSTRASS: Basic
ZAKHAROV: Basic

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
