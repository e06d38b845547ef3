"""The resolution of a machine, as `timefair selftest` measures it, and how it is quoted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

UNMEASURED = "not measured; run timefair selftest"

NAMES = ("measured_utc", "version", "runs", "budget_s", "disturbed", "seconds", "precision")
"""What is known of it; `seconds` and `precision` have the entries of `OF_TEST`."""

OF_TEST = ("delta", "power", "power_low", "power_high", "repetitions", "false_alarms")


def in_words(found: Mapping[str, Any]) -> str:
    """A resolution as `timefair doctor` and the checklist quote it."""
    return (
        f"{_found(found['seconds'])} by seconds to a target, "
        f"{_found(found['precision'])} by precision at the end "
        f"({found['runs']} runs of {1e3 * found['budget_s']:g} ms each, "
        f"{100 * found['disturbed']:.0f} % of the runs disturbed; "
        f"{found['measured_utc'][:10]}, timefair {found['version']})"
    )


def _found(test: Mapping[str, Any]) -> str:
    """The slowdown that a test finds, and its probability; none if ``delta`` is None."""
    if test["delta"] is None:
        return "no slowdown up to 400 % is found"
    percent = float(f"{100 * test['delta']:.2g}")
    return f"a slowdown of {percent:g} % is found with probability {test['power']:.2f}"
