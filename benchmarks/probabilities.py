"""How often statements about algorithms are right that the package gives a probability.

    python benchmarks/probabilities.py [--fields 15] [--output docs/validation/probabilities]
    python benchmarks/probabilities.py --bootstrap-alone --output OTHER

A field is a simulated campaign: algorithms on functions with one target, whose true expected
running times (ERT) are known. The log of the true ERT is the sum of a number for the function, one
for the algorithm and one for both; the latter two are normal and together have the spread of the
field as their standard deviation. Runs follow one of four laws. Of each field, the statements of
the tables `practical` and `probability_best` are made with the package's functions, and compared
with the truth:

- pair: the first algorithm of a pair is better, practically equal, worse on a function;
- best: an algorithm is the best on a function;
- pair over functions: the signed-rank test, about the law that the functions are drawn from;
- best over functions: the Plackett-Luce model, about that law.

`calibration.csv` has the number of statements and of right ones by kind, law, spread, runs and
probability (20 bins); `calibration.png` shows them. `--bootstrap-alone` leaves out what the field
says.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import combinations, product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri

from timefair.extensions.probabilities.posterior import (
    OnFunction,
    compared,
    ert_draws,
    informed_by_the_field,
    probability_of_best,
    probability_of_largest,
    signed_rank,
    weight_draws,
)
from timefair.statistics.ert import ert

LAWS = ("exponential", "no failures", "lognormal", "two modes")
SPREADS = (0.25, 0.5, 1.0, 2.0)
RUNS = (3, 5, 15, 50)
FUNCTIONS, ALGORITHMS, RATIO, DRAWS = 12, 4, 1.1, 1000
PAIR, BEST = "pair", "best"
PAIR_OVER, BEST_OVER = "pair over functions", "best over functions"
KINDS = (PAIR, BEST, PAIR_OVER, BEST_OVER)
SURE = 0.95
BINS = 20
LEAST = 20
"""Statements of a bin that is drawn."""


class Cell(NamedTuple):
    """The runs of an algorithm on a function, and its true ERT."""

    cost: np.ndarray
    success: np.ndarray
    truth: float


class Statement(NamedTuple):
    """A statement with its probability, and whether it is right."""

    kind: str
    probability: float
    right: bool


def measured(law: str, scale: float, rate: float, runs: int, rng: np.random.Generator) -> Cell:
    """Runs whose success rate would be `rate` at a scale of 1.

    Costs are exponential or lognormal, cut off by the budget or not at all, or near 1 with a
    probability that falls with the scale and the whole budget of 20 otherwise.
    """
    if law == "two modes":
        chance, budget = min(rate / scale, 1.0), 20.0
        success = rng.random(runs) < chance
        cost = np.where(success, rng.uniform(0.5, 1.5, runs), budget)
        return Cell(cost, success, (chance + (1 - chance) * budget) / chance)
    if law == "lognormal":
        budget = float(np.exp(ndtri(rate)))
        cost = rng.lognormal(np.log(scale), 1.0, runs)
        z = np.log(budget / scale)
        truth = float((scale * np.exp(0.5) * ndtr(z - 1) + budget * ndtr(-z)) / ndtr(z))
    else:
        budget = np.inf if law == "no failures" else -np.log1p(-rate)
        cost, truth = scale * rng.standard_exponential(runs), scale
    return Cell(np.minimum(cost, budget), cost < budget, truth)


def statements(
    law: str, spread: float, runs: int, rng: np.random.Generator, *, informed: bool = True
) -> Iterator[Statement]:
    """All statements about one field."""
    own = rng.normal(0.0, spread / np.sqrt(2), ALGORITHMS)
    cells = list(_functions(law, own, spread / np.sqrt(2), runs, rng))
    drawn = [
        OnFunction(
            np.column_stack([ert_draws(*one[:2], draws=DRAWS, rng=rng) for one in of_function]),
            np.full(ALGORITHMS, runs),
            np.array([one.success.sum() for one in of_function]),
        )
        for of_function in cells
    ]
    costs = informed_by_the_field(drawn, rng=rng) if informed else [one.costs for one in drawn]
    for draws, of_function in zip(costs, cells, strict=True):
        yield from _on_function(draws, of_function)
    yield from _over(cells, own, spread / np.sqrt(2), rng)


def _functions(
    law: str, own: np.ndarray, spread: float, runs: int, rng: np.random.Generator
) -> Iterator[list[Cell]]:
    """The cells of each function on which some run reaches the target."""
    for _ in range(FUNCTIONS):
        scales, rate = np.exp(own + rng.normal(0.0, spread, own.size)), rng.uniform(0.2, 1.0)
        cells = [measured(law, scale, rate, runs, rng) for scale in scales]
        if any(one.success.any() for one in cells):
            yield cells


def _on_function(draws: np.ndarray, cells: list[Cell]) -> Iterator[Statement]:
    truths = np.array([one.truth for one in cells])
    for p, truth in zip(probability_of_best(draws), truths, strict=True):
        yield Statement(BEST, p, truth == truths.min())
    for a, b in combinations(range(len(cells)), 2):
        if cells[a].success.any() or cells[b].success.any():
            better, worse = RATIO * truths[a] < truths[b], RATIO * truths[b] < truths[a]
            rights = (better, not better and not worse, worse)
            for p, right in zip(compared(draws[:, a], draws[:, b], RATIO), rights, strict=True):
                yield Statement(PAIR, p, right)


def _over(
    cells: list[list[Cell]], own: np.ndarray, spread: float, rng: np.random.Generator
) -> Iterator[Statement]:
    """The average of two log ratios is normal with the standard deviation `spread`."""
    costs = np.array([[float(ert(*one[:2])) for one in of_function] for of_function in cells])
    weights = weight_draws(costs, draws=DRAWS, rng=rng)
    for p, value in zip(probability_of_largest(weights), own, strict=True):
        yield Statement(BEST_OVER, p, value == own.min())
    for a, b in combinations(range(own.size), 2):
        both = costs[:, [a, b]]
        both = both[np.isfinite(both).any(axis=1)]
        limits = (np.array([-1, 1]) * np.log(RATIO) - (own[b] - own[a])) / spread
        worse, better = ndtr(limits[0]), ndtr(-limits[1])
        largest = int(np.argmax([better, 1 - better - worse, worse]))
        if len(both):
            found = signed_rank(both[:, 0], both[:, 1], RATIO, draws=DRAWS, rng=rng)
            for k, p in enumerate(found):
                yield Statement(PAIR_OVER, p, k == largest)


def calibration(fields: int, seed: int = 1, *, informed: bool = True) -> pd.DataFrame:
    """Number of statements and of right ones, by kind, law, spread, runs and bin."""
    rows = []
    for place, (law, spread, runs) in enumerate(product(LAWS, SPREADS, RUNS)):
        rng = np.random.default_rng([seed, place])
        fields_made = (statements(law, spread, runs, rng, informed=informed) for _ in range(fields))
        made = pd.DataFrame([one for of_field in fields_made for one in of_field])
        made["bin"] = np.minimum((made["probability"] * BINS + 1e-9).astype(int), BINS - 1)
        sums = made.groupby(["kind", "bin"], as_index=False).agg(
            statements=("right", "size"), right=("right", "sum"), stated=("probability", "sum")
        )
        rows.append(sums.assign(law=law, spread=spread, runs=runs))
    keys = ["kind", "law", "spread", "runs", "bin"]
    return pd.concat(rows, ignore_index=True)[[*keys, "statements", "right", "stated"]]


def sure(table: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """How many of the statements with a probability of at least 0.95 are right, by some keys."""
    last = table[table["bin"] == BINS - 1]
    sums = last.groupby(by, sort=False)[["statements", "right"]].sum()
    return sums.assign(share=sums["right"] / sums["statements"])


def draw(table: pd.DataFrame, path: Path) -> None:
    """The share of right statements over their probability, a panel per kind."""
    from matplotlib.figure import Figure

    from timefair.exhibits.charts import panels, style

    looks = style.looks((f"{runs} runs" for runs in RUNS), (f"{runs} runs" for runs in RUNS))
    with style.applied():
        figure = Figure(figsize=(style.WIDTH_IN, 2.4), layout="constrained")
        for ax, kind in zip(figure.subplots(1, len(KINDS), sharey=True), KINDS, strict=True):
            ax.plot([0, 1], [0, 1], color="0.6", linewidth=0.8)
            ax.axvline(SURE, color="0.6", linewidth=0.8, linestyle=":")
            for runs, rows in table[table["kind"] == kind].groupby("runs"):
                sums = rows.groupby("bin")[["statements", "right", "stated"]].sum()
                sums = sums[sums["statements"] >= LEAST]
                share = sums[["stated", "right"]].div(sums["statements"], axis=0)
                ax.plot(share["stated"], share["right"], **looks[f"{runs} runs"].line, markevery=4)
            ax.set_title(kind)
            ax.set(xlim=(0, 1), ylim=(0, 1), xticks=(0, 0.5, 1), yticks=(0, 0.5, 1))
        figure.supylabel("share that is right", fontsize=7.5)
        figure.supxlabel(f"stated probability (dotted: {SURE:g})", fontsize=7.5)
        panels.legend(figure, looks)
    style.save(figure, path)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--fields", type=int, default=15)
    parser.add_argument("--output", type=Path, default=Path("docs/validation/probabilities"))
    parser.add_argument("--bootstrap-alone", action="store_true")
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    table = calibration(arguments.fields, informed=not arguments.bootstrap_alone)
    table.to_csv(arguments.output / "calibration.csv", index=False, float_format="%.4g")
    draw(table, arguments.output / "calibration.png")
    for by in (["kind"], ["kind", "runs"], ["kind", "runs", "spread"]):
        print(sure(table, by).round(3).to_string(), end="\n\n")


if __name__ == "__main__":
    main()
