"""How long the other jobs of a campaign take, from those that ended."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from timefair.campaign import configuration, plan
from timefair.campaign.allocated import JobSizes
from timefair.campaign.pace import Pace


def campaign(**changes: Any) -> configuration.Campaign:
    mapping = {
        "name": "test",
        "problems": {"suite": "bbob", "functions": [1, 8], "dimensions": 2, "instances": "1-2"},
        "algorithms": {"a": "timefair:random-search", "b": "timefair:DE"},
        "budget": {"time_s": 1},
        "runs": 3,
        "instances_per_job": 2,
        "tables": ["runs"],
        "figures": ["ert"],
    }
    return configuration.parse(mapping | changes)


def paced(
    wanted: configuration.Campaign, lacking: Iterable[plan.Job], cores: int, folder: Path = Path()
) -> Pace:
    return Pace(wanted, lacking, cores, JobSizes(wanted, {("a", 1): "abc"}, folder))


def wildcards(job: plan.Job) -> dict[str, str]:
    return {
        "algorithm": job.algorithm,
        "key": "abc",
        "function": str(job.function),
        "dimension": str(job.dimension),
        "instances": plan.format_instances(job.instances),
        "round": str(job.round),
    }


def begin(pace: Pace, number: int, job: plan.Job, now_s: float) -> None:
    pace.begin(number, plan.MEASURING, wildcards(job), now_s)


def test_before_the_first_job_the_budget_counts():
    wanted = campaign()
    pace = paced(wanted, plan.jobs(wanted), cores=2)
    analysis_s = sum(plan.analysis_seconds(wanted).values())
    assert (pace.done, pace.wanted) == (0, 24)
    assert pace.left_s(0.0) == pytest.approx((24 * (1 + plan.RUN_OVERHEAD_S) + analysis_s) / 2)


def test_runs_take_what_those_of_their_algorithm_took():
    wanted = campaign()
    jobs = list(plan.jobs(wanted))
    pace = paced(wanted, jobs, cores=1)
    first = next(job for job in jobs if job.algorithm == "a")
    begin(pace, 1, first, 0.0)
    pace.end(1, 3.0)
    analysis_s = sum(plan.analysis_seconds(wanted).values())
    of_b_s = 12 * (1 + plan.RUN_OVERHEAD_S)
    assert pace.done == 6
    assert pace.left_s(3.0) == pytest.approx(3.0 + of_b_s + analysis_s)


def test_runs_that_a_job_takes_from_earlier_records_take_no_time():
    wanted = campaign()
    jobs = list(plan.jobs(wanted))
    sizes = JobSizes(wanted, {("a", 1): "abc"}, Path())
    pace = Pace(wanted, jobs, 1, sizes, {job: 4 for job in jobs if job.algorithm == "a"})
    analysis_s = sum(plan.analysis_seconds(wanted).values())
    assert (pace.done, pace.wanted) == (8, 24)
    assert pace.left_s(0.0) == pytest.approx(16 * (1 + plan.RUN_OVERHEAD_S) + analysis_s)
    begin(pace, 1, jobs[0], 0.0)
    pace.end(1, 6.0)
    of_b_s = 12 * (1 + plan.RUN_OVERHEAD_S)
    assert pace.done == 10
    assert pace.left_s(6.0) == pytest.approx(2 * 6 / 2 + of_b_s + analysis_s)


def test_the_analysis_counts_down_to_the_report():
    wanted = campaign()
    pace = paced(wanted, [], cores=1)
    assert pace.measured
    left_s = [pace.left_s(0.0)]
    for number, label in enumerate(wanted.algorithms):
        pace.begin(number, "collect_records", {"algorithm": label}, 0.0)
        left_s.append(pace.left_s(0.0))
    pace.begin(10, plan.TABULATING, {}, 0.0)
    left_s.append(pace.left_s(0.0))
    assert not pace.finished
    pace.begin(20, plan.LAST, {}, 0.0)
    assert pace.left_s(0.0) == 0.0
    pace.end(20, 0.0)
    assert pace.finished
    assert left_s == sorted(left_s, reverse=True)
    assert len(set(left_s)) == len(left_s)


def test_a_search_takes_its_budget_until_it_ends():
    on = {"functions": 1, "dimensions": 2, "instances": "51-52"}
    tune = {"space": {"F": {"float": [0.3, 0.9]}}, "tuner": "random", "budget_s": 30, "on": on}
    wanted = campaign(algorithms={"b": {"use": "timefair:DE", "tune": tune}})
    pace = paced(wanted, plan.jobs(wanted), cores=2)
    analysis_s = sum(plan.analysis_seconds(wanted).values())
    runs_s = 24 * (1 + plan.RUN_OVERHEAD_S) + analysis_s
    assert pace.left_s(0.0) == pytest.approx((30 + runs_s) / 2)
    pace.begin(3, plan.SEARCHING, {"algorithm": "b-tuned", "key": "abc"}, 0.0)
    assert pace.left_s(12.0) == pytest.approx((18 + runs_s) / 2)
    assert pace.left_s(40.0) == pytest.approx(runs_s / 2)
    pace.end(3, 40.0)
    assert pace.left_s(40.0) == pytest.approx(runs_s / 2)
    resumed = paced(wanted, [job for job in plan.jobs(wanted) if job.algorithm == "b"], cores=2)
    assert resumed.left_s(0.0) < 30 / 2  # the variant has all its runs


def test_a_block_is_the_jobs_of_all_its_algorithms():
    wanted = campaign(block="node")
    pace = paced(wanted, plan.jobs(wanted), cores=1)
    first = next(plan.jobs(wanted))
    pace.begin(1, f"{plan.MEASURING_BLOCK}_1", wildcards(first), 0.0)
    pace.end(1, 12.0)
    analysis_s = sum(plan.analysis_seconds(wanted).values())
    assert pace.done == 2 * 6
    assert pace.left_s(12.0) == pytest.approx(12.0 + analysis_s)


def test_runs_that_a_race_gave_to_a_round_count_as_they_are(tmp_path):
    """`a` has 5 runs on an instance of function 1 in round 2, and nothing else has any."""
    wanted = campaign(runs=16, rounds=2, stopping={"rule": "campaign_race"})
    file = tmp_path / plan.allocation_path({("a", 1): "abc"}, 2)
    jobs = list(plan.jobs(wanted))
    pace = paced(wanted, jobs, 1, tmp_path)
    assert pace.wanted == 2 * 2 * 2 * 16
    pace.begin(1, plan.ALLOCATING, {"round": "2"}, 0.0)
    cells = [
        {
            "algorithm": label, "function": function, "dimension": 2, "reason": "",
            "more": 5 * (label == "a" and function == 1),
        }
        for label in "ab"
        for function in (1, 8)
    ]  # fmt: skip
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"cells": cells}))
    pace.end(1, 1.0)
    assert pace.wanted == 2 * 2 * 2 * 8 + 2 * 5
    first = [job for job in jobs if job.round == 1]
    for number, job in enumerate(first, start=2):
        begin(pace, number, job, 1.0)
        pace.end(number, 17.0)
    assert (pace.done, pace.measured) == (64, False)
    analysis_s = sum(plan.analysis_seconds(wanted).values())
    assert pace.left_s(17.0) == pytest.approx(10 * 1.0 + analysis_s)
    resumed = paced(wanted, [job for job in jobs if job.round == 2], 1, tmp_path)
    assert (resumed.done, resumed.wanted) == (64, 74)
