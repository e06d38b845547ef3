"""What a user chooses about the analysis; nothing here changes a measurement."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Analysis:
    """Settings that all tables share.

    Attributes
    ----------
    targets
        Precisions to reach, each finite and at least 0, without repetition.
    quantiles
        Probabilities in (0, 1] of the quantiles table.
    confidence
        Nominal coverage of intervals, in (0, 1).
    resamples
        Bootstrap samples of an interval.
    seed
        Of the bootstrap. The draws of a row depend on it and on the row's own names only, so that
        another algorithm in the campaign does not change them.
    band
        Probabilities of the edges of the band around a median trajectory.
    """

    targets: tuple[float, ...]
    quantiles: tuple[float, ...] = (0.1, 0.5, 0.9)
    confidence: float = 0.95
    resamples: int = 1000
    seed: int = 0
    band: tuple[float, float] = (0.25, 0.75)

    def __post_init__(self) -> None:
        if not self.targets or not all(0 <= t < math.inf for t in self.targets):
            raise ValueError(f"targets must be finite and at least 0, got {self.targets}")
        if len(set(self.targets)) < len(self.targets):
            raise ValueError(f"targets must not repeat, got {self.targets}")
        if not self.quantiles or not all(0 < p <= 1 for p in self.quantiles):
            raise ValueError(f"quantiles must lie in (0, 1], got {self.quantiles}")
        if not 0 < self.confidence < 1:
            raise ValueError(f"confidence must lie in (0, 1), not {self.confidence}")
        if self.resamples < 1:
            raise ValueError(f"resamples must be at least 1, not {self.resamples}")
        if self.seed < 0:
            raise ValueError(f"seed must not be negative, not {self.seed}")
        if not 0 <= self.band[0] <= self.band[1] <= 1:
            raise ValueError(f"band must be two rising probabilities, not {self.band}")

    @property
    def targets_from_easy(self) -> tuple[float, ...]:
        """The targets, largest precision first: the order of rows in every table."""
        return tuple(sorted(self.targets, reverse=True))
