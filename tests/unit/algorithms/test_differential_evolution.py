"""Differential evolution against a plain implementation, point by point and bit for bit."""

import contextlib
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from objectives import Cut, waves

from timefair.algorithms import libraries
from timefair.algorithms.builtin.differential_evolution import (
    BOUNDS,
    STRATEGIES,
    least_population,
)
from timefair.measure.evaluation.objective import LaunchCut, Measurement, Objective
from timefair.measure.evaluation.state import State
from timefair.problems.problem import Problem, ProblemName

MUTANTS: dict[str, tuple[int, Callable]] = {
    "rand/1": (3, lambda x, best, r, F: r[0] + F * (r[1] - r[2])),
    "rand/2": (5, lambda x, best, r, F: r[0] + F * ((r[1] - r[2]) + (r[3] - r[4]))),
    "best/1": (2, lambda x, best, r, F: best + F * (r[0] - r[1])),
    "best/2": (4, lambda x, best, r, F: best + F * ((r[0] - r[1]) + (r[2] - r[3]))),
    "best/3": (6, lambda x, best, r, F: best + F * ((r[0] - r[1]) + (r[2] - r[3]) + (r[4] - r[5]))),
    "rand-to-best/1": (2, lambda x, best, r, F: x + F * ((best - x) + (r[0] - r[1]))),
    "rand/rand": (3, lambda x, best, r, z: r[0] + z * (r[1] - r[2])),
}
"""How many random vectors each mutant takes, and its formula."""


def plain_de(f, lower, upper, rng, *, strategy, F, CR, NP, patience=None, bounds="random"):
    mutation, _, crossover = strategy.rpartition("/")
    takes, mutant_of = MUTANTS[mutation]
    NP, D = max(NP, takes + 1), len(lower)

    def evaluate(x):
        y = f(x)
        return np.inf if np.isnan(y) else y

    x = [np.array([inside(lower[j], upper[j], rng) for j in range(D)]) for _ in range(NP)]
    y = [evaluate(point) for point in x]
    idle = 0
    while patience is None or idle < patience:
        best = x[int(np.argmin(y))]
        record = min(y)
        factors = rng.standard_normal(NP) if mutation == "rand/rand" else [F] * NP
        next_x, next_y = list(x), list(y)
        for i in range(NP):
            r = [x[k] for k in others(i, takes, NP, rng)]
            mutant = mutant_of(x[i], best, r, factors[i])
            crossed = (binomial if crossover == "bin" else exponential)(CR, D, rng)
            trial = np.where(crossed, mutant, x[i])
            for j in range(D):
                trial[j] = repaired(trial[j], lower[j], upper[j], bounds, rng)
            value = evaluate(trial)
            if value <= y[i]:
                next_x[i], next_y[i] = trial, value
        x, y = next_x, next_y
        idle = 0 if min(y) < record else idle + 1


def inside(lower, upper, rng):
    return min(lower + rng.random() * (upper - lower), upper)


def others(i, takes, NP, rng):
    picked = []
    while len(picked) < takes:
        k = int(rng.random() * NP)
        if k != i and k not in picked:
            picked.append(k)
    return picked


def binomial(CR, D, rng):
    forced = int(rng.random() * D)
    return [(rng.random() < CR) | (j == forced) for j in range(D)]


def exponential(CR, D, rng):
    start = int(rng.random() * D)
    length = 1
    while length < D and rng.random() < CR:
        length += 1
    return [(j - start) % D < length for j in range(D)]


def repaired(x, lower, upper, bounds, rng):
    if lower <= x <= upper:
        return x
    if bounds == "random":
        return inside(lower, upper, rng)
    if bounds == "reflect":
        x = 2 * (lower if x < lower else upper) - x
    return min(max(x, lower), upper)


class Recorded:
    """A function that keeps the points and stands `most` evaluations, then raises `error`."""

    def __init__(self, function, most, error=Cut):
        self.function, self.most, self.error = function, most, error
        self.points = []

    def __call__(self, x):
        if len(self.points) == self.most:
            raise self.error
        self.points.append(np.array(x))
        return self.function(x)


class Called:
    def __init__(self, function, lower, upper):
        self.lower, self.upper, self.dimension = lower, upper, len(lower)
        self.cores = 1
        self.function = function

    def __call__(self, x):
        assert isinstance(x, np.ndarray)
        value = self.function(x)
        x[:] = np.nan  # it is the objective's own
        return value


OPENED: list[State] = []


@pytest.fixture(autouse=True)
def no_state_stays_open():
    yield
    while OPENED:
        OPENED.pop().close()


def opened() -> State:
    OPENED.append(State())
    return OPENED[-1]


def measurement_of(function, lower, upper, **options) -> Measurement:
    problem = Problem(
        ProblemName("test", 1, len(lower), 1),
        evaluate=function,
        lower=lower,
        upper=upper,
        f_opt=0.0,
    )
    measurement = opened().measurement(problem, **options)
    measurement.start(0)
    measurement.begin_launch()
    return measurement


