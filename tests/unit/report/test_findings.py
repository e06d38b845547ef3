"""Who wins is said where it is sure, ties are said to be ties, and nothing is made up."""

import pandas as pd
import pytest

from timefair.report.conclusions import summed_up
from timefair.report.evidence import Evidence, Space
from timefair.report.findings import functions
from timefair.report.findings.by_runs import from_runs
from timefair.report.findings.functions import OnFunction, on_functions
from timefair.report.findings.ranked import by_rank, pairs_decided
from timefair.report.findings.results import by_cost
from timefair.report.findings.shares import how_far, within
from timefair.report.findings.situations import across, findings
from timefair.report.findings.standing import Standing, Verdict, judged

SPACE = Space("bbob", 2)
RANKED = ("ranks", "friedman")
QUICK_AND_SLOW = {"quick": 0.01, "slow": 0.5}


def test_the_quicker_of_two_wins_on_many_functions(evidence):
    standing = by_rank(evidence(QUICK_AND_SLOW, made=RANKED), SPACE, "seconds", "ERT")
    assert (standing.verdict, standing.leaders, standing.tied) == (Verdict.CLEAR, ("quick",), ())
    assert "Average rank 1 over 8 functions, then slow with 2." in standing.reason


def test_the_same_on_few_functions_is_not_sure(evidence):
    standing = by_rank(evidence(QUICK_AND_SLOW, functions=3, made=RANKED), SPACE, "seconds", "ERT")
    assert (standing.verdict, standing.leaders) == (Verdict.OPEN, ("quick",))
    assert standing.tied == ("slow",)
    assert "Friedman’s test finds no difference" in standing.reason


@pytest.mark.slow
def test_one_function_is_no_sample_of_functions(evidence):
    standing = by_rank(evidence(QUICK_AND_SLOW, functions=1), SPACE, "seconds", "ERT")
    assert standing.verdict is Verdict.UNTESTED
    assert standing.leaders == ("quick",)


@pytest.mark.slow
def test_who_is_close_is_tied_and_who_is_far_is_not(evidence):
    three = {"first": 0.01, "second": 0.011, "third": 0.012, "fourth": 0.2, "fifth": 0.5}
    standing = by_rank(evidence(three, functions=12, made=RANKED), SPACE, "seconds", "ERT")
    assert standing.verdict is Verdict.SHARED
    assert standing.leaders == ("first",)
    assert "second" in standing.tied
    assert not {"fourth", "fifth"} & {*standing.tied}


@pytest.mark.slow
def test_equal_algorithms_have_no_winner(evidence):
    known = evidence({"one": 5.0, "other": 5.0}, budget_s=0.2)
    standing = by_rank(known, SPACE, "seconds", "ERT")
    assert standing.verdict is Verdict.NOTHING
    assert standing.reason == "No algorithm reached any target."
    assert findings(known, SPACE).headline.startswith("There is no")


@pytest.mark.slow
def test_nobody_is_in_front_before_a_target_is_reached(evidence):
    at, standing = within(evidence(QUICK_AND_SLOW), SPACE, 0.0005)
    assert at == pytest.approx(0.0005)
    assert standing.verdict is Verdict.NOTHING


@pytest.mark.slow
def test_the_quicker_has_reached_more_early_and_the_same_late(evidence):
    known = evidence(QUICK_AND_SLOW)
    _, early = within(known, SPACE, 0.1)
    _, late = within(known, SPACE, 1.0)
    assert (early.verdict, early.leaders) == (Verdict.CLEAR, ("quick",))
    assert "100\u00a0%" in early.reason
    assert late.verdict is Verdict.NOTHING
    assert late.reason == "All algorithms have reached 100\u00a0% of the targets."


@pytest.mark.slow
def test_one_run_an_instance_is_not_tested(evidence):
    _, standing = within(evidence(QUICK_AND_SLOW, runs=2), SPACE, 0.1)
    assert standing.verdict is Verdict.UNTESTED


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize(("runs", "verdict"), [(4, Verdict.CLEAR), (3, Verdict.OPEN)])
def test_who_never_got_there_is_told_apart_by_its_rate(evidence, runs, verdict):
    known = evidence({"quick": 0.01, "never": 50.0}, functions=1, runs=runs)
    assert on_functions(known, SPACE)[0].standing.verdict is verdict


