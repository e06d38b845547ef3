"""What a campaign may write as `use`, also of the user's own, and what it is told if wrong."""

import logging
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from timefair.algorithms import libraries
from timefair.basics import user_code


@pytest.mark.parametrize(
    ("use", "line"),
    [
        ("scipy:L-BFGSB", "scipy has no algorithm 'L-BFGSB'; did you mean 'L-BFGS-B'?"),
        ("scipy:Newton-CG", "scipy:Newton-CG cannot be used here: it needs a gradient"),
        ("timefair:randomsearch",
         "timefair has no algorithm 'randomsearch'; did you mean 'random-search'?"),
        ("nevergard:PSO",
         "there is no library and no module 'nevergard'; did you mean 'nevergrad'?"),
        (
            "zzz:solve",
            "there is no library and no module 'zzz'; the libraries are "
            + ", ".join(libraries.LIBRARIES),
        ),
        ("TwoPointsDE", "'TwoPointsDE' names no library: write nevergrad:TwoPointsDE"),
        ("PSO", "'PSO' names no library: write timefair:PSO or nevergrad:PSO or minionpy:PSO or "
         "pymoo:PSO"),
        ("LBFGS-B", "'LBFGS-B' names no library and none has it; did you mean 'scipy:L-BFGS-B'?"),
        ("scipy", "'scipy' is a library: write scipy:name"),
        ("mine.py", "'mine.py' names a file only: write mine.py:function"),
        ("mine.py:", "'mine.py:' is incomplete: write library:name or module:function"),
    ],
)  # fmt: skip
def test_a_wrong_name_gets_one_line_with_what_is_right(use, line):
    assert libraries.faults(use, {}) == [line]


def test_every_library_lists_its_algorithms_with_their_code_and_packages():
    for library in ("timefair", "scipy", "pycma"):
        for name, missing in libraries.LIBRARIES[library].available().items():
            faults = libraries.faults(f"{library}:{name}", {})
            assert bool(faults) == (bool(missing) or name == "portfolio")
    assert [p.name for p in libraries.source_files("scipy:Powell")] == ["adapter.py", "scipy.py"]
    assert libraries.distributions("scipy:Powell") == ["scipy", "numpy"]
    assert libraries.distributions("pycma:BIPOP") == ["cma", "numpy"]
    assert "nevergrad" in libraries.distributions("nevergrad:PSO")


@pytest.mark.parametrize(
    ("use", "written_in"),
    [
        ("timefair:DE", "compiled"), ("timefair:JADE", "Python with numpy"),
        ("scipy:L-BFGS-B", "compiled"), ("scipy:differential_evolution", "Python with numpy"),
        ("nlopt:LN_BOBYQA", "compiled"), ("pygmo:gwo", "compiled"), ("octave:PO.m", "program"),
        ("modcma:modCMA", "Python with numpy"), ("external:./solver --flag", "program"),
        ("mine.py:solve", "your Python"), ("package.module:solve", "your Python"),
    ],
)  # fmt: skip
def test_what_an_algorithm_is_implemented_in(use, written_in):
    assert libraries.implementation(use) == written_in


ROOT = Path(__file__).parents[3]
CHECK = """
import sys
from timefair.algorithms import libraries
assert libraries.remembered_faults("pycma:BIPOP", {}) == []
print("cma" in sys.modules)
"""


