"""Functions of the Linux kernel that a measurement needs and that Python does not have.

A private view of folders: a process sees the present content, and its changes vanish with it. In
its own mount namespace, an overlay over each folder takes all writes, in memory; everything else is
read-only. A process without privileges first enters a user namespace with its own ids.

The first process of a PID namespace is the keeper. Runs are forked into the namespace, and none
outlives a run. From inside, neither the processes outside nor the keeper can be signalled, traced
or seen.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import json
import os
import re
import resource
import select
import signal
import socket
import stat
import struct
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import takewhile
from operator import ne
from pathlib import Path
from types import FrameType
from typing import NamedTuple, NoReturn

from timefair.basics.errors import Interrupted

_libc = ctypes.CDLL(None, use_errno=True)
_calling = ctypes.PyDLL(None)  # without letting another thread run
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_NAME, _PR_SET_CHILD_SUBREAPER = 1, 4, 15, 36
_PR_GET_TID_ADDRESS = 40
_CLOCK_MONOTONIC, _CLOCK_THREAD_CPUTIME, _TIMER_ABSTIME = 1, 3, 1
_SIGEV_SIGNAL = 0
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
    return (_number_in(f"/proc/{pid}/statm", 1) or 0) * resource.getpagesize() / 2**20


def memory_mb(pids: Collection[int], enough: float) -> float:
    """Memory of processes, in which each page is divided by the number of those that share it.

    An upper bound if that is below `enough`: the kernel needs about 10 ms per GB for the exact sum.
    """
    if (bound := sum(map(resident_mb, pids))) <= enough:
        return bound
    return sum(_number_in(f"/proc/{pid}/smaps_rollup", _PSS) or 0 for pid in pids) / 1024


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
    check(_libc.prctl(_PR_SET_NAME, name.encode(), 0, 0, 0))


def signal_on_hangup(fd: int, number: int | None) -> None:
    """Send this process a signal when the peer of a socket closes it, or has; None undoes this."""
    flags = fcntl.fcntl(fd, fcntl.F_GETFL)
    if number is None:
        fcntl.fcntl(fd, fcntl.F_SETFL, flags & ~os.O_ASYNC)
        return
    fcntl.fcntl(fd, fcntl.F_SETSIG, number)
    fcntl.fcntl(fd, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(fd, fcntl.F_SETFL, flags | os.O_ASYNC)
    poll = select.poll()
    poll.register(fd, select.POLLRDHUP)
    if poll.poll(0):
        os.kill(os.getpid(), number)


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
    check(_libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))


def forked(live: Callable[[], object]) -> int:
    """Fork a process that does this, unless the calling thread ends before; return its number."""
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
    """End this process as a child has ended; with 1 if another wait has taken its status."""
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
    timer on that of the process, the kernel would update its clock once a tick only. A fork does
    not inherit it.
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
    with open(path, "rb", buffering=0) as file:
        return file.read()


def taken(fd: int) -> str:
    """The text of a file in memory, which is closed."""
    text = os.pread(fd, os.fstat(fd).st_size, 0)
    os.close(fd)
    return text.decode(errors="replace")


_PSS, _WRITTEN = 10, 3  # places of these numbers among the words of smaps_rollup and io


def _number_in(path: str, word: int) -> int | None:
    """A number in a file of the kernel, None if it is unknown."""
    with contextlib.suppress(OSError, IndexError, ValueError):
        return int(read_file(path).split()[word])
    return None


def run_queue_delay_ns(pid: int | str = "self") -> int | None:
    """Time that the main thread of a process (a zombie too) waited for a core; None if unknown."""
    return _number_in(f"/proc/{pid}/schedstat", 1)


def written_bytes(pid: int | str = "self") -> int | None:
    """Bytes that a process (or zombie) and those it waited for passed to write(); None: unknown."""
    return _number_in(f"/proc/{pid}/io", _WRITTEN)


def limit_memory(memory_mb: float | None) -> None:
    if memory_mb is None:
        return
    pages = int(read_file("/proc/self/statm").split()[0])
    limit = pages * resource.getpagesize() + round(memory_mb * 2**20)
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    limit = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def leave_for_others() -> None:
    """Let this process leave some of the processes and pending signals that the user may have."""
    for what in (resource.RLIMIT_NPROC, resource.RLIMIT_SIGPENDING):
        soft, _ = resource.getrlimit(what)
        if soft != resource.RLIM_INFINITY:
            most = soft - min(soft // 8, 256)
            resource.setrlimit(what, (most, most))


class Orphan(NamedTuple):
    """What a process without a parent and those it waited for used; None: unknown."""

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
        left = {child for child in children() if child not in spare}
        if not left:
            break
        for child in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        while left:  # in any order: the first process of a namespace ends after all others
            for child in [*left]:
                with contextlib.suppress(ChildProcessError):  # it has been waited for
                    if not os.waitid(os.P_PID, child, _ENDED):
                        continue
                    ended.append(reaped(child))
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
def interruptible(act: Callable[[int], object] | None = None) -> Iterator[None]:
    """Raise `Interrupted`, or `act`, when one of `SIGNALS` comes, also where it was ignored until
    now, as in what a shell starts in the background. Only the main thread may call this.
    """

    def interrupt(number: int, frame: FrameType | None) -> None:
        if act is None:
            raise Interrupted(number)
        act(number)

    before = {number: signal.signal(number, interrupt) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def ends_at_once() -> None:
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)


_CLONE_NEWNS, _CLONE_NEWIPC, _CLONE_NEWUSER = 0x00020000, 0x08000000, 0x10000000
_CLONE_NEWPID, _CLONE_NEWNET = 0x20000000, 0x40000000
_SIOCSIFFLAGS, _IFF_UP = 0x8914, 1
_MS_RDONLY, _MS_BIND, _MS_REC, _MS_PRIVATE = 1, 0x1000, 0x4000, 0x40000
_PR_CAPBSET_READ, _PR_CAPBSET_DROP = 23, 24
_NOSUID_NODEV_NOEXEC = 2 | 4 | 8
_CAPABILITY_VERSION = 0x20080522
_MOUNT_SETATTR, _AT_RECURSIVE, _HERE = 442, 0x8000, -100
_READ_ONLY, _WRITABLE = struct.pack("4Q", 1, 0, 0, 0), struct.pack("4Q", 0, 1, 0, 0)

_KEPT = sum(1 << number for number in (0, 1, 3, 4, 6, 7, 10))
"""CAP_CHOWN, DAC_OVERRIDE, FOWNER, FSETID, SETGID, SETUID and NET_BIND_SERVICE, which root keeps:
with none of them a process leaves its view, or reaches one that is outside.
"""

# Whether this process, or one that it is a fork of, has entered a user namespace here; has called
# `own_processes`, and not yet `leave`; is in a network of its own.
_in_user_namespace = False
_in_own_processes = False
in_own_network = False


class Mount(NamedTuple):
    """One step of making a view: an overlay over a `private` folder, or a folder as it is."""

    folder: Path
    private: bool


def is_own(folder: Path) -> bool:
    """Whether a view can take what is written into a folder: a user namespace has one user only."""
    looks = folder.stat()
    own = (looks.st_uid, looks.st_gid) == (os.geteuid(), os.getegid())
    return own or os.geteuid() == 0


def plan(
    folders: Iterable[Path], mounted: Iterable[Path], own: Callable[[Path], bool] = is_own
) -> list[Mount]:
    """The mounts that make absolute folders private, each after the mounts that contain it.

    A folder inside another one needs its own only if a file system is `mounted` between them or a
    folder between them is not the user's own. Inside a private folder, file systems are unchanged.
    """
    points = set(mounted)
    private: list[Path] = []
    for folder in sorted(set(folders)):
        around = _innermost(folder, private)
        between = takewhile(partial(ne, around), (folder, *folder.parents))
        if around is None or any(p in points or not own(p) for p in between):
            private.append(folder)
    kept: list[Path] = []
    for point in sorted(points.difference(private)):
        around, below = _innermost(point, private), _innermost(point, kept)
        # What is below another one comes with it, unless a private folder is in between.
        if around and (below is None or around.is_relative_to(below)):
            kept.append(point)
    steps = [Mount(path, True) for path in private] + [Mount(path, False) for path in kept]
    return sorted(steps, key=lambda step: (len(step.folder.parts), step.folder))


def _innermost(path: Path, folders: Sequence[Path]) -> Path | None:
    return next((folder for folder in (path, *path.parents) if folder in folders), None)


def mount_points() -> list[Path]:
    with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as file:
        escaped = [line.split()[4] for line in file]
    octal = re.compile(r"\\([0-7]{3})")
    return [Path(octal.sub(lambda match: chr(int(match[1], 8)), text)) for text in escaped]


def enter(
    steps: Sequence[Mount],
    megabytes: float | None = None,
    writable: Sequence[Path] = (),
    hidden: Iterable[Path] = (),
) -> None:
    """Give this process, which has only one thread, its own view of folders permanently.

    It may write to the `private` folders of `steps`, at most so many `megabytes` in all (None: half
    of the memory), and to the `writable` folders, which others see; without `steps`, to all that it
    may. The `hidden` folders are empty but for `writable` ones in them. System V shared memory,
    semaphores and message queues, and POSIX message queues, are its own too; no privilege is left,
    and `refuse_calls` is in force. If the kernel refuses, an OSError names the folder or what else
    was refused, and the process cannot be used.
    """
    here = os.getcwd()
    own_mounts(_CLONE_NEWIPC)
    with contextlib.ExitStack() as stack:

        def opened(folder: Path) -> int:
            fd = os.open(folder, os.O_PATH | os.O_CLOEXEC)
            stack.callback(os.close, fd)
            return fd

        as_they_are = [opened(step.folder) for step in steps]
        shared = [opened(folder) for folder in writable]
        if steps and Path("/") not in writable:
            _set_attributes("/", _READ_ONLY, _AT_RECURSIVE)
        existing = {folder for folder in hidden if folder.is_dir()}
        empty = [folder for folder in existing if not existing.intersection(folder.parents)]
        places = [*(step.folder for step in steps if step.private), *empty]
        if places:
            # A file system in memory, which the overlay of the same folder then hides.
            size = b"" if megabytes is None else b",size=%dm" % max(1, megabytes)
            _mount(b"tmpfs", places[0], b"tmpfs", 0, b"mode=0700" + size)
            written = os.open(places[0], os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            stack.callback(os.close, written)
        for number, (step, fd) in enumerate(zip(steps, as_they_are, strict=True)):
            if step.private:
                _overlay(step.folder, fd, written, str(number))
            else:
                _bind(fd, step.folder)
        if empty:
            os.mkdir("nothing", 0o555, dir_fd=written)
            nothing = os.open("nothing", os.O_PATH | os.O_CLOEXEC, dir_fd=written)
            stack.callback(os.close, nothing)
        for folder in empty:
            _bind(nothing, folder)
        for folder, fd in zip(writable, shared, strict=True):
            is_below = folder.parent in empty
            if is_below:
                os.mkdir(folder.name, dir_fd=nothing)
            if is_below or (steps and folder != Path("/")):
                _bind(fd, folder)
                _set_attributes(str(folder), _WRITABLE)
    if megabytes is not None:
        with contextlib.suppress(OSError):  # shared memory of the namespace, if the system lets us
            Path("/proc/sys/kernel/shmall").write_text(f"{max(1, round(megabytes * 2**20 / 4096))}")
    if _in_own_processes:
        mount_proc(_MS_RDONLY)
    os.chdir(here)
    _give_up_capabilities()
    refuse_calls()


def refusal(steps: Sequence[Mount], *, network: bool = False) -> str | None:
    """Why `enter`, maybe with an own network, fails in a separate process; None if it succeeds."""
    answer = os.memfd_create("timefair-refusal")
    pid, status = os.fork(), 1
    if pid == 0:
        try:
            own_processes(network=network)
            if first := os.fork():
                status = os.waitstatus_to_exitcode(os.waitpid(first, 0)[1])
            else:
                enter(steps)
                status = 0
        except OSError as error:
            os.write(answer, said(error).encode())
        finally:
            end_process(status)
    _, status = os.waitpid(pid, 0)
    return taken(answer) or (None if status == 0 else "the kernel ended the process that tried")


def said(error: OSError) -> str:
    what = f"{error.filename}: " if error.filename else ""
    return f"{what}{error.strerror or error}"


def own_processes(*, network: bool) -> None:
    """Fork from now on into a new PID namespace, which ends with the first fork, maybe with an own
    network. Without privileges, a user namespace is entered, which needs a single thread.
    """
    global _in_own_processes
    _own_namespaces(_CLONE_NEWPID)
    _in_own_processes = True
    if network:
        own_network()


def own_network() -> None:
    """Enter a network permanently that only this process and its forks see, with a loopback."""
    global in_own_network
    _own_namespaces(_CLONE_NEWNET)
    in_own_network = True
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", _IFF_UP))


def mount_proc(flags: int = 0) -> None:
    _mount(b"proc", "/proc", b"proc", flags | _NOSUID_NODEV_NOEXEC)


def own_mounts(others: int = 0) -> None:
    """Enter a mount namespace whose mounts no other process sees, and other new namespaces."""
    _own_namespaces(_CLONE_NEWNS | others)
    _mount(b"none", "/", None, _MS_REC | _MS_PRIVATE)


def _own_namespaces(which: int) -> None:
    global _in_user_namespace
    if _libc.unshare(which) == 0:
        return
    own, uid, gid = Path("/proc/self"), os.geteuid(), os.getegid()
    check(_libc.unshare(which | _CLONE_NEWUSER), "a user namespace")
    _in_user_namespace = True
    (own / "setgroups").write_text("deny")
    (own / "uid_map").write_text(f"{uid} {uid} 1")
    (own / "gid_map").write_text(f"{gid} {gid} 1")


def _bind(fd: int, folder: Path) -> None:
    _mount(f"/proc/self/fd/{fd}".encode(), folder, None, _MS_BIND | _MS_REC)


def _set_attributes(place: str, attributes: bytes, flags: int = 0) -> None:
    """Set or clear attributes of a mount; kernels before 5.12 cannot."""
    if _libc.syscall(_MOUNT_SETATTR, _HERE, os.fsencode(place), flags, attributes, len(attributes)):
        number = ctypes.get_errno()
        if number != errno.ENOSYS:
            raise OSError(number, os.strerror(number), place)


def _overlay(folder: Path, below: int, written: int, name: str) -> None:
    """Mount over a folder itself, with a new folder of `written` for what is written."""
    looks = os.fstat(below)
    os.mkdir(name, dir_fd=written)
    os.mkdir(f"{name}-work", dir_fd=written)
    above = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=written)
    try:
        if not _in_user_namespace:
            os.fchown(above, looks.st_uid, looks.st_gid)
        os.fchmod(above, stat.S_IMODE(looks.st_mode))
    finally:
        os.close(above)
    new = f"/proc/self/fd/{written}/{name}"
    options = f"lowerdir=/proc/self/fd/{below},upperdir={new},workdir={new}-work"
    options += ",userxattr" * _in_user_namespace
    _mount(b"overlay", folder, b"overlay", 0, options.encode())


def _give_up_capabilities() -> None:
    """Keep `_KEPT` of root's, and none in a user namespace."""
    allowed = 0 if _in_user_namespace or os.geteuid() else _KEPT
    header = ctypes.create_string_buffer(struct.pack("Ii", _CAPABILITY_VERSION, 0))
    held = (ctypes.c_uint32 * 6)()  # effective, permitted and inheritable, of 32 numbers each
    check(_libc.capget(header, held), "capabilities")
    number = 0
    while _libc.prctl(_PR_CAPBSET_READ, number, 0, 0, 0) >= 0:
        if not allowed >> number & 1:
            _libc.prctl(_PR_CAPBSET_DROP, number, 0, 0, 0)
        number += 1
    for place in range(6):
        held[place] &= allowed >> 32 * (place // 3) & 0xFFFFFFFF
    check(_libc.capset(header, held), "capabilities")


def _mount(
    source: bytes, folder: str | Path, kind: bytes | None, flags: int, options: bytes | None = None
) -> None:
    place = os.fsencode(folder)
    check(_libc.mount(source, place, kind, ctypes.c_ulong(flags), options), folder)


# --- A filter of system calls (seccomp): a run keeps its cores, namespaces and memory limit ------
# It applies to a process and to all that it starts, even if root runs the campaign.

_PR_SET_NO_NEW_PRIVS = 38
_SET_MODE_FILTER = 1
_SPEC_ALLOW = 4  # keep speculation on: old kernels would switch it off and slow the process
_LOAD, _EQUAL, _AND, _ANY, _RETURN = 0x20, 0x15, 0x54, 0x45, 0x06  # of a classic BPF
_NUMBER_AT, _ARCHITECTURE_AT, _ARGUMENT_AT = 0, 4, 16  # in the kernel's struct seccomp_data
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000
_X32 = 0x40000000  # set in the numbers of calls of x86's third interface
_NEW_NAMESPACES = 0x7E020000  # flags of clone

REFUSED = {
    **dict.fromkeys(
        ("sched_setaffinity", "sched_setscheduler", "sched_setparam", "sched_setattr",
         "setpriority", "unshare", "setns", "add_key", "request_key", "keyctl"),
        errno.EPERM,
    ),
    "memfd_create": errno.ENOMEM,  # no limit counts it
    "memfd_secret": errno.ENOSYS,
    "io_uring_setup": errno.ENOSYS,  # its threads wait busily on other cores
    "clone3": errno.ENOSYS,  # its flags are out of reach; programs then call clone
}  # fmt: skip
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


def refuse_calls() -> bool:
    """Refuse them permanently, here and in what this starts; False if there is no such filter."""
    if _MACHINE not in _NUMBERS or _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return False
    code = _program()
    filter_ = struct.pack("HP", len(code) // 8, ctypes.addressof(code))
    return not _libc.syscall(_SECCOMP[_MACHINE], _SET_MODE_FILTER, _SPEC_ALLOW, filter_)


@cache
def _program() -> ctypes.Array[ctypes.c_char]:
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


# --- The keeper ---------------------------------------------------------------------------------


class Keeper(NamedTuple):
    """The connection to the keeper of a namespace, in which are all later forks of its maker."""

    connection: socket.socket
    answers: int
    number: int

    def sweep(self) -> list[Orphan]:
        """End all processes in the namespace and wait for their end; return what they used.

        The run's own process has ended before. `Interrupted` if somebody has ended the keeper.
        """
        self.connection.send(b"sweep")
        if not self.connection.recv(8):
            raise Interrupted(signal.SIGKILL)
        text = os.pread(self.answers, os.fstat(self.answers).st_size, 0)
        return [Orphan(*one) for one in json.loads(text)]


def make_keeper(*, network: bool) -> Keeper:
    """Make a namespace, maybe with an own network, and its keeper, which ends with this process."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    own_processes(network=network)
    answers = os.memfd_create("timefair-swept")
    number = forked(partial(_keep, theirs, answers))
    theirs.close()
    return Keeper(ours, answers, number)


_staying: dict[int, Keeper] = {}
"""By process: the keeper of one that has no privilege, and so stays with it."""


@contextlib.contextmanager
def kept_keeper(*, network: bool) -> Iterator[Keeper]:
    """A keeper, as `make_keeper` makes it; with privileges, this process keeps its namespaces."""
    global _in_own_processes, in_own_network
    own = os.getpid()
    before = [os.open(f"/proc/self/ns/{name}", os.O_RDONLY) for name in ("pid", "net")]
    keeper = _staying.pop(own, None) or make_keeper(network=network)
    try:
        yield keeper
    finally:
        _in_own_processes = any(_libc.setns(fd, 0) for fd in before)
        in_own_network = in_own_network and _in_own_processes
        for fd in before:
            os.close(fd)
        if not _in_own_processes:
            os.kill(keeper.number, signal.SIGKILL)
            # It waits for all processes in it: also for those that an interruption left to reap.
            while os.waitpid(-1, 0)[0] != keeper.number:
                pass
            keeper.connection.close()
            os.close(keeper.answers)
        else:
            _staying[own] = keeper


def _keep(connection: socket.socket, answers: int) -> NoReturn:
    ends_at_once()
    forbid_inspection()
    name_process("timefair-keeper")
    keep_descriptors([connection.fileno(), answers])
    own_mounts()
    mount_proc()
    while connection.recv(8):
        with contextlib.suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)
        ended = []
        with contextlib.suppress(ChildProcessError):
            while found := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT):
                ended.append(reaped(found.si_pid))
        with contextlib.suppress(OSError):
            Path("/proc/sys/kernel/ns_last_pid").write_text("1")
        os.ftruncate(answers, 0)
        os.pwrite(answers, json.dumps(ended).encode(), 0)
        connection.send(b"swept")
    end_process(0)
