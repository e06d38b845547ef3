"""System calls that a run may not make: for other cores, a higher priority, signals to its parents.

A run has the cores and the priority of its job. A filter of system calls (seccomp) refuses calls
that would change them, with the error EPERM. It applies to the run's process and to all processes
that it starts, even if root runs the campaign. It also refuses signals to the processes above the
run.
"""

from __future__ import annotations

import ctypes
import errno
import os
import pickle
import socket
import struct
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from timefair.basics.errors import InputError
from timefair.environments.environment import command_here
from timefair.linux import kernel

_FIRST = 3
"""The descriptors below it are the standard streams."""


def of_the_measurement(folders: Iterable[Path]) -> tuple[int, ...]:
    """The descriptors of this process that its runs must not have.

    The result contains all files in some folders, and all sockets. Sockets of the algorithm are
    included, because runs would share them.

    Parameters
    ----------
    folders
        The folders of the records and of the locks of cores.
    """
    inside = tuple(os.path.realpath(folder) + os.sep for folder in folders)
    found = []
    for name in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink(f"/proc/self/fd/{name}")
        except OSError:  # the descriptor of the listing itself
            continue
        if int(name) >= _FIRST and target.startswith(("socket:", *inside)):
            found.append(int(name))
    return tuple(found)


def close_all(descriptors: Iterable[int]) -> None:
    """Close the descriptors, in the process of a run."""
    for fd in descriptors:
        os.close(fd)


class Companion(NamedTuple):
    """The process id, the socket, and the answer to the first message."""

    pid: int
    connection: socket.socket
    answer: bytes


