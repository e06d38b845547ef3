"""The workflow and the package at the commit that measured a campaign, and the user's own files."""

from __future__ import annotations

import io
import subprocess
import sysconfig
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from timefair import __version__
from timefair.algorithms import registry as algorithms
from timefair.basics.errors import InputError
from timefair.campaign import provenance, scaffold
from timefair.campaign.configuration import Campaign
from timefair.campaign.provenance import PACKAGE
from timefair.environments.environment import tree
from timefair.extensions.archive.member import Member, files_below
from timefair.problems import registry as suites

FOLDER = "code"
"""Folder of the code in an archive."""

WORKFLOW = f"{FOLDER}/workflow/Snakefile"
"""The entry of the workflow, in an archive."""

OWN = "own"
"""Folder of the user's own files in an archive."""

_DIRTY = "-dirty"
_OF_PACKAGES = frozenset({"site-packages", "dist-packages"})
"""Folders of installed packages, of any interpreter."""
_MADE = ("__pycache__", ".egg-info")
_BUILT = (".so", ".c", ".pyc", ".pyo")
_SHIPPED = ("workflow", "config", "envs", "profiles")
_BESIDE = ("pyproject.toml", "setup.py", "Snakefile", "LICENSE", "README.md", "CITATION.cff")


class Code(NamedTuple):
    """The code of an archive, and one sentence on where it comes from."""

    members: list[Member]
    origin: str
    commit: str | None


def workflow_code(commits: Sequence[str]) -> Code:
    """The workflow and the package at the commit of the records, or as installed here.

    Parameters
    ----------
    commits
        The commits of timefair that the records name, each once; ``-dirty`` at the end marks one
        that files differed from.
    """
    top = _top_of_clone()
    if top is None:
        note = f"a copy of timefair {__version__} as it is installed here, without git"
        return Code(list(_installed()), note, None)
    known = [commit for commit in commits if _full(top, commit)]
    if len(commits) == len(known) == 1:
        (of_records,) = known
        commit = _full(top, of_records)
        note = f"git archive of {commit[:12]}, the commit that measured the runs"
        if of_records.endswith(_DIRTY):
            note += "; some files differed from it when the runs were measured"
    else:
        commit = _full(top, "HEAD")
        note = f"git archive of {commit[:12]}, the commit that is checked out; the runs were "
        note += f"measured by {' and '.join(commits) or 'an unknown commit'}"
    return Code(_at_commit(top, commit), note, commit)


def without_documents(code: Code) -> Code:
    """The same code without tests, documentation and everything else that measures nothing."""
    top = {f"{FOLDER}/{name}" for name in (*_SHIPPED, *_BESIDE)}
    members = [m for m in code.members if "/".join(m.path.split("/")[:2]) in top]
    return Code(members, f"{code.origin}; without tests and documentation", code.commit)


def own_code(campaign: Campaign, folder: Path) -> list[Member]:
    """The user's files that belong to the campaign's algorithms and its suite.

    They are imported from the working directory, and keep their paths below the folder of the
    campaign; files elsewhere are directly in `OWN`. Files from the ``path`` of an algorithm are in
    a folder of `OWN` with the algorithm's label.

    Parameters
    ----------
    folder
        The working directory of the campaign.

    Raises
    ------
    InputError
        If the environment of an algorithm cannot import it.
    """
    problems = campaign.problems
    files = set(suites.find(problems.suite, problems.parameters).source_files())
    found: dict[str, Path] = {}
    for label, spec in campaign.algorithms.items():
        environment = campaign.environment_of(label)
        if environment is None:
            uses = algorithms.involved(spec.use, spec.parameters)
            files.update(algorithms.source_files(*uses))
            continue
        question = provenance.question(campaign, label)
        if faults := environment.lacks(question):
            raise InputError(*(f"algorithms.{label}.{fault}" for fault in faults))
        sources = {Path(path).resolve() for path in environment.ask(question).sources}
        if environment.path is not None:
            top = Path(environment.path).resolve()
            below = tree(top)
            found |= {f"{OWN}/{label}/{path.relative_to(top)}": path for path in below}
            sources -= {path.resolve() for path in below}
        files |= sources
    top = folder.resolve()
    found |= {
        f"{OWN}/{path.relative_to(top) if path.is_relative_to(top) else path.name}": path
        for path in {file.resolve() for file in files}
    }
    return [
        Member(name, path)
        for name, path in sorted(found.items())
        if not path.is_relative_to(PACKAGE) and not _is_installed(path)
    ]


def differs_from_installed(archive: Path) -> bool:
    """Whether the package in an archive differs from the package that reads the archive."""
    archived = _sources(archive / FOLDER / "workflow" / PACKAGE.name)
    return archived != _sources(PACKAGE)


def _sources(package: Path) -> dict[str, bytes]:
    found = (m for m in files_below(package) if m.path.endswith((".py", ".pyx")))
    return {member.path: b"".join(member.chunks()) for member in found}


def _is_installed(path: Path) -> bool:
    """Whether a file belongs to Python, to an installed package or to the operating system."""
    places = {sysconfig.get_path(name) for name in ("stdlib", "platlib", "purelib", "scripts")}
    if not _OF_PACKAGES.isdisjoint(path.parts):
        return True
    return any(path.is_relative_to(place) for place in (*places, "/usr", "/bin"))


def _installed() -> Iterator[Member]:
    shipped = scaffold.folder()
    found = {
        f"{name}/{member.path}": member.content
        for name in _SHIPPED
        for member in files_below(shipped / name)
    }
    found |= {f"workflow/{PACKAGE.name}/{m.path}": m.content for m in files_below(PACKAGE)}
    found |= {name: shipped / name for name in _BESIDE if (shipped / name).is_file()}
    for name, content in sorted(found.items()):
        made = any(part.endswith(_MADE) for part in Path(name).parts)
        if not made and not name.endswith(_BUILT):
            yield Member(f"{FOLDER}/{name}", content)


def _top_of_clone() -> Path | None:
    """The top of the clone that the package is in; None if git does not know the package."""
    if not _git(PACKAGE, "ls-files", "--error-unmatch", "__init__.py"):
        return None
    top = _git(PACKAGE, "rev-parse", "--show-toplevel")
    return Path(top.decode().strip()) if top else None


def _full(top: Path, commit: str) -> str:
    """The full name of a commit, from what ``git describe`` says of it; empty if it is unknown."""
    name = commit.removesuffix(_DIRTY)
    found = _git(top, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    return found.decode().strip()


def _at_commit(top: Path, commit: str) -> list[Member]:
    with tarfile.open(fileobj=io.BytesIO(_git(top, "archive", commit))) as archive:
        return [
            Member(f"{FOLDER}/{entry.name}", file.read())
            for entry in archive
            if entry.isfile() and (file := archive.extractfile(entry)) is not None
        ]


def _git(folder: Path, *arguments: str) -> bytes:
    """The output of git; empty if there is no git, or it fails."""
    command = ["git", *arguments]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    except OSError:
        return b""
    return done.stdout if done.returncode == 0 else b""
