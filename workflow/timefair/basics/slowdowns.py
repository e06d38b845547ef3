"""How a slow machine lengthens times; the minimum detectable slowdown of `timefair selftest`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Slowdown = TypeVar("Slowdown", float, "NDArray[np.float64]")

UNMEASURED = "not measured; run timefair selftest"

NAMES = ("measured_utc", "version", "runs", "budget_s", "perturbed", "seconds", "precision")
"""What is known of it; `seconds` and `precision` have the entries of `OF_TEST`."""

OF_TEST = ("delta", "power", "power_low", "power_high", "repetitions", "false_alarms")


def lengthened(slowdown: Slowdown, real: float) -> Slowdown:
    """Factor by which a slowdown of the machine lengthens the clock of a run.

    - `slowdown`: Real time of the run, as a multiple of its real time without the slowdown; a
      number or an array. NaN gives NaN.
    - `real`: Share of real time in the clock of the run; the rest is simulated evaluation cost.

    >>> lengthened(2.0, 1.0), round(lengthened(2.0, 0.1), 3)
    (2.0, 1.053)
    """
    return 1.0 / (real / slowdown + (1.0 - real))


def in_words(found: Mapping[str, Any]) -> str:
    """A minimum detectable slowdown as `timefair doctor` and the checklist quote it."""
    return (
        f"{_found(found['seconds'])} by seconds to a target, "
        f"{_found(found['precision'])} by precision at the end "
        f"({found['runs']} runs of {1e3 * found['budget_s']:g} ms each, "
        f"{100 * found['perturbed']:.0f} % of the runs perturbed; "
        f"{found['measured_utc'][:10]}, timefair {found['version']})"
    )


def _found(test: Mapping[str, Any]) -> str:
    """The slowdown that a test finds, and its probability; none if ``delta`` is None."""
    if test["delta"] is None:
        return "no slowdown up to 400 % is found"
    percent = float(f"{100 * test['delta']:.2g}")
    return f"a slowdown of {percent:g} % is found with probability {test['power']:.2f}"
