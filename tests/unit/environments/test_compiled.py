"""Compiling for another version of Python: which modules, and one line if something lacks."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from timefair import cli
from timefair.environments import bootstrap, compiled
from timefair.environments.compiled import compile_for, compiled_folder, sources

SUFFIX = ".of-another-version.so"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    compiled_folder.cache_clear()
    yield tmp_path
    compiled_folder.cache_clear()


@pytest.fixture
def another(monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """Python as it would describe itself with another name for its modules."""
    names = ("CC", "CFLAGS", "CCSHARED", "LDSHARED")
    described = {name: sysconfig.get_config_var(name) for name in names}
    described |= {name: sysconfig.get_path(name) for name in ("include", "platinclude")}
    described |= {"EXT_SUFFIX": SUFFIX, "version": [3, 99]}
    monkeypatch.setattr(compiled, "_described", lambda python: described)
    return described


@pytest.mark.slow
def test_what_is_compiled_can_be_imported(another, monkeypatch):
    another["CFLAGS"] += " -O0"  # compiles in half the time
    thinnest = next(path for path in sources() if path.stem == "share")
    monkeypatch.setattr(compiled, "sources", lambda: [thinnest])
    (name,) = compile_for("python")
    assert name == "timefair.algorithms.builtin.portfolio.share"
    assert list(compile_for("python")) == []
    finder = bootstrap.Compiled(str(compiled_folder()))
    finder._suffix = SUFFIX
    spec = finder.find_spec(name)
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
    assert finder.find_spec("timefair.measure.evaluation.objective") is None
    assert finder.find_spec("numpy") is None


def test_modules_of_the_same_version_are_there():
    assert list(compile_for(sys.executable)) == []


def test_all_modules_that_measure_are_compiled():
    names = {path.stem for path in sources()}
    assert {"objective", "channel", "spawn", "cec2010_evaluation", "peaks_evaluation"} <= names
    assert "kernels" not in names


def test_what_lacks_is_one_line(another, tmp_path, capsys, monkeypatch):
    another["include"] = str(tmp_path)
    assert cli.main(["prepare-python", "python"]) == 2
    line = "timefair: python: lacks Python.h; install the headers of Python 3.99\n"
    assert capsys.readouterr().err == line
    (tmp_path / "Python.h").touch()
    monkeypatch.setattr(sys, "executable", "/bin/no-such-python")
    assert cli.main(["prepare-python", "python"]) == 2
    assert "no-such-python: there is no such compiler" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (None, "No such file or directory; name a Python interpreter"),
        ("", "not a Python interpreter; name one"),
        (json.dumps({"version": [3, 10]}), "is older than Python 3.11; name a newer one"),
    ],
)
def test_what_is_no_interpreter_for_it(answer, line, tmp_path, capsys):
    python = tmp_path / "python"
    if answer is not None:
        python.write_text(f"#!/bin/sh\necho '{answer}'\n")
        python.chmod(0o755)
    assert cli.main(["prepare-python", str(python)]) == 2
    assert capsys.readouterr().err == f"timefair: {python}: {line}\n"


def test_an_old_python_says_so_by_its_status():
    code = "import runpy, sys; sys.version_info = (3, 10); sys.argv = ['', '{}']; runpy.run_path"
    code += f"({bootstrap.__file__!r}, run_name='__main__')"
    done = subprocess.run([sys.executable, "-c", code], check=False)
    assert done.returncode == bootstrap.TOO_OLD
