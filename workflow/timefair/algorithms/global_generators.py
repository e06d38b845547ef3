"""numpy's and Python's global random generators. Some libraries draw from them."""

from __future__ import annotations

import random
from typing import Any

import numpy as np


def seed_global_generators(rng: np.random.Generator) -> None:
    """Seed both with numbers from a stream."""
    np.random.seed(rng.integers(2**32, dtype=np.uint32))  # noqa: NPY002
    random.seed(int(rng.integers(2**63)))


def global_states() -> tuple[Any, Any]:
    """The states of both generators."""
    return np.random.get_state(), random.getstate()  # noqa: NPY002


def restore_global_states(states: tuple[Any, Any]) -> None:
    """Restore the states that `global_states` returned."""
    np.random.set_state(states[0])  # noqa: NPY002
    random.setstate(states[1])
