"""Best points of records are evaluated again, and a value that has changed is named."""

import numpy as np
import pyarrow as pa
import pytest

from timefair.campaign.verify import OF_POINTS as COLUMNS
from timefair.campaign.verify import Difference, Reevaluation
from timefair.problems.registry import SUITES
from timefair.records.schema import RUN_SCHEMA

X = [1.5, -2.25]
F = SUITES["bbob"].problem(1, 2, 1).evaluate


def look(seconds: float = 60.0, parameters=None, **changes) -> tuple[Reevaluation, list[str]]:
    """Evaluate the best point of one run."""
    row = {"suite": "bbob", "function": 1, "dimension": 2, "instance": 1, "run": 3}
    row |= {"best_f": F(np.array(X)), "noise_free_f": None, "best_x": X, **changes}
    table = pa.table(
        {
            name: pa.array([row[name]], pa.list_(pa.float64()) if name == "best_x" else None)
            for name in COLUMNS
        }
    )
    points, said = Reevaluation(seconds), list[Difference]()
    points.look(table, parameters or {}, said.append)
    return points, [str(one) for one in said]


def test_the_same_value():
    points, said = look()
    assert (str(points), said) == ("1 of 1 best points evaluate to the recorded value", [])


def test_another_value_is_named():
    points, (line,) = look(best_f=79.0)
    assert points.different == 1
    assert line.startswith("f1 D=2 instance 1, run 3: the best point was recorded with 79.0 and")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"seconds": 0.0}, "1 not evaluated"),
        ({"suite": "gone:f"}, "1 not evaluated"),
        ({"suite": "bbob-noisy", "function": 101}, "1 of noisy functions"),
    ],
)
def test_what_cannot_be_compared_is_counted(changes, expected):
    points, said = look(**changes)
    assert said == []
    assert str(points) == f"0 of 0 best points evaluate to the recorded value, {expected}"


def test_of_a_noisy_run_the_value_without_noise_is_compared():
    import numpy as np

    problem = SUITES["bbob-noisy"].problem(101, 2, 1)
    noisy = {"suite": "bbob-noisy", "function": 101, "best_f": 1e3}
    exact = problem.noise_free(np.array(X))
    assert look(**noisy, noise_free_f=exact)[0].same == 1
    points, (line,) = look(**noisy, noise_free_f=exact + 1)
    assert points.different == 1
    assert f"was recorded with {exact + 1!r} and now gives {exact}" in line


def test_the_users_own_function(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "import random\ndef f(x, scale=1.0): return scale * x[0]\n"
    text += "def noisy(x): return random.random()\ndef raises(x): raise OSError('no disk')\n"
    text += "for one in (f, noisy, raises): one.lower, one.upper = -5, 5\n"
    (tmp_path / "mine.py").write_text(text)
    assert look(suite="mine.py:f", parameters={"scale": 2.0}, best_f=3.0)[0].same == 1
    assert look(suite="mine.py:noisy", best_f=0.5)[0].noisy == 1
    assert "now gives OSError: no disk" in look(suite="mine.py:raises")[1][0]


def test_the_quality_of_vectors_is_computed_again():
    import numpy as np

    problem = SUITES["bbob-biobj"].problem(1, 2, 1)
    vectors = np.array([problem.evaluate(np.array(x)) for x in ([0.0, 0.0], [1.0, -1.0], X)])
    best = float(np.min(problem.outputs.quality(vectors)))
    row = {"suite": "bbob-biobj", "function": 1, "dimension": 2, "instance": 1}
    kept = [
        {"launch": 0, "evaluations": n, "time_s": 0.1, "outputs": list(vector)}
        for n, vector in enumerate(vectors)
    ]
    rows = [
        row | {"run": 0, "best_f": best, "vectors": kept},
        row | {"run": 1, "best_f": best - 1e-6, "vectors": kept},
        row | {"run": 2, "best_f": best, "vectors": None},
        row | {"run": 3, "best_f": np.inf, "vectors": []},
    ]
    said: list[Difference] = []
    runs = pa.Table.from_pylist(rows, RUN_SCHEMA)
    Reevaluation(60.0).look_at_vectors(runs, {}, said.append)
    (line,) = map(str, said)
    assert line.startswith("f1 D=2 instance 1, run 1: the set of vectors was recorded with ")


def test_vectors_of_environments_that_are_not_there_are_reported():
    problem = SUITES["moving"].problem(1, 2, 1)
    vectors = [[-3.0, 0.0], [-4.0, 1.0]]
    best = float(problem.outputs.quality(np.array(vectors))[-1])
    row = {"suite": "moving", "function": 1, "dimension": 2, "instance": 1, "best_f": best}
    said: list[Difference] = []
    for run, environment in enumerate((1.0, 99.0)):
        vectors[1][1] = environment
        kept = [{"launch": 0, "evaluations": 1, "time_s": 0.1, "outputs": one} for one in vectors]
        runs = pa.Table.from_pylist([row | {"run": run, "vectors": kept}], RUN_SCHEMA)
        Reevaluation(60.0).look_at_vectors(runs, {}, said.append)
    (line,) = map(str, said)
    assert "run 1: the set of vectors was recorded with " in line
    assert "now gives nan" in line
