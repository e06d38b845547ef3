"""The optimizers of nevergrad as tuners."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from timefair.algorithms.global_generators import (
    global_states,
    restore_global_states,
    seed_global_generators,
)
from timefair.tuners.space import Number, Options, Range, Values

USUAL_CANDIDATES = 100
"""Number of candidates that an optimizer gets as its budget if the number is unknown."""


class OfNevergrad:
    """Candidates of an optimizer; a whole number is a float of nevergrad that is rounded down."""

    def __init__(
        self, name: str, space: Mapping[str, Range], seed: int, candidates: int | None
    ) -> None:
        import nevergrad as ng

        self._space = space
        shares = ng.p.Dict(**{key: _parameter(one) for key, one in space.items()})
        shares.random_state = np.random.RandomState(seed % 2**32)
        before = global_states()
        seed_global_generators(np.random.default_rng(seed))
        self._states = global_states()
        restore_global_states(before)
        budget = max(candidates or USUAL_CANDIDATES, 1)
        with self._own_generators():
            optimizer = ng.optimizers.registry[name]
            self._optimizer = optimizer(shares, budget=budget, num_workers=1)
        self._asked: Any = None

    def ask(self) -> Values:
        with self._own_generators():
            self._asked = self._optimizer.ask()
        return {key: _value(self._space[key], found) for key, found in self._asked.value.items()}

    def tell(self, loss: float) -> None:
        with self._own_generators():
            self._optimizer.tell(self._asked, loss)

    @contextmanager
    def _own_generators(self) -> Iterator[None]:
        """Give an optimizer its own states of the global generators, and suppress warnings."""
        before = global_states()
        restore_global_states(self._states)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                yield
        finally:
            self._states = global_states()
            restore_global_states(before)


def _parameter(one: Range) -> Any:
    import nevergrad as ng

    if isinstance(one, Options):
        return ng.p.Choice(list(range(len(one.values))))
    assert isinstance(one, Number)
    return ng.p.Scalar(init=0.5, lower=0.0, upper=1.0)


def _value(one: Range, found: Any) -> Any:
    if isinstance(one, Options):
        return one.values[int(found)]
    return one.at(min(max(float(found), 0.0), math.nextafter(1.0, 0.0)))
