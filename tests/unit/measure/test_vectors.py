"""Runs on problems of two objectives or with noise: vectors, true values, recommendations."""

import ctypes
import re
import time
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from measurements import run_of

from timefair.algorithms.algorithm import Algorithm
from timefair.measure.evaluation.objective import Changing, Feasible, Improving, Nondominated
from timefair.measure.run import Allowance, measure_run
from timefair.measure.trial import point_of
from timefair.policies.restarts import BetAndRun, FixedLength, Independent
from timefair.problems import own
from timefair.problems.kinds import TwoObjectives, after_each
from timefair.problems.problem import Problem, ProblemName
from timefair.problems.suites import SUITES
from timefair.records.collect import contradictions
from timefair.records.schema import RUN_SCHEMA
from timefair.records.status import Status, StopReason
from timefair.records.thinning import VectorThinning

NAME = ProblemName("two-spheres", 1, 2, 1)
BOUND = np.full(2, 5.0)
F_OPT = -0.7
KIND = TwoObjectives(np.zeros(2), np.ones(2))


def two_spheres(x):
    return np.array([x @ x, (x - 1) @ (x - 1)]) / 10


def problem(evaluate=two_spheres, **changes):
    two = Problem(NAME, evaluate, -BOUND, BOUND, f_opt=F_OPT, kind=KIND)
    return replace(two, **changes)


def run(solve, on, **allowed):
    allowed = {"evaluations": 200, **allowed}
    row = run_of(solve, on, 3, **allowed)
    names = {"suite": "x", "function": 1, "dimension": 2, "instance": 1, "run": 0, "round": 1}
    f_opt = None if np.isnan(on.f_opt) else on.f_opt
    record = pa.Table.from_pylist([row | names | {"f_opt": f_opt}], schema=RUN_SCHEMA)
    assert list(contradictions(record)) == []
    return row


def search(objective, rng):
    for _ in range(5):
        for _ in range(5):
            objective(rng.uniform(objective.lower, objective.upper))
        objective.batch(rng.uniform(objective.lower, objective.upper, size=(5, 2)))


def vectors_of(row):
    return np.array([vector["outputs"] for vector in row["vectors"]])


def test_vectors_of_all_launches_make_the_events_of_the_run():
    row = run(search, problem())
    assert row["status"] == Status.OK
    assert row["launches"] == 4
    vectors = vectors_of(row)
    for count, vector in enumerate(vectors):
        assert not (vectors[:count] <= vector).all(axis=1).any()
    best = np.minimum.accumulate(KIND.quality(vectors))
    falls = np.diff(best, prepend=np.inf) < 0
    assert [event["precision"] for event in row["events"]] == (best[falls] - F_OPT).tolist()
    for name in ("launch", "evaluations", "time_s"):
        of_vectors = np.array([vector[name] for vector in row["vectors"]])
        assert [event[name] for event in row["events"]] == of_vectors[falls].tolist()
    assert row["best_f"] == best[-1]
    assert row["best_precision"] == best[-1] - F_OPT
    assert row["best_x"] is row["launch_events"] is None
    bests = [launch["best_precision"] for launch in row["launch_log"]]
    assert bests == sorted(bests, reverse=True)
    assert bests[-1] == row["best_precision"]


def test_an_algorithm_gets_arrays_of_its_own():
    def solve(objective, rng):
        assert objective.shown == 2
        first, second = objective([0.0, 0.0]), objective([1.0, 1.0])
        np.testing.assert_array_equal([first, second], [[0.0, 0.2], [0.2, 0.0]])
        first[:] = np.nan
        together = objective.batch([[0.0, 0.0], [1.0, 1.0]])
        np.testing.assert_array_equal(together, [[0.0, 0.2], [0.2, 0.0]])
        assert objective.batch(np.empty((0, 2))).shape == (0, 2)
        assert objective.evaluations == 4
        search(objective, rng)

    assert run(solve, problem(), evaluations=40)["status"] == Status.OK


@pytest.mark.parametrize(
    ("evaluate", "message"),
    [
        (lambda x: np.zeros(3), r"gives 2 numbers, not an array of shape \(3,\)"),
        (lambda x: 1.0, r"gives 2 numbers, not an array of shape \(\)"),
        (lambda x: np.zeros((1, 2)), r"gives 2 numbers, not an array of shape \(1, 2\)"),
        (lambda x: "ab", "could not convert string to float"),
    ],
)
def test_another_shape_is_a_status(evaluate, message):
    row = run(search, problem(evaluate))
    assert row["status"] == Status.RAISED
    assert re.search(message, row["message"])


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_a_vector_that_is_not_finite_is_not_kept(number):
    row = run(search, problem(lambda x: np.array([1.0, number])))
    assert row["status"] == Status.NO_FINITE_VALUE
    assert row["vectors"] == row["events"] == []
    sometimes = run(search, problem(lambda x: two_spheres(x) if x[0] > 0 else [number, -9.0]))
    assert sometimes["status"] == Status.OK
    assert np.isfinite(vectors_of(sometimes)).all()


