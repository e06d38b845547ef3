"""What a report finds and warns of."""

import pandas as pd
import pytest

from timefair.exhibits import unknown_optimum
from timefair.report import findings as all_findings
from timefair.report.account import setup
from timefair.report.cautions import cautions
from timefair.report.evidence import Evidence, Space
from timefair.report.exhibits import pictures
from timefair.report.findings import (
    OnFunction,
    Pairs,
    Standing,
    Verdict,
    across,
    findings,
    how_far,
    on_each,
    on_functions,
    standing_of,
    together,
)
from timefair.report.markup import Names
from timefair.report.page import page, summed_up, verdicts, warned

SPACE = Space("bbob", 2)
COMPARED = ("comparison", "ert")
QUICK_AND_SLOW = {"quick": 0.01, "slow": 0.5}


def by_time(known):
    return standing_of(known, SPACE, "seconds", "ERT")


def test_the_quicker_of_two_wins_on_many_functions_and_on_each_of_few(evidence):
    standing = by_time(evidence(QUICK_AND_SLOW, made=COMPARED))
    assert (standing.verdict, standing.leaders, standing.tied) == (Verdict.CLEAR, ("quick",), ())
    assert standing.reason == (
        "Average rank 1, then slow with 2. Wilcoxon over 8 functions, corrected for 1 pair and all "
        "criteria: p\u00a0=\u00a00.0078."
    )
    few = by_time(evidence(QUICK_AND_SLOW, functions=3, made=COMPARED))
    assert (few.verdict, few.leaders) == (Verdict.CLEAR, ("quick",))
    assert few.basis == "on f1 sphere, f2 ellipsoid and f3 Rastrigin"


def test_on_several_functions_an_algorithm_that_is_tied_on_some_is_not_said_to_have_all_large_p():
    tested = ("T", (0.001, 0.02), (0.6,), "on f1 and f2")
    alone = Standing(Verdict.SHARED, ("A",), ("B",), "", *tested).tested
    each = Standing(Verdict.SHARED, ("A",), ("B",), "", *tested, on_each=True).tested
    assert alone.endswith("against those behind, p\u00a0=\u00a00.6 against B")
    assert each.endswith("against those behind, p\u00a0=\u00a00.6 elsewhere")


@pytest.mark.slow
def test_equal_algorithms_have_no_winner(evidence):
    known = evidence({"one": 5.0, "other": 5.0}, budget_s=0.2)
    assert by_time(known).verdict is Verdict.NOTHING
    assert findings(known, SPACE).headline.startswith("There is no winner by the")


@pytest.mark.slow
def test_the_quicker_has_reached_more_early_and_the_same_late(evidence):
    known = evidence(QUICK_AND_SLOW)
    early, late = (standing_of(known, SPACE, "targets", share) for share in ("10 %", "100 %"))
    assert (early.verdict, early.leaders) == (Verdict.CLEAR, ("quick",))
    assert early.reason.startswith("100\u00a0% of the targets reached, then slow with")
    assert late.verdict is Verdict.NOTHING
    assert late.reason == "All algorithms have reached 100\u00a0% of the targets."
    said = how_far(known, SPACE, "quick")
    assert said.startswith("quick has the lowest cost on 100\u00a0%")
    assert "reaches 100\u00a0% in at least one run" in said


def test_on_a_function_the_runs_decide(evidence):
    far, near = (
        next(on_functions(evidence(of, functions=2, made=COMPARED), SPACE))
        for of in (QUICK_AND_SLOW, {"A": 0.1, "B": 0.101})
    )
    assert far.standing.verdict is Verdict.CLEAR
    assert (far.criterion, far.successes) == ("time to 0.1", "10 of 10")
    assert far.factor == pytest.approx(50, rel=0.1)
    assert near.standing.verdict is Verdict.OPEN
    assert len(near.standing.front) == 2


