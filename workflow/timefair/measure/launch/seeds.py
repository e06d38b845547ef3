"""Seeds of runs, and an independent random stream for every launch, from one campaign seed."""

from __future__ import annotations

import hashlib

import numpy as np

from timefair.algorithms.global_generators import seed_global_generators
from timefair.problems.base import ProblemName


def run_seed(campaign_seed: int, problem: ProblemName, algorithm: str, run: int) -> int:
    """The seed of a run, a whole number below 2**64, from the names of its cell.

    The names are hashed with SHA-256, so a run can be repeated alone and no two runs share a
    stream.
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
    seed_global_generators(rng)
    return rng
