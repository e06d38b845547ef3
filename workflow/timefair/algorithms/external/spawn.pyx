# cython: language_level=3
"""Start a program that ends with this process, without copying the memory of this process.

The parent-death signal has to be set in the new process, before the program begins. Python's
`subprocess` runs such code in a fork, which takes milliseconds if this process is large.
"""

import ctypes
import os

from libc.errno cimport errno
from libc.signal cimport SIG_DFL, SIGKILL, SIGPIPE, signal
from libc.stdint cimport uintptr_t
from posix.resource cimport RLIMIT_CORE, rlimit, setrlimit
from posix.types cimport pid_t
from posix.unistd cimport _exit, chdir, dup2, execve, getpid, getppid, setpgid, vfork

cdef extern from "<sys/prctl.h>" nogil:
    int PR_SET_PDEATHSIG
    int prctl(int option, unsigned long value)

cdef extern from "<sys/syscall.h>" nogil:
    long SYS_close_range

cdef extern from "<unistd.h>" nogil:
    long syscall(long number, ...)


def spawn(arguments, environment, folder, int stdin, int stdout, int stderr):
    """Start ``arguments[0]``, an absolute path, in a folder, and return its process id.

    The program is the leader of a new process group.

    - `environment`: The complete environment: no variable is inherited.
    - `folder`: The working directory.
    - `stdin`, `stdout`, `stderr`: File descriptors, which become 0, 1 and 2. All others are closed.

    Raises `OSError` if the program cannot be executed or the folder cannot be entered.
    """
    words = as_array(arguments)
    variables = as_array([f"{name}={value}" for name, value in environment.items()])
    cdef char **argv = <char **><uintptr_t>ctypes.addressof(words)
    cdef char **envp = <char **><uintptr_t>ctypes.addressof(variables)
    cdef bytes place = os.fsencode(folder)
    cdef char *cwd = place
    cdef int failure = 0
    cdef pid_t pid
    with nogil:
        pid = start(argv, envp, cwd, stdin, stdout, stderr, &failure)
    if pid > 0 and failure:
        os.waitpid(pid, 0)
    if failure:
        raise OSError(failure, os.strerror(failure), arguments[0])
    return pid


def as_array(words):
    """Pointers to the words, with NULL at the end."""
    return (ctypes.c_char_p * (len(words) + 1))(*map(os.fsencode, words))


cdef pid_t start(
    char **argv, char **envp, char *folder, int stdin, int stdout, int stderr, int *failure
) noexcept nogil:
    """Start the program and return its process id.

    The new process shares the memory of this one until `execve`, so it only makes system calls.
    """
    cdef rlimit none
    none.rlim_cur = none.rlim_max = 0
    cdef pid_t parent = getpid()
    cdef pid_t pid = vfork()
    if pid < 0:
        failure[0] = errno
    if pid != 0:
        return pid
    prctl(PR_SET_PDEATHSIG, SIGKILL)
    if getppid() != parent:
        _exit(1)
    setpgid(0, 0)
    setrlimit(RLIMIT_CORE, &none)
    signal(SIGPIPE, SIG_DFL)  # Python ignores it, and a program would inherit that
    dup2(stdin, 0)
    dup2(stdout, 1)
    dup2(stderr, 2)
    syscall(SYS_close_range, <long>3, <long>0xFFFFFFFF, <long>0)
    if chdir(folder) == 0:
        execve(argv[0], argv, envp)
    failure[0] = errno
    _exit(127)
    return 0
