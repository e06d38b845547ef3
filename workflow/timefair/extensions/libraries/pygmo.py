"""pygmo: its algorithms for one or two objectives within bounds, under their own names."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timefair.algorithms.adapter import TWO_OBJECTIVES, Adapter, Given, Rng, nominal_budget
from timefair.algorithms.algorithm import Objective

POPULATION = 30
BATCHED = ("cmaes", "gaco", "maco", "moead_gen", "nsga2", "nspso", "pso_gen")
"""Algorithms that pygmo lets evaluate a generation at a time."""
BUDGET_PER_DIMENSION = 1000
"""Nominal evaluations of ``ihs`` per dimension, if the run has no budget of evaluations."""
ENDLESS = 2**32 - 1  # maximum of pygmo's counters of generations and evaluations

MULTI = ("maco", "moead", "moead_gen", "nsga2", "nspso")
"""Algorithms for two objectives."""
NAMES = (
    *("bee_colony", "cmaes", "compass_search", "de", "de1220", "gaco", "gwo", "ihs", "mbh", "pso"),
    *("pso_gen", "sade", "sea", "sga", "simulated_annealing", "xnes", *MULTI),
)
POPULATIONS = {  # default sizes other than `POPULATION`
    **{"gaco": 63, "compass_search": 1, "mbh": 1, "simulated_annealing": 1},
    **dict.fromkeys(MULTI, 100),  # a multiple of 4, and more than the kernel of ``maco``
}
OTHERWISE: dict[str, object] = {"gen": ENDLESS, "max_fevals": ENDLESS, "force_bounds": True}
"""Defaults other than those of pygmo: launches are endless and points stay within the bounds."""
OF_SWARM = {"c1": 2.0, "c2": 2.0, "chi": 1.0, "leader_selection_range": 60}
"""Defaults of ``nspso``; the documentation of pygmo has others."""
OF_HOPPING: dict[str, object] = {"stop": 5, "perturb": 0.01}
SET_HERE = ("seed", "memory")  # arguments that users cannot set
KINDS: dict[str | None, Callable[[str], object]] = {
    **{"int": lambda text: int(text.rstrip("u")), "float": float},
    "bool": lambda text: text.lower() == "true",
}
"""How pygmo's documentation writes defaults; pygmo checks all others."""


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


@cache
def _documented(name: str) -> dict[str, object]:
    """The arguments of a constructor with their defaults; pygmo has no signatures."""
    import pygmo

    text = getattr(pygmo, name).__doc__
    kinds = dict(re.findall(r"(\w+) \(:class:`(\w+)`", text)) | {"param_s": "int"}
    given = re.findall(r"(\w+) ?= ?(\[.*?\]|[^,)]+)", text.partition("\n")[0])
    read = {key: KINDS.get(kinds.get(key)) for key, _ in given}
    return {
        key: kind(default) if (kind := read[key]) else None
        for key, default in given
        if key not in SET_HERE
    }


def _parameters(name: str) -> dict[str, object]:
    own = {**_documented("compass_search"), **OF_HOPPING} if name == "mbh" else _documented(name)
    ours = {key: default for key, default in OTHERWISE.items() if key in own}
    if name == "ihs":
        ours["gen"] = int
    elif name == "nspso":
        ours |= OF_SWARM
    return {"population": POPULATIONS.get(name, POPULATION), **own, **ours}


def _solve(objective: Objective, rng: Rng, *, name: str, parameters: Given) -> object:
    import pygmo

    known = {key: default for key, default in _parameters(name).items() if default is not None}
    chosen: dict[str, Any] = {**known, **parameters}
    size = chosen.pop("population")
    if chosen.get("gen") is int:
        # Of ihs, a generation evaluates one point.
        chosen["gen"] = max(1, nominal_budget(objective, BUDGET_PER_DIMENSION) - size)
    seeds = rng.integers(2**32, size=2).tolist()
    if name == "mbh":
        own = [chosen.pop(key) for key in OF_HOPPING]
        made = pygmo.mbh(pygmo.compass_search(**chosen), *own, seeds[0])
    else:
        seed = {} if name == "compass_search" else {"seed": seeds[0]}
        made = getattr(pygmo, name)(**chosen, **seed)
    together = None
    if objective.cores > 1 and name in BATCHED:
        together = pygmo.bfe(pygmo.member_bfe())
        made.set_bfe(together)
    problem = pygmo.problem(_UserDefinedProblem(objective))
    population = pygmo.population(problem, size, b=together, seed=seeds[1])
    return pygmo.algorithm(made).evolve(population)


PYGMO = Adapter(
    name="pygmo",
    distributions=("pygmo", "numpy"),
    compiled=None,
    names=NAMES,
    batched=BATCHED,
    special=dict.fromkeys(MULTI, TWO_OBJECTIVES),
    examples=("sade", "nsga2"),
    parameters=_parameters,
    solve=_solve,
    # More evaluations than the first population: only then pygmo checks its size.
    trial_evaluations=lambda name, given: {**_parameters(name), **given}["population"] + 1,
)
"""The algorithms of pygmo for one or two objectives within bounds."""
