"""The tables of probabilities, on campaigns small enough to see who is better."""

import numpy as np
import pytest

from timefair.exhibits.registry import TABLES
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis

ANALYSIS = Analysis(targets=(1.0, 0.1), resamples=500)
KEYS = ["unit", "function", "algorithm_a", "algorithm_b"]


def made(name, table, **changes):
    return TABLES[name](Runs.of(table), ANALYSIS.model_copy(update=changes))


@pytest.fixture
def runs_of(run):
    """Runs of an algorithm on functions that reach 0.1 after so many evaluations of 1 ms."""

    def make(algorithm, costs, functions=range(1, 9)):
        return [
            run(
                [(1, 0.001, 50.0)] + ([(cost, cost / 1000, 0.05)] if cost else []),
                algorithm=algorithm,
                function=function,
                run=k,
                evaluations=cost or 900,
                wall_s=(cost or 900) / 1000,
                stop_reason="target" if cost else "time",
            )
            for function in functions
            for k, cost in enumerate(costs)
        ]

    return make


FAST, SLOW, NEVER = (95, 100, 105) * 3, (290, 300, 310) * 3, (None,) * 9


def test_verdicts_of_clear_cases(runs_of, table):
    rows = table(*runs_of("A", FAST), *runs_of("B", FAST), *runs_of("C", SLOW))
    frame = made("practical", rows).set_index(KEYS)
    for unit in ("seconds", "evaluations"):
        for function in ("1", "8", "all"):
            assert frame.loc[(unit, function, "A", "B"), "verdict"] == "equal"
            assert frame.loc[(unit, function, "A", "C"), "verdict"] == "better"
        assert frame.loc[(unit, "3", "A", "C"), "ratio"] == pytest.approx(3.0)
        assert frame.loc[(unit, "all", "A", "C"), "ratio"] == pytest.approx(3.0)
        assert frame.loc[(unit, "all", "A", "C"), "n_a"] == 8
    totals = frame[["p_better", "p_equal", "p_worse"]].sum(axis=1)
    np.testing.assert_allclose(totals, 1.0)
    assert (frame["target"].dropna() == 0.1).all()


def test_who_never_succeeds_is_worse_than_who_does(runs_of, table):
    rows = table(*runs_of("A", FAST), *runs_of("N", NEVER), *runs_of("Z", NEVER))
    frame = made("practical", rows).set_index(KEYS)
    one = frame.loc[("seconds", "1", "A", "N")]
    assert (one["verdict"], one["ratio"]) == ("better", np.inf)
    assert frame.loc[("seconds", "all", "A", "N"), "verdict"] == "better"
    nobody = frame.loc[("seconds", "1", "N", "Z")]
    assert nobody[["ratio", "p_better", "p_equal", "p_worse"]].isna().all()
    assert ("seconds", "all", "N", "Z") not in frame.index


def test_probabilities_of_the_best_add_up_to_one(runs_of, table):
    rows = table(*runs_of("A", FAST), *runs_of("B", FAST), *runs_of("C", SLOW))
    frame = made("probability_best", rows)
    sums = frame.groupby(["unit", "function"])["p_best"].sum()
    np.testing.assert_allclose(sums, 1.0)
    best = frame.set_index(["unit", "function", "algorithm"])
    assert best.loc[("seconds", "1", "C"), ["p_best", "p_near"]].tolist() == [0.0, 0.0]
    assert best.loc[("seconds", "1", "A"), "p_near"] > 0.9
    over = best.xs("all", level="function")
    assert over.groupby("unit")["p_first"].sum().tolist() == pytest.approx([1.0, 1.0])
    assert (over["p_first_low"] < over["p_first"]).all()
    assert (over["p_first_high"] > over["p_first"]).all()


def test_one_run_says_something_over_functions_only(runs_of, table):
    rows = table(*runs_of("A", [100]), *runs_of("B", [300]))
    frame = made("practical", rows)
    over = frame["function"] == "all"
    assert frame.loc[~over, "p_equal"].isna().all()
    assert (frame.loc[over, "verdict"] == "better").all()
    best = made("probability_best", rows)
    assert best.loc[best["function"] != "all", "p_best"].isna().all()


def test_the_ratio_over_functions_does_not_prefer_a_side(runs_of, table):
    slow, never = [200] * 3, [None] * 3
    for other in (slow, never):
        rows = [
            *runs_of("A", [100] * 3, [1]), *runs_of("B", other, [1]),
            *runs_of("A", other, [2]), *runs_of("B", [100] * 3, [2]),
        ]  # fmt: skip
        over = made("practical", table(*rows)).set_index(KEYS)
        assert over.loc[("evaluations", "all", "A", "B"), "ratio"] == pytest.approx(1.0)
