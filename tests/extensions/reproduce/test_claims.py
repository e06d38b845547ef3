"""New runs reproduce, contradict or cannot decide the claims of a campaign."""

from __future__ import annotations

import json
from collections import Counter
from math import log
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from timefair import cli
from timefair.campaign import configuration, plan
from timefair.extensions.reproduce.claims import (
    Verdict,
    campaign_again,
    campaign_of,
    claims,
    judge,
    study,
)
from timefair.records.schema import RUN_SCHEMA
from timefair.records.store import write_record

CAMPAIGN = {
    "name": "made",
    "problems": {"suite": "bbob", "functions": "1-7", "dimensions": 2, "instances": "1"},
    "algorithms": {"quick": "timefair:DE", "slow": "timefair:DE", "slowest": "timefair:DE"},
    "budget": {"evaluations": 10_000},
    "runs": 12,
    "targets": [1.0],
    "statistics": {"resamples": 20},
}
SCALES = {"quick": 40.0, "slow": 160.0, "slowest": 640.0}
"""Mean evaluations of a run to the target."""
MACHINE = {"cpu": "Z80", "cores": 2, "memory_mb": 16.0, "python": "3.11", "versions": {}}


def made(folder: Path, run, scales: dict[str, float], seed: int, **changes) -> Path:
    """``results/made`` with runs that nobody measured, as quick as the scales say."""
    results = folder / "results/made"
    asked = {"algorithms": {name: CAMPAIGN["algorithms"][name] for name in scales}}
    campaign = configuration.parse(CAMPAIGN | asked | changes.get("campaign", {}))
    plan.write_snapshot(campaign, results)
    rng = np.random.default_rng(seed)
    for label, scale in scales.items():
        rng = np.random.default_rng(seed) if changes.get("twins") else rng
        rows = []
        for function in campaign.problems.functions:
            for number in range(campaign.runs):
                cost = 3 + int(rng.lognormal(log(scale), 0.3))
                precision = float(scale * rng.lognormal(0, 0.3)) / 1e4
                events = [(1, 0.001, 5.0), (cost, 0.001 * cost, precision)]
                rows.append(
                    run(
                        events, function=function, algorithm=label, run=number, evaluations=10_000,
                        wall_s=100.0, best_precision=precision,
                    )
                )  # fmt: skip
        machine = MACHINE | changes.get("machine", {})
        facts = {"algorithm": label, "collected": {
            "campaign": [campaign.model_dump(mode="json")], "key": ["k"], "code": ["c"],
            "machine": [machine],
        }}  # fmt: skip
        batch = pa.RecordBatch.from_pylist(rows, schema=RUN_SCHEMA)
        write_record(results / f"collected/{label}.parquet", [batch], facts)
    return results


@pytest.fixture(scope="module")
def stated(run, tmp_path_factory: pytest.TempPathFactory):
    """The claims of a campaign in which the order of the algorithms is obvious, and its folder."""
    results = made(tmp_path_factory.mktemp("first"), run, SCALES, seed=1)
    return list(claims(study(results, campaign_of(results)).evidence)), results


def verdicts(stated, results: Path, again: Path) -> Counter[tuple[str, Verdict]]:
    found = judge(stated, study(again, campaign_of(results)).evidence)
    assert [one.claim for one in found] == stated
    return Counter((one.claim.kind, one.verdict) for one in found)


@pytest.mark.slow
def test_what_is_claimed(stated):
    found, _ = stated
    by_kind = {kind: [c for c in found if c.kind == kind] for kind in ("first", "pair")}
    assert {claim.leaders for claim in by_kind["first"]} == {("quick",)}
    assert {(c.better, c.other) for c in by_kind["pair"] if c.function == "1"} == {
        ("quick", "slow"), ("quick", "slowest"), ("slow", "slowest"),
    }  # fmt: skip


