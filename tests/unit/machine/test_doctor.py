"""The doctor finds each thing that spoils times, and is silent where nothing does."""

import json
from typing import Any

import pytest

from timefair import cli
from timefair.cli import campaigns
from timefair.machine import doctor
from timefair.machine.host import Host

from .conftest import (
    CPU,
    LAPTOP,
    QUIET,
    QUOTA_1,
    QUOTA_2,
    SMT,
    VIRTUAL,
    meminfo,
    observation_of,
    of_each_core,
)


def severities(seen: doctor.Observation) -> dict[str, str]:
    """The findings that are not ok."""
    return {f.name: f.severity for f in doctor.findings(seen) if f.severity != "ok"}


@pytest.mark.parametrize(("given", "severity"), [(4, "ok"), (2, "bad")])
def test_a_job_of_slurm_that_is_not_held_to_its_cores(build, given, severity):
    found = doctor.findings(observation_of(build(SLURM_JOB_ID="7", SLURM_CPUS_ON_NODE=str(given))))
    assert {f.name: f.severity for f in found}["batch job"] == severity


def test_nothing_to_say_of_a_quiet_server(build):
    found = doctor.findings(observation_of(build()))
    assert [finding.name for finding in found] == list(doctor.CHECKS)
    assert {finding.severity for finding in found} == {"ok"}
    assert not any(finding.remedy for finding in found)


CLOCK = "sys/devices/system/clocksource/clocksource0/current_clocksource"
STAT = "cpu  10 0 10 1000 0 0 0 250 0 0\n"
MACHINES: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "a laptop": (LAPTOP, {"governor": "warn", "turbo": "warn", "heat": "warn", "power": "bad"}),
    "two threads a core": (SMT, {"hyper-threads": "bad"}),
    "a container of version 2": (
        QUOTA_2, {"quota": "bad", "throttling": "warn", "memory": "bad"},
    ),
    "a container of version 1": (
        QUOTA_1, {"quota": "bad", "throttling": "warn", "memory": "bad"},
    ),
    "a quota for all cores": ({"sys/fs/cgroup/jobs/cpu.max": "400000 100000"}, {"quota": "warn"}),
    "a virtual machine": (VIRTUAL, {"virtual machine": "warn"}),
    "load": ({"proc/loadavg": "1.50 0 0 1/2 3"}, {"load": "warn"}),
    "little memory": ({"proc/meminfo": meminfo(available_mb=2000)}, {"memory": "warn"}),
    "hardly any memory": ({"proc/meminfo": meminfo(available_mb=500)}, {"memory": "bad"}),
    "swap in use": ({"proc/meminfo": meminfo(swap_used_mb=400)}, {"swap": "warn"}),
    "a slow clock": ({CLOCK: "hpet"}, {"clock source": "bad"}),
}  # fmt: skip


@pytest.mark.parametrize(("files", "expected"), MACHINES.values(), ids=MACHINES)
def test_what_the_files_tell(build, files, expected):
    assert severities(observation_of(build(files))) == expected


MEASURED: dict[str, tuple[dict[str, Any], dict[str, str]]] = {
    "one busy core": (
        {"waiting": {"0": 0.0, "1": 0.31}}, {"waiting for a core": "bad"},
    ),
    "bursts": ({"waiting": {"0": 0.0, "1": 0.03}}, {"waiting for a core": "warn"}),
    "no namespaces": ({"private_folders_refused": "EPERM"}, {"private folders": "warn"}),
    "a library with threads": (
        {"library_threads": {"a.so": 1, "b.so": 2}}, {"library threads": "bad"},
    ),
    "an old numpy": (
        {"unsupported_packages": ["numpy is 1.26.4, but timefair needs >=2.0; run `pip`"]},
        {"packages": "bad"},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("measured", "expected"), MEASURED.values(), ids=MEASURED)
def test_what_was_measured(build, measured, expected):
    assert severities(observation_of(build(), measured)) == expected


def test_steal(build):
    host = build(VIRTUAL, {"proc/stat": STAT})
    little, much = (observation_of(host, growth={"steal_s": s}) for s in (0.1, 0.3))
    assert severities(little) == {"virtual machine": "warn"}
    assert severities(much) == {"virtual machine": "bad"}


def test_what_cannot_be_seen_is_unknown_with_its_reason(build):
    without = dict.fromkeys(
        [f"{CPU}/cpufreq/boost", *of_each_core(4, "cpufreq/scaling_governor", "")]
    )
    found = {finding.name: finding for finding in doctor.findings(observation_of(build(without)))}
    assert found["governor"].severity == found["turbo"].severity == "unknown"
    assert f"no /{CPU}/cpu0/cpufreq/scaling_governor" in found["governor"].evidence


def test_a_machine_without_files_raises_nothing(tmp_path):
    nothing = dict.fromkeys(QUIET)
    seen = observation_of(Host(tmp_path, {}, tmp_path), {})
    facts = {**seen.facts, **nothing, "missing": seen.facts["missing"] | dict.fromkeys(QUIET, "no")}
    found = doctor.findings(doctor.Observation(facts))
    assert {f.name for f in found if f.severity != "unknown"} == {"other variables"}


@pytest.mark.parametrize(("files", "status"), [({}, 0), (SMT, 1), (VIRTUAL, 0)])
def test_exit_status(build, files, status, monkeypatch, capsys):
    seen = observation_of(build(files))
    monkeypatch.setattr(doctor, "look", lambda host, cores: seen)
    monkeypatch.setattr(campaigns, "one_thread", lambda: None)
    assert cli.main(["doctor"]) == status
    assert capsys.readouterr().out.splitlines()[-1] == doctor.summary(doctor.findings(seen))
    assert cli.main(["doctor", "--json"]) == status
    told = json.loads(capsys.readouterr().out)
    assert {finding["name"] for finding in told["findings"]} == set(doctor.CHECKS)
    assert told["facts"]["cores"] == 4


@pytest.mark.slow
def test_this_machine_is_seen_and_left_as_it_was(monkeypatch):
    import os

    monkeypatch.setattr(doctor, "LOOP_NS", 1_000_000)
    usable = os.sched_getaffinity(0)
    seen = doctor.look(Host())
    assert os.sched_getaffinity(0) == usable
    assert json.dumps(doctor.as_json(doctor.findings(seen), seen), allow_nan=False)
    if seen.facts["waiting"] is not None:
        assert set(seen.facts["waiting"]) == {str(core) for core in usable}
        assert all(0 <= share <= 1 for share in seen.facts["waiting"].values())
