"""How often mean and median order two algorithms differently, and how often chance does.

    python benchmarks/mean_and_median.py results/quantiles-small/collected/*.parquet

The runs of each algorithm on each function are divided at random into two halves, many times.
Counted are the pairs of algorithms, over all functions, that two statistics order oppositely.
"""

from __future__ import annotations

import argparse

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.statistics.probability import opposed_pairs
from timefair.statistics.samples import sample_quantile

DIVISIONS = 400


def results(files: list[str]) -> NDArray[np.float64]:
    """Best precision of each run; shape (functions, algorithms, runs), of equally many runs."""
    columns = ["function", "algorithm", "best_precision"]
    runs = pd.concat([pd.read_parquet(file, columns=columns) for file in files])
    cells = runs.groupby(["function", "algorithm"])["best_precision"].apply(np.array)
    return np.array([np.stack(row) for row in cells.unstack().to_numpy()])


def opposed(first: NDArray[np.float64], second: NDArray[np.float64]) -> int:
    """Pairs of algorithms that the two statistics order oppositely, over all functions."""
    return sum(len(opposed_pairs(a, b)) for a, b in zip(first, second, strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", help="collected records of a campaign")
    values = results(parser.parse_args().files)
    functions, algorithms, runs = values.shape

    def median(sample: NDArray[np.float64]) -> NDArray[np.float64]:
        return sample_quantile(sample, 0.5, axis=-1)

    print(f"{functions * algorithms * (algorithms - 1) // 2} pairs; {runs} runs of each algorithm")
    print(f"mean and median of all runs: {opposed(values.mean(axis=-1), median(values))}")

    rng, half = np.random.default_rng(0), runs // 2
    counts = []
    for _ in range(DIVISIONS):
        shuffled = rng.permuted(values, axis=-1)
        one, other = shuffled[..., :half], shuffled[..., half : 2 * half]
        means = one.mean(axis=-1)
        counts.append(
            (
                opposed(median(one), median(other)),
                opposed(means, other.mean(axis=-1)),
                opposed(means, median(one)),
            )
        )
    names = ("medians of two halves", "means of two halves", "mean and median of the same half")
    low, high = np.percentile(counts, [2.5, 97.5], axis=0)
    for name, mean, least, most in zip(names, np.mean(counts, axis=0), low, high, strict=True):
        print(
            f"{name} ({half} runs): {mean:.1f}, 95 % of the divisions in [{least:.0f}, {most:.0f}]"
        )


if __name__ == "__main__":
    main()
