import numpy as np


def test_random_search_covers_the_bounds_uniformly(launch):
    result = launch("timefair:random-search", most=5000)
    points = np.array(result.points)
    assert result.was_cut
    assert result.all_inside
    np.testing.assert_allclose(points.mean(axis=0), 1.0, atol=0.15)
    np.testing.assert_allclose(points.std(axis=0), 8 / np.sqrt(12), atol=0.1)
    assert len(np.unique(points, axis=0)) == 5000
