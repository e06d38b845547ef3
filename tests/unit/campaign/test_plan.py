"""Jobs, their names, the runs of rounds, and the process that has them run."""

import subprocess
import sys
from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest
from campaigns import SMALL, SPHERE
from hypothesis import given
from hypothesis import strategies as st

from timefair.basics.errors import InputError
from timefair.basics.sections import format_ranges, parse_ranges
from timefair.campaign import configuration, driver, plan, provenance
from timefair.campaign.configuration import Campaign, campaign_of, parse, restored
from timefair.io.importing import Imported

KEY = "0123456789abcdef" * 4


def campaign(**changes: Any) -> Campaign:
    ranges = {"functions": [1, 8], "dimensions": [2, 5], "instances": "1-5"}
    algorithms = dict.fromkeys(("a", "b.+"), "timefair:random-search")
    wanted = {"problems": SPHERE | ranges, "algorithms": algorithms, "runs": 5}
    return parse(SMALL | {"budget": {"time_s": 0.5}} | wanted | changes)


numbers = st.lists(st.integers(1, 2000), min_size=1, max_size=30, unique=True).map(sorted)


@pytest.mark.slow
@given(numbers, st.sampled_from([",", "_"]))
def test_ranges_go_there_and_back(numbers, separator):
    assert parse_ranges(format_ranges(numbers, separator), separator) == numbers


@pytest.mark.parametrize("size", [1, 2, 3, 5, 9])
def test_jobs_cover_every_run_once(size):
    planned = campaign(instances_per_job=size, rounds=2)
    covered = [
        (job.algorithm, (job.function, job.dimension, instance, run))
        for job in plan.jobs(planned)
        for instance in job.instances
        for run in plan.runs_of_round(planned, job.round)
    ]
    assert len(covered) == len(set(covered)) == 2 * 2 * 2 * 5 * 5
    for label in planned.algorithms:
        assert {run for name, run in covered if name == label} == plan.expected_runs(planned)
    assert len({job.record(KEY) for job in plan.jobs(planned)}) == len(list(plan.jobs(planned)))


OWN = {
    "f1-f23": {1: 30, 13: 30, 14: 2, 20: 6},
    "bbob": {1: 5, 8: 2},  # given by the user
}


@pytest.mark.parametrize("suite", OWN)
def test_without_dimensions_each_function_is_in_its_own(suite):
    own, given = OWN[suite], {"own_dimensions": OWN[suite]} if suite == "bbob" else {}
    problems = {"suite": suite, "functions": [*own], "instances": 1, **given}
    planned = campaign(problems=problems, algorithms={"a": "timefair:random-search"})
    assert {(job.function, job.dimension) for job in plan.jobs(planned)} == set(own.items())
    assert {run[:2] for run in plan.expected_runs(planned)} == set(own.items())
    assert plan.cell_count(planned) == planned.analysis_settings["problems"] == len(own)
    assert planned.problems.dimensions == tuple(sorted(set(own.values())))
    assert restored(planned.snapshot()) == planned


USUAL = campaign()


@given(st.integers(1, 40), st.data())
def test_rounds_split_the_runs_evenly(runs, data):
    rounds = data.draw(st.integers(1, runs))
    planned = USUAL.model_copy(update={"runs": runs, "rounds": rounds})
    parts = [plan.runs_of_round(planned, k) for k in range(1, rounds + 1)]
    assert [run for part in parts for run in part] == list(range(runs))
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


def test_the_snapshot_is_written_when_it_changes(tmp_path):
    path = plan.write_snapshot(campaign(), tmp_path / "new")
    before = path.stat()
    assert plan.write_snapshot(campaign(), tmp_path / "new").stat().st_ino == before.st_ino
    assert plan.write_snapshot(campaign(seed=2), tmp_path / "new").stat().st_ino != before.st_ino
    assert [file.name for file in path.parent.iterdir()] == ["campaign.json"]


def test_core_seconds():
    assert plan.core_seconds(campaign()) == 2 * 2 * 5 * 5 * 0.5 * 2
    assert plan.core_seconds(campaign(budget={"evaluations": 10})) is None
    simulated = campaign(budget={"time_s": 10, "evaluation_cost_s": 1})
    assert plan.core_seconds(simulated) is plan.wall_seconds(simulated, cores=4) is None


def test_a_job_asks_a_cluster_for_what_its_runs_may_take():
    asked = campaign(
        budget={"time_s": 60}, instances_per_job=2, runs=5, rounds=2, limits={"memory_mb": 2000}
    )
    assert plan.job_seconds(asked) == 3 * 2 * 60
    assert plan.resources(asked) == {"mem_mb": 3024, "runtime": 16}
    again = campaign(budget={"time_s": 60}, runs=1, timing={"perturbed": "repeat"})
    assert plan.resources(again)["runtime"] == 10 + (1 + 2)
    unknown = campaign(budget={"evaluations": 100})
    assert plan.job_seconds(unknown) is None
    assert "runtime" not in plan.resources(unknown)


