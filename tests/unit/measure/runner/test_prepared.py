"""One process is prepared for all jobs and never stays behind; jobs and forks without it."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from campaigns import SMALL

from timefair.basics.disk import DRIVER, snakemake_above
from timefair.basics.errors import InputError
from timefair.campaign import configuration
from timefair.measure import runner as prepared
from timefair.measure.runner import complete, in_forks, in_turn

JOB = Path(__file__).with_name("job.py")


@pytest.fixture
def driver():
    with subprocess.Popen(["sleep", "100"]) as process:
        yield process
        process.kill()


class Job:
    def __init__(self, driver: subprocess.Popen, log: Path, **request: object):
        words = [driver.pid, {"do": "end"} | request]
        self.log = log
        with log.open("w") as file:
            self.process = subprocess.Popen(
                [sys.executable, str(JOB), *map(json.dumps, words)], stdout=file, stderr=file
            )

    def status(self) -> int:
        return self.process.wait(30)

    def numbers(self, word: str) -> list[list[int]]:
        """What follows a word at the beginning of each line, once there is such a line."""
        wait_for(lambda: word in self.log.read_text())
        time.sleep(0.05)
        lines = [line.split() for line in self.log.read_text().splitlines()]
        return [list(map(int, rest)) for first, *rest in lines if first == word]


@pytest.fixture
def start(driver, tmp_path):
    count = iter(range(100))

    def make(**options: object) -> Job:
        return Job(driver, tmp_path / f"{next(count)}.log", **options)

    return make


def wait_for(condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def alive(pid: int) -> bool:
    """Whether a process is there, and not only waits to be reaped."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.slow
def test_a_process_is_prepared_once_for_jobs_that_are_forks_of_it(start):
    first = start()
    assert first.status() == 0
    ((ready,),) = first.numbers("preparing")
    others = [start(status=k) for k in (0, 7)]
    assert [job.status() for job in others] == [0, 7]
    forks = [job.numbers("measuring")[0] for job in (first, *others)]
    assert {parent for _, parent, _ in forks} == {ready}
    assert {number for _, _, number in forks} == {1, 2, 3}
    assert all("preparing" not in job.log.read_text() for job in others)


@pytest.mark.slow
def test_jobs_that_start_together_have_one_process_prepared(start):
    jobs = [start(preparation_s=0.3) for _ in range(4)]
    assert [job.status() for job in jobs] == [0] * 4
    assert len({parent for job in jobs for _, parent, _ in job.numbers("measuring")}) == 1


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_to_the_job_ends_its_fork_in_order(start, number):
    job = start(do="wait")
    ((fork, _, _),) = job.numbers("measuring")
    job.process.send_signal(number)
    assert job.status() == 128 + number
    assert f"ended by {number.name}" in job.log.read_text()
    wait_for(lambda: not alive(fork))


@pytest.mark.slow
def test_a_fork_ends_in_order_when_its_job_is_killed(start):
    job = start(do="wait")
    ((fork, _, _),) = job.numbers("measuring")
    job.process.kill()
    wait_for(lambda: not alive(fork))
    assert "ended by SIGHUP" in job.log.read_text()
    assert start().status() == 0


@pytest.mark.slow
def test_a_job_says_that_its_fork_was_killed_and_ends_what_it_left(start):
    job = start(do="wait", leave=True)
    ((fork, _, _),) = job.numbers("measuring")
    ((left,),) = job.numbers("leaving")
    os.kill(fork, signal.SIGKILL)
    assert job.status() == 128 + signal.SIGKILL
    assert "the process that did this job was killed" in job.log.read_text()
    wait_for(lambda: not alive(left))


@pytest.mark.slow
@pytest.mark.parametrize(
    "number", [signal.SIGKILL, signal.SIGTERM, signal.SIGABRT, signal.SIGHUP, signal.SIGSTOP]
)
def test_a_fork_that_a_run_ended_is_replaced_and_one_that_it_stopped_goes_on(
    start, tmp_path, number
):
    begun = tmp_path / "begun.txt"
    times = 1 if number == signal.SIGSTOP else 5
    job = start(do="be signalled", begun=str(begun), times=times, number=number)
    assert job.status() == 0
    assert len(job.numbers("measuring")) == (1 if number == signal.SIGSTOP else 6)
    assert begun.read_text() == times * "."


@pytest.mark.slow
def test_a_job_that_is_asked_to_end_blames_no_run(start, tmp_path):
    begun = tmp_path / "begun.txt"
    begun.write_text("instance 1 run 0 attempt 1")
    job = start(do="wait", begun=str(begun))
    job.numbers("measuring")
    job.process.terminate()
    assert job.status() == 128 + signal.SIGTERM
    assert len(job.numbers("measuring")) == 1
    assert not begun.exists()


