"""A campaign as an archive: all of its files, and their description as a Workflow Run RO-Crate."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple
from urllib.parse import quote

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from timefair import __version__
from timefair.basics.errors import InputError
from timefair.basics.words import counted
from timefair.campaign import collected, configuration, plan
from timefair.campaign.configuration import Campaign
from timefair.extensions.archive.files import (
    CODE,
    MANIFEST,
    METADATA,
    OWN,
    WORKFLOW,
    Code,
    MeasuredWhere,
    Member,
    campaign_files,
    measured_where,
    own_code,
    workflow_code,
)
from timefair.records.schema import RUN_SCHEMA
from timefair.records.status import ENDED_BY_BUDGET
from timefair.records.store import open_record, write_record
from timefair.statistics.samples import Floats

RESOLUTION = 10
"""Steps of the grid for each factor e of evaluations and of seconds: a step is 10.5 %."""

FACT = "thinned"
"""The fact of a collected file whose runs are thinned: the targets and the resolution."""

LEFT_OUT = ("records", "tables", "figures", "report.html", "checklist.html")
"""What of ``results/NAME`` a compact archive lacks, except the sampled records."""

_EARLIEST_S = 1e-9
Problem = tuple[str | int, ...]  # suite, function and dimension

Equal = Mapping[Problem, NDArray[np.int64]]  # numbers of evaluations of each problem, ascending

_PROBLEM = ("suite", "function", "dimension")
_FIELDS = ("launch", "evaluations", "time_s", "precision")
_VERSION = "schema_version"


def compact_files(
    files: Iterable[Member], folder: Path, campaign: Campaign, within: str
) -> list[Member]:
    """The files for a compact archive, among all. `InputError` if tables need more than targets."""
    files, kept = list(files), []
    equal = _equal_evaluations(
        folder / f"collected/{label}.parquet" for label in campaign.algorithms
    )
    sampled = _samples(files)
    final = campaign.budget.final_target
    targets = [*campaign.targets, *([] if final is None else [final])]
    for member in files:
        inner = PurePosixPath(member.path).relative_to(within)
        if inner.parts[0] == "collected":
            assert isinstance(member.content, Path)
            kept.append(Member(member.path, _compact(member.content, targets, equal)))
        elif inner.parts[0] not in LEFT_OUT or member.path in sampled:
            kept.append(member)
    return kept


def _samples(files: Iterable[Member]) -> set[str]:
    found = ((one.size, one.path, collected.job_of(PurePosixPath(one.path))) for one in files)
    largest_first = sorted(((size, path, job) for size, path, job in found if job), reverse=True)
    return {*{(job.algorithm, job.dimension): path for _, path, job in largest_first}.values()}


def _equal_evaluations(collected: Iterable[Path]) -> Equal:
    """At which numbers of evaluations tables compare the algorithms of each problem."""
    columns, problem = (*_PROBLEM, "stop_reason", "evaluations"), list(_PROBLEM)
    parts = (
        part.to_pandas().assign(file=str(path))
        for path in collected
        for part in open_record(path).row_groups(columns)
    )
    runs = pd.concat(parts)
    cut = runs[runs["stop_reason"].isin(ENDED_BY_BUDGET) & (runs["evaluations"] > 0)]
    least = cut.groupby([*problem, "file"], observed=True)["evaluations"].min().droplevel("file")
    most = runs.groupby(problem, observed=True)["evaluations"].max()
    points = pd.concat([least, most]).groupby(level=problem, observed=True)
    return {key: np.unique(of) for key, of in points}


def _compact(path: Path, targets: Sequence[float], equal: Equal) -> bytes:
    record = open_record(path)
    facts = {name: fact for name, fact in record.facts.items() if name != _VERSION}
    facts[FACT] = {"targets": [*targets], "resolution": RESOLUTION}

    def batches() -> Iterator[pa.RecordBatch]:
        for runs in record.row_groups():
            if clause := _not_by_targets(runs):
                raise InputError(f"--compact: {path}: {clause}; export the complete archive")
            yield from thinned(runs, targets, equal).to_batches()

    with tempfile.TemporaryDirectory(prefix="timefair-compact-") as place:
        written = Path(place) / path.name
        write_record(written, batches(), facts)
        return written.read_bytes()


def _not_by_targets(runs: pa.Table) -> str:
    """Why the tables of runs do not depend on their first times at targets alone; empty if so."""
    if runs["f_opt"].null_count:
        return "the optima of some problems are unknown"
    if runs["noise_free_f"].null_count < len(runs):
        return "its runs are noisy"
    if len(runs["vectors"].drop_null()):
        return "its problems have several objectives or constraints, or change"
    return ""


def thinned(runs: pa.Table, targets: Sequence[float], equal: Equal) -> pa.Table:
    """Runs with the improvements that tables need, of `RUN_SCHEMA` with known optima. `targets`:
    precisions to reach; `equal`: numbers of evaluations of each problem at which its runs are
    compared. Null and empty lists of improvements stay as they are.
    """
    own, other = (_Events(runs[name]) for name in ("events", "launch_events"))
    keep = _first_at_targets(own, other, np.sort(np.asarray(targets, dtype=float)))
    problems = zip(*(runs[name].to_pylist() for name in _PROBLEM), strict=True)
    points = [equal.get(problem, np.empty(0, dtype=np.int64)) for problem in problems]
    keep[: own.size] |= own.ends() | own.steps() | own.latest(points)
    for events, name, kept in zip(
        (own, other), ("events", "launch_events"), np.split(keep, [own.size]), strict=True
    ):
        place = runs.schema.get_field_index(name)
        runs = runs.set_column(place, RUN_SCHEMA.field(name), events.where(kept))
    return runs


class _Events:
    def __init__(self, column: pa.ChunkedArray) -> None:
        whole = column.combine_chunks()
        self._column, self._flat = whole, whole.flatten()
        lengths = whole.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
        self.run = np.repeat(np.arange(len(whole)), lengths)
        self.size = len(self.run)

    def __getitem__(self, name: str) -> Floats:
        values: Floats = self._flat.field(name).to_numpy(zero_copy_only=False)
        return values

    def ends(self) -> NDArray[np.bool_]:
        first = np.diff(self.run, prepend=-1) != 0
        return np.asarray(first | (np.diff(self.run, append=-1) != 0))

    def steps(self) -> NDArray[np.bool_]:
        last = np.zeros(self.size, dtype=bool)
        for cost in (self["evaluations"], np.maximum(self["time_s"], _EARLIEST_S)):
            step = np.floor(RESOLUTION * np.log(cost))
            last[:-1] |= np.diff(step) != 0
        return last

    def latest(self, points: Sequence[NDArray[np.int64]]) -> NDArray[np.bool_]:
        """The last of each run at or before its numbers of evaluations."""
        kept, evaluations = np.zeros(self.size, dtype=bool), self["evaluations"]
        cuts = np.searchsorted(self.run, np.arange(len(points) + 1))
        for asked, (begin, end) in zip(points, pairwise(cuts), strict=True):
            place = np.searchsorted(evaluations[begin:end], asked, side="right") - 1
            kept[begin + place[place >= 0]] = True
        return kept

    def where(self, keep: NDArray[np.bool_]) -> pa.ListArray:
        counts = np.bincount(self.run[keep], minlength=len(self._column))
        offsets = pa.array(np.concatenate([[0], np.cumsum(counts)]), pa.int32())
        lists = pa.ListArray.from_arrays(offsets, self._flat.filter(pa.array(keep)))
        return pc.if_else(self._column.is_valid(), lists, pa.scalar(None, lists.type))


def _first_at_targets(own: _Events, other: _Events, targets: Floats) -> NDArray[np.bool_]:
    """With which improvements a launch first reaches a target, or ends; those of `own` first."""
    run = np.concatenate([own.run, other.run])
    if not run.size:
        return np.zeros(0, dtype=bool)
    launch, evaluations, _, precision = (
        np.concatenate([own[name], other[name]]) for name in _FIELDS
    )
    order = np.lexsort((evaluations, launch, run))
    new = np.ones(run.size, dtype=bool)
    new[1:] = (np.diff(run[order]) != 0) | (np.diff(launch[order]) != 0)
    reached = targets.size - np.searchsorted(targets, precision[order])
    before = np.where(new, 0, np.concatenate([[0], reached[:-1]]))
    kept = np.zeros(run.size, dtype=bool)
    kept[order] = (reached > before) | np.concatenate([new[1:], [True]])
    return kept


ENVIRONMENT = "environment"  # the folder of the machines and the pins, in an archive
KEYWORDS = ("benchmarking", "black-box optimization", "metaheuristics", "timefair")

_ORCID = re.compile(r"(?P<name>.*?)\s+(?P<orcid>\d{4}-\d{4}-\d{4}-\d{3}[\dX])")
_LICENSE = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]*")

_README = """\
# {title}

