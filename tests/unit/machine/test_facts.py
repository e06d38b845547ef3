"""Each fact has a value or a reason, on this machine and on any other."""

import json
import subprocess
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from timefair.machine import facts
from timefair.machine.doctor import as_json, findings
from timefair.machine.host import Host, Unknown, core_list, decimal, gather, whole

from .conftest import CPU, LAPTOP, QUOTA_1, QUOTA_2, READ, SERVER, SMT, VIRTUAL, observation_of


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


def test_nothing_is_guessed_on_an_empty_machine(tmp_path):
    empty = gather(facts.STANDING | facts.MOMENTARY, Host(tmp_path, {}, tmp_path))
    assert empty["missing"]["governor"] == f"not available here: no /{CPU}/online"
    assert {name for name in READ if empty[name] is not None} == {"environment"}


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


def test_cores_with_two_threads(build):
    host = build(SMT)
    assert facts.siblings(host) == [[0, 2], [1, 3]]
    assert facts.cores_physical(host) == 2
    assert facts.cores(host) == 4


@pytest.mark.parametrize("container", [QUOTA_1, QUOTA_2], ids=["version 1", "version 2"])
def test_limits_of_a_container(build, container):
    host = build(container)
    assert facts.cpu_quota(host) == 1.5
    assert facts.throttled_periods(host) == 7
    assert facts.memory_left_mb(host) == 768
    assert "docker" in facts.container(host)


def test_the_tightest_group_counts(build):
    host = build(
        {
            "proc/self/cgroup": "0::/a/b\n",
            "sys/fs/cgroup/a/cpu.max": "50000 100000",
            "sys/fs/cgroup/a/b/cpu.max": "200000 100000",
        }
    )
    assert facts.cpu_quota(host) == 0.5


def test_virtual_machines(build):
    nameless = {"sys/class/dmi/id/sys_vendor": None}
    assert facts.virtual_machine(build(VIRTUAL, nameless)) == "a hypervisor without a name"
    assert facts.virtual_machine(build(VIRTUAL)) == "QEMU"


def test_variables(build):
    host = build(SLURM_JOB_ID="7", SLURM_JWT="secret", MKL_NUM_THREADS="2", APPTAINER_CONTAINER="x")
    assert facts.slurm(host) == {"SLURM_JOB_ID": "7"}
    assert facts.environment(host) == {"MKL_NUM_THREADS": "2"}
    assert facts.container(host) == "apptainer"


def test_commits(tmp_path):
    def git(*arguments: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@b")
        subprocess.run(["git", *who, *arguments], cwd=tmp_path, check=True, capture_output=True)

    host = Host(folder=tmp_path)
    with pytest.raises(Unknown, match="not a git repository"):
        facts.commit(host)
    git("init")
    (tmp_path / "a").write_text("1")
    git("add", "a")
    git("commit", "-m", "first")
    clean = facts.commit(host)
    (tmp_path / "a").write_text("2")
    assert facts.commit(host) == f"{clean}-dirty"


@pytest.mark.parametrize("text", ["", "-", "1e5", "nan", "inf", "0x1", "1 2", "9" * 20, "١"])
def test_what_is_no_number(text):
    for read in (whole, decimal, core_list):
        with pytest.raises(Unknown):
            read(text, "here")


WORDS = st.sampled_from(
    ["0", "-1", "1-", "max", "some avg10=", "avg10=..", "cpu ", "\0", ":", " - ", "cgroup2 a b",
     "0::/..", "0::/a\0b", "MemTotal:", "nr_throttled ", "flags: hypervisor",
     "99999999999999999999", "0-65535", "1.5", "nan", "\n", "é"]
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
    assert json.dumps(as_json(findings(seen), seen), allow_nan=False)