@pytest.fixture
def reversing(evidence):
    """A function: the tables of a campaign with significant rank reversals over 8 functions."""

    def make(*pairs):
        rows = [
            {
                "suite": "bbob", "dimension": 2, "function": "all", "criterion": "fixed budget",
                "algorithm_a": a, "algorithm_b": b, "functions": 8, "evaluations": 340,
                "by_evaluations_a": on_a, "by_evaluations_b": 8 - on_a,
                "by_time_a": 0, "by_time_b": 8, "p_adjusted": p,
                "winner_by_evaluations": a, "winner_by_time": b, "significant": p <= 0.05,
            }
            for a, b, on_a, p in pairs
        ]  # fmt: skip
        known = evidence(QUICK_AND_SLOW, made=COMPARED)
        return Evidence({**known.tables, "rank_reversals": pd.DataFrame(rows)}, known.campaign)

    return make


def test_the_most_significant_reversal_of_an_order_is_stated(reversing):
    found = findings(reversing(("A", "B", 7, 0.04), ("slow", "quick", 8, 0.0312)), SPACE)
    assert found.reversal == (
        "Equal time reverses an order: with equal evaluations (as many as every run of both made, "
        "340 in the median), slow is better than quick on 8 of 8 functions; with equal time, "
        "quick is better than slow on 8 of 8 functions. Both orders are significant "
        "(p\u00a0=\u00a00.031, Wilcoxon, Bonferroni)."
    )
    assert findings(reversing(("slow", "quick", 8, 0.06)), SPACE).reversal == ""
    alone = summed_up([found])
    assert alone.index("quick wins") < alone.index("Equal time reverses an order")
    several = summed_up([found, found])
    assert several.count("Equal time reverses an order") == 2
    assert "<details>" not in several
    assert "<details>" in summed_up([found] * 4)  # else no picture is on the first screen


def test_the_sentence_over_all_functions_counts_each_of_them():
    standings = [Standing(Verdict.CLEAR, (name,), (), "") for name in "AAABBC"]
    few = Standing(Verdict.OPEN, (), ("A", "B"), "", "too few runs to decide any of 6 tests")
    found = [
        OnFunction(k, f"f{k}", "time", "1 s", 2.0, "", one)
        for k, one in enumerate([*standings, few, few])
    ]
    assert all_findings.summed_up(found) == (
        "On single functions, the algorithm that is significantly better than every other one is "
        "A on 3, B on 2 and C on 1 of 8 functions. On 2 of them, no algorithm is."
    )
    assert all_findings.summed_up(found[6:]).endswith("one: too few runs to decide any of 6 tests.")


def test_without_seconds_no_sentence_counts_them(evidence, monkeypatch):
    """Tables without seconds had a row on seconds: "all algorithms have the same result"."""
    known = evidence(QUICK_AND_SLOW, functions=2, made=COMPARED)
    names = Names.of(QUICK_AND_SLOW)
    assert "by time" in pictures(known, names)
    monkeypatch.setattr(type(known.campaign), "lacks", ("seconds",))
    measures = {one.measure for one in findings(known, SPACE).situations}
    assert measures == {"evaluations", "precision", "targets"}
    assert "by time" not in pictures(known, names)


def test_headlines(evidence):
    many = findings(evidence(QUICK_AND_SLOW, made=COMPARED), SPACE)
    assert many.headline.startswith(
        "quick wins over 8 functions, by the expected seconds to the targets: it is "
        "significantly better than slow (Wilcoxon over 8 functions"
    )
    few = findings(evidence(QUICK_AND_SLOW, functions=3, made=COMPARED), SPACE)
    assert few.headline.startswith("quick wins on f1 sphere, f2 ellipsoid and f3 Rastrigin, by")
    assert across([few]) == ""
    assert across([few, few]).endswith("(suite and dimension): quick in 2.")
    close = findings(evidence({"A": 0.1, "B": 0.1001}, functions=3, made=COMPARED), SPACE)
    assert close.headline.startswith(
        "There is no significant winner on f1 sphere, f2 ellipsoid and f3 Rastrigin, by the "
    )
    assert "no algorithm leads significantly" in close.headline
    assert across([close, close]) == (
        "None of the 2 parts (suite and dimension) has a significant winner."
    )


