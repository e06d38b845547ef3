"""How many metaheuristics of MEALPY are better than simple methods, from the database.

    python benchmarks/improved.py [timefair-data/database-bbob-5.zip]

For each reference and measure: of how many metaheuristics the order over the functions is
significantly better or worse (Wilcoxon's signed-rank test of the shares of targets, as in the table
`comparison`; false discovery rate of 5 % over the metaheuristics of a cell, by Benjamini and
Hochberg 1995), as a table in Markdown; of all, and of those without a bias that
``library_audit.py`` found. Then the best of them by average rank among all optimizers.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from scipy import stats

from timefair.exhibits.comparisons.comparison import over
from timefair.extensions.database.standings import EVALUATIONS, ranks_of, spaces
from timefair.extensions.database.store import opened, read_list

REFERENCES = ("random-search", "Nelder-Mead", "DE", "pycma-BIPOP")
MEASURES = {
    "evaluations": EVALUATIONS,
    "CPU seconds": 0.0,
    "1 ms an evaluation": 1e-3,
    "100 ms an evaluation": 1e-1,
}
LEVEL = 0.05
BEST = 5


def main(path: str = "timefair-data/database-bbob-5.zip") -> int:
    known = {row["label"]: row["bias"] for row in read_list(Path(path).parent)}
    with opened(Path(path)) as design:
        runs = design.runs.timed_by(design.analysis.time)
        for suite, dimension, costs in spaces(runs, design.analysis):
            mine = [k for k, label in enumerate(costs.labels) if label.startswith("mealpy-")]
            print(
                f"{suite}, D = {dimension}, {len(costs.functions)} functions, "
                f"{len(costs.labels)} optimizers, {len(mine)} of them of MEALPY\n"
            )
            unbiased = [k for k in mine if known[costs.labels[k]] == "none"]
            print("| of MEALPY's, better than / not decided / worse than |", *REFERENCES, sep=" | ")
            print("|---" * (len(REFERENCES) + 1) + "|")
            best = {}
            for words, cost in MEASURES.items():
                gains = costs.at(cost).gains
                for those, of in ((mine, ""), (unbiased, f", {len(unbiased)} without a bias")):
                    cells = [counts(gains, those, costs.labels.index(name)) for name in REFERENCES]
                    print(f"| by {words}{of} | {' | '.join(cells)} |")
                ranks = ranks_of(gains)
                places = stats.rankdata(ranks, method="min").astype(int)
                order = sorted(mine, key=lambda k: ranks[k])[:BEST]
                best[words] = [f"{costs.labels[k]} ({places[k]})" for k in order]
            print("\nThe best of MEALPY's, with their places among all:\n")
            for words, names in best.items():
                print(f"- by {words}: {', '.join(names)}")
    return 0


def counts(gains: np.ndarray, mine: list[int], reference: int) -> str:
    """Numbers of those that are better, not decided and worse."""
    rows = [over(gains[:, k, reference]) for k in mine]
    sure = stats.false_discovery_control([row["p"] for row in rows]) <= LEVEL
    sides = np.array([np.sign(row["balance"]) for row in rows]) * sure
    return " / ".join(str(int((sides == side).sum())) for side in (1, 0, -1))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
