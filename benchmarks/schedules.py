"""How a Max_iter should be set: the loss against the best of a grid in hindsight.

    python benchmarks/schedules.py [--evaluations 3000] [--runs 11] [--out FILE]

Ten algorithms with a schedule on six functions of bbob at D = 10. Budgets count evaluations: the
lengths that fill them are those of a budget of seconds at the same speed, and no clock is read. A
loss is the factor between the median precision of a way and that of the best length of the grid;
"best again" repeats that length with other seeds, and is what chance alone makes of it.
"""

from __future__ import annotations

import argparse
import csv
from collections import defaultdict
from collections.abc import Iterator
from itertools import product
from multiprocessing import Pool
from pathlib import Path

import numpy as np

from timefair.algorithms import libraries
from timefair.algorithms.adapter import Enough
from timefair.measure import job as cell
from timefair.problems.suites import SUITES

FUNCTIONS = (1, 3, 8, 10, 15, 21)
DIMENSION, POPULATION = 10, 30
GRID = (1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 8)
"""Lengths of a launch, as shares of the length that fills the budget."""
WAYS = ("fixed 500", "fill", "launches: 5", "progress", "best again")
LEAST = 1e-8


class Budgeted:
    """A problem of bbob that ends a launch at the end of the budget and keeps the best value."""

    noisy, cores, shown, changes, integer = False, 1, 1, 0, np.zeros(DIMENSION, dtype=bool)

    def __init__(self, function: int, most: int) -> None:
        problem = SUITES["bbob"].problem(function, DIMENSION, 1)
        self.dimension, self.lower, self.upper = DIMENSION, problem.lower, problem.upper
        self.evaluate, self.f_opt = problem.evaluate, problem.f_opt
        self.best, self.evaluations, self.most, self.before = np.inf, 0, most, 0

    @property
    def evaluations_left(self) -> int:
        return self.most - self.evaluations

    @property
    def progress(self) -> float:
        return (self.evaluations - self.before) / (self.most - self.before)

    def __call__(self, x: np.ndarray) -> float:
        if self.evaluations == self.most:
            raise Enough
        self.evaluations += 1
        value = self.evaluate(np.asarray(x, dtype=float))
        self.best = min(self.best, value)
        return value

    def batch(self, points: np.ndarray) -> np.ndarray:
        counted = points[: self.evaluations_left]
        values = np.array([self.evaluate(x) for x in counted])
        self.evaluations += len(counted)
        self.best = min(self.best, values.min(initial=np.inf))
        if len(counted) < len(points):
            raise Enough
        return values


def times(objective: Budgeted, iterations: int | None) -> Iterator[float]:
    """t / Max_iter, or the used share of the budget."""
    if iterations:
        yield from (t / iterations for t in range(iterations))
    while iterations is None:
        yield objective.progress


