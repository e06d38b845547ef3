"""The samplers of optuna as tuners, where optuna is installed."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from typing import Any

from timefair.tuners.space import Number, Options, Range, Values


def missing() -> list[str]:
    """Message on what has to be installed; empty if optuna can be used."""
    if importlib.util.find_spec("optuna"):
        return []
    return [
        "optuna:TPE cannot be used here: it needs the package optuna: "
        "pip install 'timefair[extras]'"
    ]


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
            place = self._trial.suggest_categorical(name, list(range(len(one.values))))
            return one.values[place]
        assert isinstance(one, Number)
        if one.whole:
            return self._trial.suggest_int(name, int(one.low), int(one.high), log=one.log)
        return self._trial.suggest_float(name, one.low, one.high, log=one.log)
