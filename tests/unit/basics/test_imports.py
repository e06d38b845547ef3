"""A module that ends or interrupts the process that imports it is named in one line."""

import subprocess
import sys
from pathlib import Path

import pytest

from timefair.basics.user_code import GUARD

SOLVE = "\ndef solve(objective, rng): pass\n"
LOAD = "from timefair.basics.user_code import load_function; load_function('mine.py:solve')"
CAMPAIGN = """
name: c
problems: {suite: bbob, functions: 1, dimensions: 2, instances: 1}
algorithms: {a: mine.py:solve}
budget: {evaluations: 50}
"""


@pytest.mark.parametrize(
    "code",
    [
        "import ctypes; ctypes.CDLL(None).exit(0)",
        "import ctypes; ctypes.CDLL(None)._exit(3)",
        "import os; os.abort()",
        "import faulthandler, ctypes; faulthandler.disable(); ctypes.string_at(0)",
        "import os; os.kill(os.getpid(), 9)",
        "import os; os.execvp('true', ['true'])",
        "import os; os.closerange(3, 99); os.abort()",
    ],
)
def test_the_end_of_the_process(tmp_path, code):
    (tmp_path / "mine.py").write_text(code + SOLVE)
    ended = subprocess.run(
        [sys.executable, "-c", LOAD], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    said = [line for line in ended.stderr.splitlines() if line.startswith("timefair")]
    assert said == [f"timefair: mine.py ended the process that imported it; {GUARD}"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("import ctypes; ctypes.CDLL(None).exit(0)", "mine.py ended the process"),
        ("raise KeyboardInterrupt", "algorithms.a: mine.py cannot be imported: KeyboardInterrupt"),
    ],
)
def test_check_does_not_succeed(tmp_path, code, line):
    (tmp_path / "mine.py").write_text(code + SOLVE)
    (tmp_path / "c.yaml").write_text(CAMPAIGN)
    command = [sys.executable, "-P", "-m", "timefair", "check", "c.yaml"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (2, "")
    # The shell that names the module is a process of its own, which may print later than `check`.
    assert any(said.startswith(f"timefair: {line}") for said in ended.stderr.splitlines())


LISTED = (
    "import sys; from timefair.basics import user_code; user_code.load_function(sys.argv[1]); "
    "import queue, scipy; print(queue.Queue, scipy.__version__); "
    "print(*user_code.warnings(sys.argv[1]), sep='\\n')"
)


def loaded(folder: Path, use: str) -> list[str]:
    command = [sys.executable, "-P", "-c", LISTED, use]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[1:]


def test_own_files_with_names_of_installed_modules_are_loaded_by_their_path(tmp_path):
    for name in ("queue", "scipy", "random"):
        (tmp_path / f"{name}.py").write_text(SOLVE)
        assert loaded(tmp_path, f"{name}.py:solve") == [""]


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("queue", "mine.py imports the installed queue, not queue.py; rename this file"),
        ("cma", "mine.py imports cma.py, not the installed cma; rename this file"),
        ("helper", ""),
    ],
)
def test_a_file_that_shares_its_name_with_an_imported_module_is_named(tmp_path, name, line):
    (tmp_path / f"{name}.py").write_text("here = True\n")
    (tmp_path / "mine.py").write_text(f"import {name}{SOLVE}")
    assert loaded(tmp_path, "mine.py:solve") == [line]
