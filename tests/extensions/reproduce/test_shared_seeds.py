"""Two algorithms with the seeds of one: their runs are pairs, and each is replayed alone."""

from typing import Any

from timefair.campaign import configuration, plan
from timefair.extensions.reproduce.chosen import chosen_run
from timefair.extensions.reproduce.verdict import replay
from timefair.measure.job.cell import Prepared, measure
from timefair.records.store import read_runs

DE: dict[str, Any] = {"use": "timefair:DE"}
CAMPAIGN: dict[str, Any] = {
    "name": "small",
    "problems": {"suite": "bbob", "functions": 8, "dimensions": 3, "instances": 1},
    "algorithms": {"baseline": DE, "candidate": DE | {"seed_as": "baseline"}, "other": DE},
    "budget": {"evaluations": 200},
    "runs": 2,
    "timing": {"reference": False},
}


def test_the_runs_of_one_seed_are_the_same_and_replay_alone(tmp_path):
    campaign, records = configuration.parse(CAMPAIGN), {}
    prepared = Prepared(campaign)
    for job in plan.jobs(campaign):
        key = prepared.key(job)
        record = tmp_path / job.record(key)
        record.parent.mkdir(parents=True, exist_ok=True)
        measure(campaign, job, record, key)
        records[job.algorithm] = record
    runs = {label: read_runs([record]) for label, record in records.items()}
    for column in ("seed", "best_f", "best_x"):
        assert runs["baseline"][column].equals(runs["candidate"][column])
        assert not runs["baseline"][column].equals(runs["other"][column])
    assert replay(chosen_run(records["candidate"], {"run": 1})).same
