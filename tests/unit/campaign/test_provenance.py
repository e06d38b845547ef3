"""A key changes with what decides a measurement; finished runs are kept while it does not."""

import copy
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from measurements import do_jobs

from timefair import cli
from timefair.campaign import configuration, driver, provenance
from timefair.campaign.collected import finished
from timefair.campaign.configuration import parse
from timefair.campaign.provenance import measure_key
from timefair.extensions.reproduce.verdict import chosen_run, replay
from timefair.machine import facts
from timefair.records import integrity
from timefair.records.store import open_record, read_runs

CAMPAIGN: dict[str, Any] = {
    "name": "trial",
    "problems": {"suite": "bbob", "functions": [1], "dimensions": [5], "instances": [1]},
    "algorithms": {"a": {"use": "timefair:random-search"}, "b": {"use": "scipy:Nelder-Mead"}},
    "budget": {"time_s": 0.5, "evaluations": 1000},
    "restart": {"policy": "luby", "tau_s": 0.1},
    "runs": 4,
    "rounds": 2,
    "stopping": {"rule": "quantile", "start": 2},
}


def key_with(change: Callable[[dict[str, Any]], object], label: str = "a", round: int = 1) -> str:
    mapping = copy.deepcopy(CAMPAIGN)
    change(mapping)
    return measure_key(parse(mapping), label, round)


KEY = key_with(lambda c: None)

MEASURE_AGAIN: dict[str, Callable[[dict[str, Any]], object]] = {
    "seed": lambda c: c.update(seed=2),
    "time": lambda c: c["budget"].update(time_s=0.6),
    "evaluations": lambda c: c["budget"].update(evaluations=999),
    "final target": lambda c: c["budget"].update(final_target=None),
    "restart": lambda c: c.update(restart={"policy": "none"}),
    "restart of its own": lambda c: c["algorithms"]["a"].update(restart={"policy": "none"}),
    "limits": lambda c: c.update(limits={"memory_mb": 1000}),
    "threads": lambda c: c["algorithms"]["a"].update(threads=2),
    "repeats": lambda c: c.update(timing={"perturbed": "repeat"}),
    "no reference": lambda c: c.update(timing={"reference": False}),
    "blocks": lambda c: c.update(block="node"),
    "runs of the round": lambda c: c.update(runs=6),
    "seeds of another": lambda c: c["algorithms"]["a"].update(seed_as="b"),
}
LEAVE: dict[str, Callable[[dict[str, Any]], object]] = {
    "name": lambda c: c.update(name="other"),
    "a required machine": lambda c: c.update(machine={"require": {"cores": 2}}),
    "targets": lambda c: c.update(targets=[1.0]),
    "statistics": lambda c: c.update(statistics={"confidence": 0.9}),
    "what is done about perturbed runs": lambda c: c.update(timing={"perturbed": "exclude"}),
    "the reference, which a budget in seconds has": lambda c: c.update(timing={"reference": True}),
    "tables": lambda c: c.update(tables=["ert"]),
    "functions": lambda c: c["problems"].update(functions=[1, 2]),
    "grain": lambda c: c.update(instances_per_job=5),
    "another algorithm": lambda c: c["algorithms"].update(c="scipy:Powell"),
    "a default spelled out": lambda c: c["budget"].update(final_target=1e-8),
    "the campaign's restart spelled out": lambda c: c["algorithms"]["a"].update(
        restart={"policy": "luby", "tau_s": 0.1}
    ),
    "one round more": lambda c: c.update(runs=6, rounds=3),
}


@pytest.mark.parametrize("change", MEASURE_AGAIN.values(), ids=MEASURE_AGAIN)
def test_what_decides_a_measurement(change):
    assert key_with(change) != KEY


@pytest.mark.parametrize("change", LEAVE.values(), ids=LEAVE)
def test_what_does_not(change):
    assert key_with(change) == KEY


