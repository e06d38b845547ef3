"""The commands: exit codes, lines for the user, no traceback."""

import errno
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from timefair import cli
from timefair.campaign import configuration, plan
from timefair.campaign.provenance import measure_key, measure_keys
from timefair.cli.arguments import THREAD_VARIABLES, status_of
from timefair.records.store import read_runs

CAMPAIGN = """
name: trial
problems: {suite: bbob, functions: [1, 2], dimensions: 5, instances: "1-3"}
algorithms: {search: {use: timefair:random-search, threads: 2}}
budget: {time_s: 0.5}
runs: 4
rounds: 2
"""


@pytest.fixture
def campaign_file(tmp_path):
    path = tmp_path / "campaign.yaml"
    path.write_text(CAMPAIGN)
    return path


@pytest.fixture
def snapshot(campaign_file, tmp_path):
    return plan.write_snapshot(configuration.load(campaign_file), tmp_path)


def measure_arguments(snapshot: Path, **changes: str) -> list[str]:
    given = {
        "campaign": str(snapshot), "algorithm": "search", "function": "1", "dimension": "5",
        "instances": "1-3", "round": "2",
        "key": plan.short_key(measure_key(configuration.restore(snapshot), "search", 2)),
        "record": str(snapshot.parent / "r.parquet"),
    } | changes  # fmt: skip
    return ["measure", *(word for key, value in given.items() for word in (f"--{key}", value))]


def test_check_says_what_a_campaign_costs(campaign_file, capsys):
    assert cli.main(["check", str(campaign_file)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == [
        "campaign      trial",
        "runs          12 of each algorithm on a function (3 instances with 4 runs each); 24 in all"
        ", 2 rounds",
    ]
    assert lines[2].startswith("wall time     at most about ")
    assert lines[2].endswith("; 24 s of core time, at most 1 s in a job")
    assert lines[3:5] == ["algorithms    1", "jobs          12"]


@pytest.mark.parametrize("number", [errno.EAGAIN, errno.EMFILE, errno.ENOSPC, errno.ENOMEM])
def test_what_the_machine_lacks_is_one_line(number, capsys):
    def work() -> int:
        raise OSError(number, os.strerror(number))

    assert status_of(work) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"timefair: {os.strerror(number)}; ")
    assert line.endswith(" and start again: what is done is kept")


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        ([], "usage: timefair"),
        (["check"], "usage: timefair"),
        (["figure", "results/x"], "usage: timefair"),
        (["chek"], "argument COMMAND: invalid choice: 'chek' (choose from 'init', 'check', "),
        (["table", "{}", "etr"], "timefair: TABLE: 'etr' is unknown"),
        (["figure", "{}", "etr"], "timefair: FIGURE: 'etr' is unknown"),
    ],
)
def test_wrong_usage(argv, said, snapshot, capsys):
    assert cli.main([word.format(snapshot.parent) for word in argv]) == 2
    assert said in capsys.readouterr().err


def test_the_help_has_every_command_of_users_once(capsys):
    assert cli.main(["--help"]) == 0
    lines = capsys.readouterr().out.partition("\nexample:")[0].splitlines()
    told = [line.split()[0] for line in lines if re.match(r"  \S", line)]
    assert told == [name for names in cli.groups().values() for name in names]
    assert len(set(told)) == len(told) <= 20
    assert set(told) < set(cli.parser().commands.choices)


def test_measuring_starts_again_with_its_threads(snapshot, monkeypatch):
    started: list[Any] = []

    def execve(*given: Any) -> None:
        started.append(given)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "execve", execve)
    arguments = measure_arguments(snapshot)
    assert cli.main(arguments) == 130
    ((path, argv, env),) = started
    assert path == argv[0] == sys.executable
    assert argv[1:] == ["-P", "-m", "timefair", *arguments]
    assert env["PYTHONHASHSEED"] == "0"
    assert {env[name] for name in THREAD_VARIABLES} == {"2"}


@pytest.fixture
def settled(monkeypatch):
    monkeypatch.setenv("PYTHONHASHSEED", "0")
    for name in THREAD_VARIABLES:
        monkeypatch.setenv(name, "2")


@pytest.mark.slow
@pytest.mark.usefixtures("settled")
@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"key": "0" * 64}, "code, software or configuration changed since this job was planned"),
        ({"round": "3"}, "round 3: the campaign has 1 to 2"),
        ({"instances": "3-1"}, "--instances: '3-1' runs backwards"),
        ({"algorithm": "serch"}, "--algorithm: 'serch' is not in "),
    ],
)
def test_measuring_refuses(change, line, snapshot, capsys):
    assert cli.main(measure_arguments(snapshot, **change)) == 2
    assert capsys.readouterr().err.startswith(f"timefair: {line}")
    assert not (snapshot.parent / "r.parquet").exists()


@pytest.mark.slow
def test_a_block_is_measured_in_turn_on_this_node(campaign_file, tmp_path, capfd):
    text = CAMPAIGN.replace("time_s: 0.5", "evaluations: 20").replace("threads: 2", "threads: 1")
    text = text.replace("algorithms: {", "block: node\nalgorithms: {two: timefair:random-search, ")
    campaign_file.write_text(text)
    campaign, folder = configuration.load(campaign_file), tmp_path / "results" / "trial"
    folder.mkdir(parents=True)
    plan.write_keys(measure_keys(campaign), folder)
    planned = plan.write_snapshot(campaign, folder)
    place = "--function 1 --dimension 5 --instances 1-3 --round 2"
    assert cli.main(["measure-block", "--campaign", str(planned), *place.split()]) == 0
    campaign = configuration.restore(planned)
    keys = plan.read_keys(folder, campaign)
    block = plan.Block(1, 5, (1, 2, 3), 2)
    order = [job.algorithm for job in block.jobs(campaign)]
    records = [folder / job.record(keys[job.algorithm, 2]) for job in block.jobs(campaign)]
    begun = [read_runs([path])["started_utc"].to_pylist() for path in records]
    assert max(begun[0]) <= min(begun[1])
    said = capfd.readouterr().err
    host = Path("/proc/sys/kernel/hostname").read_text().strip()
    assert [line for line in said.splitlines() if line.endswith(f" of 2 on {host}")] == [
        f"{label}: {number} of 2 on {host}" for number, label in enumerate(order, start=1)
    ]
    assert (folder / f"{block.place}.node").read_text() == host
