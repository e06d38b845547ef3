"""What the algorithms of all libraries promise, and what is particular to an optional one."""

import contextlib
import subprocess
import sys
import threading

import numpy as np
import pytest

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


class Corner:
    """A plane over narrow bounds that no power of 2 divides: its best point is a corner."""

    dimension, shown, cores, evaluations_left, noisy = 3, 1, 1, None, False
    progress = 0.5
    lower = np.array([0.1, -0.7, 1 / 3])
    upper = np.array([0.3, -0.7 + 1 / 7, 1.1])
    integer = np.zeros(3, dtype=bool)

    def __init__(self, most: int, shown: int = 1) -> None:
        self.evaluations = 0
        self.shown = shown
        self._most = most

    def __call__(self, x):
        if self.evaluations == self._most:
            raise adapter.Enough
        assert np.all((self.lower <= x) & (x <= self.upper))
        self.evaluations += 1
        value = float(np.sum(np.array([1, -1, -1]) * x))
        return value if self.shown == 1 else np.array([value, -value])

    def batch(self, points):
        return np.array([self(x) for x in points])


@pytest.mark.thinned(3)
@pytest.mark.parametrize("use", USES)
def test_no_point_misses_the_bounds_by_a_rounding_error(use):
    skip_unless_installed(use)
    library, _, name = use.partition(":")
    objective = Corner(MOST.get(library, FULL), registry.LIBRARIES[library].objectives(name))
    algorithm = registry.load(use, {})
    for seed in range(3):
        np.random.seed(seed)  # noqa: NPY002
        with contextlib.suppress(adapter.Enough):
            algorithm.solve(objective, np.random.default_rng(seed))
    assert objective.evaluations > 5


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
        ("cmaes:CMAES", {}, "cmaes has no algorithm 'CMAES'; did you mean 'CMA'?"),
        ("cmaes:CMA", {"sigm": 1}, "'sigm' is not a parameter of cmaes:CMA; did you mean 'sigma'?"),
        ("cmaes:SepCMA", {"lr_adapt": True}, "'lr_adapt' is not a parameter of cmaes:SepCMA; it"),
        ("cmaes:CMA", {"lr_adapt": 1}, "'lr_adapt' of cmaes:CMA is true or false, not 1"),
        ("cmaes:CMA", {"sigma": 0}, "cmaes:CMA refuses its parameters: sigma must be non-zero"),
        ("cmaes:CMA", {"population_size": 1}, "'population_size' is at"),
        ("cmaes:CMAwM", {"margin": 0.5}, "'margin' is above 0 and"),
        ("timefair:JADE", {"population": 2}, "'population' of timefair:JADE is a whole number of"),
        ("timefair:JADE", {"p": 1.5}, "'p' of timefair:JADE is a number from 0 to 1, not 1.5"),
        ("timefair:JADE", {"c": float("nan")}, "is a number from 0 to 1, not nan"),
        ("timefair:jDE", {"tau1": -0.1}, "is a number from 0 to 1, not -0.1"),
        ("timefair:jDElscop", {"budget": 0}, "'budget' of timefair:jDElscop is a whole number of"),
        ("timefair:jDElscop", {"population": 50.0}, "'population' of timefair:jDElscop is a whole"),
        ("timefair:PSO", {"omega": "0.7"}, "is a number from 0 to 1, not '0.7'"),
        ("timefair:ABC", {"food": 1}, "'food' of timefair:ABC is a whole number of at least 2,"),
        ("timefair:mQSO", {"cloud": 2}, "'cloud' of timefair:mQSO is a number from 0 to 1, not 2"),
        ("timefair:mQSO", {"swarms": 0}, "'swarms' of timefair:mQSO is a whole number of at least"),
        ("timefair:CRO", {"fd": 1}, "'fd' of timefair:CRO is a number from 0 to 0.99, not 1"),
        ("timefair:CRO", {"n": True}, "is a whole number of at least 1, not True"),
        ("timefair:CRO", {"rows": 3}, "'rows' is not a parameter of timefair:CRO"),
        ("pygmo:dee", {}, "pygmo has no algorithm 'dee'; did you mean 'de'?"),
        ("pygmo:de", {"f": 0.5}, "'f' is not a parameter of pygmo:de; did you mean 'F'?"),
        ("pygmo:gwo", {"seed": 1}, "'seed' is not a parameter of pygmo:gwo; it has: population,"),
        ("pygmo:de", {"population": 0}, "'population' of pygmo:de is a whole number from 1, not 0"),
        ("pygmo:de", {"population": True}, "is a whole number from 1, not True"),
        ("pygmo:sade", {"population": 6}, "saDE: Self-adaptive Differential Evolution needs at"),
        ("pygmo:de", {"F": 7}, "The F and CR parameters must be in the"),
        ("pygmo:de", {"F": "big"}, "'F' of pygmo:de is a number from 0, not 'big'"),
        ("mealpy:PSO.OriginalPS", {}, "mealpy has no algorithm 'PSO.OriginalPS'; did you mean"),
        ("mealpy:PSO.OriginalPSO", {"pop": 3}, "'pop' is not a parameter of"),
        ("mealpy:PSO.OriginalPSO", {"c1": 7.0}, "'c1' is a float and value should be"),
        ("mealpy:PSO.OriginalPSO", {"mode": "thread"}, "'mode' is single or swarm, not"),
        ("mealpy:GA.OriginalGA", {}, "has no steps in MEALPY 3.0.3: it would "),
        ("mealpy:PSS.OriginalPSS", {}, "draws its first points from a"),
        ("scipy:L-BFGS-B", {"maxitr": 5}, "of scipy:L-BFGS-B; did you mean 'maxiter'?"),
        ("scipy:trust-constr", {"gtoll": 1}, "of scipy:trust-constr; did you mean 'gtol'?"),
        ("scipy:SLSQP", {"bounds": 1}, "it has: tol, jac, ftol, eps, maxiter,"),
        ("scipy:Powell", {"jac": "2-point"}, "tol, maxiter, xtol, ftol, maxfev, direc, return_all"),
        ("scipy:CG", {"jac": "cs"}, "'jac' is '2-point' or '3-point', not 'cs'"),
        ("scipy:differential_evolution", {"pop_size": 5}, "evolution; did you mean"),
        ("pycma:CMA-ES", {"popsise": 4}, "of pycma:CMA-ES; did you mean 'popsize'?"),
        ("pycma:CMA-ES", {"sigma": 4}, "of pycma:CMA-ES; did you mean 'sigma0'?"),
        ("pycma:CMA-ES", {"sigma0": -1}, "'sigma0' of pycma:CMA-ES is a number from 0, not -1"),
        ("pycma:CMA-ES", {"seed": 4}, "of pycma:CMA-ES; it has: sigma0, AdaptSigma, "),
        ("nevergrad:DE", {"crosover": 1}, "of nevergrad:DE; did you mean 'crossover'?"),
        ("nevergrad:DE", {"crossover": "no"}, "nevergrad:DE refuses its parameters: "),
        ("nevergrad:CMA", {"zzz": 1}, "of nevergrad:CMA; it has: budget, num_workers, start"),
        ("nevergrad:DE", {"num_workers": 1.5}, "is a whole number from 1, not 1.5"),
        ("nevergrad:RCobyla", {"num_workers": 2}, "'num_workers' can only be 1"),
        ("nevergrad:DE", {"start": 0}, "'start' is middle or uniform, not 0"),
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
def test_a_wrong_name_or_parameter_gets_one_line(use, parameters, line):
    library = registry.LIBRARIES[use.partition(":")[0]]
    if library.optional:
        pytest.importorskip(library.module)
    faults = registry.faults(use, parameters)
    assert len(faults) == (line is not None)
    assert (line or "") in "".join(faults)
    assert "\n" not in "".join(faults)


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
    class Cut(BaseException):
        pass

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


def test_nan_is_a_failed_trial_of_optuna(launch):
    pytest.importorskip("optuna")
    plain = type(launch("optuna:random"))
    asked = plain.__call__
    nowhere = type("Nowhere", (plain,), {"__call__": lambda self, x: asked(self, x) * np.nan})
    objective = nowhere(most=15)
    with contextlib.suppress(BaseException):
        registry.load("optuna:TPE", {}).solve(objective, np.random.default_rng(1))
    assert objective.evaluations == 15
