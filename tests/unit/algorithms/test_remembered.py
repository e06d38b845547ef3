"""An algorithm without faults is checked once, until something that decides it changes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from timefair.algorithms import registry, remembered

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
