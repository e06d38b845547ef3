"""pygmo: its algorithms for one or two objectives within bounds, under their own names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timefair.algorithms.adapter import TWO_OBJECTIVES, Adapter, Given, Rng, nominal_budget
from timefair.algorithms.base import Objective

POPULATION = 30
BATCHED = ("cmaes", "gaco", "maco", "moead_gen", "nsga2", "nspso", "pso_gen")
"""Algorithms that pygmo lets evaluate a generation at a time."""
BUDGET_PER_DIMENSION = 1000
"""Nominal evaluations of ``ihs`` per dimension, if the run has no budget of evaluations."""
ENDLESS = 2**32 - 1  # maximum of pygmo's counters of generations and evaluations

Defaults = dict[str, object]
GEN: Defaults = {"gen": ENDLESS}
FLAT = {"ftol": 1e-6, "xtol": 1e-6}
COMPASS: Defaults = {
    **{"max_fevals": ENDLESS, "start_range": 0.1, "stop_range": 0.01, "reduction_coeff": 0.5}
}
ANTS = {"ker": 63, "q": 1.0, "threshold": 1, "n_gen_mark": 7, "evalstop": 100_000, "focus": 0.0}
SWARM = {"omega": 0.7298, "eta1": 2.05, "eta2": 2.05, "max_vel": 0.5}
NEIGHBOURS = {"variant": 5, "neighb_type": 2, "neighb_param": 4}
MOEAD = dict(
    GEN,
    **{"weight_generation": "grid", "decomposition": "tchebycheff", "neighbours": 20, "CR": 1.0},
    **{"F": 0.5, "eta_m": 20.0, "realb": 0.9, "limit": 2, "preserve_diversity": True},
)
MULTI: dict[str, Defaults] = {  # algorithms for two objectives, like `DEFAULTS`
    "maco": dict(GEN, **ANTS, memory=False),
    "moead": MOEAD,
    "moead_gen": MOEAD,
    "nsga2": dict(GEN, cr=0.95, eta_c=10.0, m=0.01, eta_m=50.0),
    "nspso": dict(
        GEN,
        **{"omega": 0.6, "c1": 2.0, "c2": 2.0, "chi": 1.0, "v_coeff": 0.5, "memory": False},
        **{"leader_selection_range": 60, "diversity_mechanism": "crowding distance"},
    ),
}
POPULATIONS = {  # default sizes other than `POPULATION`
    **{"gaco": 63, "compass_search": 1, "mbh": 1, "simulated_annealing": 1},
    **dict.fromkeys(MULTI, 100),  # a multiple of 4, and more than the kernel of ``maco``
}
VARIANTS = [2, 3, 7, 10, 13, 14, 15, 16]
CMA = {"cc": -1.0, "cs": -1.0, "c1": -1.0, "cmu": -1.0, "sigma0": 0.5, "force_bounds": True}
DEFAULTS: dict[str, Defaults] = {
    "bee_colony": dict(GEN, limit=1),
    "cmaes": dict(GEN, **CMA, **FLAT),
    "compass_search": COMPASS,
    "de": dict(GEN, F=0.8, CR=0.9, variant=2, **FLAT),
    "de1220": dict(GEN, allowed_variants=VARIANTS, variant_adptv=1, **FLAT),
    "gaco": dict(GEN, **ANTS, oracle=0.0, acc=0.01, impstop=100_000),
    "gwo": GEN,
    "ihs": dict({"gen": int}, phmcr=0.85, ppar_min=0.35, ppar_max=0.99, bw_min=1e-5, bw_max=1.0),
    "mbh": dict(COMPASS, stop=5, perturb=0.01),
    "pso": dict(GEN, **SWARM, **NEIGHBOURS),
    "pso_gen": dict(GEN, **SWARM, **NEIGHBOURS),
    "sade": dict(GEN, variant=2, variant_adptv=1, **FLAT),
    "sea": GEN,
    "sga": dict(
        GEN,
        **{"cr": 0.9, "eta_c": 1.0, "m": 0.02, "param_m": 1.0, "param_s": 2},
        **{"crossover": "exponential", "mutation": "polynomial", "selection": "tournament"},
    ),
    "simulated_annealing": {
        **{"Ts": 10.0, "Tf": 0.1, "n_T_adj": 10, "n_range_adj": 10},
        **{"bin_size": 10, "start_range": 1.0},
    },
    "xnes": dict(
        GEN, eta_mu=-1.0, eta_sigma=-1.0, eta_b=-1.0, sigma0=-1.0, **FLAT, force_bounds=True
    ),
    **MULTI,
}
"""The arguments of the constructors that users can set. Defaults are those of pygmo, except that
launches are endless and points stay within the bounds.
"""


class _UserDefinedProblem:
    def __init__(self, objective: Objective) -> None:
        self._objective = objective

    def __deepcopy__(self, memo: object) -> _UserDefinedProblem:
        """pygmo copies problems and populations, but all copies share the counting objective."""
        return self

    def fitness(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.atleast_1d(self._objective(x))

    def batch_fitness(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        return self._objective.batch(points.reshape(-1, self._objective.dimension)).ravel()

    def get_nobj(self) -> int:
        return self._objective.shown

    def get_bounds(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return self._objective.lower, self._objective.upper


def _parameters(name: str) -> Defaults:
    return {"population": POPULATIONS.get(name, POPULATION), **DEFAULTS[name]}


def _solve(objective: Objective, rng: Rng, *, name: str, parameters: Given) -> object:
    import pygmo

    chosen: dict[str, Any] = {**_parameters(name), **parameters}
    size = chosen.pop("population")
    if chosen.get("gen") is int:
        # Of ihs, a generation evaluates one point.
        chosen["gen"] = max(1, nominal_budget(objective, BUDGET_PER_DIMENSION) - size)
    seeds = rng.integers(2**32, size=2).tolist()
    made = _made(name, chosen, seeds[0])
    together = None
    if objective.cores > 1 and name in BATCHED:
        together = pygmo.bfe(pygmo.member_bfe())
        made.set_bfe(together)
    problem = pygmo.problem(_UserDefinedProblem(objective))
    population = pygmo.population(problem, size, b=together, seed=seeds[1])
    return pygmo.algorithm(made).evolve(population)


def _made(name: str, chosen: Mapping[str, Any], seed: int) -> Any:
    import pygmo

    if name == "compass_search":
        return pygmo.compass_search(**chosen)
    if name == "mbh":
        inner = pygmo.compass_search(**{key: chosen[key] for key in COMPASS})
        return pygmo.mbh(inner, chosen["stop"], chosen["perturb"], seed)
    return getattr(pygmo, name)(**chosen, seed=seed)


PYGMO = Adapter(
    name="pygmo",
    distributions=("pygmo", "numpy"),
    compiled=None,
    names=tuple(DEFAULTS),
    batched=BATCHED,
    special=dict.fromkeys(MULTI, TWO_OBJECTIVES),
    examples=("sade", "nsga2"),
    parameters=_parameters,
    solve=_solve,
    # More evaluations than the first population: only then pygmo checks its size.
    trial_evaluations=lambda name, given: {**_parameters(name), **given}["population"] + 1,
)
"""The algorithms of pygmo for one or two objectives within bounds."""
