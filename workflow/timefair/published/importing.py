"""Writes the runs of one algorithm from published data to a record file.

Times in the data come from a foreign clock, because timefair has not measured them. If the data are
compared with runs of a campaign, they are imported without their times.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa

from timefair.basics.errors import InputError
from timefair.published import coco, ioh, table
from timefair.published.agreement import Agreement
from timefair.published.archive import Folder, digest, unpacked
from timefair.published.batches import batch
from timefair.published.cautions import Cautions
from timefair.published.choice import one_algorithm, one_suite
from timefair.published.direction import Direction
from timefair.published.runs import DataSet, PublishedRun, content
from timefair.published.table import Cells, Known, Layout, Numbering
from timefair.records.schema import FOREIGN_CLOCK, PUBLISHED
from timefair.records.store import write_record

Format = Literal["coco", "ioh", "table", "benchopt"]

READERS: dict[Format, Callable[[Folder, Cautions, Layout], list[DataSet]]] = {
    "coco": lambda folder, cautions, _: coco.data_sets(folder, cautions),
    "ioh": lambda folder, cautions, layout: ioh.data_sets(folder, cautions, layout),
}
INDEX = {"coco": "no .info file", "ioh": "no .json or .info file"}

TABLES: dict[str, Callable[[Path, Cautions, Layout], Cells]] = {
    "table": table.cells,
    "benchopt": table.benchopt.cells,
}
"""Formats of one file with runs of any number of algorithms."""

READING = {
    "bbob-noisy": "precisions are those of f without noise, the best of all evaluated points",
    "bbob-constrained": "evaluations of f and of the constraints are summed",
    "bbob-biobj": "precisions are distances of the hypervolume indicator from COCO's reference "
    "value, and negative beyond it",
}
"""Meaning of the data of some COCO suites, by the beginning of the suite's name."""


_NO_LABEL = re.compile(r"[^A-Za-z0-9._+-]+")
_LONGEST_LABEL = 80


@dataclass(frozen=True)
class WantedProblems:
    """The problems of a campaign."""

    suite: str
    functions: Collection[int]
    dimensions: Collection[int]
    instances: Collection[int]
    names: Mapping[int, str] = field(default_factory=dict)
    """Names of functions, by which those of data are matched."""

    @property
    def problems(self) -> int:
        """The number of problems."""
        return len(self.functions) * len(self.dimensions) * len(self.instances)


@dataclass
class Imported:
    """A summary of what was imported."""

    algorithm: str
    """Name of the algorithm in the data."""
    label: str
    """Label of the algorithm in the record."""
    suite: str
    runs: Counter[tuple[int, int, int]] = field(default_factory=Counter)
    """Number of runs per (function, dimension, instance)."""
    cautions: list[str] = field(default_factory=list)
    """Tolerated defects of the data, one line per kind."""
    names: dict[int, str] = field(default_factory=dict)
    """Names of functions by their numbers, if the data have names."""
    timed: bool = False
    """Whether the record has times, of a foreign clock."""
    read: str = ""
    """What was read, such as ``400 rows of 2 files``."""
    left_out: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Numbers of what is not imported, such as ``("run", "on other problems")``."""
    budgets: set[tuple[int, float | None, int | None]] = field(default_factory=set)
    """(dimension, seconds, evaluations) that runs were allowed, if the record has times."""

    @property
    def origin(self) -> str:
        """What was read, and what of it the campaign does not have."""
        parts = [f"{_counted(n, noun)} {why}" for (noun, why), n in self.left_out.items() if n]
        more = f"; left out: {', '.join(parts)}" if parts else ""
        return f"from {self.read}{more}"

    def lacking(self, wanted: WantedProblems) -> list[str]:
        """What the data lack of a campaign's problems, such as ``no functions 6``."""
        kinds = ("functions", "dimensions", "instances")
        there = {kind: {key[k] for key in self.runs} for k, kind in enumerate(kinds)}
        clauses = []
        for kind in kinds:
            if absent := sorted(set(getattr(wanted, kind)) - there[kind]):
                clauses.append(f"no {kind} {', '.join(map(str, absent))}")
        return clauses


