"""What several statistics share: checks of arguments, and an estimate with its limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats: TypeAlias = NDArray[np.float64]  # an array of numbers


@dataclass(frozen=True)
class Estimate:
    """A value and the limits of its interval; all arrays have the same shape."""

    value: Floats
    low: Floats
    high: Floats


def check_confidence(confidence: float) -> None:
    """Raise ValueError unless a nominal coverage is in (0, 1)."""
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must lie in (0, 1), not {confidence}")


def vector(values: ArrayLike, name: str) -> Floats:
    """The values as an array; ValueError unless they are a vector without NaN."""
    x = np.asarray(values, dtype=np.float64)
    if x.ndim != 1:
        raise ValueError(f"{name} must be a vector, not of the shape {x.shape}")
    if np.isnan(x).any():
        raise ValueError(f"{name} must not have NaN; a result that was not reached is inf")
    return x
