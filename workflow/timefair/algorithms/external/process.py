"""The command of an external algorithm, and the process of one launch of it."""

from __future__ import annotations

import contextlib
import os
import select
import shlex
import shutil
import signal
import tempfile
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from timefair.algorithms.external.protocol import ExternalError, shown
from timefair.algorithms.external.spawn import spawn
from timefair.basics.errors import InputError
from timefair.basics.files import temporary_folder

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
    """A command that can be started from any folder.

    `arguments` begin with the program. The program, and each argument that is an existing file, are
    absolute paths. `files` has these paths.
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
