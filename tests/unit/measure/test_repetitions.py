"""Which run is next, and when an instance has had enough."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from run_counts import stopping

from timefair.measure.job.cell import Repetitions
from timefair.statistics.run_count.skewness import Outliers, SkewnessRule

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
