"""What a run may not ask of the kernel: other cores, a higher priority, another process's memory.

A run has the cores and the priority that its job has. A filter of system calls (seccomp) refuses
what would change them, with the error EPERM, for the run's process and all that it starts, also if
root runs the campaign.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from collections.abc import Mapping

_libc = ctypes.CDLL(None, use_errno=True)

_PR_SET_NO_NEW_PRIVS = 38
_SET_MODE_FILTER = 1
_SPEC_ALLOW = 4  # do not slow the process by switching speculation off, as old kernels would

_LOAD, _EQUAL, _AND, _RETURN = 0x20, 0x15, 0x54, 0x06  # instructions of a classic BPF
_NUMBER_AT, _ARCHITECTURE_AT = 0, 4  # in the kernel's struct seccomp_data
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
)
"""The system calls that are refused."""

_NUMBERS: Mapping[str, Mapping[int, tuple[int, ...]]] = {
    "x86_64": {
        0xC000003E: (203, 144, 142, 314, 141, 101, 310, 311),
        0x40000003: (241, 156, 154, 351, 97, 26, 347, 348),  # 32-bit calls
    },
    "aarch64": {0xC00000B7: (122, 119, 118, 274, 140, 117, 270, 271)},
}
"""For a machine, by the architecture of a call: the numbers of `REFUSED`, in their order."""

_SECCOMP = {"x86_64": 317, "aarch64": 277}


def _program(numbers: Mapping[int, tuple[int, ...]]) -> bytes:
    """The filter as the kernel takes it: instructions of 8 bytes."""
    code = [(_LOAD, 0, 0, _ARCHITECTURE_AT)]
    for architecture, refused in numbers.items():
        block = [(_LOAD, 0, 0, _NUMBER_AT), (_AND, 0, 0, ~_X32 & 0xFFFFFFFF)]
        for place, number in enumerate(refused):
            block.append((_EQUAL, len(refused) - place, 0, number))  # to the refusal below
        block += [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _REFUSE)]
        code += [(_EQUAL, 0, len(block), architecture), *block]
    code.append((_RETURN, 0, 0, _REFUSE))  # calls of an architecture that the machine has not
    return b"".join(struct.pack("HBBI", *instruction) for instruction in code)


_MACHINE = os.uname().machine
_CODE = ctypes.create_string_buffer(_program(_NUMBERS.get(_MACHINE, {})))  # and a zero


def confine() -> bool:
    """Refuse this process and all that it starts the calls of `REFUSED`, for good.

    Returns
    -------
    bool
        False where the kernel or the machine has no such filter.
    """
    if _MACHINE not in _SECCOMP or _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return False
    program = struct.pack("HP", len(_CODE) // 8, ctypes.addressof(_CODE))
    failed = _libc.syscall(_SECCOMP[_MACHINE], _SET_MODE_FILTER, _SPEC_ALLOW, program)
    return not failed
