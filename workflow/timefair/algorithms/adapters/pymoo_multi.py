"""The parts of the adapter of pymoo that are only for two objectives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MODULES = {
    "AGEMOEA": "age",
    "AGEMOEA2": "age2",
    "MOEAD": "moead",
    "MOPSO_CD": "mopso_cd",
    "NSGA2": "nsga2",
    "NSGA3": "nsga3",
    "SMSEMOA": "sms",
    "SPEA2": "spea2",
}
"""Module of each class in ``pymoo.algorithms.moo``."""

BY_DIRECTIONS = ("MOEAD", "NSGA3")
"""Algorithms with one direction per member of the population, evenly spread."""

POPULATION = 100
"""The default of pymoo for the others."""

FURTHER: Mapping[str, Mapping[str, object]] = {
    name: {"pop_size": POPULATION} for name in BY_DIRECTIONS
}
"""Parameters of the adapter in addition to those of the constructors."""


def arguments(name: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a constructor, made from the user's settings."""
    if name not in BY_DIRECTIONS:
        return dict(settings)
    from pymoo.util.ref_dirs import get_reference_directions

    given = dict(settings)
    size = given.pop("pop_size", POPULATION)
    return {**given, "ref_dirs": get_reference_directions("uniform", 2, n_partitions=size - 1)}


def termination(endless: int) -> Any:
    """The tolerances of pymoo, without its limits of generations and evaluations."""
    from pymoo.termination.default import DefaultMultiObjectiveTermination

    return DefaultMultiObjectiveTermination(n_max_gen=endless, n_max_evals=endless)
