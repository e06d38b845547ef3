"""The library ``external``: ``external:./solver --flag`` launches a command of the user's.

Each launch is a process, to which timefair speaks by the line protocol of docs/guide/external.md.
"""

from __future__ import annotations

import contextlib
import os
import re
import select
import shlex
import shutil
import signal
import subprocess
import tempfile
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from timefair.algorithms.algorithm import CONTINUOUS, Algorithm, Implementation, Library, Objective
from timefair.algorithms.external.spawn import spawn
from timefair.basics.disk import cache_folder, short, temporary_folder
from timefair.basics.errors import InputError
from timefair.problems.problem import Number, Variables, wrong_parameters

VERSION = 1
SEEDS = 2**53  # seeds are below this number: languages that only have doubles can represent them
SHOWN = 80  # maximal number of characters of a wrong line in a message

Scalar = None | bool | int | float | str


class ExternalError(RuntimeError):
    """An external algorithm ended with an error or did not follow the protocol."""


# --- Messages to the command ----------------------------------------------------------------


def header(objective: Objective, seed: int, parameters: Mapping[str, object]) -> bytes:
    lines: list[tuple[object, ...]] = [
        ("timefair", VERSION),
        ("dimension", objective.dimension),
        ("lower", *objective.lower.tolist()),
        ("upper", *objective.upper.tolist()),
    ]
    if objective.integer.any():
        lines.append(("integer", *objective.integer.astype(int).tolist()))
    lines.append(("seed", seed))
    if objective.evaluations_left is not None:
        lines.append(("evaluations", objective.evaluations_left))
    lines += [("parameter", name, value) for name, value in parameters.items()]
    lines.append(("begin",))
    return "".join(" ".join(map(_words, line)) + "\n" for line in lines).encode()


def answers(values: Iterable[float]) -> bytes:
    r"""One line per value.

    >>> answers([0.1, float("inf")])
    b'0.1\ninf\n'
    """
    return "".join([f"{float(value)!r}\n" for value in values]).encode()


def parameter_faults(parameters: Mapping[str, object]) -> list[str]:
    """Check parameters; one line per parameter that does not fit a line of the header."""
    lines = []
    for name, value in parameters.items():
        if not _is_word(name):
            lines.append(f"{name!r} cannot be a parameter of an external algorithm: write one word")
        elif not _fits(value):
            lines.append(
                f"{name!r} of an external algorithm is a number, a text of one line, true, false, "
                f"null or a list of numbers and words, not {value!r}"
            )
    return lines


def _words(value: object) -> str:
    """A value as text in a line: ``true``, ``none``, ``0.5``, ``a text``, ``1 2 3``."""
    if value is None or isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return " ".join(map(_words, value))
    return str(value)


def _fits(value: object) -> bool:
    if isinstance(value, list | tuple):
        return all(isinstance(item, Scalar) and _is_word(_words(item)) for item in value)
    return isinstance(value, Scalar) and _words(value).isprintable()


def _is_word(text: str) -> bool:
    return text.isprintable() and text.split() == [text]


# --- Messages from the command --------------------------------------------------------------


def point(words: Sequence[bytes], dimension: int) -> list[float]:
    """Parse the words of a line as a point; ExternalError if they are not one.

    >>> point([b"0.5", b"-1e-3"], 2)
    [0.5, -0.001]
    """
    try:
        numbers = [float(word) for word in words]
    except ValueError:
        raise ExternalError(f"{shown(words)} is not a point of {dimension} numbers") from None
    if len(numbers) != dimension:
        raise ExternalError(
            f"{shown(words)} has {len(numbers)} numbers; a point has {dimension} here"
        )
    return numbers


def batch_size(word: bytes) -> int:
    if not word.isdigit():
        raise ExternalError(f"{shown([b'batch', word])} is not a batch: write batch and a number")
    return int(word)


