"""The landscapes of `moving`, from a seed (also D. Yazdani et al., arXiv:2106.06174)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Range(NamedTuple):
    """Where a property of a peak is drawn and stays."""

    least: float
    most: float

    def draw(self, rng: np.random.Generator, *shape: int) -> NDArray[np.float64]:
        """Uniform values of a shape."""
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


@dataclass(frozen=True)
class Landscapes:
    """The peaks in all environments; arrays of shape ``(environments, peaks, ...)``."""

    heights: NDArray[np.float64]
    centres: NDArray[np.float64]  # (..., dimension)
    widths: NDArray[np.float64]  # (..., dimension)
    angles: NDArray[np.float64]  # in radians
    rotations: NDArray[np.float64]  # orthogonal, (..., dimension, dimension)
    taus: NDArray[np.float64]
    etas: NDArray[np.float64]  # (..., 4)

    @property
    def optima(self) -> NDArray[np.float64]:
        """The least value in each environment: the negated height of the highest peak."""
        highest: NDArray[np.float64] = self.heights.max(axis=1)
        return -highest


def landscapes(
    dimension: int, *, peaks: int, environments: int, severity: Severity, rng: np.random.Generator
) -> Landscapes:
    """Draw the landscapes of a sequence of environments.

    A shorter sequence of the same seed is the beginning of a longer one.
    """
    planes = np.array(list(combinations(range(dimension), 2)), dtype=np.intp).reshape(-1, 2)
    axes = np.linalg.qr(rng.standard_normal((peaks, dimension, dimension)))[0]
    centres = [COORDINATE.draw(rng, peaks, dimension)]
    heights = [HEIGHT.draw(rng, peaks)]
    widths = [WIDTH.draw(rng, peaks, dimension)]
    angles = [ANGLE.draw(rng, peaks)]
    taus = [TAU.draw(rng, peaks)]
    etas = [ETA.draw(rng, peaks, 4)]
    rotations = [axes]

    def changed(
        bounds: Range, values: list[NDArray[np.float64]], deviation: float
    ) -> NDArray[np.float64]:
        return bounds.reflect(values[-1] + deviation * rng.standard_normal(values[-1].shape))

    for _ in range(environments - 1):
        directions = rng.standard_normal((peaks, dimension))
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        centres.append(COORDINATE.reflect(centres[-1] + severity.shift * directions))
        heights.append(changed(HEIGHT, heights, severity.height))
        widths.append(changed(WIDTH, widths, severity.width))
        angles.append(changed(ANGLE, angles, severity.angle))
        taus.append(changed(TAU, taus, severity.tau))
        etas.append(changed(ETA, etas, severity.eta))
        turns = [rotation(angle, rng.permutation(planes), dimension) for angle in angles[-1]]
        rotations.append(axes @ np.stack(turns))
    return Landscapes(*map(np.stack, (heights, centres, widths, angles, rotations, taus, etas)))


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
