"""What a measuring job still has to do, in which order, on which cores, and on which node."""

import math
import os
import select
import signal
import subprocess
import sys
import time
from itertools import product
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from run_counts import stopping

from timefair.machine.linux import kernel
from timefair.measure.job.cell import _missing
from timefair.measure.job.cores import held_cores, on_one_node
from timefair.measure.job.prepared import _evaluation_cost
from timefair.measure.job.stopping import Repetitions
from timefair.problems.base import Problem, ProblemName
from timefair.records.journal import Journal, journal_path
from timefair.statistics.run_count.skewness import Outliers, SkewnessRule

TURNS = [(instance, run) for run, instance in product(range(3), (1, 2))]


@pytest.mark.parametrize("lost", [[], TURNS, [(1, 0)], [(2, 1)], [(2, 2)], [(1, 0), (2, 1)]])
def test_runs_of_the_journal_are_not_measured_again_wherever_one_is_missing(lost):
    kept = pa.record_batch({"best_precision": [1.0]})
    journal = SimpleNamespace(runs={turn: kept for turn in TURNS if turn not in lost})
    repetitions = Repetitions({1: (), 2: ()}, more=3)
    measured = []
    for turn in _missing(repetitions, journal):
        measured.append(turn)
        repetitions.add(turn[0], 2.0)
    assert measured == lost
    assert repetitions.next() is None


def problem(evaluate) -> Problem:
    bounds = -np.ones(2), np.ones(2)
    return Problem(ProblemName("own", 1, 2, 1), evaluate, *bounds, f_opt=0.0)


@pytest.mark.parametrize(
    "evaluate",
    [
        lambda x: 1 / 0,
        lambda x: os._exit(0),
        lambda x: os.kill(os.getpid(), signal.SIGSEGV),
        lambda x: time.sleep(1000),
    ],
    ids=["raises", "exits", "crashes", "hangs"],
)
def test_a_problem_that_has_no_cost_does_not_end_the_job(evaluate):
    before = kernel.children()
    assert _evaluation_cost(problem(evaluate), answer_s=0.2) == {}
    assert kernel.children() == before


KEY = "ab" * 32
HOLD = """
import sys, pathlib
from timefair.measure.job.cores import on_one_node
with on_one_node(pathlib.Path(sys.argv[1]), "node1", []):
    print("held", flush=True)
    sys.stdin.read()
print("free", flush=True)
"""


MEASURE = """
from timefair.measure.runner.jobs import in_turn
list(in_turn([["sh", "-c", "echo begun; exec sleep 20"]], 1))
"""


@pytest.fixture
def note(tmp_path):
    return tmp_path / "blocks" / "f1_d2_i1_r1.node"


@pytest.fixture
def record(tmp_path, row):
    path = tmp_path / "f1.parquet"
    with Journal(path, KEY) as journal:
        journal.append(row(0))
    return path


@pytest.mark.parametrize(("node", "kept"), [("node1", True), ("node2", False), ("node", False)])
def test_the_journal_of_another_node_is_dropped(note, record, capsys, node, kept):
    note.parent.mkdir()
    note.write_text("node1")
    with on_one_node(note, node, [record]):
        assert journal_path(record).exists() is kept
        assert note.read_text() == node
    said = capsys.readouterr().err
    assert ("its runs were measured on node1; this is" in said) is not kept


def test_a_journal_without_a_known_node_is_dropped(note, record, capsys):
    with on_one_node(note, "node1", [record, record.with_name("not begun")]):
        assert not journal_path(record).exists()
    assert capsys.readouterr().err.count("an unknown node; this is node1") == 1


@pytest.mark.slow
def test_a_block_waits_for_the_job_that_holds_it(note):
    words = (sys.executable, "-c", HOLD, str(note))
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(words, **pipes) as first, subprocess.Popen(words, **pipes) as second:
        (pipe,), _, _ = select.select([first.stdout, second.stdout], [], [], 30)
        holder = first if pipe is first.stdout else second
        waiter = second if holder is first else first
        assert holder.stdout.readline() == "held\n"
        assert not select.select([waiter.stdout], [], [], 0.3)[0]
        holder.stdin.close()
        assert waiter.stdout.readline() == "held\n"
        waiter.stdin.close()


def test_a_job_of_a_block_ends_with_the_process_that_holds_the_block():
    words = (sys.executable, "-c", MEASURE)
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout.readline() == "begun\n"
        holder.kill()
        # The end of the file comes when no process writes to it any more.
        assert select.select([holder.stdout], [], [], 10)[0]
        assert holder.stdout.read() == ""


SYMMETRIC = [1.0, 2.0, 3.0, 4.0, 5.0]