def shown(words: Sequence[bytes]) -> str:
    """Quote a line for a message, and cut it if it is long."""
    text = b" ".join(words[:SHOWN])[: SHOWN + 1].decode(errors="backslashreplace")
    return repr(text if len(text) <= SHOWN else f"{text[:SHOWN]}...")


# --- The process of a launch ----------------------------------------------------------------

INHERITED = ("PATH", "LD_LIBRARY_PATH", "PYTHONHASHSEED")
"""Variables that a command inherits, in addition to those that limit threads."""
THREAD_ENDINGS = ("_NUM_THREADS", "_MAX_THREADS")

CLIENT = str(Path(__file__).parent / "client")
"""A folder with only `timefair.external`, on the import path of programs in Python."""

ENDING_S = 1.0  # seconds after which a command has to end when it has closed its output
LONGEST_LINE = 1_000_000  # maximal length of a line, in bytes
READ_BYTES = 65_536  # the capacity of a pipe
LAST_BYTES, LAST_LINES = 1000, 5
"""Maximal length of the end of standard error in a message, after the first error before it."""


@dataclass(frozen=True)
class CommandLine:
    """A command that can be started from any folder: its program, and each argument that is an
    existing file, are absolute paths; `files` has these.
    """

    arguments: tuple[str, ...]
    files: tuple[Path, ...]


