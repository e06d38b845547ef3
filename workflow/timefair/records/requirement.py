"""Checks from its facts whether a machine meets the requirements of a campaign."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from timefair.records.integrity import machine_kind

NEEDED = ("cpu", "cores", "memory_mb", "hostname")
"""The facts of a machine that are compared with a requirement."""

REMEDY = "select the right nodes in the profile (constraint), or change the requirement"
"""Remedy when a job is on the wrong machine."""


def required_in_words(required: Mapping[str, Any]) -> str:
    """A requirement in the form of messages and the checklist; empty if nothing is required.

    >>> required_in_words({"processor": "epyc", "cores": 64, "memory_gb": None, "host": None})
    'processor epyc, 64 cores'
    """
    words = {
        "processor": "processor {}",
        "cores": "{} cores",
        "memory_gb": "{} GB",
        "host": "host {}",
    }
    given = {key: required.get(key) for key in words}
    return ", ".join(words[key].format(value) for key, value in given.items() if value is not None)


def unmet(required: Mapping[str, Any], facts: Mapping[str, Any]) -> list[str]:
    """The keys of a requirement that a machine does not meet, in the order of the requirement.

    ``processor`` and ``host`` are patterns as in `matches`; ``cores`` and ``memory_gb`` the exact
    numbers of `machine_kind`; None requires nothing. Unknown `facts` meet no requirement.
    """
    kind = machine_kind(facts)
    has: dict[str, Any] = {
        "processor": kind.cpu,
        "cores": kind.cores,
        "memory_gb": kind.memory_gb,
        "host": facts.get("hostname"),
    }
    return [
        key
        for key, asked in required.items()
        if asked is not None
        and not (matches(asked, has[key]) if isinstance(asked, str) else asked == has[key])
    ]


def matches(pattern: str, text: str | None) -> bool:
    """Whether a text fits a pattern, in upper or lower case.

    With ``*`` (any characters) or ``?`` (one character), the pattern describes the complete text.
    Otherwise it is a part of the text.

    >>> matches("epyc 7763", "AMD EPYC 7763 64-Core Processor"), matches("node1?", "node1")
    (True, False)
    """
    if text is None:
        return False
    if not set(pattern) & {"*", "?"}:
        return pattern.lower() in text.lower()
    wild = {"*": ".*", "?": "."}
    expression = "".join(wild.get(letter, re.escape(letter)) for letter in pattern)
    return re.fullmatch(expression, text, re.IGNORECASE | re.DOTALL) is not None


def shortcoming(required: Mapping[str, Any], facts: Mapping[str, Any]) -> str:
    """One line on a machine that does not meet a requirement; empty if it does.

    The line has the keys that are not met, what is required, what the machine has, and what to do.
    """
    keys = unmet(required, facts)
    if not keys:
        return ""
    named = f"machine.require.{keys[0]}" if len(keys) == 1 else "machine.require"
    return (
        f"{named}: requires {required_in_words({key: required[key] for key in keys})}; this is "
        f"{machine_kind(facts)}, host {facts.get('hostname') or 'unknown'}; {REMEDY}"
    )
