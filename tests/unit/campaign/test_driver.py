"""A campaign is held by the process that has its jobs run, and by no other."""

import subprocess
import sys
from types import SimpleNamespace

import pytest
from campaigns import SMALL

from timefair.basics.errors import InputError
from timefair.campaign import configuration, driver, plan, provenance

HOLD = """
import sys, pathlib
from timefair.campaign.driver import hold
hold(pathlib.Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def campaign():
    return configuration.parse(SMALL)


@pytest.fixture
def rival(tmp_path):
    """Another process, which holds the campaign in ``results``."""
    command = [sys.executable, "-c", HOLD, str(tmp_path / "results")]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout.readline() == "held\n"
        yield other
        other.stdin.close()


def workflow(**changes: object) -> SimpleNamespace:
    """What Snakemake says of itself when it is about to run jobs, unless told."""
    usual = {
        "is_main_process": True, "executor_plugin": "local", "dryrun": False, "local_exec": True,
        "scheduling_settings": SimpleNamespace(max_jobs_per_timespan="100/1s"),
    }  # fmt: skip
    return SimpleNamespace(**usual | changes)


@pytest.mark.slow
def test_the_process_that_has_jobs_run_holds_the_campaign_and_writes_it(tmp_path, campaign):
    folder = tmp_path / "results"
    keys = {("a", 1): "f" * 64}
    one = driver.Driver(workflow(), campaign, keys, folder)
    assert one.take() == []
    assert configuration.restore(folder / plan.SNAPSHOT) == campaign
    assert plan.read_keys(folder, campaign) == keys
    (folder / plan.SNAPSHOT).unlink()
    assert one.take() == []  # for each job; the folder is not looked at again
    assert not (folder / plan.SNAPSHOT).exists()


@pytest.mark.slow
@pytest.mark.parametrize(("local", "limit"), [(True, None), (False, "100/1s")])
def test_snakemake_looks_for_jobs_at_most_once_per_second_beside_runs_on_this_machine(
    tmp_path, campaign, local, limit
):
    one = workflow(local_exec=local)
    driver.Driver(one, campaign, {("a", 1): "f" * 64}, tmp_path / "results").take()
    assert one.scheduling_settings.max_jobs_per_timespan == limit


def test_the_main_process_computes_the_keys_and_its_jobs_read_them(tmp_path, campaign, monkeypatch):
    computed = provenance.measure_keys(campaign)
    job = workflow(is_main_process=False)
    with pytest.raises(InputError, match=r"keys\.json: not the campaign's keys; start snakemake"):
        driver.planned_keys(job, campaign, tmp_path)
    keys = driver.planned_keys(workflow(), campaign, tmp_path)
    assert keys == computed
    driver.Driver(workflow(), campaign, keys, tmp_path).take()
    monkeypatch.setattr(provenance, "measure_keys", None)
    assert driver.planned_keys(job, campaign, tmp_path) == computed


@pytest.mark.parametrize(
    "started_for",
    [
        {"executor_plugin": None},  # --unlock, --report, --summary: nothing is executed
        {"dryrun": True},
        {"is_main_process": False},  # a job of a batch system
    ],
)
def test_a_process_that_has_no_jobs_run_neither_holds_nor_writes(tmp_path, campaign, started_for):
    driver.Driver(workflow(**started_for), campaign, {}, tmp_path / "results").take()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_another_process_is_refused_while_one_lives(tmp_path, campaign, rival):
    folder = tmp_path / "results"
    second = driver.Driver(workflow(), campaign, {}, folder)
    with pytest.raises(SystemExit, match=rf"another snakemake \(process {rival.pid}\) works on"):
        second.take()
    assert not (folder / plan.SNAPSHOT).exists()
    rival.kill()
    rival.wait()
    second.take()
    assert (folder / plan.SNAPSHOT).is_file()


def requiring(campaign: configuration.Campaign, **required: object) -> configuration.Campaign:
    return configuration.parse(
        campaign.model_dump(mode="json") | {"machine": {"require": required}}
    )


def test_where_jobs_run_here_the_machine_is_checked_before_anything_is_written(tmp_path, campaign):
    folder = tmp_path / "results"
    wrong = requiring(campaign, cores=100_000)
    with pytest.raises(
        SystemExit, match=r"machine\.require\.cores: requires 100000 cores; this is"
    ):
        driver.Driver(workflow(), wrong, {}, folder).take()
    assert not folder.exists()
    driver.Driver(workflow(local_exec=False), wrong, {}, folder).take()
    assert folder.exists()


@pytest.mark.slow
def test_a_campaign_that_was_held_for_a_while_is_free_again(tmp_path):
    folder, command = tmp_path / "results", [sys.executable, "-c", HOLD]
    with driver.held(folder):
        done = subprocess.run([*command, str(folder)], capture_output=True, text=True, check=False)
        assert "another snakemake" in done.stderr
        with driver.held(folder):  # the same process
            pass
    done = subprocess.run(
        [*command, str(folder)], input="", capture_output=True, text=True, check=True
    )
    assert done.stdout == "held\n"
