"""Answers by intervals and a margin, in a family, and at several looks."""

import numpy as np
import pytest
from scipy import stats

from timefair.extensions.compare.answers import (
    Answer,
    Change,
    Design,
    Law,
    Loss,
    judge,
    judge_family,
    look_levels,
    simulate,
)

MARGIN = 0.1


@pytest.mark.parametrize(
    ("estimate", "error", "answer"),
    [
        (0.2, 0.01, Answer.WORSE),
        (-0.2, 0.01, Answer.BETTER),
        (0.0, 0.01, Answer.EQUAL),
        (0.05, 0.01, Answer.EQUAL),  # different, and by less than matters
        (0.0, 0.2, Answer.UNDECIDED),  # no significance is not equality
        (0.2, 0.1, Answer.UNDECIDED),  # different, perhaps by less than matters
        (0.1, 0.001, Answer.UNDECIDED),
        (0.0, 0.0, Answer.EQUAL),
        (0.3, 0.0, Answer.WORSE),
    ],
)
def test_the_answer_is_where_the_interval_lies(estimate, error, answer):
    found = judge(Change(estimate, error, 100), MARGIN, 0.05)
    assert found.answer is answer
    assert judge_family([Change(estimate, error, 100)], MARGIN, 0.05) == [found]


def test_a_family_is_judged_at_holms_levels():
    t = stats.t(30)
    near = Change(MARGIN + 0.05 * t.isf(0.04 / 2), 0.05, 30)  # decided at 0.04
    sure = Change(1.0, 0.05, 30)
    assert [one.answer for one in judge_family([near, near], MARGIN, 0.05)] == [
        Answer.UNDECIDED
    ] * 2
    assert [one.answer for one in judge_family([near, sure], MARGIN, 0.05)] == [Answer.WORSE] * 2


def test_the_levels_of_the_looks_add_up():
    levels = look_levels(0.05, 5)
    assert levels.sum() == pytest.approx(0.05)
    assert (np.diff(levels) > 0).all()
    assert look_levels(0.05, 1).tolist() == [0.05]
    with pytest.raises(ValueError, match="at least 1, not 0"):
        look_levels(0.05, 0)


SAMPLES = 250
DEFAULT = Design(functions=4, runs=120, looks=4, ratio=1.05, level=0.05, paired=True, jobs=5)
"""The comparison of a campaign that `timefair init --for-optimizer` writes."""


def shares(loss: Loss, paired: bool = True, law: Law = Law()) -> dict[Answer, float]:  # noqa: B008
    design = Design(**{**vars(DEFAULT), "paired": paired})
    rng = np.random.default_rng(17)
    return simulate(design, law, loss, samples=SAMPLES, rng=rng).shares


def at_most(rate: float) -> float:
    """A share of the samples that a rate exceeds with probability 0.001."""
    return float(stats.binom.isf(0.001, SAMPLES, rate)) / SAMPLES


@pytest.mark.slow
@pytest.mark.thinned(5)
@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("success", [0.5, 0.8, 0.95])
def test_equal_versions_are_rarely_found_to_differ(paired, success):
    found = shares(Loss(), paired, Law(success=success))
    assert found[Answer.WORSE] + found[Answer.BETTER] <= at_most(0.05)


@pytest.mark.slow
@pytest.mark.thinned(3)
@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("slowdown", [1.05, 1 / 1.05])
def test_no_answer_is_more_often_wrong_than_its_level_on_a_limit_of_the_margin(paired, slowdown):
    assert shares(Loss(slowdown=slowdown), paired)[Answer.UNDECIDED] >= 1 - at_most(0.05)


@pytest.mark.slow
def test_a_slowdown_of_a_tenth_is_found():
    assert shares(Loss(slowdown=1.1))[Answer.WORSE] >= 1 - at_most(0.1)


@pytest.mark.slow
@pytest.mark.thinned(2)
@pytest.mark.parametrize(("paired", "success"), [(True, 0.5), (False, 0.8)])
def test_a_loss_of_a_fifth_of_the_successes_is_found(paired, success):
    assert shares(Loss(lost=0.2), paired, Law(success=success))[Answer.WORSE] >= 0.95