@pytest.mark.slow
def test_several_cores_keep_the_same_vectors_as_one():
    def solve(objective, rng):
        found = objective.batch(rng.uniform(objective.lower, objective.upper, size=(50, 2)))
        assert found.shape == (50, 2)

    one, two = (run(solve, problem(), cores=cores) for cores in (1, 2))
    assert vectors_of(one).tolist() == vectors_of(two).tolist()
    assert [e["precision"] for e in one["events"]] == [e["precision"] for e in two["events"]]


@pytest.mark.slow
def test_a_launch_that_never_evaluates_again_does_not_lose_the_vectors_before_it():
    def solve(objective, rng):
        for _ in range(10):
            objective(rng.uniform(objective.lower, objective.upper))
        time.sleep(60)

    row = run(solve, problem(), evaluations=35, restart=FixedLength(tau_s=0.03))
    assert row["stop_reason"] == StopReason.EVALUATIONS
    assert row["launches"] >= 4  # each in a process of its own, and one more after a stall
    vectors = vectors_of(row)
    for count, vector in enumerate(vectors):
        assert not (vectors[:count] <= vector).all(axis=1).any()


def test_a_c_function_writes_what_is_shown():
    def ask(objective, rng):
        function, handle = objective.c_function
        evaluate = ctypes.PYFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 3)(function)
        x, y = np.zeros(2), np.full(3, 9.0)
        assert evaluate(handle, x.ctypes.data, y.ctypes.data) == 0
        raise RuntimeError(str(y.tolist()))

    assert run(ask, problem())["message"] == "RuntimeError: [0.0, 0.2, 9.0]"


@pytest.mark.slow
def test_the_same_seed_finds_the_same_front_on_bbob_biobj():
    on = SUITES["bbob-biobj"].problem(27, 2, 1)
    rows = [run(search, on, evaluations=500) for _ in range(2)]
    assert vectors_of(rows[0]).tolist() == vectors_of(rows[1]).tolist()
    python = run(search, replace(on, native=None), evaluations=500)
    assert vectors_of(python).tolist() == vectors_of(rows[0]).tolist()


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
    first = rng.random(count)
    return np.column_stack([first, 1 - first]) + 0.3 * rng.random((count, 1)) * np.linspace(
        1, 0, count
    ).reshape(-1, 1)


def test_thinning_bounds_the_number_loses_little_and_is_relative_to_the_widths():
    thinning = VectorThinning(free=100, finest=1e-3)
    vectors = front_of(np.random.default_rng(1), 20_000)
    exact, thinned = Nondominated(2, (1.0, 1.0)), Nondominated(2, (1.0, 1.0), thinning)
    all_kept = sum(exact.keeps(vector) for vector in vectors)
    kept = np.array([vector for vector in vectors if thinned.keeps(vector)])
    assert len(kept) < all_kept / 2
    lost = after_each(vectors)[-1] - after_each(kept)[-1]
    assert 0 <= lost <= 2 * thinning.tolerance(len(kept))
    thinning = VectorThinning(free=10, finest=1e-2)
    vectors = front_of(np.random.default_rng(2), 2000)
    unit, wide = Nondominated(2, (1.0, 1.0), thinning), Nondominated(2, (4.0, 0.25), thinning)
    for first, second in vectors:
        assert unit.keeps((first, second)) == wide.keeps((4.0 * first, 0.25 * second))


KEPT = {
    Feasible(3, 4.0): [
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
    ],
    Improving(2): [
        ((3.0, 1.0), True),
        ((2.0, 4.0), True),
        ((2.0, 1.0), False),
        ((np.inf, 0.0), False),
        ((9.0, 0.5), True),
    ],
    Changing(2): [
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
    ],
}


@pytest.mark.parametrize("keeper", KEPT, ids=lambda keeper: type(keeper).__name__)
def test_what_is_kept_of_vectors_one_after_the_other(keeper):
    assert [keeper.keeps(vector) for vector, _ in KEPT[keeper]] == [
        kept for _, kept in KEPT[keeper]
    ]


NOISY = SUITES["bbob-noisy"]

