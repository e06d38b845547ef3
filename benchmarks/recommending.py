"""How good `timefair recommend` is on functions that it has not seen, beside one good optimizer.

    python benchmarks/recommending.py [timefair-data/database-bbob-5.zip [OTHER.zip]]

For each dimension, cost of an evaluation and budget: every function is left out in turn. The share
of the targets that is reached on it by the optimizer that is best on the others in this cell, by
the pair that is best on the others with half of the budget each, by the one that is best on the
others over all cells, by named ones, by what humpday recommends for the dimension and the number of
evaluations (the first of its list that the database has by another implementation), and by the best
in hindsight. The averages over functions are printed as a table in Markdown. With another archive,
the choices are made on all functions of the first one, and judged on those of the other suite.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
from humpday import recommend

from timefair.extensions.database import advice
from timefair.extensions.database.standings import Costs, spaces
from timefair.extensions.database.store import opened
from timefair.statistics.samples import Floats

NAMED = ("nevergrad-NGOpt", "pycma-BIPOP")
"""Beside those chosen: a wizard, and one good optimizer."""
HUMPDAY = {
    "CMAEvolutionStrategy": "pycma-CMA-ES",
    "DifferentialEvolution": "scipy-DE",
    "ParticleSwarm": "PSO",
    "PatternSearch": "pygmo-compass-search",
    "Powell": "scipy-Powell",
    "PRIMA_BOBYQA": "Py-BOBYQA",
    "PRIMA_COBYLA": "scipy-COBYLA",
}
"""Names of humpday 0.24, with the optimizer of the database that is the same algorithm."""
COSTS_S = (0.0, 1e-3, 1e-2, 1e-1, 1.0)
EVALUATIONS = (50, 200, 1000)


def choices(costs: Costs) -> Iterator[tuple[float, int, list[Floats], float]]:
    """Each cost of an evaluation and number of evaluations a dimension, with the shares on each
    function of the choices (case, pair, one for all, named, best) and the share of cut ones."""
    overall, on = advice.overall(costs), np.arange(len(costs.functions))
    for cost, count in product(COSTS_S, EVALUATIONS):
        budget = count * costs.dimension * max(cost, 1e-5)
        here = advice.shares(costs, cost, budget)
        low = here.low
        one = low[(overall.sum(axis=1, keepdims=True) - overall).argmax(axis=0), on]
        case = one + advice.held_out(low, overall)
        pair = case.mean() + advice.best_pair(costs, cost, budget, low)[2]
        shown = [case, np.full(on.size, pair), one, *fixed(low, costs, count)]
        yield cost, count, shown, float((here.high > low).any(axis=1).mean())


def elsewhere(costs: Costs, other: Costs) -> Iterator[tuple[float, int, list[Floats], float]]:
    """The same, with choices on all functions of one suite that are judged on those of another."""
    usual = costs.labels[int(advice.overall(costs).mean(axis=1).argmax())]
    for cost, count in product(COSTS_S, EVALUATIONS):
        here, low = (
            advice.shares(of, cost, count * of.dimension * max(cost, 1e-5)) for of in (costs, other)
        )
        case = costs.labels[int(here.low.mean(axis=1).argmax())]
        chosen = [low.low[other.labels.index(label)] for label in (case, usual)]
        cut = float((low.high > low.low).any(axis=1).mean())
        yield cost, count, [*chosen, *fixed(low.low, other, count)], cut


def fixed(low: Floats, costs: Costs, count: int) -> list[Floats]:
    """The shares of those that do not depend on the database, and of the best one in hindsight."""
    names = (*NAMED, advised(costs.dimension, count * costs.dimension))
    return [*(low[costs.labels.index(name)] for name in names), low.max(axis=0)]


def advised(dimension: int, evaluations: int) -> str:
    """The first of humpday's list that the database has."""
    return next(HUMPDAY[n] for *_, n in recommend(dimension, evaluations) if n in HUMPDAY)


def main(path: str = "timefair-data/database-bbob-5.zip", judged: str | None = None) -> int:
    with opened(Path(path)) as design:
        (costs,) = spaces(design.runs, design.analysis)
    pairs = [] if judged else ["pair"]
    names = ["for the case", *pairs, "one for all", *NAMED, "humpday", "best"]
    if judged:
        with opened(Path(judged)) as design:
            (other,) = spaces(design.runs, design.analysis)
        print(f"Chosen on {path}, judged on {other.title}\n")
        found = elsewhere(costs, other)
    else:
        found = choices(costs)
    head = ["cost in s", "budget / D", *names, "unknown"]
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}")
    regrets = []
    for cost, count, shares, cut in found:
        values = [float(of.mean()) for of in shares]
        regrets.append([values[-1] - value for value in values[:-1]])
        shown = [f"{cost:g}", str(count), *(f"{value:.3f}" for value in values), f"{cut:.0%}"]
        print(f"| {' | '.join(shown)} |")
    mean = [f"{value:.3f}" for value in np.mean(regrets, axis=0)]
    print(f"\nMean regret of {', '.join(names[:-1])}: {', '.join(mean)}")
    case, one = names.index("for the case"), names.index("one for all")
    wins = np.mean([row[case] < row[one] for row in regrets])
    print(f"Cells in which choosing for the case is better than one for all: {wins:.0%}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
