"""Algorithms that use up memory, files or the log, or change the process that they run in."""

import contextlib
import gc
import mmap
import os
import resource
import shutil
import sys
import tempfile
import time
from pathlib import Path

from adversary import HELD, adversary, one, search

FAILED = "failure"


@adversary("out_of_memory", FAILED, message="MemoryError")
def allocates(objective, rng):
    one(objective)
    kept = []
    while True:
        kept.append(bytes(2**24))  # pages that nobody touches: this takes no time


@adversary("out_of_memory", FAILED, message="Cannot allocate memory")
def maps_memory(objective, rng):
    """The system answers ENOMEM, which Python does not make a MemoryError of."""
    one(objective)
    mmap.mmap(-1, 2**33)


@adversary("raised", FAILED, message="Too many open files")
def opens_files_for_ever(objective, rng):
    one(objective)
    resource.setrlimit(resource.RLIMIT_NOFILE, (200, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    kept = []
    while True:
        kept.append(open(os.devnull))  # noqa: SIM115


@adversary("ok", HELD, shows=lambda row: row["written_mb"] > 1)
def floods_the_log(objective, rng):
    one(objective)
    block = b"x" * 2**20
    while True:
        os.write(1, block)


@adversary("ok")
def closes_its_output(objective, rng):
    os.close(1)
    os.close(2)
    search(objective, rng)


@adversary("ok")
def litters(objective, rng):
    """Leaves a file in its temporary folder and one where it was started, and a process."""
    Path(tempfile.mkdtemp(), "left.bin").write_bytes(bytes(2_000_000))
    Path("litter.txt").write_text("left")
    if os.fork() == 0:
        os.setsid()
        time.sleep(60)
    one(objective)


@adversary("ok")
def removes_its_temporary_folder(objective, rng):
    """All that is in it, where the kernel keeps the folder."""
    shutil.rmtree(tempfile.gettempdir(), ignore_errors=True)
    search(objective, rng)


@adversary("ok")
def locks_its_temporary_folder(objective, rng):
    """A folder in it that only its owner can remove, and only with other rights."""
    folder = tempfile.mkdtemp()
    Path(folder, "file").touch()
    os.chmod(folder, 0)
    search(objective, rng)


@adversary("ok")
def goes_elsewhere(objective, rng):
    os.chdir("/")
    search(objective, rng)


@adversary("ok")
def clears_its_environment(objective, rng):
    os.environ.clear()
    search(objective, rng)


@adversary("ok")
def forgets_its_modules(objective, rng):
    sys.modules.clear()
    search(objective, rng)


@adversary("ok")
def changes_rights_and_garbage(objective, rng):
    os.umask(0o777)
    gc.disable()
    gc.unfreeze()
    search(objective, rng)


@adversary("crashed", FAILED, message="SIGXCPU")
def limits_its_processor_time(objective, rng):
    one(objective)
    resource.setrlimit(resource.RLIMIT_CPU, (0, 1))
    while True:
        pass


@adversary("ok")
def forbids_itself_processes(objective, rng):
    """Reaches its limit of processes and threads (``ulimit -u``)."""
    resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
    with contextlib.suppress(OSError):  # the kernel lets root go on
        if os.fork() == 0:
            os._exit(0)
    search(objective, rng)


@adversary("ok")
def forbids_itself_files(objective, rng):
    """No file may grow, not even the memory that holds its events."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    search(objective, rng)


@adversary("ok", HELD)
def writes_a_large_file(objective, rng):
    """In its temporary folder, which is removed."""
    one(objective)
    with tempfile.TemporaryFile() as file:
        while file.tell() < 50_000_000:
            file.write(bytes(2**20))
    time.sleep(1000)
