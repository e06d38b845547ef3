import numpy as np
from numpy.typing import NDArray

LEAST_KEPT: int

def fences_all(
    samples: NDArray[np.float64], counts: NDArray[np.int64], techniques: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def skewness(
    ordered: NDArray[np.float64], technique: int = -1
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]: ...
def stop_all(
    samples: NDArray[np.float64],
    techniques: NDArray[np.int64],
    limits: NDArray[np.float64],
    starts: NDArray[np.int64],
    caps: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]: ...
