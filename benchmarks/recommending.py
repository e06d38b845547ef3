"""How good `timefair recommend` is on functions that it has not seen, beside one good optimizer.

    python benchmarks/recommending.py [timefair-data/database-bbob-5.zip]

For each dimension, cost of an evaluation and budget: every function is left out in turn. The share
of the targets that is reached on it by the optimizer that is best on the others in this cell, by
the pair that is best on the others with half of the budget each, by the one that is best on the
others over all cells, by named ones, by what humpday recommends for the dimension and the number of
evaluations (the first of its list that the database has by another implementation), and by the best
in hindsight. The averages over functions are printed as a table in Markdown.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from humpday import recommend

from timefair.extensions.database import advice
from timefair.extensions.database.standings import spaces
from timefair.extensions.database.store import opened

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


def main(path: str = "timefair-data/database-bbob-5.zip") -> int:
    with opened(Path(path)) as design:
        every = list(spaces(design.runs, design.analysis))
    head = [
        "D",
        "cost in s",
        "budget / D",
        "for the case",
        "pair",
        "one for all",
        *NAMED,
        "humpday",
        "best",
        "unknown",
    ]
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}")
    regrets = []
    for _, dimension, costs in every:
        overall = advice.overall(costs, dimension)
        for cost in COSTS_S:
            for count in EVALUATIONS:
                budget = count * dimension * max(cost, 1e-5)
                here = advice.shares(costs, cost, budget)
                low, on = here.low, np.arange(here.low.shape[1])
                best = low.max(axis=0)
                one = low[(overall.sum(axis=1, keepdims=True) - overall).argmax(axis=0), on]
                case = one + advice.held_out(low, overall)
                pair = case.mean() + advice.best_pair(costs, cost, budget, low)[1]
                advised = next(HUMPDAY[n] for *_, n in recommend(dimension, count * dimension)
                               if n in HUMPDAY)  # fmt: skip
                named = [low[costs.labels.index(name)] for name in (*NAMED, advised)]
                values = [float(of.mean()) for of in (case, one, *named, best)]
                values.insert(1, float(pair))
                regrets.append([values[-1] - value for value in values[:-1]])
                cut = (here.high > low).any(axis=1).mean()
                shown = [f"{value:.3f}" for value in values]
                row = [str(dimension), f"{cost:g}", str(count), *shown, f"{cut:.0%}"]
                print(f"| {' | '.join(row)} |")
    mean = [f"{value:.3f}" for value in np.mean(regrets, axis=0)]
    wins, pairs = (np.mean([row[a] < row[b] for row in regrets]) for a, b in ((0, 2), (1, 0)))
    print(f"\nMean regret of {', '.join(head[3:-2])}: {', '.join(mean)}")
    print(f"Cells in which a pair is better than one for the case: {pairs:.0%}")
    print(f"Cells in which choosing for the case is better than one for all: {wins:.0%}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
