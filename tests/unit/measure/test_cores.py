"""A job takes cores that it may use and nobody holds, and gives them back."""

import os

import pytest

from timefair.measure.job.cores import held_cores


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