@pytest.mark.slow
def test_a_fork_goes_on_when_the_prepared_process_is_killed_and_another_is_made(start):
    job = start(do="wait")
    ((fork, ready, _),) = job.numbers("measuring")
    os.kill(ready, signal.SIGKILL)
    wait_for(lambda: not alive(ready))
    later = start()
    assert later.status() == 0
    assert later.numbers("preparing") != [[ready]]
    assert alive(fork)
    job.process.terminate()
    assert job.status() == 128 + signal.SIGTERM


@pytest.mark.slow
def test_a_fork_goes_on_when_snakemake_is_killed(start, driver):
    job = start(do="wait")
    ((fork, ready, _),) = job.numbers("measuring")
    driver.kill()
    driver.wait()
    wait_for(lambda: not alive(ready))
    assert alive(fork)
    job.process.terminate()
    assert job.status() == 128 + signal.SIGTERM


@pytest.mark.slow
def test_a_process_that_still_prepares_ends_with_the_job_that_wants_it(start):
    job = start(preparation_s=60)
    ((preparing,),) = job.numbers("preparing")
    job.process.terminate()
    assert job.status() != 0
    wait_for(lambda: not alive(preparing))


@pytest.mark.slow
def test_a_job_that_cannot_be_prepared_fails_as_the_preparation_did(start):
    assert [start(do="fail to prepare").status() for _ in range(2)] == [2, 2]


@pytest.mark.slow
def test_a_prepared_process_that_was_killed_meanwhile_is_made_again(start, tmp_path):
    hangs = tmp_path / "hangs"
    hangs.touch()
    job = start(preparation_s=60, prepared=str(hangs))
    ((preparing,),) = job.numbers("preparing")
    hangs.unlink()
    os.kill(preparing, signal.SIGKILL)
    assert job.status() == 0
    assert len(job.numbers("preparing")) == 2


def test_processes_share_a_prepared_one_only_if_they_are_alike(monkeypatch, tmp_path):
    usual = prepared.address("a", 1)
    assert usual == prepared.address("a", 1)
    assert usual[:1] == b"\0"
    assert len(usual) < 100
    assert usual != prepared.address("a", 2)
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    other = prepared.address("a", 1)
    assert other != usual
    monkeypatch.chdir(tmp_path)
    assert prepared.address("a", 1) != other


def test_only_the_snakemake_that_started_a_process_counts(tmp_path, driver):
    assert snakemake_above(tmp_path) is None
    for holder, expected in ((os.getppid(), os.getppid()), (driver.pid, None), ("x", None)):
        (tmp_path / DRIVER).write_text(str(holder))
        assert snakemake_above(tmp_path) == expected


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


@pytest.mark.slow
def test_nothing_begins_after_a_failure_and_other_children_are_left_alone(tmp_path):
    other = subprocess.Popen(["sh", "-c", "exit 7"])
    time.sleep(0.05)
    assert in_forks([lambda: 0, lambda: 0], 1) == 0
    assert other.wait() == 7
    work = [lambda: 2, lambda: (tmp_path / "late").touch() or 0]
    assert in_forks(work, 1) == 2
    assert not list(tmp_path.iterdir())


ALGORITHMS = {"a": "timefair:random-search", "b": "timefair:DE"}
CAMPAIGN = SMALL | {"algorithms": ALGORITHMS, "rounds": 2}


def test_processes_that_run_are_ended_when_nobody_waits_and_a_signal_is_a_status():
    start = time.monotonic()
    ends = in_turn([["sh", "-c", "exit 3"], ["sleep", "600"]], 2)
    first = next(ends)
    assert (first.number, first.status) == (0, 3)
    ends.close()
    assert time.monotonic() - start < 300
    (ended,) = in_turn([["sh", "-c", "kill -9 $$"]], 1)
    assert ended.status == 128 + 9


@pytest.fixture
def begun(tmp_path, monkeypatch):
    package = str(Path(configuration.__file__).parents[3])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([package, os.environ.get("PYTHONPATH", "")]))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "results/test"


@pytest.mark.slow
def test_a_campaign_is_measured_once(begun):
    campaign, said = configuration.parse(CAMPAIGN), []
    files = complete(campaign, begun, 1, lambda done, jobs: said.append((done, jobs)))
    assert [path.stem for path in files] == ["a", "b"]
    assert said == [(k, 4) for k in range(1, 5)]
    assert complete(campaign, begun, 1, lambda done, jobs: said.append(done)) == files
    assert len(said) == 4


@pytest.mark.slow
def test_the_first_job_that_fails_is_one_line(begun, monkeypatch):
    monkeypatch.setenv("PYTHONHOME", "/nowhere")  # no interpreter starts
    with pytest.raises(InputError, match=r"logs/.*r1\.log: the job failed: ") as error:
        complete(configuration.parse(CAMPAIGN), begun, 1, lambda done, jobs: None)
    assert len(error.value.faults) == 1
