"""A campaign-wide race while measuring: its decisions are files, which its jobs follow."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from timefair import cli
from timefair.campaign import configuration, plan
from timefair.campaign.allocated import read_allocation
from timefair.campaign.provenance import measure_keys
from timefair.exhibits.registry import TABLES
from timefair.extensions.race.rounds import _granted
from timefair.extensions.race.statistics import CampaignRace
from timefair.measure.job.cell import measure
from timefair.records.collect import collect
from timefair.records.integrity import Place
from timefair.records.store import open_record
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis

CAMPAIGN: dict[str, Any] = {
    "name": "test",
    "problems": {"suite": "bbob", "functions": [1, 8, 20], "dimensions": 2, "instances": [1, 2]},
    "algorithms": {
        "random": "timefair:random-search",
        "simplex": "scipy:Nelder-Mead",
        "DE": "timefair:DE",
    },
    "budget": {"evaluations": 60, "final_target": 1e-8},
    "runs": 9,
    "rounds": 3,
    "instances_per_job": 2,
    "stopping": {"rule": "campaign_race"},
}


def campaign(**changes: Any) -> configuration.Campaign:
    return configuration.parse(CAMPAIGN | changes)


def decided_of(asked: configuration.Campaign, keys: plan.Keys, round: int, folder: Path) -> Any:
    return asked.stopping.allocate(asked, keys, round, folder)


class Measured:
    """A campaign that was measured round by round, as the rules do."""

    def __init__(self, folder: Path) -> None:
        self.campaign, self.folder = campaign(), folder
        self.keys = measure_keys(self.campaign)
        plan.write_keys(self.keys, folder)
        self.snapshot = plan.write_snapshot(self.campaign, folder)
        for round in range(1, self.campaign.rounds + 1):
            if round > 1:
                assert self.allocate(round) == 0
            for job in plan.jobs(self.campaign):
                if job.round == round:
                    key = self.keys[job.algorithm, round]
                    measure(self.campaign, job, self.record(job), key)
        self.collected = [self._collect(label) for label in self.campaign.algorithms]

    def record(self, job: plan.Job) -> Path:
        return self.folder / job.record(self.keys[job.algorithm, job.round])

    def file(self, round: int) -> Path:
        return self.folder / plan.allocation_path(self.keys, round)

    def allocate(self, round: int) -> int:
        words = ["--campaign", str(self.snapshot), "--round", str(round)]
        return cli.main(["allocate", *words, "--output", str(self.file(round))])

    def _collect(self, label: str) -> Path:
        places = {
            self.record(job): Place(key=self.keys[label, job.round], **vars(job))
            for job in plan.jobs(self.campaign)
            if job.algorithm == label
        }
        output = self.folder / "collected" / f"{label}.parquet"
        output.parent.mkdir(exist_ok=True)
        collect(label, places, plan.expected_runs(self.campaign), output)
        return output


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIMEFAIR_LOCKS", str(tmp_path_factory.mktemp("locks")))
        return Measured(tmp_path_factory.mktemp("results"))


@pytest.mark.slow
def test_each_job_makes_the_runs_that_its_round_has(measured: Measured) -> None:
    seen = set()
    for job in plan.jobs(measured.campaign):
        record = open_record(measured.record(job))
        rows = record.read(["instance", "run"]).to_pylist()
        if job.round == 1:
            assert len(rows) == 6
            continue
        cell = read_allocation(measured.file(job.round))[job.algorithm, job.function, job.dimension]
        assert len(rows) == 2 * cell.more
        facts = record.facts["stopping"]
        assert {(one.get("because"), one["reason"]) for one in facts} == {
            (cell.reason, None) if cell.more else (None, cell.reason)
        }
        seen.add(bool(cell.more))
    assert seen == {True, False}


@pytest.mark.slow
def test_runs_that_reached_the_final_target_are_ties(measured: Measured) -> None:
    """How far a run is below the target says nothing about its algorithm."""
    budget = CAMPAIGN["budget"] | {"final_target": 1e9}
    content = decided_of(campaign(budget=budget), measured.keys, 2, measured.folder)
    assert {pair["a12"] for pair in content["pairs"]} == {0.5}


@pytest.mark.slow
def test_the_tables_say_what_the_files_say(measured: Measured) -> None:
    runs = Runs.read(measured.collected)
    content = json.loads(measured.file(3).read_text())
    pairs = TABLES["decided_pairs"](runs, Analysis(targets=(1.0,)))
    for said in content["pairs"]:
        names = {said["algorithm_a"], said["algorithm_b"]}
        (row,) = (r for _, r in pairs.iterrows() if {r.algorithm_a, r.algorithm_b} == names)
        if said["decided_after_round"]:
            assert row["decided_after_round"] == said["decided_after_round"]
            turned = row["algorithm_a"] != said["algorithm_a"]
            assert (row["better"] == row["algorithm_a"]) == ((said["a12"] > 0.5) != turned)
    cells = TABLES["allocation"](runs, Analysis(targets=(1.0,)))
    assert cells["runs"].sum() == len(runs.frame)
    assert len(cells) == 9
    last = {(c["algorithm"], c["function"]): c for c in content["cells"]}
    for _, row in cells.iterrows():
        cell = last[row["algorithm"], row["function"]]
        assert row["runs"] == 2 * (cell["runs"] + cell["more"])
        assert row["reason"] == (None if cell["more"] else cell["reason"])


@pytest.mark.slow
def test_the_records_of_a_race_are_verified(
    measured: Measured, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also those without runs, and also before they are collected."""
    folder = tmp_path / "copy"
    shutil.copytree(measured.folder, folder)
    for place in ("collected", "nothing else"):
        assert cli.main(["verify", str(folder), "--points-s", "0"]) == 0
        said = capsys.readouterr().out
        assert "(0 missing), 3 code digests of 3 algorithms" in said
        shutil.rmtree(folder / place, ignore_errors=True)


def test_a_budget_is_divided_among_the_dimensions_by_what_they_need() -> None:
    """Neither the first dimension nor the cheapest one takes it all."""
    race = CampaignRace(((0, 1),), functions=1, start=8, family=2)
    first, second = np.random.default_rng(3).normal([[0.0], [0.8]], size=(2, 8))
    standing = race.look([[first, second]])
    costs = [np.full((2, 1), 1.0), np.full((2, 1), 5.0)]

    def granted(place: int, budget: float):
        return race.grant(standing, np.full((2, 1), 8), costs[place], 60, budget)

    def spent(budget: float) -> list[float]:
        grants = _granted(granted, costs, budget)
        return [float((one.more * each).sum()) for one, each in zip(grants, costs, strict=True)]

    free = spent(np.inf)
    assert free[1] == pytest.approx(5 * free[0])
    half = spent(sum(free) / 2)
    assert sum(half) <= sum(free) / 2
    assert half == pytest.approx([need / 2 for need in free], abs=10)
    assert min(half) > 0


@pytest.mark.parametrize(
    ("round", "rule", "message"),
    [
        (1, "campaign_race", "--round: 1: should be from 2 to 3"),
        (4, "campaign_race", "--round: 4: should be from 2 to 3"),
        (2, "race", "stopping.rule: 'race' allocates no runs to rounds; use 'campaign_race'"),
    ],
)
def test_what_cannot_be_allocated_is_said_in_one_line(
    round: int, rule: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    snapshot = plan.write_snapshot(campaign(stopping={"rule": rule}), tmp_path)
    words = ["allocate", "--campaign", str(snapshot), "--round", str(round)]
    assert cli.main(words) == 2
    assert capsys.readouterr() == ("", f"timefair: {message}\n")
