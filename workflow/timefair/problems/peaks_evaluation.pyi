import numpy as np
from numpy.typing import ArrayLike, NDArray

class Evaluation:
    environment: int
    def __init__(
        self,
        *,
        heights: ArrayLike,
        centres: ArrayLike,
        widths: ArrayLike,
        rotations: ArrayLike,
        taus: ArrayLike,
        etas: ArrayLike,
    ) -> None: ...
    @property
    def c_function(self) -> tuple[int, int]: ...
    @property
    def environment_address(self) -> int: ...
    def __call__(self, x: ArrayLike, /) -> NDArray[np.float64]: ...
