"""Recorded runs repeat; what differs is found and named; wrong choices are one line."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from campaigns import SMALL, SPHERE
from measurements import do_jobs

from timefair import cli
from timefair.campaign import configuration
from timefair.cli.arguments import THREAD_VARIABLES
from timefair.extensions.reproduce.verdict import (
    NOTHING,
    Finding,
    Verdict,
    chosen_run,
    likeness,
    replay,
    replay_all,
    sample,
)
from timefair.records.collect import collect
from timefair.records.integrity import Place
from timefair.records.schema import RUN_SCHEMA
from timefair.records.store import open_record, read_runs, write_record

CAMPAIGN: dict[str, Any] = {
    "name": "small",
    "problems": {"suite": "bbob", "functions": 8, "dimensions": 3, "instances": "1-2"},
    "algorithms": {"de": {"use": "timefair:DE", "parameters": {"F": 0.5}}},
    "budget": {"evaluations": 300},
    "runs": 2,
    "instances_per_job": 2,
    "timing": {"reference": False},
}


def _measured(folder: Path, **changes: Any) -> Path:
    (record,) = do_jobs(configuration.parse(CAMPAIGN | changes), folder / "results/small")
    return record


@pytest.fixture(scope="session")
def record(tmp_path_factory):
    """Two instances of f8, two runs of 300 evaluations each."""
    return _measured(tmp_path_factory.mktemp("measured"))


@pytest.fixture
def measured_record(tmp_path):
    return partial(_measured, tmp_path)


@pytest.fixture
def campaign():
    return CAMPAIGN


@pytest.fixture
def forged(record, tmp_path):
    """Writes the record again, with valid checksums, after `change` edited its rows and facts."""

    def write(change: Callable[[list[dict[str, Any]], dict[str, Any]], object]) -> Path:
        original = open_record(record)
        rows, facts = original.read().to_pylist(), original.facts
        change(rows, facts)
        path = tmp_path / "forged.parquet"
        write_record(path, [pa.RecordBatch.from_pylist(rows, schema=RUN_SCHEMA)], facts)
        return path

    return write


@pytest.fixture
def measuring(monkeypatch):
    monkeypatch.setenv("PYTHONHASHSEED", "0")
    for name in THREAD_VARIABLES:
        monkeypatch.setenv(name, "1")


WANTED = {"instance": 2, "run": 1}


def replayed(path: Path, wanted: dict[str, int] = WANTED) -> tuple[Verdict, list[str]]:
    verdict = replay(chosen_run(path, wanted))
    return verdict, list(verdict.lines())


def of_topic(lines: list[str], topic: str) -> list[str]:
    return [line for line in lines if line.split()[0] == topic]


@pytest.mark.slow
def test_the_chosen_run_repeats_bit_for_bit(record):
    verdict, lines = replayed(record)
    extent = f"{len(verdict.recorded.row['events'])} events in 300 evaluations"
    assert verdict.same
    assert lines == [f"{verdict.recorded}: identical, bit for bit: {extent}", NOTHING]
    chosen = chosen_run(record, {"instance": 2, "run": 1})
    assert str(chosen) == "f8 D=3 instance 2 run 1 of de"
    assert chosen.instances == (1, 2)
    assert chosen.row["run"] == 1


@pytest.mark.slow
def test_a_run_repeats_with_the_length_of_its_launches(measured_record, tmp_path):
    (tmp_path / "own.py").write_text(
        "def solve(objective, rng, Max_iter):\n"
        "    for t in range(Max_iter):\n"
        "        objective(rng.uniform(objective.lower, objective.upper) * (1 - t / Max_iter))\n"
    )
    spec = {"use": f"{tmp_path / 'own.py'}:solve", "schedule": {"Max_iter": {"launches": 3}}}
    verdict, lines = replayed(measured_record(algorithms={"own": spec}))
    assert verdict.recorded.length == 100
    assert (verdict.same, lines[-1]) == (True, NOTHING)


@pytest.mark.slow
def test_an_edited_event_is_shown_beside_the_measured_one(forged):
    def edit(rows, _):
        rows[-1]["events"][3]["precision"] *= 0.5

    verdict, (first, recorded, again, *_) = replayed(forged(edit))
    events = verdict.recorded.row["events"], verdict.again["events"]
    assert not verdict.same
    assert first == "f8 D=3 instance 2 run 1 of de: different, event 4 first"
    assert recorded.startswith("  event 4, recorded: launch 0, ")
    assert f"precision {events[0][3]['precision']!r}, at" in recorded
    assert f"precision {events[1][3]['precision']!r}, at" in again


@pytest.mark.slow
def test_edited_parameters_seeds_and_versions_are_named(forged):
    def edit(_, facts):
        facts["campaign"]["algorithms"]["de"]["parameters"]["F"] = 0.7

    verdict, lines = replayed(forged(edit))
    assert not verdict.same
    assert "key of the configuration: " in lines[-1]

    def edit(_, facts):
        facts["campaign"]["seed"] += 1
        for where, package in (("versions", "numpy"), ("packages", "pandas")):
            assert facts["machine"][where][package]
            facts["machine"][where][package] = "0.0.1"

    verdict, lines = replayed(forged(edit))
    assert not verdict.same
    assert of_topic(lines, "seed")
    software = " ".join(of_topic(lines, "software"))
    assert "numpy: 0.0.1 recorded, " in software
    assert "pandas: 0.0.1 recorded, " in software


@pytest.mark.slow
def test_with_seconds_the_common_evaluations_agree(measured_record):
    record = measured_record(budget={"time_s": 1.3}, runs=1)  # longer than a stall
    verdict, lines = replayed(record, {"instance": 2})
    assert verdict.same
    assert not verdict.likeness.in_full
    assert verdict.likeness.evaluations > 0
    assert "identical as far as the clock allows" in lines[0]
    for line, start in zip(lines[1:3], ("  run, recorded: ok", "  run, again:    ok"), strict=True):
        assert line.startswith(start)
        assert ", ended by time" in line


SEARCH = {
    "space": {"F": {"float": [0.3, 0.9]}},
    "tuner": "random",
    "budget_s": 9,
    "on": {"functions": 1, "dimensions": 3, "instances": 51},
}


def as_if_tuned(rows, facts):
    """The run of `de` is that of a variant of `plain`, whose search has found its parameters."""
    spec = facts["campaign"]["algorithms"]["de"]
    facts["campaign"]["algorithms"] = {
        "plain": {**spec, "parameters": {}, "tune": SEARCH},
        "de": {**spec, "tuned": "plain"},
    }
    facts["key"] = "0" * 64


@pytest.mark.slow
def test_a_tuned_variant_is_replayed_with_the_parameters_that_were_found(forged):
    path = forged(as_if_tuned)
    verdict, lines = replayed(path)
    assert verdict.same
    assert of_topic(lines, "parameters") == []


def launch(start_s: float, end_s: float, evaluations: int, end: str = "returned") -> dict[str, Any]:
    return {
        "start_s": start_s, "end_s": end_s, "evaluations": evaluations, "best_precision": 1.0,
        "end": end,
    }  # fmt: skip


def run(*events: tuple[int, int, float], **changes: Any) -> dict[str, Any]:
    row = {
        "status": "ok", "stop_reason": "evaluations", "message": None, "evaluations": 100,
        "launches": 1, "completed_restarts": 0, "wall_s": 1.0, "best_f": 1.0,
        "best_precision": 1.0, "best_x": [0.5], "batches": [],
        "launch_log": [launch(0, 1, 100, "cut")],
        "events": [
            {"launch": k, "evaluations": n, "precision": p, "time_s": n / 100} for k, n, p in events
        ],
    }  # fmt: skip
    return row | changes


START = ((0, 1, 9.0), (0, 5, 4.0), (0, 50, 1.0))


def test_equal_runs_are_compared_in_full_without_their_times():
    slower = run(*START, wall_s=7.0)
    for event in slower["events"]:
        event["time_s"] *= 7
    found = likeness(run(*START), slower, launches_by_clock=False)
    assert found == (found.__class__)(100, 3, True, None)


@pytest.mark.parametrize(
    ("other", "event", "shown"),
    [
        ((*START[:2], (0, 51, 1.0)), "event 3", "launch 0, evaluation 51, precision 1.0, at 0.51"),
        ((*START[:1], (1, 5, 4.0), START[2]), "event 2", "launch 1, evaluation 5, precision 4.0"),
        (((0, 1, 9.000000000000002), *START[1:]), "event 1", "precision 9.000000000000002, at"),
        (START[:2], "event 3", "no further event"),
    ],
)
def test_the_first_event_that_differs_is_shown(other, event, shown):
    difference = likeness(run(*START), run(*other), launches_by_clock=False).difference
    assert difference is not None
    assert difference.what == event
    assert shown in difference.again
    assert difference.recorded.startswith("launch 0, evaluation")


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"launch_log": [launch(0, 1, 100, "returned")]}, "launch 0"),
        ({"launch_log": [launch(0, 0, 60), launch(0, 1, 40, "cut")]}, "launch 0"),
        ({"best_x": [0.5000000000000001]}, "best_x"),
        ({"evaluations": 99}, "evaluations"),
        ({"stop_reason": "algorithm_ended"}, "stop_reason"),
        ({"batches": [{"first": 0, "size": 4, "count": 25}]}, "batches"),
    ],
)
def test_what_differs_besides_events(change, what):
    difference = likeness(run(*START), run(*START, **change), launches_by_clock=False).difference
    assert difference is not None
    assert difference.what == what


TIMED = {"stop_reason": "time"}


def test_with_seconds_the_common_evaluations_are_compared_if_the_clock_ended_the_run():
    short = run(*START[:2], evaluations=40, **TIMED)
    found = likeness(short, run(*START, **TIMED), launches_by_clock=False)
    assert (found.evaluations, found.events, found.in_full) == (40, 2, False)
    assert found.difference is None
    ended = run(*START[:2], evaluations=40, stop_reason="algorithm_ended")
    difference = likeness(ended, run(*START, **TIMED), launches_by_clock=False).difference
    assert difference == ("end", "algorithm_ended, 40 evaluations", "time, 100 evaluations")
    longer = run(*START, stop_reason="algorithm_ended")
    cut = run(*START[:2], evaluations=40, **TIMED)
    assert likeness(longer, cut, launches_by_clock=False).difference is None


def changed_after(evaluations: int, *events: tuple[int, int, float]) -> dict[str, Any]:
    """A run whose problem changed after so many evaluations, by the clock."""
    rows = [(1, 0.0), (3, 0.0), (evaluations + 1, 1.0), (90, 2.0)]
    vectors = [{"launch": 0, "evaluations": n, "outputs": [9.0, e]} for n, e in rows]
    return run(*events, stop_reason="time", vectors=vectors)


def test_of_problems_that_change_after_seconds_the_first_environment_is_compared():
    one = changed_after(20, (0, 1, 9.0), (0, 3, 8.0), (0, 21, 5.0))
    other = changed_after(30, (0, 1, 9.0), (0, 3, 8.0), (0, 20, 7.0), (0, 31, 5.0))
    found = likeness(one, other, launches_by_clock=False, changes_by_clock=True)
    assert found == (found.__class__)(19, 2, False, None)  # evaluation 20 was outdated in one
    different = changed_after(30, (0, 1, 9.0), (0, 3, 8.5), (0, 31, 5.0))
    found = likeness(one, different, launches_by_clock=False, changes_by_clock=True)
    assert found.difference is not None
    assert found.difference.what == "event 2"


def refused(capsys: pytest.CaptureFixture[str], path: Path, *arguments: str) -> str:
    assert cli.main(["reproduce", str(path), *arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    return line.removeprefix("timefair: ")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ([], "{path}: has several such runs; choose one by --instance (1-2) --run (0-1)"),
        (["--instance", "1"], "{path}: has several such runs; choose one by --run (0-1)"),
        (["--run", "7"], "--run: 7 is not in {path}; it has 0-1"),
        (["--function", "9"], "--function: 9 is not in {path}; it has 8"),
    ],
)
@pytest.mark.usefixtures("measuring")
def test_choices_that_name_no_single_run(record, arguments, line, capsys):
    assert refused(capsys, record, *arguments).startswith(line.format(path=record))


def test_a_run_that_is_there_twice(forged, capsys):
    path = forged(lambda rows, _: rows.append(rows[0]))
    line = refused(capsys, path, "--instance", "1", "--run", "0")
    assert line.startswith(f"{path}: has this run twice; ")


@pytest.mark.parametrize("name", ["campaign", "code", "machine", "key"])
def test_records_without_their_facts(forged, name, capsys):
    path = forged(lambda _, facts: facts.pop(name))
    line = refused(capsys, path, "--instance", "1", "--run", "0")
    assert line == f"{path}: its metadata have no {name}; it cannot be replayed"


@pytest.fixture
def results(record):
    return record.parents[3]


@pytest.mark.parametrize(("share", "chosen"), [(0.01, 1), (0.5, 2), (0.51, 3), (1.0, 4)])
def test_a_share_is_rounded_up(results, share, chosen):
    (stratum,) = sample(results, share, np.random.default_rng(1))
    assert (stratum.label, stratum.runs, stratum.lost) == ("de", 4, 0)
    assert len(set(stratum.sampled)) == chosen


def test_runs_without_a_result_are_left_out(forged):
    folder = forged(lambda rows, _: rows[0].update(status="killed")).parent / "results"
    (folder / "records").mkdir(parents=True)
    (folder.parent / "forged.parquet").rename(folder / "records/forged.parquet")
    (stratum,) = sample(folder, 1.0, np.random.default_rng(1))
    assert (stratum.runs, stratum.lost, len(stratum.sampled)) == (3, 1, 3)


@pytest.mark.slow
def test_runs_that_repeat_differ_and_cannot_be_measured(results, forged):
    (stratum,) = sample(results, 1.0, np.random.default_rng(1))
    place = stratum.sampled[-1]
    found = [replay_all([place])[0].finding]
    other = forged(lambda rows, _: rows[-1].update(best_f=0.0))
    found.append(replay_all([place._replace(path=other)])[0].finding)
    gone = forged(lambda _, facts: facts["campaign"]["algorithms"]["de"].update(use="no:no"))
    found.append(replay_all([place._replace(path=gone)])[0].finding)
    assert found == [Finding.IDENTICAL, Finding.DIFFERENT, Finding.UNDECIDED]


@pytest.fixture
def grown(measured_record, campaign):
    """``results/NAME`` of a campaign with a collected file, which got f9 after f8 was measured."""
    places = {}
    for function in (8, 9):
        chosen = {"functions": function, "instances": 1}
        path = measured_record(problems=campaign["problems"] | chosen)
        places[path] = Place("de", open_record(path).facts["key"], function, 3, (1,), 1)
    folder = next(iter(places)).parents[3]
    (folder / "collected").mkdir()
    expected = {(function, 3, 1, run) for function in (8, 9) for run in (0, 1)}
    collect("de", places, expected, folder / "collected/de.parquet")
    return folder


@pytest.mark.thorough
@pytest.mark.slow
def test_runs_of_a_campaign_that_grew_are_replayed_from_its_records(grown):
    (stratum,) = sample(grown, 1.0, np.random.default_rng(1))
    assert [place.function for place in stratum.sampled] == [8, 8, 9, 9]
    found = [each.finding for each in replay_all(stratum.sampled[1:3])]
    assert found == [Finding.IDENTICAL, Finding.IDENTICAL]


@pytest.mark.slow
def test_the_command_gives_a_verdict(results, monkeypatch, capfd):
    with monkeypatch.context() as patch:
        patch.setenv("PYTHONHASHSEED", "0")  # the command sets it for its processes
        assert cli.main(["reproduce", str(results), "--share", "25%"]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert lines[0] == "de: 1 of 4 runs: 1 identical bit for bit"
    assert lines[1] == "1 of 4 runs were replayed: 1 identical bit for bit"
    assert lines[2].startswith("Repeated, in the terms of the ACM, if the team")


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--share", "0%"], "--share: 0%: should be above 0 and at most 100%, such as 5%"),
        (["--share", "101%"], "--share: 101%: should be above 0 and at most 100%, such as 5%"),
        (["--share", "half"], "--share: half: should be above 0 and at most 100%, such as 5%"),
        (["--seed", "-1"], "--seed: -1: should be at least 0"),
        (["--run", "0"], "--run: is for a file; {folder} is none"),
        ([], "{folder}: contains no records; name results/NAME"),
    ],
)
def test_wrong_input(tmp_path, arguments, line, capsys):
    assert cli.main(["reproduce", str(tmp_path), *arguments]) == 2
    assert capsys.readouterr().err == f"timefair: {line.format(folder=tmp_path)}\n"


DE: dict[str, Any] = {"use": "timefair:DE"}
OF_ONE_SEED = SMALL | {
    "problems": SPHERE | {"functions": 8, "dimensions": 3},
    "algorithms": {"baseline": DE, "candidate": DE | {"seed_as": "baseline"}, "other": DE},
    "timing": {"reference": False},
}


def test_the_runs_of_one_seed_are_the_same_and_replay_alone(tmp_path):
    places = do_jobs(configuration.parse(OF_ONE_SEED), tmp_path)
    records = {place.algorithm: record for record, place in places.items()}
    runs = {label: read_runs([record]) for label, record in records.items()}
    for column in ("seed", "best_f", "best_x"):
        assert runs["baseline"][column].equals(runs["candidate"][column])
        assert not runs["baseline"][column].equals(runs["other"][column])
    assert replay(chosen_run(records["candidate"], {"run": 1})).same
