"""The campaign: one YAML file, checked before anything runs.

`load` and `parse` read what a user wrote; they raise `InputError` with one line per fault.
`restore` reads the snapshot of a campaign that they have checked.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from timefair.basics.errors import InputError
from timefair.basics.files import regular
from timefair.campaign.configuration.faults import (
    disagreements,
    fault,
    follows,
    not_above_zero,
    unknown_algorithms,
    unknown_exhibits,
    unknown_names,
    warnings,
)
from timefair.campaign.configuration.model import AlgorithmSpec, Campaign, json_schema
from timefair.problems.names import declared

_TAG = "tag:yaml.org,2002:"
MERGE = f"{_TAG}merge"
"""The tag of ``<<``, which adds those keys of another mapping that are not given here."""
TEXT, INT, FLOAT, DATE = f"{_TAG}str", f"{_TAG}int", f"{_TAG}float", f"{_TAG}timestamp"
PLAIN = (f"{_TAG}bool", f"{_TAG}null", FLOAT)
"""What YAML makes of keys without quotes that are words here, such as ``on``."""

NUMBER = re.compile(
    r"[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?|[-+]?0o[0-7_]+"
)
"""Also numbers that YAML 1.1 reads as text, such as ``1e3``."""
OTHER_BASE = re.compile(r"[-+]?0o?[0-9_]+|.*:.*")

LABELLED = ("algorithms", "published")  # keys of a campaign that contain one section per label


class _Loader(yaml.SafeLoader):
    """A SafeLoader that refuses keys that are given twice.

    Labels, words such as ``on`` as keys, and dates are kept as written. ``1e3`` is a number, and
    ``010`` and ``12:30``, which YAML 1.1 reads in the base 8 or 60, are refused.
    """

    yaml_implicit_resolvers = {  # noqa: RUF012
        first: [pair for pair in pairs if pair[0] != DATE]
        for first, pairs in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

    def get_single_data(self) -> Any:
        node = self.get_single_node()
        if node is None:
            return None
        for key, value in node.value if isinstance(node, yaml.MappingNode) else ():
            if key.value in LABELLED:
                _keep_labels(value)
        return self.construct_document(node)

    def construct_number(self, node: yaml.ScalarNode) -> float:
        if OTHER_BASE.fullmatch(node.value):
            raise yaml.constructor.ConstructorError(
                problem=f"{node.value}: YAML reads it in base 8 or 60; write a decimal number, "
                f"or {node.value!r} in quotes if it is text",
                problem_mark=node.start_mark,
            )
        construct = self.construct_yaml_int if node.tag == INT else self.construct_yaml_float
        number: float = construct(node)
        return number

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen = set()
        for key_node, _ in node.value:
            if key_node.tag == MERGE:
                continue
            if key_node.tag in PLAIN:
                key_node.tag = TEXT
            key = self.construct_object(key_node, deep=True)
            if isinstance(key, Hashable):
                if key in seen:
                    raise yaml.constructor.ConstructorError(
                        problem=f"{key!r} is given twice", problem_mark=key_node.start_mark
                    )
                seen.add(key)
        return super().construct_mapping(node, deep)


_Loader.add_implicit_resolver(FLOAT, re.compile(rf"(?:{NUMBER.pattern})$"), list("-+.0123456789"))
_Loader.add_constructor(INT, _Loader.construct_number)
_Loader.add_constructor(FLOAT, _Loader.construct_number)


def _keep_labels(section: yaml.Node) -> None:
    """Make all keys of a section text, as they are written; also those that it merges."""
    for key, value in section.value if isinstance(section, yaml.MappingNode) else ():
        if key.tag == MERGE:
            for merged in value.value if isinstance(value, yaml.SequenceNode) else [value]:
                _keep_labels(merged)
        elif isinstance(key, yaml.ScalarNode):
            key.tag = TEXT


def read_yaml(path: Path) -> object:
    """The content of a YAML file; raises `InputError` with file and line."""
    try:
        return yaml.load(regular(path).read_text(encoding="utf-8"), Loader=_Loader)
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
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not text in UTF-8") from None
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None


__all__ = ["AlgorithmSpec", "Campaign", "json_schema", "warnings"]


def load(path: Path | str) -> Campaign:
    """Read and check a campaign file; raises `InputError`."""
    return parse(read_yaml(Path(path)), name=str(path))


def parse(mapping: object, name: str = "campaign") -> Campaign:
    """Check a campaign given as a mapping; raises `InputError`, with `name` if it is none."""
    if sys.platform != "linux":
        raise InputError(f"timefair measures only on Linux; this is {sys.platform}")
    try:
        campaign = check_keys(mapping, name)
    except InputError as error:
        raise InputError(*error.faults, *unknown_algorithms(mapping)) from None
    empty = () if campaign.algorithms else ("algorithms: empty; name at least one",)
    faults = [*empty, *disagreements(campaign), *unknown_names(campaign)]
    if faults:
        raise InputError(*faults)
    return _named(campaign)


def parse_foreign(mapping: Mapping[str, object]) -> Campaign:
    """Check a campaign of imported data, whose suite and algorithms may be unknown to timefair."""
    campaign = check_keys(mapping, "campaign")
    if faults := [*disagreements(campaign), *not_above_zero(campaign), *unknown_exhibits(campaign)]:
        raise InputError(*faults)
    return campaign


def check_keys(mapping: object, name: str) -> Campaign:
    """The campaign, each key checked by itself; `InputError`, with `name` if it is no mapping."""
    if not isinstance(mapping, Mapping):
        raise InputError(f"{name}: should be keys with values, as in config/config.yaml")
    try:
        return Campaign.model_validate(dict(mapping))
    except ValidationError as error:
        errors = error.errors(include_url=False)
        raise InputError(*(fault(e) for e in errors if not follows(e))) from None
    except RecursionError:
        raise InputError("campaign: nested too deeply") from None


def check_name(name: object) -> None:
    """Raise `InputError` if this cannot be the name of a campaign."""
    try:
        Campaign.model_validate({"name": name})
    except ValidationError as error:
        if its_own := [e for e in error.errors(include_url=False) if e["loc"] == ("name",)]:
            raise InputError(*map(fault, its_own)) from None


def _named(campaign: Campaign) -> Campaign:
    """The campaign with the names that the user's function gives; those in the file come first."""
    problems = campaign.problems
    if problems.names:
        return campaign
    try:
        names = declared(problems.suite)
    except InputError as error:
        raise InputError(*(f"problems.suite: {fault}" for fault in error.faults)) from None
    named = problems.model_copy(update={"names": names})
    return campaign.model_copy(update={"problems": named}) if names else campaign


def restored(snapshot: str) -> Campaign:
    """The campaign of `Campaign.snapshot`."""
    return Campaign.model_validate_json(snapshot, strict=False)


def restore(path: Path | str) -> Campaign:
    """Read the snapshot of a checked campaign, without asking the libraries again.

    `InputError` if the file cannot be read, or was not written by this version of timefair.
    """
    try:
        return restored(regular(Path(path)).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; name results/NAME/campaign.json") from None
    except ValueError:
        raise InputError(
            f"{path}: not written by this version of timefair; start snakemake again"
        ) from None
