"""Which vectors of a run are kept."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from timefair.measure.evaluation.objective import Changing, Feasible, Improving, Nondominated
from timefair.problems.kinds import after_each
from timefair.records.thinning import VectorThinning

number = st.one_of(st.floats(0, 1), st.integers(0, 3).map(float))
pairs = st.lists(st.tuples(number, number), max_size=60)
hostile = st.lists(st.tuples(st.floats(width=16), st.floats(width=16)), max_size=40)


def weakly_dominates(one, other):
    return one[0] <= other[0] and one[1] <= other[1]


@given(st.one_of(pairs, hostile))
def test_a_vector_is_kept_unless_an_earlier_one_weakly_dominates_it(vectors):
    keeper = Nondominated(2, (1.0, 1.0))
    earlier = []
    for vector in vectors:
        finite = bool(np.isfinite(vector).all())
        new = finite and not any(weakly_dominates(one, vector) for one in earlier)
        assert keeper.keeps(vector) == new
        if finite:
            earlier.append(vector)


def front_of(rng, count):
    """Vectors near a front, which approach it."""
    first = rng.random(count)
    return np.column_stack([first, 1 - first]) + 0.3 * rng.random((count, 1)) * np.linspace(
        1, 0, count
    ).reshape(-1, 1)


def test_thinning_bounds_the_number_and_loses_less_than_it_says():
    thinning = VectorThinning(free=100, finest=1e-3)
    vectors = front_of(np.random.default_rng(1), 20_000)
    exact, thinned = Nondominated(2, (1.0, 1.0)), Nondominated(2, (1.0, 1.0), thinning)
    all_kept = sum(exact.keeps(vector) for vector in vectors)
    kept = np.array([vector for vector in vectors if thinned.keeps(vector)])
    assert len(kept) < all_kept / 2
    lost = after_each(vectors)[-1] - after_each(kept)[-1]
    assert 0 <= lost <= 2 * thinning.tolerance(len(kept))


def test_thinning_is_relative_to_the_width_of_each_objective():
    thinning = VectorThinning(free=10, finest=1e-2)
    vectors = front_of(np.random.default_rng(2), 2000)
    unit, wide = Nondominated(2, (1.0, 1.0), thinning), Nondominated(2, (4.0, 0.25), thinning)
    for first, second in vectors:
        assert unit.keeps((first, second)) == wide.keeps((4.0 * first, 0.25 * second))


def test_feasible_keeps_the_way_to_feasibility_and_then_the_best_feasible():
    keeper = Feasible(3, 4.0)
    for vector, kept in (
        ((9.0, 3.0, 1.0), True),  # indicator 12
        ((9.5, 3.0, 2.0), False),
        ((8.5, 3.5, 2.0), False),  # 12 again
        ((5.0, 3.5, 3.0), True),  # 8.5
        ((9.0, 2.0, 4.0), True),  # the least violation
        ((9.0, 0.0, 5.0), True),  # feasible
        ((1.0, 6.0, 6.0), False),  # below the optimum, 10
        ((9.0, 0.0, 7.0), False),
        ((np.nan, 0.0, 8.0), False),
        ((-np.inf, 0.0, 8.0), False),
        ((8.8, 0.0, 9.0), True),
    ):
        assert keeper.keeps(vector) == kept


def test_improving_keeps_what_is_the_least_of_its_kind():
    keeper = Improving(2)
    for vector, kept in (
        ((3.0, 1.0), True),
        ((2.0, 4.0), True),
        ((2.0, 1.0), False),
        ((np.inf, 0.0), False),
        ((9.0, 0.5), True),
    ):
        assert keeper.keeps(vector) == kept


def test_changing_keeps_the_first_and_the_least_of_each_environment():
    keeper = Changing(2)
    for vector, kept in (
        ((3.0, 0.0), True),
        ((3.0, 0.0), False),
        ((2.0, 0.0), True),
        ((9.0, 1.0), True),  # the first of its environment
        ((np.nan, 1.0), False),
        ((-np.inf, 1.0), False),
        ((8.0, 1.0), True),
        ((8.5, 1.0), False),
        ((np.inf, 4.0), False),
        ((8.5, 4.0), True),
    ):
        assert keeper.keeps(vector) == kept
