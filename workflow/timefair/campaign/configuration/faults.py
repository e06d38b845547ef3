"""What is wrong with a campaign, and what would be right: one line per fault."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import product
from typing import TYPE_CHECKING, NamedTuple, get_args

from pydantic_core import ErrorDetails

from timefair.basics.errors import InputError, suggest
from timefair.basics.sections import Section
from timefair.campaign.configuration.choices import CHOICES, UNKNOWN
from timefair.campaign.configuration.model import (
    AlgorithmSpec,
    Campaign,
    Published,
    known_figures,
    known_tables,
)

if TYPE_CHECKING:
    from timefair.problems.base import Suite

_KINDS = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "string_type": "text",
    "finite_number": "a finite number",
    "dict_type": "keys with values",
    "mapping_type": "keys with values",
    "model_type": "keys with values",
    "model_attributes_type": "keys with values",
    "tuple_type": "a list",
}
SETS = ("all", "default")
"""What may be written instead of names of tables and figures."""

LABELLED: dict[str, type[Section]] = {"algorithms": AlgorithmSpec, "published": Published}
"""Keys that hold a section for each label."""

_BOUNDS = {
    "greater_than": ("gt", "greater than"),
    "greater_than_equal": ("ge", "at least"),
    "less_than": ("lt", "less than"),
    "less_than_equal": ("le", "at most"),
}


def fault(error: ErrorDetails) -> str:
    """One line for one error of pydantic: the key, the value, what would be right."""
    context, kind = error.get("ctx", {}), error["type"]
    path, section, chosen = _place(error["loc"])
    key = ".".join(_one_line(str(part)) for part in path if part != "[key]")
    value = _shown(error["input"])
    if kind == "missing":
        return f"{key}: missing; {section.model_fields[str(path[-1])].description}"
    if kind == "extra_forbidden":
        return _unknown_key(key, str(path[-1]), value, section, chosen)
    if kind == UNKNOWN:
        choice = CHOICES[str(path[-1])]
        value = _shown(error["input"][choice.key])
        return _unlike(f"{key}.{choice.key}", value, list(choice.kinds))
    if path[-1] == "[key]" and kind in ("int_parsing", *_BOUNDS):
        return f"{key}: should be the number of a function"
    if path[-1] == "[key]" or kind == "string_pattern_mismatch":
        return f"{key}: {value}: letters, digits and . _ + - only, a letter or digit first"
    if kind == "literal_error":
        known = [word.strip("'") for word in re.split(", | or ", str(context["expected"]))]
        return _unlike(key, value, known)
    if kind in _BOUNDS:
        bound, words = _BOUNDS[kind]
        return f"{key}: {value}: should be {words} {context[bound]:.16g}"
    if kind in _KINDS:
        return f"{key}: {value}: should be {_KINDS[kind]}"
    if kind == "too_short":
        return f"{key}: empty; name at least one"
    if kind == "string_too_long":
        return f"{key}: {value}: longer than {context['max_length']} characters"
    if kind == "named_twice":
        return f"{key}: {error['msg']}"
    return f"{key}: {value}: {error['msg'].removeprefix('Value error, ')}"


def _unknown_key(
    key: str, last: str, value: str, section: type[Section], chosen: str | None
) -> str:
    """A key that its section does not have; `chosen` names the section where one key chooses it."""
    if chosen is not None:
        choice = CHOICES[chosen]
        if others := choice.having(last):
            this = section.model_fields[choice.key].default
            named = " or ".join(map(repr, others))
            return f"{key}: {value}: only with {choice.key} {named}, not {this!r}"
    known = list(section.model_fields)
    return f"{key}: unknown key{suggest(last, known)}; known here: {', '.join(known)}"


def _unlike(key: str, value: str, known: list[str]) -> str:
    """A value, as it is shown, that is not one of some words."""
    words = " or ".join([*filter(None, [", ".join(map(repr, known[:-1]))]), repr(known[-1])])
    return f"{key}: {value}: should be {words}{suggest(value, known)}"


def follows(error: ErrorDetails) -> bool:
    """Whether it only follows from another error: a list is too short without its wrong members."""
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


def _one_line(text: str) -> str:
    return text if text.isprintable() else repr(text)


class _ErrorPlace(NamedTuple):
    """Where an error lies.

    Attributes
    ----------
    path
        The keys, as a user writes them.
    section
        The class of the section that has, or has not, the last of them.
    chosen
        The name of the section where one of its keys chooses the class.
    """

    path: tuple[int | str, ...]
    section: type[Section]
    chosen: str | None


def _place(loc: tuple[int | str, ...]) -> _ErrorPlace:
    """Read the place of an error of pydantic, which also names the classes that keys chose."""
    section: type[Section] = Campaign
    path, chosen, parts = [loc[0]], None, iter(loc[1:])
    name = str(loc[0])
    for part in parts:
        if section is Campaign and name in LABELLED:
            section, name = LABELLED[name], ""
            path.append(part)  # a label, which may look like a key
            continue
        if name in CHOICES and name in section.model_fields:
            section, chosen = CHOICES[name].kinds[str(part)], name
            part = next(parts, "")
        elif (below := section_of(section, name)) is not None:
            section = below
        path.append(part)
        name = str(part)
    return _ErrorPlace(tuple(path), section, chosen)


def section_of(section: type[Section], name: str) -> type[Section] | None:
    """The section that a key holds, if it does; `null` may be allowed beside it."""
    if (field := section.model_fields.get(name)) is None:
        return None
    kinds = [kind for kind in (*get_args(field.annotation), field.annotation) if kind is not None]
    held = (kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Section))
    return next(held, None)


def disagreements(campaign: Campaign) -> Iterator[str]:
    """Keys that are right alone and wrong together, by the checks of every section."""
    for place, section in _sections(campaign):
        for key, text in section.faults(campaign):
            yield f"{'.'.join(filter(None, (place, key)))}: {text}"


def _sections(section: Section, place: str = "") -> Iterator[tuple[str, Section]]:
    """A section and all below it, each with its place as a user writes it."""
    yield place, section
    for name, value in section:
        labelled = value.items() if isinstance(value, dict) else [("", value)]
        for label, below in labelled:
            if isinstance(below, Section):
                yield from _sections(below, ".".join(filter(None, (place, name, label))))


def unknown_names(campaign: Campaign) -> Iterator[str]:
    """Names that no library, suite or registry has, and algorithms that cannot take the suite."""
    from timefair.algorithms import registry as algorithms
    from timefair.algorithms import remembered
    from timefair.problems import registry as suites
    from timefair.problems.base import ROUNDED, takes

    problems, suite = campaign.problems, None
    try:
        suite = suites.find(problems.suite, problems.parameters)
    except InputError as error:
        yield from (f"problems.{fault}" for fault in error.faults)
    else:
        yield from _problem_faults(campaign, suite)
    for label, spec in campaign.algorithms.items():
        faults = remembered.faults(spec.use, spec.parameters)
        yield from (f"algorithms.{label}: {fault}" for fault in faults)
        if suite is not None and not faults:
            kinds = algorithms.variables(spec.use, spec.parameters)
            if spec.integer == "round" and "continuous" in kinds:
                kinds = kinds | ROUNDED
            if not takes(kinds, suite.variables):
                yield (
                    f"algorithms.{label}: {spec.use} takes {_joined(kinds)} variables, but "
                    f"{suite.name} has {suite.variables} ones"
                    f"{_rounding(kinds)}"
                )
    yield from _published_faults(campaign)
    for key, names, known in (
        ("tables", campaign.tables, known_tables()),
        ("figures", campaign.figures.names, known_figures()),
    ):
        yield from (
            _no_such(key, name, known) for name in names if name not in known and name not in SETS
        )


def warnings(campaign: Campaign) -> Iterator[str]:
    """What the user's own modules do when they are imported, and should not; one line each.

    The campaign has been through `unknown_names`, which imports them.
    """
    from timefair.basics import user_code

    yield from (f"problems.suite: {line}" for line in user_code.warnings(campaign.problems.suite))
    for label, spec in campaign.algorithms.items():
        yield from (f"algorithms.{label}: {line}" for line in user_code.warnings(spec.use))


def _problem_faults(campaign: Campaign, suite: Suite) -> Iterator[str]:
    chosen = campaign.problems
    keys = (list(chosen.functions), list(chosen.dimensions), list(chosen.instances))
    faults = suite.faults(*keys)
    yield from (f"problems.{fault}" for fault in faults)
    target = campaign.budget.final_target
    given = target not in (None, type(campaign.budget).model_fields["final_target"].default)
    if given and not faults and not any(suite.knows_optimum(*names) for names in product(*keys)):
        yield (
            f"budget.final_target: {target}: the optimum of these problems is unknown; "
            "write null, or give problems.parameters.f_opt of your own function"
        )
    if (
        campaign.published
        and not faults
        and not all(suite.knows_optimum(*names) for names in product(*keys))
    ):
        yield (
            "published: the optimum of some of these problems is unknown, and published data are "
            "distances to it"
        )


def _published_faults(campaign: Campaign) -> Iterator[str]:
    for label, data in campaign.published.items():
        if not os.path.exists(data.path):
            yield f"published.{label}.path: {data.path!r}: there is no such file or folder"


def _joined(kinds: Iterable[str]) -> str:
    return " and ".join(sorted(kinds))


def _no_such(key: str, name: str, known: Mapping[str, object]) -> str:
    return f"{key}: {name!r} is unknown{suggest(name, known)}; known: {', '.join((*SETS, *known))}"


def _rounding(kinds: Collection[str]) -> str:
    """What would be right for an algorithm that takes some kinds of variables, and not those."""
    return "; add integer: round to this algorithm" if "continuous" in kinds else ""
