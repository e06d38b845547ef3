"""A sample of a problem's values, for features of its landscape."""

from __future__ import annotations

import zlib

import numpy as np
from numpy.typing import NDArray

from timefair.problems.base import Problem

POINTS_PER_VARIABLE = 50
"""Points of a sample per variable, the usual number in exploratory landscape analysis."""

MOST_POINTS = 1000
"""Maximal number of points of a sample."""


def sample_size(dimension: int) -> int:
    """Number of evaluations that a sample of a problem takes: 50 per variable, at most 1000."""
    return min(POINTS_PER_VARIABLE * dimension, MOST_POINTS)


def sample(problem: Problem) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Evaluate a problem at the points of a Latin hypercube.

    The points depend only on the name of the problem. Integer variables are rounded. Noise
    is reseeded where the problem allows it.

    Returns the points, shape (n, variables), in units of the bounds, and the values as an algorithm
    gets them, shape (n,): NaN and inf as the problem gives them; (n, 2) with two objectives.

    Source: M. D. McKay, R. J. Beckman and W. J. Conover, A comparison of three methods for
    selecting values of input variables in the analysis of output from a computer code,
    Technometrics 21 (1979).
    """
    from scipy.stats.qmc import LatinHypercube

    seed = zlib.crc32(str(problem.name).encode())
    hypercube = LatinHypercube(problem.dimension, rng=np.random.default_rng(seed))
    units = hypercube.random(sample_size(problem.dimension))
    if problem.reseed is not None:
        problem.reseed(seed)
    span = problem.upper - problem.lower
    points = problem.lower + units * span
    points[:, problem.integer] = np.floor(
        np.minimum(points[:, problem.integer] + 0.5, problem.upper[problem.integer])
    )
    values = np.array([problem.seen(problem.evaluate(x)) for x in points], dtype=np.float64)
    return (points - problem.lower) / np.where(span > 0.0, span, 1.0), values