def started(objective: Budgeted, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    x = rng.uniform(objective.lower, objective.upper, (POPULATION, DIMENSION))
    return x, objective.batch(x)


def pso(objective, rng, iterations) -> None:
    """Shi and Eberhart 1998: inertia from 0.9 to 0.4."""
    x, y = started(objective, rng)
    v, best, values = np.zeros_like(x), x.copy(), y
    for t in times(objective, iterations):
        r, s = rng.uniform(size=(2, *x.shape))
        v = (0.9 - 0.5 * t) * v + 2 * r * (best - x) + 2 * s * (best[values.argmin()] - x)
        x = np.clip(x + v, objective.lower, objective.upper)
        y = objective.batch(x)
        best, values = np.where((y < values)[:, None], x, best), np.minimum(y, values)


def wolves(objective, rng, iterations) -> None:
    """GWO, Mirjalili, Mirjalili and Lewis 2014: a from 2 to 0."""
    x, y = started(objective, rng)
    leaders, values = x[y.argsort()[:3]], np.sort(y)[:3]
    for t in times(objective, iterations):
        r, s = rng.uniform(size=(2, 3, *x.shape))
        moved = leaders[:, None] - (2 - 2 * t) * (2 * r - 1) * abs(2 * s * leaders[:, None] - x)
        x = np.clip(moved.mean(axis=0), objective.lower, objective.upper)
        points, found = np.vstack([leaders, x]), np.append(values, objective.batch(x))
        best = found.argsort()[:3]
        leaders, values = points[best], found[best]


def of_the_best(move):
    """An algorithm whose points move around the best one, by ``move(x, best, t, rng)``."""

    def solve(objective, rng, iterations) -> None:
        x, y = started(objective, rng)
        best, value = x[y.argmin()], y.min()
        for t in times(objective, iterations):
            x = np.clip(move(x, best, t, rng), objective.lower, objective.upper)
            y = objective.batch(x)
            if y.min() < value:
                best, value = x[y.argmin()], y.min()

    return solve


def whales(x, best, t, rng):
    """WOA, Mirjalili and Lewis 2016: a from 2 to 0, and the spiral's parameter."""
    a = (2 - 2 * t) * (2 * rng.uniform(size=(len(x), 1)) - 1)
    turn = (-2 - t) * rng.uniform(size=(len(x), 1)) + 1
    towards = np.where(abs(a) < 1, best, x[rng.integers(len(x), size=len(x))])
    circled = towards - a * abs(2 * rng.uniform(size=(len(x), 1)) * towards - x)
    spiral = abs(best - x) * np.exp(turn) * np.cos(2 * np.pi * turn) + best
    return np.where(rng.uniform(size=(len(x), 1)) < 0.5, circled, spiral)


def sines(x, best, t, rng):
    """SCA, Mirjalili 2016: the radius from 2 to 0."""
    angle, weight, which = rng.uniform(size=(3, *x.shape))
    wave = np.where(which < 0.5, np.sin(2 * np.pi * angle), np.cos(2 * np.pi * angle))
    return x + (2 - 2 * t) * wave * abs(2 * weight * best - x)


def salps(x, best, t, rng):
    """SSA, Mirjalili et al. 2017: c1 from 2 to 2 exp(-16), with bounds of [-5, 5]."""
    first = len(x) // 2
    c2, c3 = rng.uniform(size=(2, first, x.shape[1]))
    led = best + np.where(c3 < 0.5, -1, 1) * 2 * np.exp(-((4 * t) ** 2)) * (10 * c2 - 5)
    followers = (x[first:] + np.vstack([led[-1:], x[first:-1]])) / 2
    return np.vstack([led, followers])


def arithmetic(x, best, t, rng):
    """AOA, Abualigah et al. 2021: MOA from 0.2 to 1, MOP from 1 to 0, with bounds of [-5, 5]."""
    r1, r2, r3 = rng.uniform(size=(3, *x.shape))
    power, step = 1 - t ** (1 / 5), 10 * 0.499 - 5
    explored = np.where(r2 > 0.5, best / (power + 1e-12) * step, best * power * step)
    exploited = np.where(r3 > 0.5, best - power * step, best + power * step)
    return np.where(r1 > 0.2 + 0.8 * t, explored, exploited)


def moths(objective, rng, iterations) -> None:
    """MFO, Mirjalili 2015: flames from the population's size to 1."""
    x, y = started(objective, rng)
    flames, values = x[y.argsort()], np.sort(y)
    for t in times(objective, iterations):
        count = round(POPULATION - t * (POPULATION - 1))
        turn = (-2 - t) * rng.uniform(size=x.shape) + 1
        flame = flames[np.minimum(np.arange(POPULATION), count - 1)]
        x = abs(flame - x) * np.exp(turn) * np.cos(2 * np.pi * turn) + flame
        x = np.clip(x, objective.lower, objective.upper)
        points, found = np.vstack([flames, x]), np.append(values, objective.batch(x))
        best = found.argsort()[:POPULATION]
        flames, values = points[best], found[best]


def of_library(use: str, key: str, **parameters):
    """An algorithm of timefair's, by the parameter that sets its length."""

    def solve(objective, rng, length) -> None:
        given = parameters if length is None else {**parameters, key: length}
        libraries.load(use, given).solve(objective, rng)

    return solve


SHADE = {"lpsr": True, "mutation_base": "target", "mutation_reference": "pbest"}
ALGORITHMS = {
    "PSO": (pso, POPULATION),
    "GWO": (wolves, POPULATION),
    "WOA": (of_the_best(whales), POPULATION),
    "SCA": (of_the_best(sines), POPULATION),
    "SSA": (of_the_best(salps), POPULATION),
    "AOA": (of_the_best(arithmetic), POPULATION),
    "MFO": (moths, POPULATION),
    "jDElscop": (of_library("timefair:jDElscop", "budget"), 1),
    "modDE-lpsr": (of_library("modde:modDE", "budget", adaptation_method_F="shade", **SHADE), 1),
    "ihs": (of_library("pygmo:ihs", "gen"), 1),
}
"""Each with the evaluations of an iteration."""
WITHOUT_PROGRESS = ("ihs",)


def launched(solve, objective: Budgeted, length: int | None, seed: int) -> None:
    """Launches until the budget is used."""
    rng = np.random.default_rng(seed)
    np.random.seed(seed)  # noqa: NPY002 (as the measuring code does)
    try:
        while True:
            objective.before = objective.evaluations
            solve(objective, rng, length)
    except Enough:
        pass


def found(name: str, most: int, asked) -> int:
    """The length that timefair chooses on f1."""

    def launch(length: int) -> cell.Launch:
        objective, returned = Budgeted(1, most), True
        try:
            ALGORITHMS[name][0](objective, np.random.default_rng(0), length)
        except Enough:
            returned = False
        used = objective.evaluations
        return cell.Launch(length, returned, False, used / most, used)

    return cell.found_schedule({"length": asked}, launch, name)["length"]


def lengths(name: str, most: int) -> dict[str, int | None]:
    each = ALGORITHMS[name][1]
    fill = found(name, most, "fill")
    chosen = {f"grid {share:g}": max(2, round(fill * share)) for share in GRID}
    chosen |= {"fill": fill, "launches: 5": found(name, most, {"launches": 5})}
    chosen["fixed 500"] = 500 * POPULATION // each
    return chosen if name in WITHOUT_PROGRESS else {**chosen, "progress": None}


def precision(task) -> float:
    name, function, most, length, seed = task
    objective = Budgeted(function, most)
    launched(ALGORITHMS[name][0], objective, length, seed)
    return max(objective.best - objective.f_opt, LEAST)


def measured(name: str, function: int, most: int, runs: int, pool) -> list[dict]:
    """A row per way: its length, its median precision, and its loss."""
    chosen = lengths(name, most)

    def medians(ways: dict, first: int) -> dict[str, float]:
        different = list(dict.fromkeys(ways.values()))
        tasks = [
            (name, function, most, length, first + run)
            for length, run in product(different, range(runs))
        ]
        values = np.reshape(pool.map(precision, tasks), (len(different), runs))
        reached = dict(zip(different, np.median(values, axis=1).tolist(), strict=True))
        return {way: reached[length] for way, length in ways.items()}

    reached = medians(chosen, 0)
    best = min((way for way in reached if way.startswith("grid")), key=reached.get)
    chosen["best again"] = chosen[best]
    reached |= medians({"best again": chosen[best]}, runs)
    return [
        {
            **{"evaluations": most, "algorithm": name, "function": function, "way": way},
            **{"length": chosen[way], "precision": value, "loss": value / reached[best]},
        }
        for way, value in reached.items()
    ]


def shown(rows: list[dict]) -> None:
    """Per budget and way: the geometric mean, the upper quartile and the largest loss."""
    losses = defaultdict(list)
    for row in rows:
        if row["way"] in WAYS:
            losses[row["evaluations"], row["way"]].append(float(row["loss"]))
    print(f"{'evaluations':>12} {'way':12} {'mean':>8} {'75 %':>8} {'most':>8} {'cases':>6}")
    for (most, way), each in sorted(losses.items()):
        mean, quartile = np.exp(np.mean(np.log(each))), np.quantile(each, 0.75)
        print(f"{most:>12} {way:12} {mean:8.2f} {quartile:8.2f} {max(each):8.3g} {len(each):6}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--evaluations", type=int, nargs="+", default=[3000])
    parser.add_argument("--runs", type=int, default=11)
    parser.add_argument("--algorithms", nargs="+", default=[*ALGORITHMS])
    parser.add_argument("--out", type=Path, help="every row, as CSV")
    options = parser.parse_args()
    rows = []
    with Pool(2) as pool:
        for most, function, name in product(options.evaluations, FUNCTIONS, options.algorithms):
            rows += measured(name, function, most, options.runs, pool)
            if options.out:
                with options.out.open("w", newline="") as file:
                    table = csv.DictWriter(file, list(rows[0]))
                    table.writeheader()
                    table.writerows(rows)
    shown(rows)


if __name__ == "__main__":
    main()
