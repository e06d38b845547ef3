"""The point that an algorithm recommends by what it returns."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def point_of(returned: object, dimension: int) -> NDArray[np.float64] | None:
    """The point in the result of `solve`; None if there is none.

    A point is an array, list or tuple of `dimension` finite numbers, or the attribute ``x`` of the
    returned object, as in scipy's results.
    """
    found = returned if isinstance(returned, np.ndarray | list | tuple) else None
    try:
        point = np.asarray(getattr(returned, "x", None) if found is None else found, dtype=float)
    except Exception:  # what an algorithm returns may be anything
        return None
    right = point.shape == (dimension,) and bool(np.isfinite(point).all())
    return np.array(point) if right else None
