"""Random search: every candidate is drawn uniformly from the space (Bergstra and Bengio 2012)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from timefair.tuners.space import Range, Values


class Uniform:
    """Candidates that do not depend on the losses."""

    def __init__(self, space: Mapping[str, Range], seed: int) -> None:
        self._space, self._rng = space, np.random.default_rng(seed)

    def ask(self) -> Values:
        return {name: one.at(self._rng.random()) for name, one in self._space.items()}

    def tell(self, loss: float) -> None:
        """Random search learns nothing."""