@pytest.mark.slow
@pytest.mark.parametrize(("slowest", "verdict"), [(1.02, Verdict.CLEAR), (4.0, Verdict.OPEN)])
def test_times_within_the_timing_noise_are_ties(evidence, slowest, verdict):
    """Half of the runs were perturbed, and the page ranked to three digits."""
    known = evidence({"quick": 0.1, "slow": 0.2}, made=COMPARED, slowest=slowest)
    assert by_time(known).verdict is verdict
    assert {one.standing.verdict for one in on_functions(known, SPACE)} == {verdict}
    early = standing_of(known, SPACE, "targets", "10 %")
    assert early.verdict is (Verdict.OPEN if verdict is Verdict.OPEN else Verdict.CLEAR)


def test_on_one_function_the_headline_is_that_of_a_single_run(evidence):
    """The headline named one algorithm by the ERT, and every row of "for whom" another one."""
    known = evidence({"quick": 0.01, "never": 50.0}, functions=1, made=COMPARED)
    found = findings(known, SPACE)
    assert found.headline.startswith(
        "quick wins on f1 sphere, by the precision at the end, median run: it is significantly "
        "better than never (Mann-Whitney test of the runs"
    )
    assert found.functions == ()
    some = QUICK_AND_SLOW | {"never": 50.0}
    for equal in (QUICK_AND_SLOW, some):  # all or two of them have the same precision
        found = findings(evidence(equal, functions=1, made=COMPARED), SPACE)
        assert found.headline.startswith("quick wins on f1 sphere, by the expected seconds")


def _comparison(*better, target=1.0):
    """The rows of the pair A, B on functions 1, 2, ..., and over them."""
    rows = [
        {"suite": "bbob", "dimension": 2, "measure": measure, "criterion": criterion,
         "function": str(k), "algorithm_a": "A", "algorithm_b": "B",
         "n_a": len(better) if k == "all" else 10, "n_b": len(better) if k == "all" else 10,
         "tests": 2, "within": float("nan"), "target": float("nan") if k == "all" else target,
         "value_a": 1.0 + (one == "B"), "value_b": 1.0 + (one == "A"),
         "differences": int(one is not None), "p_adjusted": 0.01 if one else 0.4,
         "better": one if k != "all" else None}
        for measure, criterion in (("seconds", "ERT"), ("precision", "Q.50"))
        for k, one in [*enumerate(better, start=1), ("all", None)]
    ]  # fmt: skip
    return pd.DataFrame(rows)


@pytest.mark.parametrize(
    ("better", "verdict", "leaders"),
    [
        (("A", "A"), Verdict.CLEAR, ("A",)),
        (("A", None), Verdict.MIXED, ()),
        ((None, "A"), Verdict.MIXED, ()),
        (("A", "B"), Verdict.MIXED, ()),
        ((None, None), Verdict.NOTHING, ()),
    ],
)
def test_functions_are_not_pooled_into_one_verdict(evidence, better, verdict, leaders):
    """A lead on one function made a sure winner on all."""
    campaign = evidence({"A": 0.1, "B": 0.2}, functions=2, made=()).campaign
    known = Evidence({"comparison": _comparison(*better)}, campaign)
    standing = standing_of(known, SPACE, "precision", "Q.50")
    assert (standing.verdict, standing.leaders) == (verdict, leaders)
    if better == (None, "A"):  # the first function has no test to name
        assert standing.tested == (
            "Mann-Whitney test of the runs, corrected for 2 tests and all criteria: "
            "p\u00a0=\u00a00.01"
        )
    if better == ("A", "B"):
        assert standing.values == (
            "Significantly better than others: A on f1 sphere; B on f2 ellipsoid."
        )
    if better == ("A", None):
        headline = findings(known, SPACE).headline
        assert headline.startswith("The result depends on the function")
        assert headline.endswith("others: A on f1 sphere; none on f2 ellipsoid.")


def test_a_lead_that_decides_nothing_does_not_depend_on_the_function():
    """The best was ahead of nobody, and the label was "depends on the function"."""
    of = [
        Pairs(function, {"A": 1.0, "B": 2.0, "C": 3.0}, dict(better), {}, True, 2, 6, 1e-5, 0.05)
        for function, better in (("1", {}), ("2", {("B", "C"): 0.01}), ("all", {}))
    ]
    one, other = (pairs.standing("", "test") for pairs in of[:2])
    standing = together({"f1": (of[0], one), "f2": (of[1], other)}, of[2])
    assert (standing.verdict, standing.leaders) == (Verdict.OPEN, ())
    assert standing.tied[0] == "A"


