"""The smallest effect, and the smallest number, at which a test reaches a power."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

MOST_RUNS = 1_000_000
"""Runs of each algorithm up to which a number is looked for."""

TOLERANCE = 0.005
"""Relative width of the interval in which an effect is found."""


def smallest_effect(
    power_of: Callable[[float], float], low: float, high: float, power: float
) -> float:
    """Smallest effect in an interval whose power is at least the given one.

    - `power_of`: Power of an effect; it must not decrease as the effect increases.
    - `low`, `high`: Effects, ``0 <= low < high``.
    - `power`: In (0, 1).

    Returns: Too large by at most `TOLERANCE`, and never too small; `inf` if even `high` does not
    have this power.

    >>> round(smallest_effect(lambda effect: effect**2, 0.0, 1.0, 0.25), 2)
    0.5
    """
    if power_of(high) < power:
        return inf
    while high - low > TOLERANCE * high:
        middle = (low + high) / 2
        low, high = (low, middle) if power_of(middle) >= power else (middle, high)
    return high


def least_number(
    power_of: Callable[[int], float], power: float, *, least: int, guess: int, most: int
) -> int | None:
    """Smallest whole number whose power is at least the given one.

    - `power_of`: Power of a number; except for noise, it must not decrease as the number increases.
    - `power`: In (0, 1).
    - `least`, `guess`, `most`: Range of the search, and its first number. If `guess` is outside the
      range, the search begins at the nearer limit.

    Returns: Exact up to 200, within 0.5 % above. None if `most` does not have this power.

    >>> least_number(lambda n: 1 - 0.5**n, 0.9, least=1, guess=2, most=100)
    4
    >>> least_number(lambda n: 0.5, 0.9, least=1, guess=2, most=100)
    """
    low, high = least - 1, min(max(guess, least), most)
    while power_of(high) < power:
        if high == most:
            return None
        low, high = high, min(2 * high, most)
    while high - low > max(1, high // 200):
        middle = (low + high) // 2
        low, high = (low, middle) if power_of(middle) >= power else (middle, high)
    return high
