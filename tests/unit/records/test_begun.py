"""The run that a job has begun is known to its next start, if the job did not end in order."""

import os
from pathlib import Path

import pytest

from timefair.basics.errors import Interrupted
from timefair.basics.files import begun_path
from timefair.records.journal import BegunRun


@pytest.fixture
def record(tmp_path):
    return tmp_path / "f1.parquet"


def end_the_job(record: Path, turn: tuple[int, int]) -> None:
    """Begin a run in another process, which ends there."""
    pid = os.fork()
    if pid == 0:
        with BegunRun(record) as begun, begun.noted(turn):
            os._exit(9)
    os.waitpid(pid, 0)


@pytest.mark.slow
def test_attempts_are_counted_for_the_run_that_was_begun_last(record):
    for turn in ((1, 10), (71, 3), (71, 3), (71, 3)):
        end_the_job(record, turn)
    with BegunRun(record) as begun:
        assert begun.attempts((71, 3)) == 3
        assert begun.attempts((1, 10)) == begun.attempts((71, 2)) == 0


def test_a_job_that_ends_in_order_leaves_nothing(record):
    with BegunRun(record) as begun, begun.noted((1, 0)):
        assert begun_path(record).read_text().rstrip() == "instance 1 run 0 attempt 1"
    assert not begun_path(record).exists()


def test_a_signal_may_be_the_run_s_doing(record):
    with pytest.raises(Interrupted), BegunRun(record) as begun, begun.noted((1, 0)):
        raise Interrupted(15)
    with BegunRun(record) as begun:
        assert begun.attempts((1, 0)) == 1


@pytest.mark.parametrize("content", [b"", b"\xff" * 50, b"instance 1 run x attempt 3", b"9 " * 30])
def test_a_damaged_note_is_none(record, content):
    begun_path(record).write_bytes(content)
    with BegunRun(record) as begun:
        assert begun.attempts((1, 0)) == 0
