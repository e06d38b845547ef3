"""A filter of system calls (seccomp): a run keeps its cores, its namespaces and its memory limit.

It applies to a process and to all that it starts, even if root runs the campaign.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from functools import cache

_libc = ctypes.CDLL(None, use_errno=True)

_PR_SET_NO_NEW_PRIVS = 38
_SET_MODE_FILTER = 1
_SPEC_ALLOW = 4  # keep speculation on: old kernels would switch it off and slow the process

_LOAD, _EQUAL, _AND, _ANY, _RETURN = 0x20, 0x15, 0x54, 0x45, 0x06  # of a classic BPF
_NUMBER_AT, _ARCHITECTURE_AT, _ARGUMENT_AT = 0, 4, 16  # in the kernel's struct seccomp_data
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000
_X32 = 0x40000000  # set in the numbers of calls of x86's third interface
_NEW_NAMESPACES = 0x7E020000  # flags of clone

REFUSED = {
    "sched_setaffinity": errno.EPERM,
    "sched_setscheduler": errno.EPERM,
    "sched_setparam": errno.EPERM,
    "sched_setattr": errno.EPERM,
    "setpriority": errno.EPERM,
    "unshare": errno.EPERM,
    "setns": errno.EPERM,
    "add_key": errno.EPERM,
    "request_key": errno.EPERM,
    "keyctl": errno.EPERM,
    "memfd_create": errno.ENOMEM,  # no limit counts it
    "memfd_secret": errno.ENOSYS,
    "io_uring_setup": errno.ENOSYS,  # its threads wait busily on other cores
    "clone3": errno.ENOSYS,  # its flags are out of reach; programs then call clone
}
"""The system calls that fail, each with its error. So does ``clone`` of a new namespace."""

_NUMBERS = {
    "x86_64": {
        0xC000003E: ((203, 144, 142, 314, 141, 272, 308, 248, 249, 250, 319, 447, 425, 435), 56),
        # 32-bit calls
        0x40000003: ((241, 156, 154, 351, 97, 310, 346, 286, 287, 288, 356, 447, 425, 435), 120),
    },
    "aarch64": {
        0xC00000B7: ((122, 119, 118, 274, 140, 97, 268, 217, 218, 219, 279, 447, 425, 435), 220)
    },
}
"""For each machine and architecture of a call: the numbers of `REFUSED`, and that of clone."""

_SECCOMP = {"x86_64": 317, "aarch64": 277}
_MACHINE = os.uname().machine

_Instruction = tuple[int, int, int, int]


def refuse() -> bool:
    """Refuse the calls permanently, here and in all processes that this one starts.

    False if the kernel or the machine has no such filter.
    """
    if _MACHINE not in _NUMBERS or _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return False
    code = _program()
    filter_ = struct.pack("HP", len(code) // 8, ctypes.addressof(code))
    return not _libc.syscall(_SECCOMP[_MACHINE], _SET_MODE_FILTER, _SPEC_ALLOW, filter_)


@cache
def _program() -> ctypes.Array[ctypes.c_char]:
    """The filter in the form that the kernel needs: instructions of 8 bytes."""
    code: list[_Instruction] = [(_LOAD, 0, 0, _ARCHITECTURE_AT)]
    for architecture, (numbers, clone) in _NUMBERS[_MACHINE].items():
        calls: list[_Instruction] = [(_LOAD, 0, 0, _NUMBER_AT), (_AND, 0, 0, ~_X32 & 0xFFFFFFFF)]
        for number, error in zip(numbers, REFUSED.values(), strict=True):
            calls += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _REFUSE | error)]
        calls += [
            (_EQUAL, 0, 2, clone),
            (_LOAD, 0, 0, _ARGUMENT_AT),
            (_ANY, 1, 0, _NEW_NAMESPACES),
            (_RETURN, 0, 0, _ALLOW),
            (_RETURN, 0, 0, _REFUSE | errno.EPERM),
        ]
        code += [(_EQUAL, 0, len(calls), architecture), *calls]
    code.append((_RETURN, 0, 0, _REFUSE | errno.EPERM))  # of an architecture that it does not have
    packed = b"".join(struct.pack("HBBI", *instruction) for instruction in code)
    return ctypes.create_string_buffer(packed, len(packed))
