"""Modular CMA-ES of the package ``modcma`` (de Nobel et al. 2021), in C++ and in Python.

modcma never corrects the two points of two-point adaptation; the adapter moves them, too.
"""

from __future__ import annotations

import numpy as np

from timefair.algorithms.adapter import Adapter, Given, Rng, defaults_of, moved_inside
from timefair.algorithms.algorithm import Objective
from timefair.problems.problem import Word

SIGMA0 = 0.2  # default initial standard deviation over the mean width of the bounds
ENDLESS = 10**15  # evaluations of a launch, more than any budget
STRATEGIES = {"CMA-ES": "STOP", "IPOP": "IPOP", "BIPOP": "BIPOP"}
"""Restart strategies of modcma by their names in timefair."""
RATES = dict.fromkeys(("cs", "cc", "cmu", "c1"), float)
NUMBERS = {"lambda0": int, "mu0": int, **RATES, "damps": float, "acov": float}
"""The numerical settings of the implementation in C++; by default, it chooses their values."""
NUMBERS_IN_PYTHON = {"lambda_": int, "mu": int, **RATES}
CORRECTED = {"bound_correction": "SATURATE", "center_placement": "UNIFORM"}
"""Modules whose default here differs from that of modcma."""
SET_HERE = (  # arguments of ``modcma.Parameters`` that users cannot set
    *("d", "x0", "lb", "ub", "budget", "target", "n_generations", "vectorized_fitness"),
    *("population", "old_population", "sobol", "halton", "compute_termination_criteria"),
)


def _parameters(name: str) -> dict[str, object]:
    if name == "modCMA":
        from modcma import Parameters

        own = defaults_of(Parameters, without=SET_HERE)
        return {**own, **NUMBERS_IN_PYTHON, "bound_correction": "saturate", "sigma0": SIGMA0}
    from modcma import c_maes

    modules = {
        key: options[0] if isinstance(options[0], bool) else Word(tuple(options))
        for key, options in c_maes.get_all_module_options().items()
        if key != "restart_strategy"
    }
    return {**modules, **NUMBERS, "sigma0": SIGMA0}


def _solve(objective: Objective, rng: Rng, *, name: str, parameters: Given) -> object:
    """Launch it; modCMA draws from numpy's global generator, which is seeded for each launch."""
    from modcma import ModularCMAES, c_maes

    lower, upper = objective.lower, objective.upper
    chosen = {"sigma0": SIGMA0 * float(np.mean(upper - lower)), **parameters}
    two_point = "tpa" in (chosen.get("step_size_adaptation"), chosen.get("ssa", "").lower())
    function = moved_inside(objective) if two_point else objective
    if name == "modCMA":
        bounds = {"lb": lower.reshape(-1, 1), "ub": upper.reshape(-1, 1)}
        settings = {"bound_correction": "saturate", **chosen, **bounds, "budget": ENDLESS}
        return ModularCMAES(function, objective.dimension, **settings).run()
    modules, numbers = c_maes.Modules(), {}
    for key, value in {**CORRECTED, "restart_strategy": STRATEGIES[name], **chosen}.items():
        default = getattr(modules, key, None)
        if default is None:
            numbers[key] = value
        else:
            is_truth = isinstance(default, bool)
            setattr(modules, key, value if is_truth else type(default).__members__[value])
    c_maes.utils.set_seed(int(rng.integers(2**31)))
    settings = c_maes.Settings(
        objective.dimension, modules, lb=lower, ub=upper, budget=ENDLESS, **numbers
    )
    return c_maes.ModularCMAES(settings).run(function)


MODCMA = Adapter(
    name="modcma",
    distributions=("modcma", "numpy", "scipy"),
    compiled=("CMA-ES", "IPOP", "BIPOP"),
    names=(*STRATEGIES, "modCMA"),
    examples=("BIPOP", "modCMA"),
    parameters=_parameters,
    solve=_solve,
)
"""Modular CMA-ES, in C++ and in Python."""
