"""Meters around runs, a simulated powercap tree, and costs in joules and instructions."""

import os
import struct
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from timefair.basics import disk
from timefair.campaign import configuration, plan, provenance
from timefair.exhibits.registry import TABLES
from timefair.extensions.meters import keys
from timefair.extensions.meters.keys import CPU_NS, Counters, meter
from timefair.machine.facts import Host, Unknown
from timefair.measure import job as cell
from timefair.measure.isolation import lock_folder
from timefair.measure.run import Fresh
from timefair.records.integrity import Origins
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis

RANGE_J = 262_143
CORES = len(os.sched_getaffinity(0))
SOLVER = """
import os
from pathlib import Path

def solve(objective, rng, counter):
    for _ in range(20):
        objective(rng.uniform(objective.lower, objective.upper))
    path = Path(counter)
    path.write_text(str(int(path.read_text()) + 5_000_000))
"""


class Tree:
    """A powercap tree: two packages of two cores, with memory and other counters."""

    def __init__(self, root: Path) -> None:
        self.host, self.now = Host(root), 0.0
        for name, of in {
            "intel-rapl": "", "intel-rapl:0": "package-0", "intel-rapl:0:0": "core",
            "intel-rapl:0:1": "dram", "intel-rapl:1": "package-1", "intel-rapl:2": "psys",
            "intel-rapl-mmio:0": "package-0", "dtpm": "",
        }.items():  # fmt: skip
            (root / keys.FOLDER / name).mkdir(parents=True)
            if of:
                self._path(name, "name").write_text(f"{of}\n")
                self._path(name, "max_energy_range_uj").write_text(f"{RANGE_J * 10**6}\n")
                self.set(name, 100.0)
        for core in range(max(CORES, 4)):
            path = root / keys.PACKAGE.format(core)
            path.parent.mkdir(parents=True)
            path.write_text(f"{int(core in (2, 3))}\n")

    def _path(self, zone: str, name: str) -> Path:
        return self.host.root / keys.FOLDER / zone / name

    def set(self, zone: str, joules: float) -> None:
        self._path(zone, "energy_uj").write_text(f"{round(joules * 1e6)}\n")

    def spend(self, seconds: float, watts: float) -> None:
        """All counters of the first package grow at this power."""
        self.now += seconds
        for zone in ("intel-rapl:0", "intel-rapl:0:0", "intel-rapl:0:1", "intel-rapl-mmio:0"):
            now = int(self._path(zone, "energy_uj").read_text()) / 1e6 + watts * seconds
            self.set(zone, now % RANGE_J)

    def counters(self, cores=(0, 1)) -> Counters:
        return Counters(cores, self.host, lambda: self.now)


@pytest.fixture
def tree(tmp_path):
    return Tree(tmp_path / "root")


def test_the_counters_are_those_of_the_packages_of_the_cores(tree):
    assert tree.counters().names == ["package-0", "package-0 dram"]
    assert tree.counters([3]).names == ["package-1"]
    assert tree.counters([1, 2]).packages == [0, 1]


@pytest.mark.parametrize("begun", [0.0, RANGE_J - 30.0], ids=["from 0", "begins anew"])
def test_joules_are_the_growth_of_package_and_memory(tree, begun):
    tree.set("intel-rapl:0", begun)
    end = tree.counters().begin()
    tree.spend(seconds=2.0, watts=20.0)
    assert end() == (pytest.approx(80.0), 2.0)


def test_a_counter_that_may_have_begun_anew_twice_tells_nothing(tree):
    end = tree.counters().begin()
    tree.spend(seconds=1.01 * RANGE_J / keys.MOST_W, watts=1.0)
    assert end() is None


@pytest.mark.parametrize("lost", ["sys/class", "sys/devices", f"{keys.FOLDER}/intel-rapl:1"])
def test_without_a_counter_nothing_is_guessed(tree, lost):
    (tree.host.root / lost).rename(tree.host.root / "elsewhere")
    with pytest.raises(Unknown, match=r"no /|has no package 1"):
        tree.counters([1, 2])
    with meter(partial(tree.counters, [1, 2]), sleep=pytest.fail) as begin:
        assert begin()() == {"joules": None, "idle_joules": None}


def test_the_idle_power_is_subtracted_and_other_jobs_wait(tree):
    with meter(tree.counters, sleep=lambda s: tree.spend(s, 8.0)) as begin:
        end = begin()
        tree.spend(seconds=3.0, watts=30.0)
        told = end()
        path = lock_folder() / "package-0"
        assert disk.lock(path, wait=False) is None
    assert told == {
        "joules": pytest.approx(2 * 3 * (30 - 8)),
        "idle_joules": pytest.approx(2 * 3 * 8),
    }
    os.close(disk.lock(path, wait=False))


