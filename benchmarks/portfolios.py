"""Whether a portfolio reaches what runs of its members alone predict.

    python benchmarks/portfolios.py [--evaluations 5000] [--runs 10]
    python benchmarks/portfolios.py --seconds 1 [--runs 10]
    python benchmarks/portfolios.py --campaign config/config.yaml --instances 1

Six algorithms run alone on six functions, with a budget of evaluations or of seconds, or those of a
campaign with its T. From these runs the best portfolio is chosen, in turn and in slices, as the
table `portfolio` does. Then `timefair:portfolio` is measured with the same budget and other seeds.
One case is a target on an instance of a function. It is inside if the share of the measured runs
that reach the target is in the 95 % prediction interval, which accounts for the noise of both
sides. Most cases are easy to predict, because all runs or none reach the target; cases that are
predicted between 0.05 and 0.95 are also counted separately.

With a budget of evaluations, the result does not depend on the load of the machine. With seconds
it does: close everything else.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from timefair.algorithms import libraries
from timefair.campaign import configuration
from timefair.extensions.portfolios.tables import Search
from timefair.machine.linux import kernel
from timefair.measure.isolation import held_cores
from timefair.measure.run import Allowance, measure_run
from timefair.measure.trial import prepare, run_seed
from timefair.problems.suites import SUITES
from timefair.statistics.hitting_times import runtimes

SIX = {
    "CMA-ES": "pycma:CMA-ES",
    "DE": "timefair:DE",
    "L-BFGS-B": "scipy:L-BFGS-B",
    "Nelder-Mead": "scipy:Nelder-Mead",
    "PSO": "timefair:PSO",
    "random-search": "timefair:random-search",
}
TARGETS = np.array([1e2, 1e1, 1e0, 1e-1, 1e-2, 1e-3, 1e-5, 1e-8])
CONFIDENCE = 0.95
CERTAIN = 0.05


class Field(NamedTuple):
    """What runs alone, and on which functions of bbob."""

    algorithms: dict[str, str]
    functions: tuple[int, ...]
    dimension: int


def measured(
    label: str, use: str, parameters: dict, field: Field, options: argparse.Namespace
) -> dict:
    """Costs of runs to the targets, shape (runs, targets), by function and instance."""
    algorithm = libraries.load(use, parameters)
    prepare(algorithm, SUITES["bbob"].problem(field.functions[0], field.dimension, 1))
    if options.seconds:
        allowance = Allowance(time_ns=round(1e9 * options.seconds), final_target=1e-8)
    else:
        allowance = Allowance(evaluations=options.evaluations, final_target=1e-8)
    unit, found = "time_s" if options.seconds else "evaluations", {}
    for place in itertools.product(field.functions, options.instances):
        problem = SUITES["bbob"].problem(place[0], field.dimension, place[1])
        seeds = [run_seed(options.seed, problem.name, label, run) for run in range(options.runs)]
        rows = [measure_run(algorithm, problem, allowance, seed) for seed in seeds]
        wrong = [row for row in rows if row["status"] != "ok"]
        if wrong:
            raise SystemExit(f"{label} on {place}: {wrong[0]['status']}: {wrong[0]['message']}")
        events = [row["events"] for row in rows]
        cost, precision = (
            np.array([event[name] for of in events for event in of], dtype=float)
            for name in (unit, "precision")
        )
        offsets = np.cumsum([0, *map(len, events)])
        found[place] = runtimes(cost, precision, offsets, TARGETS)
    return found


def prediction_interval(
    hits: list[int], runs: int, rng: np.random.Generator, draws: int = 4000
) -> tuple[float, float]:
    """Interval of the share of as many new runs, with the noise of the old and the new ones."""
    counts = np.asarray(hits)
    chance = rng.beta(counts + 0.5, runs - counts + 0.5, size=(draws, counts.size))
    new = rng.binomial(runs, np.clip(1 - np.prod(1 - chance, axis=1), 0.0, 1.0))
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(new, [tail, 1 - tail], method="inverted_cdf")
    return float(low / runs), float(high / runs)


def compared(
    alone: dict[str, dict], together: dict, shares: dict[str, float], budget: float, runs: int
) -> pd.DataFrame:
    """One row per case: what was predicted, its interval, and what was measured."""
    rng, rows = np.random.default_rng(1), []
    for place, target in itertools.product(together, range(TARGETS.size)):
        hits = [
            int((alone[name][place][:, target] <= share * budget).sum())
            for name, share in shares.items()
        ]
        share = float((together[place][:, target] <= budget).mean())
        low, high = prediction_interval(hits, runs, rng)
        rows.append(
            {
                "function": place[0],
                "instance": place[1],
                "target": TARGETS[target],
                "predicted": float(1 - np.prod(1 - np.array(hits) / runs)),
                "low": low,
                "high": high,
                "measured": share,
                "inside": low <= share <= high,
            }
        )
    return pd.DataFrame(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--evaluations", type=int, default=5000, help="of a run")
    parser.add_argument("--seconds", type=float, help="T of a run, instead of --evaluations")
    parser.add_argument("--campaign", type=Path, help="algorithms, functions of bbob and T")
    parser.add_argument("--runs", type=int, default=10, help="on each instance")
    parser.add_argument("--instances", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    field = Field(SIX, (1, 3, 8, 10, 15, 21), 5)
    if options.campaign:
        asked = configuration.load(options.campaign)
        labels = {label: one.use for label, one in asked.algorithms.items()}
        field = Field(labels, tuple(asked.problems.functions), asked.problems.dimensions[0])
        options.seconds = asked.budget.time_s
    labels = list(field.algorithms)
    kernel.adopt_orphans()
    budget = float(options.seconds or options.evaluations)
    with held_cores(1) if options.seconds else contextlib.nullcontext():
        alone = {
            name: measured(name, use, {}, field, options) for name, use in field.algorithms.items()
        }
        print(f"measured alone: {', '.join(alone)}", flush=True)
        known = np.full(options.runs, budget)
        functions = [
            [[(alone[name][f, i], known) for name in labels] for i in options.instances]
            for f in field.functions
        ]
        search = Search(functions, budget)
        for mode in ("in turn", "slices"):
            best = search.best(mode)
            shares = {
                labels[member]: share
                for member, share in zip(best.members, best.shares, strict=True)
            }
            parameters = {
                "members": [field.algorithms[name] for name in shares],
                "shares": list(shares.values()),
                "mode": mode,
            }
            length = budget if mode == "in turn" else budget / (20 if options.seconds else 50)
            if options.seconds:
                parameters["time_s"] = length
            else:
                parameters["evaluations"] = max(int(length), 2)
            together = measured(mode, "timefair:portfolio", parameters, field, options)
            cases = compared(alone, together, shares, budget, options.runs)
            uncertain = cases[cases["predicted"].between(CERTAIN, 1 - CERTAIN)]
            print(f"\n{mode}: {shares}")
            print(uncertain.to_markdown(index=False, floatfmt=".3g"))
            for what, some in (("cases", cases), ("uncertain cases", uncertain)):
                print(
                    f"{what}: {some['inside'].sum()} of {len(some)} inside; "
                    f"predicted {some['predicted'].mean():.4f}, measured "
                    f"{some['measured'].mean():.4f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
