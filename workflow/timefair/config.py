"""The campaign: one YAML file, checked before anything runs.

`load` and `parse` are the doors for what a user wrote; they raise `InputError` with one line a
fault. `restore` reads the snapshot of a campaign that has been through them.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Hashable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, cast

import yaml
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    StringConstraints,
    ValidationError,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import ErrorDetails

from timefair.errors import InputError, suggest
from timefair.ranges import MOST, parse_ranges

# --- How values are written -----------------------------------------------------------------


def _number(value: object) -> object:
    """Numbers as people write them: ``1e-8`` is text to YAML 1.1, ``1e5`` a whole number too."""
    if isinstance(value, str) and re.fullmatch(
        r"[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d+", value, re.ASCII
    ):
        value = float(value)
    return value


def _whole(value: object) -> object:
    value = _number(value)
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _numbers(value: object) -> object:
    """`_number`, inside lists and mappings too."""
    if isinstance(value, Mapping):
        return {key: _numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_numbers(item) for item in value]
    value = _number(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("numbers should be finite")
    return value


def _integers(value: object) -> object:
    """A number, a list of numbers and ranges, or a text of ranges: a sorted list of numbers."""
    parts = value if isinstance(value, list | tuple) else [value]
    numbers: list[int] = []
    for part in parts:
        part = _whole(part)
        if isinstance(part, bool) or not isinstance(part, int | str):
            raise ValueError('should be a whole number, a list of them, or ranges such as "1-5,71"')
        numbers += [part] if isinstance(part, int) else parse_ranges(part)
    if not numbers:
        raise ValueError("empty; name at least one")
    if len(numbers) > MOST:
        raise ValueError(f"more than {MOST} numbers")
    numbers.sort()
    if numbers[0] < 1:
        raise ValueError(f"{numbers[0]} is less than 1")
    for number, following in pairwise(numbers):
        if number == following:
            raise ValueError(f"{number} is named twice")
    return numbers


def _listed(value: object) -> object:
    return [value] if isinstance(value, str) else value


Positive = Annotated[float, Field(allow_inf_nan=False, gt=0), BeforeValidator(_number)]
Seconds = Annotated[float, Field(allow_inf_nan=False, gt=0, le=1e7), BeforeValidator(_number)]
Share = Annotated[float, Field(allow_inf_nan=False, gt=0, lt=1), BeforeValidator(_number)]
Count = Annotated[int, Field(ge=1, le=10**12), BeforeValidator(_whole)]
Repeats = Annotated[int, Field(ge=1, le=100_000), BeforeValidator(_whole)]
Threads = Annotated[int, Field(ge=1, le=1024), BeforeValidator(_whole)]
Megabytes = Annotated[int, Field(ge=64, le=2**31), BeforeValidator(_whole)]
Resamples = Annotated[int, Field(ge=10, le=10**6), BeforeValidator(_whole)]
Seed = Annotated[int, Field(ge=0, lt=2**63), BeforeValidator(_whole)]
Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]*$", max_length=80)]
Numbers = Annotated[
    tuple[int, ...],
    BeforeValidator(_integers),
    Field(strict=False),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "integer", "minimum": 1},
                {"type": "string", "pattern": r"^[0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*$"},
                {"type": "array", "items": {"type": ["integer", "string"]}, "minItems": 1},
            ]
        }
    ),
]
Choice = Annotated[
    tuple[str, ...],
    BeforeValidator(_listed),
    Field(min_length=1, strict=False),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
]
Parameters = Annotated[dict[str, JsonValue], BeforeValidator(_numbers)]


# --- The model ------------------------------------------------------------------------------


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Problems(_Section):
    """Which problems: every function in every dimension on every instance."""

    suite: str = Field(description="The suite the problems are from, for example `bbob`.")
    functions: Numbers = Field(
        description='Numbers of the functions: `3`, `[1, 3, 8]` or ranges, `"1-5,20-24"`.'
    )
    dimensions: Numbers = Field(description="Dimensions of the search space, written likewise.")
    instances: Numbers = Field(description="Numbers of the instances, written likewise.")


def _or_text(schema: dict[str, Any]) -> None:
    """In the JSON schema: a text does for the whole section."""
    section = dict(schema)
    schema.clear()
    schema["anyOf"] = [{"type": "string"}, section]


class AlgorithmSpec(_Section):
    """One algorithm: whose it is and how it is set. A text alone is its `use`."""

    model_config = ConfigDict(json_schema_extra=_or_text)

    use: str = Field(
        description="`library:name` of a supported library, or `module:function` of your own."
    )
    parameters: Parameters = Field(
        default={}, description="Keyword arguments for it; what is not given is its default."
    )
    threads: Threads = Field(default=1, description="Threads, and cores, that one run may use.")

    @model_validator(mode="before")
    @classmethod
    def _bare(cls, value: object) -> object:
        return {"use": value} if isinstance(value, str) else value


class Budget(_Section):
    """What a run may use; the first that is used up ends it. At least one is needed."""

    time_s: Seconds | None = Field(
        default=None, description="T: seconds of wall clock for a run, its restarts included."
    )
    evaluations: Count | None = Field(default=None, description="Evaluations for a run.")
    evaluations_per_dimension: Count | None = Field(
        default=None, description="Evaluations for a run, times the dimension of the problem."
    )
    final_target: Positive | None = Field(
        default=1e-8, description="A precision that ends the run when reached; `null`: none does."
    )

    def evaluations_for(self, dimension: int) -> int | None:
        """The budget of evaluations in a dimension; None without one."""
        if self.evaluations_per_dimension is not None:
            return self.evaluations_per_dimension * dimension
        return self.evaluations


class Restart(_Section):
    """What happens when the algorithm returns before the budget is used up."""

    policy: Literal["none", "independent", "fixed"] = Field(
        default="independent",
        description="`none`: the run ends. `independent`: it is launched again with fresh "
        "randomness. `fixed`: the same, and each launch is ended after its share tau.",
    )
    tau_s: Seconds | None = Field(default=None, description="With `fixed`: seconds of one launch.")
    tau_evaluations: Count | None = Field(
        default=None, description="With `fixed`: evaluations of one launch, instead of seconds."
    )


class Limits(_Section):
    """What ends a run that is out of hand."""

    memory_mb: Megabytes = Field(default=4096, description="Memory of one run, in MB.")
    wall_s: Seconds = Field(
        default=3600.0, description="Seconds after which a run without `budget.time_s` is ended."
    )


class Statistics(_Section):
    """How results are summed up; a change measures nothing again."""

    quantiles: Annotated[tuple[Share, ...], Field(min_length=1, strict=False)] = Field(
        default=(0.1, 0.5, 0.9), description="Quantiles: peak, average and bad case."
    )
    confidence: Share = Field(default=0.95, description="Confidence of the intervals.")
    resamples: Resamples = Field(default=1000, description="Bootstrap resamples.")


class Campaign(_Section):
    """One configuration file and what it produces, in `results/<name>/`."""

    name: Name = Field(description="Name of the campaign, and of its folder in `results/`.")
    seed: Seed = Field(
        default=1, description="Every random stream of the campaign derives from it."
    )
    problems: Problems = Field(description="Which problems.")
    algorithms: Annotated[dict[Name, AlgorithmSpec], Field(min_length=1)] = Field(
        description="The algorithms, each under a label of your choice."
    )
    budget: Budget = Field(description="What a run may use.")
    restart: Restart = Field(default=Restart(), description="How a run is restarted.")
    runs: Repeats = Field(default=15, description="R: runs of each algorithm on each problem.")
    rounds: Repeats = Field(
        default=1,
        description="Rounds the runs are split into; each lets all algorithms have "
        "their turn, so that a bad minute of the machine hits all alike.",
    )
    instances_per_job: Repeats = Field(
        default=1, description="Instances that one job measures; raise it for large campaigns."
    )
    limits: Limits = Field(default=Limits(), description="What ends a run that is out of hand.")
    targets: Annotated[tuple[Positive, ...], Field(min_length=1, strict=False)] = Field(
        default=tuple(float(f"1e{k}") for k in range(2, -9, -1)),
        description="Precisions whose times to reach are reported.",
    )
    statistics: Statistics = Field(default=Statistics(), description="How results are summed up.")
    tables: Choice = Field(default=("all",), description="Tables to make: `all` or a list.")
    figures: Choice = Field(default=("all",), description="Figures to draw: `all` or a list.")

    @property
    def table_names(self) -> tuple[str, ...]:
        """The tables asked for, `all` spelled out."""
        return _chosen(self.tables, _tables())

    @property
    def figure_names(self) -> tuple[str, ...]:
        """The figures asked for, `all` spelled out."""
        return _chosen(self.figures, _figures())

    @property
    def analysis_settings(self) -> dict[str, Any]:
        """What the tables are made with, the arguments of `tables.settings.Analysis`."""
        return {"targets": self.targets, **self.statistics.model_dump(), "seed": self.seed}

    def snapshot(self) -> str:
        """The campaign as JSON, every default written out; `restore` reads it."""
        return json.dumps(self.model_dump(mode="json"), indent=1) + "\n"


def _chosen(names: tuple[str, ...], known: Mapping[str, object]) -> tuple[str, ...]:
    return tuple(known) if names == ("all",) else tuple(dict.fromkeys(names))


def _tables() -> Mapping[str, object]:
    from timefair.tables.registry import TABLES

    return TABLES


def _figures() -> Mapping[str, object]:
    from timefair.figures.registry import FIGURES

    return FIGURES


def json_schema() -> str:
    """The JSON schema of a campaign file, for editors; kept in ``config/schema.json``."""
    return json.dumps(Campaign.model_json_schema(), indent=2) + "\n"


# --- The doors ------------------------------------------------------------------------------


def load(path: Path | str) -> Campaign:
    """Read and check a campaign file; raises `InputError`."""
    return parse(read_yaml(Path(path)))


def parse(mapping: object) -> Campaign:
    """Check a campaign given as a mapping; raises `InputError`."""
    if sys.platform != "linux":
        raise InputError(f"timefair measures on Linux; this is {sys.platform}")
    if not isinstance(mapping, Mapping):
        raise InputError("campaign: should be keys with values, as in config/default.yaml")
    try:
        campaign = Campaign.model_validate(dict(mapping))
    except ValidationError as error:
        errors = error.errors(include_url=False)
        raise InputError(*(_fault(e) for e in errors if not _follows(e))) from None
    except RecursionError:
        raise InputError("campaign: nested too deeply") from None
    faults = [*_disagreements(campaign), *_unknown(campaign)]
    if faults:
        raise InputError(*faults)
    return campaign


def restore(path: Path | str) -> Campaign:
    """Read the snapshot of a campaign that has been checked; libraries are not asked again."""
    return Campaign.model_validate_json(Path(path).read_text(encoding="utf-8"), strict=False)


# --- Reading YAML ---------------------------------------------------------------------------


class _Loader(yaml.SafeLoader):
    """SafeLoader that refuses a key given twice, where YAML would silently take the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if isinstance(key, Hashable) and key != "<<":
                if key in seen:
                    raise yaml.constructor.ConstructorError(
                        problem=f"{key!r} is given twice", problem_mark=key_node.start_mark
                    )
                seen.add(key)
        return super().construct_mapping(node, deep)


