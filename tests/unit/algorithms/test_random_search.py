import numpy as np

from timefair.algorithms import registry


def test_random_search_covers_the_bounds_uniformly(launch) -> None:
    result = launch("timefair:random-search", most=5000)
    points = np.array(result.points)
    assert result.was_cut
    assert result.all_inside
    np.testing.assert_allclose(points.mean(axis=0), 1.0, atol=0.15)
    np.testing.assert_allclose(points.std(axis=0), 8 / np.sqrt(12), atol=0.1)
    assert len(np.unique(points, axis=0)) == 5000


def test_random_search_is_one_stream_whatever_the_seed_of_others(launch) -> None:
    first, again, other = (launch("timefair:random-search", seed=s).points for s in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_random_search_has_no_parameters() -> None:
    assert registry.faults("timefair:random-search", {"budget": 3}) == [
        "'budget' is not a parameter of timefair:random-search; it has: none"
    ]
