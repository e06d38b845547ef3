"""optuna: its samplers, asked for one point after the other; NaN is a failed trial."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np

from timefair.algorithms.adapter import Adapter, Given, Rng, defaults_of
from timefair.algorithms.algorithm import Objective

SAMPLERS = {
    **{"TPE": "TPESampler", "GP": "GPSampler", "CMA-ES": "CmaEsSampler"},
    **{"QMC": "QMCSampler", "random": "RandomSampler"},
}
SET_HERE = (  # arguments that users cannot set
    *("self", "seed", "x0", "independent_sampler", "constraints_func", "source_trials"),
    *("consider_pruned_trials", "gamma", "weights", "warn_independent_sampling"),
    "warn_asynchronous_seeding",
)


def _sampler(name: str) -> Any:
    import optuna

    return getattr(optuna.samplers, SAMPLERS[name])


def _solve(objective: Objective, rng: Rng, *, name: str, parameters: Given) -> None:
    import optuna
    from optuna.distributions import FloatDistribution, IntDistribution

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    bounds = zip(objective.integer, objective.lower.tolist(), objective.upper.tolist(), strict=True)
    space = {
        f"x{place}": IntDistribution(int(least), int(most))
        if whole
        else FloatDistribution(least, most)
        for place, (whole, least, most) in enumerate(bounds)
    }
    sampler = _sampler(name)(seed=int(rng.integers(2**32)), **parameters)
    study = optuna.create_study(sampler=sampler)
    while True:
        trials = [study.ask(dict(space)) for _ in range(objective.cores)]
        points = np.array([[trial.params[key] for key in space] for trial in trials], dtype=float)
        values = objective.batch(points) if len(trials) > 1 else [objective(points[0])]
        for trial, value in zip(trials, values, strict=True):
            failed = optuna.trial.TrialState.FAIL if np.isnan(value) else None
            study.tell(trial, None if failed else float(value), failed)


OPTUNA = Adapter(
    name="optuna",
    distributions=("optuna", "numpy", "scipy", "cmaes", "torch"),
    names=tuple(SAMPLERS),
    batched=tuple(SAMPLERS),
    parameters=lambda name: defaults_of(_sampler(name).__init__, without=SET_HERE),
    solve=_solve,
    whole=None,
    missing=lambda name: (
        "needs the package torch" if name == "GP" and not importlib.util.find_spec("torch") else ""
    ),
    examples=("TPE", "CMA-ES"),
    late=("cmaes", "scipy.stats"),
)
"""The samplers of optuna."""
