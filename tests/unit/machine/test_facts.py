"""Facts of the machine, of what is installed, and what `timefair doctor` says of them."""

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any

import pytest
from campaigns import refused
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from timefair import cli
from timefair.basics.errors import InputError
from timefair.cli import campaigns
from timefair.machine import facts
from timefair.machine.facts import MOMENTARY, STANDING, Host, Unknown, gather

CPU = "sys/devices/system/cpu"
GIGABYTE = 2**30


def of_each_core(cores: int, path: str, content: str) -> dict[str, str]:
    return {f"{CPU}/cpu{core}/{path}": content.format(core=core) for core in range(cores)}


def meminfo(total_mb: int = 16384, available_mb: int = 12288, swap_used_mb: int = 0) -> str:
    return (
        f"MemTotal: {total_mb * 1024} kB\nMemAvailable: {available_mb * 1024} kB\n"
        f"SwapTotal: {2048 * 1024} kB\nSwapFree: {(2048 - swap_used_mb) * 1024} kB\n"
    )


SERVER: dict[str, str] = {
    "proc/cpuinfo": "processor\t: 0\nmodel name\t: Example 9000 @ 3.0GHz\nflags\t\t: fpu tsc\n",
    "proc/meminfo": meminfo(),
    "proc/vmstat": "nr_free_pages 1\npswpin 0\npswpout 0\n",
    "proc/loadavg": "0.01 0.05 0.10 1/200 4242\n",
    "proc/stat": "cpu  10 0 10 1000 0 0 0 0 0 0\ncpu0 10 0 10 1000 0 0 0 0 0 0\n",
    "proc/self/cgroup": "0::/jobs\n",
    "proc/self/mountinfo": (
        "20 1 0:4 / /proc rw shared:5 - proc proc rw\n"
        "31 23 0:28 / /sys/fs/cgroup rw,relatime shared:9 - cgroup2 cgroup2 rw\n"
    ),
    "proc/self/status": "Name:\tpython\nCpus_allowed:\tf\nCpus_allowed_list:\t0-3\n",
    "proc/sys/kernel/hostname": "bench\n",
    "proc/sys/kernel/osrelease": "6.12.0\n",
    "etc/os-release": 'NAME="Example"\nPRETTY_NAME="Example Linux 13"\n',
    "sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc\n",
    "sys/class/power_supply/AC/type": "Mains\n",
    "sys/class/power_supply/AC/online": "1\n",
    "sys/fs/cgroup/jobs/cpu.max": "max 100000\n",
    "sys/fs/cgroup/jobs/cpu.stat": "usage_usec 5\nnr_periods 0\nnr_throttled 0\n",
    "sys/fs/cgroup/jobs/memory.max": "max\n",
    f"{CPU}/online": "0-3\n",
    f"{CPU}/cpufreq/boost": "0\n",
    **of_each_core(4, "topology/thread_siblings_list", "{core}\n"),
    **of_each_core(4, "cpufreq/scaling_governor", "performance\n"),
    **of_each_core(4, "thermal_throttle/core_throttle_count", "0\n"),
}
"""Four cores without a second thread, nothing else running: what times should be taken on."""

LAPTOP = {
    **of_each_core(4, "cpufreq/scaling_governor", "powersave\n"),
    **of_each_core(4, "thermal_throttle/core_throttle_count", "3\n"),
    f"{CPU}/intel_pstate/no_turbo": "0\n",
    "sys/class/power_supply/AC/online": "0\n",
    "sys/class/power_supply/BAT0/type": "Battery\n",
    "sys/class/power_supply/BAT0/status": "Discharging\n",
}
SMT = {f"{CPU}/cpu{core}/topology/thread_siblings_list": f"{core % 2},{core % 2 + 2}\n"
       for core in range(4)}  # fmt: skip
QUOTA_2 = {
    ".dockerenv": "",
    "sys/fs/cgroup/jobs/cpu.max": "150000 100000\n",
    "sys/fs/cgroup/jobs/cpu.stat": "nr_periods 90\nnr_throttled 7\nthrottled_usec 1000\n",
    "sys/fs/cgroup/jobs/memory.max": f"{GIGABYTE}\n",
    "sys/fs/cgroup/jobs/memory.current": f"{GIGABYTE // 2}\n",
    "sys/fs/cgroup/jobs/memory.stat": f"anon 5\ninactive_file {GIGABYTE // 4}\n",
}
QUOTA_1 = {
    "proc/self/cgroup": "4:memory:/docker/abc\n3:cpu,cpuacct:/docker/abc\n0::/\n",
    "proc/self/mountinfo": (
        "31 23 0:1 /docker/abc /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n"
        "32 23 0:2 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"
        "33 23 0:3 / /sys/fs/cgroup/unified ro - cgroup2 cgroup2 rw\n"
    ),
    "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "150000\n",
    "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
    "sys/fs/cgroup/cpu,cpuacct/cpu.stat": "nr_periods 90\nnr_throttled 7\nthrottled_time 1000\n",
    "sys/fs/cgroup/memory/memory.limit_in_bytes": f"{GIGABYTE}\n",
    "sys/fs/cgroup/memory/memory.usage_in_bytes": f"{GIGABYTE // 2}\n",
    "sys/fs/cgroup/memory/memory.stat": f"cache 5\ntotal_inactive_file {GIGABYTE // 4}\n",
}
VIRTUAL = {
    "proc/cpuinfo": "model name\t: Example\nflags\t\t: fpu hypervisor tsc\n",
    "sys/class/dmi/id/sys_vendor": "QEMU\n",
}

