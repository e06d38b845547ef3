"""Finished runs are kept after a change that does not concern them, and the others are named."""

import copy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from measurements import do_jobs

from timefair import cli
from timefair.campaign import configuration, driver, provenance
from timefair.campaign.earlier import finished
from timefair.extensions.reproduce.chosen import chosen_run
from timefair.extensions.reproduce.verdict import replay
from timefair.records import integrity
from timefair.records.store import open_record, read_runs

CAMPAIGN: dict[str, Any] = {
    "name": "trial",
    "problems": {"suite": "bbob", "functions": 1, "dimensions": 2, "instances": "1-2"},
    "algorithms": {"a": {"use": "timefair:random-search"}, "b": {"use": "timefair:DE"}},
    "budget": {"evaluations": 50},
    "runs": 2,
}


def changed(change: Any = None) -> configuration.Campaign:
    mapping = copy.deepcopy(CAMPAIGN)
    if change is not None:
        change(mapping)
    return configuration.parse(mapping)


def make(campaign: configuration.Campaign, folder: Path) -> dict[str, Any]:
    """Do the jobs without a record; the runs of the campaign, by name."""
    rows = read_runs(do_jobs(campaign, folder)).to_pylist()
    names = ("algorithm", "function", "instance", "run")
    return {tuple(row[name] for name in names): row for row in rows}


@pytest.fixture(scope="module")
def before(tmp_path_factory):
    """A finished campaign, whose folder no test changes."""
    folder = tmp_path_factory.mktemp("before") / "trial"
    return folder, make(changed(), folder)


@pytest.fixture
def copied(before, tmp_path):
    folder, runs = before
    for path in folder.glob("records/*/*/*.parquet"):
        other = tmp_path / "results/trial" / path.relative_to(folder)
        other.parent.mkdir(parents=True, exist_ok=True)
        other.write_bytes(path.read_bytes())
    return tmp_path / "results/trial", runs


def renamed(mapping: dict[str, Any], **more: Any) -> None:
    mapping["algorithms"]["c"] = mapping["algorithms"].pop("b") | more


KEEP = {
    "a run more": (lambda c: c.update(runs=3), 8, 12),
    "a run less": (lambda c: c.update(runs=1), 4, 4),
    "more rounds": (lambda c: c.update(runs=5, rounds=2), 8, 20),
    "larger jobs": (lambda c: c.update(instances_per_job=2), 8, 8),
    "an instance more, in larger jobs": (
        lambda c: (c["problems"].update(instances="1-3"), c.update(instances_per_job=3)), 8, 12,
    ),
    "a function more": (lambda c: c["problems"].update(functions=[1, 8]), 8, 16),
    "an algorithm more": (lambda c: c["algorithms"].update(d="timefair:DE"), 8, 12),
    "another order": (lambda c: c["algorithms"].update(a=c["algorithms"].pop("a")), 8, 8),
    "a new label": (lambda c: renamed(c, formerly="b"), 8, 8),
    "a new label and a run more": (lambda c: (renamed(c, formerly="b"), c.update(runs=3)), 8, 12),
}  # fmt: skip


@pytest.mark.parametrize(("change", "kept", "wanted"), KEEP.values(), ids=KEEP)
def test_what_is_kept_is_said(before, change, kept, wanted):
    campaign = changed(change)
    found = finished(campaign, provenance.measure_keys(campaign), before[0])
    assert (found.recorded + found.taken.total(), found.wanted, found.lost) == (kept, wanted, {})


@pytest.mark.thinned(3)
@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        (lambda c: (renamed(c, formerly="b"), c.update(runs=3, instances_per_job=2)), 12),
        (KEEP["more rounds"][0], 20),
        (KEEP["an instance more, in larger jobs"][0], 12),
    ],
    ids=["a new label and a run more", "more rounds", "an instance more"],
)
def test_what_is_kept_is_not_measured_again(copied, change, wanted):
    folder, was = copied
    campaign = changed(change)
    runs = make(campaign, folder)
    assert len(runs) == wanted
    same = ("seed", "started_utc", "best_x", "events", "reaped_s")
    for (label, *place), row in runs.items():
        former = was.get(("b" if label == "c" else label, *place))
        if former is not None:
            assert {n: row[n] for n in same} == {n: former[n] for n in same}, (label, place)
    assert len({row["seed"] for row in runs.values()}) == len(runs)
    again = finished(campaign, provenance.measure_keys(campaign), folder)
    assert (again.recorded, again.lost) == (again.wanted, {})