def measured(function, lower, upper, **options) -> Objective:
    return measurement_of(function, lower, upper, **options).objective


OBJECTIVES = pytest.mark.parametrize("objective_of", [Called, measured])


def holes(x):
    cell = int(np.floor(4 * np.sum(x)))
    return {0: np.nan, 1: np.inf, 2: -np.inf}.get(cell % 7, float(cell % 5))


def box(dimension):
    return -1.0 - np.arange(dimension), 2.0 + 0.5 * np.arange(dimension)


def points_of(objective_of, *, strategy, NP, D, seed=1, most=400, function=waves, **parameters):
    recorded = Recorded(function, most)
    parameters |= {"strategy": strategy, "population": NP}
    with contextlib.suppress(Cut):
        libraries.load("timefair:DE", parameters).solve(
            objective_of(recorded, *box(D)), np.random.default_rng(seed)
        )
    return recorded.points


def plain_points(*, D, seed=1, most=400, function=waves, **parameters):
    recorded = Recorded(function, most)
    with contextlib.suppress(Cut):
        plain_de(recorded, *box(D), np.random.default_rng(seed), **parameters)
    return recorded.points


@pytest.mark.thinned(3)
@OBJECTIVES
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize(
    ("NP", "D", "F", "CR", "seed"),
    [
        (7, 1, 0.5, 0.9, 1), (10, 10, 0.8, 0.5, 2), (10, 3, 1.7, 1, 3), (31, 4, 0.3, 0, 4),
        (8, 2, 0, 0.2, 5), (12, 20, 2, 0.97, 6),
    ],
)  # fmt: skip
def test_every_point_is_that_of_the_plain_implementation(
    objective_of, strategy, NP, D, F, CR, seed
):
    same = {"strategy": strategy, "NP": NP, "D": D, "F": F, "CR": CR, "seed": seed}
    points = points_of(objective_of, **same)
    assert len(points) == 400
    np.testing.assert_array_equal(points, plain_points(**same))


@pytest.mark.slow
@given(
    strategy=st.sampled_from(list(STRATEGIES)),
    NP=st.integers(7, 15),
    D=st.integers(1, 6),
    F=st.floats(0, 2),
    CR=st.floats(0, 1),
    seed=st.integers(0, 2**32),
    bounds=st.sampled_from(BOUNDS),
    patience=st.none() | st.integers(1, 4),
    function=st.sampled_from([waves, holes, lambda x: 1.0, lambda x: np.nan]),
)
def test_so_it_is_whatever_the_parameters_and_the_values(function, **same):
    lower, upper = box(same["D"])
    points = points_of(measured, function=function, most=120, **same)
    np.testing.assert_array_equal(points, plain_points(function=function, most=120, **same))
    assert np.all((points >= lower) & (points <= upper))


@pytest.mark.thinned(6)
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("D", [1, 2, 3, 5, 10])
def test_np_is_d_or_what_the_strategy_needs(launch, strategy, D):
    settings = {"strategy": strategy, "population_per_dimension": 1, "patience": 1}
    least = 1 + MUTANTS[strategy.rpartition("/")[0]][0]
    points = launch("timefair:DE", settings, dimension=D, most=2000).points
    assert len(points) % max(D, least) == 0
    same = {"strategy": strategy, "D": D, "patience": 1, "F": 0.5, "CR": 0.9}
    assert len(points_of(Called, NP=max(D, least), **same)) == len(plain_points(NP=D, **same))
    assert least_population(strategy) == least


@pytest.mark.thinned(6)
@OBJECTIVES
@pytest.mark.parametrize("most", [0, 3, 7, 8, 30])
@pytest.mark.parametrize("error", [ValueError("no value"), StopIteration("over"), Cut("cut")])
def test_what_the_objective_raises_passes_through(objective_of, most, error):
    recorded = Recorded(waves, most, error)
    solve = libraries.load("timefair:DE", {"population": 7}).solve
    with pytest.raises(type(error)) as raised:
        solve(objective_of(recorded, *box(3)), np.random.default_rng(1))
    assert raised.value is error
    assert len(recorded.points) == most


def test_a_value_that_is_no_number_is_an_error():
    solve = libraries.load("timefair:DE", {}).solve
    with pytest.raises(TypeError):
        solve(Called(lambda x: "3", *box(3)), np.random.default_rng(1))


def test_a_run_cuts_a_launch_at_its_last_evaluation():
    recorded = Recorded(waves, 10**6)
    measurement = measurement_of(recorded, *box(3))
    solve = libraries.load("timefair:DE", {}).solve
    for launch in range(3):
        measurement.begin_launch(evaluations=50)
        with pytest.raises(LaunchCut):
            solve(measurement.objective, np.random.default_rng(7))
        assert len(recorded.points) == 50 * (launch + 1)
    np.testing.assert_array_equal(recorded.points[:50], recorded.points[100:])
