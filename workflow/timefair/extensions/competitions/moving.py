"""Problems that change during a run: the generalized moving peaks benchmark.

Yazdani et al., "Benchmarking continuous dynamic optimization: survey and generalized test suite",
IEEE Transactions on Cybernetics 52(5), 2022, with the settings of the program of February 2022.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from types import SimpleNamespace
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from timefair.problems.kinds import Changes, Kind, Native
from timefair.problems.pointwise import Landscape
from timefair.problems.problem import (
    Allowed,
    Number,
    Problem,
    ProblemName,
    Suite,
    at_least,
    numbered,
)


class Range(NamedTuple):
    """Where a property of a peak is drawn and stays."""

    least: float
    most: float

    def draw(self, rng: np.random.Generator, *shape: int) -> NDArray[np.float64]:
        return rng.uniform(self.least, self.most, shape)

    def reflect(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Reflect values at the ends of the range, as often as it takes to be in it.

        >>> Range(1.0, 12.0).reflect(np.array([0.5, 5.0, 13.0, 24.0])).tolist()
        [1.5, 5.0, 11.0, 2.0]
        """
        width = self.most - self.least
        return self.least + width - np.abs((values - self.least) % (2 * width) - width)


COORDINATE = Range(-100.0, 100.0)
HEIGHT = Range(30.0, 70.0)
WIDTH = Range(1.0, 12.0)
ANGLE = Range(-np.pi, np.pi)
TAU = Range(-1.0, 1.0)
ETA = Range(-20.0, 20.0)


@dataclass(frozen=True)
class Severity:
    """How far a change moves a property: `shift` is a distance, the others standard deviations."""

    shift: float = 1.0
    height: float = 7.0
    width: float = 1.0
    angle: float = np.pi / 9
    tau: float = 0.2
    eta: float = 2.0


def landscapes(
    dimension: int, *, peaks: int, environments: int, severity: Severity, rng: np.random.Generator
) -> SimpleNamespace:
    """Draw a sequence of environments; a shorter one of the same seed is its beginning.

    Arrays of shape ``(environments, peaks, ...)``: ``heights``, ``taus``, ``angles`` in radians,
    ``centres`` and ``widths`` (..., dimension), ``etas`` (..., 4), and the orthogonal
    ``rotations`` (..., dimension, dimension).
    """
    planes = np.array(list(combinations(range(dimension), 2)), dtype=np.intp).reshape(-1, 2)
    axes = np.linalg.qr(rng.standard_normal((peaks, dimension, dimension)))[0]
    centres, rotations = [COORDINATE.draw(rng, peaks, dimension)], [axes]
    moved = {  # where each property stays, how far it moves, and its shape for a peak
        "heights": (HEIGHT, severity.height, ()),
        "widths": (WIDTH, severity.width, (dimension,)),
        "angles": (ANGLE, severity.angle, ()),
        "taus": (TAU, severity.tau, ()),
        "etas": (ETA, severity.eta, (4,)),
    }
    paths = {name: [bounds.draw(rng, peaks, *shape)] for name, (bounds, _, shape) in moved.items()}
    for _ in range(environments - 1):
        directions = rng.standard_normal((peaks, dimension))
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        centres.append(COORDINATE.reflect(centres[-1] + severity.shift * directions))
        for name, (bounds, deviation, _) in moved.items():
            last = paths[name][-1]
            paths[name].append(bounds.reflect(last + deviation * rng.standard_normal(last.shape)))
        turns = [
            rotation(angle, rng.permutation(planes), dimension) for angle in paths["angles"][-1]
        ]
        rotations.append(axes @ np.stack(turns))
    found = paths | {"centres": centres, "rotations": rotations}
    return SimpleNamespace(**{name: np.stack(of) for name, of in found.items()})


def evaluation(drawn: SimpleNamespace) -> Landscape:
    return Landscape(**{name: of for name, of in vars(drawn).items() if name != "angles"})


def rotation(angle: float, planes: NDArray[np.intp], dimension: int) -> NDArray[np.float64]:
    """The product of the rotations by `angle` in planes of two axes, in the order given.

    >>> rotation(np.pi / 2, np.array([[0, 1]]), 2).round().tolist()
    [[0.0, 1.0], [-1.0, 0.0]]
    """
    product = np.eye(dimension)
    cosine, sine = np.cos(angle), np.sin(angle)
    for plane in planes:
        product[:, plane] = product[:, plane] @ [[cosine, sine], [-sine, cosine]]
    return product


SEED = 2022

SCENARIOS = {k: (peaks, 1.0) for k, peaks in enumerate((5, 10, 25, 50, 100), start=1)}
SCENARIOS |= {6: (10, 2.0), 7: (10, 5.0)}
"""Number of peaks, and shift severity, of each function."""


class Moving(Suite):
    name = "moving"
    functions = range(1, len(SCENARIOS) + 1)
    dimensions = at_least(1)
    kind: type[Kind] = Changes

    environments = 20
    parameters: ClassVar[Allowed] = {"environments": Number(2, 1000, whole=True)}
    names: Mapping[int, str] = numbered(
        *("5 peaks", "10 peaks", "25 peaks", "50 peaks", "100 peaks"),
        *("10 peaks, shift 2", "10 peaks, shift 5"),
    )
    targets = (100.0, 50.0, 20.0, 10.0, 5.0, 2.0, 1.0, 0.5, 0.2, 0.1)  # a peak is at most 70 high

    def make(self, name: ProblemName) -> Problem:
        peaks, shift = SCENARIOS[name.function]
        drawn = landscapes(
            name.dimension,
            peaks=peaks,
            environments=self.environments,
            severity=Severity(shift=shift),
            rng=np.random.default_rng([SEED, name.function, name.dimension, name.instance]),
        )
        evaluate = evaluation(drawn)
        lower, upper = (np.full(name.dimension, end) for end in COORDINATE)
        middle = np.empty(self.environments)
        for number in range(self.environments):
            evaluate.environment = number
            middle[number] = evaluate((lower + upper) / 2)[0]
        evaluate.environment = 0
        least = -drawn.heights.max(axis=1)
        changes = Changes(evaluate.environment_address, least, middle)
        native, keep = Native(*evaluate.c_function), (evaluate,)
        return Problem(name, evaluate, lower, upper, 0.0, native=native, kind=changes, keep=keep)


MOVING = Moving()
"""Peaks that move after seconds or evaluations of the run."""
