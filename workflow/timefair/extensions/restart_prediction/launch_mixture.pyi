import numpy as np
from numpy.typing import NDArray

def mixed(
    sums: NDArray[np.float64],
    count: NDArray[np.float64],
    own: NDArray[np.float64],
    longest: NDArray[np.float64],
    shortest: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]: ...