QUIET: dict[str, Any] = {
    "waiting": {"0": 0.0, "1": 0.001, "2": 0.0, "3": 0.0},
    "private_folders_refused": "",
    "library_threads": {"libopenblas.so": 1},
    "unsupported_packages": [],
}
"""What the probes measure on such a machine."""

READ = {
    name: read
    for name, read in (STANDING | MOMENTARY).items()
    if read.__code__.co_varnames[0] == "host" and name != "commit"
}
"""The facts that are read from files and variables: readers of others ignore the host."""

Build = Callable[..., Host]


@pytest.fixture
def build(tmp_path):
    """Makes a machine of the server's files, with changes; a change to None leaves a file out."""

    def build(*changes: Mapping[str, str | None], **environment: str) -> Host:
        files: dict[str, str | None] = dict(SERVER)
        for change in changes:
            files |= change
        for path, content in files.items():
            if content is not None:
                place = tmp_path / "root" / path
                place.parent.mkdir(parents=True, exist_ok=True)
                place.unlink(missing_ok=True)  # much faster than to cut it off
                place.write_text(content)
        return Host(tmp_path / "root", environment, tmp_path)

    return build


def observation_of(
    host: Host,
    measured: Mapping[str, Any] | None = None,
    cores: int | None = None,
) -> facts.Observation:
    """What the doctor sees of such a machine, quiet unless told."""
    told = gather(READ, host)
    still = {f"{name}_now": 0 for name in facts.COUNTERS if told[name] is not None}
    told |= QUIET | still | {"watched_s": 1.0, "cores_asked": cores or told["cores_usable"]}
    return facts.Observation(told | dict(measured or {}))


def complete(gathered: dict[str, Any]) -> bool:
    """Whether just what has no value has a reason, and all of it fits into JSON."""
    gathered = json.loads(json.dumps(gathered, allow_nan=False))
    missing = gathered.pop("missing")
    assert all(reason.startswith("not available here: ") for reason in missing.values())
    return set(missing) == {name for name, value in gathered.items() if value is None}


@pytest.mark.parametrize("gather_all", [facts.machine_facts, facts.machine_state])
def test_this_machine_and_an_empty_one(gather_all, tmp_path):
    here, nowhere = gather_all(), gather_all(host=Host(tmp_path, {}, tmp_path))
    assert complete(here)
    assert complete(nowhere)
    assert set(here) == set(nowhere)


def test_the_versions_of_packages_are_among_the_facts():
    found = facts.machine_facts(["cma", "no-such-package"])
    assert {"hostname", "cpu", "cores", "kernel", "python", "versions"} <= set(found)
    assert found["versions"]["no-such-package"] is None
    assert {"timefair", "numpy", "cma"} <= {n for n, v in found["versions"].items() if v}


def test_a_server(build):
    host = build(OMP_NUM_THREADS="4", HOME="/root")
    found = gather(READ, host)
    assert set(found["missing"]) == {"slurm"}
    expected = {
        "cpu": "Example 9000 @ 3.0GHz", "cores": 4, "cores_physical": 4,
        "siblings": [[0], [1], [2], [3]], "governor": "performance", "turbo": "off",
        "memory_mb": 16384.0, "swap_mb": 2048.0, "hostname": "bench",
        "distribution": "Example Linux 13", "kernel": "6.12.0", "virtual_machine": "none",
        "container": "none seen", "clock_source": "tsc", "cores_usable": 4, "affinity": "0-3",
        "cpu_quota": "unlimited", "environment": {"OMP_NUM_THREADS": "4"},
        "load": [0.01, 0.05, 0.1], "steal_s": 0.0, "throttled_periods": 0,
        "memory_available_mb": 12288.0, "memory_left_mb": "unlimited", "swap_used_mb": 0.0,
        "power": "mains",
    }  # fmt: skip
    assert {name: found[name] for name in expected} == expected