def import_data(
    path: Path, format: Format, output: Path, *, algorithm: str | None = None,
    label: str | None = None, wanted: WantedProblems | None = None, layout: Layout | None = None,
) -> Imported:  # fmt: skip
    """Write the runs of one algorithm from published data to a record file.

    A COCO trial is a run. Runs on the same instance are numbered from 0 in the order of the data.

    Parameters
    ----------
    path : Path
        A folder or an archive; of a table, the file.
    format : {"coco", "ioh", "table", "benchopt"}
        Format of the data.
    output : Path
        The Parquet file to write.
    algorithm : str, optional
        Name of the algorithm in the data. Needed if the data contain several.
    label : str, optional
        Label of the algorithm in the record; by default its name in the data.
    wanted : WantedProblems, optional
        The problems to import, without times; by default all, with the times that the data have.
    layout : Layout, optional
        Names of the columns of a table; by default the standard names. For ``ioh``, the column
        ``seconds`` is a logged property; without it, runs have no times.

    Returns
    -------
    Imported
        Name, suite, number of runs per problem, and cautions.

    Raises
    ------
    InputError
        If the path has no data of this format, no run on a wanted problem, several algorithms or
        suites, another suite than `wanted`, or damaged files. Nothing is written then.
    """
    cautions = Cautions()
    known = Known(wanted.suite, wanted.names) if wanted else None
    with _opened([path], format, layout, cautions, known) as (read, by_path):
        name, of_name = one_algorithm(by_path[path], algorithm, cautions)
        suite, sets = one_suite(of_name, wanted.suite if wanted else None)
        found = Imported(name, label or name, suite or _unnamed(path, wanted))
        found.left_out["data set", "of other algorithms"] = len(by_path[path]) - len(of_name)
        found.left_out["data set", "of other suites"] = len(of_name) - len(sets)
        _check_suite(found.suite, format, wanted, cautions)
        batches = list(_batches(sets, found, wanted, cautions))
        if not found.runs:
            none = "no run on a problem of the campaign" if wanted else "no run"
            raise InputError("; ".join([none, *cautions.lines[:1]]))
    found.cautions, found.read = cautions.lines, read()
    _write(output, batches, found, format, str(path), digest(path))
    return found


def import_all(
    path: Path,
    format: Format,
    folder: Path,
    *,
    others: Sequence[Path] = (),
    layout: Layout | None = None,
) -> list[Imported]:
    """Write the runs of each algorithm of a table with times to a record file of its own.

    Several files count as one: their times are of one clock, and runs of an algorithm in one file
    follow those in the files before.

    Parameters
    ----------
    path, format, layout
        As in `import_data`.
    folder : Path
        Gets one file per algorithm, named after its label: its name in the data, with ``_`` in
        place of characters that labels do not have.
    others : sequence of Path
        Further files.

    Returns
    -------
    list of Imported
        In the order of the labels.

    Raises
    ------
    InputError
        As in `import_data`, if two algorithms have the same label, or if the files disagree on the
        suite, the name of a function or an optimum. Nothing is written then.
    """
    cautions, agreement = Cautions(), Agreement()
    paths, sets = list(dict.fromkeys((path, *others))), list[DataSet]()
    for one, times in Counter((path, *others)).items():
        if times > 1:
            cautions.add(one, "given several times; read once")
    with _opened(paths, format, layout, cautions) as (read, by_path):
        for one, own in by_path.items():
            with _naming(one):
                agreement.add(one, own)
                one_suite(own, None)
                labels = _labels(sorted({each.algorithm for each in (*sets, *own)}), cautions)
            sets += own
    suite = one_suite(sets, None)[0] or _unnamed(path, None)
    parts = []
    for name, label in labels.items():
        found = Imported(name, label, suite)
        mine = [one for one in sets if one.algorithm == name]
        parts.append((found, list(_batches(mine, found, None, cautions))))
    digests = [digest(one) for one in paths]
    sha256 = digests[0] if not others else hashlib.sha256("".join(digests).encode()).hexdigest()
    for found, batches in parts:
        found.cautions, found.read = cautions.lines, read()
        output = folder / f"{found.label}.parquet"
        _write(output, batches, found, format, " ".join(map(str, paths)), sha256)
    return [found for found, _ in parts]