{description}

| folder or file | content |
|---|---|
{content}

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

_CHECKS = """\
`timefair verify` reads every file and every run again. `--rebuild` also makes every table again in
an empty folder, from the runs in this archive alone, and compares the files byte for byte."""
_COMPACT_CHECKS = """\
`timefair verify` reads every file and every run again. The archive is compact: its runs reach every
target at the same evaluation and second as they were measured, but between the targets they keep
only the last improvement in each step of 10.5 % of the evaluations or of the time. One record
per algorithm and dimension has all improvements, to replay it."""

_PINS = f"pip install -r {ENVIRONMENT}/requirements-1.txt"


class Author(NamedTuple):
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
        return cls(family, given, orcid)


def _environment(machines: Iterable[Mapping[str, Any]]) -> Iterator[Member]:
    for number, machine in enumerate(machines, start=1):
        text = json.dumps(machine, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
        yield Member(f"{ENVIRONMENT}/machine-{number}.json", text.encode())
        head = f"# Installed when the runs were measured, with Python {machine.get('python')}"
        installed = (machine.get("packages") or {}).items()
        lines = {f"{name.replace('_', '-').lower()}=={version}" for name, version in installed}
        pins = [head, *sorted(one for one in lines if not one.startswith("timefair=")), ""]
        yield Member(f"{ENVIRONMENT}/requirements-{number}.txt", "\n".join(pins).encode())


def _contents(results: str, origin: str, paths: set[str]) -> dict[str, str]:
    """What is in the folders and files that an archive with these paths has; `results` is the
    folder of the campaign in it.
    """
    every = {
        f"{results}/report.html": "The findings of the campaign, on one page.",
        f"{results}/checklist.html": "The reporting checklist, filled in from the campaign.",
        f"{results}/tables/": "The tables of the campaign, as CSV, Parquet and LaTeX.",
        f"{results}/figures/": "The figures of the campaign.",
        f"{results}/collected/": "The runs of which tables are made, one Parquet file per "
        "algorithm.",
        f"{results}/records/": "Runs as the jobs wrote them: one Parquet file per algorithm, "
        "function, dimension, chunk of instances and round.",
        f"{results}/tuning/": "The searches for parameters: one Parquet file per tuned variant.",
        f"{results}/{plan.SNAPSHOT}": "The checked configuration.",
        f"{CODE}/": f"The code: {origin}.",
        f"{OWN}/": "The authors' own algorithms and problems.",
        f"{ENVIRONMENT}/": "The facts of each machine, and its installed packages.",
        "README.md": "What the archive contains, and how to check it.",
        MANIFEST: "The SHA-256 of every file of the archive, for sha256sum --check.",
    }
    there = {*paths, "README.md", MANIFEST}
    return {k: words for k, words in every.items() if any(path.startswith(k) for path in there)}


_PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": ("Process Run Crate", "0.5"),
    "https://w3id.org/ro/wfrun/workflow/0.5": ("Workflow Run Crate", "0.5"),
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": ("Workflow RO-Crate", "1.0"),
}
_RO_CRATE = "https://w3id.org/ro/crate/1.1"  # for which the profiles are made
_COMPUTATIONAL = "https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE"
_SNAKEMAKE = "https://snakemake.readthedocs.io"

