import numpy as np
from numpy.typing import NDArray

Outcomes = tuple[NDArray[np.float64], NDArray[np.float64]]

class Laws:
    def __init__(
        self,
        cutoffs: NDArray[np.float64],
        chance: NDArray[np.float64],
        cost: NDArray[np.float64],
        failure: NDArray[np.float64],
        alike: NDArray[np.bool_],
    ) -> None: ...
    def fixed(self, first: NDArray[np.intp], budget: float) -> Outcomes: ...
    def geometric(self, first: NDArray[np.intp], budget: float) -> Outcomes: ...
    def luby(self, first: NDArray[np.intp], budget: float, doubling: int) -> Outcomes: ...
