"""The hypervolume indicator after each vector, beside moocore's of all vectors so far."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from timefair.problems.kinds import GRID, after_each, normalized

coordinate = st.one_of(
    st.floats(0, 2, allow_nan=False),
    st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0, 1.5]),  # ties, corners, outside
)
walks = st.lists(st.tuples(coordinate, coordinate), min_size=1, max_size=30).map(np.array)


@given(walks)
def test_it_is_moocores_as_soon_as_the_region_is_reached(vectors):
    moocore = pytest.importorskip("moocore")
    found = after_each(vectors)
    for count, value in enumerate(found, start=1):
        part = vectors[:count]
        if (part <= 1).all(axis=1).any():
            assert value == pytest.approx(moocore.hypervolume(part, ref=[1, 1]), abs=1e-12)
        else:
            beyond = np.maximum(part - 1, 0)
            assert value == -np.min(np.hypot(*beyond.T))


@given(walks)
def test_it_never_falls_and_its_end_does_not_depend_on_the_order(vectors):
    found = after_each(vectors)
    assert (np.diff(found) >= 0).all()
    assert after_each(vectors[::-1])[-1] == pytest.approx(found[-1], abs=1e-12)


def test_values_are_rounded_and_moved_into_the_region_of_the_ideal_point():
    vectors = [[0.3 + 0.2 * GRID, 0.5], [-1e-9, 2.0], [0.7, -1e-13], [0.0, 0.2]]
    found = normalized(vectors, ideal=[0.0, 0.0], nadir=[1.0, 1.0])
    np.testing.assert_allclose(found, [[0.3, 0.5], [0.0, 2.0], [1.0, 0.0], [0.0, 1.0]], atol=1e-13)
    assert found[0, 0] == normalized([[0.3, 0.5]], [0.0, 0.0], [1.0, 1.0])[0, 0]
