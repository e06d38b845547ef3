"""What is done before any clock starts: processes begin; an algorithm is loaded, prepared and tried
out. A trial launch in a separate process finds the modules that a launch imports; the parent, of
which each run is a fork, imports them.
"""

from __future__ import annotations

import faulthandler
import gc
import hashlib
import importlib
import inspect
import json
import os
import pickle
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from timefair.algorithms import libraries
from timefair.algorithms.adapter import has_constraints
from timefair.algorithms.algorithm import (
    Algorithm,
    ConstrainedObjective,
    Objective,
    seed_global_generators,
)
from timefair.basics import threads
from timefair.basics.errors import InputError, Interrupted
from timefair.basics.modules import hidden_modules
from timefair.machine.linux import kernel
from timefair.machine.linux.kernel import Keeper, ends_at_once
from timefair.measure.evaluation.objective import now_ns
from timefair.measure.evaluation.state import State, take_output
from timefair.measure.isolation import Views, appeared, fingerprint, scratch_folder
from timefair.problems.problem import Problem, ProblemName

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


@dataclass(frozen=True)
class Companion:
    """Another interpreter, which forks processes that are children of this one: its number, the
    socket to it, what it told, and the keeper of what it forks, if the kernel allows one.
    """

    pid: int
    connection: socket.socket
    told: Any
    keeper: Keeper | None

    def forked(self, request: object, fds: Sequence[int]) -> int:
        """Let it fork a process that lives by its `Life`; return the number of the process."""
        socket.send_fds(self.connection, [pickle.dumps(request)], fds)
        if not (answer := self.connection.recv(32)):
            raise Interrupted(signal.SIGKILL)
        return int(answer)


Life = Callable[[Any, list[int]], NoReturn]  # of a request and descriptors
Ready = tuple[object, Life, Views]  # what to tell, as of JSON; and the views of what it forks


@contextmanager
def companion(module: str, message: object, name: str) -> Iterator[Companion]:
    """Start an interpreter for a module's ``ready(starter, message)``, which gives a `Ready`; it is
    ended with the block. `InputError` with its faults, or with its `name` if it does not answer.
    Messages from it are JSON: it may have run the user's code.
    """
    code = "import sys; from timefair.measure.trial import accompany; accompany(*sys.argv[1:])"
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs:
        fd = theirs.fileno()
        words = [sys.executable, "-P", "-c", code, module, str(fd)]
        process = subprocess.Popen(words, pass_fds=[fd])
        try:
            theirs.close()
            ours.send(pickle.dumps((os.getpid(), message)))
            answer, fds, *_ = socket.recv_fds(ours, LONGEST, 2)
            if not answer:
                raise InputError(f"{name} ended with status {process.wait()}")
            faults, told, number = json.loads(answer)
            if faults:
                raise InputError(*faults)
            kernel.end_orphans(spare=[process.pid])  # that its trial launch left
            keeper = Keeper(socket.socket(fileno=fds[0]), fds[1], number) if fds else None
            yield Companion(process.pid, ours, told, keeper)
        finally:
            process.kill()
            process.wait()


def accompany(module: str, descriptor: str) -> None:
    connection = socket.socket(fileno=int(descriptor))
    starter, message = pickle.loads(connection.recv(LONGEST))
    kernel.die_with_parent(starter)
    ends_at_once()
    told, fds, faults, number = None, list[int](), tuple[str, ...](), 0
    try:
        told, live, views = importlib.import_module(module).ready(starter, message)
    except InputError as error:
        faults = error.faults
    else:
        if views.namespaces:
            keeper = kernel.make_keeper(network=views.network)
            fds, number = [keeper.connection.detach(), keeper.answers], keeper.number
    socket.send_fds(connection, [json.dumps([faults, told, number]).encode()], fds)
    while not faults:
        for fd in fds:
            os.close(fd)
        request, fds, *_ = socket.recv_fds(connection, LONGEST, 16)
        if not request:
            return
        pid = kernel.forked_beside(partial(live, pickle.loads(request), fds))
        connection.send(str(pid).encode())


# --- Launches: seeds, what to say of one, and how integers and constraints are shown to it -------


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
_FRAME = re.compile(r'^  File "([^"]*)", line (\d+) in (.*)', re.MULTILINE)
_COMPILERS = ("numba", "jax", "torch", "pyximport", "Cython")  # when a function is called


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
    if not (frames := _FRAME.findall(trial)):
        return late
    packages = {part for file, *_ in frames for part in Path(file).parts}
    if compiler := next((name for name in _COMPILERS if name in packages), ""):
        still = f"{compiler} was still compiling in a trial launch"
        return f"{late}: {still}; compile in solve.prepare ({PAGE})"
    file, line, function = frames[0]
    where = f"{os.path.basename(file)}, line {line}, in {function}"
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


