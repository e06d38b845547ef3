"""The population algorithms of this package, and bit flips: what they promise, and their parts."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from objectives import Cut, Plain

from timefair.algorithms import libraries
from timefair.algorithms.builtin import population
from timefair.algorithms.builtin.population import BEST_BIN, RAND_BIN, RAND_EXP, Reef

NAMES = ("ABC", "CRO", "JADE", "PSO", "jDE", "jDElscop", "mQSO")


@pytest.mark.parametrize("name", NAMES)
def test_it_comes_close_to_the_optimum(launch, name):
    points = np.array(launch(f"timefair:{name}", left=3000, most=3000).points)
    assert np.min(np.linalg.norm(points - 0.7, axis=1)) < 0.1  # random search: 0.3


@pytest.mark.parametrize("name", NAMES)
@given(
    dimension=st.integers(1, 3),
    values=st.lists(st.floats(allow_nan=True, allow_infinity=True), min_size=1, max_size=7),
    most=st.integers(0, 400),
)
@settings(max_examples=25, deadline=None)
def test_any_values_are_survived_and_the_end_passes_at_once(name, dimension, values, most):
    """The values of a list on [-1, 1]^D, again and again, and the end after `most` of them."""
    script = itertools.cycle(values)
    objective = Plain(lambda x: next(script), dimension, most, lower=-1.0, upper=1.0)
    with pytest.raises(Cut):
        libraries.load(f"timefair:{name}", {}).solve(objective, np.random.default_rng(1))
    assert objective.calls == most + 1
    assert objective.all_inside


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("ABC", {"food": 2, "limit": 1}),
        ("CRO", {"n": 1, "m": 1, "rho": 0.0, "fbs": 1.0, "fa": 1, "fd": 0.99, "pd": 1}),
        ("JADE", {"population": 3, "p": 0.0, "c": 1}),
        ("PSO", {"population": 1, "omega": 0, "c1": 0, "c2": 0, "start_velocity": 0}),
        ("jDE", {"population": 4, "tau1": 0, "tau2": 1}),
        ("jDElscop", {"population": 4, "budget": 300}),
    ],
)
def test_the_extreme_parameters_work(launch, name, parameters):
    assert libraries.faults(f"timefair:{name}", parameters) == []
    assert launch(f"timefair:{name}", parameters, most=300).evaluations == 300


@given(st.integers(3, 12), st.integers(0, 5), st.integers(0, 2**32 - 1))
def test_partners_are_different_from_each_other_and_from_the_member(size, more, seed):
    rng = np.random.default_rng(seed)
    drawn = population.partners(rng, size, size, size + more)
    together = np.stack([np.arange(size), *drawn])
    assert all(len(set(column)) == 3 for column in together.T)
    assert together.min() == 0
    assert drawn[0].max() < size
    assert drawn[1].max() < size + more


def test_crossover_takes_components_at_the_rate_and_one_for_certain():
    rng = np.random.default_rng(5)
    rates = np.repeat([0.0, 0.3, 1.0], 20_000)
    none, some, all_ = np.split(population.binomial(rng, rates, 5), 3)
    np.testing.assert_array_equal(none.sum(axis=1), 1)
    np.testing.assert_allclose(none.mean(axis=0), 1 / 5, atol=0.01)
    np.testing.assert_allclose(some.mean(axis=0), 1 / 5 + 4 / 5 * 0.3, atol=0.01)
    assert all_.all()
    rng = np.random.default_rng(5)
    rates = np.repeat([0.0, 0.7, 1.0], 20_000)
    one, some, all_ = np.split(population.exponential(rng, rates, 5), 3)
    np.testing.assert_array_equal(one.sum(axis=1), 1)
    assert all_.all()
    starts = (some & ~np.roll(some, 1, axis=1)).sum(axis=1)
    assert set(starts) == {0, 1}  # around the circle; none if all are taken
    lengths = np.bincount(some.sum(axis=1), minlength=6)[1:] / len(some)
    expected = [0.3, 0.7 * 0.3, 0.7**2 * 0.3, 0.7**3 * 0.3, 0.7**4]
    np.testing.assert_allclose(lengths, expected, atol=0.01)
    np.testing.assert_allclose(some.mean(axis=0), some.mean(), atol=0.01)


@pytest.mark.parametrize("cores", [1, 2])
def test_nan_is_the_worst_value(cores):
    class Objective:
        def __call__(self, x):
            return np.nan if x[0] else -np.inf

        def batch(self, points):
            assert self.cores > 1
            return np.array([self(x) for x in points])

    objective = Objective()
    objective.cores = cores
    values = population.values(objective, np.array([[0.0], [1.0]]))
    np.testing.assert_array_equal(values, [-np.inf, np.inf])


def test_the_centres_follow_the_successes_and_stay_where_nothing_succeeds(launch, monkeypatch):
    centres = []
    scale_factors = population.scale_factors

    def spy(rng, centre, size):
        centres.append(centre)
        return scale_factors(rng, centre, size)

    monkeypatch.setattr(population, "scale_factors", spy)
    launch("timefair:JADE", {"c": 0.0}, most=600)
    assert set(centres) == {0.5}
    centres.clear()
    launch("timefair:JADE", {"c": 1.0}, most=600)
    assert len(set(centres)) > 10
    assert all(0 < centre <= 1 for centre in centres)


@pytest.fixture
def rates(monkeypatch):
    seen = []
    binomial = population.binomial

    def spy(rng, rates, dimension):
        seen.append(rates.copy())
        return binomial(rng, rates, dimension)

    monkeypatch.setattr(population, "binomial", spy)
    return seen


def test_by_default_a_tenth_is_and_stays_with_those_that_win(launch, rates):
    launch("timefair:jDE", most=1500)
    assert np.mean(rates[0] != 0.9) < 0.35  # binomial: 30 trials, 0.1
    assert np.mean(rates[-1] != 0.9) > 0.5


@pytest.mark.parametrize(("tau1", "least"), [(0.0, 0.5), (1.0, 0.1)])
def test_a_trial_is_a_point_and_f_times_a_difference(launch, monkeypatch, tau1, least):
    monkeypatch.setattr(
        population, "partners", lambda rng, size, *pools: [np.full(size, k) for k in range(3)]
    )
    monkeypatch.setattr(
        population, "binomial", lambda rng, rates, dimension: np.ones((len(rates), dimension), bool)
    )
    parameters = {"tau1": tau1, "population": 400}
    x = np.array(launch("timefair:jDE", parameters, dimension=10, most=800).points)
    first, trials = x[:400], x[400:]
    inside = np.all((trials > -3) & (trials < 5), axis=0)
    assert inside.sum() > 1
    f = ((trials - first[0]) / (first[1] - first[2]))[:, inside]
    np.testing.assert_allclose(f, np.broadcast_to(f[:, :1], f.shape))
    assert f.min() == pytest.approx(least, abs=0.02)
    assert f.max() == pytest.approx(1 if tau1 else 0.5, abs=0.02)


def test_an_equal_trial_replaces_its_parent():
    objective = Plain(lambda x: 0.0, most=30 * 40, lower=-1.0, upper=1.0)
    with pytest.raises(Cut):
        libraries.load("timefair:jDE", {}).solve(objective, np.random.default_rng(1))
    last, before = np.array(objective.points[-30:]), np.array(objective.points[:30])
    assert not np.isin(last, before).any(axis=1).all()


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
    kept = population.survivors(y)
    half = (len(y) + 1) // 2
    assert len(set(kept)) == len(kept) == half
    for i, survivor in enumerate(kept):
        pair = [i, i + half] if i + half < len(y) else [i]
        assert survivor in pair
        assert y[survivor] == y[pair].min()


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
    new = population.renewed(np.random.default_rng(2), np.full(size, strategy), old_f, old_cr)
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
        population.mutate(np.random.default_rng(2), np.full(size, strategy), x, values, f)[:, 0]
        - base
    )
    assert set(moves) <= {-15.0, 15.0}  # 0.5 (10 - 40), or turned round
    assert np.mean(moves == 15.0) == pytest.approx(flips, abs=0.01)


def test_onlookers_follow_the_nectar():
    np.testing.assert_allclose(population.attraction(np.array([0.0, 1.0])), [2 / 3, 1 / 3])
    np.testing.assert_allclose(population.attraction(np.array([-2.0, 0.0])), [3 / 4, 1 / 4])
    np.testing.assert_array_equal(population.attraction(np.array([np.inf, 3.0])), [0, 1])
    np.testing.assert_array_equal(population.attraction(np.array([-np.inf, 3, 4])), [1, 0, 0])
    np.testing.assert_array_equal(population.attraction(np.full(4, np.inf)), np.full(4, 1 / 4))


def listed(*values: float) -> Plain:
    rest = list(values)
    return Plain(lambda x: rest.pop(0) if rest else 5.0, 4, np.inf, lower=-1.0, upper=1.0)


def test_a_bee_changes_one_component_towards_or_away_from_another_source():
    objective = listed()
    colony = population.Colony(objective, np.random.default_rng(1), 3)
    before = colony.x.copy()
    colony.visit(np.repeat([0, 1, 2], 100))
    sources = np.repeat(before, 100, axis=0)
    changes = np.array(objective.points[3:]) - sources
    assert ((changes != 0).sum(axis=1) == 1).all()
    reach = np.ptp(before, axis=0)
    assert (np.abs(changes) <= reach).all()
    assert np.all(np.abs(changes).max(axis=0) > 0.5 * reach)


def test_what_is_better_is_kept_and_what_is_not_counts_as_a_trial():
    objective = listed(5, 5, 3, 3, 2)
    colony = population.Colony(objective, np.random.default_rng(1), 2)
    colony.visit(np.array([0, 0, 0, 1]))
    np.testing.assert_array_equal(colony.y, [2, 5])
    np.testing.assert_array_equal(colony.x[0], objective.points[4])
    np.testing.assert_array_equal(colony.trials, [0, 1])  # an equal value is no success


@pytest.mark.parametrize(("limit", "most"), [(None, 12), (7, 7)])
def test_one_exhausted_source_a_cycle_is_abandoned(launch, monkeypatch, limit, most):
    abandoned = []
    abandon = population.Colony.abandon

    def spy(self, source):
        abandoned.append((self.trials.max(), self.trials[source]))
        abandon(self, source)

    monkeypatch.setattr(population.Colony, "abandon", spy)
    launch("timefair:ABC", {"food": 4, "limit": limit}, dimension=3, most=3000)
    assert len(abandoned) > 3
    for largest, trials in abandoned:
        assert largest == trials >= most


@pytest.fixture
def reef():
    """Four corals with the values 0 to 3 on six squares; 4 and 5 are free."""
    reef = Reef(6, 2)
    reef.place(np.arange(4), np.arange(8.0).reshape(4, 2), np.array([3.0, 1.0, 2.0, 0.0]))
    return reef


class Squares:
    def __init__(self, *squares: int) -> None:
        self._squares = [list(squares)]

    def integers(self, high, size):
        return np.array(self._squares)


@pytest.mark.parametrize(
    ("y", "tried", "settled"),
    [
        (2.5, (1, 4, 0), 4),  # the first that is free or worse
        (2.5, (3, 0, 4), 0),
        (2.5, (1, 2, 3), None),
        (1.0, (1, 3, 1), None),  # not where an equal one is
        (np.inf, (0, 1, 5), 5),
        (-np.inf, (3, 0, 4), 3),
    ],
)
def test_a_larva_settles_on_the_first_free_or_worse_square(reef, y, tried, settled):
    before = reef.x.copy()
    larva = np.array([[70.0, 71.0]])
    reef.settle(Squares(*tried), larva, np.array([y]), 3)
    if settled is None:
        np.testing.assert_array_equal(reef.x[:4], before[:4])
        assert len(reef.corals()) == 4
    else:
        np.testing.assert_array_equal(reef.x[settled], larva[0])
        assert reef.y[settled] == y
        assert reef.occupied[settled]


@pytest.fixture
def watched(monkeypatch):
    """The reefs after each settlement: how many corals, their best and their worst value."""
    seen = []
    settle = Reef.settle

    def spy(self, *args):
        settle(self, *args)
        y = self.y[self.corals()]
        seen.append((len(y), y.min(), y.max()))

    monkeypatch.setattr(Reef, "settle", spy)
    return seen


def test_the_reef_fills_up_and_never_loses_its_best(launch, watched):
    launch("timefair:CRO", {"pd": 1.0}, most=3000)
    corals, best, _ = np.array(watched).T
    assert corals[0] > 60
    assert corals.max() <= 100
    assert corals[-1] > 85
    assert (np.diff(best) <= 0).all()


@pytest.mark.parametrize(("fd", "left"), [(0.0, 36), (0.5, 18)])
def test_a_predation_takes_the_worst(launch, watched, monkeypatch, fd, left):
    sizes = []
    corals = Reef.corals
    monkeypatch.setattr(Reef, "corals", lambda self: sizes.append(corals(self)) or sizes[-1])
    parameters = {"n": 6, "m": 6, "rho": 1.0, "pd": 1.0, "fd": fd}
    launch("timefair:CRO", parameters, most=36 + 36 // 2 + 4 + 1)
    assert len(sizes[-1]) == left


def test_pairs_spawn_one_larva_each_and_the_others_brood_one(launch, generations):
    launch("timefair:CRO", most=100)
    assert generations[:2] == [60, 27 + 6]  # 54 of 60 in 27 pairs
    generations.clear()
    launch("timefair:CRO", {"fbs": 0.0, "rho": 0.25}, most=100)
    assert generations[:2] == [25, 25]


def searched(most, moves_after=10**9, **parameters):
    """A search for a centre in [-1, 1]^2 that moves after so many evaluations."""

    def distance(x):
        moved = len(objective.points) >= moves_after
        return float(np.linalg.norm(x - ([0.7, 0] if moved else [-0.6, 0.3])))

    objective = Plain(distance, 2, most, lower=-1.0, upper=1.0)
    with pytest.raises(Cut):
        population.multiswarm(objective, np.random.default_rng(1), **parameters)
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


def test_after_a_change_all_that_is_remembered_is_evaluated_and_the_optimum_found_again():
    _, values = searched(8000, moves_after=4000)
    assert values[3000:4000].min() < 5e-3  # random search: 0.04
    assert values[7000:].min() < 5e-3  # random search: 0.04
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


def moves(launch, parameters: dict, generations: int) -> np.ndarray:
    """Positions of a swarm of 200, shape ``(generations, 200, 3)``."""
    parameters = {"population": 200} | parameters
    points = launch("timefair:PSO", parameters, most=200 * generations).points
    return np.array(points).reshape(generations, 200, 3)


def test_first_velocities_are_at_most_a_quarter_of_the_width_and_end_at_the_bounds(launch):
    x = moves(launch, {"omega": 1, "c1": 0, "c2": 0}, 12)
    first = (x[1] - x[0])[np.all((x[1] > -3) & (x[1] < 5), axis=1)]
    assert 1.9 < np.abs(first).max() <= 2
    assert np.abs(first.mean()) < 0.3
    outside = (x == -3) | (x == 5)
    assert outside[-1].any()
    assert (outside[1:] >= outside[:-1]).all()  # it is not reflected


def test_the_swarm_pulls_all_to_its_best(launch):
    def value(points: np.ndarray) -> np.ndarray:
        return np.sum((points - 0.7) ** 2 + 1 - np.cos(5 * (points - 0.7)), axis=-1)

    x = moves(launch, {"omega": 0, "c1": 0, "c2": 1, "start_velocity": 0}, 2)
    best = x[0][np.argmin(value(x[0]))]
    pulled = (x[1] - x[0]) / (best - x[0] + (best == x[0]))
    assert pulled.min() >= 0
    assert pulled.max() <= 1
    assert np.abs(pulled.mean() - 0.5) < 0.05


class Bits(Plain):
    """A function of 0 and 1 that ends at its optimum, or after so many evaluations."""

    def __init__(self, function, dimension: int, *, target=-np.inf, most: int = 10**6) -> None:
        super().__init__(function, dimension, most, lower=0.0, upper=1.0, integer=True)
        self.target = target

    def __call__(self, x) -> float:
        if super().__call__(x) <= self.target:
            raise Cut
        return self.values[-1]

    @property
    def flips(self):
        best, flips = self.points[0], []
        value = self.values[0]
        for x, new in zip(self.points[1:], self.values[1:], strict=True):
            flips.append(int(np.sum(x != best)))
            if new <= value:
                best, value = x, new
        return np.array(flips)


def zeros(x):
    return len(x) - np.sum(x)


def flipping(use: str, objective: Bits, parameters=None, seed=1) -> Bits:
    with pytest.raises(Cut):
        libraries.load(use, parameters or {}).solve(objective, np.random.default_rng(seed))
    return objective


@pytest.mark.parametrize("use", ["timefair:RLS", "timefair:OnePlusOneEA"])
def test_it_takes_binary_variables_and_evaluates_nothing_else(use):
    assert libraries.variables(use, {}) == {"binary"}
    objective = flipping(use, Bits(zeros, 7, most=300))
    assert set(np.unique(objective.points)) == {0.0, 1.0}
    first = [flipping(use, Bits(zeros, 40, most=1), seed=s).points[0].mean() for s in range(40)]
    assert np.mean(first) == pytest.approx(0.5, abs=0.1)


@pytest.mark.parametrize("value", [1.0, -1.0])
def test_rls_flips_one_and_keeps_what_is_not_worse(value):
    """A plateau is a random walk; a function that gets worse at each step keeps the first."""
    flat = flipping("timefair:RLS", Bits(lambda x: value, 8, most=200))
    assert len(np.unique(flat.points, axis=0)) > 50
    assert set(flat.flips) == {1}
    calls = iter(range(1000))
    worse = flipping("timefair:RLS", Bits(lambda x: next(calls), 8, most=200))
    assert all(np.sum(x != worse.points[0]) == 1 for x in worse.points[1:])


def test_each_place_is_flipped_with_the_rate():
    flips = flipping("timefair:OnePlusOneEA", Bits(zeros, 10, most=4000), {"rate": 0.3}).flips
    assert flips.mean() == pytest.approx(3.0, abs=0.15)
    assert flips.var() == pytest.approx(10 * 0.3 * 0.7, abs=0.2)


@pytest.mark.slow
def test_rls_needs_the_coupon_collectors_time_on_one_max():
    """Given the first string, the sum of n/k for its k zeros (Doerr and Doerr 2016)."""
    n, runs = 30, 150
    needed, expected = [], []
    for seed in range(runs):
        objective = flipping("timefair:RLS", Bits(zeros, n, target=0), seed=seed)
        start = int(zeros(objective.points[0]))
        needed.append(len(objective.points) - 1)
        expected.append(sum(n / k for k in range(1, start + 1)))
    error = np.std(np.array(needed) - expected) / np.sqrt(runs)
    assert np.mean(needed) == pytest.approx(np.mean(expected), abs=4 * error)


@pytest.mark.parametrize("value", [0, -0.1, 1.5, "much", True, float("nan")])
def test_a_wrong_rate_gets_its_line(value):
    (line,) = libraries.faults("timefair:OnePlusOneEA", {"rate": value})
    assert line.startswith("'rate' of timefair:OnePlusOneEA is a number above 0, up to 1, not ")
