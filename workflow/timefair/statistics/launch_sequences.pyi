import numpy as np
from numpy.typing import NDArray

def growing(
    cutoffs: NDArray[np.float64],
    chance: NDArray[np.float64],
    cost: NDArray[np.float64],
    failure: NDArray[np.float64],
    budget: float,
    first: NDArray[np.intp],
    factor: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def universal(
    cutoffs: NDArray[np.float64],
    chance: NDArray[np.float64],
    cost: NDArray[np.float64],
    failure: NDArray[np.float64],
    budget: float,
    first: NDArray[np.intp],
    doubling: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def side_by_side(
    cutoffs: NDArray[np.float64],
    chance: NDArray[np.float64],
    cost: NDArray[np.float64],
    copies: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
