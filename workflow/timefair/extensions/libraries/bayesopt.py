"""bayesian-optimization 1.4; a point that has been evaluated is replaced by a uniform one."""

from __future__ import annotations

import numpy as np

from timefair.algorithms.adapter import Adapter, Given, Rng
from timefair.algorithms.algorithm import Objective

NAMES = ("UCB", "EI", "POI")
FIRST = 5


def _parameters(name: str) -> dict[str, object]:
    own = {"kappa": 2.576} if name == "UCB" else {"xi": 0.0}
    return {**own, "init_points": FIRST}


def _solve(objective: Objective, rng: Rng, *, name: str, parameters: Given) -> None:
    from bayes_opt import BayesianOptimization, UtilityFunction

    chosen = {**_parameters(name), **parameters}
    first = chosen.pop("init_points")
    lower, upper = objective.lower, objective.upper
    bounds = {f"{place:06}": pair for place, pair in enumerate(zip(lower, upper, strict=True))}
    seed = int(rng.integers(2**32))
    model = BayesianOptimization(None, bounds, random_state=seed, verbose=0)
    acquisition = UtilityFunction(kind=name.lower(), **chosen)
    while True:
        x = rng.uniform(lower, upper)
        if len(model.space) >= first:
            proposed = np.array([*model.suggest(acquisition).values()])
            x = x if proposed in model.space else np.clip(proposed, lower, upper)
        model.register(x, -objective(x))


BAYESOPT = Adapter(
    name="bayesopt",
    distributions=("bayesian-optimization", "numpy", "scipy", "scikit-learn"),
    module="bayes_opt",
    names=NAMES,
    parameters=_parameters,
    solve=_solve,
    trial_evaluations=2,
    optional=False,
)
"""Bayesian optimization by a Gaussian process."""
