"""The sections of a campaign file, and the types of their values: what each accepts."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal, TypeAlias, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    StringConstraints,
    WithJsonSchema,
)

Fault: TypeAlias = tuple[str, str]
"""A key of a section and what is wrong with it; an empty key stands for the section itself."""
CampaignView: TypeAlias = Any
"""The `campaign.configuration.Campaign` that contains a section; that module imports this one."""


def _first_paragraph(schema: dict[str, Any]) -> None:
    if "description" in schema:
        schema["description"] = " ".join(schema["description"].partition("\n\n")[0].split())


def or_text(schema: dict[str, Any]) -> None:
    """In the JSON schema: a string may replace the section."""
    section = dict(schema)
    schema.clear()
    schema["anyOf"] = [{"type": "string"}, section]


def or_names(schema: dict[str, Any]) -> None:
    """The same, or a list of strings."""
    or_text(schema)
    schema["anyOf"].insert(1, {"type": "array", "items": {"type": "string"}})


def key(meaning: str, default: Any = ..., **more: Any) -> Any:
    """A key of a section, which has to be given if there is no default."""
    return Field(default, description=meaning, **more)


class Section(BaseModel):
    """Keys with a type, a default and a description each; other keys are refused."""

    analyses: ClassVar[bool] = False
    """Of a key of an extension: whether it affects the analysis only; imported runs may have it."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, json_schema_extra=_first_paragraph
    )

    def faults(self, campaign: CampaignView) -> Iterator[Fault]:
        """Find values that are right alone and wrong together: a key of this section, and its value
        with what would be right.
        """
        yield from ()


class Search(Section):
    """A key of an algorithm with a search for its parameters before any run.

    The campaign then has a tuned variant, too, which gets the parameters that are found and is
    charged the seconds of the search. A job of its own calls the command of `timefair` that has the
    name of the key, and writes a record with the runs of the search, and with the facts ``tuning``:
    among them ``of``, ``result``, ``seconds`` and, only here, the ``trace``. Methods of the class:

    - ``label_of(label)``: the label of the tuned variant of an algorithm.
    - ``seconds()``, ``most_seconds(run_s, repeats)``: about how long the search takes, and at most
      if a run takes `run_s` and is repeated `repeats` times.
    - ``unknown(campaign, label, suite)``: keys, and what does not exist or is refused.
    - ``alone(campaign, label)``: the campaign of the search: its problems, only the tuned variant,
      and seeds that do not depend on those of its runs.
    - ``decisive(campaign)``: everything else that determines the search, as of JSON.
    """

    key: ClassVar[str]


MOST = 10_000  # the most numbers in one text; a slip such as ``1-10000000000`` is refused


def parse_ranges(text: str, separator: str = ",") -> list[int]:
    """The numbers of a list of numbers and ranges, in its order; ValueError with a sentence."""
    numbers: list[int] = []
    for part in text.split(separator):
        match = re.fullmatch(r"\s*([0-9]{1,9})\s*(?:-\s*([0-9]{1,9})\s*)?", part, re.ASCII)
        if match is None:
            raise ValueError(f"{part.strip()!r} is neither a whole number nor a range such as 1-5")
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first:
            raise ValueError(f"{part.strip()!r} runs backwards")
        if len(numbers) + last - first >= MOST:
            raise ValueError(f"more than {MOST} numbers")
        numbers.extend(range(first, last + 1))
    return numbers


def format_ranges(numbers: Iterable[int], separator: str = ",") -> str:
    """The shortest text for a set of numbers, in ascending order."""
    spans: list[list[int]] = []
    for number in sorted(set(numbers)):
        if spans and number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return separator.join(str(a) if a == b else f"{a}-{b}" for a, b in spans)


def _number(value: object) -> object:
    """Numbers as people write them: ``1e-8`` is text to YAML 1.1, ``1e5`` a whole number too."""
    written = r"[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d+"
    if isinstance(value, str) and re.fullmatch(written, value, re.ASCII):
        return float(value)
    return value


