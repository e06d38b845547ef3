"""Measures whether an algorithm profits from the origin, the centre, the axes or the bounds. Pairs
of problems differ only in where the optimum is, or by a rotation. On the noise, f does not depend
on x, so that where a run finds its best point is a matter of the algorithm alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import log10
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom, wilcoxon

from timefair.algorithms.algorithm import Algorithm
from timefair.measure.run import Allowance, measure_run
from timefair.measure.trial import run_seed
from timefair.problems.problem import Problem, ProblemName

Vector = NDArray[np.float64]

DIMENSION, EVALUATIONS, WALL_S = 5, 250, 20.0
RUNS, RUNS_OF_AXES = 15, 30
"""Runs on each problem; a rotation matters less than a shift, and needs more."""
LOWER, UPPER = -3.0, 7.0  # the bounds, which have the origin at a distance from the centre
CENTRE, WIDTH = (LOWER + UPPER) / 2, UPPER - LOWER
FALSE_ALARM = 0.05
"""Probability of a finding in an algorithm without a bias, over all tests together."""
FACTOR = {"origin": 10.0, "centre": 10.0, "axes": 5.0, "bounds": 1000.0}
"""Factor between the precisions of a pair up to which an algorithm has no bias. An optimum in a
corner is easier for smooth transformations of the bounds, too, as CMA-ES has: by about 100.
"""
LEAST = 1e-10  # smaller precisions count as this one
NEAR, SHARE = 0.025, 0.2
"""A coordinate is near a place within this share of the width; a run is if most coordinates are.
The share of such runs up to which an algorithm has no bias; uniform points have 0.001.
"""
PAIRS = tuple(FACTOR)
NOISE = ("origin", "centre", "bounds")


@dataclass(frozen=True)
class Finding:
    """One test of a kind of bias. `factor` is the median over the pairs of the precision without
    the advantage, divided by that with it; on the noise, the share of runs near the place; NaN if
    runs failed. `found`: whether it exceeds its limit significantly, Bonferroni-corrected.
    """

    kind: str
    problems: str
    factor: float
    p_value: float
    found: bool


def probe(algorithm: Algorithm, use: str, seed: int = 1) -> list[Finding]:
    level = FALSE_ALARM / (len(PAIRS) + len(NOISE))
    found = [_of_pair(kind, algorithm, use, seed, level) for kind in PAIRS]
    return [*found, *_on_noise(algorithm, use, seed, level)]


def _of_pair(kind: str, algorithm: Algorithm, use: str, seed: int, level: float) -> Finding:
    pairs = (_pair(kind, rng) for rng in _rngs(kind, seed))
    logs = np.array(
        [[_log_precision(_run(algorithm, one, use, seed)) for one in pair] for pair in pairs]
    )
    if not np.isfinite(logs).all():
        return Finding(kind, "pair", np.nan, np.nan, False)
    gains = logs[:, 1] - logs[:, 0]
    p = wilcoxon(gains - log10(FACTOR[kind]), alternative="greater").pvalue
    factor = 10 ** float(np.median(gains))
    return Finding(kind, "pair", factor, float(p), bool(p <= level))


def _on_noise(algorithm: Algorithm, use: str, seed: int, level: float) -> Iterator[Finding]:
    best = (_run(algorithm, _noise(rng), use, seed)["best_x"] for rng in _rngs("noise", seed))
    x = np.array([[np.nan] * DIMENSION if one is None else one for one in best], dtype=np.float64)
    edges = np.minimum(np.abs(x - LOWER), np.abs(x - UPPER))
    distance = {"origin": np.abs(x), "centre": np.abs(x - CENTRE), "bounds": 2 * edges}
    for kind in NOISE:
        near = int((np.mean(distance[kind] <= NEAR * WIDTH, axis=1) > 0.5).sum())
        p = float(binom.sf(near - 1, len(x), SHARE))
        yield Finding(kind, "noise", near / len(x), p, p <= level)


def _rngs(kind: str, seed: int) -> Iterator[np.random.Generator]:
    place = [*PAIRS, "noise"].index(kind)
    runs = RUNS_OF_AXES if kind == "axes" else RUNS
    return (np.random.default_rng([seed, place, run]) for run in range(runs))


def _run(algorithm: Algorithm, problem: Problem, use: str, seed: int) -> dict[str, Any]:
    """One run; it has another seed on every problem, so that the runs are independent."""
    own = run_seed(seed, problem.name, use, 1)
    allowance = Allowance(evaluations=EVALUATIONS, wall_ns=round(WALL_S * 1e9))
    return measure_run(algorithm, problem, allowance, own)


def _log_precision(row: dict[str, Any]) -> float:
    return log10(max(row["best_precision"], LEAST)) if row["evaluations"] else np.nan


# --- Problems -----------------------------------------------------------------------------------


def _problem(rng: np.random.Generator, evaluate: Callable[[Vector], float]) -> Problem:
    name = ProblemName("bias", 1, DIMENSION, int(rng.integers(2**31)))
    lower, upper = np.full(DIMENSION, LOWER), np.full(DIMENSION, UPPER)
    return Problem(name, evaluate, lower, upper, f_opt=0.0)


def _sphere(rng: np.random.Generator, best: Any) -> Problem:
    return _problem(rng, lambda x: float(np.sum((x - best) ** 2)))


def _ellipsoid(rng: np.random.Generator, best: Vector, rotation: Vector) -> Problem:
    scales = 10.0 ** np.linspace(0, 4, DIMENSION)
    return _problem(rng, lambda x: float(scales @ (rotation @ (x - best)) ** 2))


def _noise(rng: np.random.Generator) -> Problem:
    values = np.random.default_rng(int(rng.integers(2**31)))
    return _problem(rng, lambda x: float(values.random()))


def _pair(kind: str, rng: np.random.Generator) -> tuple[Problem, Problem]:
    """Two problems; an algorithm with the bias has an advantage on the first."""
    if kind == "origin":  # at 0, and at its mirror image in the centre
        return _sphere(rng, 0.0), _sphere(rng, 2 * CENTRE)
    if kind == "centre":  # there, and away from it by 0.1 to 0.25 widths in every variable
        away = rng.choice([-1.0, 1.0], DIMENSION) * rng.uniform(0.1, 0.25, DIMENSION) * WIDTH
        return _sphere(rng, CENTRE), _sphere(rng, CENTRE + away)
    if kind == "axes":  # ill-conditioned, as it is and rotated, at the same random place
        best = CENTRE + rng.uniform(-0.2, 0.2, DIMENSION) * WIDTH
        rotation, _ = np.linalg.qr(rng.standard_normal((DIMENSION, DIMENSION)))
        return _ellipsoid(rng, best, np.eye(DIMENSION)), _ellipsoid(rng, best, rotation)
    corner = np.where(rng.random(DIMENSION) < 0.5, LOWER, UPPER)  # and 0.02 widths inside it
    inside = corner + 0.02 * WIDTH * np.sign(CENTRE - corner)
    return _sphere(rng, corner), _sphere(rng, inside)
