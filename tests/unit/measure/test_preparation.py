"""Modules that a launch loads are loaded before the clock, whatever the algorithm does."""

import sys
import threading

import pytest
from bench import solve
from campaigns import SMALL, SPHERE
from measurements import do_jobs

from timefair.algorithms.base import Algorithm
from timefair.campaign import configuration
from timefair.machine.linux import kernel
from timefair.measure.runs.child import Allowance
from timefair.measure.runs.run import measure_run
from timefair.measure.trial import prepare
from timefair.problems.registry import SUITES
from timefair.records.store import read_runs

NAMES = (
    "random_search", "raises", "exits_python", "evaluates_nan", "never_evaluates",
    "returns_at_once", "swallows_everything", "swallows_in_a_thread", "sleeps", "blocks_signals",
    "spins_on_numbers", "allocates", "segfaults", "aborts", "ends_the_process", "kills_itself",
    "evaluates_in_a_fork",
)  # fmt: skip


@pytest.fixture(scope="module")
def problem():
    return SUITES["bbob"].problem(1, 3, 1)


@pytest.mark.slow
def test_what_a_launch_imports_late_is_there_before_the_clock(problem, tmp_path, monkeypatch):
    text = "with open(__file__ + '.imports', 'a') as file:\n    file.write('x')\n"
    (tmp_path / "put_off.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))

    def solve(objective, rng):
        objective(rng.uniform(-5, 5, 3))
        import put_off  # noqa: F401

        objective(rng.uniform(-5, 5, 3))

    algorithm = Algorithm(solve)
    prepare(algorithm, problem)
    assert "put_off" in sys.modules
    row = measure_run(algorithm, problem, Allowance(evaluations=100), seed=1)
    assert row["evaluations"] == 100
    assert (tmp_path / "put_off.py.imports").read_text() == "xx"  # by the trial and by this process


@pytest.mark.thinned(3)
@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_trial_ends_whatever_the_algorithm_does(problem, name, capfd):
    threads = threading.active_count()
    prepare(Algorithm(solve(name)), problem, memory_mb=200)
    assert kernel.children() == []
    assert threading.active_count() == threads
    assert capfd.readouterr() == ("", "")


SLOW = """
import time

time.sleep({slow_s})

def bowl(x):
    return float(x @ x)

bowl.lower, bowl.upper = -1, 1

def solve(objective, rng):
    objective(objective.lower)
"""


@pytest.mark.thinned(2)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("use", "suite", "slow_s", "charged"),
    [
        ("slow_algorithm.py:solve", "bbob", 0.5, True),
        ("slow_module:solve", "bbob", 0.5, True),
        ("timefair:random-search", "slow_problem.py:bowl", 2.5, False),  # longer than a stall
        ("slow_both.py:solve", "./slow_both.py:bowl", 0.5, True),
    ],
)
def test_the_import_of_an_own_algorithm_is_preparation(
    tmp_path, monkeypatch, use, suite, slow_s, charged
):
    """Also where the check of the campaign has imported it in the same process."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [p for p in sys.path if p])
    for name in ("slow_algorithm", "slow_module", "slow_problem", "slow_both"):
        (tmp_path / f"{name}.py").write_text(SLOW.replace("{slow_s}", str(slow_s)))
    one = {"problems": SPHERE | {"suite": suite}, "algorithms": {"only": use}, "runs": 1}
    once = {"budget": {"evaluations": 1, "final_target": None}}
    campaign = configuration.parse(SMALL | one | once)
    (row,) = read_runs(do_jobs(campaign, tmp_path)).to_pylist()
    assert (row["preparation_s"] >= slow_s) == charged
    monkeypatch.delitem(sys.modules, "slow_module", raising=False)
