"""Functions of the Linux kernel that a measurement needs and that Python does not have."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import resource
import select
import signal
import struct
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from types import FrameType
from typing import NamedTuple, NoReturn

from timefair.basics.errors import Interrupted

_libc = ctypes.CDLL(None, use_errno=True)
_calling = ctypes.PyDLL(None)  # without letting another thread run

_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_SET_NAME = 15
_PR_SET_CHILD_SUBREAPER = 36
_CLOCK_MONOTONIC, _CLOCK_THREAD_CPUTIME = 1, 3
_SIGEV_SIGNAL = 0
_TIMER_ABSTIME = 1
_PR_GET_TID_ADDRESS = 40
_CLONE_PARENT = 0x8000
_ENDED = os.WEXITED | os.WNOWAIT | os.WNOHANG
_CLONE = {"x86_64": 56, "aarch64": 220}


def check(result: int, what: object = None) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what if what is None else str(what))


def end_process(status: int) -> NoReturn:
    """End this process at once, as `os._exit` does unless an algorithm has replaced it."""
    _libc._exit(status)
    raise SystemError("_exit returned")


def end_if_forked(own: int) -> None:
    """End a process that the algorithm forked and that returned from the launch like `own`."""
    if os.getpid() != own:
        end_process(0)


def die_with_parent(parent: int) -> None:
    """End this process when the thread that forked it ends; at once if it has ended already."""
    check(_libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0))
    if os.getppid() not in (parent, 0):  # 0: outside of this PID namespace
        end_process(1)


def outlive_parent() -> None:
    """Undo `die_with_parent`."""
    check(_libc.prctl(_PR_SET_PDEATHSIG, 0, 0, 0, 0))


def forbid_inspection() -> None:
    """Keep processes of the same user from reading or tracing this one, its forks and files."""
    check(_libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0))


def cpu_ns_of(pid: int) -> int:
    """CPU time of a process of this user, without its children, in ns."""
    clock = (~pid << 3) | 2  # as clock_getcpuclockid makes it
    return time.clock_gettime_ns(clock)


def descendants(pid: int | str = "self", skip: Collection[int] = ()) -> Iterator[int]:
    """The processes below a process, without those to skip and what is below them."""
    for child in children(pid):
        if child not in skip:
            yield child
            yield from descendants(child, skip)


def resident_mb(pid: int | str = "self") -> float:
    """Memory of a process, including what it shares with others; 0 if it has ended."""
    with contextlib.suppress(OSError, IndexError):
        return int(read_file(f"/proc/{pid}/statm").split()[1]) * resource.getpagesize() / 2**20
    return 0.0


def memory_mb(pids: Collection[int], enough: float) -> float:
    """Memory of processes, in which each page is divided by the number of those that share it.

    An upper bound if that is below `enough`: the kernel needs about 10 ms per GB for the exact sum.
    """
    if (bound := sum(map(resident_mb, pids))) <= enough:
        return bound
    found = 0
    for pid in pids:
        with contextlib.suppress(OSError, ValueError, IndexError):
            found += int(read_file(f"/proc/{pid}/smaps_rollup").partition(b"\nPss:")[2].split()[0])
    return found / 1024


def cpu_ns_below(pid: int) -> int:
    """CPU time of a process's descendants, in ns; of ended ones, in steps of a tick (10 ms)."""
    total, tick_ns = 0, 10**9 // os.sysconf("SC_CLK_TCK")
    for process in (pid, *descendants(pid)):
        with contextlib.suppress(OSError, ValueError):  # it has ended, and is counted next time
            stat = read_file(f"/proc/{process}/stat").rpartition(b")")[2]
            total += tick_ns * sum(map(int, stat.split()[13:15]))
            total += cpu_ns_of(process) if process != pid else 0
    return total


def name_process(name: str) -> None:
    """Set the name that ``ps`` and ``top`` show for this process; 15 characters are kept."""
    check(_libc.prctl(_PR_SET_NAME, name.encode(), 0, 0, 0))