def has(event) -> bool:
    try:
        os.close(keys.opened(event, inherit=True))
    except Unknown:
        return False
    return True


def burn(cpu_s: float) -> None:
    start = time.process_time()
    while time.process_time() < start + cpu_s:
        pass


def in_child(task) -> None:
    if (pid := os.fork()) == 0:
        try:
            task()
        finally:
            os._exit(0)
    os.waitpid(pid, 0)


@pytest.mark.skipif(not has(CPU_NS), reason="the kernel refuses perf_event_open")
def test_children_are_counted_with_theirs_and_the_parent_is_not():
    before, own = os.times(), len(os.listdir("/proc/self/fd"))
    end = keys.begin(CPU_NS)
    burn(0.3)
    in_child(lambda: (burn(0.1), in_child(partial(burn, 0.1))))
    counted, after = end(), os.times()
    used = after.children_user + after.children_system
    used -= before.children_user + before.children_system
    assert used >= 0.19
    assert 0.15 <= counted / 1e9 <= used + 0.05  # in user space only, and without the parent's
    assert len(os.listdir("/proc/self/fd")) == own


@pytest.mark.parametrize(("counted_ns", "told"), [(9, 70.0), (8, None)])
def test_a_count_is_complete_or_not_available(monkeypatch, counted_ns, told):
    """Of 100 instructions, 30 were the parent's; a counter that had to wait says too little."""

    def opened(event, *, inherit):
        end, begin = os.pipe()
        count = (100, 9, counted_ns) if inherit else (30, 9, 9)
        os.write(begin, struct.pack("=QQQ", *count))
        os.close(begin)
        return end

    monkeypatch.setattr(keys, "opened", opened)
    assert keys.begin(keys.INSTRUCTIONS)() == told


def campaign(tmp_path: Path, **changes):
    (tmp_path / "mine.py").write_text(SOLVER)
    counter = str(tmp_path / "root" / keys.FOLDER / "intel-rapl:0/energy_uj")
    mapping = {
        "name": "own",
        "problems": {"suite": "bbob", "functions": 1, "dimensions": 2, "instances": "1-2"},
        "algorithms": {"a": {"use": "mine.py:solve", "parameters": {"counter": counter}}},
        "budget": {"evaluations": 1000}, "restart": {"policy": "none"}, "isolation": "shared",
        "runs": 2, "instances_per_job": 2, "timing": {"reference": False},
        "meters": ["energy", "instructions"],
    }  # fmt: skip
    return configuration.parse(mapping | changes)


def measure(campaign) -> Path:
    folder, (job,) = Path("results/own"), plan.jobs(campaign)
    folder.mkdir(parents=True, exist_ok=True)
    found = provenance.measure_keys(campaign)
    plan.write_snapshot(campaign, folder)
    plan.write_keys(found, folder)
    key = provenance.measure_key(campaign, job.algorithm, job.round)
    record = folder / job.record(key)
    in_child(lambda: cell.measure_job(cell.Prepared(campaign), job, record, key))
    return record


