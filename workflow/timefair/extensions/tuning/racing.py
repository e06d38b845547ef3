"""Iterated racing: candidates are dropped as soon as others are significantly better.

After López-Ibáñez, Dubois-Lacoste, Pérez Cáceres, Stützle and Birattari, The irace package,
Operations Research Perspectives 3 (2016), with fixed sizes instead of a budget in evaluations.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from functools import cache
from statistics import fmean

import numpy as np

from timefair.extensions.tuning.keys import Range, Values
from timefair.extensions.tuning.tuners import DEFAULT, Evaluation, Search
from timefair.statistics.ranks import critical_difference, friedman

FIRST_TEST = 5
"""Blocks before the first test, and in the first race."""

ALPHA = 0.05
SPREAD = 0.3
"""Standard deviation of the first new candidates around an elite, as a share of a range."""

SHRINKING = 0.7
"""Factor of the standard deviation from race to race."""


@dataclass
class Racer:
    """A candidate with its losses by block; the default has no position in the space."""

    candidate: int
    parameters: Values
    place: dict[str, float] | None
    losses: dict[int, float] = field(default_factory=dict)

    @property
    def mean(self) -> float:
        return fmean(self.losses.values())


def racing(space: Mapping[str, Range], problems: int, seed: int) -> Search:
    """Races without an end, the first one among the default and random candidates."""
    rng = np.random.default_rng(seed)
    racers, elites = 6 + 2 * len(space), 2 + round(math.log2(len(space)))
    field_ = [Racer(DEFAULT, {}, None)]
    made, race = 1, 0
    while True:
        new = [_drawn(space, made + k, field_, race, rng) for k in range(racers - len(field_))]
        made += len(new)
        field_ = yield from _race([*field_, *new], FIRST_TEST + race, problems)
        field_ = sorted(field_, key=lambda one: one.mean)[:elites]
        race += 1


def _race(
    field_: list[Racer], blocks: int, problems: int
) -> Generator[Evaluation, float, list[Racer]]:
    """One race; it returns the candidates that are not dropped."""
    alive = field_
    for block in range(blocks):
        repetition, problem = divmod(block, problems)
        for one in alive:
            if block not in one.losses:
                asked = Evaluation(one.candidate, one.parameters, problem, repetition)
                one.losses[block] = yield asked
        if block + 1 >= FIRST_TEST:
            alive = _survivors(alive, block + 1)
    return alive


def _survivors(alive: list[Racer], blocks: int) -> list[Racer]:
    """The racers without those that are significantly worse than the best one."""
    if len(alive) < 2:
        return alive
    losses = np.array([[one.losses[block] for one in alive] for block in range(blocks)])
    test = friedman(losses)
    if not test.p < ALPHA:
        return alive
    ranks = test.average_ranks
    limit = ranks.min() + _critical_difference(len(alive), blocks)
    return [one for one, rank in zip(alive, ranks, strict=True) if rank <= limit]


@cache
def _critical_difference(racers: int, blocks: int) -> float:
    return critical_difference(racers, blocks, ALPHA)


def _drawn(
    space: Mapping[str, Range],
    candidate: int,
    elites: list[Racer],
    race: int,
    rng: np.random.Generator,
) -> Racer:
    """A new racer near an elite, more often near a better one; for the default, it is uniform."""
    weights = np.arange(len(elites), 0, -1, dtype=np.float64)
    near = elites[rng.choice(len(elites), p=weights / weights.sum())].place
    spread = SPREAD * SHRINKING**race
    place = {}
    for name, one in space.items():
        if near is None or (one.kind == "choice" and rng.random() < spread):
            place[name] = rng.random()
        elif one.kind == "choice":
            place[name] = near[name]
        else:
            place[name] = _reflected(near[name] + spread * rng.standard_normal())
    return Racer(candidate, {name: space[name].at(place[name]) for name in space}, place)


def _reflected(share: float) -> float:
    """A number moved into [0, 1) by reflection at the ends."""
    inside = abs(share) % 2
    return min(2 - inside if inside > 1 else inside, math.nextafter(1.0, 0.0))