def test_the_p_of_equal_values_that_runs_do_not_decide_is_named():
    """The test was named without its p-value."""
    values, undecided = {"A": 1.0, "B": 1.0}, {("A", "B"): 0.7, ("B", "A"): 0.7}
    standing = Pairs("1", values, {}, undecided, True, 1, 1, 1e-5, 0.05).standing("", "test")
    assert (standing.verdict, standing.tied) == (Verdict.OPEN, ("A", "B"))
    assert standing.tested == "test, corrected for 1 test and all criteria: p\u00a0=\u00a00.7"


def test_who_is_behind_on_some_functions_only_is_not_called_level(evidence):
    """A leads on both; B is behind on each and C on one: "not than C" was true of one only."""
    of = [
        Pairs(str(k), {"A": 1.0, "B": 2.0, "C": 3.0}, dict.fromkeys(better, 0.01),
              {("A", "C"): 0.3}, True, 1, 6, 1e-5, 0.05)
        for k, better in ((1, [("A", "B"), ("A", "C")]), (2, [("A", "B")]), (0, []))
    ]  # fmt: skip
    one, other = (pairs.standing("on f", "test") for pairs in of[:2])
    standing = together({"f1": (of[0], one), "f2": (of[1], other)}, of[2])
    assert (standing.verdict, standing.leaders, standing.tied) == (Verdict.SHARED, ("A",), ("C",))
    campaign = evidence({"A": 0.1, "B": 0.2, "C": 0.3}, functions=2, made=()).campaign
    main = all_findings.Situation("", "cost", "seconds", "ERT", standing)
    said = all_findings._verdict(Evidence({}, campaign), SPACE, main)
    assert "better than B on each, but not than C on each (" in said


def test_a_wrong_optimum_is_said_at_the_end_also_without_a_verdict(evidence):
    known = evidence(QUICK_AND_SLOW, made=COMPARED)
    ert = known.table("ert").copy()
    alone = Evidence({"ert": ert}, known.campaign)
    assert verdicts([findings(alone, SPACE)]) == []
    ert.attrs = ert.attrs | {unknown_optimum.REFUTED: [REFUTED]}
    (line,) = verdicts([findings(alone, SPACE)])
    assert line.startswith(
        "The optimum (f_opt) is wrong on f1 sphere: this function decides nothing."
    )


REFUTED = {"suite": "bbob", "dimension": 2, "function": 1, "instance": 1, "f": -2.0, "f_opt": 0.0,
           "algorithm": "quick", "run": 0}  # fmt: skip


def test_a_function_with_a_wrong_optimum_decides_nothing(evidence):
    known = evidence(QUICK_AND_SLOW, functions=3, made=COMPARED)
    for frame in known.tables.values():
        frame.attrs[unknown_optimum.REFUTED] = [REFUTED]
    first, *others = on_functions(known, SPACE)
    assert first.standing.verdict is Verdict.NOTHING
    assert first.standing.reason == "Its optimum (f_opt) is wrong, so nothing is decided."
    assert {one.standing.verdict for one in others} == {Verdict.CLEAR}
    assert by_time(known).basis == "on f2 ellipsoid and f3 Rastrigin"
    one = {
        name: rows[rows["function"].isin(["1", "all", 1])] for name, rows in known.tables.items()
    }
    for frame in one.values():
        frame.attrs[unknown_optimum.REFUTED] = [REFUTED]
    alone = Evidence(one, known.campaign)
    rows = alone.table("comparison")
    rows.loc[rows["function"] == "all", ["n_a", "n_b"]] = 0
    rows.loc[rows["measure"] == "evaluations", "target"] = float("nan")
    found = findings(alone, SPACE)
    assert found.headline == (
        "The optimum (f_opt) is wrong on f1 sphere: this function decides nothing."
    )
    assert {one.standing.values for one in found.situations} == {
        "The optimum (f_opt) is wrong, so nothing is decided."
    }
    assert pictures(alone, Names.of(QUICK_AND_SLOW)) == ""
    assert "Few functions" not in cautions(alone)


