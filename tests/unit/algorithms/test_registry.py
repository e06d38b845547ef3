"""What a campaign may write as `use`, what it is told when that is wrong, and checked once."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from timefair.algorithms import registry, remembered


@pytest.mark.parametrize(
    ("use", "line"),
    [
        ("scipy:L-BFGSB", "scipy has no algorithm 'L-BFGSB'; did you mean 'L-BFGS-B'?"),
        ("scipy:Newton-CG", "scipy:Newton-CG cannot be used here: it needs a gradient"),
        ("pycma:bipop", "pycma has no algorithm 'bipop'; did you mean 'BIPOP'?"),
        ("nevergrad:PSSO", "nevergrad has no algorithm 'PSSO'; did you mean 'PSO'?"),
        (
            "timefair:randomsearch",
            "timefair has no algorithm 'randomsearch'; did you mean 'random-search'?",
        ),
        (
            "nevergard:PSO",
            "there is no library and no module 'nevergard'; did you mean 'nevergrad'?",
        ),
        (
            "zzz:solve",
            "there is no library and no module 'zzz'; the libraries are "
            + ", ".join(registry.LIBRARIES),
        ),
        ("TwoPointsDE", "'TwoPointsDE' names no library: write nevergrad:TwoPointsDE"),
        ("PSO", "'PSO' names no library: write timefair:PSO or nevergrad:PSO or pymoo:PSO"),
        ("Powell", "'Powell' names no library: write nevergrad:Powell or scipy:Powell"),
        ("LBFGS-B", "'LBFGS-B' names no library and none has it; did you mean 'scipy:L-BFGS-B'?"),
        ("scipy", "'scipy' is a library: write scipy:name"),
        ("mine.py", "'mine.py' names a file only: write mine.py:function"),
        ("mine.py:", "'mine.py:' is incomplete: write library:name or module:function"),
    ],
)
def test_a_wrong_name_gets_one_line_with_what_is_right(use, line):
    assert registry.faults(use, {}) == [line]


def test_every_library_lists_its_algorithms_without_faults():
    lists = registry.available()
    assert set(lists) == set(registry.LIBRARIES)
    for library in ("timefair", "scipy", "pycma"):
        for line in lists[library]:
            needs_members = line.name == "portfolio"
            faults = registry.faults(f"{library}:{line.name}", {})
            assert bool(faults) == (bool(line.missing) or needs_members)


def test_the_code_and_the_packages_behind_an_algorithm_are_named():
    assert [p.name for p in registry.source_files("scipy:Powell")] == ["adapter.py", "scipy.py"]
    assert registry.distributions("scipy:Powell") == ["scipy", "numpy"]
    assert registry.distributions("pycma:BIPOP") == ["cma", "numpy"]
    assert "nevergrad" in registry.distributions("nevergrad:PSO")


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
    assert registry.implementation(use) == written_in


ROOT = Path(__file__).parents[3]
CHECK = """
import sys
from timefair.algorithms import remembered
assert remembered.faults("pycma:BIPOP", {}) == []
print("cma" in sys.modules)
"""


@pytest.fixture
def checked(monkeypatch, tmp_path):
    """What `registry.faults` was asked, with an empty cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    asked = []

    def faults(use, parameters, check=registry.faults):
        asked.append((use, parameters))
        return check(use, parameters)

    monkeypatch.setattr(registry, "faults", faults)
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


def test_faults_are_found_at_every_check(checked):
    for _ in range(2):
        assert "'G' is not a parameter" in remembered.faults("timefair:DE", {"G": 1})[0]
    assert len(checked) == 2
    assert "no library" in remembered.faults("timefare:DE", {})[0]


def test_without_a_cache_everything_is_checked(checked, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null")
    for _ in range(2):
        assert remembered.faults("timefair:DE", {}) == []
    assert len(checked) == 2
