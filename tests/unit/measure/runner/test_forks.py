"""Work in forks: how many at a time, and what becomes of one that fails."""

import os
import resource
import subprocess
import time

import pytest

from timefair.measure.runner import in_forks


@pytest.mark.slow
def test_all_work_is_done_so_many_at_a_time(tmp_path):
    def work(k):
        (tmp_path / f"{k}.begun").touch()
        time.sleep(0.05)
        at_once = len(list(tmp_path.glob("*.begun"))) - len(list(tmp_path.glob("*.ended")))
        (tmp_path / f"{k}.ended").touch()
        return 0 if at_once <= 2 else 1

    assert in_forks([lambda k=k: work(k) for k in range(5)], 2) == 0
    assert sorted(path.stem for path in tmp_path.glob("*.ended")) == list("01234")


def test_more_descriptors_than_select_takes_may_be_open():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, hard), hard))
    held = [os.open(os.devnull, os.O_RDONLY) for _ in range(1030)]
    try:
        assert in_forks([lambda: 3], 1) == 3
    finally:
        for descriptor in held:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_nothing_begins_after_a_failure(tmp_path):
    work = [lambda: 2, lambda: (tmp_path / "late").touch() or 0]
    assert in_forks(work, 1) == 2
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_another_child_of_this_process_is_left_alone():
    other = subprocess.Popen(["sh", "-c", "exit 7"])
    time.sleep(0.05)
    assert in_forks([lambda: 0, lambda: 0], 1) == 0
    assert other.wait() == 7