def parse(text: str) -> CommandLine:
    """Split a command as a shell does; InputError if it cannot be started.

    Nothing is expanded: no variables, no ``~``, no patterns.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise InputError(f"{text!r} cannot be split into words: {error}") from None
    if not words:
        raise InputError("'external:' needs a command: external:./solver --flag")
    program = _program(words[0])
    arguments = [os.path.abspath(word) if os.path.isfile(word) else word for word in words[1:]]
    files = [Path(word) for word in (program, *arguments) if os.path.isabs(word)]
    return CommandLine((program, *arguments), tuple(file for file in files if file.is_file()))


def _program(word: str) -> str:
    if "/" in word:
        if not os.path.isfile(word):
            raise InputError(f"there is no file {word!r}")
        if not os.access(word, os.X_OK):
            raise InputError(f"{word!r} is not executable: chmod +x {word}")
        return os.path.abspath(word)
    found = shutil.which(word)
    if found is None:
        here = f"; this folder's is ./{word}" if os.path.isfile(word) else ""
        raise InputError(f"there is no command {word!r} on the PATH{here}")
    return os.path.abspath(found)


class Process:
    """A running command, with lines from its standard output and to its standard input."""

    def __init__(self, command: CommandLine, folder: str, errors: int) -> None:
        self._errors = errors
        self._lines: deque[bytes] = deque()
        self._rest = b""  # of a line that is not complete yet
        self._unsent = bytearray()
        inside, self._to = os.pipe()
        self._from, outside = os.pipe()
        os.set_blocking(self._to, False)
        try:
            environment = _environment(folder)
            self._pid = spawn(command.arguments, environment, folder, inside, outside, errors)
        except OSError:
            os.close(self._to)
            os.close(self._from)
            raise
        finally:
            os.close(inside)
            os.close(outside)

    def read_line(self) -> bytes | None:
        """The next line without its end; None at the end of the output."""
        while not self._lines:
            data = self._read()
            if not data:
                return None
            *complete, self._rest = (self._rest + data).split(b"\n")
            self._lines.extend(complete)
            if len(self._rest) > LONGEST_LINE:
                raise ExternalError(f"{shown([self._rest])} is not a line: it does not end")
        return self._lines.popleft()

    def write(self, data: bytes) -> None:
        """Send data; data that do not fit into the pipe are sent when the command reads."""
        self._unsent += data
        self._send()

    def check_end(self) -> None:
        """Check how the command ended, after the end of its output.

        ExternalError if its exit code is not 0 or its last line is incomplete, unless it runs.
        """
        end = self._wait()
        if end is not None and end.si_code != os.CLD_EXITED:
            raise ExternalError(f"ended by {signal.Signals(end.si_status).name}")
        if end is not None and end.si_status != 0:
            raise ExternalError(f"ended with exit code {end.si_status}")
        if self._rest:
            raise ExternalError(f"its output ended within a line: {shown([self._rest])}")

    def last_words(self) -> str:
        """The end of its standard error on one line; empty if it wrote nothing."""
        size = os.fstat(self._errors).st_size
        text = os.pread(self._errors, LAST_BYTES, max(size - LAST_BYTES, 0))
        lines = [line.strip() for line in text.decode(errors="replace").splitlines()]
        lines = [line for line in lines if line]
        errors = [line for line in lines[:-LAST_LINES] if "error" in line.lower()]
        return " / ".join([*errors[:1], *lines[-LAST_LINES:]])

    def end(self) -> None:
        os.killpg(self._pid, signal.SIGKILL)  # not waited for yet: the id is still its own
        os.waitpid(self._pid, 0)
        os.close(self._to)
        os.close(self._from)

    def _read(self) -> bytes:
        """Wait for output, and meanwhile send the unsent data."""
        while self._unsent:
            poll = select.poll()
            poll.register(self._from, select.POLLIN)
            poll.register(self._to, select.POLLOUT)
            ready = dict(poll.poll())
            if self._to in ready:
                self._send()
            if self._from in ready:
                break
        return os.read(self._from, READ_BYTES)

    def _send(self) -> None:
        try:
            del self._unsent[: os.write(self._to, self._unsent)]
        except BlockingIOError:  # the pipe is full
            pass
        except BrokenPipeError:  # it needs no more answers
            self._unsent.clear()

    def _wait(self) -> os.waitid_result | None:
        """How the process ended; None if it still runs after `ENDING_S`. It remains a zombie."""
        pidfd = os.pidfd_open(self._pid)
        try:
            poll = select.poll()
            poll.register(pidfd, select.POLLIN)
            poll.poll(ENDING_S * 1000)
        finally:
            os.close(pidfd)
        return os.waitid(os.P_PID, self._pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)


@contextlib.contextmanager
def running(command: CommandLine) -> Iterator[Process]:
    """Start a command in a new empty folder; at the end, end it and remove the folder.

    Processes that it has started in another group or session end with the run.
    """
    with temporary_folder("external-") as folder, tempfile.TemporaryFile() as errors:
        process = Process(command, folder, errors.fileno())
        try:
            yield process
        finally:
            process.end()


def _environment(folder: str) -> dict[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if name in INHERITED or name.endswith(THREAD_ENDINGS)
    }
    ours = {"HOME": folder, "TMPDIR": folder, "LANG": "C.UTF-8", "PYTHONPATH": CLIENT}
    return kept | ours


# --- The library ---------------------------------------------------------------------------------


class External(Library):
    def faults(self, name: str, parameters: Mapping[str, object]) -> list[str]:
        lines = parameter_faults(parameters)
        try:
            parse(name)
        except InputError as error:
            lines += error.faults
        return lines

    def variables(self, name: str, parameters: Mapping[str, object]) -> frozenset[Variables]:
        return frozenset(get_args(Variables))

    def batches(self, name: str, parameters: Mapping[str, object]) -> None:
        """None: the program may send ``batch``."""

    def implementation(self, name: str) -> Implementation:
        return "program"

    def load(self, name: str, parameters: Mapping[str, object]) -> Algorithm:
        return Algorithm(partial(solve, command=parse(name), parameters=parameters))

    def source_files(self, name: str) -> list[Path]:
        return [*package_files("timefair/external.py"), *parse(name).files]


def package_files(client: str) -> list[Path]:
    """The files of this package, with one of its clients."""
    here = Path(__file__).parent
    ours = [path for path in here.iterdir() if path.suffix in (".py", ".pyx")]
    return sorted([*ours, here / "client" / client])


EXTERNAL = External(name="external", examples=("./solver --flag",))
"""A program in any language that speaks a line protocol."""


def solve(
    objective: Objective,
    rng: np.random.Generator,
    *,
    command: CommandLine,
    parameters: Mapping[str, object],
) -> None:
    seed = int(rng.integers(SEEDS))
    with running(command) as process:
        process.write(header(objective, seed, parameters))
        try:
            _converse(process, objective)
        except ExternalError as error:
            words = process.last_words()
            raise ExternalError(f"{error}; standard error: {words}" if words else error) from None


def _converse(process: Process, objective: Objective) -> None:
    dimension = objective.dimension
    while (line := process.read_line()) is not None:
        match line.split():
            case [b"stop"]:
                return
            case [b"progress"]:
                process.write(answers([objective.progress]))
            case [b"batch", word]:
                points = _points(process, batch_size(word), dimension)
                process.write(answers(objective.batch(points)))
            case words:
                process.write(answers([objective(point(words, dimension))]))
    process.check_end()


def _points(process: Process, size: int, dimension: int) -> NDArray[np.float64]:
    points: list[list[float]] = []
    while len(points) < size:
        line = process.read_line()
        if line is None:
            process.check_end()
            raise ExternalError(f"its output ended after {len(points)} of a batch's {size} points")
        points.append(point(line.split(), dimension))
    return np.reshape(points, (size, dimension))


# --- Functions of GNU Octave and MATLAB -----------------------------------------------------------

# ``octave:FILE.m`` and ``matlab:FILE.m`` call a function, unedited, in a process that speaks the
# line protocol. Its arguments are recognized by their names in its header, such as ``N, Max_iter,
# lb, ub, dim, fobj`` in any order, or named by the parameter ``call``. Only Octave has been tested.

ASK = "timefair_ask.c"
COUNT = Number(1, whole=True)
PARAMETERS = {"population": COUNT, "iterations": COUNT, "call": None}
ITERATIONS = 500
USUAL = {"population": 30, "iterations": ITERATIONS}
"""The values of the parameters that are not given."""
NAMES = {  # names of arguments in published files, in lower case, by what they are
    "population": "n np pop popsize npop ps nind population pop_size pop_num searchagents_no "
    "searchagents searchagents_num n_agents npoints",
    "iterations": "t maxit maxiter max_iter max_it max_iteration max_iterations iterations iter "
    "maxiteration maxgen gen itermax iter_max tmax",
    "lower": "lb low lower lowerbound varmin xmin down",
    "upper": "ub up upper upperbound varmax xmax",
    "dimension": "dim d nvar nd dimension dims",
    "objective": "fobj fhd costfunction f fun func fitness objective cost_function obj",
}
HEADER = re.compile(r"^\s*function\s+(?:[^=\n(]*=)?\s*\w+\s*\(([^)]*)\)", re.MULTILINE)

COMMENTS = re.compile(r"^\s*[%#]\{\s*$.*?^\s*[%#]\}\s*$|[%#].*?$", re.MULTILINE | re.DOTALL)


@dataclass(eq=False, kw_only=True)
class FunctionFile(External):
    """Functions in files, for a program that runs them: `call`, and code as its last argument."""

    title: str
    call: Sequence[str]
    examples: Sequence[str] = ("PO.m",)
    iterated: tuple[str, int] | None = ("iterations", ITERATIONS)

    def faults(self, name: str, parameters: Mapping[str, object]) -> list[str]:
        try:
            self._command(name, parameters)
        except InputError as error:
            return list(error.faults)
        return wrong_parameters(f"{self.name}:{name}", PARAMETERS, parameters)

    def variables(self, name: str, parameters: Mapping[str, object]) -> frozenset[Variables]:
        return CONTINUOUS

    def load(self, name: str, parameters: Mapping[str, object]) -> Algorithm:
        told = USUAL | {key: value for key, value in parameters.items() if key != "call"}
        return Algorithm(partial(solve, command=self._command(name, parameters), parameters=told))

    def source_files(self, name: str) -> list[Path]:
        """This package, the client, and all ``.m`` files beside the user's, which it may call."""
        beside = sorted(Path(name).absolute().parent.glob("*.m"))
        ask = [Path(CLIENT, ASK)] if self.compiled_objective() else []
        return [*package_files("timefair_serve.m"), *ask, *beside]

    def compiled_objective(self) -> Path | None:
        """The folder of the objective that Octave's compiler makes once; None without it."""
        compiler = shutil.which("mkoctfile") if self.name == "octave" else None
        if compiler is None:
            return None
        stamp = Path(CLIENT, ASK).read_text(), os.stat(compiler).st_mtime_ns
        folder = cache_folder() / "octave" / short(sha256(repr(stamp).encode()).hexdigest())
        made = (folder / ASK).with_suffix(".mex")
        if not made.is_file():
            with contextlib.suppress(OSError, subprocess.CalledProcessError):
                folder.mkdir(parents=True, exist_ok=True)
                with tempfile.TemporaryDirectory(dir=folder) as place:
                    command = [compiler, "--mex", "-O2", str(Path(CLIENT, ASK))]
                    subprocess.run(command, cwd=place, capture_output=True, check=True)
                    os.replace(Path(place, made.name), made)
        return folder if made.is_file() else None

    def _command(self, name: str, parameters: Mapping[str, object]) -> CommandLine:
        """The command of a launch; InputError if there is none."""
        path = Path(name).absolute()
        if path.suffix != ".m" or not path.is_file():
            raise InputError(f"there is no file {name!r}; write {self.name}:FILE.m")
        program, *options = self.call
        if (found := shutil.which(program)) is None:
            needs = f"it needs {self.title} ({program} on the PATH)"
            raise InputError(f"{self.name}:{name} cannot be used here: {needs}")
        arguments = _arguments(path, parameters.get("call"), self.name)
        served = ", ".join(map(_quoted, (str(path.parent), path.stem, ",".join(arguments))))
        paths = ", ".join(_quoted(str(one)) for one in (CLIENT, self.compiled_objective()) if one)
        call = (found, *options, f"addpath({paths}); timefair_serve({served})")
        return CommandLine(("/bin/sh", "-c", 'exec "$0" "$@" 3>&1 1>&2 4<&0', *call), (path,))