class _Beneath:
    """An objective that shows another one, without its ``c_function`` and its constraints."""

    _HIDDEN = frozenset(
        {"c_function", "constraints", "number_of_constraints", "constraint_evaluations", "start"}
    )
    _objective: Any

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name in self._HIDDEN:
            raise AttributeError(name)
        return getattr(self._objective, name)


class Penalized(_Beneath):
    """An objective without constraints, with a penalty for violations; it counts points."""

    _HIDDEN = _Beneath._HIDDEN - {"start"}

    def __init__(self, objective: ConstrainedObjective, weight: float) -> None:
        self._objective, self._weight, self.shown = objective, weight, 1

    @property
    def evaluations(self) -> int:
        return int(self._objective.evaluations // 2)

    @property
    def evaluations_left(self) -> int | None:
        left = self._objective.evaluations_left
        return None if left is None else left // 2

    def __call__(self, x: Any, /) -> Any:
        g = self._objective.constraints(x)
        return self._objective(x) + self._weight * float(np.maximum(g, 0.0).sum())

    def batch(self, points: Any, /) -> NDArray[np.float64]:
        return np.array([self(x) for x in np.atleast_2d(points)], dtype=np.float64)


def penalized(algorithm: Algorithm, weight: float) -> Algorithm:
    return _showing(algorithm, lambda one: Penalized(one, weight) if has_constraints(one) else one)


def _showing(algorithm: Algorithm, shown: Callable[[Objective], Any]) -> Algorithm:
    return replace(algorithm, solve=lambda objective, rng: algorithm.solve(shown(objective), rng))


class Rounded(_Beneath):
    """An objective that rounds the integer variables of its points, and shows all as continuous."""

    def __init__(self, objective: Objective) -> None:
        self._objective, self._integer = objective, objective.integer
        integer = self._integer
        self._least, self._most = objective.lower[integer], objective.upper[integer]
        self.dimension = objective.dimension
        self.lower, self.upper = objective.lower - 0.5 * integer, objective.upper + 0.5 * integer
        self.integer = np.zeros(self.dimension, dtype=bool)

    def recommend(self, x: Any, /) -> None:
        self._objective.recommend(self._rounded(x))

    def __call__(self, x: Any, /) -> Any:
        return self._objective(self._rounded(x))

    def batch(self, points: Any, /) -> Any:
        return self._objective.batch(self._rounded(points))

    def _rounded(self, points: Any) -> NDArray[np.float64]:
        copy = np.array(points, dtype=np.float64)
        if copy.shape[-1:] == (self.dimension,):  # any other shape is refused by the objective
            values = np.rint(copy[..., self._integer])
            copy[..., self._integer] = np.clip(values, self._least, self._most)
        return copy


class Keyed(Rounded):
    """An objective that takes keys from 0 to 1, whose order is its permutation (Bean 1994)."""

    def __init__(self, objective: Objective) -> None:
        super().__init__(objective)
        self.lower, self.upper = np.zeros(self.dimension), np.ones(self.dimension)

    def _rounded(self, points: Any) -> NDArray[np.float64]:
        keys = np.array(points, dtype=np.float64)
        order = np.argsort(keys, axis=-1, kind="stable").astype(np.float64)
        order[np.isnan(keys).any(axis=-1)] = np.nan
        return order


AS: Mapping[str, Callable[[Algorithm], Algorithm]] = {
    "native": lambda algorithm: algorithm,
    "round": lambda algorithm: _showing(
        algorithm, lambda one: Rounded(one) if one.integer.any() else one
    ),
    "keys": lambda algorithm: _showing(algorithm, Keyed),
}
"""How an algorithm gets integer variables, by the key ``integer`` of a campaign."""


def load(
    use: str, parameters: Mapping[str, object], integer: str, penalty: float | None = None
) -> Algorithm:
    """Load an algorithm; InputError with all its faults. `integer`: see `AS`; `penalty`: weight."""
    library, _ = libraries.find(use)
    with hidden_modules(*library.unneeded):
        import_modules(library.modules)  # what is missing, the registry will report
    loaded = AS[integer](libraries.load(use, parameters))
    return loaded if penalty is None else penalized(loaded, penalty)


TRIAL_EVALUATIONS_PER_DIMENSION = 40
TRIAL_S = 0.3  # a trial ends at the first evaluation after this time
TRIAL_KILL_S = 5 * TRIAL_S  # a trial ends at this time even if it makes no evaluation
TRACE_S = 1.5 * TRIAL_S  # the trace of a trial that has made no evaluation by then is kept
LATE_S = 1.0  # after this further time, the parent ends a trial that has not ended


class Trial(NamedTuple):
    """What a trial launch showed: the modules that it loaded, in order, its `faulthandler` trace if
    it made no evaluation, and files that it made or changed in folders that runs share.
    """

    modules: Sequence[str] = ()
    trace: str = ""
    appeared: str | None = None


def prepare(
    algorithm: Algorithm,
    problem: Problem,
    memory_mb: float | None = None,
    views: Views | None = None,
    cores: int = 1,
) -> Trial:
    """Bring this process into the state in which every run begins. Without a trial if it has
    threads that its runs would lose (`basics.threads`): they begin in other processes.
    """
    with threads.noted():
        algorithm.prepare()
    if threads.lost():
        return Trial()
    trial = trial_launch(lambda: (algorithm, problem), memory_mb, views or Views(), cores)
    with threads.noted():
        import_modules(trial.modules)
    gc.collect()
    gc.freeze()  # no collection touches, and so copies, what the runs share
    return trial


def import_modules(names: Iterable[str]) -> None:
    for name in names:
        with suppress(Exception):  # a module that only its library can import
            importlib.import_module(name)


@scratch_folder()
def trial_launch(
    load: Callable[[], tuple[Algorithm, Problem]],
    memory_mb: float | None,
    views: Views,
    cores: int = 1,
    within_s: float = 0.0,
) -> Trial:
    """Launch an algorithm in a fork, in which `load` returns it and the problem in `within_s`."""
    before = fingerprint(views.watched)
    told = os.memfd_create("timefair-modules")  # a pipe might be held open by forks of the trial
    trace, memory = os.memfd_create("timefair-trace"), State()

    def launch(parent: int) -> None:
        kernel.keep_descriptors([*memory.fds, told, trace])
        os.setsid()
        views.enter()
        kernel.die_with_parent(parent)
        algorithm, problem = load()
        kernel.limit_memory(memory_mb)
        kernel.KillTimer().set(now_ns() + round(1e9 * TRIAL_KILL_S))
        faulthandler.dump_traceback_later(TRACE_S, file=trace)
        take_output(os.open(os.devnull, os.O_WRONLY))
        known, rng = set(sys.modules), stream(0, 0)

        def tell() -> None:
            new = [name for name in list(sys.modules) if name not in known]
            known.update(new)
            os.write(told, "".join(f"{name}\n" for name in new).encode())

        def evaluate(x: NDArray[np.float64]) -> Any:
            faulthandler.cancel_dump_traceback_later()
            os.ftruncate(trace, 0)
            value = problem.evaluate(x)
            tell()
            return value

        measurement = State.of(problem, memory.fds).measurement(
            replace(problem, evaluate=evaluate, native=None),
            cap=TRIAL_EVALUATIONS_PER_DIMENSION * problem.dimension,
            cores=cores,
        )
        now = now_ns()
        measurement.start(now, now + round(TRIAL_S * 1e9))
        measurement.begin_launch()
        algorithm.solve(measurement.objective, rng)  # the runs will report what it raises
        tell()

    def guard() -> None:
        ends_at_once()
        os.setsid()
        keeper = None
        if views.namespaces:
            keeper = kernel.make_keeper(network=views.network)  # it ends with this process
        os.waitpid(kernel.forked(partial(launch, os.getpid())), 0)
        if keeper is not None:
            keeper.sweep()

    pid = kernel.forked(guard)
    kernel.wait_or_kill(pid, within_s + TRIAL_KILL_S + LATE_S)
    kernel.end_group_and_orphans(pid)
    os.waitpid(pid, 0)
    memory.close()
    changed = appeared(before, fingerprint(views.watched))
    return Trial(kernel.taken(told).split(), kernel.taken(trace), changed)


COST_EVALUATIONS, COST_S = 400, 1.0
"""The cost of an evaluation is the least of 5 means over so many evaluations, or over fewer if all
would take longer than `COST_S`.
"""


def evaluation_cost_s(
    objective: Callable[[NDArray[np.float64]], object], problem: Problem
) -> tuple[float, float]:
    """Seconds of one evaluation: by the instrumented objective, and by the suite's own call."""
    x = problem.points(3)[1]  # the middle
    start = now_ns()
    problem.evaluate(x)
    count = max(1, min(COST_EVALUATIONS, round(COST_S * 1e9 / (10 * max(now_ns() - start, 1)))))

    def mean_s(call: Callable[[NDArray[np.float64]], object]) -> float:
        start = now_ns()
        for _ in range(count):
            call(x)
        return (now_ns() - start) / count / 1e9

    one, other = (min(mean_s(call) for _ in range(5)) for call in (objective, problem.evaluate))
    return one, other
