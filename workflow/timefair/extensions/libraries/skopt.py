"""scikit-optimize: Bayesian optimization by a Gaussian process or by a forest of trees."""

from __future__ import annotations

from timefair.algorithms.adapter import Adapter, Given, Rng, defaults_of
from timefair.algorithms.algorithm import Objective

NAMES = ("gp_minimize", "forest_minimize")
ENDLESS = 10**9
SET_HERE = (  # arguments that users cannot set
    *("func", "dimensions", "x0", "y0", "random_state", "verbose", "callback", "space_constraint"),
    *("n_calls", "n_random_starts", "n_jobs", "model_queue_size"),
)


def _parameters(name: str) -> dict[str, object]:
    import skopt

    return defaults_of(getattr(skopt, name), without=SET_HERE)


def _solve(objective: Objective, rng: Rng, *, name: str, parameters: Given) -> object:
    import skopt
    from skopt.optimizer import base

    class Batches(skopt.Optimizer):  # type: ignore[misc]
        def ask(self) -> None:
            """Go on with batches, instead of the loop that calls this for its first point."""
            while True:
                points = super().ask(n_points=objective.cores)
                super().tell(points, objective.batch(points).tolist())

    base.Optimizer = Batches if objective.cores > 1 else skopt.Optimizer
    return getattr(skopt, name)(
        objective,
        list(zip(objective.lower.tolist(), objective.upper.tolist(), strict=True)),
        n_calls=ENDLESS,
        random_state=int(rng.integers(2**32)),
        model_queue_size=1,  # otherwise it keeps all its models
        **parameters,
    )


SKOPT = Adapter(
    name="skopt",
    distributions=("scikit-optimize", "numpy", "scipy", "scikit-learn"),
    names=NAMES,
    batched=NAMES,
    examples=("gp_minimize",),
    parameters=_parameters,
    solve=_solve,
)
"""Bayesian optimization by a Gaussian process or a forest."""
