"""The files that describe an archive to its readers, to repositories and to citation tools."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from timefair import __version__
from timefair.extensions.archive import codemeta
from timefair.extensions.archive.code import FOLDER, OWN, Code
from timefair.extensions.archive.deposit import Author, Deposit
from timefair.extensions.archive.member import Member
from timefair.extensions.archive.origins import MeasuredWhere

ENVIRONMENT = "environment"
"""The folder of the machines and the pins, in an archive."""

KEYWORDS = ("benchmarking", "black-box optimization", "metaheuristics", "timefair")

_README = """\
# {title}

{description}

| folder or file | content |
|---|---|
{content}{tuning}| `{results}/campaign.json` | the checked configuration |
| `{code}/` | {origin} |
{own}| `{environment}/` | {machines}: facts, and installed packages |
| `CITATION.cff` | how to cite the archive |
| `codemeta.json` | metadata of the software |
| `.zenodo.json` | metadata for a deposit at Zenodo |
| `ro-crate-metadata.json` | the same as a Workflow Run RO-Crate |
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

    Parameters
    ----------
    results
        The folder of the campaign in the archive.
    own
        Whether the archive has files of the user.
    tuned
        Whether the campaign has searches for parameters.
    compact
        Whether the runs are thinned, and there are no tables.
    """
    for number, machine in enumerate(where.machines, start=1):
        text = json.dumps(machine, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
        yield Member(f"{ENVIRONMENT}/machine-{number}.json", text.encode())
        yield Member(f"{ENVIRONMENT}/requirements-{number}.txt", _pins(machine).encode())
    rows = _TUNING_ROW.format(results=results) * tuned, _OWN_ROW.format(own=OWN) * own
    readme = _readme(deposit, where, code, results, rows, compact)
    yield Member("README.md", readme.encode())
    yield Member("CITATION.cff", _citation(deposit, code).encode())
    yield Member(".zenodo.json", _zenodo(deposit, code).encode())
    yield Member("codemeta.json", codemeta.of_installed(_version(where)).encode())


def _version(where: MeasuredWhere) -> str:
    """The version of timefair that measured the runs; the present version if there were several or
    none.
    """
    versions = where.versions("timefair")
    return versions[0] if len(versions) == 1 else __version__


def _pins(machine: Mapping[str, Any]) -> str:
    installed = machine.get("packages") or {}
    lines = {f"{name.replace('_', '-').lower()}=={installed[name]}" for name in installed}
    head = f"# Installed when the runs were measured, with Python {machine.get('python')}\n"
    return head + "".join(f"{line}\n" for line in sorted(lines) if not line.startswith("timefair="))


def _readme(
    deposit: Deposit,
    where: MeasuredWhere,
    code: Code,
    results: str,
    rows: tuple[str, str],
    compact: bool,
) -> str:
    """The README; `rows` of its table are on the searches and on the user's files, or empty."""
    package = f"./{FOLDER}" if code.commit else f"timefair=={_version(where)}"
    machines = len(where.machines)
    return _README.format(
        title=deposit.title,
        description=deposit.description,
        content=(_COMPACT_CONTENT if compact else _CONTENT).format(results=results),
        checks=_COMPACT_CHECKS if compact else _CHECKS,
        verify="" if compact else " --rebuild",
        results=results,
        code=FOLDER,
        origin=code.origin,
        tuning=rows[0],
        own=rows[1],
        environment=ENVIRONMENT,
        machines=f"{machines} {'machine' if machines == 1 else 'machines'}",
        install="\n".join([*([_PINS] if machines else []), f"pip install {package}"]),
    )


def _citation(deposit: Deposit, code: Code) -> str:
    software: dict[str, Any] = {
        "type": "software",
        "title": "timefair",
        "authors": [{"name": "The timefair developers"}],
        "version": __version__,
    }
    if code.commit:
        software["commit"] = code.commit
    content = {
        "cff-version": "1.2.0",
        "message": "If you use these data, please cite them, and the software that measured them.",
        "type": "dataset",
        "title": deposit.title,
        "abstract": deposit.description,
        "authors": [_cff_person(author) for author in deposit.authors],
        "license": deposit.license,
        "date-released": deposit.published,
        "keywords": [*KEYWORDS],
        "references": [software],
    }
    text: str = yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=100)
    return text


def _cff_person(author: Author) -> dict[str, str]:
    person = {"family-names": author.family, "given-names": author.given}
    return person | ({"orcid": f"https://orcid.org/{author.orcid}"} if author.orcid else {})


def _zenodo(deposit: Deposit, code: Code) -> str:
    content = {
        "title": deposit.title,
        "description": f"<p>{deposit.description}</p>",
        "upload_type": "dataset",
        "publication_date": deposit.published.isoformat(),
        "access_right": "open",
        "license": deposit.license.lower(),
        "creators": [
            {"name": author.name, **({"orcid": author.orcid} if author.orcid else {})}
            for author in deposit.authors
        ],
        "keywords": [*KEYWORDS],
        "notes": f"Code: {code.origin}. README.md says how to check the archive.",
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"
