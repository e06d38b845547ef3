"""cmaes: CMA-ES and its variants, under their own names (Nomura and Shibata 2024).

XNES and DXNESIC are left out, because they diverge if points are moved onto the bounds.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from timefair.algorithms.adapter import Adapter, Given, Rng, defaults_of, starting_point
from timefair.algorithms.algorithm import Objective
from timefair.problems.problem import Number

SIGMA = 0.2  # default initial standard deviation over the mean width of the bounds
MIXED = "CMAwM"  # the variant that supports integer variables
NAMES = ("CMA", MIXED, "MAPCMA", "SepCMA")
SET_HERE = ("mean", "bounds", "steps", "seed", "cov")  # arguments that users cannot set
NUMBERS = {
    **{"sigma": float, "population_size": Number(2, whole=True)},
    **{"margin": float, "momentum_r": float},
}
"""The arguments for which cmaes chooses a number."""
DEGENERATE = (np.linalg.LinAlgError, ArithmeticError, AssertionError)
"""Exceptions that cmaes raises when its distribution has degenerated or diverged."""
TRIAL_EVALUATIONS = 50  # some values are only used after the first generation


def _parameters(name: str) -> dict[str, object]:
    import cmaes

    variant = getattr(cmaes, name)
    own, arguments = defaults_of(variant, without=SET_HERE), inspect.signature(variant).parameters
    return own | {key: kind for key, kind in NUMBERS.items() if key in arguments}


def _solve(objective: Objective, rng: Rng, *, name: str, parameters: Given) -> None:
    import cmaes

    lower, upper = objective.lower, objective.upper
    settings = {"sigma": SIGMA * float(np.mean(upper - lower)), **parameters}
    if not 0 < settings.get("margin", 0.1) < 0.5:
        raise ValueError("'margin' is above 0 and below 0.5")
    if name == MIXED:
        settings["steps"] = objective.integer.astype(float)
    optimizer = getattr(cmaes, name)(
        mean=starting_point(objective, rng),
        bounds=np.column_stack([lower, upper]),
        seed=int(rng.integers(2**32)),
        **settings,
    )
    asked = _next_generation(optimizer, [])
    while asked is not None:
        # CMAwM returns each point twice: rounded, to be evaluated, and as it learns from it.
        points, learned = zip(*asked, strict=True) if name == MIXED else (asked, asked)
        values = objective.batch(points)
        values[np.isnan(values)] = np.inf
        solutions = list(zip(learned, values, strict=True))
        asked = _next_generation(optimizer, solutions)
        if objective.noisy:
            objective.recommend(np.clip(optimizer.mean, lower, upper))


def _next_generation(optimizer: Any, solutions: list[Any]) -> list[Any] | None:
    try:
        if solutions:
            optimizer.tell(solutions)
        if optimizer.should_stop():
            return None
        asked = [optimizer.ask() for _ in range(optimizer.population_size)]
    except DEGENERATE:
        return None
    return asked if np.isfinite(asked).all() else None


CMAES = Adapter(
    name="cmaes",
    distributions=("cmaes", "numpy"),
    names=NAMES,
    batched=NAMES,
    whole=(MIXED,),
    examples=("CMA", "CMAwM"),
    parameters=_parameters,
    solve=_solve,
    trial_evaluations=TRIAL_EVALUATIONS,
)
"""CMA-ES and its variants by the package cmaes."""
