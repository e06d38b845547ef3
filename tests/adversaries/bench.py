"""All adversaries by name, and the functions of the honest and the misbehaving algorithms."""

from collections.abc import Callable

import ending
import evaluating
import forking
import hoarding
import honest
import lasting
import programs  # noqa: F401  (declares external programs)
import reaching
from adversary import BENCH

__all__ = ["BENCH", "HONEST", "solve"]

HONEST = {name: f"{honest.__file__}:{name}" for name in ("random_search", "evolution")}
"""The two honest algorithms beside them, each with its `use`."""

_MODULES = (ending, evaluating, forking, hoarding, honest, lasting, reaching)


def solve(name: str) -> Callable[..., object]:
    """The function ``solve(objective, rng)`` of a name."""
    (found,) = {vars(module)[name] for module in _MODULES if name in vars(module)}
    return found
