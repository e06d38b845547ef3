"""System calls that an algorithm with `isolation: strict` may not make.

A filter of system calls (seccomp) refuses, with the error EPERM, calls for other cores or a higher
priority, and calls that trace a process or signal one above the run. It applies to a process and to
all processes that it starts, even if root runs the campaign.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from collections.abc import Iterable, Mapping, Sequence

from timefair.linux import kernel

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
    """Refuses these calls to a process, also signals to `measurer` and to those above it."""

    def __init__(self, measurer: int) -> None:
        self._program: bytes | None = None
        if _MACHINE in _NUMBERS:
            protected = [*_above(measurer), -1]  # -1 means all processes
            code = _program(_NUMBERS[_MACHINE], [pid & 0xFFFFFFFF for pid in protected])
            self._code = ctypes.create_string_buffer(code, len(code))  # the kernel reads it there
            self._program = struct.pack("HP", len(code) // 8, ctypes.addressof(self._code))

    def enter(self) -> bool:
        """Refuse the calls permanently, here and in all processes that this one starts.

        False if the kernel or the machine has no such filter.
        """
        if self._program is None or _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
            return False
        number = _SECCOMP[_MACHINE]
        failed = _libc.syscall(number, _SET_MODE_FILTER, _SPEC_ALLOW, self._program)
        return not failed


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