def _held(one: DataSet) -> DataSet:
    """The same data set. Its runs are read now, while its file is open."""
    runs = one.read()
    return replace(one, read=lambda: runs)


@contextmanager
def _opened(
    paths: Sequence[Path],
    format: Format,
    layout: Layout | None,
    cautions: Cautions,
    known: Known | None = None,
) -> Iterator[tuple[Callable[[], str], dict[Path, list[DataSet]]]]:
    """What was read, in words after reading, and the data sets of each path; faults name the path.

    Tables are numbered together. Of several other paths, all runs are read before.
    """
    layout = layout or Layout()
    if format in TABLES:
        cells = {}
        for path in paths:
            with _naming(path):
                if not path.is_file():
                    raise InputError("is a folder" if path.is_dir() else "there is no such file")
                cells[path] = TABLES[format](path, cautions, layout)
        with _naming(paths[0]):
            numbering = Numbering.of(list(cells.values()), cautions, known)
        found, direction = {}, Direction()
        for path, own in cells.items():
            with _naming(path):
                found[path] = table.sets_of(own, Path(path.name), cautions, numbering, direction)
        with _naming(paths[0]):
            direction.refuse(cells[paths[0]].value, "", cautions)
        rows = _counted(sum(own.rows for own in cells.values()), "row")
        with _naming(*paths):
            yield lambda: f"{rows} of {_counted(len(paths), 'file')}", found
        return
    found = {}
    with ExitStack() as stack:
        for path in paths:
            with _naming(path):
                folder = stack.enter_context(unpacked(path))
                found[path] = READERS[format](folder, cautions, layout)
                if not found[path]:
                    raise InputError(_nothing(format, cautions))
                for one in folder.unlisted():
                    cautions.add(one, "listed in no index file; left out")
                if len(paths) > 1:
                    found[path] = [_held(each) for each in found[path]]
        indexes = sum(len({each.index for each in own}) for own in found.values())
        with _naming(*paths):
            yield partial(_read, cautions, indexes), found


def _read(cautions: Cautions, indexes: int) -> str:
    """What was read of folders, in words."""
    rows = _counted(sum(cautions.rows.values()), "row")
    files = _counted(len(cautions.rows), "data file")
    return f"{rows} of {files} and {_counted(indexes, 'index file')}"


@contextmanager
def _naming(path: Path, *others: Path) -> Iterator[None]:
    """Faults name the path, unless they name one of the others already."""
    named = ("--", *(f"{one}: " for one in (path, *others)))
    try:
        yield
    except InputError as error:
        faults = (f if f.startswith(named) else f"{path}: {f}" for f in error.faults)
        raise InputError(*faults) from None


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"


def _unnamed(path: Path, wanted: WantedProblems | None) -> str:
    """The suite of data that name none: that of the campaign, or the name of the file."""
    return wanted.suite if wanted else path.name.partition(".")[0]


def _labels(names: list[str], cautions: Cautions) -> dict[str, str]:
    """The label of each algorithm; `InputError` if two differ in case only, or not at all."""
    labels: dict[str, str] = {}
    for name in names:
        plain = unicodedata.normalize("NFKD", name)
        word = _NO_LABEL.sub("_", "".join(c for c in plain if not unicodedata.combining(c)))
        known = any(letter.isalnum() for letter in word)
        label = ("x" if known and not word[0].isalnum() else "") + word
        label = label[:_LONGEST_LABEL].rstrip("_") if known else f"algorithm{len(labels) + 1}"
        same = [other for other, taken in labels.items() if taken.lower() == label.lower()]
        if same:
            raise InputError(f"algorithms {same[0]!r} and {name!r} both get the label {label}")
        if label != name:
            cautions.add("", f"algorithm {name!r} gets the label {label}")
        labels[name] = label
    return labels


