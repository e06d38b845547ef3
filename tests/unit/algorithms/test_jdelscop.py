import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from timefair.algorithms.builtin import jdelscop, population
from timefair.algorithms.builtin.jdelscop import BEST_BIN, RAND_BIN, RAND_EXP


@pytest.mark.slow
def test_the_population_is_halved_after_each_quarter_of_the_budget(launch, generations):
    result = launch("timefair:jDElscop", {"budget": 10_000}, most=20_000)
    assert not result.was_cut
    assert result.evaluations == sum(generations)
    ends = np.cumsum(generations)
    for phase, size in enumerate([100, 50, 25, 13]):
        inside = [
            n
            for n, end in zip(generations, ends, strict=True)
            if phase * 2500 < end - n and end <= (phase + 1) * 2500
        ]
        assert set(inside) == {size}
    assert 0 <= ends[-1] - 10_000 < 13


@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=12))
def test_the_better_of_each_pair_survives(values):
    y = np.array(values)
    kept = jdelscop.survivors(y)
    half = (len(y) + 1) // 2
    assert len(set(kept)) == len(kept) == half
    for i, survivor in enumerate(kept):
        pair = [i, i + half] if i + half < len(y) else [i]
        assert survivor in pair
        assert y[survivor] == y[pair].min()


def test_each_half_has_its_strategy_and_late_trials_sometimes_that_of_the_best():
    rng = np.random.default_rng(2)
    early = jdelscop.strategies(rng, 5, np.zeros(5, bool))
    np.testing.assert_array_equal(early, [RAND_BIN, RAND_BIN, RAND_EXP, RAND_EXP, RAND_EXP])
    late = jdelscop.strategies(rng, 40_000, np.ones(40_000, bool))
    assert np.mean(late == BEST_BIN) == pytest.approx(0.1, abs=0.01)
    assert BEST_BIN not in early


@pytest.mark.parametrize(
    ("strategy", "f_range", "cr_range"),
    [
        (RAND_BIN, (0.1 + 1 / 200, 1), (0, 1)),
        (RAND_EXP, (0.5, 1), (0.3, 1)),
        (BEST_BIN, (0.4, 1), (0.7, 0.95)),
    ],
)
def test_a_tenth_of_the_parameters_is_drawn_anew_in_the_range_of_the_strategy(
    strategy, f_range, cr_range
):
    size = 40_000
    old_f, old_cr = np.full((size, 3), 7.0), np.full((size, 3), 8.0)
    new = jdelscop.renewed(np.random.default_rng(2), np.full(size, strategy), old_f, old_cr)
    for drawn, old, (low, high) in zip(new, (7.0, 8.0), (f_range, cr_range), strict=True):
        fresh = drawn[drawn != old]
        assert len(fresh) / size == pytest.approx(0.1, abs=0.01)
        np.testing.assert_allclose([fresh.min(), fresh.max()], [low, high], atol=0.01)
    assert np.mean((new[0] != 7) & (new[1] != 8)) == pytest.approx(0.01, abs=0.004)


@pytest.mark.parametrize(
    ("strategy", "y", "base", "flips"),
    [
        (RAND_BIN, [3.0, 2.0, 1.0], 0.0, 0.75),
        (RAND_EXP, [3.0, 2.0, 1.0], 0.0, 0.75),
        (RAND_BIN, [3.0, 1.0, 2.0], 0.0, 0.0),
        (RAND_BIN, [3.0, 1.0, 1.0], 0.0, 0.0),
        (BEST_BIN, [3.0, 2.0, 1.0], 40.0, 0.0),
    ],
)
def test_a_difference_to_the_worse_is_mostly_turned_round(monkeypatch, strategy, y, base, flips):
    size = 20_000
    monkeypatch.setattr(
        population, "partners", lambda rng, size, *pools: [np.full(size, k) for k in range(3)]
    )
    x = np.zeros((size, 1))
    x[:3, 0] = [0.0, 10.0, 40.0]
    values = np.full(size, 9.0)
    values[:3] = y
    f = np.full(size, 0.5)
    moves = (
        jdelscop.mutate(np.random.default_rng(2), np.full(size, strategy), x, values, f)[:, 0]
        - base
    )
    assert set(moves) <= {-15.0, 15.0}  # 0.5 (10 - 40), or turned round
    assert np.mean(moves == 15.0) == pytest.approx(flips, abs=0.01)
