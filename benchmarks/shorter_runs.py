"""What a campaign would have decided over its functions with shorter runs.

    python benchmarks/shorter_runs.py results/evaluation-cost --times 0.1 0.2 0.5 1 4 \
        --algorithms DE Nelder-Mead L-BFGS-B OnePlusOne BIPOP-CMA-ES lq-CMA-ES

For each time, the runs are cut there. Printed are the pairs of algorithms, those that Wilcoxon's
test over the functions decides at the end of the time, as in the table `comparison`, and those with
significant rank reversals over the functions, as in the table `rank_reversals`. The number of
evaluations of a cut run follows from its average speed. The default campaign was chosen with this
table (docs/guide/power.md).
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from timefair.exhibits.comparisons.comparison import Medians, Pair, Reversal, reversals
from timefair.records.rundata.problems import ProblemRuns, precision_at, problems
from timefair.records.rundata.runs import Runs
from timefair.records.status import StopReason
from timefair.statistics.rank_tests import holm
from timefair.statistics.samples import sample_quantile
from timefair.statistics.two_samples import wilcoxon

ALPHA = 0.05


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=Path)
    parser.add_argument("--times", type=float, nargs="+", required=True)
    parser.add_argument("--algorithms", nargs="+", help="the others are left out")
    options = parser.parse_args()
    runs = Runs.read(sorted((options.results / "collected").glob("*.parquet")))
    if options.algorithms:
        runs = runs.where(runs.frame["algorithm"].isin(options.algorithms).to_numpy())
    print("  T [s]  pairs  decided  inverted  surest rank reversals (p, corrected)")
    for time_s in options.times:
        medians = cut_at(runs, time_s)
        sure = [one for one in reversals(medians, len(medians)) if one.p_adjusted <= ALPHA]
        surest = ", ".join(map(in_words, sorted(sure, key=lambda one: one.p_adjusted)[:2]))
        print(f"{time_s:7g}{len(medians):7}{decided(medians):9}{len(sure):10}  {surest}")


def cut_at(runs: Runs, time_s: float) -> dict[Pair, list[Medians]]:
    """The medians of each pair on each function, if runs had ended at a time."""
    wall_s, evaluations = runs.spent("seconds"), runs.spent("evaluations")
    solved = (runs.frame["stop_reason"] == StopReason.TARGET).to_numpy() & (wall_s <= time_s)
    ends = np.where(solved, 0.0, runs.best_so_far("seconds", np.array([time_s]))[:, 0])
    allowed = np.where(solved, np.inf, evaluations * np.minimum(1.0, time_s / wall_s))
    asked = [(problem, np.unique(list(_least(problem, allowed)))) for problem in problems(runs)]
    medians: defaultdict[Pair, list[Medians]] = defaultdict(list)
    for (problem, limits), reached in zip(asked, precision_at(runs, asked), strict=True):
        at, end = problem.split(reached), problem.samples(ends)
        least = dict(zip(problem.algorithms, _least(problem, allowed), strict=True))
        for a, b in combinations(problem.algorithms, 2):
            k = np.searchsorted(limits, min(least[a], least[b]))
            four = (at[a][:, k], at[b][:, k], end[a], end[b])
            first, second, third, fourth = (float(sample_quantile(each, 0.5)) for each in four)
            medians[a, b].append((first, second, third, fourth))
    return dict(medians)


def _least(problem: ProblemRuns, allowed: NDArray[np.float64]) -> Iterator[float]:
    return (float(most.min()) for most in problem.samples(allowed).values())


def decided(medians: dict[Pair, list[Medians]]) -> int:
    """How many pairs Wilcoxon's test decides by the precision at the end."""
    with np.errstate(divide="ignore"):
        ends = [np.log10(np.array(values)[:, 2:]) for values in medians.values()]
    return int(np.sum(holm([wilcoxon(end[:, 0], end[:, 1]).p for end in ends]) <= ALPHA))


def in_words(found: Reversal) -> str:
    first, second = found.pair if found.first_by_evaluations else found.pair[::-1]
    return f"{first} and {second} ({found.p_adjusted:.1g})"


if __name__ == "__main__":
    main()