def test_an_algorithm_with_a_new_label_has_the_key_and_the_seeds_of_the_earlier_one():
    mapping = copy.deepcopy(CAMPAIGN)
    mapping["algorithms"]["new"] = mapping["algorithms"].pop("a") | {"formerly": "a"}
    mapping["algorithms"]["b"]["seed_as"] = "new"
    campaign = parse(mapping)
    assert measure_key(campaign, "new", 1) == KEY
    assert campaign.seeds_of("new") == campaign.seeds_of("b") == "a"


@pytest.mark.parametrize("package", ["numpy", "coco-experiment"])
def test_a_new_version_of_a_package(package, monkeypatch):
    version = facts._version
    monkeypatch.setattr(facts, "_version", lambda name: "0" if name == package else version(name))
    assert key_with(lambda c: None) != KEY


@pytest.mark.parametrize(
    ("file", "counts"),
    [
        ("measure/evaluation/objective.pyx", True), ("measure/job.py", True),
        ("records/store.py", True), ("records/schema.py", True),
        ("statistics/run_count/stopping_rules.py", True), ("problems/coco.py", True),
        ("problems/pointwise.pyx", True), ("problems/ioh.py", False),
        ("algorithms/builtin/simple.py", True), ("extensions/libraries/scipy.py", False),
        ("records/collect.py", False), ("exhibits/runtimes.py", False),
        ("exhibits/charts/lines.py", False), ("campaign/configuration/model.py", False),
        ("policies/restarts.py", True), ("policies/stopping.py", True),
        ("statistics/run_count/widths.py", True),
        ("cli/__init__.py", False),
    ],
)  # fmt: skip
def test_code_that_measures(file, counts, monkeypatch):
    edited, code = provenance.PACKAGE / file, provenance._code
    assert edited.is_file()
    monkeypatch.setattr(
        provenance, "_code", lambda path: "edited" if path == edited else code(path)
    )
    assert (key_with(lambda c: None) != KEY) is counts


def test_a_function_of_the_users_own_and_what_it_is_set(tmp_path, monkeypatch):
    path = tmp_path / "mine.py"
    path.write_text("def f(x, weight=1):\n    return weight * x[0]\n")

    def key(**parameters: float) -> str:
        problems = {"suite": f"{path}:f", "parameters": {"lower": 0, "upper": 1, **parameters}}
        return key_with(lambda c: c["problems"].update(problems))

    before = key()
    assert key(upper=2) != before
    assert key(weight=2) != before
    code = provenance._code
    monkeypatch.setattr(provenance, "_code", lambda p: "edited" if p == path else code(p))
    assert key() != before


def test_the_code_of_a_table_is_its_own_and_does_not_include_figures(monkeypatch):
    names = ("exhibits/curves.py", "exhibits/charts/dots.py")
    before, code = (
        {name: provenance.table_key(name) for name in ("ecdf", "ranks")},
        provenance._code,
    )
    edited = {provenance.PACKAGE / name for name in names}
    monkeypatch.setattr(provenance, "_code", lambda p: "edited" if p in edited else code(p))
    assert provenance.table_key("ecdf") != before["ecdf"]
    assert provenance.table_key("ranks") == before["ranks"]


FINISHED: dict[str, Any] = {
    "name": "trial",
    "problems": {"suite": "bbob", "functions": 1, "dimensions": 2, "instances": "1-2"},
    "algorithms": {"a": {"use": "timefair:random-search"}, "b": {"use": "timefair:DE"}},
    "budget": {"evaluations": 50},
    "runs": 2,
}


def changed(change: Any = None) -> configuration.Campaign:
    mapping = copy.deepcopy(FINISHED)
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
    "more rounds": (lambda c: c.update(runs=5, rounds=2), 8, 20),
    "larger jobs": (lambda c: c.update(instances_per_job=2), 8, 8),
    "an instance more, in larger jobs": (
        lambda c: (c["problems"].update(instances="1-3"), c.update(instances_per_job=3)), 8, 12,
    ),
    "a function more": (lambda c: c["problems"].update(functions=[1, 8]), 8, 16),
    "an algorithm more": (lambda c: c["algorithms"].update(d="timefair:DE"), 8, 12),
    "a new label": (lambda c: renamed(c, formerly="b"), 8, 8),
}  # fmt: skip


