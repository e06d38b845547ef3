"""What the algorithms of all libraries promise, and what is particular to an optional one."""

import contextlib
import subprocess
import sys
import threading

import numpy as np
import pytest
from objectives import Cut, Plain

from timefair.algorithms import adapter, registry
from timefair.algorithms.adapters import fcmaes, pycma, scipy

EXTRAS = [name for name, library in registry.LIBRARIES.items() if library.optional]
COMPILING = ("AGEMOEA", "AGEMOEA2")
"""They compile themselves when they are first called, which takes ten seconds."""
USES = [
    pytest.param(
        use := f"{name}:{algorithm}",
        id=use,
        marks=pytest.mark.thorough if algorithm in COMPILING else (),
    )
    for name in EXTRAS
    for library in [registry.LIBRARIES[name]]
    for algorithm in (library.examples if callable(library.names) else library.names)
]
ALWAYS = {
    "timefair": ("ABC", "CRO", "JADE", "PSO", "jDE", "jDElscop", "mQSO"),
    "scipy": (*scipy.LOCAL, *scipy.GLOBAL),
    "pycma": pycma.NAMES,
}
LAUNCHED = [*USES, *(f"{library}:{name}" for library, names in ALWAYS.items() for name in names)]
DRAW_NOTHING = (
    *("GN_DIRECT", "GN_DIRECT_L", "GN_ORIG_DIRECT", "GN_ORIG_DIRECT_L"),
    *("direct", "shgo"),
)
MOST = {"optuna": 20, "skopt": 11, "pybobyqa": 60}
"""Evaluations of a launch here, where they are dear; else `FULL`."""
FULL = 150


def skip_unless_installed(use: str) -> None:
    name, _, algorithm = use.partition(":")
    library = registry.LIBRARIES[name]
    if not library.optional:
        return
    pytest.importorskip(library.module)
    if lacks := library.missing(algorithm):
        pytest.skip(lacks)


@pytest.mark.thinned(5)
@pytest.mark.parametrize("use", LAUNCHED)
def test_a_launch_repeats_stays_inside_and_leaves_no_trace(
    launch, use, tmp_path, monkeypatch, capfd
):
    skip_unless_installed(use)
    library, _, name = use.partition(":")
    monkeypatch.chdir(tmp_path)
    threads = threading.active_count()
    most = MOST.get(library, FULL)
    first, again, other = (launch(use, seed=s, most=most) for s in (1, 1, 2))
    if library != "fcmaes" or name not in fcmaes.BY_GENERATIONS:
        np.testing.assert_array_equal(first.points, again.points)
    assert np.array_equal(first.points, other.points) == (name in DRAW_NOTHING)
    assert first.all_inside or name in scipy.LEAVE_BOUNDS
    assert list(tmp_path.iterdir()) == []
    assert capfd.readouterr() == ("", "")
    assert threading.active_count() == threads


@pytest.mark.thinned(3)
@pytest.mark.parametrize("use", USES)
def test_no_point_misses_the_bounds_by_a_rounding_error(use):
    """Of narrow bounds that no power of 2 divides, the best point is a corner."""
    skip_unless_installed(use)
    library, _, name = use.partition(":")
    objective = Plain(
        lambda x: float(x[0] - x[1] - x[2]), 3, MOST.get(library, FULL),
        lower=[0.1, -0.7, 1 / 3], upper=[0.3, -0.7 + 1 / 7, 1.1],
        shown=registry.LIBRARIES[library].objectives(name),
    )  # fmt: skip
    algorithm = registry.load(use, {})
    for seed in range(3):
        np.random.seed(seed)  # noqa: NPY002
        with contextlib.suppress(Cut):
            algorithm.solve(objective, np.random.default_rng(seed))
    assert objective.evaluations > 5
    assert objective.all_inside


@pytest.mark.thinned(10)
@pytest.mark.parametrize("most", [3, 8])
@pytest.mark.parametrize("use", LAUNCHED)
def test_the_end_of_a_launch_passes_through(launch, use, most):
    skip_unless_installed(use)
    ended = launch(use, most=most)
    assert ended.was_cut
    assert ended.evaluations == most


@pytest.mark.thinned(20)
@pytest.mark.parametrize("use", USES)
def test_a_missing_package_is_named_with_how_to_get_it(monkeypatch, use):
    monkeypatch.setattr(adapter.importlib.util, "find_spec", lambda module: None)
    library = use.partition(":")[0]
    package = registry.LIBRARIES[library].distributions[0]
    how = f"--no-deps {library}" if library in ("mealpy", "niapy") else "'timefair[extras]'"
    help_ = f"needs the package {package}: pip install {how}"
    assert {a.missing for a in registry.LIBRARIES[library].available()} == {help_}
    assert registry.faults(use, {}) == [f"{use} cannot be used here: it {help_}"]