MINE = """
import random
def bowl(x):
    return float(x @ x) + random.random()
def lucky(x):
    return float(x @ x) - random.random()
def exactly(x):
    return float(x @ x)
def raises(x):
    raise OSError("no disk")
def not_finite(x):
    return float("nan")
def leaves(x):
    import os
    os._exit(3)
"""


@pytest.fixture
def bowl(tmp_path, monkeypatch):
    """A function: the user's noisy problem with a noise-free function of a name."""
    monkeypatch.chdir(tmp_path)

    def made(noise_free, evaluate="bowl"):
        text = (
            MINE
            + f"f = {evaluate}\nf.lower, f.upper, f.f_opt = -1, 1, 0\nf.noise_free = {noise_free}\n"
        )
        (tmp_path / f"mine_{noise_free}.py").write_text(text)
        suite = own.OwnProblem(f"mine_{noise_free}.py:{evaluate}").configured({})
        return suite.problem(1, 3, 1)

    return made


def draw(objective, rng):
    return rng.uniform(objective.lower, objective.upper)


def walk(objective, rng, points=40):
    for _ in range(points):
        objective(draw(objective, rng))


def measured(solve, problem, evaluations=100, seed=1, **allowed):
    allowance = Allowance(evaluations=evaluations, **{"restart": Independent(), **allowed})
    row = measure_run(Algorithm(solve), problem, allowance, seed)
    names = {"suite": problem.name.suite, "function": problem.name.function,
             "dimension": problem.dimension, "instance": 1, "algorithm": "A", "run": 0}  # fmt: skip
    table = pa.Table.from_pylist([names | {"f_opt": problem.f_opt} | row], RUN_SCHEMA)
    assert list(contradictions(table)) == []
    return row


def seen(problem, count, seed=1):
    """The points of `walk` in the first launch, and both values of each."""
    from timefair.measure.trial import stream

    rng = stream(seed, 0)
    points = [rng.uniform(problem.lower, problem.upper) for _ in range(count)]
    problem.reseed(seed)
    return np.array([problem.evaluate(x) for x in points])


def test_the_rows_have_every_improvement_of_either_value():
    problem = NOISY.problem(107, 3, 1)
    row = measured(lambda objective, rng: walk(objective, rng, 100), problem)
    values = seen(problem, 100)
    least = np.minimum.accumulate(values, axis=0)
    before = np.vstack([[np.inf, np.inf], least[:-1]])
    better = np.flatnonzero((values < before).any(axis=1))
    assert row["status"] == "ok"
    assert [vector["evaluations"] for vector in row["vectors"]] == (better + 1).tolist()
    assert [vector["outputs"] for vector in row["vectors"]] == values[better].tolist()
    improving = np.flatnonzero(values[:, 0] < before[:, 0])
    assert [event["evaluations"] for event in row["events"]] == (improving + 1).tolist()
    assert row["best_f"] == values[:, 0].min()
    assert row["noise_free_f"] == values[values[:, 0].argmin(), 1]
    assert row["recommendations"] == []


def test_the_algorithm_sees_measured_values_however_it_evaluates():
    problem = NOISY.problem(107, 2, 1)
    told = []

    def solve(objective, rng):
        points = [draw(objective, rng) for _ in range(9)]
        values = [*(objective(x) for x in points[:3]), *objective.batch(points[3:])]
        assert all(isinstance(value, float) for value in values)
        assert objective.noisy
        (told.append(values), objective.recommend(values[:2]))

    row = measured(solve, problem, evaluations=9)
    assert row["status"] == "ok"
    again = measured(solve, problem, evaluations=9)
    assert row["vectors"]
    assert [v["outputs"] for v in row["vectors"]] == [v["outputs"] for v in again["vectors"]]


def test_points_that_are_returned_and_recommended_are_recorded_with_their_true_value():
    problem = NOISY.problem(101, 2, 1)

    def solve(objective, rng):
        walk(objective, rng, 10)
        objective.recommend([1.0, 1.0])
        walk(objective, rng, 10)
        return [0.5, 0.25]

    row = measured(solve, problem, evaluations=50)
    first, last = (
        problem.noise_free(np.array([1.0, 1.0])),
        problem.noise_free(np.array([0.5, 0.25])),
    )
    found = [(r["launch"], r["evaluations"], r["noise_free"]) for r in row["recommendations"]]
    assert (
        found
        == [(0, 10, first), (0, 20, last), (1, 30, first), (1, 40, last), (2, 50, first)][
            : len(found)
        ]
    )
    assert len(found) >= 4
    times = [r["time_s"] for r in row["recommendations"]]
    assert times == sorted(times)


