"""What begins: processes that work for a job, and launches, with their seeds and their pauses."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import pickle
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from timefair.algorithms.base import seed_global_generators
from timefair.basics.errors import InputError, Interrupted
from timefair.machine.linux import kernel
from timefair.machine.linux.kernel import ends_at_once
from timefair.problems.base import ProblemName

LONGEST = 1 << 20  # maximal length of a message between interpreters, in bytes


class NoAnswer(Exception):
    """The process of a function ended before the function had returned."""


def elsewhere(function: Callable[[], Any], within_s: float | None = None) -> Any:
    """The value of a function, computed in a fork of this process; JSON can represent it.

    The fork is killed after `within_s` seconds; None for no limit. An `InputError` is raised here
    as well; `NoAnswer` if the function raises anything else, ends its process or takes too long.
    """
    answers = os.memfd_create("timefair-answer")

    def live() -> None:
        ends_at_once()
        try:
            answer = {"value": function()}
        except InputError as error:
            answer = {"faults": list(error.faults)}
        os.write(answers, json.dumps(answer).encode())

    pid = kernel.forked(live)
    if within_s is not None:
        kernel.wait_or_kill(pid, within_s)
    os.waitpid(pid, 0)
    if not (text := kernel.taken(answers)):
        raise NoAnswer
    answer = json.loads(text)
    if "faults" in answer:
        raise InputError(*answer["faults"])
    return answer["value"]


@contextmanager
def companion(
    module: str, message: object, fault: Callable[[int], str]
) -> Iterator[tuple[int, socket.socket, bytes]]:
    """Start an interpreter for a module's ``main``, which gets the descriptor of its socket, and
    answers the pickled message: its process id, the socket, and the answer. It is ended with the
    block. `InputError` with the line of `fault`, from the exit status, if it does not answer.
    """
    code = f"import sys; from {module} import main; main(*sys.argv[1:])"
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs:
        fd = theirs.fileno()
        process = subprocess.Popen([sys.executable, "-P", "-c", code, str(fd)], pass_fds=[fd])
        try:
            theirs.close()
            ours.send(pickle.dumps(message))
            if not (answer := ours.recv(LONGEST)):
                raise InputError(fault(process.wait()))
            yield process.pid, ours, answer
        finally:
            process.kill()
            process.wait()


def forked(connection: socket.socket, request: object, fds: Sequence[int]) -> int:
    """Let the `companion` at the other end fork a process, and adopt it; return its number."""
    socket.send_fds(connection, [pickle.dumps(request)], fds)
    if not (answer := connection.recv(32)):
        raise Interrupted(signal.SIGKILL)
    return int(answer)


def fork_on_request(connection: socket.socket, live: Callable[[Any, list[int]], NoReturn]) -> None:
    """Fork ``live(request, fds)`` whenever `forked` asks for it, as a child of who asks."""
    while True:
        message, fds, *_ = socket.recv_fds(connection, LONGEST, 16)
        if not message:
            return
        pid = kernel.forked_beside(partial(live, pickle.loads(message), fds))
        for fd in fds:
            os.close(fd)
        connection.send(str(pid).encode())


# --- Launches -----------------------------------------------------------------------------------


def run_seed(campaign_seed: int, problem: ProblemName, algorithm: str, run: int) -> int:
    """The seed of a run, a whole number below 2**64, from the names of its cell."""
    names = (
        campaign_seed, problem.suite, problem.function, problem.dimension, problem.instance,
        algorithm, run,
    )  # fmt: skip
    text = "|".join(map(str, names))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def stream(seed: int, launch: int) -> np.random.Generator:
    """The stream of a launch (from 0) of the run with this seed, which also seeds global
    generators.
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
    """The message of a launch that was still busy at the end of its time. `trial`: the
    `faulthandler` trace of a trial launch, innermost call first; empty if that evaluated or ended.
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


def point_of(returned: object, dimension: int) -> NDArray[np.float64] | None:
    """The point in the result of `solve`, as `algorithms.base.Solve` says; None without one."""
    found = returned if isinstance(returned, np.ndarray | list | tuple) else None
    try:
        point = np.asarray(getattr(returned, "x", None) if found is None else found, dtype=float)
    except Exception:  # what an algorithm returns may be anything
        return None
    right = point.shape == (dimension,) and bool(np.isfinite(point).all())
    return np.array(point) if right else None
