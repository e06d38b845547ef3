"""Messages for launches without an evaluation: the reason, and what to do."""

from __future__ import annotations

import inspect
import os
import re
from pathlib import Path

PAGE = "see docs/start/own.md"
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

    Parameters
    ----------
    trial
        The `faulthandler` trace of a trial launch that made no evaluation either, innermost call
        first; empty if the trial launch evaluated or ended by itself.
    """
    frames = [match.groupdict() for match in map(_FRAME.match, trial.splitlines()) if match]
    if not frames:
        return "objective(x) was not called before the time was up"
    packages = {part for frame in frames for part in Path(frame["file"]).parts}
    compilers = [name for name in _COMPILERS if name in packages]
    if compilers:
        return (
            f"objective(x) was not called before the time was up: {compilers[0]} was still "
            f"compiling in a trial launch; compile in solve.prepare ({PAGE})"
        )
    at = frames[0]
    where = f"{os.path.basename(at['file'])}, line {at['line']}, in {at['function']}"
    return (
        f"objective(x) was not called before the time was up; a trial launch was at {where}; "
        f"what is done once belongs into solve.prepare ({PAGE})"
    )
