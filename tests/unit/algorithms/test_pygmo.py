"""pygmo's algorithms, where pygmo is installed."""

import subprocess
import sys

import numpy as np
import pytest

from timefair.algorithms import registry
from timefair.algorithms.adapters import pygmo as adapter

NAMES = list(adapter.DEFAULTS)


class Stop(BaseException):
    """As the measuring code ends a launch."""


class Stubborn:
    """A sphere on [-1, 1]^2 that raises from one evaluation on and counts those that follow."""

    dimension, cores, evaluations_left = 2, 1, None
    lower, upper = np.full(2, -1.0), np.full(2, 1.0)

    def __init__(self, most: int, name: str) -> None:
        self.most, self.calls = most, 0
        self.shown = adapter.PYGMO.objectives(name)

    def __call__(self, x):
        self.calls += 1
        if self.calls > self.most:
            raise Stop
        value = float(np.sum(np.square(x)))
        return value if self.shown == 1 else np.array([value, float(np.sum(np.abs(x - 1)))])


@pytest.fixture(autouse=True, scope="module")
def _pygmo():
    pytest.importorskip("pygmo")


@pytest.mark.thinned(3)
@pytest.mark.parametrize("name", NAMES)
def test_the_end_of_a_launch_surfaces_at_once(name):
    parameters = {"stop_range": 1e-12} if name == "compass_search" else {}
    for most in (0, 20, 80):  # in the first population or after it
        objective = Stubborn(most, name)
        with pytest.raises(Stop):
            registry.load(f"pygmo:{name}", parameters).solve(objective, np.random.default_rng(1))
        assert objective.calls == most + 1


@pytest.mark.thinned(9)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", NAMES)
def test_values_that_are_no_numbers_do_no_harm(name, value):
    class Odd(Stubborn):
        def __call__(self, x):
            y = super().__call__(x)
            return y if self.calls % 3 else value if self.shown == 1 else np.array([value, 1.0])

    objective = Odd(200, name)
    try:
        registry.load(f"pygmo:{name}", {}).solve(objective, np.random.default_rng(1))
    except Stop:
        assert objective.calls == 201
    assert objective.calls > 10


@pytest.mark.slow
def test_nothing_is_imported_while_the_clock_runs():
    code = (
        "import sys, numpy as np; from timefair.algorithms import registry\n"
        "from timefair.algorithms.adapter import Enough, Sphere\n"
        "a = registry.load('pygmo:sade', {}); a.prepare()\n"
        "before = set(sys.modules)\n"
        "try: a.solve(Sphere(90), np.random.default_rng(1))\n"
        "except Enough: pass\n"
        "sys.exit(' '.join(set(sys.modules) - before) or None)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
