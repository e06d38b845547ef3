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
from functools import partial
from pathlib import Path

import adversary as bench
from adversary import HELD, adversary, one, search

FAILED = "failure"
acts, searches = (partial(declare, globals()) for declare in (bench.acts, bench.searches))

# fmt: off
# The system answers ENOMEM, which Python does not make a MemoryError of.
acts("maps_memory", "out_of_memory", "Cannot allocate memory", lambda: mmap.mmap(-1, 2**33))
searches("closes_its_output", lambda: (os.close(1), os.close(2)))
# All that is in it, where the kernel keeps the folder.
searches("removes_its_temporary_folder",
         lambda: shutil.rmtree(tempfile.gettempdir(), ignore_errors=True))
searches("goes_elsewhere", lambda: os.chdir("/"))
searches("clears_its_environment", lambda: os.environ.clear())
searches("forgets_its_modules", lambda: sys.modules.clear())
searches("changes_rights_and_garbage", lambda: (os.umask(0o777), gc.disable(), gc.unfreeze()))
# No file may grow, not even the memory that holds its events.
searches("forbids_itself_files", lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)))
# fmt: on


@adversary("out_of_memory", FAILED, message="MemoryError")
def allocates(objective, rng):
    one(objective)
    kept = []
    while True:
        kept.append(bytes(2**24))  # pages that nobody touches: this takes no time


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
def litters(objective, rng):
    """Leaves a file in its temporary folder and one where it was started, and a process."""
    Path(tempfile.mkdtemp(), "left.bin").write_bytes(bytes(2_000_000))
    Path("litter.txt").write_text("left")
    if os.fork() == 0:
        os.setsid()
        time.sleep(60)
    one(objective)


@adversary("ok")
def locks_its_temporary_folder(objective, rng):
    """A folder in it that only its owner can remove, and only with other rights."""
    folder = tempfile.mkdtemp()
    Path(folder, "file").touch()
    os.chmod(folder, 0)
    search(objective, rng)


@adversary("crashed", FAILED, message="SIGXCPU")
def limits_its_processor_time(objective, rng):
    one(objective)
    resource.setrlimit(resource.RLIMIT_CPU, (0, 1))
    while True:
        pass


@adversary("ok")
def forbids_itself_processes(objective, rng):
    resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
    with contextlib.suppress(OSError):  # the kernel lets root go on
        if os.fork() == 0:
            os._exit(0)
    search(objective, rng)


@adversary("ok", HELD)
def writes_a_large_file(objective, rng):
    """In its temporary folder, which is removed."""
    one(objective)
    with tempfile.TemporaryFile() as file:
        while file.tell() < 50_000_000:
            file.write(bytes(2**20))
    time.sleep(1000)
