"""The timing noise of a machine: from the speed around its runs."""

import numpy as np
import pytest
from scipy import stats

from timefair.exhibits.registry import TABLES
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis

ANALYSIS = Analysis(targets=(1.0,))


@pytest.fixture
def detectable(run, table):
    """A function: the table, from the slowdown of each (algorithm, function, round)."""

    def make(slowdowns, analysis=ANALYSIS, **changes):
        rows = [
            run(algorithm=algorithm, function=function, round=round, run=10 * round + k,
                reference_before_s=0.01 * slow, reference_after_s=0.01 * slow, core=0,
                **{"foreign_delay_s": 0.0, **changes})
            for (algorithm, function, round), slow in slowdowns.items()
            for k in (0, 1)
        ]  # fmt: skip
        return TABLES["timing_noise"](Runs.of(table(*rows)), analysis).set_index("function")

    return make


JOBS = {(a, f, r): 1.0 for a in "AB" for f in (1, 2) for r in (1, 2, 3)}


def test_a_steady_machine_has_no_timing_noise(detectable):
    frame = detectable(JOBS)
    assert frame["jobs"].to_dict() == {"1": 3, "2": 3, "all": 6}
    np.testing.assert_allclose(frame["detectable_ratio"], 1.0)
    np.testing.assert_allclose(frame[["slowdown_median", "slowdown_max"]], 1.0)


def test_the_ratio_by_hand(detectable):
    slow = JOBS | {("B", 2, 3): 2.0}
    frame = detectable(slow)
    logs = np.log(list(slow.values()))
    reach = stats.t.isf(0.025, 11) * logs.std(ddof=1)
    assert frame.loc["1", "detectable_ratio"] == pytest.approx(np.exp(reach * np.sqrt(2 / 3)))
    assert frame.loc["all", "detectable_ratio"] == pytest.approx(np.exp(reach * np.sqrt(2 / 6)))
    assert frame["slowdown_max"].to_dict() == {"1": 1.0, "2": 2.0, "all": 2.0}


def test_the_share_of_real_time_is_that_of_each_problem(run, table):
    """A has the largest share on both functions: 0.5 on one, 0.1 on the other, 0.3 over both."""
    real = {("A", 1): 0.5, ("A", 2): 0.1, ("B", 1): 0.1, ("B", 2): 0.0}
    rows = [
        run(algorithm=name, function=function, round=round, run=round, core=0, foreign_delay_s=0.0,
            real_s=share, charged_s=1 - share, evaluation_cost_s=0.1,
            reference_before_s=0.01 * round, reference_after_s=0.01 * round)
        for (name, function), share in real.items() for round in (1, 2)
    ]  # fmt: skip
    frame = TABLES["timing_noise"](Runs.of(table(*rows)), ANALYSIS).set_index("function")
    assert frame["real_share"].to_dict() == pytest.approx({"1": 0.5, "2": 0.1, "all": 0.3})
    reach = stats.t.isf(0.025, 7) * np.sqrt(8 / 7) / 2  # of four jobs at each of two speeds
    for function, share, jobs in (("1", 0.5, 2), ("2", 0.1, 2), ("all", 0.3, 4)):
        expected = reach * -np.log(share / 2 + 1 - share) * np.sqrt(2 / jobs)
        assert np.log(frame.loc[function, "detectable_ratio"]) == pytest.approx(expected)


def test_waiting_slows_the_wall_clock_alone(detectable):
    waited = detectable(JOBS, foreign_delay_s=0.5)
    assert waited.loc["all", "slowdown_median"] == pytest.approx(2.0)  # of runs of 1 s
    cpu = detectable(JOBS, Analysis(targets=(1.0,), time="cpu"), foreign_delay_s=0.5)
    assert cpu.loc["all", "slowdown_median"] == pytest.approx(1.0)


def test_equal_algorithms_are_rarely_apart_by_more(detectable):
    """By the slowdowns of their jobs, in about one of twenty pairs."""
    rng = np.random.default_rng(5)
    names = "ABCDEFGHIJ"
    slow = {(a, f, r): rng.lognormal(0.5, 0.2) for a in names for f in range(1, 7) for r in (1, 2)}
    ratio = detectable(slow).loc["1", "detectable_ratio"]
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
