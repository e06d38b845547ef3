"""Modules that a launch loads are loaded before the clock, whatever the algorithm does."""

from __future__ import annotations

import os
import sys
import threading

import pytest
from bench import solve

from timefair.algorithms.base import Algorithm
from timefair.measure import kernel
from timefair.measure.child import Allowance
from timefair.measure.preparation import prepare
from timefair.measure.run import measure_run
from timefair.problems.registry import SUITES

NAMES = (
    "random_search", "raises", "exits_python", "evaluates_nan", "never_evaluates",
    "returns_at_once", "swallows_everything", "swallows_in_a_thread", "sleeps", "blocks_signals",
    "spins_on_numbers", "allocates", "segfaults", "aborts", "ends_the_process", "kills_itself",
    "evaluates_in_a_fork", "kills_its_parent", "asks_its_parent_to_end", "stops_its_parent",
)  # fmt: skip


@pytest.fixture(scope="module")
def problem():
    return SUITES["bbob"].problem(1, 3, 1)


@pytest.mark.slow
def test_what_a_launch_imports_late_is_there_before_the_clock(problem, tmp_path, monkeypatch):
    (tmp_path / "put_off.py").write_text("import time\ntime.sleep(0.2)\n")
    monkeypatch.syspath_prepend(str(tmp_path))

    def solve(objective, rng):
        objective(rng.uniform(-5, 5, 3))
        import put_off  # noqa: F401

        objective(rng.uniform(-5, 5, 3))

    algorithm = Algorithm(solve)
    prepare(algorithm, problem)
    assert "put_off" in sys.modules
    row = measure_run(algorithm, problem, Allowance(time_ns=100_000_000), seed=1)
    assert row["evaluations"] > 100


def test_prepare_is_called_once_in_the_parent(problem):
    calls = []
    prepare(Algorithm(solve("short"), prepare=lambda: calls.append(os.getpid())), problem)
    assert calls == [os.getpid()]


@pytest.mark.parametrize("name", NAMES)
def test_a_trial_ends_whatever_the_algorithm_does(problem, name, capfd):
    prepare(Algorithm(solve(name)), problem, memory_mb=200)
    assert kernel.children() == []
    assert threading.active_count() == 1
    assert capfd.readouterr() == ("", "")
