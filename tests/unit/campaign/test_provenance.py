"""A key changes with what decides a measurement, and with nothing else."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from timefair.campaign import provenance
from timefair.campaign.configuration import parse
from timefair.campaign.provenance import measure_key, sources_of
from timefair.machine import facts

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
    "tau": lambda c: c.update(restart={"policy": "fixed", "tau_s": 0.1}),
    "restart of its own": lambda c: c["algorithms"]["a"].update(restart={"policy": "none"}),
    "limits": lambda c: c.update(limits={"memory_mb": 1000}),
    "use": lambda c: c["algorithms"]["a"].update(use="scipy:Nelder-Mead"),
    "threads": lambda c: c["algorithms"]["a"].update(threads=2),
    "repeats": lambda c: c.update(timing={"perturbed": "repeat"}),
    "no reference": lambda c: c.update(timing={"reference": False}),
    "blocks": lambda c: c.update(block="node"),
    "runs of the round": lambda c: c.update(runs=6),
    "seeds of another": lambda c: c["algorithms"]["a"].update(seed_as="b"),
}
LEAVE: dict[str, Callable[[dict[str, Any]], object]] = {
    "name": lambda c: c.update(name="other"),
    "no blocks": lambda c: c.update(block=None),
    "a required machine": lambda c: c.update(machine={"require": {"cores": 2}}),
    "seeds of its own": lambda c: c["algorithms"]["a"].update(seed_as=None),
    "targets": lambda c: c.update(targets=[1.0]),
    "statistics": lambda c: c.update(statistics={"confidence": 0.9}),
    "what is done about perturbed runs": lambda c: c.update(timing={"perturbed": "exclude"}),
    "the reference, which a budget in seconds has": lambda c: c.update(timing={"reference": True}),
    "the clock of the tables": lambda c: c.update(statistics={"time": "cpu"}),
    "tables": lambda c: c.update(tables=["ert"]),
    "figures": lambda c: c.update(figures=["ert"]),
    "functions": lambda c: c["problems"].update(functions=[1, 2]),
    "dimensions": lambda c: c["problems"].update(dimensions=[2, 5]),
    "instances": lambda c: c["problems"].update(instances=[1, 2]),
    "grain": lambda c: c.update(instances_per_job=5),
    "another algorithm's parameter": lambda c: c["algorithms"]["b"].update(threads=2),
    "another algorithm": lambda c: c["algorithms"].update(c="scipy:Powell"),
    "an algorithm less": lambda c: c["algorithms"].pop("b"),
    "a default spelled out": lambda c: c["budget"].update(final_target=1e-8),
    "the campaign's restart spelled out": lambda c: c["algorithms"]["a"].update(
        restart={"policy": "luby", "tau_s": 0.1}
    ),
    "another algorithm's restart": lambda c: c["algorithms"]["b"].update(
        restart={"policy": "none"}
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
        ("measure/evaluation/objective.pyx", True), ("measure/job/cell.py", True),
        ("records/journal.py", True), ("records/schema.py", True),
        ("statistics/run_count/kernels.pyx", False), ("problems/coco.py", True),
        ("problems/coco_library.py", True), ("problems/pbo.py", False),
        ("algorithms/builtin/random_search.py", True), ("algorithms/adapters/scipy.py", False),
        ("records/collect.py", False), ("exhibits/runtimes/ert.py", False),
        ("exhibits/charts/curves.py", False), ("campaign/configuration/model.py", False),
        ("policies/restarts/base.py", True), ("policies/restarts/luby.py", True),
        ("policies/restarts/stagnation.py", False), ("policies/stopping/quantile.py", True),
        ("policies/stopping/skewness.py", False), ("policies/scan.py", False),
        ("statistics/run_count/widths.py", True), ("statistics/run_count/skewness.py", False),
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


@pytest.mark.parametrize(
    "file", ["policies/stopping/skewness.py", "statistics/run_count/kernels.pyx"]
)
def test_the_code_of_the_chosen_rule_counts(file, monkeypatch):
    def key() -> str:
        return key_with(lambda c: c.update(stopping={"rule": "skewness", "start": 3}))

    before, edited, code = key(), provenance.PACKAGE / file, provenance._code
    monkeypatch.setattr(
        provenance, "_code", lambda path: "edited" if path == edited else code(path)
    )
    assert key() != before


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
    names = ("exhibits/curves/ecdf.py", "exhibits/charts/dots.py")
    before, code = (
        {name: provenance.table_key(name) for name in ("ecdf", "quantiles")},
        provenance._code,
    )
    edited = {provenance.PACKAGE / name for name in names}
    monkeypatch.setattr(provenance, "_code", lambda p: "edited" if p in edited else code(p))
    assert provenance.table_key("ecdf") != before["ecdf"]
    assert provenance.table_key("quantiles") == before["quantiles"]


def test_sources_follow_imports_and_stay_in_their_rooms():
    names = {
        str(path.relative_to(provenance.PACKAGE))
        for path in sources_of(
            "exhibits/runtimes/ert.py", within=("exhibits", "records/rundata", "statistics")
        )
    }
    assert {"exhibits/runtimes/ert.py", "records/rundata/runs.py", "statistics/ert.py"} <= names
    outside = [name for name in names if not name.startswith("records/rundata/")]
    assert not any(name.startswith(("records", "measure")) for name in outside)
    assert "exhibits/registry.py" not in names