@pytest.mark.slow
def test_runs_of_the_same_algorithms_reproduce(stated, run, tmp_path: Path):
    found = verdicts(*stated, made(tmp_path / "again", run, SCALES, seed=2))
    assert {verdict for _, verdict in found} == {Verdict.REPRODUCED}


@pytest.mark.slow
def test_the_opposite_order_contradicts(stated, run, tmp_path: Path):
    other = {"quick": 640.0, "slow": 160.0, "slowest": 40.0}
    found = verdicts(*stated, made(tmp_path / "again", run, other, seed=2))
    assert {verdict for _, verdict in found} == {Verdict.CONTRADICTED}


# --- The campaign that measures again -----------------------------------------------------------


RACE = {"stopping": {"rule": "race"}, "runs": 12, "rounds": 3}


def test_the_new_runs_need_no_machine_and_no_rule():
    asked = CAMPAIGN | RACE | {"machine": {"require": {"processor": "Z80"}}}
    campaign = configuration.parse(asked)
    new = campaign_again(campaign, seed=1, runs=1)
    assert (new.runs, new.rounds, new.stopping.rule) == (1, 1, "fixed")
    assert new.machine.required == {}


# --- The command --------------------------------------------------------------------------------


def reproduce(monkeypatch, results: Path, new: Path, *words: str) -> int:
    """The command, with runs that are there already."""
    monkeypatch.chdir(new.parents[1])

    def measure(campaign, folder: Path, cores: int, progress) -> None:
        folder.parent.mkdir(exist_ok=True)
        folder.symlink_to(new)

    monkeypatch.setattr("timefair.processes.jobs.complete", measure)
    return cli.main(["reproduce", str(results), "--claims", *words])


@pytest.mark.slow
def test_the_command(stated, run, tmp_path: Path, monkeypatch, capsys):
    claimed, results = stated
    new = made(tmp_path / "again", run, SCALES, seed=2)
    assert reproduce(monkeypatch, results, new) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == (
        f"{len(claimed)} claims of {results}; 12 runs on each problem with the seed 2, in "
        "results/made-claims"
    )
    assert lines[1:5] == [
        "machine: of the same kind",
        "code: as recorded",
        "software: as recorded",
        "runs: 252 recorded, 252 again",
    ]
    assert lines[-3] == f"0 of {len(claimed)} claims are contradicted."
    assert "not replicated" in lines[-2]
    written = json.loads((new / "claims.json").read_text())
    assert [one["claim"] for one in written] == [str(claim) for claim in claimed]
    assert {one["verdict"] for one in written} == {"reproduced"}


@pytest.mark.slow
def test_the_command_names_what_is_contradicted(stated, run, tmp_path: Path, monkeypatch, capsys):
    _, results = stated
    other = {"quick": 640.0, "slow": 160.0, "slowest": 40.0}
    new = made(tmp_path / "again", run, other, seed=2, machine={"cpu": "6502"})
    assert reproduce(monkeypatch, results, new) == 1
    out = capsys.readouterr().out
    assert "machine: of another kind; claims in seconds are compared as ratios" in out
    assert "contradicted: bbob, 2 dimensions: quick better than slow on f1" in out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--claims", "--share", "5%"], "--share: is for replays; --runs sets how many runs"),
        (["--runs", "3"], "--runs: is for --claims; --share sets how many runs are replayed"),
        (["--claims", "--runs", "0"], "--runs: 0: should be above 0"),
        (["--claims", "--seed", "0"], "--seed: 0: should be at least 1 with --claims"),
    ],
)
def test_wrong_input(words: list[str], line: str, stated, capsys):
    _, results = stated
    assert cli.main(["reproduce", str(results), *words]) == 2
    printed = capsys.readouterr().err
    assert printed.startswith(f"timefair: {line}")
    assert printed.count("\n") == 1


def test_a_folder_without_a_campaign(tmp_path: Path, capsys):
    assert cli.main(["reproduce", str(tmp_path), "--claims"]) == 2
    line = f"timefair: {tmp_path}: there is no campaign.json in it; name results/NAME\n"
    assert capsys.readouterr().err == line
