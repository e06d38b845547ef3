import numpy as np
from numpy.typing import NDArray

TUPLES: int

class Cases:
    def __init__(
        self,
        samples: NDArray[np.float64],
        counts: NDArray[np.int64],
        techniques: NDArray[np.int64],
        low: NDArray[np.float64],
        high: NDArray[np.float64],
    ) -> None: ...

class Truth:
    def __init__(
        self,
        samples: NDArray[np.float64],
        low: NDArray[np.float64],
        high: NDArray[np.float64],
        nested: bool,
    ) -> None: ...

class Plan:
    def __init__(
        self,
        draws: int,
        resamples: int,
        seeds: NDArray[np.uint64],
        normal: NDArray[np.float64],
        z: float,
        margin: float,
        bands: NDArray[np.float64],
    ) -> None: ...

def judge(
    cases: Cases, truth: Truth, plan: Plan
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def tuple_sums(
    values: NDArray[np.float64], draws: int, room: int
) -> tuple[NDArray[np.float64], int]: ...
def resampled_means(
    values: NDArray[np.float64], draws: int, resamples: int, seed: int
) -> NDArray[np.float64]: ...