def _whole(value: object) -> object:
    value = _number(value)
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _numbers(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: _numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_numbers(item) for item in value]
    value = _number(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("numbers should be finite")
    return value


LARGEST = 10**9  # of the numbers of functions, dimensions and instances


def _integers(value: object) -> object:
    """A number, a list of numbers and ranges, or a text of ranges: a sorted list of numbers."""
    numbers: list[int] = []
    for part in map(_whole, value if isinstance(value, list | tuple) else [value]):
        if isinstance(part, bool) or not isinstance(part, int | str):
            raise ValueError('should be a whole number, a list of them, or ranges such as "1-5,71"')
        numbers += [part] if isinstance(part, int) else parse_ranges(part)
    return sorted(numbers)


def _checked(right: Callable[[Any], bool], said: str) -> Callable[[Any], Any]:
    def checked(value: Any) -> Any:
        if not right(value):
            raise ValueError(said)
        return value

    return checked


BOUNDS = "should be two numbers, the lower first, such as [0, 100]"
_two = _checked(lambda value: isinstance(value, list | tuple) and len(value) == 2, BOUNDS)
_rising = _checked(lambda value: value[0] < value[1], BOUNDS)
_one_line = _checked(
    lambda value: value.isprintable() and value == value.strip() and value != "",
    "should be one line of text",
)


Listed = TypeVar("Listed", bound=tuple[object, ...])


def _without_repeats(value: Listed) -> Listed:
    for number, times in Counter(value).items():
        if times > 1:
            raise ValueError(f"{number}: named twice")
    return value


def _listed(value: object) -> object:
    return [value] if isinstance(value, str) else value


SCHEDULE = "should be one parameter with fill, {launches: k} or a whole number from 1"


def _is_schedule(value: object) -> bool:
    one = next(iter(value.values())) if isinstance(value, Mapping) and len(value) == 1 else None
    number = one.get("launches") if isinstance(one, Mapping) and len(one) == 1 else one
    whole = isinstance(number, int) and not isinstance(number, bool) and number >= 1
    return whole or one == "fill"


Finite = Annotated[float, Field(allow_inf_nan=False), BeforeValidator(_number)]
Positive = Annotated[float, Field(allow_inf_nan=False, gt=0), BeforeValidator(_number)]
Seconds = Annotated[float, Field(allow_inf_nan=False, ge=1e-6, le=1e7), BeforeValidator(_number)]
"""A time that the clock, which counts nanoseconds, resolves well."""
Cost = Annotated[float, Field(allow_inf_nan=False, ge=0, le=1e9), BeforeValidator(_number)]
Bound = Annotated[float, Field(allow_inf_nan=False, ge=-1e300, le=1e300), BeforeValidator(_number)]
Bounds = Annotated[
    tuple[Bound, Bound], BeforeValidator(_two), AfterValidator(_rising), Field(strict=False)
]
Share = Annotated[float, Field(allow_inf_nan=False, gt=0, lt=1), BeforeValidator(_number)]
Count = Annotated[int, Field(ge=1, le=10**12), BeforeValidator(_whole)]
Repeats = Annotated[int, Field(ge=1, le=100_000), BeforeValidator(_whole)]
Threads = Annotated[int, Field(ge=1, le=1024), BeforeValidator(_whole)]
Megabytes = Annotated[int, Field(ge=64, le=2**31), BeforeValidator(_whole)]
Resamples = Annotated[int, Field(ge=10, le=10**6), BeforeValidator(_whole)]
Distinct = AfterValidator(_without_repeats)  # marks a list in which no value may appear twice
Technique = Literal["none", "iqr", "percentile", "mad", "mad-mean"]  # `statistics.run_count` has it
OneLine = Annotated[str, AfterValidator(_one_line)]  # text that can be printed on one line
Seed = Annotated[int, Field(ge=0, lt=2**63), BeforeValidator(_whole)]
Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]*$", max_length=80)]
FunctionNames = Annotated[
    dict[
        Annotated[int, Field(ge=1, le=LARGEST, strict=False)],
        Annotated[OneLine, Field(max_length=40)],
    ],
    Field(strict=False),
]
"""A name for each number of a function."""
_Number = Annotated[int, Field(ge=1, le=LARGEST), BeforeValidator(_whole)]
OwnDimensions = Annotated[
    dict[Annotated[_Number, Field(strict=False)], _Number], Field(strict=False)
]
"""A dimension for each number of a function."""
_WHOLE = {"type": "integer", "minimum": 1}
_RANGES = {"type": "string", "pattern": r"^[0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*$"}
_MIXED = {"type": "array", "items": {"type": ["integer", "string"]}, "minItems": 1}
Numbers = Annotated[
    tuple[_Number, ...],
    BeforeValidator(_integers),
    Distinct,
    Field(strict=False, min_length=1),
    WithJsonSchema({"anyOf": [_WHOLE, _RANGES, _MIXED]}),
]
Choice = Annotated[
    tuple[str, ...],
    BeforeValidator(_listed),
    Field(strict=False),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
]
Parameters = Annotated[dict[str, JsonValue], BeforeValidator(_numbers)]
_ONE = {"type": "object", "minProperties": 1, "maxProperties": 1}
_LAUNCHES = {"type": "object", "properties": {"launches": _WHOLE}, "required": ["launches"]}
_HOW = {"anyOf": [{"const": "fill"}, _WHOLE, _LAUNCHES | {"additionalProperties": False}]}
Schedule = Annotated[
    dict[str, Any],
    BeforeValidator(_checked(_is_schedule, SCHEDULE)),
    BeforeValidator(_numbers),
    WithJsonSchema(_ONE | {"additionalProperties": _HOW}),
]