def measured(repetitions: Repetitions, result) -> list[tuple[int, int]]:
    """Measure until the job is over; `result(instance, run)` is what a run found."""
    order = []
    while (turn := repetitions.next()) is not None:
        order.append(turn)
        repetitions.add(turn[0], result(*turn))
    return order


def test_instances_take_turns_to_the_end_of_the_round():
    repetitions = Repetitions({4: [], 7: []}, more=2)
    assert measured(repetitions, lambda *_: 1.0) == [(4, 0), (7, 0), (4, 1), (7, 1)]
    assert repetitions.outcome()[0] == {"instance": 4, "runs": 2, "reason": None, "path": []}


def test_a_round_goes_on_where_the_rounds_before_ended():
    repetitions = Repetitions({1: [0.5, 0.5], 2: [0.1]}, more=1)
    assert repetitions.most == 2
    assert measured(repetitions, lambda *_: 1.0) == [(2, 1), (1, 2)]


def test_each_instance_is_ended_by_the_rule_on_its_own():
    rule = SkewnessRule(tau=0.05, outliers=Outliers.NONE, cap=8)
    skewed = [1.0, 1.0, 1.0, 1.0, 5.0, 50.0, 500.0, 5000.0]
    repetitions = Repetitions({1: [], 2: []}, more=8, rules={1: rule, 2: rule})
    order = measured(repetitions, lambda i, run: (SYMMETRIC if i == 1 else skewed)[run])
    assert [run for i, run in order if i == 1] == [0, 1, 2, 3, 4]
    assert [run for i, run in order if i == 2] == list(range(8))
    first, second = repetitions.outcome()
    assert (first["reason"], first["path"]) == ("met", [0.0])
    assert (second["reason"], len(second["path"])) == ("cap", 4)


def test_what_the_rounds_before_decided_is_not_run_again():
    rule = SkewnessRule(tau=0.05, outliers=Outliers.NONE)
    repetitions = Repetitions({1: SYMMETRIC}, more=20, rules={1: rule})
    assert repetitions.most == 0
    assert repetitions.next() is None
    assert repetitions.outcome()[0]["reason"] == "met"


def test_an_undefined_number_is_none_in_the_path():
    repetitions = Repetitions({1: []}, more=6, rules={1: SkewnessRule(0.1, Outliers.NONE, cap=6)})
    measured(repetitions, lambda _, run: math.inf if run == 0 else float(run))
    assert repetitions.outcome() == [
        {"instance": 1, "runs": 6, "reason": "cap", "path": [None, None]}
    ]


values = st.floats(0, 1e9) | st.just(math.inf)


@pytest.mark.slow
@given(st.lists(values, min_size=12, max_size=12), st.sampled_from(Outliers), st.integers(0, 12))
def test_online_and_offline_agree_on_the_n(sample, outliers, split):
    """In one round or in two: the same n, the same reason."""
    rule = SkewnessRule(tau=0.3, outliers=outliers, cap=12)
    repetitions = Repetitions({1: []}, more=12, rules={1: rule})
    measured(repetitions, lambda _, run: sample[run])
    offline = stopping(rule, sample)
    outcome = repetitions.outcome()[0]
    assert (outcome["runs"], outcome["reason"]) == (offline.n, offline.reason)

    first = Repetitions({1: []}, more=split, rules={1: rule})
    measured(first, lambda _, run: sample[run])
    second = Repetitions({1: sample[: first.outcome()[0]["runs"]]}, more=12, rules={1: rule})
    measured(second, lambda _, run: sample[run])
    assert second.outcome() == repetitions.outcome()


@pytest.fixture
def locks(tmp_path, monkeypatch):
    """A folder of locks, and afterwards all cores again."""
    usable = os.sched_getaffinity(0)
    monkeypatch.setenv("TIMEFAIR_LOCKS", str(tmp_path))
    yield
    os.sched_setaffinity(0, usable)


def test_a_batch_job_runs_on_the_core_that_it_was_given(locks, tmp_path, monkeypatch):
    """With a temporary folder of its own too: the locks of other jobs are not needed then."""
    for core in os.sched_getaffinity(0):
        monkeypatch.setenv("TIMEFAIR_LOCKS", str(tmp_path / f"job{core}"))
        os.sched_setaffinity(0, {core})
        with held_cores(1) as cores:
            assert cores == (core,)


def test_more_cores_than_a_batch_job_was_given_are_refused(locks):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    with pytest.raises(ValueError, match="2 cores are asked for, and this process may use 1"):
        held_cores(2).__enter__()


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two cores")
def test_jobs_that_share_their_locks_take_different_cores(locks):
    usable = os.sched_getaffinity(0)
    with held_cores(1) as first:
        os.sched_setaffinity(0, usable)
        with held_cores(1) as second:
            assert first != second