def test_a_block_has_every_algorithm_in_an_order_that_the_seed_fixes():
    labels = dict.fromkeys("abcde", "timefair:random-search")
    blocked = campaign(algorithms=labels, block="node", rounds=5)
    blocks = [plan.Block(1, 2, (1,), round) for round in range(1, 6)]
    orders = [[job.algorithm for job in block.jobs(blocked)] for block in blocks]
    assert all(sorted(order) == list(labels) for order in orders)
    assert len(set(map(tuple, orders))) > 1
    assert orders == [[job.algorithm for job in block.jobs(blocked)] for block in blocks]
    other = campaign(algorithms=labels, block="node", rounds=5, seed=8)
    assert orders != [[job.algorithm for job in block.jobs(other)] for block in blocks]
    planned = {job for block in blocks for job in block.jobs(blocked)}
    assert planned <= set(plan.jobs(blocked))


def test_a_block_is_measured_by_the_rule_of_its_round():
    blocked = campaign(block="node", rounds=2)
    keys = {(label, round): f"{round}{KEY}" for label in blocked.algorithms for round in (1, 2)}
    rules = plan.block_rules(blocked, keys)
    assert list(rules) == ["measure_cells_of_round_1", "measure_cells_of_round_2"]
    round, records = rules["measure_cells_of_round_2"]
    assert round == 2
    names = {"function": 8, "dimension": 5, "instances": "1-2", "round": 2}
    block = plan.Block(8, 5, (1, 2), 2)
    expected = {str(job.record(keys[job.algorithm, 2])) for job in block.jobs(blocked)}
    assert {record.format(**names) for record in records} == expected


@pytest.mark.parametrize(
    ("problems", "spaces"),
    [
        ([(1, 3, 1), (1, 3, 2), (2, 5, 1)], ((1, 3), (2, 5))),
        ([(1, 3, 1), (2, 3, 1)], ((1, 3), (2, 3))),
        ([(1, 3, 1), (1, 5, 1), (2, 5, 1)], ((1, 3), (2, 3), (1, 5), (2, 5))),
    ],
)
def test_functions_with_one_dimension_each_have_only_that(problems, spaces):
    runs = dict.fromkeys(problems, 1)
    one = Imported(algorithm="A", label="A", suite="mine", runs=Counter(runs))
    given = {"format": "table", "path": "runs.csv"}
    assert campaign_of("c", {}, [one], given).problems.spaces == spaces


HOLD = """
import sys, pathlib
from timefair.campaign.driver import held
with held(pathlib.Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def small():
    return configuration.parse(SMALL)


@pytest.fixture
def rival(tmp_path):
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
        "output_settings": SimpleNamespace(dryrun=False),
        "scheduling_settings": SimpleNamespace(max_jobs_per_timespan="100/1s"),
    }  # fmt: skip
    return SimpleNamespace(**usual | changes)


@pytest.mark.slow
def test_the_process_that_has_jobs_run_holds_the_campaign_and_writes_it(tmp_path, small):
    folder = tmp_path / "results"
    keys = {("a", 1): "f" * 64}
    one = driver.Driver(workflow(), small, keys, folder)
    assert one.take() == []
    assert configuration.restore(folder / plan.SNAPSHOT) == small
    assert plan.read_keys(folder, small) == keys
    (folder / plan.SNAPSHOT).unlink()
    assert one.take() == []  # for each job; the folder is not looked at again
    assert not (folder / plan.SNAPSHOT).exists()


@pytest.mark.slow
@pytest.mark.parametrize(("local", "limit"), [(True, None), (False, "100/1s")])
def test_snakemake_looks_for_jobs_at_most_once_per_second_beside_runs_on_this_machine(
    tmp_path, small, local, limit
):
    one = workflow(local_exec=local)
    driver.Driver(one, small, {("a", 1): "f" * 64}, tmp_path / "results").take()
    assert one.scheduling_settings.max_jobs_per_timespan == limit


def test_the_main_process_computes_the_keys_and_its_jobs_read_them(tmp_path, small, monkeypatch):
    computed = provenance.measure_keys(small)
    job = workflow(is_main_process=False)
    with pytest.raises(InputError, match=r"keys\.json: not the campaign's keys; start snakemake"):
        driver.planned_keys(job, small, tmp_path)
    keys = driver.planned_keys(workflow(), small, tmp_path)
    assert keys == computed
    driver.Driver(workflow(), small, keys, tmp_path).take()
    monkeypatch.setattr(provenance, "measure_keys", None)
    assert driver.planned_keys(job, small, tmp_path) == computed


@pytest.mark.parametrize(
    "started_for",
    [
        {"executor_plugin": None},  # --unlock, --report, --summary: nothing is executed
        {"dryrun": True},
        {"is_main_process": False},  # a job of a batch system
    ],
)
def test_a_process_that_has_no_jobs_run_neither_holds_nor_writes(tmp_path, small, started_for):
    driver.Driver(workflow(**started_for), small, {}, tmp_path / "results").take()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_another_process_is_refused_while_one_lives(tmp_path, small, rival):
    folder = tmp_path / "results"
    second = driver.Driver(workflow(), small, {}, folder)
    with pytest.raises(SystemExit, match=rf"another snakemake \(process {rival.pid}\) works on"):
        second.take()
    assert not (folder / plan.SNAPSHOT).exists()
    rival.kill()
    rival.wait()
    second.take()
    assert (folder / plan.SNAPSHOT).is_file()


def requiring(small: configuration.Campaign, **required: object) -> configuration.Campaign:
    return configuration.parse(small.model_dump(mode="json") | {"machine": {"require": required}})


def test_where_jobs_run_here_the_machine_is_checked_before_anything_is_written(tmp_path, small):
    folder = tmp_path / "results"
    wrong = requiring(small, cores=100_000)
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
