"""Ranks, tests, comparisons and rank reversals, on campaigns small enough to count by hand."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from timefair.exhibits.comparisons.comparison import reversals
from timefair.exhibits.registry import TABLES
from timefair.records.rundata.problems import evaluations_allowed, precision_at, problems
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.statistics.rank_tests import friedman, posthoc
from timefair.statistics.two_samples import a12, equal_ert, mann_whitney, wilcoxon

ANALYSIS = Analysis(targets=(1.0, 0.1))
NAMES = ("ranks", "friedman", "posthoc", "comparison", "rankings", "rank_reversals")
PAIR = ["algorithm_a", "algorithm_b"]


def made(name, table, analysis=ANALYSIS):
    return TABLES[name](Runs.of(table), analysis)


def of_medians(comparison):
    """The rows of the median precision at the end."""
    return comparison.query("measure == 'precision' and criterion == 'Q.50'")


@pytest.fixture
def sample(run):
    """A function: runs of an algorithm that end with the given precisions, found half-way."""

    def make(algorithm, precisions, **changes):
        return [
            run([(50, 0.5, q)] if np.isfinite(q) else [], run=k, algorithm=algorithm, **changes)
            for k, q in enumerate(precisions)
        ]

    return make


@pytest.fixture
def hare_and_tortoise(run, table):
    """The hare needs 10 evaluations of 0.05 s to 0.1, the tortoise 100 of 1 ms."""
    hare = [
        run([(1, 0.05, 5.0), (10, 0.5 + 0.01 * k, 0.1)], run=k, algorithm="hare", evaluations=20)
        for k in range(6)
    ]
    tortoise = [
        run(
            [(1, 0.001, 7.0), (100 + k, 0.1, 0.1), (900, 0.9, 0.01)],
            run=k,
            algorithm="tortoise",
            evaluations=1000,
        )
        for k in range(6)
    ]
    return table(*hare, *tortoise)


def test_average_ranks_by_hand(sample, table):
    rows = [
        *sample("A", [1.0, 3.0, 8.0]),
        *sample("B", [2.0, 2.0, 2.0]),
        *sample("A", [0.5, 0.5, 0.5], function=2),
        *sample("B", [0.5, 0.5, np.inf], function=2),
    ]
    frame = made("ranks", table(*rows)).set_index(["measure", "criterion", "algorithm"])
    ranks = frame["average_rank"]
    assert ranks["precision", "mean", "A"] == 1.5  # 4 against 2, 0.5 against inf
    assert ranks["precision", "Q.50", "A"] == 1.75  # 3 against 2, a tie
    assert ranks["precision", "Q.10", "A"] == 1.25
    assert ranks["precision", "Q.90", "B"] == 1.5
    assert (frame["problems"] == 2).all()


def test_a_function_counts_once_however_many_its_targets(sample, table):
    rows = [
        *sample("A", [0.05]),
        *sample("B", [0.5]),  # reaches one of the targets, at the same time
        *sample("A", [2.0], function=2),
        *sample("B", [0.01], function=2),
    ]
    ranks = made("ranks", table(*rows)).set_index(["measure", "criterion", "algorithm"])
    for measure in ("seconds", "evaluations"):
        # function 1: (1.5 + 1)/2 against (1.5 + 2)/2; function 2: 2 against 1
        assert ranks.loc[(measure, "ERT", "A"), "average_rank"] == 1.5
        assert ranks.loc[(measure, "Q.50", "B"), "average_rank"] == 1.5


def test_functions_that_not_all_ran_are_left_out(sample, table):
    rows = table(*sample("A", [1.0]), *sample("B", [2.0]), *sample("A", [1.0], function=2))
    frame = made("ranks", rows)
    assert (frame["problems"] == 1).all()
    assert frame["critical_difference"].isna().all()
    alone = made("ranks", table(*sample("A", [1.0]), *sample("B", [1.0], function=2)))
    assert (alone["problems"] == 0).all()
    assert alone["average_rank"].isna().all()


def test_the_tests_are_those_of_the_ranks(sample, table):
    values = np.random.default_rng(2).exponential(size=(5, 3))
    rows = [
        row
        for function, results in enumerate(values, start=1)
        for algorithm, result in zip("ABC", results, strict=True)
        for row in sample(algorithm, [result], function=function)
    ]
    where = "measure == 'precision' and criterion == 'Q.50'"
    test, pairs = friedman(values), posthoc(values)
    (ours,) = made("friedman", table(*rows)).query(where).to_dict("records")
    assert (ours["algorithms"], ours["problems"], ours["alpha"]) == (3, 5, pytest.approx(0.05))
    for name in ("chi2", "p", "iman_davenport", "iman_davenport_p", "kendall_w"):
        assert ours[name] == getattr(test, name)
    frame = made("posthoc", table(*rows)).query(where)
    assert (frame["algorithm_a"] + frame["algorithm_b"]).tolist() == ["AB", "AC", "BC"]
    np.testing.assert_array_equal(frame["rank_difference"], pairs.difference)
    np.testing.assert_array_equal(frame["p_raw"], pairs.p)
    np.testing.assert_array_equal(frame["p_shaffer"], pairs.p_shaffer)
    averages = made("ranks", table(*rows)).query(where)["average_rank"]
    np.testing.assert_array_equal(averages, test.average_ranks)


def test_pairs_at_the_end(sample, table):
    rng = np.random.default_rng(3)
    results = {
        (function, name): rng.exponential(scale, size=8)
        for function in (1, 2)
        for name, scale in (("A", 1.0), ("B", 100.0), ("C", 1.0))
    }
    rows = [
        row for (f, name), values in results.items() for row in sample(name, values, function=f)
    ]
    frame = of_medians(made("comparison", table(*rows))).set_index(["function", *PAIR])
    first = frame.loc[("2", "A", "B")]
    x, y = results[2, "A"], results[2, "B"]
    times = first["p_adjusted"] / first["p"]
    effect = a12([(x, y)], confidence=1 - 0.05 / times)
    assert first["p"] == mann_whitney(x, y)
    assert first["tests"] == 6  # three pairs on two functions
    assert 6 - 1e-9 <= times <= 8 * 6  # eight criteria
    assert first["a12"] == effect.a12
    assert first["a12_low"] == pytest.approx(max(effect.low, 0.5), abs=0.1)
    assert first["a12_low"] > 0.5
    assert (first["value_a"], first["n_b"], first["better"]) == (np.sort(x)[3], 8, "A")
    assert frame.loc[("2", "B", "C"), "better"] == "C"
    assert frame["better"].isna()["2", "A", "C"]
    every = frame.loc[("all", "A", "B")]
    medians = [[np.sort(results[f, name])[3] for f in (1, 2)] for name in "AB"]
    assert every["p"] == wilcoxon(*np.log10(medians)).p
    assert (every["a12"], every["n_a"], every["tests"]) == (1.0, 2, 3)
    assert every["value_a"] < every["value_b"] == 3.0  # average ranks


def test_ranks_by_evaluations_and_by_time(hare_and_tortoise):
    frame = made("rankings", hare_and_tortoise).set_index(["criterion", "target", "algorithm"])
    hare, tortoise = (frame.loc[("fixed target", 0.1, name)] for name in ("hare", "tortoise"))
    assert (hare["by_evaluations"], tortoise["by_evaluations"]) == (10, 102.5)
    assert hare["by_time"] == pytest.approx(0.525)
    assert tortoise["by_time"] == pytest.approx(0.1)
    assert (hare["rank_by_evaluations"], hare["rank_by_time"]) == (1, 2)
    budget = frame.loc["fixed budget"].droplevel("target")
    assert (budget["evaluations"] == 20).all()
    assert budget["by_evaluations"].to_dict() == {"hare": 0.1, "tortoise": 7.0}
    assert budget["by_time"].to_dict() == {"hare": 0.1, "tortoise": 0.01}
    assert budget["rank_by_time"].to_dict() == {"hare": 2, "tortoise": 1}


def test_rank_reversals_with_the_significance_of_both_orders(hare_and_tortoise):
    frame = made("rank_reversals", hare_and_tortoise).set_index("criterion")
    assert frame["target"].fillna(0).tolist() == [0.0, 1.0, 0.1]
    assert (frame["winner_by_evaluations"] == "hare").all()
    assert (frame["winner_by_time"] == "tortoise").all()
    budget = frame.loc["fixed budget"]
    assert budget["evaluations"] == 20
    values = budget[["by_evaluations_a", "by_evaluations_b", "by_time_a", "by_time_b"]]
    assert values.tolist() == [0.1, 7.0, 0.1, 0.01]
    p = mann_whitney([0.1] * 6, [7.0] * 6)
    assert (budget["p_by_evaluations"], budget["p_adjusted"]) == (p, 8 * p)  # eight criteria
    assert budget["significant"]
    target = frame.loc["fixed target"].iloc[-1]
    evaluations = equal_ert([10] * 6, [True] * 6, np.arange(100, 106), [True] * 6)
    assert target["p_by_evaluations"] == evaluations
    larger = max(evaluations, target["p_by_time"])
    assert target["p_adjusted"] == pytest.approx(8 * larger)


def test_medians_that_the_ranks_contradict_are_not_significant(sample, table):
    a, b = [1.0, 1.0, 1.0, 9.0, 9.0], [0.5, 0.5, 2.0, 2.0, 2.0]
    assert a12([(np.array(a), np.array(b))], confidence=0.95).a12 < 0.5
    rows = [*sample("A", a, evaluations=60), *sample("B", b, evaluations=600)]
    for row in rows[5:]:
        row["events"].append({"launch": 0, "evaluations": 500, "time_s": 0.9, "precision": 0.1})
        row["best_precision"] = 0.1
    (reversal,) = made("rank_reversals", table(*rows)).query("criterion == 'fixed budget'").iloc
    assert reversal["p_by_evaluations"] == 1.0 > mann_whitney(a, b)
    assert (reversal["winner_by_evaluations"], reversal["winner_by_time"]) == ("A", "B")


def test_a_clock_on_which_all_runs_end_at_0_has_no_shares_of_the_budget(run, table):
    """Of runs without seconds, the page said: you have 0 evaluations."""
    rows = [
        run([(4, 0.0, 0.1)], run=k, algorithm=name, budget_s=0.0, budget_evaluations=40)
        for name in "AB"
        for k in range(3)
    ]
    shares = made("comparison", table(*rows)).query("measure == 'targets'")
    assert set(shares["within"]) == {1.0, 4.0, 40.0}


def test_a_rank_reversal_over_all_functions(hare_and_tortoise, table):
    """On each function the hare is better after 20 evaluations, the tortoise at the end."""
    rows = [
        row | {"function": function}
        for function in range(1, 11)
        for row in hare_and_tortoise.to_pylist()
    ]
    frame = made("rank_reversals", table(*rows)).set_index("function")
    over = frame.loc["all"]
    assert over["criterion"] == "fixed budget"
    assert (over["functions"], frame.loc["1", "functions"].tolist()) == (10, [1, 1, 1])
    assert (over["winner_by_evaluations"], over["winner_by_time"]) == ("hare", "tortoise")
    values = over[["by_evaluations_a", "by_evaluations_b", "by_time_a", "by_time_b"]]
    assert values.tolist() == [10, 0, 0, 10]
    p = 2 / 2**10  # of Wilcoxon's test, in a family of one pair and eight criteria
    assert (over["p_by_evaluations"], over["p_by_time"], over["p_adjusted"]) == (p, p, 8 * p)
    assert over["significant"]
    assert over["evaluations"] == 20


def test_a_run_that_reached_the_final_target_allows_any_number_of_evaluations(run, table):
    runs = Runs.of(
        table(
            run([(3, 0.1, 1.0), (9, 0.2, 1e-9)], evaluations=9, stop_reason="target"),
            run([(5, 0.1, 2.0)], run=1, evaluations=40),
            run([(2, 0.1, 3.0)], run=2, evaluations=4, stop_reason="algorithm_ended"),
            run([(1, 0.1, 6.0)], function=2, evaluations=7, stop_reason="evaluations"),
        )
    )
    assert evaluations_allowed(runs).tolist() == [np.inf, 40, np.inf, 7]
    first, second = problems(runs)
    asked = [(first, np.array([4.0, 8.0, 100.0])), (second, np.array([7.0]))]
    of_first, of_second = precision_at(runs, asked)
    assert of_first.tolist() == [[1.0, 1.0, 0.0], [np.inf, 2.0, 2.0], [3.0, 3.0, 3.0]]
    assert of_second.tolist() == [[6.0]]


@pytest.fixture
def with_a_failure(hare_and_tortoise, run, table):
    """A third algorithm that made no evaluation before the kernel timer ended its runs."""
    stuck = [
        run(run=k, algorithm="stuck", evaluations=0, status="no_evaluation",
            stop_reason="time_killed")
        for k in range(6)
    ]  # fmt: skip
    return table(*hare_and_tortoise.to_pylist(), *stuck)


@pytest.mark.parametrize("name", NAMES)
def test_an_algorithm_without_an_evaluation_takes_no_part(name, hare_and_tortoise, with_a_failure):
    """It set the common number of evaluations to 0, so that `rankings` tied everybody."""
    alone, beside = made(name, hare_and_tortoise), made(name, with_a_failure)
    assert beside.attrs["failed"] == [["bbob", 2, "stuck"]]
    assert beside.attrs["omitted"] == "Omitted, without an evaluation in any run: stuck (D = 2)."
    assert alone.attrs["omitted"] == ""
    pd.testing.assert_frame_equal(alone, beside.astype(alone.dtypes))


@pytest.fixture
def many(sample, table):
    """Thirteen algorithms on two functions; the later in the alphabet, the worse, but for M."""
    rows = []
    for function, (place, name) in product((1, 2), enumerate("ABCDEFGHIJKLM")):
        precisions = [(place % 12 + 1) * (1 + 0.01 * k) for k in range(6)]
        rows += sample(name, precisions, function=function)
    return table(*rows)


def test_pairs_of_named_algorithms_are_listed_and_are_a_family_of_their_own(many):
    frame = made("comparison", many, ANALYSIS.model_copy(update={"pairs": ("B", "C")}))
    named = frame[PAIR].isin(["B", "C"]).any(axis=1)
    with_the_best = frame[~named]
    assert with_the_best[PAIR].isin(["A"]).any(axis=1).all()
    medians = of_medians(frame)
    assert len(medians[medians["function"] == "1"]) == 12 + 11 + 10
    over = frame["function"] == "all"
    assert set(frame.loc[named & over, "tests"]) == {12 + 11}
    assert set(frame.loc[~named & over, "tests"]) == {78}
    assert "or with those in `statistics.pairs`" in frame.attrs["pairs"]


OPPOSITE = (1.0, 2.0, 4.0, 3.0)
"""The first is better at equal evaluations, the second at the end."""


def test_reversals_have_pairs_and_the_larger_p_value():
    (found,) = reversals({("A", "B"): [OPPOSITE] * 8}, tests=1)
    assert found.pair == ("A", "B")
    assert found.first_by_evaluations
    assert found.functions == 8
    assert found.better_on == (8, 0, 0, 8)
    assert found.p_by_evaluations == found.p_by_time == found.p_adjusted == 2 / 2**8
    ends = np.array([2.0, 2.0, 2.0, 2.0, 2.0, 0.5, 0.4, 2.0])  # of A, where B ends at 1
    (found,) = reversals({("A", "B"): [(1.0, 2.0, end, 1.0) for end in ends]}, tests=1)
    assert found.better_on == (8, 0, 2, 6)
    assert found.p_by_time == wilcoxon(np.log10(ends), np.zeros(8)).p
    assert found.p_adjusted == found.p_by_time > found.p_by_evaluations


@pytest.mark.parametrize(
    "medians",
    [
        [],
        [OPPOSITE],  # one function says nothing about other functions
        [(1.0, 2.0, 3.0, 3.0)] * 8,  # a tie at the end
        [(0.0, 0.0, 0.0, 0.0)] * 8,
        [(np.inf, np.inf, 1.0, 2.0)] * 8,
        [(1.0, 2.0, 3.0, 4.0)] * 8,
        [(-1.0, -2.0, -3.0, -2.0)] * 8,  # below a wrong optimum
    ],
)
def test_no_reversal(medians):
    assert reversals({("A", "B"): medians}, tests=1) == []


FEW = Analysis(targets=(1.0, 0.1), resamples=50)


def unperturbed(rows):
    return TABLES["comparison"](Runs.of(rows), FEW).attrs["unperturbed"]


@pytest.fixture
def runs(run, table):
    """A function: A is faster than B in clean runs, by far slower in perturbed ones (of ten)."""

    def make(functions, perturbed, waited=None, seconds=(0.05, 0.06), slow_s=0.9):
        rows = []
        pace = dict(zip("AB", seconds, strict=True))
        for (name, at_s), f, k in product(pace.items(), range(1, functions + 1), range(10)):
            slow = name == "A" and k < perturbed
            rows.append(run(
                [(1, 0.01, 9.0), (10, slow_s if slow else at_s, 0.01)], algorithm=name, function=f,
                run=k, perturbation="perturbed" if slow else "clean", reference_before_s=0.01,
                real_s=1.0, foreign_delay_s=waited if slow else waited and 0.0,
            ))  # fmt: skip
        return table(*rows)

    return make


@pytest.mark.parametrize("functions", [1, 8])
def test_a_verdict_that_perturbed_runs_made_is_named(runs, functions):
    text = unperturbed(runs(functions, 5))
    assert text.startswith("Without them, ")
    assert "A and B" in text
    assert "by ERT (seconds)" in text
    assert ("on f1" in text) == (functions == 1)


def test_where_too_few_runs_are_left_times_are_corrected_if_they_can_be(runs):
    assert unperturbed(runs(1, 6)) == (
        "What they change cannot be told, because too few runs are left without them: 60\u00a0% of "
        "the runs of A on f1 are perturbed."
    )
    text = unperturbed(runs(1, 8, waited=0.96))
    assert text.startswith("With times divided by their slowdowns, ")
    assert "A and B on f1 by ERT (seconds)" in text


def test_an_algorithm_whose_runs_are_the_same_is_known(run, table):
    rows = table(*(
        run([(1, 0.1, 9.0), (5, 0.2, best)], algorithm=name, run=k, best_f=best)
        for k in range(3) for name, best in (("A", 1.0), ("B", 1.0 + k))
    ))  # fmt: skip
    assert TABLES["comparison"](Runs.of(rows), FEW).attrs["repeated"] == ["A"]


def test_a_few_slow_runs_that_change_nothing(runs):
    text = unperturbed(runs(8, 1, seconds=(0.05, 0.5), slow_s=0.06))
    assert text.startswith("Without them, none of ")


@pytest.fixture
def lines(run, table):
    """A reaches everything on f1 and one target on f2; B is slower there, and wins f3."""
    reached = {
        ("A", 1): [(1, 0.1, 0.5), (2, 0.2, 0.05)],
        ("B", 1): [(3, 0.3, 0.5), (4, 0.4, 0.05)],
        ("A", 2): [(1, 0.1, 0.5)],
        ("B", 2): [(9, 0.05, 5.0)],
        ("A", 3): [(1, 0.1, 5.0)],
        ("B", 3): [(4, 0.4, 0.05)],
    }
    rows = [
        run(events, algorithm=name, function=function, run=k, best_precision=events[-1][2])
        for (name, function), events in reached.items()
        for k in range(2)
    ]
    frame = TABLES["summary"](Runs.of(table(*rows)), FEW)
    return frame.set_index("algorithm")


def test_by_hand(lines):
    assert lines["functions"].to_dict() == {"A": 3, "B": 3}
    assert lines["reached"].to_dict() == {"A": pytest.approx(0.5), "B": pytest.approx(2 / 3)}
    # A is ahead on f1 and f2 to the targets that are reached, and B on f3
    assert lines["rank_evaluations"].to_dict() == {
        "A": pytest.approx((1 + 1 + 2) / 3),
        "B": pytest.approx((2 + 2 + 1) / 3),
    }
    assert lines["best_on_evaluations"].to_dict() == {"A": 2, "B": 1}
    assert lines["rank_median"].to_dict() == {
        "A": pytest.approx((1.5 + 1 + 2) / 3),
        "B": pytest.approx((1.5 + 2 + 1) / 3),
    }