def signal_on_hangup(fd: int, number: int) -> None:
    """Let the kernel send a signal to this process when the peer of a socket closes it, or now, if
    it has.
    """
    fcntl.fcntl(fd, fcntl.F_SETSIG, number)
    fcntl.fcntl(fd, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) | os.O_ASYNC)
    poll = select.poll()
    poll.register(fd, select.POLLRDHUP)
    if poll.poll(0):
        os.kill(os.getpid(), number)


def no_signal_on_hangup(fd: int) -> None:
    """Undo `signal_on_hangup`."""
    fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) & ~os.O_ASYNC)


def wait_or_kill(pid: int, seconds: float) -> None:
    """Wait until a child is a zombie; kill it if that takes longer."""
    pidfd = os.pidfd_open(pid)
    try:
        poll = select.poll()
        poll.register(pidfd, select.POLLIN)
        if not poll.poll(seconds * 1000):
            os.kill(pid, signal.SIGKILL)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    finally:
        os.close(pidfd)


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends (a subreaper)."""
    check(_libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))


def forked(live: Callable[[], object]) -> int:
    """Fork a process that does this, then ends; it ends with the thread that called this at the
    latest. Return its number.
    """
    parent = os.getpid()
    if pid := os.fork():
        return pid
    try:
        die_with_parent(parent)
        live()
        end_process(0)
    finally:
        end_process(1)


def end_like(child: int) -> NoReturn:
    """End this process with the exit code or by the signal that has ended a child, if a wait for
    any child has not taken it; else with 1.
    """
    code = 1
    with contextlib.suppress(ChildProcessError):
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code < 0:
        _libc.signal(-code, None)
        _libc.kill(os.getpid(), -code)
    end_process(abs(code))


def forked_beside(live: Callable[[], NoReturn]) -> int:
    """Fork a process that does this, as a child of this process's parent; return its number."""
    sys.stdout.flush()
    sys.stderr.flush()
    python, place = ctypes.pythonapi, ctypes.c_void_p()
    call = _CLONE[os.uname().machine], _CLONE_PARENT | signal.SIGCHLD, 0, 0, 0, 0
    known = _libc.prctl(_PR_GET_TID_ADDRESS, ctypes.byref(place), 0, 0, 0) == 0
    python.PyOS_BeforeFork()
    pid: int = _calling.syscall(*call)
    if pid:
        python.PyOS_AfterFork_Parent()
        if pid < 0:
            raise OSError("the kernel makes no further process")
        return pid
    if known and place.value:  # as fork of the C library does, which abort relies on
        ctypes.c_int.from_address(place.value).value = os.getpid()
    python.PyOS_AfterFork_Child()
    live()
    end_process(1)


def keep_descriptors(kept: Iterable[int]) -> None:
    """Close all descriptors but the first three and these."""
    low = 3
    for fd in sorted({*kept}):
        os.closerange(low, fd)
        low = fd + 1
    os.closerange(low, 1 << 30)
    _forget_helpers()


def _forget_helpers() -> None:
    """Let multiprocessing start its own helper processes: those of the parent cannot be reached."""
    server = ("_forkserver_address", "_forkserver_alive_fd", "_forkserver_pid")
    helpers = {"resource_tracker": ("_fd", "_pid"), "forkserver": server}
    for module, attributes in helpers.items():
        if loaded := sys.modules.get(f"multiprocessing.{module}"):
            for attribute in attributes:
                setattr(getattr(loaded, f"_{module}"), attribute, None)


class KillTimer:
    """SIGKILL to this process at a moment of CLOCK_MONOTONIC, or of this thread's CPU time: with a
    timer on that of the process, the kernel would update its clock once a tick only.

    A fork does not inherit it, so it has to be created in the process that it ends.
    """

    def __init__(self, *, cpu: bool = False) -> None:
        self._timer = ctypes.c_void_p()
        event = struct.pack("Pii48x", 0, signal.SIGKILL, _SIGEV_SIGNAL)
        clock = _CLOCK_THREAD_CPUTIME if cpu else _CLOCK_MONOTONIC
        check(_libc.timer_create(clock, event, ctypes.byref(self._timer)))

    def set(self, at_ns: int) -> None:
        """Replace the moment by `at_ns`; one in the past means now."""
        spec = struct.pack("4l", 0, 0, *divmod(at_ns, 10**9))
        check(_libc.timer_settime(self._timer, _TIMER_ABSTIME, spec, None))


