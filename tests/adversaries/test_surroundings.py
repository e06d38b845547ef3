"""Campaigns on poor machines, and of problems that misbehave."""

import ctypes
import resource
from pathlib import Path

import pytest
from bench import BENCH, HONEST
from workspace import Workspace

pytestmark = pytest.mark.workflow

ADDRESS_SPACE = 3 * 2**30
CLONE_NEWNS, MS_PRIVATE, MS_REC, MNT_DETACH = 0x00020000, 1 << 18, 1 << 14, 2


def be_poor() -> None:
    """``ulimit -v``, and no /dev/shm where the system lets this process take it away."""
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    libc = ctypes.CDLL(None)
    if libc.unshare(CLONE_NEWNS) == 0:
        libc.mount(None, b"/", None, MS_PRIVATE | MS_REC, None)
        libc.umount2(b"/dev/shm", MNT_DETACH)


@pytest.mark.thorough
def test_a_problem_that_misbehaves_on_a_poor_machine(tmp_path):
    """Each function has its status; limits and a missing folder change nothing."""
    use = f"{Path(__file__).with_name('problem.py')}:value"
    workspace = Workspace(tmp_path)
    workspace.limit = be_poor
    workspace.configure(
        problems={"suite": use, "functions": "1-7", "dimensions": 2, "instances": 1},
        algorithms={"search": HONEST["random_search"], "hoards": BENCH["allocates"].use},
        budget={"time_s": 2, "evaluations": 100},
        limits={"memory_mb": 300},
        runs=1,
    )
    workspace.complete("--until", "collect_records")
    seen = {
        (row["algorithm"], row["function"]): (row["status"], row["message"])
        for row in workspace.rows()
    }
    no_number = "ValueError: could not convert string to float: 'no number'"
    of_the_problem = {
        2: ("no_finite_value", None),
        3: ("raised", "ArithmeticError: no value"),
        4: ("exited", "exit code 3"),
        5: ("crashed", "SIGSEGV"),
        6: ("raised", no_number),
    }
    assert {k: v for (label, k), v in seen.items() if label == "search"} == {
        1: ("ok", None), **of_the_problem, 7: ("ok", None),
    }  # fmt: skip
    memory = ("out_of_memory", "MemoryError")
    assert {k: v for (label, k), v in seen.items() if label == "hoards"} == {
        1: memory, **of_the_problem, 2: memory, 7: memory,
    }  # fmt: skip
