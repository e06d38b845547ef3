"""How good `timefair recommend` is on functions that it has not seen, beside one good optimizer.

    python benchmarks/recommending.py [docs/studies/bbob-2026/archive.zip]

For each dimension, cost of an evaluation and budget: every function is left out in turn. The share
of the targets that is reached on it by the optimizer that is best on the others in this cell, by
the one that is best on the others over all cells, by named ones, and by the best in hindsight. The
averages over functions are printed as a table in Markdown.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from timefair.extensions.database import advice
from timefair.extensions.database.standings import spaces
from timefair.extensions.database.store import opened

NAMED = ("NGOpt", "BIPOP-CMA-ES")
COSTS_S = (0.0, 1e-3, 1e-2, 1e-1, 1.0)
EVALUATIONS = (50, 200, 1000)


def main(path: str = "docs/studies/bbob-2026/archive.zip") -> int:
    with opened(Path(path)) as design:
        every = list(spaces(design.runs, design.analysis))
    head = [
        "D",
        "cost in s",
        "budget / D",
        "for the case",
        "one for all",
        *NAMED,
        "best",
        "unknown",
    ]
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}")
    regrets = []
    for _, dimension, costs in every:
        overall = advice.overall(costs, dimension)
        for cost in COSTS_S:
            for count in EVALUATIONS:
                here = advice.shares(costs, cost, count * dimension * max(cost, 1e-5))
                low, on = here.low, np.arange(here.low.shape[1])
                best = low.max(axis=0)
                one = low[(overall.sum(axis=1, keepdims=True) - overall).argmax(axis=0), on]
                case = one + advice.held_out(low, overall)
                named = [low[costs.labels.index(name)] for name in NAMED]
                values = [float(of.mean()) for of in (case, one, *named, best)]
                regrets.append([values[-1] - value for value in values[:-1]])
                cut = (here.high > low).any(axis=1).mean()
                shown = [f"{value:.3f}" for value in values]
                row = [str(dimension), f"{cost:g}", str(count), *shown, f"{cut:.0%}"]
                print(f"| {' | '.join(row)} |")
    mean = [f"{value:.3f}" for value in np.mean(regrets, axis=0)]
    wins = np.mean([row[0] < row[1] for row in regrets])
    print(f"\nMean regret: for the case, one for all, {', '.join(NAMED)}: {', '.join(mean)}")
    print(f"Cells in which choosing for the case is better than one for all: {wins:.0%}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