def read_file(path: str) -> bytes:
    """The content of a file of the kernel. It is read between runs and just before a run."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        parts = []
        while part := os.read(fd, 1 << 16):
            parts.append(part)
        return b"".join(parts)
    finally:
        os.close(fd)


def taken(fd: int) -> str:
    """The text of a file in memory, which is closed."""
    text = os.pread(fd, os.fstat(fd).st_size, 0)
    os.close(fd)
    return text.decode(errors="replace")


def run_queue_delay_ns(pid: int | str = "self") -> int | None:
    """Time that the main thread of a process (a zombie too) waited for a core; None if unknown."""
    try:
        return int(read_file(f"/proc/{pid}/schedstat").split()[1])
    except (OSError, IndexError, ValueError):
        return None


def written_bytes(pid: int | str = "self") -> int | None:
    """Bytes that a process (or zombie) and those it waited for passed to write(); None: unknown."""
    try:
        for line in read_file(f"/proc/{pid}/io").splitlines():
            name, _, number = line.partition(b": ")
            if name == b"wchar":
                return int(number)
    except (OSError, ValueError):
        pass
    return None


def limit_memory(memory_mb: float | None) -> None:
    """Limit the growth of this process's address space; None for no limit."""
    if memory_mb is None:
        return
    pages = int(read_file("/proc/self/statm").split()[0])
    limit = pages * resource.getpagesize() + round(memory_mb * 2**20)
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def leave_for_others() -> None:
    """Let this process leave some of the processes and pending signals that the user may have."""
    for what in (resource.RLIMIT_NPROC, resource.RLIMIT_SIGPENDING):
        soft, _ = resource.getrlimit(what)
        if soft != resource.RLIM_INFINITY:
            most = soft - min(soft // 8, 256)
            resource.setrlimit(what, (most, most))


class Orphan(NamedTuple):
    """Resources of a process whose parent ended before it, including the processes that it waited
    for. The last two are None if they are unknown.
    """

    pid: int
    wait_status: int
    cpu_s: float
    switches: int
    peak_memory_mb: float
    run_queue_delay_ns: int | None
    written_bytes: int | None


def end_group_and_orphans(pid: int, spare: Collection[int] = ()) -> list[Orphan]:
    """End what a reaped or zombie child left: its group, and the orphans adopted here."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    return end_orphans(spare=[pid, *spare])


def end_orphans(spare: Collection[int]) -> list[Orphan]:
    """End all children of this process except those to be spared, and wait for their end."""
    ended: list[Orphan] = []
    for _ in range(1000):  # an orphan may fork while it is being ended
        left = [child for child in children() if child not in spare]
        if not left:
            break
        for child in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        while left:  # in any order: the first process of a namespace ends after all others
            for child in left[:]:
                try:
                    if not os.waitid(os.P_PID, child, _ENDED):
                        continue
                    ended.append(reaped(child))
                except ChildProcessError:  # it has been waited for
                    pass
                left.remove(child)
            time.sleep(0.0005 if left else 0)
    return ended


def reaped(child: int) -> Orphan:
    """Wait for the end of a child; return what it used."""
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    delay_ns, written = run_queue_delay_ns(child), written_bytes(child)
    _, status, usage = os.wait4(child, 0)
    cpu_s, memory_mb = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
    return Orphan(child, status, cpu_s, usage.ru_nivcsw, memory_mb, delay_ns, written)


def children(of: int | str = "self") -> list[int]:
    """The processes that a process is the parent of, zombies included; empty if it has ended."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{of}/task"):
            with contextlib.suppress(OSError):  # the thread has ended
                found += map(int, read_file(f"/proc/{of}/task/{task}/children").split())
    return found


# --- Signals that end a measuring job from outside: in order, and its runs at once ----------------

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Raise `Interrupted` when one of `SIGNALS` comes, also where it was ignored until now, as in
    what a shell starts in the background. Only the main thread may call this.
    """

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise Interrupted(number)

    before = {number: signal.signal(number, interrupt) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def ends_at_once() -> None:
    """Let `SIGNALS` end this process, regardless of inherited settings."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)
