import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import mannwhitneyu

from timefair.statistics.run_count import racing
from timefair.statistics.run_count.racing import PairRule, Race, p_worse
from timefair.statistics.run_count.stopping import Reason

VALUES = st.one_of(st.integers(0, 5).map(float), st.floats(0, 1e6), st.just(np.inf))


def test_the_standard_error_of_a_difference():
    x, y = np.random.default_rng(1).normal(size=(2, 12))
    y = y[:11] * 3
    decision = PairRule(error=0.1).decide(x, y)
    assert decision.standard_error == pytest.approx(
        np.sqrt(x.var(ddof=1) / 12 + y.var(ddof=1) / 11)
    )
    assert decision.following == 1


def test_the_standard_error_of_a_ratio_is_what_resampling_finds():
    rng = np.random.default_rng(2)
    x, y = rng.normal(10, 1, size=400), rng.normal(30, 6, size=300)
    decision = PairRule(error=0.0, ratio=True, cap=1000).decide(x, y)
    ratios = rng.choice(y, (2000, 300)).mean(axis=1) / rng.choice(x, (2000, 400)).mean(axis=1)
    assert decision.standard_error == pytest.approx(ratios.std(), rel=0.05)


def run_to_the_end(rule, x, y):
    """The runs of each algorithm when the rule stops, and its last decision."""
    made = [rule.start, rule.start]
    while (decision := rule.decide(x[: made[0]], y[: made[1]])).following is not None:
        made[decision.following] += 1
    return made, decision


@pytest.mark.parametrize("ratio", [False, True])
def test_runs_are_split_as_the_noise_is(ratio):
    rng = np.random.default_rng(3)
    x, y = rng.normal(10, 1, size=3000), rng.normal(20, 4, size=3000)
    made, last = run_to_the_end(PairRule(error=1e-9, ratio=ratio, cap=3000), x, y)
    assert sum(made) == 3000
    assert last.reason is Reason.CAP
    best = 4 / 1 / (2 if ratio else 1)
    assert made[1] / made[0] == pytest.approx(best, rel=0.1)


def test_pairs_stop_when_they_are_told_to():
    x, y = np.random.default_rng(4).normal(size=(2, 100))
    (n1, n2), last = run_to_the_end(PairRule(error=0.3), x, y)
    assert last.reason is Reason.MET
    assert last.standard_error <= 0.3
    before = PairRule(error=0.3).decide(x[: n1 - 1], y[: n2 - (n1 == 10)])
    assert before.following is not None or n1 == n2 == 10


def test_degenerate_pairs():
    constant = PairRule(error=0.1).decide(np.ones(10), np.full(10, 2.0))
    assert (constant.reason, constant.standard_error) == (Reason.DEGENERATE, 0.0)
    failed = PairRule(error=0.1).decide(np.full(10, np.inf), np.arange(11.0))
    assert (failed.reason, failed.standard_error, failed.following) == (Reason.OPEN, np.inf, 0)
    zero = PairRule(error=0.1, ratio=True).decide(np.zeros(10), np.arange(10.0))
    assert zero.standard_error == np.inf
    assert PairRule(error=0.1).decide([], [1.0]).following == 0


@pytest.mark.parametrize("wrong", [{"error": -1.0}, {"start": 1}, {"cap": 19}])
def test_wrong_pairs_are_named(wrong):
    with pytest.raises(ValueError, match=r"error|start|cap"):
        PairRule(**{"error": 1.0, **wrong})


@pytest.mark.slow
@settings(deadline=None)
@given(arrays(np.float64, (4, 12), elements=VALUES))
def test_a_race_is_judged_the_same_whenever_it_is_asked(samples):
    race = Race(alpha=0.5, looks=(4, 8), cap=12)
    complete = race.state(list(samples))
    asked = race.state([[]] * 4)
    assert asked.next_n == 4
    while asked.next_n is not None:
        lengths = np.where(asked.goes_on, asked.next_n, asked.dropped_at)
        asked = race.state([row[:n] for row, n in zip(samples, lengths, strict=True)])
    assert asked.dropped_at.tolist() == complete.dropped_at.tolist()
    assert (asked.leader, asked.look) == (complete.leader, complete.look)
    assert complete.goes_on[complete.leader]
    assert complete.next_n is None
    assert (complete.runs >= 4).all()


def test_the_level_is_shared_by_algorithms_and_looks():
    """At n = 4 the least exact p is 1/70: it suffices for one rival and one look, not for two."""
    best, worse = np.arange(4.0), np.arange(4.0) + 10
    assert not Race(looks=(4,)).state([best, worse]).goes_on[1]
    assert Race(looks=(4,)).state([best, worse, worse + 10, worse + 20, worse + 30]).goes_on.all()
    assert Race(looks=(4, 5, 6, 7)).state([best, worse]).goes_on.all()


def test_p_values_are_scipys_for_ties_too():
    field = np.array([[1.0, 2.0, 3.0, 3.0], [3.0, 4.0, np.inf, np.inf], [1.5, 2.5, 2.6, 9.0]])
    expected = [
        1.0,
        mannwhitneyu(field[1], field[0], alternative="greater", method="asymptotic").pvalue,
        mannwhitneyu(field[2], field[0], alternative="greater", method="asymptotic").pvalue,
    ]
    assert p_worse(field, 0).tolist() == expected


def plain_p_worse(field, leader):
    """As one writes it with scipy, a test a row."""
    p = np.ones(len(field))
    for row, values in enumerate(field):
        values_of_both = np.unique(np.concatenate([values, field[leader]]))
        if row != leader and values_of_both.size > 1:
            method = "exact" if values_of_both.size == 2 * values.size else "asymptotic"
            p[row] = mannwhitneyu(values, field[leader], alternative="greater", method=method)[1]
    return p


@pytest.mark.slow
@settings(deadline=None)
@given(arrays(np.float64, st.tuples(st.integers(1, 5), st.integers(1, 12)), elements=VALUES))
def test_p_values_of_all_rows_at_once_are_scipys(field):
    np.testing.assert_allclose(p_worse(field, 0), plain_p_worse(field, 0), rtol=1e-12)


@pytest.mark.parametrize("n", [1, 7, 33, 50])
def test_p_values_without_ties_are_scipys(n):
    field = np.random.default_rng(n).normal(size=(30, n)) + np.linspace(-3, 3, 30)[:, np.newaxis]
    np.testing.assert_allclose(p_worse(field, 15), plain_p_worse(field, 15), rtol=1e-10)


@pytest.mark.parametrize("decimals", [0, 1, 15])
@pytest.mark.parametrize(("algorithms", "races"), [(2, 30), (104, 2)])
def test_races_drop_whom_they_drop_by_scipys_tests(monkeypatch, decimals, algorithms, races):
    rng = np.random.default_rng(5)
    shift = np.linspace(0.0, 2.0, algorithms)[:, np.newaxis]
    fields = [
        np.where(rng.random((algorithms, 50)) < 0.9, values, np.inf)
        for values in np.round(rng.gamma(2.0, size=(races, algorithms, 50)) + shift, decimals)
    ]
    found = [Race().state(list(field)).dropped_at.tolist() for field in fields]
    monkeypatch.setattr(racing, "p_worse", plain_p_worse)
    assert [Race().state(list(field)).dropped_at.tolist() for field in fields] == found
    assert len({n for dropped_at in found for n in dropped_at}) > 2