@pytest.mark.slow
def test_the_readings_of_a_measured_campaign(tree, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(keys, "IDLE_S", 0.01)
    monkeypatch.setattr(keys, "Counters", partial(Counters, host=tree.host))
    monkeypatch.setattr(keys, "INSTRUCTIONS", CPU_NS)
    runs = Runs.read([measure(campaign(tmp_path))])
    assert runs.reading("joules") == pytest.approx([5.0] * 4)
    assert runs.reading("idle_joules") == pytest.approx([0.0] * 4)
    counted = runs.reading("instructions")
    assert np.isfinite(counted).all() == has(CPU_NS)
    assert not has(CPU_NS) or (counted > 0).all()
    longer = Runs.read([measure(campaign(tmp_path, runs=3))])
    assert longer.reading("joules") == pytest.approx([5.0] * 6)
    kept = longer.frame["run"].to_numpy() < 2
    assert longer.reading("instructions")[kept] == pytest.approx(counted, nan_ok=True)
    without = Runs.read([measure(campaign(tmp_path, seed=2, meters=None))])
    assert np.isnan(without.reading("joules")).all()
    told = TABLES["electricity"](longer, Analysis(targets=(100.0,)))
    assert list(told["algorithm"]) == ["a", "all"]
    assert list(told["kwh"]) == pytest.approx([30 / 3.6e6] * 2)


def test_the_key_decides_about_meters_and_not_about_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    asked, unasked = campaign(tmp_path), campaign(tmp_path, meters=None)
    assert provenance.measure_keys(asked) == provenance.measure_keys(unasked)
    assert asked.table_names[-2:] == ("metered", "electricity")
    assert list(keys.check(unasked)) == list(keys.meters(unasked, (0,), None)) == []
    apart = Fresh(SimpleNamespace(), "")
    assert list(keys.meters(asked, (0,), apart)) == []
    assert len(list(keys.meters(asked, (0,), SimpleNamespace()))) == 1


def test_check_says_what_the_machine_has(tree, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(keys, "Counters", partial(Counters, host=tree.host))
    monkeypatch.setattr(keys, "INSTRUCTIONS", (1, 999))
    first, second = keys.check(campaign(tmp_path))
    assert first.startswith("energy        reads package-0, package-0 dram")
    assert second.startswith("instructions  not available here: perf_event_open: ")


ANALYSIS = Analysis(targets=(1.0,))


@pytest.fixture
def runs(run, table):
    """Four runs of A, of which three reach the target after half of their second, and four of B."""
    reached = [(1, 0.1, 5.0), (10, 0.5, 0.5)]
    rows = [run(reached if k else reached[:1], run=k) for k in range(4)]
    return Runs.of(table(*rows, *(run(reached, run=k, algorithm="B") for k in range(4))))


def fact(**readings):
    place = {"suite": "bbob", "function": 1, "dimension": 2, "instance": 1, "algorithm": "A"}
    told = [dict(zip(readings, of_run, strict=True)) for of_run in zip(*readings.values())]  # noqa: B905
    return [{**place, "run": run, "readings": one} for run, one in enumerate(told)]


def test_each_run_has_its_own_power_and_at_a_constant_one_the_ert_is_that_of_the_seconds(runs):
    known = replace(runs, readings=fact(joules=[8.0] * 4))
    (row,) = TABLES["metered"](known, ANALYSIS).to_dict("records")
    assert (row["algorithm"], row["unit"], row["runs"], row["successes"]) == ("A", "joules", 4, 3)
    ert = TABLES["ert"](known, ANALYSIS).set_index("algorithm").loc["A"]
    for name in ("ert", "ert_low", "ert_high"):
        assert row[name] == pytest.approx(8.0 * ert[name.replace("ert", "ert_s", 1)])
    assert row["ert"] == pytest.approx((8 + 3 * 4) / 3)
    known = replace(runs, readings=fact(joules=[1, 2, 4, -1], instructions=[10, 20, 40, 60]))
    told = TABLES["metered"](known, ANALYSIS).set_index("unit")["ert"]
    assert told["joules"] == pytest.approx((1 + (2 + 4 + 0) / 2) / 3)
    assert told["instructions"] == pytest.approx((10 + (20 + 40 + 60) / 2) / 3)


@pytest.mark.parametrize(
    ("readings", "cost_s"),
    [([], 0.0), (fact(joules=[1, None, 1, 1]), 0.0), (fact(joules=[1, 1, 1, 1]), 0.01)],
    ids=["no meter", "a run without", "simulated cost"],
)
def test_where_a_reading_is_lacking_there_is_no_row(runs, readings, cost_s):
    known = replace(runs, readings=readings, frame=runs.frame.assign(evaluation_cost_s=cost_s))
    assert TABLES["metered"](known, ANALYSIS).empty


def test_the_electricity_of_a_campaign_and_what_a_stopping_rule_saved(runs):
    place = {"suite": "bbob", "function": 1, "dimension": 2, "instance": 1, "round": 1}
    stopping = runs.stopping.from_records(
        [
            {**place, "algorithm": label, "runs": 4, "reason": reason, "path": []}
            for label, reason in (("A", "stable"), ("B", None))
        ]
    )
    readings = fact(joules=[36.0] * 4, idle_joules=[54.0] * 4)
    origins = {"A": Origins(campaign=[{"runs": 10}]), "B": Origins(campaign=[{"runs": 10}])}
    known = replace(runs, readings=readings, stopping=stopping, origins=origins)
    told = TABLES["electricity"](known, ANALYSIS).set_index("algorithm")
    assert list(told.index) == ["A", "B", "all"]
    assert list(told["metered"]) == [4, 0, 4]
    assert told["kwh"].to_list() == pytest.approx([1e-4, np.nan, 1e-4], nan_ok=True)
    assert list(told["runs_saved"]) == [6, 0, 6]
    assert told["kwh_saved"].to_list() == pytest.approx([1.5e-4, 0.0, 1.5e-4])
    unread = replace(known, readings=[])
    again = TABLES["electricity"](unread, ANALYSIS).set_index("algorithm")
    assert again.loc["A", ["kwh", "kwh_saved"]].isna().all()
    assert again.loc["A", "runs_saved"] == 6
