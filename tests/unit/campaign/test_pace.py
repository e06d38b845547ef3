"""How long the other jobs of a campaign take, from those that ended."""

from typing import Any

import pytest

from timefair.campaign import configuration, plan
from timefair.campaign.progress import Pace


def campaign(**changes: Any) -> configuration.Campaign:
    mapping = {
        "name": "test",
        "problems": {"suite": "bbob", "functions": [1, 8], "dimensions": 2, "instances": "1-2"},
        "algorithms": {"a": "timefair:random-search", "b": "timefair:DE"}, "budget": {"time_s": 1},
        "runs": 3, "instances_per_job": 2, "tables": ["runs"], "figures": ["ert"],
    }  # fmt: skip
    return configuration.parse(mapping | changes)


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
    pace = Pace(wanted, plan.jobs(wanted), cores=2)
    analysis_s = sum(plan.analysis_seconds(wanted).values())
    assert (pace.done, pace.wanted) == (0, 24)
    assert pace.left_s(0.0) == pytest.approx((24 * (1 + plan.RUN_OVERHEAD_S) + analysis_s) / 2)


def test_runs_take_what_those_of_their_algorithm_took():
    wanted = campaign()
    jobs = list(plan.jobs(wanted))
    pace = Pace(wanted, jobs, cores=1)
    first = next(job for job in jobs if job.algorithm == "a")
    begin(pace, 1, first, 0.0)
    pace.end(1, 3.0)
    analysis_s = sum(plan.analysis_seconds(wanted).values())
    of_b_s = 12 * (1 + plan.RUN_OVERHEAD_S)
    assert pace.done == 6
    assert pace.left_s(3.0) == pytest.approx(3.0 + of_b_s + analysis_s)


def test_the_analysis_counts_down_to_the_report():
    wanted = campaign()
    pace = Pace(wanted, [], cores=1)
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


def test_a_block_is_the_jobs_of_all_its_algorithms():
    wanted = campaign(block="node")
    pace = Pace(wanted, plan.jobs(wanted), cores=1)
    first = next(plan.jobs(wanted))
    pace.begin(1, f"{plan.MEASURING_BLOCK}_1", wildcards(first), 0.0)
    pace.end(1, 12.0)
    analysis_s = sum(plan.analysis_seconds(wanted).values())
    assert pace.done == 2 * 6
    assert pace.left_s(12.0) == pytest.approx(12.0 + analysis_s)