def test_threads_groups_variables_and_virtual_machines(build):
    host = build(SMT)
    assert facts.siblings(host) == [[0, 2], [1, 3]]
    assert facts.STANDING["cores_physical"](host) == 2
    assert facts.STANDING["cores"](host) == 4
    host = build(
        {
            "proc/self/cgroup": "0::/a/b\n",
            "sys/fs/cgroup/a/cpu.max": "50000 100000",
            "sys/fs/cgroup/a/b/cpu.max": "200000 100000",
        }
    )
    assert facts.cpu_quota(host) == 0.5
    host = build(SLURM_JOB_ID="7", SLURM_JWT="secret", MKL_NUM_THREADS="2", APPTAINER_CONTAINER="x")
    assert facts.slurm(host) == {"SLURM_JOB_ID": "7"}
    assert facts.environment(host) == {"MKL_NUM_THREADS": "2"}
    assert facts.container(host) == "apptainer"
    nameless = {"sys/class/dmi/id/sys_vendor": None}
    assert facts.virtual_machine(build(VIRTUAL, nameless)) == "a hypervisor without a name"
    assert facts.virtual_machine(build(VIRTUAL)) == "QEMU"


@pytest.mark.parametrize("container", [QUOTA_1, QUOTA_2], ids=["version 1", "version 2"])
def test_limits_of_a_container(build, container):
    host = build(container)
    assert facts.cpu_quota(host) == 1.5
    assert facts.throttled_periods(host) == 7
    assert facts.memory_left_mb(host) == 768
    assert "docker" in facts.container(host)


