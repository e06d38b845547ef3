"""A module that ends or interrupts the process that imports it is named in one line."""

import subprocess
import sys

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
