"""What the algorithms of all libraries promise, also on constraints, and what is particular."""

import contextlib
import random
import subprocess
import sys
import threading

import numpy as np
import pytest
from objectives import Cut, Plain, bowl

from timefair.algorithms import adapter, libraries
from timefair.extensions.libraries import cmaes, fcmaes, nevergrad, pycma, pygmo, scipy
from timefair.machine.linux import kernel
from timefair.measure.run import Allowance, measure_run
from timefair.measure.trial import load
from timefair.problems.problem import Problem, ProblemName
from timefair.problems.suites import SUITES

EXTRAS = [name for name, library in libraries.LIBRARIES.items() if library.optional]
COMPILING = ("AGEMOEA", "AGEMOEA2")
"""They compile themselves when they are first called, which takes ten seconds."""
USES = [
    pytest.param(
        use := f"{name}:{algorithm}",
        id=use,
        marks=pytest.mark.thorough if algorithm in COMPILING else (),
    )
    for name in EXTRAS
    for library in [libraries.LIBRARIES[name]]
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
    library = libraries.LIBRARIES[name]
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
        shown=libraries.LIBRARIES[library].objectives(name),
    )  # fmt: skip
    algorithm = libraries.load(use, {})
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
    package = libraries.LIBRARIES[library].distributions[0]
    how = f"--no-deps {library}" if library in ("mealpy", "niapy") else "'timefair[extras]'"
    help_ = f"needs the package {package}: pip install {how}"
    assert set(libraries.LIBRARIES[library].available().values()) == {help_}
    assert libraries.faults(use, {}) == [f"{use} cannot be used here: it {help_}"]