def test_so_few_functions_that_no_test_over_them_decides(evidence):
    """With 6 functions and 3 pairs, the smallest p-value over the functions is 0.094."""
    three = {"quick": 0.1, "slow": 5.0, "slower": 50.0}
    six = evidence(three, functions=6, made=COMPARED)
    assert by_time(six).basis == "on each of the 6 functions"
    assert (by_time(six).verdict, by_time(six).leaders) == (Verdict.CLEAR, ("quick",))
    few = cautions(six)["Few functions"]
    assert "the smallest p-value of a test over them is 0.0938 for 3 pairs" in few


def test_functions_that_decide_a_pair_that_is_open_over_them(evidence):
    known = evidence(QUICK_AND_SLOW, made=COMPARED)
    rows = known.table("comparison")
    over = (rows["function"] == "all") & (rows["measure"] == "seconds")
    rows.loc[over, ["better", "p_adjusted"]] = [None, 0.06]
    assert findings(known, SPACE).headline.endswith(
        "On single functions, quick is significantly better than slow on 8 of 8 and worse on none: "
        "this holds for new runs on these functions, and 8 functions do not show it for others."
    )


def test_without_a_reached_target_precisions_decide(evidence):
    """The verdict was "by the expected seconds to the targets", by a score test of ERTs."""
    campaign = evidence({"A": 0.1, "B": 0.2}, functions=2, made=()).campaign
    known = Evidence({"comparison": _comparison("A", "A", target=float("nan"))}, campaign)
    assert by_time(known).values == "No run has reached a target."
    found = findings(known, SPACE)
    assert found.headline.startswith("A wins on f1 sphere and f2 ellipsoid, by the precision at")
    standings = [standing for _, standing in on_each(known, SPACE, "seconds", "ERT")]
    assert [one.test.startswith("Mann-Whitney") for one in standings] == [True, True]
    caution = cautions(known)["Unreached targets"]
    assert caution.startswith("On 2 of 2 functions (bbob, 2 dimensions), no run has reached a")


@pytest.mark.slow
def test_who_failed_in_all_runs_is_named_apart(evidence):
    """The headline was that only the failed algorithm is surely behind."""
    known = evidence(QUICK_AND_SLOW | {"stuck": 50.0})
    for frame in known.tables.values():
        frame.attrs["failed"] = [["bbob", 2, "stuck"]]
    found = findings(known, SPACE)
    assert "stuck" not in found.headline
    assert cautions(known)["Failed runs"].startswith("stuck made no evaluation in any run (bbob, ")
    fronts = [one.standing.front for one in (*found.situations, *found.functions)]
    assert not any("stuck" in front for front in fronts)


def test_the_first_screen_says_the_most_important_caution():
    few = {"Few runs": "Every algorithm has only 4 runs on a function. Intervals are wide."}
    assert warned(few) == (
        '<p class="brief"><a href="#cautions">1 caution</a>: Every algorithm has only 4 runs on a '
        "function.</p>\n"
    )
    others = {"Speed": "It varied.", "Checklist": "1 of 8 items is not met."}
    assert warned(few | others).endswith("on a function; also speed and checklist.</p>\n")
    assert warned({}) == ""


@pytest.mark.slow
def test_few_runs_and_few_functions(evidence):
    said = cautions(evidence({"A": 0.1, "B": 0.2}, functions=2, runs=4))
    assert said["Few runs"].startswith("Every algorithm has only 4 runs on a function.")
    assert said["Few functions"].startswith("2 functions are too few for verdicts")


@pytest.mark.slow
def test_a_good_campaign_needs_no_caution_but_remarks_on_its_runs_are_told(evidence):
    """Its made runs are all the same."""
    known = evidence({"A": 0.1, "B": 0.2})
    assert set(cautions(known)) <= {"Unmet items of the checklist", "Equal runs"}
    runs = known.table("runs")
    runs.loc[runs["algorithm"] == "B", "message"] = "killed at T after 1 evaluations."
    (reason,) = runs.loc[runs["algorithm"] == "B", "stop_reason"]
    assert cautions(known)["Remarks on runs"] == (
        f"Among the 80 runs of B with the stop reason {reason}: killed at T after 1 evaluations."
    )


