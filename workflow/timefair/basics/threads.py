"""Notes which threads of this process a fork loses, and what all its forks would share.

A fork has only the thread that made it: code that waits for another, such as a pool of OpenMP,
waits for ever. A library that ends its threads before a fork, such as OpenBLAS, loses none. Open
files, shared memory and other processes would pass on what one fork has written there.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from timefair.basics.words import counted

THREAD_VARIABLES = (
    *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"),
    *("GOTO_NUM_THREADS", "VECLIB_MAXIMUM_THREADS", "NUMEXPR_NUM_THREADS", "NUMBA_NUM_THREADS"),
    *("POLARS_MAX_THREADS", "RAYON_NUM_THREADS"),
)
"""Variables that libraries read once, when they are loaded."""

HARMLESS = frozenset({"jemalloc_bg_thd"})
"""Names of threads that a fork starts again when it needs them: that of pyarrow's allocator."""

_IMPORT = (
    "import os, sys; from timefair.basics import threads, user_code; "
    "user_code.load_function(sys.argv[1]); os.write(1, threads.lost().encode()); os._exit(0)"
)

_lost: dict[int, str] = {}  # names by the numbers of threads; a fork inherits them, not the threads
_shared: dict[tuple[str, str], str] = {}  # what is open in this process that its forks would share


@contextmanager
def noted() -> Iterator[None]:
    """Note threads that are started inside the block and that a fork, which is made if there are
    any, would lose, and what is opened there.
    """
    before, had = _running(), _open()
    try:
        yield
    finally:
        _shared.update({place: name for place, name in _open().items() if place not in had})
        if _running() - before:
            if (pid := os.fork()) == 0:
                os._exit(0)
            os.waitpid(pid, 0)
            names = {one.native_id: one.name for one in threading.enumerate()}
            for number in _running() - before:
                kernel = Path(f"/proc/self/task/{number}/comm")
                with suppress(OSError):  # it has ended
                    if kernel.read_text().strip() not in HARMLESS:
                        _lost[number] = names.get(number, "native")


def lost() -> str:
    """What was noted, for a message; empty if there is nothing.

    Threads that Python does not know, such as those of OpenMP, are ``native``.
    """
    found = []
    for names, kind in ((_lost.values(), "thread"), (_shared.values(), "shared object")):
        if names:
            found.append(f"{counted(len(names), kind)} ({', '.join(sorted(set(names)))})")
    return " and ".join(found)


def _open() -> dict[tuple[str, str], str]:
    """Names of the open files, the writable shared memory and the children of this process."""
    found = {}
    for fd in os.listdir("/proc/self/fd"):
        with suppress(OSError):  # the descriptor of the listing itself
            name = os.readlink(f"/proc/self/fd/{fd}")
            found[fd, name] = os.path.basename(name)
    for line in Path("/proc/self/maps").read_text(errors="replace").splitlines():
        place, rights, *_, name = line.split(maxsplit=5)
        if rights[1] == "w" and rights[3] == "s":
            found[place, name] = "memory"
    for task in os.listdir("/proc/self/task"):
        with suppress(OSError):
            for pid in Path(f"/proc/self/task/{task}/children").read_text().split():
                found["child", pid] = "process"
    return found


@cache
def started_by(use: str, threads: int) -> str:
    """`lost` in a new process that has imported the module of a function, as for measuring."""
    command = [sys.executable, "-P", "-c", _IMPORT, use]
    environment = measuring_environment(threads)
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=False)
    return done.stdout.decode()


def measuring_environment(threads: int) -> dict[str, str]:
    """The environment of a process that measures runs with the given number of threads."""
    fixed = {"PYTHONHASHSEED": "0", **dict.fromkeys(THREAD_VARIABLES, str(threads))}
    return {**os.environ, **fixed}


def _running() -> set[int]:
    return set(map(int, os.listdir("/proc/self/task")))