_FORMATS = {
    ".html": "text/html",
    ".json": "application/json",
    ".md": "text/markdown",
    ".txt": "text/plain",
}
_COMPLETE = "records, tables, figures, report, code and machine"
_COMPACT = "thinned runs, some records, code and machine"


def crate_of(
    folder: Path,
    *,
    authors: Sequence[Author],
    license: str,
    published: date | None = None,
    compact: bool = False,
) -> tuple[list[Member], str, int]:
    """Describe ``results/NAME`` as an archive: its files, which are not read yet, with ascending
    paths, the origin of its code, and the number of runs. It is `published` by
    default on the day of the last run. `InputError` if the campaign is not complete, no date is
    known, the runs cannot be `compact`, or the licence is no identifier.
    """
    if not _LICENSE.fullmatch(license):
        fault = "should be an identifier of SPDX, such as CC-BY-4.0"
        raise InputError(f"--license: {license}: {fault}")
    if not (folder / plan.SNAPSHOT).is_file():
        raise InputError(f"{folder}: there is no {plan.SNAPSHOT} in it; name results/NAME")
    campaign = configuration.restore(folder / plan.SNAPSHOT)
    results = f"results/{campaign.name}"
    files = campaign_files(folder, campaign, results)
    runs = collected.in_folder(folder, campaign)
    if compact:
        files = compact_files(files, folder, campaign, results)
    where = measured_where(runs)
    if published is None:
        if where.last is None:
            raise InputError("--date: missing; the campaign has no runs with times")
        published = where.last.date()
    about = {
        "name": f"Benchmark of black-box optimizers: campaign {campaign.name} of timefair",
        "description": _description(campaign, where, compact),
        "datePublished": published.isoformat(),
    }
    code = workflow_code(where.commits, documents=not compact)
    own = own_code(campaign, folder.resolve().parents[1])
    members = [*files, *code.members, *own, *_environment(where.machines)]
    contents = _contents(results, code.origin, {member.path for member in members})
    # the version that measured the runs; the present one if there is not just one
    version = where.versions[0] if len(where.versions) == 1 else __version__
    package = f"./{CODE}" if code.commit else f"timefair=={version}"
    readme = _README.format(
        title=about["name"],
        description=about["description"],
        content="\n".join(f"| `{path}` | {words} |" for path, words in contents.items()),
        checks=_COMPACT_CHECKS if compact else _CHECKS,
        verify="" if compact else " --rebuild",
        install="\n".join([*([_PINS] if where.machines else []), f"pip install {package}"]),
    )
    members.append(Member("README.md", readme.encode()))
    members.append(_metadata(about, authors, license, where, code, results, contents))
    return sorted(members, key=lambda member: member.path), code.origin, where.runs


