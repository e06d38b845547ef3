import numpy as np


def moves(launch, parameters: dict, generations: int) -> np.ndarray:
    """Positions of a swarm of 200, shape ``(generations, 200, 3)``."""
    parameters = {"population": 200} | parameters
    points = launch("timefair:PSO", parameters, most=200 * generations).points
    return np.array(points).reshape(generations, 200, 3)


def test_the_first_velocities_are_uniform_up_to_a_quarter_of_the_width(launch):
    x = moves(launch, {"omega": 1, "c1": 0, "c2": 0}, 2)
    first = (x[1] - x[0])[np.all((x[1] > -3) & (x[1] < 5), axis=1)]
    assert 1.9 < np.abs(first).max() <= 2
    assert np.abs(first.mean()) < 0.3


def test_a_particle_stops_at_the_bounds_and_is_not_reflected(launch):
    x = moves(launch, {"omega": 1, "c1": 0, "c2": 0}, 12)
    outside = (x == -3) | (x == 5)
    assert outside[-1].any()
    assert (outside[1:] >= outside[:-1]).all()  # with its velocity it stays there


def test_the_swarm_pulls_all_to_its_best(launch):
    def value(points: np.ndarray) -> np.ndarray:
        return np.sum((points - 0.7) ** 2 + 1 - np.cos(5 * (points - 0.7)), axis=-1)

    x = moves(launch, {"omega": 0, "c1": 0, "c2": 1, "start_velocity": 0}, 2)
    best = x[0][np.argmin(value(x[0]))]
    pulled = (x[1] - x[0]) / (best - x[0] + (best == x[0]))
    assert pulled.min() >= 0
    assert pulled.max() <= 1
    assert np.abs(pulled.mean() - 0.5) < 0.05
