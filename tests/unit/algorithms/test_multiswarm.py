"""The multi-swarm with quantum particles: its swarms, its clouds, and how it notices a change."""

import numpy as np
import pytest
from objectives import Cut, Plain

from timefair.algorithms.builtin.multiswarm import solve


def searched(most, moves_after=10**9, **parameters):
    """A search for a centre in [-1, 1]^2 that moves after so many evaluations."""

    def distance(x):
        moved = len(objective.points) >= moves_after
        return float(np.linalg.norm(x - ([0.7, 0] if moved else [-0.6, 0.3])))

    objective = Plain(distance, 2, most, lower=-1.0, upper=1.0)
    with pytest.raises(Cut):
        solve(objective, np.random.default_rng(1), **parameters)
    return np.array(objective.points), np.array(objective.values)


SWARMS, NEUTRAL, QUANTUM = 3, 4, 2
SMALL = {"swarms": SWARMS, "neutral": NEUTRAL, "quantum": QUANTUM}
START = SWARMS * NEUTRAL
ROUND = SWARMS * (1 + NEUTRAL + QUANTUM)


def test_a_round_tests_the_attractors_moves_and_draws_clouds():
    points, values = searched(START + ROUND, exclusion=0.0, cloud=0.01, **SMALL)
    first = values[:START].reshape(SWARMS, NEUTRAL)
    attractors = points[:START].reshape(SWARMS, NEUTRAL, 2)[range(SWARMS), first.argmin(axis=1)]
    np.testing.assert_allclose(points[START : START + SWARMS], attractors, atol=1e-15)
    moved = points[START + SWARMS : START + SWARMS * (1 + NEUTRAL)].reshape(SWARMS, NEUTRAL, 2)
    of_moved = values[START + SWARMS : START + SWARMS * (1 + NEUTRAL)].reshape(SWARMS, NEUTRAL)
    for swarm in range(SWARMS):
        if of_moved[swarm].min() < first[swarm].min():
            attractors[swarm] = moved[swarm, of_moved[swarm].argmin()]
    clouds = points[-SWARMS * QUANTUM :].reshape(SWARMS, QUANTUM, 2)
    distances = np.linalg.norm(clouds - attractors[:, np.newaxis], axis=-1)
    assert 0 < distances.max() <= 0.01 * 2 * (1 + 1e-12)  # a share of the width


def test_it_finds_the_optimum_again_after_a_change():
    _, values = searched(8000, moves_after=4000)
    assert values[3000:4000].min() < 5e-3  # random search: 0.04
    assert values[7000:].min() < 5e-3  # random search: 0.04


def test_after_a_change_everything_that_is_remembered_is_evaluated_again():
    changed_at = START + 2 * ROUND
    points, _ = searched(changed_at + ROUND + START, changed_at, exclusion=0.0, **SMALL)
    tested, again = points[changed_at : changed_at + SWARMS], points[changed_at + SWARMS :][:START]
    before = {tuple(x) for x in points[:changed_at]}
    assert all(tuple(x) in before for x in (*tested, *again))


def test_swarms_that_come_close_to_each_other_begin_again_elsewhere():
    apart, _ = searched(6000, exclusion=0.5)
    together, _ = searched(6000, exclusion=0.0)
    centre = np.array([-0.6, 0.3])
    far = [(np.linalg.norm(x[-2000:] - centre, axis=1) > 0.5).mean() for x in (apart, together)]
    assert far[0] > 0.1
    assert far[1] < 0.01