def read_yaml(path: Path) -> object:
    """The content of a YAML file; raises `InputError` with file and line."""
    try:
        return yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"{path}:{mark.line + 1}" if mark else str(path)
        raise InputError(f"{where}: {error.problem or error.context}") from None
    except yaml.YAMLError as error:
        raise InputError(f"{path}: {' '.join(str(error).split())}") from None
    except RecursionError:
        raise InputError(f"{path}: nested too deeply") from None
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None


# --- What is wrong, and what would be right -------------------------------------------------

_KINDS = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "string_type": "text",
    "finite_number": "a finite number",
    "dict_type": "keys with values",
    "mapping_type": "keys with values",
    "model_type": "keys with values",
    "tuple_type": "a list",
}
_BOUNDS = {
    "greater_than": ("gt", "greater than"),
    "greater_than_equal": ("ge", "at least"),
    "less_than": ("lt", "less than"),
    "less_than_equal": ("le", "at most"),
}


def _fault(error: ErrorDetails) -> str:
    """One line for one error of pydantic: the key, the value, what would be right."""
    path, context, kind = error["loc"], error.get("ctx", {}), error["type"]
    key = ".".join(str(part) for part in path if part != "[key]")
    value = _shown(error["input"])
    if kind == "missing":
        return f"{key}: missing; {_description(path)}"
    if kind == "extra_forbidden":
        known = _keys(path[:-1])
        return f"{key}: unknown key{suggest(path[-1], known)}; known here: {', '.join(known)}"
    if path[-1] == "[key]" or kind == "string_pattern_mismatch":
        return f"{key}: {value}: letters, digits and . _ + - only, a letter or digit first"
    if kind == "literal_error":
        known = [word.strip("'") for word in re.split(", | or ", str(context["expected"]))]
        return f"{key}: {value}: should be {context['expected']}{suggest(value, known)}"
    if kind in _BOUNDS:
        bound, words = _BOUNDS[kind]
        return f"{key}: {value}: should be {words} {context[bound]:.16g}"
    if kind in _KINDS:
        return f"{key}: {value}: should be {_KINDS[kind]}"
    if kind == "too_short":
        return f"{key}: empty; name at least one"
    if kind == "string_too_long":
        return f"{key}: {value}: longer than {context['max_length']} characters"
    return f"{key}: {value}: {error['msg'].removeprefix('Value error, ')}"


