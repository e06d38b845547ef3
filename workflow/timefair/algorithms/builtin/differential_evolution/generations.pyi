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
