"""Who wins is said where it is sure, ties are said to be ties, and nothing is made up."""

import pandas as pd
import pytest

from timefair.report.evidence import Evidence, Space
from timefair.report.findings.functions import on_functions
from timefair.report.findings.ranked import by_rank, pairs_decided
from timefair.report.findings.shares import how_far, within
from timefair.report.findings.situations import across, findings
from timefair.report.findings.standing import Verdict, judged

SPACE = Space("bbob", 2)
RANKED = ("ranks", "friedman")
QUICK_AND_SLOW = {"quick": 0.01, "slow": 0.5}


def test_the_quicker_of_two_wins_on_many_functions(evidence):
    standing = by_rank(evidence(QUICK_AND_SLOW, made=RANKED), SPACE, "seconds", "ERT")
    assert (standing.verdict, standing.leaders, standing.tied) == (Verdict.CLEAR, ("quick",), ())
    assert "Average rank 1 over 8 functions, then slow 2." in standing.reason


def test_the_same_on_few_functions_is_not_sure(evidence):
    standing = by_rank(evidence(QUICK_AND_SLOW, functions=3, made=RANKED), SPACE, "seconds", "ERT")
    assert (standing.verdict, standing.leaders) == (Verdict.OPEN, ("quick",))
    assert standing.tied == ("slow",)
    assert "Friedman’s test finds no difference" in standing.reason


def test_one_function_is_no_sample_of_functions(evidence):
    standing = by_rank(evidence(QUICK_AND_SLOW, functions=1), SPACE, "seconds", "ERT")
    assert standing.verdict is Verdict.UNTESTED
    assert standing.leaders == ("quick",)


def test_who_is_close_is_tied_and_who_is_far_is_not(evidence):
    three = {"first": 0.01, "second": 0.011, "third": 0.012, "fourth": 0.2, "fifth": 0.5}
    standing = by_rank(evidence(three, functions=12, made=RANKED), SPACE, "seconds", "ERT")
    assert standing.verdict is Verdict.SHARED
    assert standing.leaders == ("first",)
    assert "second" in standing.tied
    assert not {"fourth", "fifth"} & {*standing.tied}


def test_equal_algorithms_have_no_winner(evidence):
    known = evidence({"one": 5.0, "other": 5.0}, budget_s=0.2)
    standing = by_rank(known, SPACE, "seconds", "ERT")
    assert standing.verdict is Verdict.NOTHING
    assert standing.reason == "No algorithm reached any target."
    assert findings(known, SPACE).headline.startswith("There is no")


def test_nobody_is_in_front_before_a_target_is_reached(evidence):
    at, standing = within(evidence(QUICK_AND_SLOW), SPACE, 0.0005)
    assert at == pytest.approx(0.0005)
    assert standing.verdict is Verdict.NOTHING


def test_the_quicker_has_reached_more_early_and_the_same_late(evidence):
    known = evidence(QUICK_AND_SLOW)
    _, early = within(known, SPACE, 0.1)
    _, late = within(known, SPACE, 1.0)
    assert (early.verdict, early.leaders) == (Verdict.CLEAR, ("quick",))
    assert "100\u00a0%" in early.reason
    assert late.verdict is Verdict.NOTHING
    assert late.reason == "All have reached 100\u00a0% of the targets."


def test_one_run_an_instance_is_not_tested(evidence):
    _, standing = within(evidence(QUICK_AND_SLOW, runs=2), SPACE, 0.1)
    assert standing.verdict is Verdict.UNTESTED


def test_on_a_function_intervals_decide(evidence):
    far, near = (
        on_functions(evidence(QUICK_AND_SLOW, functions=1), SPACE),
        on_functions(evidence({"A": 0.1, "B": 0.101}, functions=1), SPACE),
    )
    assert far[0].standing.verdict is Verdict.CLEAR
    assert far[0].criterion == "time to 0.1"
    assert far[0].factor == pytest.approx(50, rel=0.1)
    assert near[0].standing.verdict is Verdict.OPEN
    assert len(near[0].standing.front) == 2


@pytest.mark.parametrize(("runs", "verdict"), [(4, Verdict.CLEAR), (3, Verdict.OPEN)])
def test_who_never_got_there_is_told_apart_by_its_rate(evidence, runs, verdict):
    known = evidence({"quick": 0.01, "never": 50.0}, functions=1, runs=runs)
    assert on_functions(known, SPACE)[0].standing.verdict is verdict


def test_where_nobody_gets_anywhere_the_precision_decides(evidence):
    known = evidence({"A": 50.0, "B": 60.0}, functions=1)
    one = on_functions(known, SPACE)[0]
    assert one.criterion == "median precision at the end"
    assert one.standing.verdict is Verdict.NOTHING


def test_how_far_ahead_is_read_from_the_profile(evidence):
    said = how_far(evidence(QUICK_AND_SLOW), SPACE, "quick")
    assert said.startswith("quick has the lowest cost on 100\u00a0%")
    assert "solves 100\u00a0% at all" in said


def test_too_few_functions_are_said_to_be_too_few(evidence):
    assert "4 functions are too few to decide any of 1 pair" in pairs_decided(
        evidence(QUICK_AND_SLOW, functions=4), SPACE
    )


def test_decided_pairs_are_counted(evidence):
    said = pairs_decided(evidence({"quick": 0.01, "never": 50.0}), SPACE)
    assert "1 of 1 pair is decided" in said
    assert said.endswith("all for quick.")


def test_of_pairs_that_are_listed_in_part_it_is_said_which(evidence):
    many = {f"n{k:02}": 0.01 + 0.03 * k for k in range(13)}
    said = pairs_decided(evidence(many, runs=2, made=("comparison",)), SPACE)
    assert "any of 12 pairs with n00 by the precision" in said


def test_one_algorithm_alone_is_compared_with_nobody(evidence):
    found = findings(evidence({"alone": 0.1}), SPACE)
    assert found.headline.startswith("One algorithm was measured")
    assert found.situations == found.functions == ()


def test_without_tables_nothing_is_said(evidence):
    found = findings(evidence(QUICK_AND_SLOW, made=("runs",)), SPACE)
    assert found.headline.startswith("Nothing ranks")
    assert found.sentences == found.situations == found.functions == ()


def test_headlines(evidence):
    assert findings(evidence(QUICK_AND_SLOW), SPACE).headline.startswith("quick wins")
    few = findings(evidence(QUICK_AND_SLOW, functions=3), SPACE)
    assert few.headline.startswith("There is no sure winner. quick has")
    assert across([few]) == ""
    assert across([few, few]) == "None of the 2 spaces has a sure winner."


def test_who_is_tied_alike_is_named_as_it_comes():
    """Not as a set has it, which differs from process to process."""
    values = {"first": 1.0} | dict.fromkeys("hgfedcba", 2.0) | {"last": 9.0}
    assert judged(values, "abcdefgh", "").tied == tuple("hgfedcba")


def test_the_pair_that_is_decided_most_often_need_not_be_most_of_them(evidence):
    known = evidence(QUICK_AND_SLOW)
    rows = pd.DataFrame({"suite": "bbob", "dimension": 2, "function": "all", "n_a": 9,
                         "better": ["A", "A", "B", "C", None]})  # fmt: skip
    said = pairs_decided(Evidence({"comparison": rows}, known.campaign), SPACE)
    assert "4 of 5 pairs are decided" in said
    assert said.endswith("(Wilcoxon, Holm), most often for A (2).")
