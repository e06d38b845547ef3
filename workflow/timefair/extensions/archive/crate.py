"""A campaign as an archive: all of its files, and their description as a Workflow Run RO-Crate."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from timefair.basics.errors import InputError
from timefair.basics.words import counted
from timefair.campaign import collected, configuration, plan
from timefair.campaign.configuration import Campaign
from timefair.extensions.archive.cards import ENVIRONMENT, KEYWORDS, Author, Deposit, cards
from timefair.extensions.archive.compact import compact_files
from timefair.extensions.archive.files import (
    CODE,
    OWN,
    WORKFLOW,
    Code,
    MeasuredWhere,
    Member,
    campaign_files,
    measured_where,
    own_code,
    without_documents,
    workflow_code,
)
from timefair.extensions.archive.packing import MANIFEST, METADATA

if TYPE_CHECKING:
    from rocrate.model.entity import Entity
    from rocrate.rocrate import ROCrate

_PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": ("Process Run Crate", "0.5"),
    "https://w3id.org/ro/wfrun/workflow/0.5": ("Workflow Run Crate", "0.5"),
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": ("Workflow RO-Crate", "1.0"),
}
"""They are made for version 1.1 of RO-Crate."""

_FOLDERS = {
    "records": "Runs as the jobs wrote them: one Parquet file per algorithm, function, dimension, "
    "chunk of instances and round.",
    "tuning": "The searches for parameters: one Parquet file per tuned variant.",
    "collected": "The same runs, one Parquet file per algorithm.",
    "tables": "The tables of the campaign, as CSV, Parquet and LaTeX.",
    "figures": "The figures of the campaign.",
}
_PAGES = {
    "report.html": ("Report", "The findings of the campaign, on one page."),
    "checklist.html": ("Checklist", "The reporting checklist, filled in from the campaign."),
}
_CARDS = {
    "README.md": ("README", "What the archive contains, and how to check it."),
    "codemeta.json": ("CodeMeta", "The metadata of timefair."),
    MANIFEST: ("Manifest", "The SHA-256 of every file of the archive, for sha256sum --check."),
}
_FORMATS = {
    ".html": "text/html",
    ".json": "application/json",
    ".md": "text/markdown",
    ".txt": "text/plain",
}
_COMPLETE = "records, tables, figures, report, code and machine"
_COMPACT = "thinned runs, some records, code and machine"


class Crate(NamedTuple):
    """The files of an archive with ascending paths, and the origin of its code."""

    members: list[Member]
    code: str
    runs: int


def crate_of(
    folder: Path,
    *,
    authors: Sequence[Author],
    license: str,
    published: date | None = None,
    compact: bool = False,
) -> Crate:
    """Describe ``results/NAME`` as an archive; its files are not read yet.

    It is `published` by default on the day of the last run. `InputError` if the folder is not that
    of a complete campaign, no date is known, or the runs cannot be `compact`.
    """
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
    deposit = Deposit(
        f"Benchmark of black-box optimizers: campaign {campaign.name} of timefair",
        _description(campaign, where, compact),
        authors,
        license,
        published,
    )
    code = workflow_code(where.commits)
    if compact:
        code = without_documents(code)
    own = own_code(campaign, folder.resolve().parents[1])
    described = cards(
        deposit, where, code, results, own=bool(own), tuned=bool(campaign.tuned), compact=compact
    )
    members = [*files, *code.members, *own, *described]
    paths = {member.path for member in members}
    members.append(_metadata(deposit, where, code, results, paths))
    return Crate(sorted(members, key=lambda member: member.path), code.origin, where.runs)


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
    deposit: Deposit, where: MeasuredWhere, code: Code, results: str, paths: set[str]
) -> Member:
    """The description of an archive with files of these paths; `InputError` without rocrate.

    Records, tables and figures are described as folders, so that its size does not depend on the
    number of records.
    """
    try:
        from rocrate.rocrate import ROCrate
    except ImportError:
        raise InputError("rocrate: is not installed; pip install 'timefair[crate]'") from None
    described = _Described(ROCrate(version="1.1"), results)
    described.archive(deposit, code, paths)
    described.run(deposit, where, code, paths)
    graph = described.crate.metadata.generate()
    text = json.dumps(graph, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    return Member(METADATA, text.encode())


@dataclass(frozen=True)
class _Described:
    """The entities of one archive, the campaign in its folder `results`."""

    crate: ROCrate
    results: str

    def archive(self, deposit: Deposit, code: Code, paths: set[str]) -> None:
        """Describe the archive and all files but those of the campaign."""
        crate = self.crate
        crate.name, crate.description = deposit.title, deposit.description
        crate.datePublished = deposit.published
        crate.keywords = ", ".join(KEYWORDS)
        crate.license = self._entity(
            f"https://spdx.org/licenses/{deposit.license}",
            "CreativeWork",
            name=deposit.license,
            description="The licence.",
        )
        crate.root_dataset["author"] = _single([self._person(each) for each in deposit.authors])
        self._folders(
            {
                CODE: f"The code: {code.origin}.",
                OWN: "The authors' own algorithms and problems.",
                ENVIRONMENT: "The machines and their installed packages.",
            },
            paths,
        )
        cards = {name: self._file(name, title, words) for name, (title, words) in _CARDS.items()}
        cards["README.md"]["about"] = crate.root_dataset
        for path in sorted(paths):
            if path.startswith(f"{ENVIRONMENT}/"):
                self._file(path, PurePosixPath(path).stem, "A machine, or its packages.")

    def run(self, deposit: Deposit, where: MeasuredWhere, code: Code, paths: set[str]) -> None:
        """Describe the workflow, its execution, and the files that this made."""
        crate, results = self.crate, self.results
        snapshot = f"{results}/{plan.SNAPSHOT}"
        configuration = self._file(snapshot, "Configuration", "The checked campaign.")
        made = self._folders(
            {f"{results}/{name}": words for name, words in _FOLDERS.items()}, paths
        )
        made += [
            self._file(f"{results}/{name}", title, words)
            for name, (title, words) in _PAGES.items()
            if f"{results}/{name}" in paths
        ]
        workflow = crate.add_workflow(
            dest_path=WORKFLOW,
            source=WORKFLOW,
            main=True,
            lang="snakemake",
            properties={
                "name": "timefair",
                "description": "Benchmarks black-box optimizers under the same time budget.",
                "license": "https://spdx.org/licenses/BSD-3-Clause",
                "encodingFormat": "text/plain",
                "version": code.commit or " ".join(where.versions),
            },
        )
        workflow["conformsTo"] = self._bioschemas("ComputationalWorkflow")
        workflow["creator"] = self._entity(
            "#timefair-developers", "Organization", name="The timefair developers"
        )
        workflow["input"] = self._parameter("configuration", configuration)
        workflow["output"] = [self._parameter(PurePosixPath(each.id).name, each) for each in made]
        times = {"startTime": where.first, "endTime": where.last}
        action = crate.add_action(
            workflow,
            identifier="#measurement",
            object=configuration,
            result=made,
            properties={
                "name": f"Measurement and analysis of {results}",
                "description": "Times are those of the first and the last run.",
                "actionStatus": "http://schema.org/CompletedActionStatus",
                **{name: t.isoformat(timespec="seconds") for name, t in times.items() if t},
            },
        )
        action["agent"] = crate.root_dataset["author"]
        crate.root_dataset["mentions"] = action
        crate.root_dataset["conformsTo"] = [
            self._entity(url, "CreativeWork", name=name, version=version)
            for url, (name, version) in _PROFILES.items()
        ]

    def _parameter(self, name: str, value: Entity) -> Entity:
        kind = "Dataset" if value.id.endswith("/") else "File"
        parameter = self._entity(
            f"#parameter-{name}", "FormalParameter", name=name, additionalType=kind
        )
        parameter["conformsTo"] = self._bioschemas("FormalParameter")
        parameter["workExample"] = value
        value["exampleOfWork"] = parameter
        return parameter

    def _person(self, author: Author) -> Entity:
        name = f"{author.given} {author.family}"
        return self._entity(
            f"https://orcid.org/{author.orcid}" if author.orcid else f"#{quote(name)}",
            "Person",
            name=name,
            familyName=author.family,
            givenName=author.given,
        )

    def _file(self, path: str, name: str, description: str) -> Entity:
        properties = {"name": name, "description": description}
        if form := _FORMATS.get(PurePosixPath(path).suffix):
            properties["encodingFormat"] = form
        return self.crate.add_file(path, dest_path=path, properties=properties)

    def _folders(self, described: Mapping[str, str], paths: set[str]) -> list[Entity]:
        """Those of some folders that have files of these paths."""
        return [
            self.crate.add_dataset(
                f"{folder}/",
                dest_path=f"{folder}/",
                properties={"name": PurePosixPath(folder).name, "description": words},
            )
            for folder, words in described.items()
            if any(path.startswith(f"{folder}/") for path in paths)
        ]

    def _bioschemas(self, name: str) -> Entity:
        url = f"https://bioschemas.org/profiles/{name}/1.0-RELEASE"
        return self._entity(url, "CreativeWork", name=name)

    def _entity(self, identifier: str, kind: str, **properties: str) -> Entity:
        from rocrate.model.contextentity import ContextEntity

        properties["@type"] = kind
        return self.crate.add(ContextEntity(self.crate, identifier, properties=properties))


def _single(entities: list[Entity]) -> Entity | list[Entity]:
    """The only entity of a list; the list if there are more."""
    return entities[0] if len(entities) == 1 else entities