def test_a_run_under_a_new_label_is_replayed(copied):
    folder, _ = copied
    campaign = changed(lambda c: renamed(c, formerly="b"))
    make(campaign, folder)
    (record, *_) = folder.glob("records/c/*/*.parquet")
    assert open_record(record).facts["campaign"]["algorithms"]["c"]["formerly"] == "b"
    assert replay(chosen_run(record, {"run": 1})).same


def both(why: str) -> dict[tuple[str, str], int]:
    return {("a", why): 4, ("b", why): 4}


LOSE = {
    "seed": (lambda c: c.update(seed=5), both("seed: 1, now 5")),
    "budget": (
        lambda c: c.update(budget={"evaluations": 60}), both("budget.evaluations: 50, now 60"),
    ),
    "memory": (
        lambda c: c.update(limits={"memory_mb": 900}), both("limits.memory_mb: 4096, now 900"),
    ),
    "restart of one": (
        lambda c: c["algorithms"]["b"].update(restart={"policy": "none"}),
        {("b", "restart.policy: independent, now none"): 4},
    ),
    "parameter of one": (
        lambda c: c["algorithms"]["b"].update(parameters={"F": 0.3}),
        {("b", "algorithms.b.parameters.F: None, now 0.3"): 4},
    ),
    "an algorithm less": (
        lambda c: (c["algorithms"].pop("b"), c.update(runs=3)),
        {("b", "it is not in the campaign"): 4},
    ),
    "a new label": (
        renamed,
        {
            (
                "b",
                "it is not in the campaign; to keep them under the label c, write formerly: b",
            ): 4
        },
    ),
    "runs of a rule": (
        lambda c: c.update(runs=30, stopping={"rule": "quantile", "start": 2}), None,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("change", "lost"), LOSE.values(), ids=LOSE)
def test_what_is_not_kept_is_said_with_the_key_that_changed(copied, change, lost):
    campaign = changed(change)
    found = finished(campaign, provenance.measure_keys(campaign), copied[0])
    if lost is None:
        assert [label for label, why in found.lost if "stopping.rule: fixed" in why] == ["a", "b"]
        assert found.recorded + found.taken.total() == 0
    else:
        assert found.lost == lost
        assert found.recorded + found.taken.total() == 8 - sum(lost.values())


def test_a_change_of_the_code_is_the_reason(copied, monkeypatch):
    monkeypatch.setattr(provenance, "code_digest", lambda paths: "0" * 64)
    campaign = changed()
    found = finished(campaign, provenance.measure_keys(campaign), copied[0])
    assert found.lost == both("its code, or the code that measures it, has changed")


@pytest.mark.thorough
def test_runs_of_another_kind_of_machine_are_not_mixed_in(copied, monkeypatch):
    folder, was = copied
    kind = integrity.machine_kind
    monkeypatch.setattr(
        "timefair.measure.job.cell.machine_kind",
        lambda facts: kind(facts)._replace(cpu=f"{id(facts)}"),
    )
    runs = make(changed(lambda c: c.update(runs=3)), folder)
    assert all(runs[name]["started_utc"] > row["started_utc"] for name, row in was.items())


def test_check_and_a_dry_run_say_it(copied, monkeypatch, capsys):
    folder, _ = copied
    monkeypatch.chdir(folder.parents[1])
    campaign = changed(lambda c: (c.update(runs=3), renamed(c)))
    Path("c.yaml").write_text(campaign.model_dump_json())
    assert cli.main(["check", "c.yaml"]) == 0
    lines = [
        "finished      4 of 8 finished runs are kept; 8 are to be measured",
        "not kept      4 finished run(s) of b: it is not in the campaign; to keep them under the "
        "label c, write formerly: b",
    ]
    printed = capsys.readouterr().out.splitlines()
    assert [line for line in printed if line.startswith(("finished", "not kept"))] == lines

    dry = SimpleNamespace(is_main_process=True, executor_plugin=None, dryrun=True)
    driver.Driver(dry, campaign, provenance.measure_keys(campaign), folder)
    assert capsys.readouterr().err.splitlines() == lines
