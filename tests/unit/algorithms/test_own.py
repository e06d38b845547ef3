"""The user's own ``solve(objective, rng, **parameters)``."""

import logging
import os
import re
import warnings

import pytest

from timefair.algorithms import registry
from timefair.basics import user_code

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
    names = [p.name for p in registry.source_files(use)]
    assert names == ["own.py", "my_own_search.py"]
    assert registry.distributions(use) == []


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
        (
            "my_own_search:lonely",
            {},
            ["my_own_search:lonely cannot be called as solve(objective, rng): it is (objective)"],
        ),
        ("broken:solve", {}, ["broken cannot be imported: ZeroDivisionError: division by zero"]),
    ],
)
def test_a_wrong_function_or_parameter_gets_its_line(folder, use, parameters, lines):
    assert registry.faults(use, parameters) == lines


def test_a_file_that_is_not_there_is_named_with_its_full_path(folder):
    assert registry.faults("nowhere.py:solve", {}) == [f"there is no file {folder}/nowhere.py"]


def test_a_function_says_what_variables_it_takes(folder):
    (folder / "my_own_search.py").write_text(
        "def solve(objective, rng): pass\n"
        "def bits(objective, rng): pass\n"
        "bits.variables = ('binary',)\n"
        "def wrong(objective, rng): pass\n"
        "wrong.variables = ['binray']\n"
    )
    assert registry.variables("my_own_search.py:solve", {}) == {"continuous"}
    assert registry.variables("my_own_search.py:bits", {}) == {"binary"}
    assert registry.faults("my_own_search.py:wrong", {}) == [
        "my_own_search.py:wrong.variables is ['binray']: name some of continuous, integer, mixed, "
        "binary, permutation"
    ]


GUARD = 'put what it does as a script below `if __name__ == "__main__":`'


@pytest.mark.parametrize("place", ["script", "script.py"])
@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("sys.exit()", f"ends the interpreter when it is imported (sys.exit()); {GUARD}"),
        (
            "p = argparse.ArgumentParser(); p.add_argument('file'); p.parse_args()",
            f"ends the interpreter when it is imported (sys.exit(2)); {GUARD}",
        ),
        (
            "raise type('Odd', (BaseException,), {'__str__': lambda self: 1 / 0})",
            "cannot be imported: Odd: its text cannot be shown, because its __str__ raises",
        ),
    ],
)
def test_a_module_that_does_not_survive_its_import_gets_a_line(folder, capsys, place, body, line):
    (folder / "script.py").write_text(f"import argparse, sys\n{body}\n")
    assert registry.faults(f"{place}:solve", {}) == [f"{place} {line}"]
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


def test_a_warning_at_the_import_is_told_as_one(folder, capsys, monkeypatch):
    monkeypatch.setattr(user_code, "_imports", {})
    shown = warnings.showwarning
    (folder / "old.py").write_text(
        "import warnings\n"
        "warnings.warn('this library\\nis old', FutureWarning)\n"
        "def solve(objective, rng): ...\n"
    )
    user_code.load_function("old.py:solve")
    assert user_code.warnings("old.py:solve") == [
        "old.py has a warning when it is imported: FutureWarning: this library is old"
    ]
    assert warnings.showwarning is shown
    assert capsys.readouterr() == ("", "")


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
    (fault,) = registry.faults("lazy.py:solve", {})
    assert fault == f"{line} async nor yield"


@pytest.mark.parametrize("use", ["builtins:print", "math:hypot", "os.path:join"])
def test_a_function_of_python_is_refused(use):
    assert registry.faults(use, {}) == [f"{use} is part of Python; name a function of your own"]
