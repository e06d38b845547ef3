"""How good `timefair recommend` is on tuning problems of scikit-learn's data sets.

    python benchmarks/tuning_problems.py [DATABASE]

Six models of scikit-learn, each with its hyperparameters on a data set that comes with the library;
the value of a point is the mean error of three-fold cross-validation. For each problem and number
of evaluations, the optimizer that `timefair recommend` names first, the one that it would name for
all costs and budgets, two fixed ones, that of humpday, random search and DE are measured as one
campaign, in the folder `results`. The table has the mean share of the targets that a run reaches;
a target is a share of the gap between a first value and the best value that any run found.
"""

from __future__ import annotations

import sys
import time
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from recommending import NAMED, advised
from sklearn import datasets, ensemble, kernel_ridge, model_selection, neural_network, svm
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from timefair.cli.python import run
from timefair.extensions.database import advice
from timefair.extensions.database.standings import Costs, spaces
from timefair.extensions.database.store import designs, opened

EVALUATIONS, RUNS = (30, 100), 9
SHARES = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)
"""Targets, as shares of the gap between a first value and the best one."""
NAMES = {
    1: "SVM, breast cancer",
    2: "SVM with three parameters, wine",
    3: "kernel ridge regression, diabetes",
    4: "extremely randomized trees, diabetes",
    5: "gradient boosting, diabetes",
    6: "neural network, wine",
}
DIMENSIONS = {1: 2, 2: 3, 3: 3, 4: 3, 5: 5, 6: 4}
BESIDE = ("random-search", "DE")


def _model(function: int, x: np.ndarray) -> Any:
    """The model with its hyperparameters from [0, 1]; most are on a logarithmic scale."""
    v = [float(value) for value in x]
    if function == 1:
        return svm.SVC(C=10 ** (6 * v[0] - 2), gamma=10 ** (6 * v[1] - 5))
    if function == 2:
        kernel = {"kernel": "poly", "degree": 3, "coef0": 2 * v[2]}
        return svm.SVC(C=10 ** (6 * v[0] - 3), gamma=10 ** (5 * v[1] - 4), **kernel)
    if function == 3:
        scales = {"alpha": 10 ** (6 * v[0] - 4), "gamma": 10 ** (5 * v[1] - 5)}
        return kernel_ridge.KernelRidge(kernel="polynomial", coef0=3 * v[2], **scales)
    if function == 4:
        share = {"max_features": max(v[0], 0.1), "min_samples_split": 0.001 + 0.2 * v[1]}
        return ensemble.ExtraTreesRegressor(
            20, **share, max_samples=0.2 + 0.8 * v[2], bootstrap=True, random_state=0
        )
    if function == 5:
        shares = {"subsample": 0.3 + 0.7 * v[1], "max_features": max(v[2], 0.1)}
        return ensemble.GradientBoostingRegressor(
            n_estimators=30, learning_rate=10 ** (2.5 * v[0] - 2.5), **shares,
            min_samples_leaf=0.001 + 0.2 * v[3], ccp_alpha=10 ** (4 * v[4] - 1), random_state=0,
        )  # fmt: skip
    rates = {"learning_rate_init": 10 ** (3 * v[1] - 4), "beta_1": 0.5 + 0.49 * v[2]}
    return neural_network.MLPClassifier(
        (10,), alpha=10 ** (6 * v[0] - 5), **rates, batch_size=int(8 + 56 * v[3]),
        max_iter=15, random_state=0,
    )  # fmt: skip


@cache
def _data(function: int) -> tuple[np.ndarray, np.ndarray, str]:
    load, score = {
        1: (datasets.load_breast_cancer, "accuracy"),
        2: (datasets.load_wine, "accuracy"),
        6: (datasets.load_wine, "neg_log_loss"),
    }.get(function, (datasets.load_diabetes, "r2"))
    return (*load(return_X_y=True), score)


def loss(x: np.ndarray, function: int) -> float:
    """1 - R² or the share of errors, or the logarithmic loss of the neural network."""
    features, target, score = _data(function)
    folds = model_selection.KFold(3, shuffle=True, random_state=0)
    model = make_pipeline(StandardScaler(), _model(function, x))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = model_selection.cross_val_score(model, features, target, cv=folds, scoring=score)
    return float((0.0 if score == "neg_log_loss" else 1.0) - found.mean())


loss.lower, loss.upper, loss.names = 0.0, 1.0, NAMES  # type: ignore[attr-defined]


def seconds(function: int) -> float:
    """The CPU time of an evaluation."""
    points = np.random.default_rng(0).uniform(size=(6, DIMENSIONS[function]))
    begun = time.process_time()
    for point in points:
        loss(point, function)
    return (time.process_time() - begun) / len(points)


def choices(costs: Costs, function: int, cost_s: float, number: int) -> dict[str, str]:
    """What each way to choose takes."""
    here = advice.shares(costs, cost_s, cost_s * number)
    shortlist, _, usual, _ = advice.advise(costs, here)
    return {
        "recommended": costs.labels[shortlist[0]],
        "one for all": costs.labels[usual],
        **{name: name for name in NAMED},
        "humpday": advised(DIMENSIONS[function], number),
        **{name: name for name in BESIDE},
    }


def main(database: str | None = None) -> int:
    path = next(iter(designs(Path(database) if database else None).values()))
    with opened(path) as design:
        (costs,) = spaces(design.runs, design.analysis)
        algorithms = design.campaign.algorithms
    costs_s = {function: seconds(function) for function in DIMENSIONS}
    chosen = {
        (function, number): choices(costs, function, cost_s, number)
        for function, cost_s in costs_s.items()
        for number in EVALUATIONS
    }
    every = sorted({label for some in chosen.values() for label in some.values()})
    result = run(
        {label: algorithms[label].use for label in every},
        problems={
            "suite": f"{Path(__file__).resolve()}:loss", "functions": list(DIMENSIONS),
            "own_dimensions": DIMENSIONS, "instances": 1,
        },
        evaluations=max(EVALUATIONS), runs=RUNS, name="tuning-problems", seed=2026, figures=[],
    )  # fmt: skip
    with opened(Path(result.folder)) as design:
        cells = [design.runs.frame[name] for name in ("function", "algorithm")]
        spent = pd.DataFrame(design.runs.runtimes("evaluations", SHARES), design.runs.frame.index)
    ways = list(next(iter(chosen.values())))
    head = ["problem", "D", "ms", "evaluations", "recommended is", *ways, "best of these"]
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}")
    regrets = []
    for (function, number), some in chosen.items():
        reached = (spent <= number).mean(axis=1).groupby(cells).mean()[function]
        values = [float(reached[some[way]]) for way in ways]
        regrets.append([reached.max() - value for value in values])
        first = [NAMES[function], DIMENSIONS[function], f"{1e3 * costs_s[function]:.0f}", number]
        shown = [*first, some["recommended"], *(f"{v:.2f}" for v in (*values, reached.max()))]
        print(f"| {' | '.join(map(str, shown))} |")
    mean = (f"{way} {value:.3f}" for way, value in zip(ways, np.mean(regrets, 0), strict=True))
    print(f"\nMean regret: {', '.join(mean)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
