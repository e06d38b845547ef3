"""Bayesian optimization by packages without an adapter: for bayesian.yaml.

`smac` needs the package smac 2.4.1, `botorch` the package botorch 0.18.1, each in an interpreter of
its own; `solve.prepare` imports them before the clock starts.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np


def smac(objective, rng):
    """SMAC3 with a random forest (HyperparameterOptimizationFacade)."""
    from ConfigSpace import ConfigurationSpace, Float
    from smac import HyperparameterOptimizationFacade, Scenario
    from smac.runhistory import TrialValue

    space = ConfigurationSpace(seed=0)
    for place, bounds in enumerate(zip(objective.lower, objective.upper, strict=True)):
        space.add(Float(f"x{place:04}", tuple(map(float, bounds))))
    names = sorted(space)
    with TemporaryDirectory() as folder:
        scenario = Scenario(
            space,
            deterministic=True,
            n_trials=10_000,
            seed=int(rng.integers(2**31)),
            output_directory=Path(folder),
        )
        facade = HyperparameterOptimizationFacade(
            scenario, lambda config, seed: 0.0, logging_level=False
        )
        while True:
            trial = facade.ask()
            value = objective(np.array([trial.config[name] for name in names]))
            facade.tell(trial, TrialValue(cost=float(value)), save=False)


def botorch(objective, rng, first=10):
    """A Gaussian process with the log expected improvement, after `first` uniform points."""
    import torch
    from botorch.acquisition import LogExpectedImprovement
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import SingleTaskGP
    from botorch.models.transforms import Standardize
    from botorch.optim import optimize_acqf
    from gpytorch.mlls import ExactMarginalLogLikelihood

    torch.manual_seed(int(rng.integers(2**31)))
    width, dimension = objective.upper - objective.lower, objective.dimension
    unit = torch.stack([torch.zeros(dimension), torch.ones(dimension)]).double()
    points, values = [], []
    while True:
        u = rng.uniform(size=dimension)
        if len(points) >= first:
            y = -torch.tensor(values).double().unsqueeze(-1)
            model = SingleTaskGP(
                torch.tensor(np.array(points)), y, outcome_transform=Standardize(m=1)
            )
            fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
            improvement = LogExpectedImprovement(model, best_f=y.max())
            found, _ = optimize_acqf(improvement, unit, q=1, num_restarts=5, raw_samples=64)
            u = found[0].numpy()
        points.append(u)
        values.append(float(objective(objective.lower + u * width)))


smac.prepare = lambda: importlib.import_module("smac")
botorch.prepare = lambda: importlib.import_module("botorch.fit")
