"""How often the package finds the differences that `timefair.extensions.power` says it finds.

    python benchmarks/power.py [--campaigns 1000] [--jobs 2]

For each design the smallest difference with a power of 0.8 is taken as true, and whole families of
tests are simulated: every pair of algorithms on every function, each with runs of its own, the
package's own tests, and Holm over the family. One pair differs: on the first function, or over all
functions for "share". "Found" is the share of families in which its difference is found in the
right direction. (In a campaign an algorithm that differs from one other differs from several.
Holm's levels are then larger: the first design of "success" then finds 0.83 instead of 0.80.)

The column "other law" has the same difference in another law than the one that the power is
computed for: normal results instead of Lehmann's alternative (a12), lognormal costs instead of
exponential ones (ratio), a Laplace instead of a normal law over the functions (share).
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from math import sqrt
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from timefair.extensions.power.check import (
    Design,
    EqualErt,
    SameRate,
    SignedRankPower,
    smallest_a12,
)
from timefair.statistics.ert import ert
from timefair.statistics.two_samples import equal_ert, mann_whitney, superiority, wilcoxon

POWER, SUCCESS = 0.8, 0.5
DESIGNS = (
    ("a12", Design(functions=6, instances=2, runs=5, algorithms=3, targets=1)),
    ("a12", Design(functions=6, instances=1, runs=15, algorithms=8, targets=1)),
    ("a12", Design(functions=24, instances=5, runs=3, algorithms=4, targets=1)),
    ("a12", Design(functions=24, instances=3, runs=10, algorithms=3, targets=1)),
    ("a12", Design(functions=2, instances=5, runs=15, algorithms=2, targets=1)),
    ("success", Design(functions=6, instances=1, runs=15, algorithms=3, targets=1)),
    ("success", Design(functions=24, instances=3, runs=10, algorithms=2, targets=1)),
    ("success", Design(functions=4, instances=5, runs=20, algorithms=4, targets=1)),
    ("ratio", Design(functions=1, instances=1, runs=15, algorithms=2, targets=1)),
    ("ratio", Design(functions=6, instances=3, runs=10, algorithms=3, targets=5)),
    ("ratio", Design(functions=24, instances=5, runs=10, algorithms=4, targets=8)),
    ("ratio", Design(functions=6, instances=15, runs=30, algorithms=3, targets=5)),
    ("share", Design(functions=12, instances=1, runs=1, algorithms=2, targets=1)),
    ("share", Design(functions=24, instances=1, runs=1, algorithms=8, targets=1)),
    ("share", Design(functions=60, instances=1, runs=1, algorithms=4, targets=1)),
)


class Outcome(NamedTuple):
    """Of a design: its smallest difference, and how often that is found."""

    effect: str
    design: Design
    smallest: float
    found: float
    other: float


def smallest(effect: str, design: Design, power: float, rng: np.random.Generator) -> float:
    """The difference that is found with this power."""
    runs, level = design.runs_on_function, design.level_on_function
    if effect == "a12":
        return smallest_a12(runs, level, power)
    if effect == "success":
        return SameRate(runs, level).smallest_difference(power)
    if effect == "ratio":
        return EqualErt(runs, SUCCESS, design.level_at_target, rng=rng).smallest_ratio(power)
    return SignedRankPower(design.functions, design.level_over_functions, rng=rng).smallest_share(
        power
    )


def is_found(
    effect: str, design: Design, size: float, rng: np.random.Generator, *, other: bool = False
) -> bool:
    """Whether one simulated campaign finds the difference between the first two algorithms."""
    campaign = {"a12": _precisions, "success": _successes, "ratio": _costs, "share": _medians}
    p, first_is_better = campaign[effect](design, size, rng, other)
    tests = design.pairs if effect == "share" else design.pairs * design.functions
    tests *= design.targets if effect == "ratio" else 1
    return bool(p[0] * tests <= design.alpha and first_is_better)


def _precisions(
    design: Design, size: float, rng: np.random.Generator, other: bool
) -> tuple[list[float], bool]:
    shape = (design.functions, design.pairs, 2, design.runs_on_function)
    if other:
        results = rng.standard_normal(shape)
        results[0, 0, 0] -= sqrt(2) * float(ndtri(size))
    else:
        results = rng.standard_exponential(shape)
        results[0, 0, 0] *= (1 - size) / size
    return [mann_whitney(*pair) for pair in results.reshape(-1, *shape[2:])], (
        superiority(*results[0, 0]) > 0.5
    )


def _successes(
    design: Design, size: float, rng: np.random.Generator, other: bool
) -> tuple[list[float], bool]:
    rates = np.full((design.functions, design.pairs, 2, 1), 0.5 + size / 2)
    rates[0, 0, 1] = 0.5 - size / 2
    shape = (design.functions, design.pairs, 2, design.runs_on_function)
    failures = (rng.random(shape) >= rates).astype(np.float64)
    return [mann_whitney(*pair) for pair in failures.reshape(-1, *shape[2:])], (
        superiority(*failures[0, 0]) > 0.5
    )


def _costs(
    design: Design, size: float, rng: np.random.Generator, other: bool
) -> tuple[list[float], bool]:
    """The pair that differs alone: `rank_reversals` makes tests of inverted pairs only."""
    spent, success = [], []
    for ratio in (size, 1.0):
        scale, cut = _lognormal(ratio) if other else (1 / ratio, -np.log1p(-SUCCESS))
        shape = design.runs_on_function
        drawn = rng.lognormal(0.0, 1.0, shape) if other else rng.standard_exponential(shape)
        cost = np.minimum(drawn * scale, cut)
        spent.append(cost)
        success.append(cost < cut)
    p = equal_ert(spent[0], success[0], spent[1], success[1])
    return [p], bool(ert(spent[0], success[0]) < ert(spent[1], success[1]))


def _lognormal(ratio: float) -> tuple[float, float]:
    """Scale of lognormal costs whose ERT is that many times smaller, and the budget."""
    cut = float(np.exp(ndtri(SUCCESS)))

    def ert_of(log_scale: float) -> float:
        z = np.log(cut) - log_scale
        failed = cut * (1 - ndtr(z))
        return float((np.exp(log_scale + 0.5) * ndtr(z - 1) + failed) / ndtr(z))

    if ratio == 1:
        return 1.0, cut
    log_scale = brentq(lambda x: ert_of(x) * ratio - ert_of(0.0), -20.0, 0.0)
    return float(np.exp(log_scale)), cut


def _medians(
    design: Design, size: float, rng: np.random.Generator, other: bool
) -> tuple[list[float], bool]:
    """Differences on each function, which are 0 on average for all pairs but the first."""
    shape = (design.pairs, design.functions)
    gains = rng.laplace(size=shape) if other else rng.standard_normal(shape)
    gains[0] += -np.log(2 * (1 - size)) if other else float(ndtri(size))
    tests = [wilcoxon(np.zeros(design.functions), row) for row in gains]
    return [test.p for test in tests], tests[0].balance > 0


def measure(place: int, campaigns: int) -> Outcome:
    """How often the smallest difference of a design is found."""
    effect, design = DESIGNS[place]
    rng = np.random.default_rng([2026, place])
    size = smallest(effect, design, POWER, rng)
    found, other = (
        np.mean([is_found(effect, design, size, rng, other=law) for _ in range(campaigns)])
        if effect != "success" or not law
        else np.nan
        for law in (False, True)
    )
    return Outcome(effect, design, size, float(found), float(other))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--campaigns", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    print("effect   functions  algorithms  targets  runs  smallest  found  other law")
    with ProcessPoolExecutor(arguments.jobs) as pool:
        work = partial(measure, campaigns=arguments.campaigns)
        for one in pool.map(work, range(len(DESIGNS))):
            design = one.design
            print(
                f"{one.effect:7}  {design.functions:9}  {design.algorithms:10}  "
                f"{design.targets:7}  {design.runs_on_function:4}  {one.smallest:8.3f}  "
                f"{one.found:5.3f}  {'' if np.isnan(one.other) else f'{one.other:9.3f}'}",
                flush=True,
            )


if __name__ == "__main__":
    main()
