"""Imports of the user's files, what they start, and modules that are found or hidden."""

import importlib
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from timefair.basics import threads, user_code
from timefair.basics.modules import declared, hidden_modules
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
        "import os; os._exit(0)",
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
def test_check_does_not_succeed(tmp_path):
    (tmp_path / "mine.py").write_text("import ctypes; ctypes.CDLL(None).exit(0)" + SOLVE)
    (tmp_path / "c.yaml").write_text(CAMPAIGN)
    command = [sys.executable, "-P", "-m", "timefair", "check", "c.yaml"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (2, "")
    # The shell that names the module is a process of its own, which may print later than `check`.
    assert "timefair: mine.py ended the process" in ended.stderr


LOAD_SHADOWED = (
    "import sys; from timefair.basics import user_code; user_code.load_function(sys.argv[1]); "
    "import queue, scipy; print(queue.Queue, scipy.__version__); "
    "print(*user_code.warnings(sys.argv[1]), sep='\\n')"
)
SOLVE_SHADOWED = "def solve(objective, rng): pass\n"


def loaded(folder: Path, use: str) -> list[str]:
    command = [sys.executable, "-P", "-c", LOAD_SHADOWED, use]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[1:]


def test_own_files_with_names_of_installed_modules_are_loaded_by_their_path(tmp_path):
    for name in ("queue", "scipy", "random"):
        (tmp_path / f"{name}.py").write_text(SOLVE_SHADOWED)
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
    (tmp_path / "mine.py").write_text(f"import {name}\n{SOLVE_SHADOWED}")
    assert loaded(tmp_path, "mine.py:solve") == [line]


KIND = """
class Animal:
    def __init__(self, name):
        self.name = name
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    folder = tmp_path / "menagerie"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "kind.py").write_text(KIND)
    yield folder
    for name in [name for name in sys.modules if name.partition(".")[0] == "menagerie"]:
        del sys.modules[name]


def animals(**options: tuple[str, ...]) -> dict[str, object]:
    importlib.invalidate_caches()
    menagerie: ModuleType = importlib.import_module("menagerie")
    return declared(importlib.import_module("menagerie.kind").Animal, menagerie, **options)


def test_objects_are_found_once_and_sorted_by_name(package):
    (package / "a.py").write_text(
        "from menagerie.kind import Animal\nTIGER = Animal('tiger')\nSAME = TIGER\nAnimal\n"
    )
    (package / "b.py").write_text(
        "from menagerie.a import TIGER\nfrom menagerie.kind import Animal\n"
        "class Bird(Animal): pass\nOWL = Bird('owl')\nNUMBER = 3\n"
    )
    found = animals()
    assert list(found) == ["owl", "tiger"]
    assert found["tiger"] is importlib.import_module("menagerie.a").TIGER


def test_two_objects_of_one_name_are_refused(package):
    for module in ("a", "b"):
        (package / f"{module}.py").write_text(
            "from menagerie.kind import Animal\nOWL = Animal('owl')\n"
        )
    with pytest.raises(RuntimeError, match=r"^menagerie.b: 'owl' is declared elsewhere"):
        animals()


@pytest.mark.slow
def test_the_registries_import_no_library():
    code = (
        "import sys\n"
        "from timefair.algorithms.libraries import LIBRARIES\n"
        "from timefair.problems.suites import SUITES\n"
        "entries = [*SUITES.values(), *LIBRARIES.values()]\n"
        "names = {d.lower().replace('-', '_') for e in entries for d in e.distributions}\n"
        "modules = {getattr(e, 'module', '') for e in entries} | {'cocoex', 'ioh', 'sklearn'}\n"
        "loaded = (names | modules | {'pandas', 'matplotlib'}) - {'numpy', 'timefair'}\n"
        "sys.exit(' '.join(loaded & set(sys.modules)) or None)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_hidden_module_is_missing_only_inside_the_block(tmp_path, monkeypatch):
    (tmp_path / "plots.py").write_text("answer = 42\n")
    (tmp_path / "user.py").write_text(
        "try:\n    import plots\nexcept ImportError:\n    plots = None\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("plots", "user"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    with hidden_modules("plots", "another"):
        assert importlib.import_module("user").plots is None
        with pytest.raises(ModuleNotFoundError, match="plots is hidden"):
            importlib.import_module("plots")
    assert importlib.import_module("plots").answer == 42
    with hidden_modules("plots"):
        assert importlib.import_module("plots").answer == 42  # it is loaded


POOL = "from concurrent.futures import ThreadPoolExecutor\n"


@pytest.fixture
def own_folder(tmp_path, monkeypatch):
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
def test_threads_of_an_import(own_folder, code, found):
    (own_folder / "mine.py").write_text(code + SOLVE)
    assert threads.started_by("mine.py:solve", 2) == found


def test_check_says_what_a_module_starts(own_folder, monkeypatch):
    monkeypatch.setattr(threads, "_lost", {})
    monkeypatch.setattr(threads, "_shared", {})
    (own_folder / "starter.py").write_text(
        POOL + "p = ThreadPoolExecutor(1)\np.submit(abs, 1)" + SOLVE
    )
    (own_folder / "quiet.py").write_text(SOLVE)
    for name in ("starter", "quiet"):
        user_code.load_function(f"{name}.py:solve")
    started = "starter.py starts or opens 1 thread (ThreadPoolExecutor-0_0)"
    said = user_code.warnings("starter.py:solve")  # from Python 3.12 on, also Python's own warning
    assert any(line.startswith(f"{started} when it is imported, which forks lose") for line in said)
    assert user_code.warnings("quiet.py:solve") == []


def test_what_forks_would_share_is_found(own_folder):
    code = "import mmap, os\nKEPT, FD = mmap.mmap(-1, 99), os.open('kept', os.O_CREAT)"
    (own_folder / "mine.py").write_text(code + SOLVE)
    assert threads.started_by("mine.py:solve", 1) == "2 shared objects (kept, memory)"