OCTAVE = FunctionFile(
    name="octave",
    title="GNU Octave",
    call=("octave-cli", "--silent", "--no-history", "--no-init-file", "--eval"),
)
"""A function of GNU Octave in the usual signature, unedited."""
MATLAB = FunctionFile(name="matlab", title="MATLAB", call=("matlab", "-batch"))
"""A function of MATLAB in the usual signature, unedited; untested."""


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _arguments(path: Path, call: object, library: str) -> list[str]:
    """What each argument of the function is: a key of `NAMES`."""
    if call is not None:
        words = call if isinstance(call, list) else str(call).split()
        if wrong := [word for word in words if word not in NAMES]:
            raise InputError(f"'call' of {library}:{path.name} has {wrong[0]!r}: name {_known()}")
        return list(words)
    text = path.read_text(encoding="utf-8", errors="replace")
    found = HEADER.search(text)
    before = COMMENTS.sub("", text[: found.start()]).split() if found else []
    if found is None or before:
        what = f"with {before[0]!r}" if before else "with no function that takes arguments"
        raise InputError(f"{path.name} begins {what}; its function should come first")
    words = [word.strip() for word in found[1].split(",")]
    roles = {word: role for role, known in NAMES.items() for word in known.split()}
    if wrong := [word for word in words if word.lower() not in roles]:
        raise InputError(
            f"{path.name} has an argument {wrong[0]!r} of unknown meaning: name all arguments "
            f"by 'call', a list of {_known()}"
        )
    return [roles[word.lower()] for word in words]


def _known() -> str:
    return ", ".join(NAMES)
