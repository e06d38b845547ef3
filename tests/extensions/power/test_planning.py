"""What a design can show before it is measured, and what a difference takes after a pilot."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from timefair import cli
from timefair.campaign import configuration, plan
from timefair.extensions.power.check import check as check_lines
from timefair.records.store import write_record

ROOT = Path(__file__).parents[3]
CAMPAIGN = {
    "name": "pilot",
    "problems": {"suite": "bbob", "functions": "1-6", "dimensions": 2, "instances": "1-2"},
    "algorithms": {"A": "timefair:random-search", "B": "timefair:DE"},
    "budget": {"time_s": 1},
    "runs": 4,
    "targets": [1, 0.1],
}


@pytest.fixture
def pilot(tmp_path, run, table):
    """Makes the folder of a pilot, in which B is twice as fast as A on average."""

    def make(functions=range(1, 7), instances=(1, 2), runs=4, algorithms="AB", fastest_s=0.05):
        rng = np.random.default_rng(1)
        plan.write_snapshot(configuration.parse(CAMPAIGN), tmp_path)
        (tmp_path / "collected").mkdir()
        for label in algorithms:
            rows = []
            for function, instance, number in product(functions, instances, range(runs)):
                mean_s = (1 + (label == "A")) * 0.2 * 1.2**function
                reached = [mean_s * share for share in rng.gamma(2.0, size=2) / 2]
                times = np.sort(np.maximum(reached, fastest_s))
                events = [
                    (k + 1, float(t), precision)
                    for k, (t, precision) in enumerate(zip(times, (0.9, 0.05), strict=True))
                    if t < 1
                ]
                names = {"function": function, "instance": instance, "run": number}
                rows.append(run(events, algorithm=label, real_s=1.0, **names))
            write_record(tmp_path / f"collected/{label}.parquet", table(*rows).to_batches(), {})
        return tmp_path

    return make


@pytest.fixture
def planned(capsys):
    """Runs the command; its status and its lines."""

    def run(folder: Path, *words: str) -> tuple[int, list[str]]:
        status = cli.main(["plan", str(folder), *words])
        printed = capsys.readouterr()
        return status, (printed.out + printed.err).splitlines()

    return run


def checked(**changes):
    return list(check_lines(configuration.parse(CAMPAIGN | changes)))


# --- Before the first run -----------------------------------------------------------------------


def test_check_warns_of_a_design_that_can_decide_nothing(tmp_path, capsys):
    file = tmp_path / "campaign.json"
    file.write_text(json.dumps(CAMPAIGN | {"algorithms": dict.fromkeys("ABC", "timefair:DE")}))
    assert cli.main(["check", str(file)]) == 0
    assert "6 functions, 3 pairs; Wilcoxon's test needs 7 functions" in capsys.readouterr().out


def test_check_says_how_large_a_difference_has_to_be():
    functions = CAMPAIGN["problems"] | {"functions": "1-24"}
    lines = "\n".join(checked(problems=functions, runs=30))
    assert "A12 0.7" in lines
    assert "ratio of ERTs 2." in lines
    assert "better on 73 % of all functions" in lines
    assert "nothing" not in lines


def test_the_default_campaign_can_decide_something_in_five_minutes_on_two_cores():
    """It had six functions, which are too few to decide any of its 28 pairs."""
    campaign = configuration.parse(configuration.read_yaml(ROOT / "config/config.yaml"))
    lines = "\n".join(check_lines(campaign))
    assert "cannot detect" not in lines
    assert "better on 81 % of all functions" in lines
    assert plan.wall_seconds(campaign, cores=2) < 300


# --- From a pilot -------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_ratio_takes_runs_and_functions(pilot, planned):
    status, lines = planned(pilot(), "--detect", "ratio=1.5")
    assert status == 0
    assert lines[0].endswith("2 algorithms, 6 functions, 2 instances, 4 runs each")
    assert lines[1].startswith("to find       a ratio of ERTs in seconds of 1.5 with 80 %")
    assert [line.split(":")[0] for line in lines[2:4]] == [
        "on a function half of the cases", "on a function 9 of 10 cases",
    ]  # fmt: skip
    assert lines[4].startswith("spread        of the log ratio: functions ")
    assert "core-hours" in lines[5]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "detect", "line"),
    [
        ({"functions": [1]}, "ratio=1.5", "all functions unknown: the pilot has one function"),
        ({"runs": 1}, "ratio=1.5", "all functions unknown: the pilot has one run on an instance"),
        (
            {"runs": 1, "instances": [1]},
            "ratio=1.5",
            "on a function unknown: the pilot has one run on a function",
        ),
        ({"fastest_s": 2.0}, "ratio=1.5", "on a function unknown: no run of the pilot reached"),
        ({"fastest_s": 2.0}, "success=0.2", "on a function unknown: no target was reached by some"),
        ({"instances": [1]}, "ratio=1.5", "instances unknown"),
    ],
)
def test_what_a_pilot_cannot_show_is_stated(pilot, planned, changes, detect, line):
    status, lines = planned(pilot(**changes), "--detect", detect)
    assert status == 0
    assert any(line in one for one in lines), lines


def test_a_folder_without_collected_runs_is_refused(tmp_path, planned):
    status, lines = planned(tmp_path, "--detect", "a12=0.7")
    assert (status, len(lines)) == (2, 1)
    assert "campaign.json" in lines[0]
    plan.write_snapshot(configuration.parse(CAMPAIGN), tmp_path)
    status, lines = planned(tmp_path, "--detect", "a12=0.7")
    assert (status, len(lines)) == (2, 1)
    assert "has no collected runs" in lines[0]
