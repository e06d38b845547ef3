"""What a job still has to do, in which order, on which cores and node, and when it stops."""

import math
import os
import select
import signal
import subprocess
import sys
import time
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from measurements import do_jobs
from run_counts import stopping

from timefair.basics.errors import InputError
from timefair.campaign import configuration
from timefair.campaign.plan import expected_runs, jobs, write_keys
from timefair.campaign.provenance import measure_keys
from timefair.machine.linux import kernel
from timefair.measure import job as of_a_job
from timefair.measure.isolation import held_cores, on_one_node
from timefair.measure.job import Prepared, Repetitions, _missing, evaluation_cost, repetitions
from timefair.policies.stopping import DROPPED, WON
from timefair.problems.problem import Problem, ProblemName
from timefair.records.collect import collect
from timefair.records.integrity import Place
from timefair.records.store import Journal, journal_path, open_record, read_runs
from timefair.statistics.run_count.stopping_rules import Outliers, SkewnessRule, race

TURNS = [(instance, run) for run, instance in product(range(3), (1, 2))]


@pytest.mark.parametrize("lost", [[], TURNS, [(1, 0)], [(2, 1)], [(2, 2)], [(1, 0), (2, 1)]])
def test_runs_of_the_journal_are_not_measured_again_wherever_one_is_missing(lost):
    kept = pa.record_batch({"best_precision": [1.0]})
    journal = SimpleNamespace(runs={turn: kept for turn in TURNS if turn not in lost})
    repetitions = Repetitions({1: (), 2: ()}, more=3)
    measured = []
    for turn in _missing(repetitions, journal):
        measured.append(turn)
        repetitions.add(turn[0], 2.0)
    assert measured == lost
    assert repetitions.next() is None


def problem(evaluate) -> Problem:
    bounds = -np.ones(2), np.ones(2)
    return Problem(ProblemName("own", 1, 2, 1), evaluate, *bounds, f_opt=0.0)


@pytest.mark.parametrize(
    "evaluate",
    [
        lambda x: 1 / 0,
        lambda x: os._exit(0),
        lambda x: os.kill(os.getpid(), signal.SIGSEGV),
        lambda x: time.sleep(1000),
    ],
    ids=["raises", "exits", "crashes", "hangs"],
)
def test_a_problem_that_has_no_cost_does_not_end_the_job(evaluate):
    before = kernel.children()
    assert evaluation_cost(problem(evaluate), answer_s=0.2) == {}
    assert kernel.children() == before


KEY = "ab" * 32
HOLD = """
import sys, pathlib
from timefair.measure.isolation import on_one_node
with on_one_node(pathlib.Path(sys.argv[1]), "node1", []):
    print("held", flush=True)
    sys.stdin.read()
print("free", flush=True)
"""


MEASURE = """
from timefair.measure.runner import in_turn
list(in_turn([["sh", "-c", "echo begun; exec sleep 20"]], 1))
"""


@pytest.fixture
def note(tmp_path):
    return tmp_path / "blocks" / "f1_d2_i1_r1.node"


@pytest.fixture
def record(tmp_path, row):
    path = tmp_path / "f1.parquet"
    with Journal(path, KEY) as journal:
        journal.append(row(0))
    return path


@pytest.mark.parametrize(("node", "kept"), [("node1", True), ("node2", False), ("node", False)])
def test_the_journal_of_another_node_is_dropped(note, record, capsys, node, kept):
    note.parent.mkdir()
    note.write_text("node1")
    with on_one_node(note, node, [record]):
        assert journal_path(record).exists() is kept
        assert note.read_text() == node
    said = capsys.readouterr().err
    assert ("its runs were measured on node1; this is" in said) is not kept


def test_a_journal_without_a_known_node_is_dropped(note, record, capsys):
    with on_one_node(note, "node1", [record, record.with_name("not begun")]):
        assert not journal_path(record).exists()
    assert capsys.readouterr().err.count("an unknown node; this is node1") == 1


@pytest.mark.slow
def test_a_block_waits_for_the_job_that_holds_it(note):
    words = (sys.executable, "-c", HOLD, str(note))
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(words, **pipes) as first, subprocess.Popen(words, **pipes) as second:
        (pipe,), _, _ = select.select([first.stdout, second.stdout], [], [], 30)
        holder = first if pipe is first.stdout else second
        waiter = second if holder is first else first
        assert holder.stdout.readline() == "held\n"
        assert not select.select([waiter.stdout], [], [], 0.3)[0]
        holder.stdin.close()
        assert waiter.stdout.readline() == "held\n"
        waiter.stdin.close()


def test_a_job_of_a_block_ends_with_the_process_that_holds_the_block():
    words = (sys.executable, "-c", MEASURE)
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout.readline() == "begun\n"
        holder.kill()
        # The end of the file comes when no process writes to it any more.
        assert select.select([holder.stdout], [], [], 10)[0]
        assert holder.stdout.read() == ""


SYMMETRIC = [1.0, 2.0, 3.0, 4.0, 5.0]