@pytest.mark.parametrize(
    ("use", "parameters", "line"),
    [
        ("cmaes:CMA", {"sigm": 1}, "'sigm' is not a parameter of cmaes:CMA; did you mean 'sigma'?"),
        ("cmaes:CMA", {"lr_adapt": 1}, "'lr_adapt' of cmaes:CMA is true or false, not 1"),
        ("cmaes:CMA", {"sigma": 0}, "cmaes:CMA refuses its parameters: sigma must be non-zero"),
        ("cmaes:CMA", {"population_size": 1}, "'population_size' of cmaes:CMA is a whole"),
        ("cmaes:CMAwM", {"margin": 0.5}, "'margin' is above 0 and"),
        ("timefair:DE", {"cr": 0.5}, "'cr' is not a parameter of timefair:DE; did you mean 'CR'?"),
        ("timefair:DE", {"F": 2.1}, "'F' of timefair:DE is a number from 0 to 2, not 2.1"),
        ("timefair:DE", {"strategy": "rand/2/exp", "population": 5}, "of at least 6, not 5"),
        ("timefair:DE", {"population": 30, "population_per_dimension": 5}, "'population' and"),
        ("timefair:DE", {"bounds": "clipped"}, "is 'random' or 'reflect' or 'clip', not 'clipped'"),
        ("mealpy:PSO.OriginalPSO", {"c1": 7.0}, "'c1' is a float and value should be"),
        ("mealpy:GA.OriginalGA", {}, "has no steps in MEALPY 3.0.3: it would "),
        ("mealpy:PSS.OriginalPSS", {}, "draws its first points from a"),
        ("nevergrad:DE", {"crossover": "no"}, "nevergrad:DE refuses its parameters: "),
        ("nevergrad:CMA", {"zzz": 1}, "of nevergrad:CMA; it has: budget, num_workers, start"),
        ("nevergrad:DE", {"num_workers": 1.5}, "is a whole number of at least 1, not 1.5"),
        ("nevergrad:RCobyla", {"num_workers": 2}, "'num_workers' can only be 1"),
        ("timefair:jDElscop", {"population": 50.0}, "is a whole number"),
        ("timefair:CRO", {"fd": 1}, "'fd' of timefair:CRO is a number from 0 to 0.99, not 1"),
        ("pycma:CMA-ES", {"popsise": 4}, "a parameter of pycma:CMA-ES; did you mean 'popsize'?"),
        ("pycma:CMA-ES", {"sigma0": -1}, "'sigma0' of pycma:CMA-ES is a number of at"),
        ("pycma:CMA-ES", {"seed": 4}, "is not a parameter of pycma:CMA-ES; it has: sigma0,"),
        ("pygmo:de", {"f": 0.5}, "'f' is not a parameter of pygmo:de; did you mean 'F'?"),
        ("pygmo:de", {"population": 0}, "'population' of pygmo:de is a whole number of at"),
        ("pygmo:sade", {"population": 6}, "saDE: Self-adaptive Differential Evolution needs at"),
        ("pygmo:de", {"F": 7}, "The F and CR parameters must be in the"),
        ("scipy:L-BFGS-B", {"maxitr": 5}, "of scipy:L-BFGS-B; did you mean 'maxiter'?"),
        ("scipy:SLSQP", {"bounds": 1}, "it has: tol, jac, ftol, eps, maxiter,"),
        ("scipy:Powell", {"jac": "2-point"}, "tol, maxiter, xtol, ftol, maxfev, direc, return_all"),
        ("scipy:CG", {"jac": "cs"}, "'jac' is '2-point' or '3-point', not 'cs'"),
        ("scipy:differential_evolution", {"pop_size": 5}, "did you mean"),
        ("modcma:BIPOP", {"lamda0": 9}, "of modcma:BIPOP; did you mean 'lambda0'?"),
        ("modcma:BIPOP", {"ssa": "CSO"}, "'ssa' of modcma:BIPOP is 'CSA' or 'TPA' or"),
        ("modde:modDE", {"F": [0.5]}, "'F' of modde:modDE is a number of at least 0, not [0.5]"),
        ("modde:modDE", {"mutation_n_comps": 3}, "mutation_n_comps should be any of [(1"),
        ("fcmaes:DE", {"popsize": 3}, "'popsize' of fcmaes:DE is a whole number of at least 4"),
        ("fcmaes:CMA-ES", {"stop_hist": -2}, None),
        ("pymoo:PSO", {"initial_velocity": "x"}, "Unknown velocity initialization."),
        ("nlopt:GN_ESCH", {"local": "LN_BOBYQA"}, "xtol_rel, xtol_abs, ftol_rel, ftol_abs"),
        ("pybobyqa:BOBYQA", {"rhoend": 100}, "Error (bad input): rhobeg must be > rhoend"),
        ("skopt:gp_minimize", {"acq_func": "EX"}, "expected acq_func to be in gp_hedge,EI,"),
    ],
)
def test_a_wrong_name_or_parameter_gets_one_line(use, parameters, line):
    library = libraries.LIBRARIES[use.partition(":")[0]]
    if library.optional:
        pytest.importorskip(library.module)
    faults = libraries.faults(use, parameters)
    assert len(faults) == (line is not None)
    assert (line or "") in "".join(faults)
    if use.startswith("timefair:"):
        assert any(f"'{name}'" in faults[0] for name in parameters)


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
@pytest.mark.parametrize("use", ["pymoo:DE", "pygmo:sade"])
def test_nothing_is_imported_after_the_preparation(use):
    skip_unless_installed(use)
    code = f"""
import sys
import numpy as np
from timefair.algorithms import adapter, libraries

def launch(evaluations):
    try:
        algorithm.solve(adapter.Sphere(evaluations, 1), np.random.default_rng(0))
    except adapter.Enough:
        pass
    return set(sys.modules)

algorithm = libraries.load("{use}", {{}})
algorithm.prepare()
early = launch(50)
print(sorted(launch(1000) - early))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_what_an_objective_raises_is_held_until_it_is_released():
    stopped = []
    trap = adapter.ErrorTrap(Plain(most=0), lambda: stopped.append(True))
    trap.reraise()
    assert trap(np.zeros(3)) == np.inf
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
        libraries.load("optuna:TPE", {}).solve(objective, np.random.default_rng(1))
    assert objective.evaluations == 15


def test_parameters_reach_scipy_and_cma(launch):
    assert launch("scipy:Nelder-Mead", {"maxfev": 17}).evaluations == 17
    assert launch("scipy:L-BFGS-B", {"maxiter": 1}).evaluations < 20
    once = launch("scipy:L-BFGS-B", {"jac": "3-point"})
    assert np.array_equal(once.points[1][1:], once.points[0][1:])
    assert once.points[1][0] != once.points[0][0]
    assert not np.array_equal(once.points[1], launch("scipy:L-BFGS-B").points[1])
    few = {"maxiter": 1, "popsize": 5, "polish": False}
    assert launch("scipy:differential_evolution", few).evaluations == 2 * 5 * 3
    assert launch("scipy:direct", {"maxfun": 20}).evaluations < 30
    points = np.array(launch("pycma:CMA-ES", {"sigma0": 1e-6, "popsize": 30}).points[:30])
    assert np.ptp(points, axis=0).max() < 1e-4
    assert launch("pycma:CMA-ES", {"maxfevals": 21, "popsize": 7}).evaluations < 30


@pytest.mark.parametrize("name", scipy.LOCAL)
def test_scipy_itself_says_which_options_a_method_has(name):
    assert libraries.faults(f"scipy:{name}", {"maxiter" if name != "TNC" else "maxfun": 10}) == []
    assert len(libraries.faults(f"scipy:{name}", {"no_such_option": 1})) == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["IPOP", "BIPOP"])
def test_inner_restarts_go_on_until_the_objective_ends_them(launch, name):
    early = {"tolfun": 1.0, "tolfunhist": 1.0}
    single = launch("pycma:CMA-ES", early, most=20_000)
    assert not single.was_cut
    result = launch(f"pycma:{name}", early, most=5 * single.evaluations)
    assert result.was_cut
    once = launch(f"pycma:{name}", early | {"restarts": 1}, most=50 * single.evaluations)
    assert not once.was_cut


SAMPLE = (
    *("RandomSearch", "OnePlusOne", "PSO", "DE", "TwoPointsDE", "CMA", "DiagonalCMA", "TBPSA"),
    *("NaiveIsoEMNA", "ScrHammersleySearch", "NGOpt14", "NGOptRW", "ChainCMAPowell", "BAR"),
    *("LognormalDiscreteOnePlusOne", "DSproba", "MetaModel"),
)
IN_A_THREAD = ("RCobyla", "Powell", "SQP", "DSbase")


@pytest.mark.thinned(6)
@pytest.mark.slow
@pytest.mark.parametrize("name", [*SAMPLE, *IN_A_THREAD])
def test_a_launch_repeats_for_its_seed_and_stays_inside(launch, name):
    first = launch(f"nevergrad:{name}", most=40)
    assert first.was_cut
    assert first.all_inside
    np.testing.assert_array_equal(first.points, launch(f"nevergrad:{name}", most=40).points)
    other = launch(f"nevergrad:{name}", {"start": "uniform"}, seed=2, most=40)
    assert not np.array_equal(first.points, other.points)


@pytest.mark.thinned(4)
@pytest.mark.slow
@pytest.mark.parametrize("most", [10, 100])
@pytest.mark.parametrize("name", IN_A_THREAD)
def test_a_launch_leaves_no_thread_however_it_ends(launch, name, most):
    before = threading.active_count()
    result = launch(f"nevergrad:{name}", {"budget": 30}, most=most)
    assert result.was_cut == (most == 10)
    assert threading.active_count() == before


@pytest.mark.slow
def test_a_launch_returns_at_its_nominal_budget(launch):
    for workers in (1, 4):
        result = launch("nevergrad:DE", {"budget": 30, "num_workers": workers})
        assert not result.was_cut
        assert result.evaluations == 30
    assert launch("nevergrad:OnePlusOne", left=25).evaluations == 25
    most = nevergrad.BUDGET_PER_DIMENSION + 1
    assert launch("nevergrad:OnePlusOne", dimension=1, most=most).evaluations == most - 1


@pytest.mark.thinned(2)
@pytest.mark.slow
@pytest.mark.parametrize("name", ["NGOpt14", "NGOpt38"])
def test_wizards_of_the_run_count_paper_model_the_objective(launch, name):
    # With so few evaluations they fit surrogates, which numpy 2.4 breaks.
    assert launch(f"nevergrad:{name}", left=160, most=200).evaluations == 160


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    "use", ["pycma:CMA-ES", "pycma:lq-CMA-ES", "cmaes:CMA", "cmaes:SepCMA", "nevergrad:TBPSA"]
)
def test_recommendations_are_inside_and_change_nothing_else(use, launch):
    noisy, exact = (launch(use, most=120, noisy=flag) for flag in (True, False))
    np.testing.assert_array_equal(noisy.points, exact.points)
    assert exact.recommended == []
    assert len(noisy.recommended) >= 5
    for _, x in noisy.recommended:
        assert x.shape == (3,)
        assert np.all((x >= -3) & (x <= 5))
    evaluations = [made for made, _ in noisy.recommended]
    assert evaluations == sorted(evaluations)
    assert evaluations[-1] > 90


def test_random_search_covers_the_bounds_uniformly(launch):
    result = launch("timefair:random-search", most=5000)
    points = np.array(result.points)
    assert result.was_cut
    assert result.all_inside
    np.testing.assert_allclose(points.mean(axis=0), 1.0, atol=0.15)
    np.testing.assert_allclose(points.std(axis=0), 8 / np.sqrt(12), atol=0.1)
    assert len(np.unique(points, axis=0)) == 5000


@pytest.mark.thinned(3)
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_integer_variables_get_whole_numbers_and_the_best_ones(seed):
    """Two of 3 and 21 values, and two continuous ones; the best is in a corner."""
    skip_unless_installed("cmaes:CMAwM")
    objective = Plain(
        lambda x: bowl(x - [2, -7, 1.5, -1.5]), 4, 3000,
        lower=[0, -10, -5, -5], upper=[2, 10, 5, 5], integer=[True, True, False, False],
    )  # fmt: skip
    with contextlib.suppress(Cut):
        libraries.load("cmaes:CMAwM", {}).solve(objective, np.random.default_rng(seed))
    whole = np.array(objective.points)[:, :2]
    assert np.array_equal(whole, np.rint(whole))
    assert objective.all_inside
    assert min(objective.values) < 1e-6


def test_only_the_variant_with_margin_takes_integer_variables():
    skip_unless_installed("cmaes:CMA")
    for name in cmaes.NAMES:
        kinds = libraries.variables(f"cmaes:{name}", {})
        assert kinds == ({"continuous", "integer"} if name == "CMAwM" else {"continuous"})


@pytest.mark.parametrize("name", cmaes.NAMES)
def test_a_launch_converges_and_ends_by_itself(launch, name):
    skip_unless_installed(f"cmaes:{name}")
    ended = launch(f"cmaes:{name}", dimension=2, most=20_000)
    assert not ended.was_cut
    assert ended.evaluations > 100
    assert min(ended.values[-20:]) < min(ended.values[:20]) + 1e-12


def test_a_generation_is_one_batch_and_an_error_of_the_problem_is_not_the_end():
    skip_unless_installed("cmaes:CMA")
    objective = Plain(bowl, 2, 100)
    nine = libraries.load("cmaes:CMA", {"population_size": 9})
    with contextlib.suppress(Cut):
        nine.solve(objective, np.random.default_rng(1))
    assert objective.batches == 12 * [9]

    def broken(x):
        raise np.linalg.LinAlgError("of the problem")

    with pytest.raises(np.linalg.LinAlgError, match="of the problem"):
        nine.solve(Plain(broken), np.random.default_rng(1))


@pytest.mark.parametrize(
    ("use", "parameters"),
    [
        ("cmaes:CMA", {"sigma": 0.1}),
        ("cmaes:CMA", {"population_size": 20}),
        ("cmaes:CMA", {"lr_adapt": True}),
        ("cmaes:MAPCMA", {"momentum_r": 0.1}),
        ("cmaes:SepCMA", {"n_max_resampling": 1}),
        ("nevergrad:PSO", {"popsize": 5}),
    ],
)
def test_a_parameter_reaches_the_library(launch, use, parameters):
    skip_unless_installed(use)
    plain, changed = launch(use, most=200), launch(use, parameters, most=200)
    assert not np.array_equal(plain.points, changed.points)


NO_NUMBERS = [f"{name}:{a}" for name in ("cmaes", "pygmo") for a in libraries.LIBRARIES[name].names]


def square(use, most, function=bowl):
    """On [-1, 1]^2."""
    library, _, name = use.partition(":")
    shown = libraries.LIBRARIES[library].objectives(name)
    return Plain(function, 2, most, lower=-1.0, upper=1.0, shown=shown)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("name", pygmo.NAMES)
def test_the_end_of_a_launch_surfaces_at_once(name):
    skip_unless_installed(f"pygmo:{name}")
    parameters = {"stop_range": 1e-12} if name == "compass_search" else {}
    for most in (0, 20, 80):  # in the first population or after it
        objective = square(f"pygmo:{name}", most)
        with pytest.raises(Cut):
            libraries.load(f"pygmo:{name}", parameters).solve(objective, np.random.default_rng(1))
        assert objective.calls == most + 1


@pytest.mark.thinned(9)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("use", NO_NUMBERS)
def test_values_that_are_no_numbers_do_no_harm(use, value):
    skip_unless_installed(use)
    objective = square(use, 200, lambda x: bowl(x) if objective.calls % 3 else value)
    with contextlib.suppress(Cut):
        libraries.load(use, {}).solve(objective, np.random.default_rng(1))
    assert objective.calls > 10


BOUNDS = {
    "binary": (0.0, 1.0, True),
    "integer": ([0.0, -3, 2, 0], [1.0, 3, 17, 40], True),
    "mixed": ([0.0, -5, -8, 0], [1.0, 5, 15, 1], [True, False, True, False]),
}


def on_numbers(use: str, kind: str, most: int = FULL, **parameters: object) -> Plain:
    """A bowl on whole and other numbers, around a third of the way, after a launch."""
    lower, upper, integer = BOUNDS[kind]
    middle = np.array(upper) / 3
    bounds = {"lower": lower, "upper": upper, "integer": integer}
    objective = Plain(lambda x: bowl(x - middle), 4, most, left=FULL, **bounds)
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002 (as the measuring code does)
    with contextlib.suppress(Cut):
        libraries.load(use, parameters).solve(objective, np.random.default_rng(1))
    return objective


TAKING = (
    "timefair:random-search", "scipy:differential_evolution", "pycma:CMA-ES", "pycma:IPOP",
    "pycma:BIPOP", "nevergrad:DE", "nevergrad:PSO", "nevergrad:NGOpt",
    "nevergrad:DiscreteOnePlusOne", "nevergrad:DiscreteLenglerOnePlusOne", "nevergrad:RCobyla",
)  # fmt: skip


@pytest.mark.thinned(2)
@pytest.mark.parametrize("kind", ["binary", "integer", "mixed"])
@pytest.mark.parametrize("use", TAKING)
def test_points_are_whole_and_inside(use, kind):
    objective, variables = on_numbers(use, kind), libraries.variables(use, {})
    points = np.array(objective.points)
    whole = points[:, objective.integer]
    assert len(points) > 20
    assert variables >= {"continuous", "integer"}
    np.testing.assert_array_equal(whole, np.rint(whole))
    assert objective.all_inside
    assert len(np.unique(whole, axis=0)) > 5
    if kind == "mixed":
        rest = points[:, ~objective.integer]
        assert np.any(rest != np.rint(rest))


def test_whole_variables_are_not_polished():
    """Once, L-BFGS-B moved them by 1e-8 when differential evolution had converged."""
    objective = on_numbers("scipy:differential_evolution", "mixed", maxiter=1)
    whole = np.array(objective.points)[:, objective.integer]
    assert len(whole) < FULL
    np.testing.assert_array_equal(whole, np.rint(whole))


def test_random_search_is_uniform_on_whole_numbers():
    points = np.array(on_numbers("timefair:random-search", "integer", most=7000).points)
    numbers, counts = np.unique(points[:, 1], return_counts=True)
    assert numbers.tolist() == list(range(-3, 4))
    np.testing.assert_allclose(counts, 1000, atol=150)


OF_NEVERGRAD = ("CMA", "DE", "NaiveIsoEMNA", "OnePlusOne", "PSO", "RandomSearch", "TBPSA")
LEFT_OUT = ("portfolio", "AGEMOEA", "AGEMOEA2")
"""The first has batches if its members have; the others compile for ten seconds."""


def _batched() -> list[str]:
    """Every algorithm with batches that can be used here; of nevergrad, some."""
    return [
        f"{library.name}:{name}"
        for library in libraries.LIBRARIES.values()
        for name, missing in library.available().items()
        if not missing and (library.name != "nevergrad" or name in OF_NEVERGRAD)
        if name not in LEFT_OUT and library.batches(name, {})
    ]


BATCHED = _batched()
TIMED = [
    use
    for use in BATCHED
    if "one objective" in libraries.tasks(use, {}) and not use.startswith("skopt:")
]


@pytest.mark.thinned(5)
@pytest.mark.parametrize("use", BATCHED)
def test_an_algorithm_with_batches_asks_for_two_points_on_two_cores(launch, use):
    parameters, most = ({"n_initial_points": 3}, 5) if use.startswith("skopt:") else ({}, FULL)
    objective = launch(use, parameters, most=most, cores=2)
    assert max(objective.batches) >= 2
    assert len(objective.points) <= most
    assert objective.all_inside or use in ("scipy:BFGS", "scipy:CG")


@pytest.mark.thinned(20)
@pytest.mark.slow
@pytest.mark.parametrize("use", TIMED)
def test_two_cores_evaluate_more_within_a_budget_of_time(use):
    kernel.adopt_orphans()
    bounds = np.full(6, -3.0), np.full(6, 5.0)
    name = ProblemName("test", 1, 6, 1)
    problem = Problem(name, lambda x: float(np.sum((x - 0.7) ** 2)), *bounds, 0.0)
    algorithm = libraries.load(use, {})
    algorithm.prepare()
    # A simulated second per evaluation: no machine is so slow that this test waits for it.
    one, two = (
        measure_run(
            algorithm, problem, Allowance(time_ns=900 * 10**9, cost_ns=10**9, cores=cores), seed=1
        )
        for cores in (1, 2)
    )
    assert [str(row["status"]) for row in (one, two)] == ["ok", "ok"]
    assert two["evaluations"] > 1.3 * one["evaluations"]


@pytest.mark.parametrize(
    ("use", "parameters", "asks"),
    [
        ("timefair:DE", {}, True),
        ("timefair:ABC", {}, False),
        ("scipy:differential_evolution", {"updating": "immediate"}, False),
        ("scipy:Nelder-Mead", {}, False),
        ("nevergrad:DE", {"num_workers": 1}, False),
        ("nevergrad:Powell", {}, False),
        ("external:./solver", {}, None),
        ("timefair:portfolio", {"members": ["timefair:ABC", "timefair:DE"]}, True),
        ("timefair:portfolio", {"members": ["timefair:ABC", "external:./solver"]}, None),
        ("timefair:portfolio", {"members": ["timefair:ABC", "pycma:lq-CMA-ES"]}, False),
    ],
)
def test_whether_an_algorithm_asks_for_batches(use, parameters, asks):
    assert libraries.batches(use, parameters) is asks


@pytest.mark.parametrize("use", ["timefair:DE", "timefair:JADE", "timefair:PSO", "pycma:CMA-ES"])
def test_the_points_are_those_of_one_core(launch, use):
    one, two = launch(use), launch(use, cores=2)
    np.testing.assert_array_equal(one.points, two.points)
    assert one.batches == []


PROBLEM = SUITES["bbob-constrained"].problem(1, 2, 1)
ABLE = libraries.able("constraints")
NO_START = {"timefair:random-search", "nlopt:GN_ORIG_DIRECT", "nlopt:GN_ORIG_DIRECT_L"}
"""Algorithms without a point to start from."""


def run(use, seed=1, evaluations=600, problem=PROBLEM, penalty=None):
    allowed = Allowance(evaluations=evaluations, wall_ns=20_000_000_000)
    return measure_run(load(use, {}, "native", penalty), problem, allowed, seed)


@pytest.mark.thinned(3)
@pytest.mark.slow
@pytest.mark.parametrize("use", ABLE)
def test_it_evaluates_constraints_stays_in_order_and_repeats_for_a_seed(use):
    row, again = run(use), run(use)
    assert (str(row["status"]), row["evaluations"]) == ("ok", 600)
    assert 200 < row["constraint_evaluations"] < 600
    kept = [(v["evaluations"], v["outputs"]) for v in row["vectors"]]
    assert kept == [(v["evaluations"], v["outputs"]) for v in again["vectors"]]
    start = PROBLEM.value(PROBLEM.start) - PROBLEM.f_opt
    assert row["best_precision"] < start  # better than the point of the suite


@pytest.mark.thinned(6)
@pytest.mark.parametrize("use", [use for use in ABLE if use not in NO_START])
def test_the_point_of_the_suite_is_among_the_first(use):
    row = run(use, evaluations=300)
    at_start = PROBLEM.evaluate(PROBLEM.start)
    first = [v for v in row["vectors"] if v["outputs"][1] == 0 and v["outputs"][0] <= at_start]
    assert first[0]["evaluations"] <= 250


@pytest.mark.thinned(6)
@pytest.mark.slow
@pytest.mark.parametrize(
    "use",
    ["scipy:COBYQA", "scipy:SLSQP", "scipy:trust-constr", "nlopt:LN_COBYLA", "pycma:AL-CMA-ES"],
)
def test_it_finds_the_optimum_on_the_boundary(use):
    assert run(use, evaluations=3000)["best_precision"] < 1e-4


@pytest.mark.parametrize("use", ["timefair:DE", "pycma:CMA-ES", "scipy:Nelder-Mead", "cmaes:CMA"])
def test_with_a_penalty_an_algorithm_without_constraints_finds_it_too(use):
    row = run(use, evaluations=4000, penalty=1000.0)
    assert (str(row["status"]), row["constraint_evaluations"]) == ("ok", 2000)
    assert row["best_precision"] < 1e-2


@pytest.mark.thinned(3)
@pytest.mark.parametrize("use", ABLE)
def test_its_tasks_are_declared_and_it_takes_problems_without_constraints_only_if_so(use):
    tasks = libraries.tasks(use, {})
    assert "constraints" in tasks
    if "one objective" in tasks:
        row = run(use, evaluations=100, problem=SUITES["bbob"].problem(1, 2, 1))
        assert (str(row["status"]), row["constraint_evaluations"]) == ("ok", None)
        assert np.isfinite(row["best_precision"])
