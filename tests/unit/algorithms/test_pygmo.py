"""pygmo's algorithms, where pygmo is installed."""

import subprocess
import sys

import numpy as np
import pytest
from objectives import Cut, Plain, bowl

from timefair.algorithms import registry
from timefair.algorithms.adapters import pygmo as adapter

NAMES = list(adapter.DEFAULTS)


def sphere(most, name, function=bowl):
    """On [-1, 1]^2; it counts also the calls after its end."""
    shown = adapter.PYGMO.objectives(name)
    return Plain(function, 2, most, lower=-1.0, upper=1.0, shown=shown)


@pytest.fixture(autouse=True, scope="module")
def _pygmo():
    pytest.importorskip("pygmo")


@pytest.mark.thinned(3)
@pytest.mark.parametrize("name", NAMES)
def test_the_end_of_a_launch_surfaces_at_once(name):
    parameters = {"stop_range": 1e-12} if name == "compass_search" else {}
    for most in (0, 20, 80):  # in the first population or after it
        objective = sphere(most, name)
        with pytest.raises(Cut):
            registry.load(f"pygmo:{name}", parameters).solve(objective, np.random.default_rng(1))
        assert objective.calls == most + 1


@pytest.mark.thinned(9)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", NAMES)
def test_values_that_are_no_numbers_do_no_harm(name, value):
    objective = sphere(200, name, lambda x: bowl(x) if objective.calls % 3 else value)
    try:
        registry.load(f"pygmo:{name}", {}).solve(objective, np.random.default_rng(1))
    except Cut:
        assert objective.calls == 201
    assert objective.calls > 10


@pytest.mark.parametrize(
    ("name", "parameters", "line"),
    [
        ("dee", {}, "pygmo has no algorithm 'dee'; did you mean 'de'?"),
        ("de", {"f": 0.5}, "'f' is not a parameter of pygmo:de; did you mean 'F'?"),
        ("gwo", {"seed": 1}, "'seed' is not a parameter of pygmo:gwo; it has: population, gen"),
        ("de", {"population": 0}, "'population' of pygmo:de is a whole number from 1, not 0"),
        ("de", {"population": True}, "'population' of pygmo:de is a whole number from 1, not True"),
        ("sade", {"population": 6}, "saDE: Self-adaptive Differential Evolution needs at least 7"),
        ("de", {"F": 7}, "pygmo:de refuses its parameters: The F and CR parameters must be in the"),
        ("de", {"F": "big"}, "'F' of pygmo:de is a number from 0, not 'big'"),
    ],
)
def test_a_wrong_name_or_parameter_gets_one_line(name, parameters, line):
    (found,) = registry.faults(f"pygmo:{name}", parameters)
    assert line in found
    assert "\n" not in found


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
