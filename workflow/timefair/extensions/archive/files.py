"""The files of an archive: those of the campaign, the code at its commit, and the user's own. They
are written as a zip, the same files as the same bytes, and checked. The manifest is a file for
``sha256sum --check``.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import subprocess
import sysconfig
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from timefair import __version__
from timefair.algorithms import libraries as algorithms
from timefair.analysis import outputs
from timefair.basics.disk import atomic_file
from timefair.basics.errors import InputError
from timefair.basics.extension import each, elsewhere
from timefair.campaign import plan, scaffold
from timefair.campaign.configuration import Campaign
from timefair.campaign.provenance import PACKAGE
from timefair.problems import suites
from timefair.records.schema import PUBLISHED
from timefair.records.store import open_record

CODE, OWN = "code", "own"  # the folders of the code and of the user's own files in an archive
WORKFLOW = f"{CODE}/workflow/Snakefile"  # the entry of the workflow, in an archive

_CHUNK = 2**20
_SHOWN = 3
_DIRTY = "-dirty"
_OF_PACKAGES = frozenset({"site-packages", "dist-packages"})
"""Folders of installed packages, of any interpreter."""
_MADE = ("__pycache__", ".egg-info")
_BUILT = (".so", ".c", ".pyc", ".pyo")
_SHIPPED = ("workflow", "config", "envs", "profiles")
_BESIDE = ("pyproject.toml", "setup.py", "Snakefile", "LICENSE", "README.md", "CITATION.cff")
_VERSIONS = ("versions", "packages")
_OF_PROCESS = (*_VERSIONS, "blas_threads", "environment")
"""Facts that depend on what a process has loaded."""


class Member(NamedTuple):
    """A file of an archive: its path there, with ``/``, and its bytes or the file with them."""

    path: str
    content: bytes | Path

    @property
    def size(self) -> int:
        if isinstance(self.content, bytes):
            return len(self.content)
        return self.content.stat().st_size

    def chunks(self) -> Iterator[bytes]:
        if isinstance(self.content, bytes):
            yield self.content
            return
        with self.content.open("rb") as file:
            while chunk := file.read(_CHUNK):
                yield chunk


def files_below(folder: Path) -> list[Member]:
    """Every file below a folder, by its path in the folder, sorted; also what a link leads to."""
    paths = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*")}
    return [Member(name, path) for name, path in sorted(paths.items()) if path.is_file()]


def campaign_files(folder: Path, campaign: Campaign, within: str) -> list[Member]:
    """The files of a complete campaign, to go to the folder `within`; `InputError` if some miss.
    Records of earlier versions of the campaign are omitted, and so are logs.
    """
    names = sorted(set(_names(folder, campaign)))
    if missing := [name for name in names if not (folder / name).is_file()]:
        lines = [f"{folder / name}: missing; {plan.AGAIN}" for name in missing[:_SHOWN]]
        if (more := len(missing) - _SHOWN) > 0:
            lines.append(f"and {more} more files: missing")
        raise InputError(*lines)
    return [Member(f"{within}/{name}", folder / name) for name in names]


def _names(folder: Path, campaign: Campaign) -> Iterator[str]:
    yield from (plan.SNAPSHOT, plan.KEYS, "report.html", "checklist.html", "tables/tables.tex")
    yield from each("files", campaign, folder)
    keys = plan.read_keys(folder, campaign)
    yield from (str(job.record(keys[job.algorithm, job.round])) for job in plan.jobs(campaign))
    yield from (str(plan.tuning_record(label, keys)) for label in campaign.tuned)
    for label in campaign.labels:
        yield f"collected/{label}.parquet"
    for path in outputs(campaign, "").values():
        yield path.lstrip("/")


class Code(NamedTuple):
    """The code of an archive, and one sentence on where it comes from."""

    members: list[Member]
    origin: str
    commit: str | None


def workflow_code(commits: Sequence[str], documents: bool = True) -> Code:
    """The workflow and the package at the commit of the records, or as installed here. Of
    `commits`, which the records name, ``-dirty`` marks one that files differed from.
    """
    known = _git(PACKAGE, "ls-files", "--error-unmatch", "__init__.py")
    top = _git(PACKAGE, "rev-parse", "--show-toplevel").decode().strip() if known else ""
    if not top:
        note = f"a copy of timefair {__version__} as it is installed here, without git"
        return Code(list(_installed()), note, None)
    there = [commit for commit in commits if _full(top, commit)]
    if len(commits) == len(there) == 1:
        (of_records,) = there
        commit = _full(top, of_records)
        note = f"git archive of {commit[:12]}, the commit that measured the runs"
        if of_records.endswith(_DIRTY):
            note += "; some files differed from it when the runs were measured"
    else:
        commit = _full(top, "HEAD")
        note = f"git archive of {commit[:12]}, the commit that is checked out; the runs were "
        note += f"measured by {' and '.join(commits) or 'an unknown commit'}"
    with tarfile.open(fileobj=io.BytesIO(_git(top, "archive", commit))) as archive:
        members = [
            Member(f"{CODE}/{entry.name}", file.read())
            for entry in archive
            if entry.isfile() and (file := archive.extractfile(entry)) is not None
        ]
    if not documents:
        shipped = {f"{CODE}/{name}" for name in (*_SHIPPED, *_BESIDE)}
        members = [m for m in members if "/".join(m.path.split("/")[:2]) in shipped]
        note += "; without tests and documentation"
    return Code(members, note, commit)


def own_code(campaign: Campaign, folder: Path) -> list[Member]:
    """The user's files that the campaign needs, with their paths below its working directory; files
    elsewhere are directly in `OWN`, those from the ``path`` of an algorithm below its label.
    `InputError` if an environment cannot import its algorithm.
    """
    problems = campaign.problems
    files = set(suites.find(problems.suite, problems.parameters).source_files())
    found: dict[str, Path] = {}
    for label, spec in campaign.algorithms.items():
        there = elsewhere(campaign, label)
        if there is None:
            uses = algorithms.involved(spec.use, spec.parameters)
            files.update(algorithms.source_files(*uses))
            continue
        if faults := there["faults"]:
            raise InputError(*(f"algorithms.{label}.{fault}" for fault in faults))
        sources = {Path(path).resolve() for path in there["sources"]}
        if there["folder"] is not None:
            top = Path(there["folder"]).resolve()
            below = {top / path for path in there["decisive"]["environment"]["files"]}
            found |= {f"{OWN}/{label}/{path.relative_to(top)}": path for path in below}
            sources -= {path.resolve() for path in below}
        files |= sources
    top = folder.resolve()
    found |= {
        f"{OWN}/{path.relative_to(top) if path.is_relative_to(top) else path.name}": path
        for path in {file.resolve() for file in files}
    }
    installed = [sysconfig.get_path(name) for name in ("stdlib", "platlib", "purelib", "scripts")]
    installed += [str(PACKAGE), "/usr", "/bin"]
    return [
        Member(name, path)
        for name, path in sorted(found.items())
        if not any(map(path.is_relative_to, installed)) and _OF_PACKAGES.isdisjoint(path.parts)
    ]


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
            yield Member(f"{CODE}/{name}", content)


def _full(top: str, commit: str) -> str:
    """The full name of a commit, from what ``git describe`` says of it; empty if it is unknown."""
    name = commit.removesuffix(_DIRTY)
    found = _git(top, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    return found.decode().strip()


def _git(folder: str | Path, *arguments: str) -> bytes:
    with contextlib.suppress(OSError, subprocess.CalledProcessError):
        return subprocess.run(
            ["git", *arguments], cwd=folder, capture_output=True, check=True
        ).stdout
    return b""


class MeasuredWhere(NamedTuple):
    """The origins of the runs in some collected files; `first` and `last` are the start of the
    first run and the end of the last, None if none was measured. Facts of `machines` that differ
    only in what a process has loaded count once, with the versions of all libraries.
    """

    runs: int
    first: datetime | None
    last: datetime | None
    machines: list[dict[str, Any]]
    commits: list[str]
    versions: list[str]


def measured_where(collected: Iterable[Path]) -> MeasuredWhere:
    """Read it from collected files; published data count as runs only."""
    runs, times, machines = 0, list[datetime](), list[dict[str, Any]]()
    for path in collected:
        record = open_record(path)
        for part in record.row_groups(("started_utc", "wall_s")):
            runs += part.num_rows
            for row in part.to_pylist():
                if (started := row["started_utc"]) is not None:
                    times += started, started + timedelta(seconds=row["wall_s"] or 0.0)
        if PUBLISHED not in record.facts:
            for machine in filter(None, record.facts["collected"]["machine"]):
                _add(machines, machine)
    commits = (machine.get("package_commit") for machine in machines)
    versions = ((machine.get("versions") or {}).get("timefair") for machine in machines)
    named = (list(dict.fromkeys(filter(None, of))) for of in (commits, versions))
    return MeasuredWhere(runs, min(times, default=None), max(times, default=None), machines, *named)


def _add(machines: list[dict[str, Any]], machine: dict[str, Any]) -> None:
    for known in machines:
        pairs = [(known.get(name) or {}, machine.get(name) or {}) for name in _VERSIONS]
        agree = all(
            one.get(k, value) == value for one, other in pairs for k, value in other.items()
        )
        if agree and _lasting(known) == _lasting(machine):
            together = (dict(sorted((one | other).items())) for one, other in pairs)
            known |= zip(_VERSIONS, together, strict=True)
            return
    machines.append(dict(machine))


def _lasting(machine: dict[str, Any]) -> dict[str, Any]:
    return {name: fact for name, fact in machine.items() if name not in _OF_PROCESS}


MANIFEST, METADATA = "manifest-sha256.txt", "ro-crate-metadata.json"
"""The checksums and the description of an archive, in its top folder."""

_DATE = (1980, 1, 1, 0, 0, 0)
_LINUX, _REGULAR_FILE = 3, 0o100644 << 16
_UNREADABLE = (
    zipfile.BadZipFile, RuntimeError, OSError, EOFError, ValueError, MemoryError, OverflowError,
)  # fmt: skip

# --- Writing ------------------------------------------------------------------------------------


def write_zip(members: Iterable[Member], path: Path) -> None:
    """Write files, with ascending paths, and their manifest; the zip appears when complete."""
    with atomic_file(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        lines = b"".join(f"{_store(archive, one)}  {one.path}\n".encode() for one in members)
        _store(archive, Member(MANIFEST, lines))


def _store(archive: zipfile.ZipFile, member: Member) -> str:
    entry = zipfile.ZipInfo(member.path, _DATE)
    entry.create_system, entry.external_attr = _LINUX, _REGULAR_FILE
    entry.file_size = member.size
    with archive.open(entry, "w") as file:
        return _copied(member, file.write)


def _copied(member: Member, write: Callable[[bytes], object] = lambda chunk: None) -> str:
    """Write the bytes of a file; their SHA-256, in hex."""
    known = hashlib.sha256()
    for chunk in member.chunks():
        known.update(chunk)
        write(chunk)
    return known.hexdigest()


# --- Checking -----------------------------------------------------------------------------------


def is_archive(target: Path) -> bool:
    if target.is_dir():
        return any((target / name).is_file() for name in (MANIFEST, METADATA))
    return target.suffix == ".zip"


@contextlib.contextmanager
def opened(target: Path, say: Callable[[str], None]) -> Iterator[Path]:
    """The folder of an archive, after a check of every byte; `say` gets a line for each fault. A
    zip is unpacked into a temporary folder. The working directory is then that of the user's files,
    if the archive contains some, so that their code can run.
    """
    with contextlib.ExitStack() as stack:
        folder = target.absolute()
        if not target.is_dir():
            place = stack.enter_context(tempfile.TemporaryDirectory(prefix="timefair-verify-"))
            folder = Path(place).resolve() / "crate"
            folder.mkdir()
        for fault in faults(folder) if target.is_dir() else _faults_of_zip(target, folder):
            say(f"{target}: {fault}")
        if (folder / OWN).is_dir():
            stack.enter_context(contextlib.chdir(folder / OWN))
        yield folder


def results_of(folder: Path) -> Path:
    """``results/NAME`` in an archive; `InputError` if it does not exist."""
    found = sorted((folder / "results").glob(f"*/{plan.SNAPSHOT}"))
    if not found:
        raise InputError(f"{folder}: contains no campaign")
    return found[0].parent


def faults(folder: Path) -> Iterator[str]:
    """A line for each file that is not as in the manifest; `InputError` without a manifest."""
    path = folder / MANIFEST
    try:
        lines = path.read_text("utf-8", "replace").splitlines()
    except OSError:
        raise InputError(f"{path}: there is no manifest; name an archive of timefair") from None
    entries = (line.partition("  ") for line in lines if not line.startswith("#"))
    expected = {name: checksum for checksum, _, name in entries}
    there = {member.path: member for member in files_below(folder) if member.path != MANIFEST}
    for name in sorted(expected.keys() | there.keys()):
        if name not in there:
            yield f"{name}: missing"
        elif name not in expected:
            yield f"{name}: not part of the archive"
        elif _copied(there[name]) != expected[name]:
            yield f"{name}: not as archived (SHA-256)"


def _faults_of_zip(path: Path, folder: Path) -> Iterator[str]:
    """Unpack a zip into a folder; a line for each fault of its files, or one of the zip itself."""
    if not path.is_file():
        raise InputError(f"{path}: there is no such file or folder")
    try:
        archive = zipfile.ZipFile(path)
    except _UNREADABLE as error:
        raise InputError(f"{path}: cannot be read as a zip ({error})") from None
    with archive:
        for entry in archive.infolist():
            try:
                archive.extract(entry, folder)
            except (*_UNREADABLE, NotImplementedError) as error:
                yield f"{entry.filename}: cannot be read from the zip ({error})"
    if not (folder / MANIFEST).is_file():
        raise InputError(f"{path}: contains no {MANIFEST}; name an archive of timefair")
    yield from faults(folder)
