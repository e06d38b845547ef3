"""How often the interval of `timefair rank` has the rank of a second measurement.

    python benchmarks/ranked_again.py [docs/studies/bbob-2026/archive.zip]

The archive has two runs of each algorithm on an instance. The first ones are the recorded runs, the
second ones those of the same algorithm measured again, and the other way round. A trial is one
algorithm, one dimension and one of both ways.
"""

from __future__ import annotations

import copy
import sys
from pathlib import Path

import numpy as np

from timefair.extensions.database.ranking import COSTS_S
from timefair.extensions.database.standings import EVALUATIONS, Costs, spaces
from timefair.extensions.database.store import opened

AGAIN = " again"


def twice(costs: Costs, first: int) -> Costs:
    """One of two runs of each algorithm, and the other one as an algorithm of its own."""
    both = copy.copy(costs)
    for name in ("there", "seconds", "evaluations", "end_s", "end", "known_s", "known"):
        runs = getattr(costs, name)
        setattr(both, name, np.concatenate([runs[:, :, first::2], runs[:, :, 1 - first :: 2]]))
    both.runs = both.there.sum(axis=2)
    both.ties, both.noise = np.tile(costs.ties, (1, 2, 2)), np.tile(costs.noise, 2)
    both.factors = np.tile(costs.factors, 2)
    both.labels = (*costs.labels, *(label + AGAIN for label in costs.labels))
    return both


def main(path: str = "docs/studies/bbob-2026/archive.zip") -> int:
    with opened(Path(path)) as design:
        every = list(spaces(design.runs, design.analysis))
    print("| D | evaluation cost in s | trials | inside | mean width in ranks |")
    print("|---|---|---|---|---|")
    for _, dimension, costs in every:
        for cost in (EVALUATIONS, 0.0, *COSTS_S):
            inside, widths = [], []
            for first in (0, 1):
                at = twice(costs, first).at(cost)
                for label in costs.labels:
                    others = [other for other in costs.labels if other != label]
                    own, again = (
                        at.standings(
                            name, others, {"": costs.functions}, 0.95, np.random.default_rng(1)
                        )[""]
                        for name in (label, label + AGAIN)
                    )
                    inside.append(again.low <= own.rank <= again.high)
                    widths.append(again.high - again.low)
            shown = [str(dimension), f"{cost:g}", str(len(inside)), f"{np.mean(inside):.0%}"]
            print(f"| {' | '.join([*shown, f'{np.mean(widths):.1f}'])} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
