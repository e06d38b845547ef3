"""The tuners that `tune.tuner` names.

A search is a generator: it yields an `Evaluation` and is sent its loss. With the same losses, it
makes the same proposals. Therefore an interrupted search can continue from its trace.
"""

from __future__ import annotations

import importlib.util
import math
import warnings
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from statistics import fmean
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from timefair.algorithms.global_generators import (
    global_states,
    restore_global_states,
    seed_global_generators,
)
from timefair.basics.errors import suggest
from timefair.extensions.tuning.keys import Number, Options, Range, Values

DEFAULT = 0
"""The number of the candidate with the parameters of the algorithm itself."""

NEVERGRAD, OPTUNA = LIBRARIES = ("nevergrad", "optuna")
OWN = ("random", "racing")
SAMPLERS = ("TPE",)
"""The samplers of optuna."""

USUAL_CANDIDATES = 100
"""Number of candidates that an optimizer of nevergrad gets as its budget if it is unknown."""


class Evaluation(NamedTuple):
    """A run that a tuner requests; see `outcome.Tried`."""

    candidate: int
    parameters: Values
    problem: int
    repetition: int


Search: TypeAlias = Generator[Evaluation, float, None]


def faults(tuner: str) -> list[str]:
    """Check the name of a tuner; one line per fault."""
    from timefair.algorithms import remembered

    library, colon, name = tuner.partition(":")
    if tuner in OWN:
        return []
    if library == NEVERGRAD and name:
        return list(remembered.faults(tuner, {}))
    if library == OPTUNA and colon:
        if name not in SAMPLERS:
            return [f"optuna has no tuner {name!r}{suggest(name, SAMPLERS)}; write optuna:TPE"]
        if importlib.util.find_spec(OPTUNA):
            return []
        needs = "it needs the package optuna: pip install 'timefair[extras]'"
        return [f"{tuner} cannot be used here: {needs}"]
    known = (*OWN, f"{NEVERGRAD}:NAME", *(f"{OPTUNA}:{name}" for name in SAMPLERS))
    return [f"{tuner!r}: should be {', '.join(known[:-1])} or {known[-1]}{suggest(tuner, OWN)}"]


def begin(
    tuner: str, space: Mapping[str, Range], problems: int, seed: int, evaluations: int | None
) -> Search:
    """Begin a search.

    - `tuner`: A name without `faults`.
    - `problems`: Number of tuning problems.
    - `seed`: Determines all draws, together with the losses.
    - `evaluations`: Minimal number of evaluations within the budget; None if it is unknown.
    """
    library, _, name = tuner.partition(":")
    if tuner == "racing":
        from timefair.extensions.tuning.racing import racing

        return racing(space, problems, seed)
    proposals: AskTell
    if tuner == "random":
        proposals = Uniform(space, seed)
    elif library == NEVERGRAD:
        candidates = None if evaluations is None else evaluations // problems
        proposals = OfNevergrad(name, space, seed, candidates)
    else:
        proposals = OfOptuna(space, seed)
    return _in_blocks(proposals, problems)


class AskTell(Protocol):
    """An optimizer that proposes the parameters of one candidate after the other, and is told the
    mean loss of each.
    """

    def ask(self) -> Values: ...

    def tell(self, loss: float) -> None: ...


def _in_blocks(proposals: AskTell, problems: int) -> Search:
    """Evaluate the default, and then each proposal, once on every problem; endless."""
    for problem in range(problems):
        yield Evaluation(DEFAULT, {}, problem, 0)
    candidate = DEFAULT
    while True:
        candidate += 1
        parameters = proposals.ask()
        losses = []
        for problem in range(problems):
            losses.append((yield Evaluation(candidate, parameters, problem, 0)))
        proposals.tell(fmean(losses))


class Uniform:
    """Random search: every candidate is drawn uniformly (Bergstra and Bengio 2012)."""

    def __init__(self, space: Mapping[str, Range], seed: int) -> None:
        self._space, self._rng = space, np.random.default_rng(seed)

    def ask(self) -> Values:
        return {name: one.at(self._rng.random()) for name, one in self._space.items()}

    def tell(self, loss: float) -> None:
        """Random search learns nothing."""


class OfNevergrad:
    """Candidates of an optimizer; a whole number is a float of nevergrad that is rounded down."""

    def __init__(
        self, name: str, space: Mapping[str, Range], seed: int, candidates: int | None
    ) -> None:
        import nevergrad as ng

        self._space = space
        shares = ng.p.Dict(
            **{
                key: ng.p.Choice(list(range(len(one.values))))
                if isinstance(one, Options)
                else ng.p.Scalar(init=0.5, lower=0.0, upper=1.0)
                for key, one in space.items()
            }
        )
        shares.random_state = np.random.RandomState(seed % 2**32)
        before = global_states()
        seed_global_generators(np.random.default_rng(seed))
        self._states = global_states()
        restore_global_states(before)
        budget = max(candidates or USUAL_CANDIDATES, 1)
        with self._own_generators():
            optimizer = ng.optimizers.registry[name]
            self._optimizer = optimizer(shares, budget=budget, num_workers=1)
        self._asked: Any = None

    def ask(self) -> Values:
        with self._own_generators():
            self._asked = self._optimizer.ask()
        return {key: self._value(key, found) for key, found in self._asked.value.items()}

    def tell(self, loss: float) -> None:
        with self._own_generators():
            self._optimizer.tell(self._asked, loss)

    def _value(self, key: str, found: Any) -> Any:
        if isinstance(one := self._space[key], Options):
            return one.values[int(found)]
        return one.at(min(max(float(found), 0.0), math.nextafter(1.0, 0.0)))

    @contextmanager
    def _own_generators(self) -> Iterator[None]:
        """Give an optimizer its own states of the global generators, and suppress warnings."""
        before = global_states()
        restore_global_states(self._states)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                yield
        finally:
            self._states = global_states()
            restore_global_states(before)


class OfOptuna:
    """Candidates of the tree-structured Parzen estimator (Bergstra et al. 2011)."""

    def __init__(self, space: Mapping[str, Range], seed: int) -> None:
        import optuna

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self._space = space
        self._study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed % 2**32))
        self._trial: Any = None

    def ask(self) -> Values:
        self._trial = self._study.ask()
        return {name: self._suggested(name, one) for name, one in self._space.items()}

    def tell(self, loss: float) -> None:
        self._study.tell(self._trial, loss)

    def _suggested(self, name: str, one: Range) -> Any:
        if isinstance(one, Options):
            return one.values[self._trial.suggest_categorical(name, list(range(len(one.values))))]
        assert isinstance(one, Number)
        if one.whole:
            return self._trial.suggest_int(name, int(one.low), int(one.high), log=one.log)
        return self._trial.suggest_float(name, one.low, one.high, log=one.log)