def _follows(error: ErrorDetails) -> bool:
    """Whether it is said only because of another: a list is short of its wrong members."""
    return error["type"] == "too_short" and bool(error["input"])


def _shown(value: object) -> str:
    """A value on one line, as YAML has it where that is short."""
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return str(value).lower()
    try:
        text = repr(value)
    except ValueError:  # a whole number of more digits than Python prints
        text = "a very large number"
    return text if len(text) <= 60 else text[:57] + "..."


def _section(path: tuple[int | str, ...]) -> type[BaseModel]:
    """The model that holds the keys at a path."""
    model: type[BaseModel] = Campaign
    for part in path:
        if model is Campaign and part == "algorithms":
            return AlgorithmSpec
        model = cast(type[BaseModel], model.model_fields[str(part)].annotation)
    return model


def _keys(path: tuple[int | str, ...]) -> list[str]:
    return list(_section(path).model_fields)


def _description(path: tuple[int | str, ...]) -> str:
    return str(_section(path[:-1]).model_fields[str(path[-1])].description)


def _disagreements(campaign: Campaign) -> Iterator[str]:
    """Keys that are right alone and wrong together."""
    budget, restart = campaign.budget, campaign.restart
    if budget.time_s is None and budget.evaluations_for(1) is None:
        yield "budget: empty; give time_s, evaluations or evaluations_per_dimension"
    if budget.evaluations is not None and budget.evaluations_per_dimension is not None:
        yield (
            f"budget.evaluations: {budget.evaluations}: "
            f"excludes evaluations_per_dimension ({budget.evaluations_per_dimension}); give one"
        )
    taus = {
        key: value
        for key in ("tau_s", "tau_evaluations")
        if (value := getattr(restart, key)) is not None
    }
    if restart.policy == "fixed" and len(taus) != 1:
        given = "both tau_s and tau_evaluations" if taus else "no tau"
        yield f"restart.policy: 'fixed' with {given}: give tau_s or tau_evaluations"
    if restart.policy != "fixed":
        for key, value in taus.items():
            yield f"restart.{key}: {value}: only with policy 'fixed', not {restart.policy!r}"
    for key, numbers in (
        ("targets", campaign.targets),
        ("statistics.quantiles", campaign.statistics.quantiles),
    ):
        for number in dict.fromkeys(n for n in numbers if numbers.count(n) > 1):
            yield f"{key}: {number}: named twice"
    if campaign.rounds > campaign.runs:
        yield f"rounds: {campaign.rounds}: more than runs ({campaign.runs})"


def _unknown(campaign: Campaign) -> Iterator[str]:
    """Names that no library, suite or registry has."""
    from timefair.algorithms import registry as algorithms
    from timefair.problems.registry import SUITES

    problems = campaign.problems
    if problems.suite in SUITES:
        yield from (
            f"problems.{fault}"
            for fault in SUITES[problems.suite].faults(
                list(problems.functions), list(problems.dimensions), list(problems.instances)
            )
        )
    else:
        yield _no_such("problems.suite", problems.suite, SUITES)
    for label, spec in campaign.algorithms.items():
        for fault in algorithms.faults(spec.use, spec.parameters):
            yield f"algorithms.{label}: {fault}"
    for key, names, known in (
        ("tables", campaign.tables, _tables()),
        ("figures", campaign.figures, _figures()),
    ):
        if names != ("all",):
            yield from (_no_such(key, name, known) for name in names if name not in known)


def _no_such(key: str, name: str, known: Mapping[str, object]) -> str:
    return f"{key}: {name!r} is unknown{suggest(name, known)}; known: {', '.join(known)}"
