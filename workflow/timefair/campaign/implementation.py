"""What an algorithm is implemented in, because equal time compares implementations."""

from __future__ import annotations

COMPILED, PYTHON, OWN, PROGRAM = "compiled", "Python with numpy", "your Python", "program"

_COMPILED = frozenset({"fcmaes", "nlopt", "pygmo"})
"""Libraries in C or C++."""

_OTHERS = {
    "timefair": {"DE"},
    "scipy": {"COBYLA", "L-BFGS-B", "SLSQP", "TNC", "direct"},
    "modcma": {"CMA-ES", "IPOP", "BIPOP"},
}
"""Compiled algorithms of libraries that are mostly in Python."""

_PYTHON = frozenset(
    {"cmaes", "modde", "nevergrad", "pybobyqa", "pycma", "pymoo", "skopt", *_OTHERS}
)


def implementation(use: str) -> str:
    """What most of the code of an algorithm's own steps is written in.

    Parameters
    ----------
    use
        The key `use` of an algorithm in a campaign.

    Returns
    -------
    str
        ``compiled``, ``Python with numpy``, ``your Python`` for a function of the user, or
        ``program`` for an external one. An algorithm in Python may call compiled code.
    """
    library, _, name = use.partition(":")
    if library == "external":
        return PROGRAM
    if library in _COMPILED or name in _OTHERS.get(library, ()):
        return COMPILED
    return PYTHON if library in _PYTHON else OWN