def _write(
    output: Path,
    batches: list[pa.RecordBatch],
    found: Imported,
    format: Format,
    path: str,
    sha256: str,
) -> None:
    source: dict[str, Any] = {
        "format": format,
        "path": path,
        "algorithm": found.algorithm,
        "sha256": sha256,
        "cautions": found.cautions,
    }
    if found.timed:
        source[FOREIGN_CLOCK] = True
    write_record(output, batches, {"algorithm": found.label, PUBLISHED: source})


def _nothing(format: Format, cautions: Cautions) -> str:
    reason = next(iter(cautions.lines), INDEX[format])
    return f"{reason}: not data of this format" if reason == INDEX[format] else reason


def _check_suite(
    suite: str, format: Format, wanted: WantedProblems | None, cautions: Cautions
) -> None:
    if wanted is not None and suite != wanted.suite:
        raise InputError(f"data of the suite {suite!r}, but the campaign uses {wanted.suite!r}")
    if format != "coco":
        return
    for beginning, meaning in READING.items():
        if suite.startswith(beginning):
            cautions.add("", f"{suite}: {meaning}")


def _batches(
    sets: list[DataSet], found: Imported, wanted: WantedProblems | None, cautions: Cautions
) -> Iterator[pa.RecordBatch]:
    seen: Counter[tuple[int, int, bytes]] = Counter()
    for one in sets:
        if wanted is not None and not (
            one.function in wanted.functions and one.dimension in wanted.dimensions
        ):
            found.left_out["data set", "on other problems"] += 1
            continue
        runs = one.read()
        runs = _not_seen(runs, one, seen, cautions)
        if wanted is not None:
            chosen = [run for run in runs if run.instance in wanted.instances]
            found.left_out["run", "on other problems"] += len(runs) - len(chosen)
            runs = list(_without_times(chosen, one, cautions))
        if runs:
            clocked = [(run, run.timed) for run in runs if run.timed is not None]
            found.timed |= bool(clocked)
            found.budgets |= {
                (one.dimension, t.budget_s, t.budget_evaluations)
                if t.budget_s or t.budget_evaluations
                else (one.dimension, 0.0, run.all_evaluations)  # a run of 0 s without a budget
                for run, t in clocked
            }
            if one.name:
                found.names[one.function] = one.name
            numbers = list(_numbers(found.runs, one, runs))
            yield batch(one, runs, numbers, suite=found.suite, label=found.label)


def _not_seen(
    runs: list[PublishedRun],
    one: DataSet,
    seen: Counter[tuple[int, int, bytes]],
    cautions: Cautions,
) -> list[PublishedRun]:
    """The runs of a data set that no data set before it has; equal runs of one set all count.

    Runs without times can be equal because the algorithm is deterministic, so these are all kept
    unless all of them are known.
    """
    here: Counter[tuple[int, int, bytes]] = Counter()
    kept = []
    for run in runs:
        key = (one.function, one.dimension, content([run]))
        here[key] += 1
        if here[key] > seen[key]:
            kept.append(run)
    seen |= here
    if kept and any(run.timed is None for run in runs):
        return runs
    if again := len(runs) - len(kept):
        cautions.add("", "runs that are also in another file are read once", runs=again)
    return kept


def _without_times(
    runs: list[PublishedRun], one: DataSet, cautions: Cautions
) -> Iterator[PublishedRun]:
    """The runs in the form in which they can be compared with those of a campaign."""
    for run in runs:
        if run.f_opt is None:
            raise InputError(
                f"function {one.function} instance {run.instance}: no optimum; add the column "
                "optimum, because published data are compared by their distances to it"
            )
        if run.timed is not None:
            cautions.add("", "times are of a foreign clock; left out beside measured runs")
        yield replace(run, timed=None)


def _numbers(
    counts: Counter[tuple[int, int, int]], one: DataSet, runs: list[PublishedRun]
) -> Iterator[int]:
    """Number each run within its problem and add it to the counts."""
    for run in runs:
        key = (one.function, one.dimension, run.instance)
        yield counts[key]
        counts[key] += 1
