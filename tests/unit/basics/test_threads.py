"""Threads that a fork loses are found, and those that it brings back are not."""

import pytest

from timefair.basics import threads, user_code
from timefair.basics.errors import InputError

SOLVE = "\ndef solve(objective, rng): pass\n"
POOL = "from concurrent.futures import ThreadPoolExecutor\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    threads.started_by.cache_clear()
    return tmp_path


@pytest.mark.parametrize(
    ("code", "found"),
    [
        (POOL + "pool = ThreadPoolExecutor(2)\npool.submit(abs, 1).result()",
         "1 thread (ThreadPoolExecutor-0_0)"),
        ("import threading\nfor name in ('a', 'b'):\n"
         "    threading.Thread(target=threading.Event().wait, name=name, daemon=True).start()",
         "2 threads (a, b)"),
        ("import _thread, time\n_thread.start_new_thread(time.sleep, (60,))", "1 thread (native)"),
        (POOL + "with ThreadPoolExecutor(2) as pool: pool.submit(abs, 1).result()", ""),
        (POOL + "pool = ThreadPoolExecutor(2)", ""),
        ("import numpy as np\na = np.ones((700, 700))\na @ a", ""),
        ("import pyarrow", ""),
        ("", ""),
    ],
    ids=["pool", "background", "low-level", "ended", "unused", "BLAS", "allocator", "none"],
)  # fmt: skip
def test_threads_of_an_import(folder, code, found):
    (folder / "mine.py").write_text(code + SOLVE)
    assert threads.started_by("mine.py:solve", 2) == found


def test_check_says_what_a_module_starts(folder, monkeypatch):
    monkeypatch.setattr(threads, "_lost", {})
    monkeypatch.setattr(threads, "_shared", {})
    (folder / "starter.py").write_text(POOL + "p = ThreadPoolExecutor(1)\np.submit(abs, 1)" + SOLVE)
    (folder / "quiet.py").write_text(SOLVE)
    for name in ("starter", "quiet"):
        user_code.load_function(f"{name}.py:solve")
    started = "starter.py starts or opens 1 thread (ThreadPoolExecutor-0_0)"
    said = user_code.warnings("starter.py:solve")  # from Python 3.12 on, also Python's own warning
    assert any(line.startswith(f"{started} when it is imported, which forks lose") for line in said)
    assert user_code.warnings("quiet.py:solve") == []


def test_what_all_forks_would_share_is_found(folder):
    code = "import mmap, os\nKEPT, FD = mmap.mmap(-1, 99), os.open('kept', os.O_CREAT)"
    (folder / "mine.py").write_text(code + SOLVE)
    assert threads.started_by("mine.py:solve", 1) == "2 shared objects (kept, memory)"


def test_a_module_that_ends_its_process_at_import_is_named(folder):
    (folder / "quits.py").write_text("import os\nos._exit(0)\n" + SOLVE)
    with pytest.raises(InputError, match=r"quits.py ends the interpreter when it is imported"):
        user_code.load_function("quits.py:solve")
