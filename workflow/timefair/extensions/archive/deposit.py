"""Who publishes an archive, under which title and licence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from timefair.basics.errors import InputError

_ORCID = re.compile(r"(?P<name>.*?)\s+(?P<orcid>\d{4}-\d{4}-\d{4}-\d{3}[\dX])")


class Author(NamedTuple):
    """A person, with or without an ORCID."""

    family: str
    given: str
    orcid: str | None = None

    @property
    def name(self) -> str:
        """The name as in a list of references: ``Family, Given``."""
        return f"{self.family}, {self.given}"

    @classmethod
    def parse(cls, text: str) -> Author:
        """Read ``Family, Given``, optionally followed by an ORCID; `InputError` otherwise."""
        match = _ORCID.fullmatch(text.strip())
        name, orcid = (match["name"], match["orcid"]) if match else (text, None)
        family, comma, given = (part.strip() for part in name.partition(","))
        if not (family and comma and given) or re.search(r"\d", name):
            raise InputError(
                f"--author: {text}: should be 'Family, Given', with an ORCID after it or without"
            )
        if orcid and not _is_orcid(orcid):
            raise InputError(f"--author: {orcid}: is not an ORCID (its last digit does not fit)")
        return cls(family, given, orcid)


def _is_orcid(text: str) -> bool:
    """Whether the check digit is right (ISO 7064, MOD 11-2)."""
    digits = text.replace("-", "")
    total = 0
    for digit in digits[:-1]:
        total = (total + int(digit)) * 2
    return "0123456789X"[(12 - total % 11) % 11] == digits[-1]


class Deposit(NamedTuple):
    """The metadata that a repository requests.

    Attributes
    ----------
    title, description
        Title and description of the archive.
    license
        License, by its identifier in the list of SPDX.
    published
        The date.
    """

    title: str
    description: str
    authors: Sequence[Author]
    license: str
    published: date


_LICENSE = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]*")


def checked_license(text: str) -> str:
    """An identifier such as SPDX has; `InputError` if it cannot be one."""
    if not _LICENSE.fullmatch(text):
        raise InputError(f"--license: {text}: should be an identifier of SPDX, such as CC-BY-4.0")
    return text
