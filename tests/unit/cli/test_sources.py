"""The names of the sources, and timefair from Python."""

import json
import linecache
import math
import subprocess
import sys
from functools import partial
from pathlib import Path

import pandas as pd
import pytest

import timefair
from timefair.basics import user_code
from timefair.basics.errors import InputError
from timefair.cli.python import place_of, write

SESSION = """
import math
import numpy as np
from os.path import join
from functools import partial

SCALE, BOX = 0.5, {"low": [-1, None], "high": (2.0, True)}
data = np.zeros(3)
x = object()  # a local variable of half has its name


def half(x):
    return x * SCALE


def even(n):
    return n == 0 or odd(n - 1)


def odd(n):
    return n > 0 and even(n - 1)


def solve(objective, rng, step=SCALE):
    inner = lambda value: math.floor(half(value)) + SCALE
    return [inner(v) for v in objective], BOX, join("a", "b"), even(4), step


solve.prepare = half
solve.factor = 3


def uses_data(x):
    return data.sum()


def uses_a_partial(x):
    return cut(x)


cut = partial(half, 3)
nameless = lambda x: x


def makes():
    def inner(x):
        return x + y

    y = 1
    return inner


made = makes()
"""


def written(function, path):
    place = place_of(function, path, files := {})
    write(files)
    return place


@pytest.fixture
def session(here):
    """The names of a session, whose source Python knows as it knows that of a notebook's cell."""
    name = "<cell 1>"
    linecache.cache[name] = (len(SESSION), None, SESSION.splitlines(keepends=True), name)
    names = {"__name__": "__main__"}
    exec(compile(SESSION, name, "exec"), names)
    yield names
    del linecache.cache[name]


def test_a_function_with_all_that_it_uses(here, session):
    place = written(session["solve"], here / "own.py")
    assert place == f"{here}/own.py:solve"
    source = (here / "own.py").read_text()
    assert "data" not in source
    again = user_code.load_function(place)
    expected = session["solve"]([3.0, 7.0], None)
    assert again([3.0, 7.0], None) == expected == ([1.5, 3.5], session["BOX"], "a/b", True, 0.5)
    assert (again.factor, again.prepare(3.0)) == (3, 1.5)


def test_a_changed_function_is_loaded_again(here, session):
    place = written(session["half"], here / "own.py")
    assert user_code.load_function(place)(3.0) == 1.5
    session["half"].__globals__["SCALE"] = 2.0
    assert user_code.load_function(written(session["half"], here / "own.py"))(3.0) == 6.0


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("uses_data", "uses_data: uses data, a ndarray, which cannot be written to a file"),
        ("uses_a_partial", "uses_a_partial: uses cut, a partial, which cannot be written"),
        ("nameless", "<lambda>: is a lambda, which cannot be written to a file"),
        ("made", "inner: is made within a function, which cannot be written to a file"),
        ("SCALE", "0.5: should be a function or a name"),
    ],
)
def test_what_a_file_cannot_define_is_named(here, session, name, line):
    with pytest.raises(InputError, match=line):
        written(session[name], here / "own.py")
    assert not (here / "own.py").exists()


def test_functions_of_modules_stay_where_they_are(here, monkeypatch):
    (here / "beside.py").write_text("def solve(objective, rng): pass\n")
    monkeypatch.syspath_prepend(here)
    import beside  # type: ignore[import-not-found]

    assert written(beside.solve, here / "own.py") == "beside.py:solve"
    assert written(json.dumps, here / "own.py") == "json:dumps"
    with pytest.raises(InputError):
        written(math.floor, here / "own.py")  # not of Python
    assert not (here / "own.py").exists()


ROOT = Path(__file__).parents[3]


SMALL = {"dimensions": 2, "evaluations": 60, "runs": 2, "tables": ["ert"], "figures": []}


@pytest.mark.parametrize(
    ("label", "keys", "line"),
    [
        ("a", {"name": "../x"}, "name: '../x': letters, digits and . _ [+] - only"),
        ("a", {"name": 3}, "name: 3: should be text"),
        ("../a", {}, "algorithms.../a: '../a': letters, digits"),
        ("a", {"runs": 0}, "runs: 0: should be at least 1"),
        (None, {"name": "../x"}, "^name: "),
        (None, {"name": ""}, "^name: "),
        (None, {"name": 3}, "^name: "),
    ],
)
def test_no_file_is_written_before_names_and_numbers_are_checked(here, label, keys, line):
    def walk(objective, rng): ...

    walk.__module__ = "__main__"
    before = sorted(here.parent.rglob("*"))
    table = pd.DataFrame({"algorithm": ["a"]})
    run, analyse = partial(timefair.run, {label: walk}, **SMALL), timefair.analyse
    with pytest.raises(InputError, match=line):
        run(**keys) if label else analyse(table, **keys)
    assert sorted(here.parent.rglob("*")) == before


@pytest.mark.thorough
def test_the_notebook_runs(here):
    cells = json.loads((ROOT / "docs/guide/python.ipynb").read_text())["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    few = 'tables=["ert", "ecdf", "comparison"], figures={"names": ["ecdf"]}'
    for usual, less in {
        "[1, 8, 15]": "1", "runs=10": f"runs=2, {few}", 'name="timed"': f'name="timed", {few}',
    }.items():  # fmt: skip
        assert usual in code
        code = code.replace(usual, less)
    (here / "notebook.py").write_text(code)
    done = subprocess.run([sys.executable, "notebook.py"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for name in ("notebook", "timed"):
        assert timefair.load(f"results/{name}").verdict
