"""A file of the user's does not replace a module that Python or timefair needs."""

import subprocess
import sys
from pathlib import Path

import pytest

LOAD = (
    "import sys; from timefair.basics import user_code; user_code.load_function(sys.argv[1]); "
    "import queue, scipy; print(queue.Queue, scipy.__version__); "
    "print(*user_code.warnings(sys.argv[1]), sep='\\n')"
)
SOLVE = "def solve(objective, rng): pass\n"


def loaded(folder: Path, use: str) -> list[str]:
    command = [sys.executable, "-P", "-c", LOAD, use]
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
    (tmp_path / "mine.py").write_text(f"import {name}\n{SOLVE}")
    assert loaded(tmp_path, "mine.py:solve") == [line]