def _description(campaign: Campaign, where: MeasuredWhere, compact: bool) -> str:
    problems, labels = campaign.problems, campaign.labels
    sizes = ", ".join(
        counted(len(getattr(problems, f"{name}s")), name)
        for name in ("function", "dimension", "instance")
    )
    return (
        f"{where.runs} runs of {len(labels)} algorithms ({', '.join(labels)}) on the suite "
        f"{problems.suite} ({sizes}), with {_COMPACT if compact else _COMPLETE}."
    )


def _metadata(
    about: Mapping[str, str],
    authors: Sequence[Author],
    license: str,
    where: MeasuredWhere,
    code: Code,
    results: str,
    contents: Mapping[str, str],
) -> Member:
    snapshot = f"{results}/{plan.SNAPSHOT}"
    parts = [_part(path, words) for path, words in contents.items()]
    of_results = [one for one in parts if one["@id"].startswith(results)]
    made = [one for one in of_results if one["@id"] != snapshot]
    people = []
    for one in authors:
        name = f"{one.given} {one.family}"
        place = f"https://orcid.org/{one.orcid}" if one.orcid else f"#{quote(name)}"
        names = {"familyName": one.family, "givenName": one.given}
        people.append(_entity(place, "Person", name=name, **names))
    licence = f"https://spdx.org/licenses/{license}"
    profiles = [
        _entity(url, "CreativeWork", name=name, version=version)
        for url, (name, version) in _PROFILES.items()
    ]
    times = {"startTime": where.first, "endTime": where.last}
    root = {
        **about,
        "keywords": ", ".join(KEYWORDS),
        "license": {"@id": licence},
        "author": _references(people),
        "conformsTo": _references(profiles),
        "hasPart": _references([*parts, {"@id": WORKFLOW}]),
        "mainEntity": {"@id": WORKFLOW},
        "mentions": {"@id": "#measurement"},
    }
    workflow = {
        "name": "timefair",
        "description": "Benchmarks black-box optimizers under the same time budget.",
        "license": {"@id": "https://spdx.org/licenses/BSD-3-Clause"},
        "conformsTo": {"@id": _COMPUTATIONAL},
        "creator": {"@id": "#timefair-developers"},
        "programmingLanguage": {"@id": "#snakemake"},
        "encodingFormat": "text/plain",
        "version": code.commit or " ".join(where.versions),
    }
    measurement = {
        "name": f"Measurement and analysis of {results}",
        "description": "Times are those of the first and the last run.",
        "actionStatus": "http://schema.org/CompletedActionStatus",
        **{name: time.isoformat(timespec="seconds") for name, time in times.items() if time},
        "agent": _references(people),
        "instrument": {"@id": WORKFLOW},
        "object": {"@id": snapshot},
        "result": _references(made),
    }
    graph = [
        _entity(METADATA, "CreativeWork", about={"@id": "./"}, conformsTo={"@id": _RO_CRATE}),
        _entity("./", "Dataset", **root),
        *people,
        _entity(licence, "CreativeWork", name=license, description="The licence."),
        *profiles,
        *parts,
        _entity(WORKFLOW, ["File", "SoftwareSourceCode", "ComputationalWorkflow"], **workflow),
        _entity(_COMPUTATIONAL, "CreativeWork", name="ComputationalWorkflow"),
        _entity("#timefair-developers", "Organization", name="The timefair developers"),
        _entity("#snakemake", "ComputerLanguage", name="Snakemake", url=_SNAKEMAKE),
        _entity("#measurement", "CreateAction", **measurement),
    ]
    content = {"@context": f"{_RO_CRATE}/context", "@graph": graph}
    text = json.dumps(content, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    return Member(METADATA, text.encode())


def _entity(identifier: str, kind: str | list[str], **properties: object) -> dict[str, Any]:
    return {"@id": identifier, "@type": kind, **properties}


def _references(entities: Sequence[Mapping[str, Any]]) -> object:
    found = [{"@id": entity["@id"]} for entity in entities]
    return found[0] if len(found) == 1 else found


def _part(path: str, words: str) -> dict[str, Any]:
    """A folder, whose path ends with ``/``, or a file."""
    kind, form = "Dataset" if path.endswith("/") else "File", PurePosixPath(path).suffix
    known = {"encodingFormat": _FORMATS[form]} if form in _FORMATS else {}
    return _entity(path, kind, name=PurePosixPath(path).stem, description=words, **known)
