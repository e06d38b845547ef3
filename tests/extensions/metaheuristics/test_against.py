"""The tests against the proposed algorithm are those of scipy, in time and in evaluations."""

import numpy as np
import pytest
from scipy import stats

from timefair.exhibits.registry import TABLES
from timefair.extensions.metaheuristics.against import RANK
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis

ANALYSIS = Analysis(targets=(1.0,), resamples=50, added={"proposed": "new"})


@pytest.fixture
def against(run, table):
    """The table of runs with these precisions, by algorithm and function."""

    def made(values, at="equal time"):
        rows = [
            run([(5, 0.1, 900.0), (10, 0.2, float(q))], algorithm=name, function=f, run=k,
                budget_s=1.0, wall_s=1.0, evaluations=10)
            for name, of in values.items()
            for f, some in of.items()
            for k, q in enumerate(some)
        ]  # fmt: skip
        frame = TABLES["against"](Runs.of(table(*rows)), ANALYSIS)
        return frame[frame["at"] == at].set_index(["function", "algorithm"])

    return made


def samples(ties):
    rng = np.random.default_rng(3)
    draw = (lambda m: rng.integers(1, 6, 12) + float(m)) if ties else (lambda m: m + rng.random(12))
    return {
        name: {f: draw(shift * f) for f in (1, 2, 3)}
        for name, shift in (("new", 0.0), ("old", 0.25), ("bad", 2.0))
    }


@pytest.mark.parametrize("ties", [False, True])
def test_p_is_that_of_scipy(against, ties):
    values = samples(ties)
    frame = against(values)
    method = (
        stats.PermutationMethod(n_resamples=20_000, rng=np.random.default_rng(1))
        if ties
        else "exact"
    )
    for f in (1, 2, 3):
        for other in ("bad", "old"):
            test = stats.mannwhitneyu(values["new"][f], values[other][f], method=method)
            wanted = pytest.approx(test.pvalue, rel=1e-9, abs=1.2e-2 if ties else 0.0)
            assert frame.loc[(str(f), other), "p"] == wanted
            smaller = 1 - test.statistic / 144
            assert frame.loc[(str(f), other), "a12"] == pytest.approx(smaller)
    for family in (["1", "2", "3"], ["all"], [RANK]):
        p, found = np.sort(frame.loc[family, ["p", "p_adjusted"]].to_numpy(), axis=0).T
        holm = np.maximum.accumulate(p * np.arange(len(p), 0, -1))
        assert found == pytest.approx(np.minimum(holm, 1))


def test_last_rows(against):
    low, high = np.arange(1.0, 13.0), np.arange(21.0, 33.0)
    equal = np.full(12, 5.0)
    frame = against({"new": {1: low, 2: high, 3: equal}, "old": {1: high, 2: low, 3: equal}})
    assert frame.loc[[("1", "old"), ("2", "old"), ("3", "old")], "verdict"].tolist() == [
        "+", "−", "="
    ]  # fmt: skip
    over = frame.loc[("all", "old")]
    assert (over["verdict"], over["a12"], over["p"]) == ("1/1/1", 0.5, 1.0)
    ranks = frame.loc[(RANK, "old")]
    assert (ranks["proposed_value"], ranks["value"], ranks["p"]) == (1.5, 1.5, 1.0)


def test_equal_evaluations_are_those_that_all_runs_of_both_were_allowed(run, table):
    """The fast one makes ten evaluations in the time in which the slow one makes five; a third one
    that makes one does not change how these two are compared."""
    budget = {"budget_s": 1.0, "wall_s": 1.0, "stop_reason": "time"}
    rows = [
        *(run([(1, 0.1, 8.0), (5, 0.5, 4.0 + k), (10, 1.0, 1.0)], run=k, algorithm="new",
              evaluations=10, **budget) for k in range(6)),
        *(run([(1, 0.1, 9.0), (5, 0.9, 2.0)], run=k, algorithm="slow", evaluations=5, **budget)
          for k in range(6)),
        *(run([(1, 0.9, 7.0)], run=k, algorithm="slowest", evaluations=1, **budget)
          for k in range(6)),
    ]  # fmt: skip
    frame = TABLES["against"](Runs.of(table(*rows)), ANALYSIS).set_index(["function", "at"])
    at = frame.loc[("1", "equal evaluations")].set_index("algorithm")
    assert at["evaluations"].to_dict() == {"slow": 5, "slowest": 1}
    assert at["verdict"].to_dict() == {"slow": "−", "slowest": "−"}
    assert set(frame.loc[("1", "equal time"), "verdict"]) == {"+"}
    ranks = frame.loc[(RANK, "equal evaluations")].set_index("algorithm")
    assert ranks["proposed_value"].tolist() == [3.0, 3.0]
    assert ranks["value"].to_dict() == {"slow": 2.0, "slowest": 1.0}
