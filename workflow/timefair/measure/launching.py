"""What a launch gets, and how it is watched: seed, idleness, pauses, what it recommends."""

from __future__ import annotations

import hashlib
import inspect
import os
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from timefair.algorithms.pausable import PausableThread, seed_global_generators
from timefair.problems.base import ProblemName


def run_seed(campaign_seed: int, problem: ProblemName, algorithm: str, run: int) -> int:
    """The seed of a run, a whole number below 2**64, from the names of its cell."""
    names = (
        campaign_seed, problem.suite, problem.function, problem.dimension, problem.instance,
        algorithm, run,
    )  # fmt: skip
    text = "|".join(map(str, names))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def stream(seed: int, launch: int) -> np.random.Generator:
    """The stream of a launch (from 0) of the run with this seed; the global generators of numpy and
    Python are seeded too.
    """
    rng = np.random.default_rng([seed, launch])
    seed_global_generators(rng)
    return rng


PAGE = "see docs/guide/own.md"
_FRAME = re.compile(r'  File "(?P<file>[^"]*)", line (?P<line>\d+) in (?P<function>.*)')
_COMPILERS = ("numba", "jax", "torch", "pyximport", "Cython")
"""Packages that compile when a function is first called."""


class Remark(str):
    """Message of `of_a_return` in the process of an algorithm with `isolation: strict`."""


def of_a_return(returned: object) -> str:
    """The message of a launch that returned this object without an evaluation."""
    if isinstance(returned, Remark):
        return returned
    if inspect.isgenerator(returned):
        return (
            "solve is a generator: its body runs only when somebody iterates over it; "
            f"call objective(x) and do not yield ({PAGE})"
        )
    if inspect.iscoroutine(returned) or inspect.isasyncgen(returned):
        return f"solve is async: its body did not run; write def, not async def ({PAGE})"
    what = "" if returned is None else f" an object of type {type(returned).__name__}"
    return f"the algorithm returned{what} without an evaluation; it has to run the search itself"


def of_a_timeout(trial: str) -> str:
    """The message of a launch that was still busy at the end of its time.

    `trial` is the `faulthandler` trace of a trial launch that made no evaluation either, innermost
    call first; empty if the trial launch evaluated or ended by itself.
    """
    late = "objective(x) was not called before the time was up"
    frames = [match.groupdict() for match in map(_FRAME.match, trial.splitlines()) if match]
    if not frames:
        return late
    packages = {part for frame in frames for part in Path(frame["file"]).parts}
    if compiler := next((name for name in _COMPILERS if name in packages), ""):
        still = f"{compiler} was still compiling in a trial launch"
        return f"{late}: {still}; compile in solve.prepare ({PAGE})"
    at = frames[0]
    where = f"{os.path.basename(at['file'])}, line {at['line']}, in {at['function']}"
    once = f"what is done once belongs into solve.prepare ({PAGE})"
    return f"{late}; a trial launch was at {where}; {once}"


class PausableLaunch(PausableThread):
    """A launch in its own thread; it calls ``pause`` when its turn is used up."""

    def __init__(
        self, launch: Callable[[Callable[[], None]], object], best: Callable[[], float]
    ) -> None:
        super().__init__(lambda: launch(self.pause))
        self._best = best

    @property
    def best(self) -> float:
        return self._best()


def point_of(returned: object, dimension: int) -> NDArray[np.float64] | None:
    """The point in the result of `solve`, as `algorithms.base.Solve` says; None without one."""
    found = returned if isinstance(returned, np.ndarray | list | tuple) else None
    try:
        point = np.asarray(getattr(returned, "x", None) if found is None else found, dtype=float)
    except Exception:  # what an algorithm returns may be anything
        return None
    right = point.shape == (dimension,) and bool(np.isfinite(point).all())
    return np.array(point) if right else None
