from collections.abc import Sequence
from typing import Any

from numpy.typing import ArrayLike

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

class Evaluation:
    def __init__(self, components: Sequence[tuple[Any, ...]], bias: float) -> None: ...
    @property
    def c_function(self) -> tuple[int, int]: ...
    def __call__(self, x: ArrayLike, /) -> float: ...
