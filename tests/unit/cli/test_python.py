"""A campaign from Python: how functions are written, and its results."""

import json
import linecache
import math
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from matplotlib.figure import Figure

import timefair
from timefair.basics import user_code
from timefair.basics.errors import InputError
from timefair.cli.python import place_of, write

ROOT = Path(__file__).parents[3]


SMALL = {"dimensions": 2, "evaluations": 60, "runs": 2, "tables": ["ert"], "figures": []}


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        ({"runz": 3}, "runz: unknown key; did you mean 'runs'"),
        ({"functions": 25}, "functions: 25"),
        ({"evaluations": None}, "budget"),
        ({"suite": "bbobb"}, "did you mean 'bbob'"),
    ],
)
def test_faults_are_those_of_the_campaign(here, keys, line):
    asked = {"a": "timefair:random-search"}
    with pytest.raises(InputError, match=line):
        timefair.run(asked, **(SMALL | keys))
    assert not (here / "results").exists()


@pytest.mark.parametrize(
    ("label", "keys", "line"),
    [
        ("a", {"name": "../x"}, "name: '../x': letters, digits and . _ [+] - only"),
        ("a", {"name": 3}, "name: 3: should be text"),
        ("../a", {}, "algorithms.../a: '../a': letters, digits"),
        ("a", {"runs": 0}, "runs: 0: should be at least 1"),
    ],
)
def test_no_file_is_written_before_names_and_numbers_are_checked(here, label, keys, line):
    def walk(objective, rng): ...

    walk.__module__ = "__main__"
    before = sorted(here.parent.rglob("*"))
    with pytest.raises(InputError, match=line):
        timefair.run({label: walk}, **(SMALL | keys))
    assert sorted(here.parent.rglob("*")) == before


@pytest.mark.parametrize("name", ["../x", "a/b", "", 3])
def test_the_name_of_an_analysis_is_checked(here, name):
    before = sorted(here.parent.rglob("*"))
    with pytest.raises(InputError, match=r"^name: "):
        timefair.analyse(pd.DataFrame({"algorithm": ["a"]}), name=name)
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


def timed(runs=8):
    """Runs of two algorithms, of which `wide` is better."""
    rows = [
        (name, "sphere", 3, 1, run, k, k / 1000, (100 - scale * k) ** 2 / (1 + run), 0.0)
        for name, scale in (("narrow", 0.1), ("wide", 0.9))
        for run in range(runs)
        for k in range(1, 101)
    ]
    names = "algorithm function dimension instance run evaluations seconds value optimum"
    return pd.DataFrame(rows, columns=names.split())


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("session"))
        yield timefair.analyse(
            timed(),
            name="timed",
            targets=[5000, 500],
            tables=["comparison", "ecdf", "ert"],
            figures={"names": ["ecdf"], "formats": ["svg"]},
        )


@pytest.mark.slow
def test_verdict_and_report(results):
    assert results.verdict[0].startswith("wide wins on f1 sphere")
    assert results.report().name == "report.html"
    assert repr(results) == "\n".join([*results.verdict, "Results('results/timed')"])
    shown = results._repr_html_()
    assert shown.startswith("<iframe")
    assert "wide wins on f1 sphere" in shown
    assert shown.count("&lt;figure") == 2


@pytest.mark.slow
def test_tables_and_figures_that_were_requested_or_not(results):
    assert {"ert.parquet"} < {path.name for path in (results.folder / "tables").iterdir()}
    ert = results.table("ert")
    assert set(ert["target"]) == {5000.0, 500.0}
    assert not (results.folder / "tables/multirun.parquet").exists()
    assert len(results.table("multirun"))
    assert isinstance(results.figure("ecdf"), Figure)
    assert timefair.load(results.folder).table("ert").equals(ert)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ask", "line"),
    [
        (lambda r: r.table("erts"), "'erts' is unknown; did you mean 'ert'"),
        (lambda r: r.figure("ecd"), "'ecd' is unknown; did you mean 'ecdf'"),
        (lambda r: r.figure("ecdf", page="x"), "page: 'x' is unknown"),
        (lambda r: timefair.load("nowhere"), "nowhere: has no results"),
        (lambda r: timefair.analyse(timed().drop(columns="value")), "no column value"),
        (lambda r: timefair.analyse(timed(), name="b", targetz=[1]), "targetz: unknown key"),
    ],
)
def test_what_is_wrong_is_one_line(results, ask, line):
    with pytest.raises(InputError, match=line):
        ask(results)


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
