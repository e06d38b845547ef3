"""What a measuring job still has to do."""

import math
import os
import signal
import time
from itertools import product
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from run_counts import stopping

from timefair.machine.linux import kernel
from timefair.measure.job.cell import Repetitions, _missing
from timefair.measure.job.prepared import _evaluation_cost
from timefair.problems.base import Problem, ProblemName
from timefair.statistics.run_count.skewness import Outliers, SkewnessRule

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
    assert _evaluation_cost(problem(evaluate), answer_s=0.2) == {}
    assert kernel.children() == before


SYMMETRIC = [1.0, 2.0, 3.0, 4.0, 5.0]


def measured(repetitions: Repetitions, result) -> list[tuple[int, int]]:
    """Measure until the job is over; `result(instance, run)` is what a run found."""
    order = []
    while (turn := repetitions.next()) is not None:
        order.append(turn)
        repetitions.add(turn[0], result(*turn))
    return order


def test_instances_take_turns_to_the_end_of_the_round():
    repetitions = Repetitions({4: [], 7: []}, more=2)
    assert measured(repetitions, lambda *_: 1.0) == [(4, 0), (7, 0), (4, 1), (7, 1)]
    assert repetitions.outcome()[0] == {"instance": 4, "runs": 2, "reason": None, "path": []}


def test_a_round_goes_on_where_the_rounds_before_ended():
    repetitions = Repetitions({1: [0.5, 0.5], 2: [0.1]}, more=1)
    assert repetitions.most == 2
    assert measured(repetitions, lambda *_: 1.0) == [(2, 1), (1, 2)]


def test_each_instance_is_ended_by_the_rule_on_its_own():
    rule = SkewnessRule(tau=0.05, outliers=Outliers.NONE, cap=8)
    skewed = [1.0, 1.0, 1.0, 1.0, 5.0, 50.0, 500.0, 5000.0]
    repetitions = Repetitions({1: [], 2: []}, more=8, rules={1: rule, 2: rule})
    order = measured(repetitions, lambda i, run: (SYMMETRIC if i == 1 else skewed)[run])
    assert [run for i, run in order if i == 1] == [0, 1, 2, 3, 4]
    assert [run for i, run in order if i == 2] == list(range(8))
    first, second = repetitions.outcome()
    assert (first["reason"], first["path"]) == ("met", [0.0])
    assert (second["reason"], len(second["path"])) == ("cap", 4)


def test_what_the_rounds_before_decided_is_not_run_again():
    rule = SkewnessRule(tau=0.05, outliers=Outliers.NONE)
    repetitions = Repetitions({1: SYMMETRIC}, more=20, rules={1: rule})
    assert repetitions.most == 0
    assert repetitions.next() is None
    assert repetitions.outcome()[0]["reason"] == "met"


def test_an_undefined_number_is_none_in_the_path():
    repetitions = Repetitions({1: []}, more=6, rules={1: SkewnessRule(0.1, Outliers.NONE, cap=6)})
    measured(repetitions, lambda _, run: math.inf if run == 0 else float(run))
    assert repetitions.outcome() == [
        {"instance": 1, "runs": 6, "reason": "cap", "path": [None, None]}
    ]


values = st.floats(0, 1e9) | st.just(math.inf)


@pytest.mark.slow
@given(st.lists(values, min_size=12, max_size=12), st.sampled_from(Outliers), st.integers(0, 12))
def test_online_and_offline_agree_on_the_n(sample, outliers, split):
    """In one round or in two: the same n, the same reason."""
    rule = SkewnessRule(tau=0.3, outliers=outliers, cap=12)
    repetitions = Repetitions({1: []}, more=12, rules={1: rule})
    measured(repetitions, lambda _, run: sample[run])
    offline = stopping(rule, sample)
    outcome = repetitions.outcome()[0]
    assert (outcome["runs"], outcome["reason"]) == (offline.n, offline.reason)

    first = Repetitions({1: []}, more=split, rules={1: rule})
    measured(first, lambda _, run: sample[run])
    second = Repetitions({1: sample[: first.outcome()[0]["runs"]]}, more=12, rules={1: rule})
    measured(second, lambda _, run: sample[run])
    assert second.outcome() == repetitions.outcome()
