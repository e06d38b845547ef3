"""Finds the tuner that `tune.tuner` names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from timefair.basics.errors import suggest

if TYPE_CHECKING:
    from timefair.tuners.base import AskTell, Search
    from timefair.tuners.space import Range

NEVERGRAD, OPTUNA = "nevergrad", "optuna"
OWN = ("random", "racing")
SAMPLERS = ("TPE",)
"""The samplers of optuna."""


def faults(tuner: str) -> list[str]:
    """Check the name of a tuner; one line per fault. Names of nevergrad are not checked here."""
    library, colon, name = tuner.partition(":")
    if tuner in OWN or (library == NEVERGRAD and name):
        return []
    if library == OPTUNA and colon:
        from timefair.tuners.of_optuna import missing

        if name not in SAMPLERS:
            return [f"optuna has no tuner {name!r}{suggest(name, SAMPLERS)}; write optuna:TPE"]
        return missing()
    known = (*OWN, f"{NEVERGRAD}:NAME", *(f"{OPTUNA}:{name}" for name in SAMPLERS))
    return [f"{tuner!r}: should be {', '.join(known[:-1])} or {known[-1]}{suggest(tuner, OWN)}"]


def begin(
    tuner: str, space: Mapping[str, Range], problems: int, seed: int, evaluations: int | None
) -> Search:
    """Begin a search.

    Parameters
    ----------
    tuner
        A name without `faults`.
    space
        The parameters with their ranges.
    problems
        Number of tuning problems.
    seed
        Determines all draws, together with the losses.
    evaluations
        Minimal number of evaluations within the budget; None if it is unknown.
    """
    library, _, name = tuner.partition(":")
    if tuner == "racing":
        from timefair.tuners.racing import racing

        return racing(space, problems, seed)
    from timefair.tuners.base import in_blocks

    proposals: AskTell
    if tuner == "random":
        from timefair.tuners.uniform import Uniform

        proposals = Uniform(space, seed)
    elif library == NEVERGRAD:
        from timefair.tuners.of_nevergrad import OfNevergrad

        candidates = None if evaluations is None else evaluations // problems
        proposals = OfNevergrad(name, space, seed, candidates)
    else:
        from timefair.tuners.of_optuna import OfOptuna

        proposals = OfOptuna(space, seed)
    return in_blocks(proposals, problems)
