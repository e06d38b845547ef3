import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import mannwhitneyu

from timefair.statistics.run_count import racing
from timefair.statistics.run_count.racing import Race, p_worse

VALUES = st.one_of(st.integers(0, 5).map(float), st.floats(0, 1e6), st.just(np.inf))


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


@pytest.mark.thinned(4)
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