def test_commits(tmp_path):
    def git(*arguments: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@b")
        subprocess.run(["git", *who, *arguments], cwd=tmp_path, check=True, capture_output=True)

    host = Host(folder=tmp_path)
    with pytest.raises(Unknown, match="not a git repository"):
        facts.STANDING["commit"](host)
    git("init")
    (tmp_path / "a").write_text("1")
    git("add", "a")
    git("commit", "-m", "first")
    clean = facts.STANDING["commit"](host)
    (tmp_path / "a").write_text("2")
    assert facts.STANDING["commit"](host) == f"{clean}-dirty"


WORDS = st.sampled_from(
    ["0", "-1", "1-", "max", "some avg10=", "avg10=..", "cpu ", "\0", ":", " - ", "cgroup2 a b",
     "0::/..", "0::/a\0b", "MemTotal:", "nr_throttled ", "flags: hypervisor",
     "99999999999999999999", "0-65535", "1.5", "\n", "é"]
)  # fmt: skip
ODD = st.one_of(
    st.text(max_size=60), st.lists(WORDS, max_size=8).map("".join), st.binary(max_size=40)
)
FILES = sorted({**SERVER, **LAPTOP, **QUOTA_1, **QUOTA_2, **VIRTUAL})


@pytest.mark.slow
@example(files={"proc/self/cgroup": "0::/a\0b"})
@example(files={"proc/self/cgroup": f"0::/{'a' * 300}"})
@example(files={"sys/fs/cgroup/jobs/cpu.max": "100 0"})
@given(files=st.dictionaries(st.sampled_from(FILES), ODD, min_size=1, max_size=12))
@settings(
    max_examples=3 * settings.default.max_examples,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_odd_contents_raise_nothing(files, build):
    host = build(LAPTOP, QUOTA_2, VIRTUAL)
    for path, content in files.items():
        place = host.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.unlink(missing_ok=True)
        place.write_bytes(
            content if isinstance(content, bytes) else content.encode(errors="replace")
        )
    assert complete(gather(READ, host))
    seen = observation_of(host)
    assert json.dumps([facts.findings(seen), seen], allow_nan=False)


def requiring(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    monkeypatch.setattr(facts.metadata, "requires", lambda name: list(lines))


@pytest.mark.parametrize("extra", ["", "; extra == 'extras'"])
def test_a_version_out_of_the_bounds_is_refused(monkeypatch, extra):
    requiring(monkeypatch, f"numpy<2,>=1.26{extra}", "pandas>=2.2", f"scipy>99{extra}")
    first, second = refused(facts.check_installed)
    assert first.startswith(f"numpy is {version('numpy')}, but timefair needs <2,>=1.26; run `")
    assert f"`{sys.executable} -m pip install 'numpy<2,>=1.26'`" in first
    assert second.startswith(f"scipy is {version('scipy')}, but timefair needs >99; run `")


def test_a_missing_package_is_refused_unless_an_extra_needs_it(monkeypatch):
    requiring(monkeypatch, "no-such-package>=1", "no-other; extra == 'extras'")
    with pytest.raises(InputError, match=r"^no-such-package is missing, but timefair needs >=1;"):
        facts.check_installed()


def test_check_and_a_start_refuse_it(monkeypatch, tmp_path, capsys):
    from timefair.cli import main

    requiring(monkeypatch, "numpy<1")
    (tmp_path / "mine.yaml").write_text(
        "name: x\nproblems: {suite: bbob, functions: 1, dimensions: 2, instances: 1}\n"
        "algorithms: {DE: timefair:DE}\nbudget: {evaluations: 50}\nruns: 1\n"
    )
    monkeypatch.chdir(tmp_path)
    assert main(["check", "mine.yaml"]) == 2
    assert capsys.readouterr().err.startswith("timefair: numpy is ")


def severities(seen: facts.Observation) -> dict[str, str]:
    """The findings that are not ok."""
    return {f.name: f.severity for f in facts.findings(seen) if f.severity != "ok"}


@pytest.mark.parametrize(("given", "severity"), [(4, "ok"), (2, "bad")])
def test_a_job_of_slurm_that_is_not_held_to_its_cores(build, given, severity):
    found = facts.findings(observation_of(build(SLURM_JOB_ID="7", SLURM_CPUS_ON_NODE=str(given))))
    assert {f.name: f.severity for f in found}["batch job"] == severity


def test_nothing_to_say_of_a_quiet_server(build):
    found = facts.findings(observation_of(build()))
    assert [finding.name for finding in found] == list(facts.CHECKS)
    assert {finding.severity for finding in found} == {"ok"}
    assert not any(finding.remedy for finding in found)


CLOCK = "sys/devices/system/clocksource/clocksource0/current_clocksource"
STAT = "cpu  10 0 10 1000 0 0 0 250 0 0\n"
MACHINES: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "a laptop": (LAPTOP, {"governor": "warn", "turbo": "warn", "heat": "warn", "power": "bad"}),
    "two threads a core": (SMT, {"hyper-threads": "bad"}),
    "a container of version 2": (QUOTA_2, {"quota": "bad", "throttling": "warn", "memory": "bad"}),
    "a container of version 1": (QUOTA_1, {"quota": "bad", "throttling": "warn", "memory": "bad"}),
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
    "one busy core": ({"waiting": {"0": 0.0, "1": 0.31}}, {"waiting for a core": "bad"}),
    "bursts": ({"waiting": {"0": 0.0, "1": 0.03}}, {"waiting for a core": "warn"}),
    "no namespaces": ({"private_folders_refused": "EPERM"}, {"private folders": "warn"}),
    "a library with threads": ({"library_threads": {"a.so": 1, "b.so": 2}},
     {"library threads": "bad"}),
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
    little, much = (observation_of(host, {"steal_s_now": s}) for s in (0.1, 0.3))
    assert severities(little) == {"virtual machine": "warn"}
    assert severities(much) == {"virtual machine": "bad"}


def test_what_cannot_be_seen_is_unknown_with_its_reason(build):
    without = dict.fromkeys(
        [f"{CPU}/cpufreq/boost", *of_each_core(4, "cpufreq/scaling_governor", "")]
    )
    found = {finding.name: finding for finding in facts.findings(observation_of(build(without)))}
    assert found["governor"].severity == found["turbo"].severity == "unknown"
    assert f"no /{CPU}/cpu0/cpufreq/scaling_governor" in found["governor"].evidence


def test_a_machine_without_files_raises_nothing(tmp_path):
    nothing = dict.fromkeys(QUIET)
    seen = observation_of(Host(tmp_path, {}, tmp_path), nothing)
    found = facts.findings(seen)
    assert {f.name for f in found if f.severity != "unknown"} == {"batch job", "other variables"}


@pytest.mark.parametrize(("files", "status"), [({}, 0), (SMT, 1), (VIRTUAL, 0)])
def test_exit_status(build, files, status, monkeypatch, capsys):
    seen = observation_of(build(files))
    monkeypatch.setattr(facts, "look", lambda host, cores: seen)
    monkeypatch.setattr(campaigns, "one_thread", lambda: None)
    assert cli.main(["doctor"]) == status
    assert capsys.readouterr().out.splitlines()[-1] == facts.summary(facts.findings(seen))
    assert cli.main(["doctor", "--json"]) == status
    told = json.loads(capsys.readouterr().out)
    assert {finding["name"] for finding in told["findings"]} == set(facts.CHECKS)
    assert told["facts"]["cores"] == 4


@pytest.mark.slow
def test_this_machine_is_seen_and_left_as_it_was(monkeypatch):
    import os

    monkeypatch.setattr(facts, "LOOP_NS", 1_000_000)
    usable = os.sched_getaffinity(0)
    seen = facts.look(Host())
    assert os.sched_getaffinity(0) == usable
    assert json.dumps([facts.findings(seen), seen], allow_nan=False)
    if waiting := seen.get("waiting"):
        assert set(waiting) == {str(core) for core in usable}
        assert all(0 <= share <= 1 for share in waiting.values())