@pytest.mark.slow
def test_recommendations_are_thinned_and_the_last_one_is_kept():
    problem = NOISY.problem(101, 2, 1)

    def solve(objective, rng):
        for k in range(2000):
            objective(draw(objective, rng))
            objective.recommend([k / 1000, 0.0])

    row = measured(solve, problem, evaluations=2000)
    kept = row["recommendations"]
    assert 100 < len(kept) < 900
    assert kept[-1]["evaluations"] == 1999  # the last evaluation ends the run
    assert kept[-1]["noise_free"] == problem.noise_free(np.array([1.998, 0.0]))


@pytest.mark.slow
def test_my_noisy_function_is_evaluated_again_without_noise_after_the_run(bowl):
    problem = bowl("exactly")

    def solve(objective, rng):
        for _ in range(50):
            x = draw(objective, rng)
            objective(x)
        return x

    row = measured(solve, problem, evaluations=150)
    assert row["status"] == "ok"
    assert row["best_x"] is not None
    best = np.array(row["best_x"])
    assert row["noise_free_f"] == problem.noise_free(best)
    assert row["best_f"] - 1 <= row["noise_free_f"] <= row["best_f"]
    assert len(row["vectors"]) == len(row["events"])
    for vector, event in zip(row["vectors"], row["events"], strict=True):
        assert vector["evaluations"] == event["evaluations"]
        assert vector["outputs"][0] == event["precision"]
        assert 0 <= vector["outputs"][0] - vector["outputs"][1] <= 1
    assert [r["evaluations"] for r in row["recommendations"]] == [50, 100]


@pytest.mark.parametrize(
    ("noise_free", "said"),
    [
        ("raises", "the noise-free function raised OSError: no disk"),
        ("not_finite", "the noise-free function gave nan; it should be finite"),
        ("leaves", "the noise-free function ended its process or took longer than 600 s"),
    ],
)
def test_a_noise_free_function_that_fails_is_a_status(bowl, noise_free, said):
    row = measured(lambda o, r: walk(o, r, 50), bowl(noise_free))
    assert (row["status"], row["message"]) == ("raised", said)
    assert (row["vectors"], row["recommendations"], row["noise_free_f"]) == (None, None, None)
    assert row["events"]


@pytest.mark.parametrize(
    ("returned", "point"),
    [
        ([1, 2], [1.0, 2.0]),
        ((1.5, 2.0), [1.5, 2.0]),
        (np.array([1.0, 2.0]), [1.0, 2.0]),
        (type("Result", (), {"x": [3.0, 4.0]})(), [3.0, 4.0]),
        ([1.0], None),
        ([1.0, np.nan], None),
        ("ab", None),
        (None, None),
        (([1.0, 2.0], 5.0), None),
        ([object(), 2.0], None),
    ],
)  # fmt: skip
def test_what_counts_as_a_returned_point(returned, point):
    found = point_of(returned, 2)
    assert (None if found is None else found.tolist()) == point


@pytest.mark.parametrize(
    ("restart", "cost_ns"),
    [
        (FixedLength(tau_evaluations=15), 0),
        (BetAndRun(candidates=3, tau_evaluations=25), 0),
        (Independent(), 1_000_000),
    ],
    ids=["fixed", "bet-and-run", "simulated cost"],
)
def test_rows_and_events_agree_under_every_kind_of_launch(restart, cost_ns):
    def solve(objective, rng):
        for _ in range(40):
            x = draw(objective, rng)
            objective(x)
            objective.recommend(x)

    problem = NOISY.problem(107, 3, 1)
    row = measured(solve, problem, evaluations=200, restart=restart, cost_ns=cost_ns)
    assert (row["status"], row["evaluations"]) == ("ok", 200)
    assert {r["launch"] for r in row["recommendations"]} == set(range(row["launches"]))


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("noise_free", np.nan, "a recommended point has a number that is not finite"),
        ("launch", 7, "a recommended point belongs to a launch that was not begun"),
        ("evaluations", 500, "a recommended point belongs to no evaluation of the run"),
        ("evaluations", 0, "a recommended point is out of order"),
        ("time_s", 1e3, "a recommended point is not from the time of the run"),
    ],
)
def test_a_record_that_contradicts_itself_is_found(name, value, said):
    def solve(objective, rng):
        walk(objective, rng, 20)
        return draw(objective, rng)

    row = measured(solve, NOISY.problem(101, 2, 1), evaluations=50)
    row["recommendations"][-1][name] = value
    names = {"suite": "bbob-noisy", "function": 101, "dimension": 2, "instance": 1, "run": 0}
    f_opt = NOISY.problem(101, 2, 1).f_opt
    (line,) = contradictions(pa.Table.from_pylist([names | row | {"f_opt": f_opt}], RUN_SCHEMA))
    assert line.endswith(said)
