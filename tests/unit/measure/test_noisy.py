"""Records of noisy problems have the value without noise, which no algorithm sees or pays for."""

import numpy as np
import pyarrow as pa
import pytest

from timefair.algorithms.base import Algorithm
from timefair.measure.launching import point_of
from timefair.measure.runs.child import Allowance
from timefair.measure.runs.run import measure_run
from timefair.policies.restarts.bet_and_run import BetAndRun
from timefair.policies.restarts.fixed import FixedLength
from timefair.policies.restarts.independent import Independent
from timefair.problems import own
from timefair.problems.registry import SUITES
from timefair.records.consistency import contradictions
from timefair.records.schema import RUN_SCHEMA

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
    from timefair.measure.launching import stream

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


@pytest.mark.parametrize("wrong", [[1.0], [[1.0, 2.0]], "point"])
def test_a_wrong_shape_is_the_algorithms_error(wrong):
    def solve(objective, rng):
        walk(objective, rng, 5)
        objective.recommend(wrong)

    row = measured(solve, NOISY.problem(101, 2, 1))
    assert row["status"] == "raised"
    assert row["message"].startswith("ValueError")


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
    values = np.array([vector["outputs"] for vector in row["vectors"]])
    before = np.vstack([[np.inf, np.inf], np.minimum.accumulate(values, axis=0)[:-1]])
    assert (values < before).any(axis=1).all()
    improving = values[:, 0] < before[:, 0]
    at = [vector["evaluations"] for vector in row["vectors"]]
    events = [event["evaluations"] for event in row["events"]]
    assert events == np.array(at)[improving].tolist()
    named = row["recommendations"]
    assert named
    assert [r["evaluations"] for r in named] == sorted(r["evaluations"] for r in named)
    assert {r["launch"] for r in named} == set(range(row["launches"]))
    spans = row["launch_log"]
    assert all(
        spans[r["launch"]]["start_s"] <= r["time_s"] <= spans[r["launch"]]["end_s"] for r in named
    )


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("noise_free", np.nan, "the value of a recommended point is not finite"),
        ("launch", 7, "a launch that was not begun has recommended a point"),
        ("evaluations", 500, "a point was recommended after no evaluation of the run"),
        ("evaluations", 0, "the recommended points are out of order"),
        ("time_s", 1e3, "a point was not recommended in the time of the run"),
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
