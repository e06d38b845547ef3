"""A stopping rule, online: what it decides while measuring is what it decides afterwards."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from measurements import do_jobs
from run_counts import stopping

from timefair.basics.errors import InputError
from timefair.campaign import configuration
from timefair.campaign.plan import expected_runs, jobs, write_keys
from timefair.campaign.provenance import measure_keys
from timefair.measure.job.cell import measure, repetitions
from timefair.policies.stopping.race import DROPPED, WON
from timefair.records.collect import collect
from timefair.records.integrity import Place
from timefair.records.store import open_record, read_runs
from timefair.statistics.run_count.racing import Race

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
    """The samples of all runs, without a rule."""
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


@pytest.mark.thorough
@pytest.mark.slow
def test_what_leaves_the_bounds_has_all_its_runs_and_the_reason(measured, complete):
    samples, decided = measured(campaign(stopping={**BOUNDED, "width": 7}, rounds=2))
    reasons = {cell: row["reason"] for cell, row in decided.items()}
    left = {cell for cell, sample in samples.items() if max(sample) > 20}
    assert {cell for cell, reason in reasons.items() if reason == "out of bounds"} == left
    assert 0 < len(left) < len(samples)
    for cell in left:
        assert samples[cell] == complete[cell]
        assert decided[cell]["path"][-1] == np.inf


@pytest.mark.slow
def test_a_race_drops_who_cannot_win(measured, complete):
    samples, decided = measured(campaign(stopping={"rule": "race", "confidence": 0.9}, rounds=3))
    race = Race(alpha=0.1, looks=(4, 8), cap=12)
    for instance in (1, 2):
        cells = [(label, 8, instance) for label in ("random", "simplex")]
        state = race.state([complete[cell] for cell in cells])
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
    """How far beyond the target they are drops no algorithm."""
    race = {"rule": "race", "confidence": 0.9}
    wanted = campaign(stopping=race, rounds=2)
    folder, keys = tmp_path / "results", measure_keys(wanted)
    write_keys(keys, folder)
    for job in jobs(wanted):
        if job.round == 1:
            key = keys[job.algorithm, 1]
            measure(wanted, job, folder / job.record(key), key)

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
        measure(wanted, late, record, keys[late.algorithm, 2])
    write_keys(keys | {(late.algorithm, 2): "f" * 64}, tmp_path)
    with pytest.raises(InputError, match="planned otherwise since this job began"):
        measure(wanted, late, record, keys[late.algorithm, 2])
    assert not record.exists()


def test_a_rival_that_changes_has_a_race_run_again_and_nothing_else():
    def keys(rule: str, rival: str) -> dict:
        algorithms = {"random": "timefair:random-search", "rival": rival}
        return measure_keys(campaign(algorithms=algorithms, stopping={"rule": rule}, rounds=2))

    for rule, same in (("fixed", True), ("skewness", True), ("race", False)):
        before, after = keys(rule, "scipy:Nelder-Mead"), keys(rule, "scipy:Powell")
        assert (before["random", 1] == after["random", 1]) is same