@pytest.mark.slow
def test_where_nobody_gets_anywhere_the_precision_decides(evidence):
    known = evidence({"A": 50.0, "B": 60.0}, functions=1)
    one = on_functions(known, SPACE)[0]
    assert one.criterion == "median precision at the end"
    assert one.standing.verdict is Verdict.NOTHING


@pytest.mark.slow
def test_how_far_ahead_is_read_from_the_profile(evidence):
    said = how_far(evidence(QUICK_AND_SLOW), SPACE, "quick")
    assert said.startswith("quick has the lowest cost on 100\u00a0%")
    assert "solves 100\u00a0% at all" in said


def test_too_few_functions_are_said_to_be_too_few(evidence):
    three = QUICK_AND_SLOW | {"slower": 0.6}
    assert "6 functions are too few to decide any of 3 pairs" in pairs_decided(
        evidence(three, functions=6, made=("comparison",)), SPACE
    )
    assert pairs_decided(evidence(three, functions=4, made=("comparison",)), SPACE) == ""


@pytest.mark.slow
def test_decided_pairs_are_counted(evidence):
    said = pairs_decided(evidence({"quick": 0.01, "never": 50.0}), SPACE)
    assert "1 of 1 pair is decided" in said
    assert said.endswith("all in favour of quick.")


def test_of_pairs_that_are_listed_in_part_it_is_said_which(evidence):
    many = {f"n{k:02}": 0.01 + 0.03 * k for k in range(13)}
    said = pairs_decided(evidence(many, runs=2, made=("comparison",)), SPACE)
    assert "any of 12 pairs with n00 by the precision" in said


@pytest.fixture
def reversing(evidence):
    """A function: the tables of a campaign with sure inversions over 8 functions."""

    def make(*pairs):
        rows = [
            {
                "suite": "bbob", "dimension": 2, "function": "all", "criterion": "fixed budget",
                "algorithm_a": a, "algorithm_b": b, "functions": 8, "evaluations": 340,
                "by_evaluations_a": on_a, "by_evaluations_b": 8 - on_a,
                "by_time_a": 0, "by_time_b": 8, "p_holm": p,
                "winner_by_evaluations": a, "winner_by_time": b, "significant": p <= 0.05,
            }
            for a, b, on_a, p in pairs
        ]  # fmt: skip
        known = evidence(QUICK_AND_SLOW, made=RANKED)
        return Evidence({**known.tables, "inversions": pd.DataFrame(rows)}, known.campaign)

    return make


def test_the_surest_reversal_of_an_order_is_stated(reversing):
    found = findings(reversing(("A", "B", 7, 0.04), ("slow", "quick", 8, 0.0312)), SPACE)
    assert found.reversal == (
        "Equal time reverses an order: with equal evaluations (in the median 340 per run), slow is "
        "better than quick on all 8 functions; with equal time, quick is better than slow on all 8 "
        "functions. Both orders are sure (p\u00a0=\u00a00.031)."
    )
    assert any("2 pairs surely have" in text and "slow and quick; A and B" in text
               for text in found.sentences)  # fmt: skip


def test_of_reversals_with_equal_p_values_the_one_on_more_functions_is_stated(reversing):
    found = findings(reversing(("A", "B", 7, 0.01), ("slow", "quick", 8, 0.01)), SPACE)
    assert "slow is better than quick on all 8 functions" in found.reversal
    other = findings(reversing(("A", "B", 7, 0.01)), SPACE)
    assert "A is better than B on 7 of 8 functions" in other.reversal
    assert any("1 pair surely has" in text for text in other.sentences)


def test_a_reversal_that_is_not_sure_is_not_stated(reversing):
    found = findings(reversing(("slow", "quick", 8, 0.06)), SPACE)
    assert found.reversal == ""
    assert not any("opposite orders" in text for text in found.sentences)


