"""The files that describe an archive to its readers and to repositories."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from timefair import __version__
from timefair.basics.errors import InputError
from timefair.extensions.archive.files import CODE, OWN, Code, MeasuredWhere, Member

ENVIRONMENT = "environment"
"""The folder of the machines and the pins, in an archive."""
KEYWORDS = ("benchmarking", "black-box optimization", "metaheuristics", "timefair")

_ORCID = re.compile(r"(?P<name>.*?)\s+(?P<orcid>\d{4}-\d{4}-\d{4}-\d{3}[\dX])")
_LICENSE = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]*")

_README = """\
# {title}

{description}

| folder or file | content |
|---|---|
{content}{tuning}| `{results}/campaign.json` | the checked configuration |
| `{code}/` | {origin} |
{own}| `{environment}/` | {machines}: facts, and installed packages |
| `ro-crate-metadata.json` | title, authors, licence and origin, as a Workflow Run RO-Crate |
| `manifest-sha256.txt` | the checksum of every file |

## How to check the archive

Without any software of the authors:

```sh
sha256sum --check --quiet manifest-sha256.txt
```

With timefair. The first two commands install the code and the packages of the archive:

```sh
{install}
timefair verify .{verify}
```

{checks}
"""

_CONTENT = """\
| `{results}/report.html` | the page to read first |
| `{results}/checklist.html` | the reporting checklist |
| `{results}/tables/`, `{results}/figures/` | all tables and figures of the campaign |
| `{results}/collected/` | the runs, one Parquet file per algorithm: the tables are made of them |
| `{results}/records/` | the runs as the jobs wrote them |
"""
_COMPACT_CONTENT = """\
| `{results}/collected/` | the runs, one file per algorithm; only improvements that tables need |
| `{results}/records/` | one record per algorithm and dimension with all improvements, to replay |
"""
_CHECKS = """\
`timefair verify` reads every file and every run again. `--rebuild` also makes every table again in
an empty folder, from the runs in this archive alone, and compares the files byte for byte."""
_COMPACT_CHECKS = """\
`timefair verify` reads every file and every run again. The archive is compact: its runs reach every
target at the same evaluation and second as they were measured, but between the targets they keep
only the last improvement in each step of 10.5 % of the evaluations or of the time."""

_TUNING_ROW = "| `{results}/tuning/` | the searches for the parameters of tuned variants |\n"
_OWN_ROW = "| `{own}/` | the authors' own algorithms and problems |\n"
_PINS = f"pip install -r {ENVIRONMENT}/requirements-1.txt"


class Author(NamedTuple):
    """A person, with or without an ORCID."""

    family: str
    given: str
    orcid: str | None = None

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
    """The metadata that a repository requests; `license` is an identifier of SPDX."""

    title: str
    description: str
    authors: Sequence[Author]
    license: str
    published: date


def checked_license(text: str) -> str:
    """An identifier such as SPDX has; `InputError` if it cannot be one."""
    if not _LICENSE.fullmatch(text):
        raise InputError(f"--license: {text}: should be an identifier of SPDX, such as CC-BY-4.0")
    return text


def cards(
    deposit: Deposit,
    where: MeasuredWhere,
    code: Code,
    results: str,
    *,
    own: bool,
    tuned: bool,
    compact: bool = False,
) -> Iterator[Member]:
    """All these files.

    `results` is the folder of the campaign in the archive, which may have files of the user's `own`
    and searches for parameters (`tuned`). If `compact`, runs are thinned, and there are no tables.
    """
    for number, machine in enumerate(where.machines, start=1):
        text = json.dumps(machine, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
        yield Member(f"{ENVIRONMENT}/machine-{number}.json", text.encode())
        yield Member(f"{ENVIRONMENT}/requirements-{number}.txt", _pins(machine).encode())
    package = f"./{CODE}" if code.commit else f"timefair=={_version(where)}"
    machines = len(where.machines)
    readme = _README.format(
        title=deposit.title,
        description=deposit.description,
        content=(_COMPACT_CONTENT if compact else _CONTENT).format(results=results),
        checks=_COMPACT_CHECKS if compact else _CHECKS,
        verify="" if compact else " --rebuild",
        results=results,
        code=CODE,
        origin=code.origin,
        tuning=_TUNING_ROW.format(results=results) * tuned,
        own=_OWN_ROW.format(own=OWN) * own,
        environment=ENVIRONMENT,
        machines=f"{machines} {'machine' if machines == 1 else 'machines'}",
        install="\n".join([*([_PINS] if machines else []), f"pip install {package}"]),
    )
    yield Member("README.md", readme.encode())


def _version(where: MeasuredWhere) -> str:
    """The version of timefair that measured the runs; the present one if there is not just one."""
    return where.versions[0] if len(where.versions) == 1 else __version__


def _pins(machine: Mapping[str, Any]) -> str:
    installed = machine.get("packages") or {}
    lines = {f"{name.replace('_', '-').lower()}=={installed[name]}" for name in installed}
    head = f"# Installed when the runs were measured, with Python {machine.get('python')}\n"
    return head + "".join(f"{line}\n" for line in sorted(lines) if not line.startswith("timefair="))
