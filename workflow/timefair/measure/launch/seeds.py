"""One campaign seed, and a stream of its own for every launch of every run."""

from __future__ import annotations

import hashlib
import random
from typing import Any

import numpy as np

from timefair.problems.base import ProblemName


def run_seed(campaign_seed: int, problem: ProblemName, algorithm: str, run: int) -> int:
    """The seed of a run, a whole number below 2**64, from the names of its cell.

    A run can be repeated alone, and no two runs share a stream: the names go through SHA-256.
    """
    names = (
        campaign_seed, problem.suite, problem.function, problem.dimension, problem.instance,
        algorithm, run,
    )  # fmt: skip
    text = "|".join(map(str, names))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def stream(seed: int, launch: int) -> np.random.Generator:
    """The stream of launch number `launch` (from 0) of the run with this seed.

    It also seeds numpy's and Python's global generators, which some libraries draw from.
    """
    rng = np.random.default_rng([seed, launch])
    np.random.seed(rng.integers(2**32, dtype=np.uint32))  # noqa: NPY002
    random.seed(int(rng.integers(2**63)))
    return rng


def global_states() -> tuple[Any, Any]:
    """The states of numpy's and Python's global generators."""
    return np.random.get_state(), random.getstate()  # noqa: NPY002


def restore_global_states(states: tuple[Any, Any]) -> None:
    """Take up what `global_states` told."""
    np.random.set_state(states[0])  # noqa: NPY002
    random.setstate(states[1])
