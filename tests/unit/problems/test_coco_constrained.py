"""The suite bbob-constrained against the values and the logger of cocoex."""

import numpy as np
import pytest

from timefair.measure.evaluation.state import State
from timefair.problems import suites
from timefair.problems.suites import SUITES

cocoex = pytest.importorskip("cocoex")
SUITE = SUITES["bbob-constrained"]
INDICATOR = suites.find("bbob-constrained", {"quality": "indicator"})


def launched(problem):
    state = State(problem.numbers)
    measurement = state.measurement(problem)
    measurement.start(0)
    measurement.begin_launch()
    return state, measurement.objective


def walk(problem, count, seed=0):
    rng = np.random.default_rng(seed)
    indicator = INDICATOR.problem(problem.name.function, problem.dimension, problem.name.instance)
    best, points, width = problem.start, [], 1.0
    for _ in range(count):
        points.append(best + width * rng.standard_normal(problem.dimension))
        better = indicator.value(points[-1]) < indicator.value(best)
        width *= 1.5 if better else 0.9
        best = points[-1] if better else best
    return points


def test_every_function_has_the_start_the_constraints_and_the_values_of_coco():
    suite = cocoex.Suite("bbob-constrained", "instances: 2", "dimensions: 3")
    functions = []
    for theirs in suite:
        function, dimension, instance = theirs.id_triple
        ours = SUITE.problem(function, dimension, instance)
        functions.append(function)
        assert ours.constraints.count == theirs.number_of_constraints
        assert (ours.start == theirs.initial_solution).all()
        assert ours.constraints.violation(ours.start) == 0
        assert ours.value(ours.start) == theirs(ours.start) >= ours.f_opt
        for x in walk(ours, 5):
            assert ours.evaluate(x) == theirs(x)
            assert (ours.constraints.evaluate(x) == theirs.constraint(x)).all()
    assert functions == list(SUITE.functions) == list(range(1, 55))


@pytest.mark.parametrize(("function", "dimension"), [(1, 2), (17, 5), (36, 10), (54, 40)])
def test_precision_and_counts_are_those_of_cocos_logger(function, dimension, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    options = f"dimensions: {dimension} function_indices: {function}"
    observer = cocoex.Observer(
        "bbob-constrained",
        "result_folder: A algorithm_name: walk number_target_triggers: 200 "
        "base_evaluation_triggers: 1,2,3,4,5,6,7,8,9",
    )
    suite = cocoex.Suite("bbob-constrained", "instances: 3", options)
    theirs = suite[0]
    theirs.observe_with(observer)
    problem = INDICATOR.problem(function, dimension, 3)
    state, ours = launched(problem)
    for k, x in enumerate(walk(problem, 300, seed=function)):
        order = [theirs.constraint, theirs] if k % 3 else [theirs, theirs.constraint]
        own = [ours.constraints, ours] if k % 3 else [ours, ours.constraints]
        for one, other in zip(order[: 1 + k % 2], own[: 1 + k % 2], strict=True):
            assert np.array_equal(one(x), other(x))
    counts = theirs.evaluations, theirs.evaluations_constraints
    theirs.free()
    constraints = state["constraint_evaluations"]
    assert (state["evaluations"] - constraints, constraints) == counts
    assert constraints > 50

    lines = [
        line.split()[:3]
        for file in (tmp_path / "exdata" / "A").rglob("*.*dat")
        for line in file.read_text().splitlines()
        if not line.startswith("%")
    ]
    assert len({line[2] for line in lines}) > 5
    events, vectors = state.logs().events, state.logs().vectors
    at_vector = dict(zip(vectors["evaluations"], vectors["outputs"][:, 2], strict=True))
    for of_f, of_g, precision in lines:
        last = np.searchsorted(events["evaluations"], int(of_f) + int(of_g), side="right") - 1
        assert events["precision"][last] == pytest.approx(float(precision), rel=1e-9, abs=1e-9)
        if (total := int(of_f) + int(of_g)) in at_vector:
            assert at_vector[total] == int(of_g)


def test_the_vectors_give_cocos_precision_without_the_parameter():
    points = walk(SUITE.problem(6, 5, 1), 300)
    traces = []
    for suite in (SUITE, INDICATOR):
        problem = suite.problem(6, 5, 1)
        state, objective = launched(problem)
        for x in points:
            objective(x)
        f, violation, _ = state.logs().vectors["outputs"].T
        least = np.minimum.accumulate(np.maximum(f, problem.f_opt) + violation) - problem.f_opt
        falls = np.diff(least, prepend=np.inf) < 0
        traces.append((least[falls].tolist(), state.logs().vectors["evaluations"][falls].tolist()))
    assert (
        traces[0]
        == traces[1]
        == (state.logs().events["precision"].tolist(), state.logs().events["evaluations"].tolist())
    )


def test_only_feasible_points_have_a_precision():
    problem = SUITE.problem(6, 5, 1)
    state, objective = launched(problem)
    best, expected = np.inf, []
    for k, x in enumerate(walk(problem, 300)):
        objective(x)
        if (problem.constraints.evaluate(x) <= 0).all() and problem.evaluate(x) < best:
            best = problem.evaluate(x)
            expected.append((k + 1, best - problem.f_opt))
    assert len(expected) > 3
    assert state.logs().events[["evaluations", "precision"]].tolist() == expected
    assert problem.value(state.best(5)[1]) == state.best(5)[0] == best