def in_turn(repetitions: Repetitions, result) -> list[tuple[int, int]]:
    """Measure until the job is over; `result(instance, run)` is what a run found."""
    order = []
    while (turn := repetitions.next()) is not None:
        order.append(turn)
        repetitions.add(turn[0], result(*turn))
    return order


def test_instances_take_turns_and_a_round_goes_on_where_the_rounds_before_ended():
    repetitions = Repetitions({4: [], 7: []}, more=2)
    assert in_turn(repetitions, lambda *_: 1.0) == [(4, 0), (7, 0), (4, 1), (7, 1)]
    assert repetitions.outcome()[0] == {"instance": 4, "runs": 2, "reason": None, "path": []}
    repetitions = Repetitions({1: [0.5, 0.5], 2: [0.1]}, more=1)
    assert repetitions.most == 2
    assert in_turn(repetitions, lambda *_: 1.0) == [(2, 1), (1, 2)]


def test_each_instance_is_ended_by_the_rule_on_its_own_and_not_run_again():
    rule = SkewnessRule(tau=0.05, outliers=Outliers.NONE, cap=8)
    skewed = [1.0, 1.0, 1.0, 1.0, 5.0, 50.0, 500.0, 5000.0]
    repetitions = Repetitions({1: [], 2: []}, more=8, rule=rule)
    order = in_turn(repetitions, lambda i, run: (SYMMETRIC if i == 1 else skewed)[run])
    assert [run for i, run in order if i == 1] == [0, 1, 2, 3, 4]
    assert [run for i, run in order if i == 2] == list(range(8))
    first, second = repetitions.outcome()
    assert (first["reason"], first["path"]) == ("met", [0.0])
    assert (second["reason"], len(second["path"])) == ("cap", 4)
    rule = SkewnessRule(tau=0.05, outliers=Outliers.NONE)
    repetitions = Repetitions({1: SYMMETRIC}, more=20, rule=rule)
    assert repetitions.most == 0
    assert repetitions.next() is None
    assert repetitions.outcome()[0]["reason"] == "met"
    repetitions = Repetitions({1: []}, more=6, rule=SkewnessRule(0.1, Outliers.NONE, cap=6))
    in_turn(repetitions, lambda _, run: math.inf if run == 0 else float(run))
    assert repetitions.outcome() == [
        {"instance": 1, "runs": 6, "reason": "cap", "path": [None, None]}
    ]


@pytest.fixture
def locks(tmp_path, monkeypatch):
    usable = os.sched_getaffinity(0)
    monkeypatch.setenv("TIMEFAIR_LOCKS", str(tmp_path))
    yield
    os.sched_setaffinity(0, usable)


def test_a_batch_job_has_the_core_that_it_was_given_and_no_more(locks, tmp_path, monkeypatch):
    for core in os.sched_getaffinity(0):
        monkeypatch.setenv("TIMEFAIR_LOCKS", str(tmp_path / f"job{core}"))
        os.sched_setaffinity(0, {core})
        with held_cores(1) as cores:
            assert cores == (core,)
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    with pytest.raises(ValueError, match="2 cores are asked for, and this process may use 1"):
        held_cores(2).__enter__()


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two cores")
def test_jobs_that_share_their_locks_take_different_cores(locks):
    usable = os.sched_getaffinity(0)
    with held_cores(1) as first:
        os.sched_setaffinity(0, usable)
        with held_cores(1) as second:
            assert first != second


BOUNDED = {"rule": "mean", "bounds": [0, 20], "relative": False, "start": 3, "confidence": 0.8}


def campaign(**changes: Any) -> configuration.Campaign:
    mapping = {
        "name": "test",
        "problems": {"suite": "bbob", "functions": 8, "dimensions": 2, "instances": [1, 2]},
        "algorithms": {"random": "timefair:random-search", "simplex": "scipy:Nelder-Mead"},
        "budget": {"evaluations": 60, "final_target": None},
        "runs": 12,
        "instances_per_job": 2,
        "timing": {"reference": False},
    }
    return configuration.parse(mapping | changes)


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """A function: measure a whole campaign and collect it. Its samples, and what was decided.

    Each campaign is measured once.
    """

    done: dict[str, tuple[dict, dict]] = {}

    def run(wanted: configuration.Campaign) -> tuple[dict, dict]:
        if wanted.snapshot() not in done:
            done[wanted.snapshot()] = everything(wanted)
        return done[wanted.snapshot()]

    def everything(wanted: configuration.Campaign) -> tuple[dict, dict]:
        folder = tmp_path_factory.mktemp("results")
        records: dict[str, dict[Path, Place]] = {}
        for record, place in do_jobs(wanted, folder).items():
            records.setdefault(place.algorithm, {})[record] = place
        samples: dict[tuple, list[float]] = {}
        decided: dict[tuple, dict[str, Any]] = {}
        for label, places in records.items():
            output = folder / f"{label}.parquet"
            collect(label, places, expected_runs(wanted), output)
            rows = read_runs([output]).to_pylist()
            for row in sorted(rows, key=lambda row: row["run"]):
                cell = (label, row["function"], row["instance"])
                samples.setdefault(cell, []).append(row["best_precision"])
            for row in open_record(output).facts["stopping"]:
                decided[label, row["function"], row["instance"]] = row
        return samples, decided

    return run


