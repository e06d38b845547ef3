"""What tells a perturbed run from a clean one: the rule, the readings, and another try."""

from itertools import count

import pyarrow.parquet as pq
import pytest
from campaigns import SMALL
from hypothesis import given
from hypothesis import strategies as st

from timefair.campaign import plan
from timefair.campaign.configuration import parse
from timefair.machine.facts import Host
from timefair.machine.linux import kernel
from timefair.measure import job as cell
from timefair.measure import perturbation as monitor
from timefair.measure.evaluation.state import Start
from timefair.measure.perturbation import (
    DELAY_SHARE,
    REFERENCE_RATIO,
    RunMonitor,
    counted,
    judge,
)
from timefair.measure.run import _Run
from timefair.records.status import Perturbation


@pytest.mark.parametrize(
    ("figures", "perturbation", "reason"),
    [
        ((1.0, 0.05, None, None), "clean", None),
        ((1.0, 0.051, None, None), "perturbed", "waited 5% of the time for a core that others had"),
        ((1.0, 0.0, 1.15, 1.0), "clean", None),
        ((1.0, 0.0, 1.5, 1.0), "perturbed", "the reference kernel took 1.50 x its best"),
        ((2.0, 1.0, 3.0, 1.5), "perturbed", "waited 50% of the time for a core that others had; "
         "the reference kernel took 2.00 x its best"),
        ((1.0, None, 1.0, None), "unknown", None),
        ((0.0, 0.0, None, None), "unknown", None),
        # 10 ms of 2 s are real: waiting for 9 ms, or a core of half the speed, is 0.5 % of them
        ((0.01, 0.009, 0.03, 0.01, 1.99), "clean", None),
        ((1, 0.11, None, None, 1), "perturbed", "waited 6% of the time for a core that others had"),
        ((1.0, 0.1, None, None, 1.0), "clean", None),
        ((1.0, 0.0, 1.35, 1.0, 1.0), "clean", None),  # 2 s instead of 1.741: x 1.149
        ((1.0, 0.0, 1.36, 1.0, 1.0), "perturbed", "the reference kernel took 1.36 x its best"),
        ((0.0, 0.5, 1.0, 1.0), "clean", None),
        ((1.0, 0.0, None, None, 1.0, 0.11), "perturbed", "memory was short for 6% of the time"),
        ((1.0, 0.0, None, None, 1.0, 0.1), "clean", None),
    ],
)  # fmt: skip
def test_the_rule(figures, perturbation, reason):
    assert judge(*figures) == (Perturbation(perturbation), reason)


seconds = st.floats(1e-9, 1e6)


@given(seconds, st.none() | st.floats(0, 1e6), st.none() | seconds, st.none() | seconds)
def test_what_the_figures_say_is_what_is_judged(wall_s, delay_s, taken_s, best_s):
    found, reason = judge(wall_s, delay_s, taken_s, best_s)
    beyond = [
        *([delay_s / wall_s > DELAY_SHARE] if delay_s is not None else []),
        *([taken_s / best_s > REFERENCE_RATIO] if taken_s and best_s else []),
    ]
    assert (found == Perturbation.PERTURBED) is any(beyond)
    assert (found == Perturbation.UNKNOWN) is (not beyond)
    assert (reason is None) is not any(beyond)


@pytest.mark.parametrize(
    ("cpu_s", "delay_s", "orphans_s", "core_s", "foreign_s"),
    [
        (0.7, 0.3, 0.0, 1.0, 0.3),  # all that it waited, others computed
        (1.0, 0.4, 0.0, 1.0, 0.0),  # it waited for its own processes, which computed meanwhile
        (0.6, 0.1, 0.5, 1.0, 0.4),  # others made its process wait, which it has waited for
        (0.1, 0.0, 0.0, 1.0, 0.0),  # it slept
        (1.4, 0.3, 0.2, 2.0, 0.5),  # on two cores
        (1.2, 0.3, 0.0, 1.0, 0.0),
    ],
)
def test_others_are_blamed_if_the_run_did_not_compute(cpu_s, delay_s, orphans_s, core_s, foreign_s):
    own = kernel.Orphan(1, 0, 2 + cpu_s, 0, 0.0, round((1 + delay_s) * 1e9), 0)
    orphan = own._replace(cpu_s=0.0, run_queue_delay_ns=round(orphans_s * 1e9))
    run = _Run(None, None, None, 0, [own], [orphan])
    row = run._resources(Start(0, delay=10**9, cpu=2 * 10**9), core_s)
    assert row["run_queue_delay_s"] == pytest.approx(delay_s)
    assert row["foreign_delay_s"] == pytest.approx(foreign_s, abs=1e-9)


STAT = """cpu  9 9 9 9 9 9 9 999 0 0
cpu0 100 0 50 800 1 0 3 25 0 0
cpu1 100 0 50 800 1 0 3 50 0 0
intr 5
"""


VERSION_1 = "33 24 0:29 / /groups/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
VERSION_2 = "31 24 0:27 / /groups rw - cgroup2 cgroup2 rw\n"


@pytest.fixture
def machine(tmp_path):
    """A function: write files of /proc and of the control groups, and look at them."""

    def build(files, cores=(0,)):
        for name, text in ({"proc/self/mountinfo": VERSION_2} | files).items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tuple(counted(cores, Host(root=tmp_path)).values())

    return build