@pytest.fixture
def checked(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    asked = []

    def faults(use, parameters, check=libraries.faults):
        asked.append((use, parameters))
        return check(use, parameters)

    monkeypatch.setattr(libraries, "faults", faults)
    return asked


@pytest.mark.thorough
@pytest.mark.slow
def test_a_library_is_not_imported_for_what_is_known(tmp_path):
    environment = os.environ | {
        "XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": str(ROOT / "workflow")
    }  # fmt: skip
    said = [
        subprocess.run(
            [sys.executable, "-c", CHECK], env=environment, capture_output=True, text=True
        ).stdout.strip()
        for _ in range(2)
    ]
    assert said == ["True", "False"]


def test_faults_are_found_at_every_check_and_without_a_cache_everything(checked, monkeypatch):
    for _ in range(2):
        assert "'G' is not a parameter" in libraries.remembered_faults("timefair:DE", {"G": 1})[0]
    assert len(checked) == 2
    assert "no library" in libraries.remembered_faults("timefare:DE", {})[0]
    checked.clear()
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null")
    for _ in range(2):
        assert libraries.remembered_faults("timefair:DE", {}) == []
    assert len(checked) == 2


SOURCE = """
import helper_beside

def solve(objective, rng, *, step=1.0, start):
    x = start + 0 * objective.lower
    while True:
        objective(x)
        x = x + helper_beside.ONE * step * rng.standard_normal(objective.dimension)

def warm_up():
    solve.warm = True

solve.prepare = warm_up
number = 3

def lonely(objective):
    pass

def anything(objective, rng, **parameters):
    objective([parameters["value"]] * objective.dimension)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "my_own_search.py").write_text(SOURCE)
    (tmp_path / "helper_beside.py").write_text("ONE = 1.0\n")
    (tmp_path / "broken.py").write_text("1 / 0\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [p for p in __import__("sys").path if p])
    yield tmp_path
    for name in ("my_own_search", "helper_beside", "script"):
        __import__("sys").modules.pop(name, None)


@pytest.mark.parametrize("place", ["my_own_search", "my_own_search.py", "./my_own_search.py"])
def test_a_function_is_found_by_module_and_by_file(folder, launch, place):
    use = f"{place}:solve"
    result = launch(use, {"start": 2.0, "step": 0.0}, most=7)
    assert result.was_cut
    assert {tuple(x) for x in result.points} == {(2.0, 2.0, 2.0)}
    names = [p.name for p in libraries.source_files(use)]
    assert names == ["libraries.py", "my_own_search.py"]
    assert libraries.distributions(use) == []


@pytest.mark.parametrize(
    ("use", "parameters", "lines"),
    [
        ("my_own_search:solve", {"start": 1}, []),
        ("my_own_search:anything", {"value": 1, "more": 2}, []),
        (
            "my_own_search:solve",
            {"stepp": 1},
            [
                "'stepp' is not a parameter of my_own_search:solve; did you mean 'step'?",
                "my_own_search:solve needs a value of its parameter 'start'",
            ],
        ),
        ("my_own_search:solv", {}, ["my_own_search has no function 'solv'; did you mean 'solve'?"]),
        ("my_own_search:number", {}, ["'number' of my_own_search is not a function but int"]),
        ("my_own_search:lonely", {},
         ["my_own_search:lonely cannot be called as solve(objective, rng): it is (objective)"]),
        ("broken:solve", {}, ["broken cannot be imported: ZeroDivisionError: division by zero"]),
        ("nowhere.py:solve", {}, ["there is no file {folder}/nowhere.py"]),
        ("math:hypot", {}, ["math:hypot is part of Python; name a function of your own"]),
        ("os.path:join", {}, ["os.path:join is part of Python; name a function of your own"]),
    ],
)  # fmt: skip
def test_a_wrong_function_or_parameter_gets_its_line(folder, use, parameters, lines):
    assert libraries.faults(use, parameters) == [x.format(folder=folder) for x in lines]


def test_a_function_says_what_variables_it_takes(folder):
    (folder / "my_own_search.py").write_text(
        "def solve(objective, rng): pass\n"
        "def bits(objective, rng): pass\n"
        "bits.variables = ('binary',)\n"
        "def wrong(objective, rng): pass\n"
        "wrong.variables = ['binray']\n"
    )
    assert libraries.variables("my_own_search.py:solve", {}) == {"continuous"}
    assert libraries.variables("my_own_search.py:bits", {}) == {"binary"}
    assert libraries.faults("my_own_search.py:wrong", {}) == [
        "my_own_search.py:wrong.variables is ['binray']: name some of continuous, integer, mixed, "
        "binary, permutation"
    ]


GUARD = 'put what it does as a script below `if __name__ == "__main__":`'


@pytest.mark.parametrize("place", ["script", "script.py"])
@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("sys.exit()", f"ends the interpreter when it is imported (sys.exit()); {GUARD}"),
        ("p = argparse.ArgumentParser(); p.add_argument('file'); p.parse_args()",
         f"ends the interpreter when it is imported (sys.exit(2)); {GUARD}"),
        ("raise type('Odd', (BaseException,), {'__str__': lambda self: 1 / 0})",
         "cannot be imported: Odd: its text cannot be shown, because its __str__ raises"),
    ],
)  # fmt: skip
def test_a_module_that_does_not_survive_its_import_gets_a_line(folder, capsys, place, body, line):
    (folder / "script.py").write_text(f"import argparse, sys\n{body}\n")
    assert libraries.faults(f"{place}:solve", {}) == [f"{place} {line}"]
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    "body",
    [
        "logging.basicConfig()",
        "logging.basicConfig(level=logging.DEBUG, force=True)",
        "logging.disable()",
        "import logging.config; logging.config.dictConfig({'version': 1})",
    ],
)
def test_a_module_that_sets_up_logging_does_not_change_that_of_others(folder, body):
    root, other = logging.getLogger(), logging.getLogger("of.somebody.else")
    before = root.handlers[:], root.level, root.manager.disable
    (folder / "chatty.py").write_text(f"import logging\n{body}\ndef solve(objective, rng): pass\n")
    user_code.load_function("chatty.py:solve")
    assert (root.handlers[:], root.level, root.manager.disable) == before
    assert not other.disabled


def test_a_module_that_does_work_when_it_is_imported_is_warned_of(folder, capsys, monkeypatch):
    monkeypatch.setattr(user_code, "LONG_S", 0.0)
    monkeypatch.setattr(user_code, "_imports", {})
    (folder / "busy.py").write_text(
        "import os, sys\n"
        "for _ in range(1000): print('half a megabyte ' * 32)\n"
        "os.chdir('/')\n"
        "sys_stdout = sys.stdout\n"
        "def solve(objective, rng): print('later', file=sys_stdout)\n"
    )
    solve = user_code.load_function("busy.py:solve")
    printed, slow, moved = user_code.warnings("busy.py:solve")
    assert printed.startswith("busy.py prints 'half a megabyte half a megabyte half a m...' when")
    assert re.match(r"busy\.py takes \d+\.\d s to import, at every start", slow)
    assert moved == f"busy.py changes the working directory when it is imported; {GUARD}"
    assert os.getcwd() == str(folder)
    assert capsys.readouterr() == ("", "")
    solve(None, None)
    assert capsys.readouterr().out == "later\n"


@pytest.mark.parametrize(
    ("definition", "kind"),
    [
        ("def solve(objective, rng): yield", "a generator"),
        ("async def solve(objective, rng): pass", "async"),
        ("class C:\n def __call__(self, objective, rng): yield\nsolve = C()", "a generator"),
    ],
)
def test_a_function_whose_body_no_call_runs_is_refused(folder, definition, kind):
    (folder / "lazy.py").write_text(definition + "\n")
    line = f"lazy.py:solve is {kind}: calling it does not run its body; write def, and neither"
    (fault,) = libraries.faults("lazy.py:solve", {})
    assert fault == f"{line} async nor yield"
