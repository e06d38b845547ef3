"""Logarithmic axes for numbers that may be 0 or infinite."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import LogFormatter, LogLocator, MaxNLocator, NullLocator
from numpy.typing import ArrayLike, NDArray

from timefair.basics.words import power_of_ten

TICKS = 6
TICK_IN = 0.33
"""Width of the label of a power of ten, with the space beside it."""
NARROW = 0.7
"""An axis of fewer decades gets more ticks, because ticks at 1, 2 and 5 might give only one."""

SMALLEST, LARGEST = -307.0, 308.0
"""Exponents of the ends of the longest axis: floating-point numbers reach a little farther."""


def power(value: float) -> str:
    """A positive number as a factor and a power of ten, in Unicode.

    >>> power(1e-8), power(5e-8), power(1.25)
    ('10⁻⁸', '5·10⁻⁸', '1.25·10⁰')
    """
    digits, exponent = f"{value:.5e}".split("e")
    factor = digits.rstrip("0").rstrip(".")
    ten = power_of_ten(int(exponent))
    return ten if factor == "1" else f"{factor}·{ten}"


class Powers(LogFormatter):
    """Labels of a logarithmic axis as powers of ten in Unicode. They need no mathtext."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        """The label of a tick; empty where matplotlib's own formatter has none."""
        return power(x) if super().__call__(x, pos) else ""


class Decades(LogLocator):
    """Ticks of a logarithmic axis. Those beyond the largest float are left out."""

    def tick_values(self, vmin: float, vmax: float) -> list[float]:
        """The places of the ticks."""
        with np.errstate(over="ignore"):
            return [float(tick) for tick in super().tick_values(vmin, vmax) if np.isfinite(tick)]


def zero_floor(values: ArrayLike) -> float | None:
    """Where to draw 0 on a logarithmic axis: a decade below the least positive value.

    Negative values are drawn there too. None if all values are positive.

    >>> zero_floor([0.0, 3e-8]), zero_floor([1.0, 2.0])
    (1e-09, None)
    """
    x = np.asarray(values, dtype=np.float64)
    if not (x <= 0).any():
        return None
    positive = x[(x > 0) & np.isfinite(x)]
    least = float(positive.min()) if positive.size else 1.0
    return float(f"1e{int(np.floor(np.log10(least))) - 1}")


def raised(values: ArrayLike, floor: float | None) -> NDArray[np.float64]:
    """The values, with 0 and negative values replaced by the floor, if there is one."""
    x = np.asarray(values, dtype=np.float64)
    return x if floor is None else np.where(x <= 0, floor, x)


def with_zero(label: str, floor: float | None) -> str:
    """An axis label that states where 0 is drawn, if there is a floor."""
    return label if floor is None else f"{label}; 0 drawn at {power(floor)}"


def limits(values: ArrayLike, margin: float = 0.04) -> tuple[float, float]:
    """Range of the positive finite values with a logarithmic margin, within that of floats."""
    x = np.asarray(values, dtype=np.float64)
    x = x[np.isfinite(x) & (x > 0)]
    if x.size == 0:
        return 0.1, 10.0
    low, high = np.log10(x.min()), np.log10(x.max())
    if high - low < 0.5:
        low, high = (low + high) / 2 - 0.25, (low + high) / 2 + 0.25
    pad = margin * (high - low)
    low, high = max(low - pad, SMALLEST), min(high + pad, LARGEST)
    return float(10**low), float(10**high)


def linear_limits(values: ArrayLike, margin: float = 0.04) -> tuple[float, float]:
    """Range of the finite values with a margin; if all are equal, half a unit on each side."""
    x = np.asarray(values, dtype=np.float64)
    low, high = float(x[np.isfinite(x)].min()), float(x[np.isfinite(x)].max())
    pad = margin * (high - low) or 0.5
    return low - pad, high + pad


def set_linear(ax: Axes, bounds: tuple[float, float], ticks: int = TICKS) -> None:
    """Make the axis of x linear, with few ticks."""
    ax.set_xlim(*bounds)
    ax.xaxis.set_major_locator(MaxNLocator(ticks - 1))


def set_symlog(ax: Axes, values: ArrayLike) -> None:
    """Make the axis of x logarithmic on both sides of 0, the largest value on the left.

    Between 0 and the smallest absolute value that is not 0, the axis is linear.
    """
    x = np.asarray(values, dtype=np.float64)
    least = float(np.abs(x[x != 0]).min())
    ax.set_xscale("symlog", linthresh=least, linscale=0.7)
    ax.set_xlim(1.5 * float(x.max()), 1.5 * min(float(x.min()), -least))
    decades = [np.log10(end) for end in (least, float(np.abs(x).max()))]
    powers = 10.0 ** np.arange(np.ceil(decades[0] - 1e-9), np.floor(decades[1] + 1e-9) + 1)
    step = -(-len(powers) // (TICKS - 2))
    ticks = [*powers[::-1][::step], 0.0, *(-powers[powers <= -x.min() * (1 + 1e-9)][-1:])]
    ax.set_xticks(ticks, [_signed_power(tick) for tick in ticks])
    ax.xaxis.set_minor_locator(NullLocator())


def _signed_power(value: float) -> str:
    return "0" if value == 0 else f"{'−' if value < 0 else ''}{power(abs(value))}"


def set_log(ax: Axes, axis: str, bounds: tuple[float, float], ticks: int = TICKS) -> None:
    """Make an axis (``x`` or ``y``) logarithmic, with few ticks, whose labels do not touch."""
    side: Axis
    if axis == "x":
        width_in = ax.get_position().width * ax.figure.get_figwidth()
        ticks = min(ticks, max(int(width_in / TICK_IN), 2))
        ax.set_xscale("log")
        ax.set_xlim(*bounds)
        side = ax.xaxis
    else:
        ax.set_yscale("log")
        ax.set_ylim(*bounds)
        side = ax.yaxis
    low, high = sorted(bounds)
    decades = np.log10(high / low)
    # With fewer than two of these ticks, the locator would take others, whose labels touch.
    within: tuple[float, ...] = (1, 2, 5) if decades < 1.2 else (1, 3) if decades < 2.2 else (1,)
    if decades < NARROW:
        within = (1, 1.5, 2, 3, 5, 7)
    side.set_major_locator(Decades(numticks=ticks, subs=within))
    side.set_major_formatter(Powers())
    side.set_minor_locator(NullLocator())
