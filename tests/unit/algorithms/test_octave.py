"""Functions of GNU Octave as algorithms: unedited files in the usual signature."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from timefair.algorithms import libraries
from timefair.algorithms.external import protocol
from timefair.algorithms.external.protocol import ExternalError

HERE = Path(__file__).parent / "octave"
needs_octave = pytest.mark.skipif(not shutil.which("octave-cli"), reason="needs GNU Octave")


def use(name: str) -> str:
    return f"octave:{HERE / name}"


@needs_octave
@pytest.mark.slow
@pytest.mark.parametrize(("name", "function"), [("APSO", "PSOx"), ("GWO", "GWO"), ("DE", "DE")])
def test_the_points_are_those_of_octave_alone(launch, name, function):
    """The first file prints, uses parfor, and is not named as its function."""
    parameters = {"population": 5, "iterations": 20}
    ended = launch(use(f"{name}.m"), parameters, seed=3, most=1000)
    assert ended.evaluations == 100
    seed = np.random.default_rng(3).integers(2**53) % 2**32
    seeds = f"rand('twister', {seed}); randn('twister', {seed});"
    script = f"addpath('{HERE}'); {seeds} {name}(5, 20, -3, 5, 3, @shown);"
    called = ["octave-cli", "-q", "--no-history", "--no-init-file", "--eval", script]
    done = subprocess.run(called, capture_output=True, text=True, check=False, timeout=60)
    lines = [line.split() for line in done.stderr.splitlines()]
    points = np.array([line for line in lines if len(line) == 3], dtype=float)
    np.testing.assert_array_equal(ended.points, points)


@needs_octave
@pytest.mark.slow
def test_each_seed_has_random_numbers_of_its_own(launch):
    """Also seeds above 2**32, all of which Octave takes for one."""
    ended = [launch(use("GWO.m"), {"iterations": 2}, seed=seed) for seed in (1, 2, 3)]
    assert len({str(one.points) for one in ended}) == 3


@needs_octave
@pytest.mark.slow
def test_what_draws_needs_no_display_and_what_forgets_its_arguments_is_named(launch):
    assert launch(use("plots.m"), {"population": 5, "iterations": 6}).evaluations == 6
    with pytest.raises(ExternalError, match="error: 'lb' undefined near line 3"):
        launch(use("clears.m"))


@needs_octave
@pytest.mark.slow
def test_arguments_are_known_by_name_and_helpers_beside_the_file_are_found(launch):
    ended = launch(use("asks.m"))
    np.testing.assert_array_equal(ended.points, [[-3.0] * 3, [5.0] * 3, [0.0] * 3])


@needs_octave
@pytest.mark.slow
def test_the_end_of_the_budget_and_a_syntax_error(launch):
    assert launch(use("APSO.m"), most=7).evaluations == 7
    with pytest.raises(ExternalError, match=r"exit code 1; .*parse error near line 2 of file"):
        launch(use("wrong.m"))


@needs_octave
@pytest.mark.parametrize(
    ("name", "parameters", "line"),
    [
        ("none.m", {}, "there is no file"),
        ("APSO.m", {"Max_iter": 5}, "'Max_iter' is not a parameter of octave:"),
        ("APSO.m", {"iterations": 0}, "'iterations' of octave:"),
        ("APSO.m", {"call": ["size"]}, "'call' of octave:APSO.m has 'size': name population, "),
        ("helper.m", {}, None),
    ],
)
def test_a_wrong_parameter_gets_one_line(name, parameters, line):
    faults = libraries.faults(use(name), parameters)
    assert [fault[: len(line or "")] for fault in faults] == ([line] if line else [])


def test_an_unknown_argument_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: "/bin/true")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / "a.m").write_text("function x = a(N, omega, fobj)\nend\n")
    (fault,) = libraries.faults(f"octave:{tmp_path / 'a.m'}", {})
    assert fault.startswith("a.m has an argument 'omega' of unknown meaning: name all arguments")
    text = (HERE / "GWO.m").read_text()
    (tmp_path / "a.m").write_text(f"% of 2014\n%{{\nwolves\n%}}\n{text}")
    assert libraries.faults(f"octave:{tmp_path / 'a.m'}", {}) == []
    (tmp_path / "a.m").write_text(f"clear all; clc; close all\n{text}")
    (fault,) = libraries.faults(f"octave:{tmp_path / 'a.m'}", {})
    assert fault == "a.m begins with 'clear'; its function should come first"
    monkeypatch.setattr(shutil, "which", lambda name: None)
    (fault,) = libraries.faults(f"octave:{tmp_path / 'a.m'}", {})
    assert fault.endswith("it needs GNU Octave (octave-cli on the PATH)")
    (fault,) = libraries.faults(f"matlab:{HERE / 'APSO.m'}", {})
    assert fault.endswith("APSO.m cannot be used here: it needs MATLAB (matlab on the PATH)")


@needs_octave
@pytest.mark.slow
def test_matlab_gets_the_same_call_as_octave(launch, tmp_path, monkeypatch):
    """A program of MATLAB's name that passes what is after -batch on to Octave."""
    program = tmp_path / "matlab"
    program.write_text('#!/bin/sh\n[ "$1" = -batch ] && exec octave-cli --silent --eval "$2"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    of_octave, of_matlab = (
        launch(f"{library}:{HERE / 'APSO.m'}", {"population": 5, "iterations": 4}, most=100)
        for library in ("octave", "matlab")
    )
    assert of_octave.evaluations == 20
    np.testing.assert_array_equal(of_matlab.points, of_octave.points)


@needs_octave
@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("mkoctfile"), reason="needs Octave's compiler")
def test_the_compiled_objective_asks_for_the_same_points(launch, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert protocol.OCTAVE.compiled_objective() == protocol.OCTAVE.compiled_objective()
    assert [path.name for path in tmp_path.rglob("*.*")] == ["timefair_ask.mex"]
    assert Path(protocol.CLIENT, protocol.ASK) in protocol.OCTAVE.source_files(str(HERE / "APSO.m"))
    compiled = launch(use("APSO.m"), {"population": 5, "iterations": 4}, most=17)
    monkeypatch.setattr(protocol.FunctionFile, "compiled", lambda self: None)
    piped = launch(use("APSO.m"), {"population": 5, "iterations": 4}, most=17)
    assert compiled.evaluations == 17
    assert launch(use("asks.m")).evaluations == 3
    np.testing.assert_array_equal(compiled.points, piped.points)
    assert launch(use("asks.m")).evaluations == 3


def test_the_client_has_no_syntax_that_matlab_lacks():
    text = (Path(protocol.CLIENT) / "timefair_serve.m").read_text()
    words = r"end(_try|if|for|while|switch|function)\w*|stdin|fputs|puts|printf"
    assert not re.search(rf"[\"#!]|\+[+=]|\b({words})\b", text)
