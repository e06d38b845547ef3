"""CMA-ES by the authors of CMA-ES, in their package ``cma``.

| name | one launch |
|---|---|
| ``CMA-ES`` | one run until the termination criteria of cma |
| ``IPOP`` | restarts with twice the population each time (Auger and Hansen 2005) |
| ``BIPOP`` | restarts that alternate large and small populations (Hansen 2009) |
| ``lq-CMA-ES`` | one run with a linear-quadratic surrogate (Hansen 2019), ``cma.fmin_lq_surr2`` |
| ``AL-CMA-ES`` | one run with an augmented Lagrangian (Atamna et al. 2017), ``cma.fmin_con2`` |

``AL-CMA-ES`` is for constraints, the others are not. Each run starts at a point drawn uniformly
within the bounds, or at that of the suite (`timefair.algorithms.constrained.starting_point`). The
default boundary handling of cma keeps all evaluated points inside. Integer variables are passed as
``integer_variables`` of cma, and rounded. ``lq-CMA-ES`` and ``AL-CMA-ES`` take only continuous
variables. With ``threads: n``, ``CMA-ES``, ``IPOP`` and ``BIPOP`` evaluate each generation as a
batch, in which NaN counts as infinity. Nothing is printed or written. The small populations of
``BIPOP`` use numpy's global generator, which is seeded for each launch. On a noisy problem each
iteration recommends the mean of the distribution, the ``result.xfavorite`` of cma.

Parameters
----------
sigma0
    Initial standard deviation, in units of the variables. Default: `SIGMA0` times the width of the
    bounds, per variable.
restarts, incpopsize
    (``IPOP``, ``BIPOP``, ``lq-CMA-ES``) Number of restarts inside a launch, and the factor of the
    population at each restart (default 2). By default, ``IPOP`` and ``BIPOP`` restart without
    limit, and ``lq-CMA-ES`` does not restart.
any key of ``cma.CMAOptions``
    For example ``popsize``, ``tolfun`` or ``CMA_diagonal``, with the meaning that they have in cma.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timefair.algorithms.base import CONTINUOUS, Algorithm, Available, Library, Objective
from timefair.algorithms.builtin import population as pop
from timefair.algorithms.constrained import CONSTRAINTS, has_constraints, starting_point
from timefair.basics.errors import suggest
from timefair.problems.base import Variables
from timefair.problems.kinds import Task

SIGMA0 = 0.2
"""Default initial standard deviation over the width of the bounds. The documentation of cma
recommends that the optimum is within about three standard deviations of the start, and 0.2 to 0.3
of the width if nothing is known.
"""
ENDLESS = 10**9
"""Default number of restarts of IPOP and BIPOP, more than any budget allows."""
CONSTRAINED = "AL-CMA-ES"
NAMES = ("CMA-ES", "IPOP", "BIPOP", "lq-CMA-ES", CONSTRAINED)
BY_GENERATIONS = ("CMA-ES", "IPOP", "BIPOP")
RESTARTING = ("IPOP", "BIPOP", "lq-CMA-ES")
SET_HERE = frozenset(
    {"bounds", "integer_variables", "randn", "seed", "verbose", "signals_filename", "vv"}
)
"""Options of cma that users cannot set, in addition to all that begin with ``verb_``."""


class PyCma(Library):
    """The library ``pycma``."""

    name = "pycma"
    distributions: Sequence[str] = ("cma", "numpy")
    modules: Sequence[str] = ("cma",)
    unneeded: Sequence[str] = ("matplotlib",)
    examples: Sequence[str] = ("BIPOP", "lq-CMA-ES")
    special: Mapping[str, frozenset[Task]] = MappingProxyType({CONSTRAINED: CONSTRAINTS})
    batched = BY_GENERATIONS

    def available(self) -> list[Available]:
        return [Available(name) for name in NAMES]

    def faults(self, name: str, parameters: Mapping[str, object]) -> list[str]:
        if name not in NAMES:
            return [f"pycma has no algorithm {name!r}{suggest(name, NAMES)}"]
        import cma

        own = ["sigma0", *(["restarts", "incpopsize"] if name in RESTARTING else [])]
        options = [k for k in cma.CMAOptions.defaults() if not _set_here(k)]
        lines = []
        for key in parameters:
            if _set_here(key):
                lines.append(f"{key!r} of pycma:{name} is set by timefair")
            elif key not in own and key not in options:
                help_ = suggest(key, own + options) or (
                    f"; it has {', '.join(own)} and the options of cma.CMAOptions"
                )
                lines.append(f"{key!r} is not a parameter of pycma:{name}{help_}")
        sigma0 = parameters.get("sigma0", 1)
        if isinstance(sigma0, bool) or not isinstance(sigma0, int | float) or not sigma0 > 0:
            lines.append(f"'sigma0' of pycma:{name} is a positive number, not {sigma0!r}")
        return lines

    def variables(self, name: str, parameters: Mapping[str, object]) -> frozenset[Variables]:
        return CONTINUOUS if name in ("lq-CMA-ES", CONSTRAINED) else CONTINUOUS | {"integer"}

    def load(self, name: str, parameters: Mapping[str, object]) -> Algorithm:
        options: dict[str, Any] = dict(parameters)
        sigma0 = options.pop("sigma0", None)
        restarts: dict[str, Any] = {
            key: options.pop(key) for key in ("restarts", "incpopsize") if key in options
        }
        if name in ("IPOP", "BIPOP"):
            restarts.setdefault("restarts", ENDLESS)
        solve = partial(_solve, name=name, sigma0=sigma0, options=options, restarts=restarts)
        return Algorithm(solve, _prepare)

    def source_files(self, name: str) -> list[Path]:
        return [Path(__file__)]


PYCMA = PyCma()
"""CMA-ES by its own authors, with restarts and a surrogate."""


def _solve(
    objective: Objective,
    rng: np.random.Generator,
    *,
    name: str,
    sigma0: float | None,
    options: Mapping[str, object],
    restarts: Mapping[str, Any],
) -> object:
    import cma

    lower, upper = objective.lower, objective.upper
    settings: dict[str, object] = dict(options)
    if sigma0 is None:
        width = upper - lower
        sigma0 = SIGMA0 * float(np.max(width))
        if np.ptp(width) > 0 and settings.get("CMA_stds") is None:
            settings["CMA_stds"] = width / np.max(width)
    settings |= {
        "bounds": [lower, upper],
        "integer_variables": np.flatnonzero(objective.integer).tolist(),
        # else cma seeds the global generator, if need be from the clock
        "randn": lambda *shape: rng.standard_normal(shape),
        "seed": np.nan,
        "verbose": -9,
        "verb_disp": 0,
        "verb_log": 0,
        "signals_filename": "",  # otherwise cma looks for a file of commands while it runs
    }

    def recommend(strategy: Any) -> None:
        objective.recommend(strategy.result.xfavorite)

    callback = recommend if objective.noisy else None

    def start() -> NDArray[np.float64]:
        return starting_point(objective, rng)

    if has_constraints(objective):
        constraints = objective.constraints
        quiet = {"archives": False}  # of points; with them cma warns of a package
        return cma.fmin_con2(
            objective, start(), sigma0, constraints, options=settings, kwargs_confit=quiet
        )
    if name == "lq-CMA-ES":
        return cma.fmin_lq_surr2(objective, start, sigma0, settings, callback=callback, **restarts)
    if objective.cores > 1:
        restarts = {**restarts, "parallel_objective": lambda points: _generation(objective, points)}
    bipop = name == "BIPOP"
    return cma.fmin2(objective, start, sigma0, settings, bipop=bipop, callback=callback, **restarts)


def _generation(objective: Objective, points: list[NDArray[np.float64]]) -> list[float]:
    values: list[float] = pop.values(objective, np.array(points)).tolist()
    return values


def _set_here(key: str) -> bool:
    return key in SET_HERE or key.startswith("verb_")


def _prepare() -> None:
    import cma  # noqa: F401
