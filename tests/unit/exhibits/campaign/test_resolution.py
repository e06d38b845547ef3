"""Which ratios of times a machine resolves: from the speed around its runs."""

import numpy as np
import pytest
from scipy import stats

from timefair.exhibits.registry import TABLES
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis

ANALYSIS = Analysis(targets=(1.0,))


@pytest.fixture
def resolved(run, table):
    """A function: the table, from the slowdown of each (algorithm, function, round)."""

    def make(slowdowns, analysis=ANALYSIS, **changes):
        rows = [
            run(algorithm=algorithm, function=function, round=round, run=10 * round + k,
                reference_before_s=0.01 * slow, reference_after_s=0.01 * slow, core=0,
                **{"foreign_delay_s": 0.0, **changes})
            for (algorithm, function, round), slow in slowdowns.items()
            for k in (0, 1)
        ]  # fmt: skip
        return TABLES["resolution"](Runs.of(table(*rows)), analysis).set_index("function")

    return make


JOBS = {(a, f, r): 1.0 for a in "AB" for f in (1, 2) for r in (1, 2, 3)}


def test_a_steady_machine_resolves_everything(resolved):
    frame = resolved(JOBS)
    assert frame["jobs"].to_dict() == {"1": 3, "2": 3, "all": 6}
    np.testing.assert_allclose(frame["resolved_ratio"], 1.0)
    np.testing.assert_allclose(frame[["slowdown_median", "slowdown_max"]], 1.0)


def test_the_ratio_by_hand(resolved):
    slow = JOBS | {("B", 2, 3): 2.0}
    frame = resolved(slow)
    logs = np.log(list(slow.values()))
    reach = stats.t.isf(0.025, 11) * logs.std(ddof=1)
    assert frame.loc["1", "resolved_ratio"] == pytest.approx(np.exp(reach * np.sqrt(2 / 3)))
    assert frame.loc["all", "resolved_ratio"] == pytest.approx(np.exp(reach * np.sqrt(2 / 6)))
    assert frame["slowdown_max"].to_dict() == {"1": 1.0, "2": 2.0, "all": 2.0}


def test_waiting_slows_the_wall_clock_alone(resolved):
    waited = resolved(JOBS, foreign_delay_s=0.5)
    assert waited.loc["all", "slowdown_median"] == pytest.approx(2.0)  # of runs of 1 s
    cpu = resolved(JOBS, Analysis(targets=(1.0,), time="cpu"), foreign_delay_s=0.5)
    assert cpu.loc["all", "slowdown_median"] == pytest.approx(1.0)


def test_what_is_not_known_is_empty(run, table, resolved):
    nothing = TABLES["resolution"](Runs.of(table(run(), run(algorithm="B"))), ANALYSIS)
    assert nothing[["slowdown_median", "resolved_ratio"]].isna().all(axis=None)
    reference = resolved(JOBS, Analysis(targets=(1.0,), time="reference"))
    assert reference["resolved_ratio"].isna().all()
    assert resolved({("A", 1, 1): 1.0})["resolved_ratio"].isna().all()  # one job


def test_equal_algorithms_are_rarely_apart_by_more(resolved):
    """By the slowdowns of their jobs, in about one of twenty pairs."""
    rng = np.random.default_rng(5)
    names = "ABCDEFGHIJ"
    slow = {(a, f, r): rng.lognormal(0.5, 0.2) for a in names for f in range(1, 7) for r in (1, 2)}
    ratio = resolved(slow).loc["1", "resolved_ratio"]
    means = {
        (a, f): np.mean([np.log(slow[a, f, r]) for r in (1, 2)]) for a in names for f in range(1, 7)
    }
    apart = [
        abs(means[a, f] - means[b, f]) > np.log(ratio)
        for f in range(1, 7)
        for a in names
        for b in names
        if a < b
    ]
    assert 0.01 < np.mean(apart) < 0.12