@pytest.mark.parametrize(("change", "kept", "wanted"), KEEP.values(), ids=KEEP)
def test_what_is_kept_is_said(before, change, kept, wanted):
    campaign = changed(change)
    (line,) = finished(campaign, provenance.measure_keys(campaign), before[0])
    assert f" {kept} of {kept} finished runs are kept; {wanted - kept} are to be" in line


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
    assert not [*finished(campaign, provenance.measure_keys(campaign), folder, changed=True)]


def test_a_run_under_a_new_label_is_replayed(copied):
    folder, _ = copied
    campaign = changed(lambda c: renamed(c, formerly="b"))
    make(campaign, folder)
    (record, *_) = folder.glob("records/c/*/*.parquet")
    assert open_record(record).facts["campaign"]["algorithms"]["c"]["formerly"] == "b"
    assert replay(chosen_run(record, {"run": 1})).same


def both(why: str) -> dict[str, str]:
    return {"a": why, "b": why}


LOSE = {
    "seed": (lambda c: c.update(seed=5), both("seed: 1, now 5")),
    "budget": (lambda c: c.update(budget={"evaluations": 60}),
     both("budget.evaluations: 50, now 60")),
    "restart of one": (lambda c: c["algorithms"]["b"].update(restart={"policy": "none"}),
     {"b": "restart.policy: independent, now none"}),
    "parameter of one": (lambda c: c["algorithms"]["b"].update(parameters={"F": 0.3}),
     {"b": "algorithms.b.parameters.F: None, now 0.3"}),
    "an algorithm less": (lambda c: (c["algorithms"].pop("b"), c.update(runs=3)),
     {"b": "it is not in the campaign; to keep them under a new label, write formerly: b"}),
    "runs of a rule": (lambda c: c.update(runs=30, stopping={"rule": "quantile", "start": 2}),
     both("stopping.rule: fixed, now quantile")),
}  # fmt: skip


@pytest.mark.parametrize(("change", "lost"), LOSE.values(), ids=LOSE)
def test_what_is_not_kept_is_said_with_the_key_that_changed(copied, change, lost):
    campaign = changed(change)
    kept, *others = finished(campaign, provenance.measure_keys(campaign), copied[0])
    assert f" {8 - 4 * len(lost)} of 8 finished runs are kept" in kept
    for line, (label, why) in zip(others, lost.items(), strict=True):
        assert line.startswith(f"not kept      4 finished run(s) of {label}: {why}")


def test_a_change_of_the_code_is_the_reason(copied, monkeypatch):
    monkeypatch.setattr(provenance, "code_digest", lambda paths: "0" * 64)
    campaign = changed()
    _, *lost = finished(campaign, provenance.measure_keys(campaign), copied[0])
    assert len(lost) == 2
    assert all("its code, or the code that measures it, has changed" in line for line in lost)


@pytest.mark.thorough
def test_runs_of_another_kind_of_machine_are_not_mixed_in(copied, monkeypatch):
    folder, was = copied
    kind = integrity.machine_kind
    monkeypatch.setattr(
        "timefair.measure.job.machine_kind",
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
        "not kept      4 finished run(s) of b: it is not in the campaign; to keep them under a new "
        "label, write formerly: b",
    ]
    printed = capsys.readouterr().out.splitlines()
    assert [line for line in printed if line.startswith(("finished", "not kept"))] == lines

    dry = SimpleNamespace(is_main_process=True, output_settings=SimpleNamespace(dryrun=True))
    driver.Driver(dry, campaign, provenance.measure_keys(campaign), folder)
    assert capsys.readouterr().err.splitlines() == lines