@pytest.mark.parametrize(
    ("use", "parameters", "line"),
    [
        ("modcma:BIPO", {}, "modcma has no algorithm 'BIPO'; did you mean 'BIPOP'?"),
        ("modcma:BIPOP", {"lamda0": 9}, "of modcma:BIPOP; did you mean 'lambda0'?"),
        ("modcma:BIPOP", {"lambda0": 0}, "is a whole number from 1, not 0"),
        ("modcma:BIPOP", {"active": 1}, "'active' of modcma:BIPOP is true or false, not 1"),
        ("modcma:BIPOP", {"ssa": "CSO"}, "'ssa' is one of CSA, TPA, MSR, XNES, MXNES, LPXNES"),
        ("modcma:modCMA", {"sigma0": True}, "is a number from 0, not True"),
        ("modde:modDE", {"F": [0.5]}, "'F' of modde:modDE is a number from 0, not [0.5]"),
        ("modde:modDE", {"mutation_n_comps": 3}, "mutation_n_comps should be any of [(1"),
        ("fcmaes:DE", {"popsize": 3}, "fcmaes:DE refuses its parameters: 'popsize' is at least 4"),
        ("fcmaes:CMA-ES", {"stop_hist": -2}, None),
        ("pymoo:GA", {"termination": "x"}, "'termination' is tolerance or none, not 'x'"),
        ("pymoo:PSO", {"initial_velocity": "x"}, "Unknown velocity initialization."),
        ("nlopt:GN_MLSL", {"local": "LN_X"}, "'local' is one of LN_BOBYQA, LN_NELDERMEAD"),
        ("nlopt:GN_ESCH", {"local": "LN_BOBYQA"}, "xtol_rel, xtol_abs, ftol_rel, ftol_abs"),
        ("pybobyqa:BOBYQA", {"rhoend": 100}, "Error (bad input): rhobeg must be > rhoend"),
        (
            "skopt:gp_minimize",
            {"acq_func": "EX"},
            "skopt:gp_minimize refuses its parameters: expected acq_func to be in "
            "gp_hedge,EI,LCB,MES,PVRS,PI,EIps,PIps, got EX",
        ),
    ],
)
def test_a_wrong_parameter_gets_one_line(use, parameters, line):
    skip_unless_installed(use)
    faults = registry.faults(use, parameters)
    assert len(faults) == (line is not None)
    assert (line or "") in "".join(faults)


def test_modde_follows_the_budget_unless_it_has_its_own(launch, monkeypatch):
    """Its population shrinks with the used share of the budget."""
    modde = pytest.importorskip("modde")
    ended = launch("modde:modDE", {"budget": 300}, dimension=2, most=2000)
    assert 300 <= ended.evaluations < 337  # it looks at the end of a generation
    assert launch("modde:modDE", {}, dimension=2, most=2000).was_cut
    sizes = []
    step = modde.ModularDE.step
    monkeypatch.setattr(
        modde.ModularDE, "step", lambda self: (sizes.append(self.parameters.lambda_), step(self))[1]
    )
    assert launch("modde:modDE", {"lpsr": True, "lambda_": 40}, dimension=2, most=2000).was_cut
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] == 40
    assert sizes[-1] <= 6


@pytest.mark.slow
def test_pymoo_imports_nothing_after_its_preparation():
    code = """
import sys
import numpy as np
from timefair.algorithms import adapter, registry

def launch(evaluations):
    try:
        algorithm.solve(adapter.Sphere(evaluations, 1), np.random.default_rng(0))
    except adapter.Enough:
        return set(sys.modules)

algorithm = registry.load("pymoo:DE", {})
algorithm.prepare()
early = launch(50)
print(sorted(launch(1000) - early))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_what_an_objective_raises_is_held_until_it_is_released():
    def objective(x):
        raise Cut

    stopped = []
    trap = adapter.ErrorTrap(objective, lambda: stopped.append(True))
    trap.reraise()
    assert trap(np.zeros(2)) == np.inf
    assert stopped == [True]
    with pytest.raises(Cut):
        trap.reraise()


@pytest.mark.thorough
@pytest.mark.slow
def test_bayesian_optimization_repeats_its_seed_within_the_bounds(launch):
    one, other = (launch("bayesopt:EI", {"init_points": 3}, most=5) for _ in range(2))
    np.testing.assert_array_equal(one.points, other.points)
    assert one.all_inside
    assert one.was_cut
    assert len(np.unique(one.points, axis=0)) == 5


def test_nan_is_a_failed_trial_of_optuna():
    pytest.importorskip("optuna")
    objective = Plain(lambda x: np.nan, most=15)
    with contextlib.suppress(Cut):
        registry.load("optuna:TPE", {}).solve(objective, np.random.default_rng(1))
    assert objective.evaluations == 15
