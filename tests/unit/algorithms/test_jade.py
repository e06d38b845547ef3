import numpy as np
import pytest

from timefair.algorithms.builtin import jade


def test_scale_factors_are_a_cauchy_distribution_cut_at_one_and_positive():
    f = jade.scale_factors(np.random.default_rng(3), 0.6, 50_000)
    assert f.min() > 0
    assert f.max() == 1
    # P(F < 0.6 | F > 0) and P(F = 1 | F > 0) of the Cauchy distribution around 0.6.
    positive = 0.5 + np.arctan(6) / np.pi
    assert np.mean(f < 0.6) == pytest.approx(np.arctan(6) / np.pi / positive, abs=0.01)
    assert np.mean(f == 1) == pytest.approx((0.5 - np.arctan(4) / np.pi) / positive, abs=0.01)


def test_what_leaves_the_bounds_comes_back_halfway_to_its_parent():
    x = np.array([[0.0, 0.5, -0.5]])
    mutants = np.array([[-7.0, 0.9, 1.5]])
    back = jade.halfway_back(x, mutants, np.full(3, -1.0), np.full(3, 1.0))
    np.testing.assert_array_equal(back, [[-0.5, 0.9, 0.25]])


def test_the_archive_loses_random_points_when_it_is_too_long():
    rng = np.random.default_rng(3)
    archive = np.arange(5.0)[:, np.newaxis]
    assert jade.shortened(rng, archive, 5) is archive
    kept = np.array([jade.shortened(rng, archive, 3)[:, 0] for _ in range(5000)])
    assert all(len(set(row)) == 3 for row in kept)
    np.testing.assert_allclose(np.bincount(kept.astype(int).ravel()) / 15_000, 0.2, atol=0.02)


def test_the_archive_holds_what_was_replaced_and_no_more_than_the_population(launch, monkeypatch):
    archives = []
    shortened = jade.shortened

    def spy(rng, archive, size):
        archives.append(shortened(rng, archive, size))
        return archives[-1]

    monkeypatch.setattr(jade, "shortened", spy)
    evaluated = {tuple(x) for x in launch("timefair:JADE", {"population": 8}, most=400).points}
    sizes = [len(a) for a in archives]
    assert sizes[0] < 8
    assert max(sizes) == sizes[-1] == 8
    assert {tuple(x) for a in archives for x in a} <= evaluated


def test_the_centres_follow_the_successes_and_stay_where_nothing_succeeds(launch, monkeypatch):
    centres = []
    scale_factors = jade.scale_factors

    def spy(rng, centre, size):
        centres.append(centre)
        return scale_factors(rng, centre, size)

    monkeypatch.setattr(jade, "scale_factors", spy)
    launch("timefair:JADE", {"c": 0.0}, most=600)
    assert set(centres) == {0.5}
    centres.clear()
    launch("timefair:JADE", {"c": 1.0}, most=600)
    assert len(set(centres)) > 10
    assert all(0 < centre <= 1 for centre in centres)
