"""Jobs, their names, and the runs of rounds."""

from typing import Any

import pytest
from campaigns import SMALL, SPHERE
from hypothesis import given
from hypothesis import strategies as st

from timefair.basics.values import format_ranges, parse_ranges
from timefair.campaign import plan
from timefair.campaign.configuration import Campaign, parse, restore, restored
from timefair.records.rundata.settings import Analysis, RunCount

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


@pytest.mark.parametrize(
    "path", ["records/a/0/f1_d5_i1_r1.csv", "a/0/f1_d5_i1_r1.parquet", "records/f1_d5_i1_r1"]
)
def test_another_path_is_no_record(path):
    with pytest.raises(ValueError, match="is not the path of a record"):
        plan.Job.of_record(path)


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
    "engineering": {17: 3, 19: 4, 20: 2, 31: 4},
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


def test_algorithms_take_turns_round_by_round():
    order = list(plan.jobs(campaign(rounds=2)))
    assert [job.round for job in order] == sorted(job.round for job in order)
    assert [job.algorithm for job in order] == ["a", "b.+"] * (len(order) // 2)


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


def test_the_tables_take_the_settings_of_a_campaign_as_they_are(tmp_path):
    wanted = campaign(targets=[1, 0.5], statistics={"run_count": {"taus": [0.3], "cap": 20}})
    analysis = Analysis.of(wanted.analysis_settings)
    assert analysis.targets == (1.0, 0.5)
    assert analysis.run_count == RunCount(cap=20, taus=(0.3,))
    restored = restore(plan.write_snapshot(wanted, tmp_path))
    assert Analysis.of(restored.analysis_settings) == analysis


def test_the_reference_is_timed_with_a_budget_in_seconds():
    assert campaign().reference_is_timed
    evaluations = {"evaluations": 100}
    assert not campaign(budget=evaluations).reference_is_timed
    assert campaign(budget=evaluations, timing={"reference": True}).reference_is_timed
    assert not campaign(timing={"reference": False}).reference_is_timed


@pytest.mark.parametrize(("perturbed", "most"), [("flag", 0), ("exclude", 0), ("repeat", 2)])
def test_runs_are_repeated_only_if_asked(perturbed, most):
    assert campaign(timing={"perturbed": perturbed}).timing.most_repeats == most


def test_the_files_of_published_data(tmp_path):
    (tmp_path / "folder/data").mkdir(parents=True)
    (tmp_path / "folder/b.info").touch()
    (tmp_path / "folder/data/a.dat").touch()
    made = campaign(
        published={
            "all": {"format": "coco", "path": str(tmp_path / "folder")},
            "one": {"format": "coco", "path": str(tmp_path / "folder/b.info")},
        }
    )
    assert plan.published_files(made, "one") == [str(tmp_path / "folder/b.info")]
    assert plan.published_files(made, "all") == [
        str(tmp_path / "folder/b.info"),
        str(tmp_path / "folder/data/a.dat"),
    ]


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
    wildcards = {name: str(value) for name, value in names.items()}
    assert plan.jobs_of_rule(blocked, "measure_cells_of_round_2", wildcards) == block.jobs(blocked)
    one = plan.jobs_of_rule(blocked, "measure_cell", wildcards | {"algorithm": "a"})
    assert one == [plan.Job("a", 8, 5, (1, 2), 2)]
    assert plan.jobs_of_rule(blocked, "collect_records", {"algorithm": "a"}) == []
