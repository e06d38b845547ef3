import numpy as np
from numpy.typing import NDArray

def renewals(
    steps: NDArray[np.intp], chances: NDArray[np.float64], size: int
) -> NDArray[np.float64]: ...