@pytest.fixture(scope="module")
def complete(measured):
    return measured(campaign())[0]


@pytest.mark.thinned(6)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("rule", "rounds"),
    [
        ({"rule": "skewness", "tau": 0.3, "outliers": "iqr"}, 3),
        ({"rule": "quantile", "width": 6, "start": 6, "validity": "single"}, 2),
        ({**BOUNDED, "width": 7}, 2),
        ({"rule": "mean", "width": 0.8, "start": 4}, 1),
        ({**BOUNDED, "width": 7, "validity": "anytime"}, 3),
        ({"rule": "success", "target": 10, "width": 0.45, "start": 3}, 2),
    ],
)
def test_online_and_offline_agree_on_every_sample(measured, complete, rule, rounds):
    wanted = campaign(stopping=rule, rounds=rounds)
    samples, decided = measured(wanted)
    for cell, sample in complete.items():
        offline = stopping(wanted.stopping.judge(wanted.runs), sample)
        assert samples[cell] == sample[: offline.n]
        assert (decided[cell]["runs"], decided[cell]["reason"]) == (offline.n, offline.reason)
        path = [np.nan if value is None else value for value in decided[cell]["path"]]
        np.testing.assert_array_equal(path, offline.path)
    assert len({len(sample) for sample in samples.values()}) > 1


@pytest.mark.slow
def test_a_race_drops_who_cannot_win(measured, complete):
    samples, decided = measured(campaign(stopping={"rule": "race", "confidence": 0.9}, rounds=3))
    for instance in (1, 2):
        cells = [(label, 8, instance) for label in ("random", "simplex")]
        state = race([complete[cell] for cell in cells], alpha=0.1, looks=(4, 8), cap=12)
        assert [len(samples[cell]) for cell in cells] == [
            12 if n == 0 and state.goes_on.sum() == 2 else max(state.dropped_at)
            for n in state.dropped_at
        ]
        for cell, goes_on in zip(cells, state.goes_on, strict=True):
            assert samples[cell] == complete[cell][: len(samples[cell])]
            if not goes_on:
                assert decided[cell]["reason"] == DROPPED
    assert {DROPPED, WON} <= {row["reason"] for row in decided.values()}


@pytest.mark.slow
def test_runs_that_reached_the_final_target_are_equal(tmp_path):
    race = {"rule": "race", "confidence": 0.9}
    wanted = campaign(stopping=race, rounds=2)
    folder, keys = tmp_path / "results", measure_keys(wanted)
    write_keys(keys, folder)
    for job in jobs(wanted):
        if job.round == 1:
            key = keys[job.algorithm, 1]
            of_a_job.measure_job(Prepared(wanted), job, folder / job.record(key), key)

    def reasons(rule: dict[str, Any], final_target: float | None) -> set[str | None]:
        budget = {"evaluations": 60, "final_target": final_target}
        ended = campaign(stopping=rule, rounds=2, budget=budget)
        return {
            one["reason"]
            for job in jobs(ended)
            if job.round == 2
            for one in repetitions(ended, job, keys[job.algorithm, 2], folder).outcome()
        }

    assert DROPPED in reasons(race, None)
    assert reasons(race, 1e9) == {None}


@pytest.mark.parametrize("rule", ["skewness", "race"])
def test_a_job_of_another_plan_does_not_read_the_rounds_before(tmp_path, rule):
    wanted = campaign(stopping={"rule": rule}, rounds=2)
    keys = measure_keys(wanted)
    late = next(job for job in jobs(wanted) if job.round == 2)
    record = tmp_path / late.record(keys[late.algorithm, 2])
    with pytest.raises(InputError, match=r"keys\.json: not the campaign's keys"):
        of_a_job.measure_job(Prepared(wanted), late, record, keys[late.algorithm, 2])
    write_keys(keys | {(late.algorithm, 2): "f" * 64}, tmp_path)
    with pytest.raises(InputError, match="planned otherwise since this job began"):
        of_a_job.measure_job(Prepared(wanted), late, record, keys[late.algorithm, 2])
    assert not record.exists()


def test_a_rival_that_changes_has_a_race_run_again_and_nothing_else():
    def keys(rule: str, rival: str) -> dict:
        algorithms = {"random": "timefair:random-search", "rival": rival}
        return measure_keys(campaign(algorithms=algorithms, stopping={"rule": rule}, rounds=2))

    for rule, same in (("fixed", True), ("skewness", True), ("race", False)):
        before, after = keys(rule, "scipy:Nelder-Mead"), keys(rule, "scipy:Powell")
        assert (before["random", 1] == after["random", 1]) is same
