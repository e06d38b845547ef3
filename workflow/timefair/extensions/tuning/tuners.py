"""The tuners that `tune.tuner` names, and what a search has found. A search is a generator: it
yields an `Evaluation` and is sent its loss. With the same losses, it makes the same proposals: an
interrupted search can continue from its trace.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from statistics import fmean
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from timefair.algorithms.algorithm import (
    global_states,
    restore_global_states,
    seed_global_generators,
)
from timefair.basics.errors import suggest
from timefair.extensions.tuning.keys import Range, Values
from timefair.statistics.hitting_times import runtimes
from timefair.statistics.rank_tests import critical_difference, friedman

DEFAULT = 0  # the number of the candidate with the parameters of the algorithm itself

NEVERGRAD = "nevergrad"
OWN = ("random", "racing")
USUAL_CANDIDATES = 100
"""Number of candidates that an optimizer of nevergrad gets as its budget if it is unknown."""


class Evaluation(NamedTuple):
    candidate: int
    parameters: Values
    problem: int
    repetition: int


Search: TypeAlias = Generator[Evaluation, float, None]
Proposals: TypeAlias = Generator[Values, float, None]
"""Yields the parameters of one candidate after the other, and is sent the mean loss of each."""


def faults(tuner: str) -> list[str]:
    from timefair.algorithms.libraries import remembered_faults

    library, _, name = tuner.partition(":")
    if tuner in OWN:
        return []
    if library == NEVERGRAD and name:
        return list(remembered_faults(tuner, {}))
    known = f"{', '.join(OWN)} or {NEVERGRAD}:NAME"
    return [f"{tuner!r}: should be {known}{suggest(tuner, OWN)}"]


def begin(
    tuner: str, space: Mapping[str, Range], problems: int, seed: int, evaluations: int | None
) -> Search:
    """Begin a search; `seed` and losses determine all draws; `evaluations`: None if unknown."""
    if tuner == "racing":
        return racing(space, problems, seed)
    proposals = _uniform(space, seed)
    if tuner != "random":
        candidates = None if evaluations is None else evaluations // problems
        proposals = _of_nevergrad(tuner.partition(":")[2], space, seed, candidates)
    return _in_blocks(proposals, problems)


def _in_blocks(proposals: Proposals, problems: int) -> Search:
    """Evaluate the default, and then each proposal, once on every problem; endless."""
    candidate, parameters = DEFAULT, Values()
    while True:
        losses = []
        for problem in range(problems):
            losses.append((yield Evaluation(candidate, parameters, problem, 0)))
        is_first = candidate == DEFAULT
        parameters = next(proposals) if is_first else proposals.send(fmean(losses))
        candidate += 1


def _uniform(space: Mapping[str, Range], seed: int) -> Proposals:
    """Random search: every candidate is drawn uniformly (Bergstra and Bengio 2012)."""
    rng = np.random.default_rng(seed)
    while True:
        yield {name: one.at(rng.random()) for name, one in space.items()}


def _of_nevergrad(
    name: str, space: Mapping[str, Range], seed: int, candidates: int | None
) -> Proposals:
    """Candidates of an optimizer, which has its own states of the global generators."""
    import nevergrad as ng

    states: Any = None

    @contextmanager
    def own_generators() -> Iterator[None]:
        nonlocal states
        before = global_states()
        if states is None:
            seed_global_generators(np.random.default_rng(seed))
        else:
            restore_global_states(states)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                yield
        finally:
            states = global_states()
            restore_global_states(before)

    def parameter(one: Range) -> Any:
        if one.kind == "choice":
            return ng.p.Choice(list(range(len(one.values))))
        return ng.p.Scalar(init=0.5, lower=0.0, upper=1.0)

    def value(one: Range, found: Any) -> Any:
        if one.kind == "choice":
            return one.values[int(found)]
        return one.at(min(max(float(found), 0.0), math.nextafter(1.0, 0.0)))

    shares = ng.p.Dict(**{key: parameter(one) for key, one in space.items()})
    shares.random_state = np.random.RandomState(seed % 2**32)
    budget = max(candidates or USUAL_CANDIDATES, 1)
    with own_generators():
        optimizer = ng.optimizers.registry[name](shares, budget=budget, num_workers=1)
    while True:
        with own_generators():
            asked = optimizer.ask()
        loss = yield {key: value(space[key], found) for key, found in asked.value.items()}
        with own_generators():
            optimizer.tell(asked, loss)


FIRST_TEST = 5  # blocks before the first test, and in the first race

ALPHA = 0.05
SPREAD = 0.3
"""Standard deviation of the first new candidates around an elite, as a share of a range."""

SHRINKING = 0.7  # factor of the standard deviation from race to race

_critical_difference = cache(critical_difference)


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
    if len(alive) < 2:
        return alive
    losses = np.array([[one.losses[block] for one in alive] for block in range(blocks)])
    test = friedman(losses)
    if not test.p < ALPHA:
        return alive
    ranks = test.average_ranks
    limit = ranks.min() + _critical_difference(len(alive), blocks, ALPHA)
    return [one for one, rank in zip(alive, ranks, strict=True) if rank <= limit]


def _drawn(
    space: Mapping[str, Range],
    candidate: int,
    elites: list[Racer],
    race: int,
    rng: np.random.Generator,
) -> Racer:
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
    inside = abs(share) % 2
    return min(2 - inside if inside > 1 else inside, math.nextafter(1.0, 0.0))


@dataclass(frozen=True)
class Tried:
    """One evaluation of a search: a run of a candidate on a problem.
    - `number`: Index in the search, from 0, which is also the number of its run in the record.
    - `parameters`: Those of the candidate; empty for the default.
    - `problem`, `repetition`: Index in `TuningProblems.problems`, and number of earlier evaluations
      of the candidate on it. Both, and not the candidate, determine the seed.
    - `seconds`: Seconds of the search since the end of the evaluation before.
    """

    number: int
    candidate: int
    parameters: dict[str, Any]
    problem: int
    repetition: int
    loss: float
    seconds: float


def loss(run: Mapping[str, Any], targets: ArrayLike, *, in_values: bool) -> float:
    """Mean over the targets of the cost of a run to reach them, at most its budget; less is better.
    It is the budget times one minus the area under the run's ECDF of these targets, precisions or,
    with `in_values`, values of f: in seconds if the run has a budget in seconds, else in
    evaluations. A target that was not reached counts as the budget, also in a run that failed.
    """
    wanted = np.asarray(targets, dtype=np.float64)
    if in_values and run["f_opt"] is not None:
        wanted = wanted - run["f_opt"]
    unit, budget = "time_s", run["budget_s"]
    if budget is None:
        unit, budget = "evaluations", run["budget_evaluations"]
    cost = [event[unit] for event in run["events"]]
    precision = [event["precision"] for event in run["events"]]
    reached = runtimes(cost, precision, [0, len(cost)], wanted)[0]
    return float(np.minimum(reached, budget).mean())


def losses_of(tried: Iterable[Tried]) -> dict[int, list[float]]:
    found: dict[int, list[float]] = {}
    for one in tried:
        found.setdefault(one.candidate, []).append(one.loss)
    return found


def result(tried: Iterable[Tried]) -> dict[str, Any]:
    """The chosen candidate with its loss and that of the default: of the candidates with the most
    evaluations, the first with the least mean loss. The loss of the default is None if it has fewer
    evaluations.
    """
    trace = list(tried)
    losses = losses_of(trace)
    most = max(map(len, losses.values()))
    complete = {one: fmean(found) for one, found in losses.items() if len(found) == most}
    chosen = min(complete, key=lambda one: (complete[one], one))
    compared = len(losses.get(DEFAULT, ())) == most
    return {
        "candidate": chosen,
        "parameters": next(one.parameters for one in trace if one.candidate == chosen),
        "loss": complete[chosen],
        "default_loss": fmean(losses[DEFAULT]) if compared else None,
    }
