"""A job takes cores that it may use and nobody holds, and gives them back."""

import os
import select
import subprocess
import sys

import pytest

from timefair.measure.job.cores import held_cores, on_one_node
from timefair.records.journal import Journal, journal_path


@pytest.fixture(autouse=True)
def locks(tmp_path, monkeypatch):
    """A folder of locks, and afterwards all cores again."""
    usable = os.sched_getaffinity(0)
    monkeypatch.setenv("TIMEFAIR_LOCKS", str(tmp_path))
    yield
    os.sched_setaffinity(0, usable)


def test_a_batch_job_runs_on_the_core_that_it_was_given(tmp_path, monkeypatch):
    """With a temporary folder of its own too: the locks of other jobs are not needed then."""
    for core in os.sched_getaffinity(0):
        monkeypatch.setenv("TIMEFAIR_LOCKS", str(tmp_path / f"job{core}"))
        os.sched_setaffinity(0, {core})
        with held_cores(1) as cores:
            assert cores == (core,)


def test_more_cores_than_a_batch_job_was_given_are_refused():
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    with pytest.raises(ValueError, match="2 cores are asked for, and this process may use 1"):
        held_cores(2).__enter__()


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two cores")
def test_jobs_that_share_their_locks_take_different_cores():
    usable = os.sched_getaffinity(0)
    with held_cores(1) as first:
        os.sched_setaffinity(0, usable)
        with held_cores(1) as second:
            assert first != second


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
from timefair.measure.runner import in_turn
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