def test_the_first_screen_has_the_reversal(reversing):
    found = findings(reversing(("slow", "quick", 8, 0.01)), SPACE)
    alone = summed_up([found])
    assert alone.index("quick wins") < alone.index("Equal time reverses an order")
    several = summed_up([found, found])
    assert several.count("Equal time reverses an order") == 2


def test_the_sentence_over_all_functions_counts_each_of_them():
    leaders = ["A"] * 3 + ["B"] * 2 + ["C", "D", "E", "F"]
    found = [
        OnFunction(
            number, f"f{number}", "time", "1 s", 2.0, Standing(Verdict.CLEAR, (name,), (), "")
        )
        for number, name in enumerate(leaders)
    ]
    assert functions.summed_up(found).startswith(
        "Function by function, the first is A on 3, B on 2, C on 1, D on 1 and 2 other algorithms "
        "on 2 of 9 functions. On all"
    )
    assert "D on 1 and E on 1 of 8 functions" in functions.summed_up(found[:8])
    assert "other algorithm" not in functions.summed_up(found[:7])


@pytest.mark.slow
def test_one_algorithm_alone_is_compared_with_nobody(evidence):
    found = findings(evidence({"alone": 0.1}), SPACE)
    assert found.headline.startswith("One algorithm was measured")
    assert found.situations == found.functions == ()


def test_without_tables_nothing_is_said(evidence):
    found = findings(evidence(QUICK_AND_SLOW, made=("runs",)), SPACE)
    assert found.headline.startswith("No table ranks")
    assert found.sentences == found.situations == found.functions == ()


@pytest.mark.slow
def test_headlines(evidence):
    assert findings(evidence(QUICK_AND_SLOW), SPACE).headline.startswith("quick wins")
    few = findings(evidence(QUICK_AND_SLOW, functions=3), SPACE)
    assert few.headline.startswith(
        "quick wins on f1 sphere, f2 ellipsoid and f3 Rastrigin, by the runs: it is better than"
    )
    assert across([few]) == ""
    assert across([few, few]).startswith("Sure winners: quick")
    close = findings(evidence({"A": 0.1, "B": 0.1001}, functions=3), SPACE)
    assert close.headline.startswith(
        "There is no sure winner on f1 sphere, f2 ellipsoid and f3 Rastrigin, by the runs."
    )
    assert across([close, close]) == (
        "None of the 2 parts (suite and dimension) has a sure winner."
    )


@pytest.fixture
def uneven(evidence):
    """A function: a campaign on a machine that does not resolve ratios below a number."""

    def make(seconds, ratio, **keys):
        known = evidence(seconds, **keys)
        rows = [
            {"suite": "bbob", "dimension": 2, "function": function, "slowdown_max": 2.0,
             "slowdown_median": 1.5, "resolved_ratio": ratio}
            for function in (*map(str, known.campaign.problems.functions), "all")
        ]  # fmt: skip
        tables = {**known.tables, "resolution": pd.DataFrame(rows)}
        return Evidence(tables, known.campaign)

    return make


TWICE = {"quick": 0.1, "slow": 0.2}


@pytest.mark.slow
@pytest.mark.parametrize(("ratio", "verdict"), [(1.3, Verdict.CLEAR), (2.5, Verdict.OPEN)])
def test_times_that_the_machine_does_not_resolve_are_ties(uneven, ratio, verdict):
    """Half of the runs were disturbed, and the page ranked to three digits."""
    known = uneven(TWICE, ratio)
    standing = by_rank(known, SPACE, "seconds", "ERT")
    assert standing.verdict is verdict
    assert f"Ratios of times below {ratio} are ties" in standing.reason
    assert by_rank(known, SPACE, "evaluations", "ERT").verdict is not Verdict.CLEAR
    assert {one.standing.verdict for one in on_functions(known, SPACE)} == {verdict}
    _, early = within(known, SPACE, 0.15)
    assert early.verdict is verdict


@pytest.mark.slow
def test_intervals_of_times_are_widened_by_what_the_machine_does_not_resolve(evidence, uneven):
    sharp, blurred = (
        next(by_cost(known, SPACE, "seconds"))[2][0]
        for known in (evidence(TWICE), uneven(TWICE, 4.0))
    )
    assert (blurred.low, blurred.high) == pytest.approx((sharp.low / 2, sharp.high * 2))


