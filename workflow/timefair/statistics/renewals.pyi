import numpy as np
from numpy.typing import NDArray

def begun_on_lattice(
    steps: NDArray[np.intp], chances: NDArray[np.float64], size: int
) -> NDArray[np.float64]: ...
def added(
    first: NDArray[np.float64],
    of_first: NDArray[np.float64],
    second: NDArray[np.float64],
    of_second: NDArray[np.float64],
    limit: float,
    slack: float,
    kept: bool,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def first_reaching(
    sums: NDArray[np.float64],
    begun: NDArray[np.float64],
    successes: NDArray[np.float64],
    wanted: float,
    limit: float,
    slack: float,
) -> float: ...
