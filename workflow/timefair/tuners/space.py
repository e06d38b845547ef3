"""Ranges of parameters, as a campaign writes them and as tuners draw from them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Protocol, TypeAlias

from pydantic import AfterValidator, BeforeValidator, JsonValue, WithJsonSchema

from timefair.basics.values import Parameters

Values: TypeAlias = dict[str, Any]
"""The parameters of a candidate, by name."""

NUMERIC = ("float", "log", "int", "log_int")
KINDS = (*NUMERIC, "choice")
"""The kinds of ranges."""

LARGEST_INT = 2**53
"""Whole numbers up to which a float is exact."""


class Range(Protocol):
    """The values that a parameter may take."""

    @property
    def ends(self) -> Sequence[Any]:
        """Values that show whether the algorithm takes the range: both ends, or all choices."""

    def at(self, share: float) -> Any:
        """The value at a share in [0, 1) of the range."""


@dataclass(frozen=True)
class Number:
    """Numbers from `low` to `high`, both included.

    Attributes
    ----------
    whole
        Whether the numbers are whole.
    log
        Whether the logarithm is uniform.
    """

    low: float
    high: float
    whole: bool
    log: bool

    @property
    def ends(self) -> Sequence[float]:
        return self.low, self.high

    def at(self, share: float) -> float:
        """The number at a share of the range.

        Examples
        --------
        >>> round(Number(1, 100, whole=False, log=True).at(0.5), 12)
        10.0
        >>> [Number(4, 6, whole=True, log=False).at(share) for share in (0, 0.4, 0.99)]
        [4, 5, 6]
        """
        low, high = float(self.low), float(self.high) + self.whole
        if self.log:
            value = math.exp(math.log(low) + share * math.log(high / low))
        else:
            value = low + share * (high - low)
        if self.whole:
            return int(min(max(math.floor(value), self.low), self.high))
        return min(max(value, low), high)


@dataclass(frozen=True)
class Options:
    """A list of values without an order."""

    values: tuple[Any, ...]

    @property
    def ends(self) -> Sequence[Any]:
        return self.values

    def at(self, share: float) -> Any:
        """The value at a share of the list."""
        return self.values[min(int(share * len(self.values)), len(self.values) - 1)]


def read(space: Mapping[str, Mapping[str, Any]]) -> dict[str, Range]:
    """The ranges of a checked space, by parameter."""
    found: dict[str, Range] = {}
    for name, written in space.items():
        ((kind, values),) = written.items()
        if kind == "choice":
            found[name] = Options(tuple(values))
        else:
            whole = kind in ("int", "log_int")
            low, high = values if whole else map(float, values)
            found[name] = Number(low, high, whole=whole, log=kind in ("log", "log_int"))
    return found


def _checked(written: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Raise ValueError unless a range is written correctly."""
    kind = next(iter(written), "")
    if len(written) != 1 or kind not in KINDS:
        raise ValueError(f"should be one of {', '.join(KINDS)} with values")
    values = written[kind]
    if kind == "choice":
        if not isinstance(values, list) or len(values) < 2 or _repeats(values):
            raise ValueError("should be a list of two or more different values")
        return written
    whole = kind in ("int", "log_int")
    words = f"should be two {'whole ' if whole else ''}numbers, the lower first"
    if not isinstance(values, list) or len(values) != 2 or not _numbers(values, whole):
        raise ValueError(words)
    low, high = values
    if not low < high:  # type: ignore[operator]
        raise ValueError(words)
    if kind in ("log", "log_int") and not low > 0:  # type: ignore[operator]
        raise ValueError(f"{words} and above 0")
    return {kind: [_as(value, whole) for value in values]}


def _numbers(values: list[Any], whole: bool) -> bool:
    return all(
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and (not whole or (float(value).is_integer() and abs(value) <= LARGEST_INT))
        for value in values
    )


def _as(value: Any, whole: bool) -> float:
    return int(value) if whole else float(value)


def _repeats(values: list[Any]) -> bool:
    return any(value in values[:place] for place, value in enumerate(values))


def _mapping(value: object) -> object:
    if not isinstance(value, Mapping):
        raise ValueError("should be a kind with values, such as {float: [0.1, 1]}")
    return value


Space = dict[
    str,
    Annotated[
        Parameters,
        BeforeValidator(_mapping),
        AfterValidator(_checked),
        WithJsonSchema(
            {
                "type": "object",
                "minProperties": 1,
                "maxProperties": 1,
                "additionalProperties": False,
                "properties": {
                    kind: {
                        "type": "array",
                        "minItems": 2,
                        **({"items": {"type": "number"}, "maxItems": 2} if kind in NUMERIC else {}),
                    }
                    for kind in KINDS
                },
            }
        ),
    ],
]
"""A range for each parameter, as a campaign writes it."""