@pytest.mark.slow
def test_how_far_ahead_counts_only_what_the_machine_resolves(uneven):
    said = how_far(uneven(TWICE, 1.5), SPACE, "quick")
    assert said.startswith("quick costs at most 1.5 times the best (the smallest ratio that")


@pytest.mark.slow
def test_one_function_is_decided_by_its_runs(evidence):
    """Six of nine readers were told "not tested"."""
    found = findings(evidence(QUICK_AND_SLOW, functions=1), SPACE)
    assert found.headline.startswith(
        "quick wins on f1 sphere, by the runs: it is better than every other"
    )
    assert Verdict.UNTESTED not in {one.standing.verdict for one in found.situations}
    by_want = {one.want: one for one in found.situations}
    seconds = by_want["You count seconds"]
    assert (seconds.standing.verdict, seconds.table) == (Verdict.CLEAR, "ert")
    assert by_want["You run it once"].table in ("comparison", "ranks")


def test_many_functions_are_decided_over_functions(evidence):
    found = findings(evidence(QUICK_AND_SLOW), SPACE)
    assert found.headline.startswith("quick wins over 8 functions: it is better than every other")


def _comparison(*better):
    """The rows of pairs A, B on functions 1, 2, ..."""
    return pd.DataFrame(
        [
            {"suite": "bbob", "dimension": 2, "function": str(k), "algorithm_a": "A",
             "algorithm_b": "B", "median_a": 1.0 + (one == "B"), "median_b": 1.0 + (one == "A"),
             "better": one}
            for k, one in enumerate(better, start=1)
        ]
    )  # fmt: skip


@pytest.mark.parametrize(
    ("better", "verdict", "leaders"),
    [
        (("A", "A"), Verdict.CLEAR, ("A",)),
        (("A", None), Verdict.CLEAR, ("A",)),
        (("A", "B"), Verdict.MIXED, ()),
        ((None, None), Verdict.NOTHING, ()),
    ],
)
def test_few_functions_are_decided_together(evidence, better, verdict, leaders):
    campaign = evidence({"A": 0.1, "B": 0.2}, functions=2, made=()).campaign
    known = Evidence({"comparison": _comparison(*better)}, campaign)
    standing, table = from_runs(known, SPACE, "precision", "Q.50")
    assert (standing.verdict, standing.leaders, table) == (verdict, leaders, "comparison")
    if verdict is Verdict.MIXED:
        assert standing.reason == ("Ahead of other algorithms: A on f1 sphere; B on f2 ellipsoid.")


def test_the_budget_is_that_of_the_dimension(evidence):
    """It was that of the largest dimension: 500 evaluations instead of 100."""
    known = evidence(
        QUICK_AND_SLOW, made=("ecdf",), budget={"evaluations_per_dimension": 50}, budget_s=1.0
    )
    at, _ = within(known, SPACE, 1.0)
    assert at == 100
    wants = [one.want for one in findings(known, SPACE).situations]
    assert wants == ["You have 1\u00a0evaluation", "You have 10\u00a0evaluations",
                     "You have 100\u00a0evaluations"]  # fmt: skip


@pytest.mark.slow
def test_who_failed_in_all_runs_is_named_apart(evidence):
    """The headline was that only the failed algorithm is surely behind."""
    known = evidence(QUICK_AND_SLOW | {"stuck": 50.0})
    for frame in known.tables.values():
        frame.attrs["failed"] = [["bbob", 2, "stuck"]]
    for name in ("ranks", "comparison"):
        rows = known.table(name)
        known.tables[name] = rows[~rows.eq("stuck").any(axis=1)]
    found = findings(known, SPACE)
    assert "stuck" not in found.headline
    assert found.sentences[0] == "stuck made no evaluation in any run and is not compared."
    fronts = [one.standing.front for one in (*found.situations, *found.functions)]
    assert not any("stuck" in front for front in fronts)


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
    assert said.endswith("(Wilcoxon, Holm), most often in favour of A (2).")
