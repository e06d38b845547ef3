"""The campaign: one YAML file, checked before anything runs.

`load` and `parse` read what a user wrote; they raise `InputError` with one line per fault.
`restore` reads the snapshot of a campaign that they have checked.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

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
from timefair.campaign.configuration.model import (
    AlgorithmSpec,
    Budget,
    Campaign,
    ChosenProblems,
    Limits,
    json_schema,
)
from timefair.campaign.configuration.yaml_file import read_yaml
from timefair.problems.names import declared

__all__ = [
    "AlgorithmSpec",
    "Budget",
    "Campaign",
    "ChosenProblems",
    "Limits",
    "check_keys",
    "check_name",
    "json_schema",
    "load",
    "parse",
    "parse_foreign",
    "read_yaml",
    "restore",
    "restored",
    "warnings",
]


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
    """Check a campaign of imported data, whose suite and algorithms may be unknown to timefair.

    Raises InputError One line per fault.
    """
    campaign = check_keys(mapping, "campaign")
    if faults := [*disagreements(campaign), *not_above_zero(campaign), *unknown_exhibits(campaign)]:
        raise InputError(*faults)
    return campaign


def check_keys(mapping: object, name: str) -> Campaign:
    """The campaign, after a check of each key by itself; raises `InputError`, with `name` if it is
    no mapping. No file or library that it names is read.
    """
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

    Raises InputError if the file cannot be read, or was not written by this version of timefair.
    """
    try:
        return restored(regular(Path(path)).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; name results/NAME/campaign.json") from None
    except ValueError:
        raise InputError(
            f"{path}: not written by this version of timefair; start snakemake again"
        ) from None