@contextmanager
def companion(
    module: str, message: object, longest: int, fault: Callable[[int], str]
) -> Iterator[Companion]:
    """Start a process, and end it when the block ends.

    Parameters
    ----------
    module
        Its ``main`` is called with the descriptor of its socket, and answers the message.
    message
        Pickled.
    longest
        Maximal length of the answer, in bytes.
    fault
        The line of the error, from the exit status.

    Raises
    ------
    InputError
        If the process ends without an answer.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs:
        command = command_here(module, str(theirs.fileno()))
        process = subprocess.Popen(command, pass_fds=[theirs.fileno()])
        try:
            theirs.close()
            ours.send(pickle.dumps(message))
            if not (answer := ours.recv(longest)):
                raise InputError(fault(process.wait()))
            yield Companion(process.pid, ours, answer)
        finally:
            process.kill()
            process.wait()


_libc = ctypes.CDLL(None, use_errno=True)

_PR_SET_NO_NEW_PRIVS = 38
_SET_MODE_FILTER = 1
_SPEC_ALLOW = 4  # keep speculation on: old kernels would switch it off and slow the process

_LOAD, _EQUAL, _AND, _RETURN = 0x20, 0x15, 0x54, 0x06  # instructions of a classic BPF
_NUMBER_AT, _ARCHITECTURE_AT, _ARGUMENT_AT = 0, 4, 16  # in the kernel's struct seccomp_data
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | errno.EPERM
_X32 = 0x40000000  # set in the numbers of calls of x86's third interface

REFUSED = (
    "sched_setaffinity",
    "sched_setscheduler",
    "sched_setparam",
    "sched_setattr",
    "setpriority",
    "ptrace",
    "process_vm_readv",
    "process_vm_writev",
    "pidfd_getfd",
)
"""The system calls that are refused."""

SIGNALLING = (
    "kill",
    "tkill",
    "tgkill",
    "rt_sigqueueinfo",
    "rt_tgsigqueueinfo",
    "pidfd_open",
)
"""The system calls that are refused if their first argument is a process above the run."""

_Numbers = tuple[tuple[int, ...], tuple[int, ...]]

_NUMBERS: Mapping[str, Mapping[int, _Numbers]] = {
    "x86_64": {
        0xC000003E: (
            (203, 144, 142, 314, 141, 101, 310, 311, 438),
            (62, 200, 234, 129, 297, 434),
        ),
        0x40000003: (  # 32-bit calls
            (241, 156, 154, 351, 97, 26, 347, 348, 438),
            (37, 238, 270, 178, 335, 434),
        ),
    },
    "aarch64": {
        0xC00000B7: (
            (122, 119, 118, 274, 140, 117, 270, 271, 438),
            (129, 130, 131, 138, 240, 434),
        ),
    },
}
"""For each machine and architecture of a call: the numbers of the calls in `REFUSED` and
`SIGNALLING`.
"""

_SECCOMP = {"x86_64": 317, "aarch64": 277}
_MACHINE = os.uname().machine


class Confinement:
    """Refuses these calls in the runs that a process measures.

    Parameters
    ----------
    measurer
        Process id of that process. It and the processes above it get no signals from its runs.
    """

    def __init__(self, measurer: int) -> None:
        self._program: bytes | None = None
        if _MACHINE in _NUMBERS:
            protected = [*_above(measurer), -1]  # -1 means all processes
            code = _program(_NUMBERS[_MACHINE], [pid & 0xFFFFFFFF for pid in protected])
            self._code = ctypes.create_string_buffer(code, len(code))  # the kernel reads it there
            self._program = struct.pack("HP", len(code) // 8, ctypes.addressof(self._code))

    def enter(self) -> bool:
        """Refuse the calls permanently, in this process and in all processes that it starts.

        Returns
        -------
        bool
            False if the kernel or the machine has no such filter.
        """
        if self._program is None or _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
            return False
        number = _SECCOMP[_MACHINE]
        failed = _libc.syscall(number, _SET_MODE_FILTER, _SPEC_ALLOW, self._program)
        return not failed


def confinement_under(measurer: int) -> Confinement:
    """The confinement of the runs that a process measures, made once during the life of its parent.

    Make it before a run is forked, so that the fork only has to enter it.
    """
    return _made(measurer, _parent(measurer))


@lru_cache(maxsize=1)
def _made(measurer: int, parent: int) -> Confinement:
    return Confinement(measurer)


def _above(pid: int) -> list[int]:
    """Ids of a process, of the processes above it, and of their groups (as negative numbers)."""
    found = []
    while pid > 0:
        found += [pid, -os.getpgid(pid)]
        pid = _parent(pid)
    return [one for one in dict.fromkeys(found) if one]  # 0 is the own group


def _parent(pid: int) -> int:
    """The parent of a process; 0 if it has none."""
    return int(kernel.read_file(f"/proc/{pid}/stat").rpartition(b")")[2].split()[1])


def _program(numbers: Mapping[int, _Numbers], protected: Sequence[int]) -> bytes:
    """The filter in the form that the kernel needs: instructions of 8 bytes."""
    code = [(_LOAD, 0, 0, _ARCHITECTURE_AT)]
    for architecture, (refused, signalling) in numbers.items():
        # Two blocks; a jump leads to the last but one instruction (allow) or the last (refuse).
        signals = [(_LOAD, 0, 0, _ARGUMENT_AT), *_equals(protected, after=1), *_ends()]
        calls = [(_LOAD, 0, 0, _NUMBER_AT), (_AND, 0, 0, ~_X32 & 0xFFFFFFFF)]
        calls += _equals(refused, after=len(signalling) + len(signals))
        calls += _equals(signalling, after=1)
        calls.append((_RETURN, 0, 0, _ALLOW))
        code += [(_EQUAL, 0, len(calls) + len(signals), architecture), *calls, *signals]
    code.append((_RETURN, 0, 0, _REFUSE))  # calls of an architecture that the machine does not have
    return b"".join(struct.pack("HBBI", *instruction) for instruction in code)


_Instruction = tuple[int, int, int, int]


def _equals(values: Sequence[int], after: int) -> Iterable[_Instruction]:
    """Instructions that skip `after` further instructions if the number is one of these values."""
    count = len(values)
    return [(_EQUAL, count - 1 - k + after, 0, value) for k, value in enumerate(values)]


def _ends() -> Iterable[_Instruction]:
    return [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _REFUSE)]
