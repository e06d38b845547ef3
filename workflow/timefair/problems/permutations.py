"""Permutations: travelling salesman, quadratic assignment and flow shop, with known optima.

A point is an order of the whole numbers from 0 to dimension - 1. Its value is in percent of the
least one, so the optimum is 100. Instances are drawn by their number; each has an optimum that its
construction proves:

- f1, TSP circle: cities at random places of a circle, Euclidean distances. The best tour is the
  circle.
- f2, TSP planted: distances u_i + u_j + s_ij with s = 0 on a hidden tour, and s > 0 elsewhere. Each
  tour passes each city once, so none is shorter than 2 (u_1 + ... + u_n), the length of the hidden
  one.
- f3, QAP: places on a grid with distances |dx| + |dy|, and random flows, the larger the nearer the
  places of a hidden assignment. No assignment costs less than the sum of the products of the sorted
  flows and the oppositely sorted distances (rearrangement inequality), which the hidden one has.
- f4, flow shop: two machines, times from 1 to 99; the value is the makespan. Johnson's rule gives
  the optimum (Naval Research Logistics Quarterly 1, 1954).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timefair.problems.base import Problem, ProblemName, Suite, Variables, numbered, permutations

SEED = 41
Vector = NDArray[np.float64]
Order = NDArray[Any]
Made = tuple[Callable[[Order], float], float]  # a function of a permutation, and its least value


def _tour(distance: Vector, best: Order) -> Made:
    def length(x: Order) -> float:
        order = x.astype(np.intp)
        return float(distance[order, np.roll(order, -1)].sum())

    return length, length(best)


def _circle(n: int, rng: np.random.Generator) -> Made:
    angle = rng.uniform(0, 2 * np.pi, n)
    place = 100 * np.exp(1j * angle)
    return _tour(np.abs(place[:, None] - place), np.argsort(angle))


def _planted(n: int, rng: np.random.Generator) -> Made:
    tour = rng.permutation(n)
    slack = np.triu(rng.integers(1, 100, (n, n)), 1).astype(float)
    slack += slack.T
    slack[tour, np.roll(tour, -1)] = slack[np.roll(tour, -1), tour] = 0
    u = rng.integers(1, 100, n).astype(float)
    distance = u[:, None] + u + slack
    return _tour(distance, tour)


def _assignment(n: int, rng: np.random.Generator) -> Made:
    x, y = np.divmod(np.arange(n), ceil(sqrt(n)))
    distance = (np.abs(x[:, None] - x) + np.abs(y[:, None] - y)).astype(float)
    pairs = np.triu_indices(n, 1)
    flows = np.sort(rng.integers(0, 100, len(pairs[0])))[::-1].astype(float)
    near_first = np.lexsort((rng.random(len(flows)), distance[pairs]))
    flow, hidden = np.zeros((n, n)), rng.permutation(n)
    flow[pairs[0][near_first], pairs[1][near_first]] = flows
    flow = (flow + flow.T)[np.ix_(hidden, hidden)]  # facility i belongs at the place hidden[i]

    def cost(x: Order) -> float:
        place = x.astype(np.intp)
        return float(np.vdot(flow, distance[np.ix_(place, place)]))

    return cost, cost(hidden)


def _flow_shop(n: int, rng: np.random.Generator) -> Made:
    first, second = rng.integers(1, 100, (2, n)).astype(float)
    early = first < second
    rule = np.lexsort((np.where(early, first, -second), ~early))

    def makespan(x: Order) -> float:
        order = x.astype(np.intp)
        # The second machine is busy without a pause from some job on.
        begun, rest = np.cumsum(first[order]), np.cumsum(second[order][::-1])[::-1]
        return float(np.max(begun + rest))

    return makespan, makespan(rule)


MAKERS = (_circle, _planted, _assignment, _flow_shop)


class Permutations(Suite):
    name = "permutations"
    functions = range(1, len(MAKERS) + 1)
    dimensions: Sequence[int] = range(4, 1001)
    variables: Variables = "permutation"
    names: Mapping[int, str] = numbered(1, "TSP circle", "TSP planted", "QAP", "flow shop")

    def make(self, name: ProblemName) -> Problem:
        rng = np.random.default_rng([SEED, name.function, name.dimension, name.instance])
        evaluate, least = MAKERS[name.function - 1](name.dimension, rng)
        return permutations(name, lambda x: 100 * (evaluate(x) / least), 100.0)


PERMUTATIONS = Permutations()
"""Tours, assignments and flow shops with known optima."""