@pytest.mark.slow
def test_launches_that_the_budget_always_stopped_are_told(evidence):
    known = evidence({"A": 0.1, "B": 0.2}, made=("runs", "restarts"))
    assert "Launches cut short" not in cautions(known)
    algorithms = known.campaign.algorithms
    algorithms["B"] = algorithms["B"].model_copy(update={"schedule": {"Max_iter": 500}})
    rows = known.table("restarts")
    rows.loc[rows["algorithm"] == "B", ["length_median", "stopped_at"]] = 500.0, 0.4
    assert cautions(known)["Launches cut short"] == (
        "B never completed a launch: it was stopped at 40\u00a0% of its schedule. A smaller "
        "Max_iter suits the budget, as schedule: {Max_iter: fill} finds."
    )
    assert "<td>Max_iter = 500 (given)</td>" in setup(known, Names.of("AB"))
    rows.loc[rows["algorithm"] == "B", "completed_restarts_mean"] = 0.1
    assert "Launches cut short" not in cautions(known)


@pytest.mark.slow
def test_failed_and_perturbed_runs_are_counted(evidence):
    known = evidence({"A": 0.1, "B": 0.2})
    runs = known.table("runs")
    runs.loc[runs["algorithm"] == "B", "status"] = "crashed"
    for frame in known.tables.values():
        frame.attrs["perturbed"] = "3 of 160 runs were perturbed and are included."
    perturbation = known.table("perturbation")
    perturbation.loc[perturbation["algorithm"] == "B", "perturbed"] = 3
    said = cautions(known)
    assert (
        said["Failed runs"]
        == "80 runs of B (crashed) failed. Their results up to the failure are used."
    )
    assert (
        said["Perturbed runs"]
        == "3 of 160 runs were perturbed and are included. B has the most: 3 of 80."
    )
    known.table("comparison").attrs["unperturbed"] = "Without them, nothing changes."
    assert "included; without them, nothing changes. B has" in cautions(known)["Perturbed runs"]
    known.table("comparison").attrs["unperturbed"] = ""
    perturbation["perturbed"] = 70
    text = cautions(known)["Perturbed runs"]
    assert "are included: the times are those of a shared machine. " in text
    assert "this is the normal state of the machine" in text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"shared": 80}, "Runs of B share files, because the campaign allows it"),
        ({"watched": 80, "with_names": 3, "watched_because": "no"}, "of B, files appeared"),
        ({"watched": 80, "appeared_in_trial": "x", "watched_because": "no"}, "folders (no)."),
        ({"watched": 80}, None),
    ],
)
def test_state_that_runs_carry_over(evidence, changes, words):
    known = evidence({"A": 0.1, "B": 0.2})
    rows = known.table("leftovers")
    for column, value in changes.items():
        rows.loc[rows["algorithm"] == "B", column] = value
    text = cautions(known).get("Carried-over state")
    assert (text is None) if words is None else (words in text)


def test_equal_runs_and_what_a_second_is_are_cautions(evidence):
    known = evidence({"A": 0.1, "B": 0.2})
    known.table("comparison").attrs["repeated"] = ["B"]
    known.table("ert").attrs["published"] = "Seconds of B are those of another machine times 0.5."
    said = cautions(known)
    assert said["Equal runs"].startswith("All runs of B on a problem are the same")
    assert said["Seconds"] == "Seconds of B are those of another machine times 0.5."
    mixed = {"ancillary": "amortised", "mixed": "allow"}
    said = cautions(evidence({"A": 0.1, "B": 0.2}, made=(), statistics=mixed))
    assert said["Seconds"] == "Seconds include each run’s share of tuning and preparation."
    assert "different machines" in said["Mixed records"]


@pytest.mark.slow
def test_an_unknown_optimum_is_the_first_thing_said(evidence):
    found = evidence({"A": 0.1, "B": 0.3})
    for frame in found.tables.values():
        frame.attrs |= {unknown_optimum.KIND: "unknown", unknown_optimum.TARGETS: "share"}
    topic, text = next(iter(cautions(found).items()))
    assert topic == "Unknown optimum"
    assert "At least one run reaches it by construction" in text
    assert "target_values" in text
    text = page(found.tables, {}, found.campaign)
    for part in ("findings", "figures"):
        section = text.split(f'id="{part}"')[1].split("</section>")[0]
        assert "gap" in section
        assert "recision" not in section