def test_control_groups_of_the_first_version_and_in_a_container(machine):
    found = machine(
        {
            "proc/self/mountinfo": VERSION_2 + VERSION_1,
            "proc/self/cgroup": "9:name=systemd:/x\n4:memory:/x\n1:cpu,cpuacct:/x\n0::/\n",
            "groups/cpu,cpuacct/x/cpu.stat": "nr_periods 0\nthrottled_time 3000000000\n",
            "groups/cpu,cpuacct/cpu.stat": "nr_periods 0\nthrottled_time 0\n",
        }
    )
    assert found == (None, None, 3.0, None)
    found = machine(
        {
            "proc/self/mountinfo": "31 23 0:1 /docker/abc /groups/cpu ro - cgroup cgroup rw,cpu\n",
            "proc/self/cgroup": "3:cpu:/docker/abc\n",
            "groups/cpu/cpu.stat": "throttled_time 2000000000\n",
        }
    )
    assert found == (None, None, 2.0, None)
    found = machine(
        {
            "proc/self/cgroup": "",
            "proc/pressure/cpu": "some avg10=0.00 total=1000000\n",
            "proc/pressure/memory": "some avg10=0.00 total=4000000\nfull avg10=0.00 total=9\n",
        }
    )
    assert found == (None, 1.0, None, 4.0)


@pytest.mark.parametrize(
    "files",
    [
        {"proc/stat": "cpu0 1 2 3\n"},
        {"proc/stat": "cpu0 1 2 3 4 5 6 7 x\n"},
        {"proc/stat": STAT.replace("cpu0", "cpu7")},
        {"proc/pressure/cpu": "some avg10=0.00 total=\n"},
        {"proc/pressure/cpu": "full total=5\n"},
        {"proc/self/cgroup": "0::/gone\n"},
        {"proc/self/cgroup": "0::/\n", "groups/cpu.stat": "throttled_usec many\n"},
    ],
)
def test_what_cannot_be_read_is_not_known(machine, files):
    assert machine(files) == (None,) * 4


def rows_of(*delays):
    """A function that measures runs of 1 s, with these delays one after the other."""
    numbered = zip(count(), delays, strict=False)
    return lambda: (
        dict(zip(("attempt", "foreign_delay_s"), next(numbered), strict=True))
        | {"real_s": 1.0, "charged_s": 0.0}
    )


@pytest.mark.parametrize(
    ("delays", "most", "attempt", "perturbation"),
    [
        ((0.0, 0.0), 2, 0, "clean"),
        ((0.5, 0.0), 2, 1, "clean"),
        ((0.5, 0.6, 0.7, 0.0), 2, 2, "perturbed"),
        ((0.5, 0.0), 0, 0, "perturbed"),
        ((None, 0.0), 2, 0, "unknown"),
    ],
)
def test_a_perturbed_run_is_measured_again(delays, most, attempt, perturbation):
    row = RunMonitor([0], reference=False, repeats=most).measure(rows_of(*delays))
    assert (row["attempt"], row["repeats"], row["perturbation"]) == (attempt, attempt, perturbation)
    assert (row["perturbed_by"] is None) is (perturbation != "perturbed")
    assert row["reference_before_s"] is row["reference_after_s"] is None


@pytest.fixture
def measured(tmp_path, monkeypatch):
    """A function: the rows of a job whose processes waited so many seconds in each attempt."""

    def measure(delays, **timing):
        told, seeds, run = iter(delays), [], cell.measure_run

        def waited(*given):
            seeds.append(given[3])
            row = run(*given)
            return row | {"real_s": 1.0, "foreign_delay_s": next(told)}

        monkeypatch.setattr(cell, "measure_run", waited)
        monkeypatch.setattr(monitor.RunMonitor, "_reference_s", lambda _: 0.01)
        campaign = parse(SMALL | {"runs": 3, "timing": timing})
        job = next(plan.jobs(campaign))
        record = tmp_path / "results/trial" / job.record("0" * 64)
        record.parent.mkdir(parents=True)
        cell.measure_job(cell.Prepared(campaign), job, record, "0" * 64)
        return pq.read_table(record).to_pylist(), seeds

    return measure


@pytest.mark.slow
def test_a_job_flags_what_was_perturbed(measured):
    rows, _ = measured([0.0, 0.3, None])
    assert [row["perturbation"] for row in rows] == ["clean", "perturbed", "unknown"]
    assert [row["repeats"] for row in rows] == [0, 0, 0]
    assert rows[1]["perturbed_by"] == "waited 30% of the time for a core that others had"
    assert {row["reference_after_s"] for row in rows} == {None}


@pytest.mark.slow
def test_a_job_repeats_what_was_perturbed_with_the_same_seed(measured):
    rows, seeds = measured([0.0, 0.3, 0.01, 0.3, 0.4], perturbed="repeat", repeats=1)
    assert [row["perturbation"] for row in rows] == ["clean", "clean", "perturbed"]
    assert [row["repeats"] for row in rows] == [0, 1, 1]
    assert [row["foreign_delay_s"] for row in rows] == [0.0, 0.01, 0.4]  # of the last try
    assert seeds == [rows[k]["seed"] for k in (0, 1, 1, 2, 2)]


@pytest.mark.slow
def test_a_job_times_the_reference_if_asked(measured):
    rows, _ = measured([0.0] * 3, reference=True)
    assert {(row["reference_before_s"], row["reference_after_s"]) for row in rows} == {(0.01, 0.01)}
