"""Writes the runs of one algorithm from published data to a record file."""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa

from timefair.basics.errors import InputError
from timefair.basics.words import counted, listed
from timefair.io.logs import coco_data_sets, ioh_data_sets
from timefair.io.reading import (
    Cautions,
    DataSet,
    Folder,
    Row,
    digest,
    refuse_rising,
    row_of,
    row_of_lines,
    unpacked,
)
from timefair.io.table_read import (
    Faults,
    Layout,
    cells_of,
    form_cells,
    numbering_of,
    numbers_of,
    rows_of,
    sets_of,
)
from timefair.records.integrity import Origins, machine_kinds
from timefair.records.schema import BRIDGE, FOREIGN_CLOCK, PUBLISHED, RUN_SCHEMA
from timefair.records.status import Perturbation
from timefair.records.store import open_record, write_record

NO_KERNELS = "no reference kernels of one machine: seconds are not compared, evaluations are"
COLLECTED = "collected"  # the folder of a campaign with one record per algorithm
KEYS = ("algorithm", "suite", "function", "dimension")
TIMES = ("wall_s", "cpu_s", "best_f", "status", "stop_reason", "budget_s", "budget_evaluations")
READ = (*KEYS, "instance", "f_opt", "evaluations", "events", "charged_s", *TIMES)


def timefair_data_sets(folder: Folder, cautions: Cautions) -> list[DataSet]:
    """The runs of all collected records; with times if these have times of reference kernels."""
    found = []
    for path in folder.indices(".parquet"):
        folder.beside(path, path.name)  # tables and single records are not left out by mistake
        if path.parent.name == COLLECTED:
            record = open_record(path)
            table, bridge = record.read().select(READ), _bridge(record.facts)
            if bridge is None:
                cautions.add(path, NO_KERNELS)
            cautions.rows[path] = len(table)
            by_key = defaultdict[tuple[str, str, int, int], list[Row]](list)
            for row in table.to_pylist():
                by_key[itemgetter(*KEYS)(row)].append(row)
            for key, rows in by_key.items():
                read = partial(_runs_in, rows, timed=bridge is not None)
                found.append(DataSet(*key, read, folder.place(path), bridge=bridge))
    return found


def _bridge(facts: Mapping[str, Any]) -> dict[str, Any] | None:
    """The fact `BRIDGE` of runs of one machine; None without kernels, or of several machines."""
    origins = Origins()
    origins.add(facts)
    machines, campaigns = machine_kinds([origins]), filter(None, origins.campaign)
    if not origins.kernels or len(machines) > 1:
        return None
    on_cpu = any(campaign["budget"].get("cpu_s") for campaign in campaigns)
    return {
        "machine": str(*machines),
        "clock": "cpu" if on_cpu else "wall",
        "implementation": origins.kernels[0]["implementation"],
        "kernels": origins.kernels,
    }


def _runs_in(rows: Sequence[Row], *, timed: bool) -> list[Row]:
    runs = []
    for row in rows:
        at, time_s, precision = (
            np.array([event[name] for event in row["events"]], kind)
            for name, kind in (("evaluations", np.int64), ("time_s", float), ("precision", float))
        )
        known = row["instance"], row["f_opt"], at, precision, row["evaluations"]
        if not timed:
            runs.append(row_of_lines(*known))
            continue
        cost_s = (row["charged_s"] or 0.0) / max(row["evaluations"], 1) or None
        more = {"evaluation_cost_s": cost_s, "perturbation": Perturbation.UNKNOWN}
        runs.append(row_of(*known, time_s) | {name: row[name] for name in TIMES} | more)
    return runs


RUN = ["solver_name", "objective_name", "dataset_name", "idx_rep"]  # they name a run
STRATEGY = "sampling_strategy"
COUNTED = ("iteration", "callback")  # strategies whose ``stop_val`` is a number of iterations
USUAL = {
    "algorithm": "solver_name",
    "function": "timefair function",
    "run": "idx_rep",
    "evaluations": "timefair evaluations",
    "seconds": "time",
    "value": "objective_value",
}


def benchopt_cells(path: Path, cautions: Cautions, layout: Layout) -> pd.DataFrame:
    """The cells of a results file of benchopt (Parquet or CSV), as of `table_read.cells_of`.

    ``evaluations`` are iterations plus 1, or the number of a sample by tolerance. The layout may
    replace each of `USUAL`. Samples that a later one of their run was as fast as are omitted.
    """
    table, faults = rows_of(path, cautions), Faults()
    if missing := [n for n in (*RUN, "stop_val", "time", "objective_value") if n not in table]:
        raise InputError(f"no column {', '.join(missing)}: not a results file of benchopt")
    ones = {name: "1" for name in ("dimension", "instance") if name not in layout.columns}
    layout = layout.over(USUAL, ones)
    number = table.groupby(RUN, dropna=False).cumcount().to_numpy() + 1.0
    if STRATEGY in table:
        counted = table[STRATEGY].astype(str).str.lower().isin(COUNTED).to_numpy()
        stop = numbers_of(table["stop_val"], "stop_val", faults)
        said = "stop_val is empty or NaN; expected a number of iterations"
        faults.add(counted & np.isnan(stop), said)
        number = np.where(counted, stop + 1, number)
    values = numbers_of(table["objective_value"], "objective_value", faults)
    faults.refuse()
    diverged = -np.inf if layout.sign("value") == "-" else np.inf
    added: dict[str, Any] = {
        "objective_value": np.where(np.isnan(values), diverged, values),
        USUAL["evaluations"]: number,
        USUAL["function"]: table["dataset_name"] + " " + table["objective_name"],
    }
    cells = cells_of(table.assign(**added), layout)
    cells = cells.sort_values("evaluations", kind="stable")[::-1]
    keys = [cells[name] for name in ("algorithm", "function", "dimension", "instance", "run")]
    soonest = cells["seconds"].groupby(keys).cummin()
    kept = cells[cells["seconds"] < soonest.groupby(keys).shift(fill_value=np.inf)][::-1]
    if dropped := len(cells) - len(kept):
        cautions.add("", "samples that took as long as a later one are omitted", rows=dropped)
    cautions.add("", "evaluations are iterations of the solver plus 1, or numbers of samples")
    return kept


def _said(sets: Sequence[DataSet]) -> Iterator[tuple[str, str]]:
    """What the files of one import have to agree on."""
    for one in sets:
        yield "the suite", one.suite or "not named"
        yield f"function {one.function}", one.name or "not named"
        for run in one.read():
            problem = f"function {one.function} instance {run['instance']}, D = {one.dimension}"
            optimum = "unknown" if run["f_opt"] is None else f"{run['f_opt']:.15g}"
            yield f"the optimum of {problem}", optimum


SHOWN = 8  # the largest number of names in a message


def one_algorithm(
    sets: list[DataSet], wanted: str | None, cautions: Cautions
) -> tuple[str, list[DataSet]]:
    """The name and the data sets of the wanted algorithm, or the only one: several names count as
    one if each function and dimension of a single folder has only one.
    """
    names = Counter(one.algorithm for one in sets)
    shown = ", ".join(sorted(names)[:SHOWN]) + (", …" if len(names) > SHOWN else "")
    if wanted is not None:
        if wanted not in names:
            raise InputError(f"no data of the algorithm {wanted!r}; available: {shown}")
        return wanted, [one for one in sets if one.algorithm == wanted]
    ((name, _), *others) = names.most_common()
    if others:
        spaces = {(one.function, one.dimension) for one in sets}
        named = {(one.function, one.dimension, one.algorithm) for one in sets}
        if len({one.index.parent for one in sets}) > 1 or len(named) > len(spaces):
            raise InputError(
                f"data of {len(names)} algorithms ({shown}); choose one with --algorithm, or with "
                "`algorithm` in the campaign"
            )
        cautions.add("", f"{len(names)} names of the algorithm ({shown}); read as one algorithm")
    return name, sets


def one_suite(sets: list[DataSet], wanted: str | None) -> tuple[str, list[DataSet]]:
    """The wanted suite if the data have it, else their only one, and the data sets on it."""
    suites = sorted({one.suite for one in sets})
    if wanted in suites:
        return wanted, [one for one in sets if one.suite == wanted]
    if len(suites) > 1:
        raise InputError(
            f"data of {len(suites)} suites ({', '.join(suites)}); give a folder with data of one"
        )
    return suites[0], sets


Format = Literal["coco", "ioh", "timefair", "table", "benchopt"]

READERS: dict[Format, tuple[Callable[[Folder, Cautions, Layout], list[DataSet]], str]] = {
    "coco": (lambda folder, cautions, _: coco_data_sets(folder, cautions), "no .info file"),
    "ioh": (ioh_data_sets, "no .json or .info file"),
    "timefair": (
        lambda folder, cautions, _: timefair_data_sets(folder, cautions),
        f"no .parquet file in a folder {COLLECTED}",
    ),
}
"""Readers of folders, and what there is not in one of another format."""

TABLES: dict[str, Callable[[Path, Cautions, Layout], pd.DataFrame]] = {
    "table": form_cells,
    "benchopt": benchopt_cells,
}
"""Formats of one file with runs of any number of algorithms."""

READING = {  # Meaning of the data of some COCO suites, by the beginning of the suite's name
    "bbob-noisy": "precisions are those of f without noise, the best of all evaluated points",
    "bbob-constrained": "evaluations of f and of the constraints are summed",
    "bbob-biobj": "precisions are distances of the hypervolume indicator from COCO's reference "
    "value, and negative beyond it",
}

_LONGEST_LABEL = 80


@dataclass(frozen=True)
class WantedProblems:
    suite: str
    functions: Collection[int]
    dimensions: Collection[int]
    instances: Collection[int]
    names: Mapping[int, str] = field(default_factory=dict)  # of functions, to match those of data
    own_dimensions: Mapping[int, int] = field(default_factory=dict)  # of functions with one only

    def has(self, function: int, dimension: int) -> bool:
        own = self.own_dimensions.get(function, dimension)
        return function in self.functions and dimension in self.dimensions and dimension == own


@dataclass
class Imported:
    """A summary of what was imported."""

    algorithm: str
    label: str  # its label in the record; `algorithm` is its name in the data
    suite: str
    runs: Counter[tuple[int, int, int]] = field(default_factory=Counter)
    """Number of runs per (function, dimension, instance)."""
    cautions: list[str] = field(default_factory=list)  # tolerated defects, one line per kind
    names: dict[int, str] = field(default_factory=dict)
    timed: bool = False  # whether the runs are complete, with their ends, and not only traces
    costs: set[str] = field(default_factory=set)  # known ones: seconds, evaluations
    read: str = ""  # what was read, such as ``400 rows of 2 files``
    left_out: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Numbers of what is not imported, such as ``("run", "on other problems")``."""
    budgets: set[tuple[int, float | None, int | None]] = field(default_factory=set)
    """(dimension, seconds, evaluations) that runs were allowed, if the record has times."""
    bridge: Mapping[str, Any] | None = None
    """By what its times are compared with those of measured runs (`records.schema.BRIDGE`)."""

    @property
    def origin(self) -> str:
        """What was read, and what of it the campaign does not have."""
        parts = [f"{counted(n, noun)} {why}" for (noun, why), n in self.left_out.items() if n]
        more = f"; left out: {', '.join(parts)}" if parts else ""
        return f"from {self.read}{more}"

    def lacking(self, wanted: WantedProblems) -> list[str]:
        """What the data lack of a campaign's problems, such as ``no functions 6``."""
        kinds = ("functions", "dimensions", "instances")
        there = zip(kinds, zip(*self.runs, strict=True), strict=True)
        absent = {kind: sorted({*getattr(wanted, kind)} - {*numbers}) for kind, numbers in there}
        return [f"no {kind} {', '.join(map(str, of))}" for kind, of in absent.items() if of]


def import_data(
    path: Path, format: Format, output: Path, *, algorithm: str | None = None,
    label: str | None = None, wanted: WantedProblems | None = None, layout: Layout | None = None,
) -> Imported:  # fmt: skip
    """Write the runs of one algorithm from published data to a record file.

    Runs on the same instance are numbered from 0 in the order of the data. `algorithm` is its name
    in the data, needed if they contain several, and `label` that in the record. `wanted` are the
    problems to import, without times; by default all, with times. `layout` has the columns of a
    table; for ``ioh``, ``seconds`` is a logged property. After an `InputError`, nothing is written.
    """
    cautions = Cautions()
    with ExitStack() as stack, _naming(path):
        data = _opened(stack, [path], format, layout, cautions, wanted)[path]
        name, of_name = one_algorithm(data, algorithm, cautions)
        suite, sets = one_suite(of_name, wanted.suite if wanted else None)
        found = Imported(
            name, label or name, suite or (wanted.suite if wanted else path.name.partition(".")[0])
        )
        found.left_out["data set", "of other algorithms"] = len(data) - len(of_name)
        found.left_out["data set", "of other suites"] = len(of_name) - len(sets)
        if wanted is not None and found.suite != wanted.suite:
            text = f"data of the suite {found.suite!r}, but the campaign uses {wanted.suite!r}"
            raise InputError(text)
        for beginning, meaning in READING.items() if format == "coco" else ():
            if found.suite.startswith(beginning):
                cautions.add("", f"{found.suite}: {meaning}")
        batches = list(_batches(sets, found, wanted, cautions))
        if not found.runs:
            none = "no run on a problem of the campaign" if wanted else "no run"
            raise InputError("; ".join([none, *cautions.lines[:1]]))
    _write([(found, output, batches)], data, [path], format, cautions)
    return found


def import_all(
    path: Path,
    format: Format,
    folder: Path,
    *,
    others: Sequence[Path] = (),
    layout: Layout | None = None,
) -> list[Imported]:
    """Write the runs of each algorithm to a record of its own, named by label, with times.

    Several files count as one, with times of one clock; runs in a file follow those in files
    before. `InputError` as in `import_data`, for two equal labels, or if the files disagree.
    """
    cautions, facts = Cautions(), dict[str, tuple[str, Path]]()
    paths, sets = list(dict.fromkeys((path, *others))), list[DataSet]()
    parts = []
    with ExitStack() as stack, _naming(*paths):
        by_path = _opened(stack, paths, format, layout, cautions)
        for one, own in by_path.items():
            with _naming(one):
                for subject, value in _said(own) if others else ():
                    before, where = facts.setdefault(subject, (value, one))
                    if before != value and where != one:
                        raise InputError(
                            f"{subject} is {value}, but {before} in {where}; give files that agree"
                        )
                one_suite(own, None)
                labels = _labels(sorted({each.algorithm for each in (*sets, *own)}), cautions)
            sets += own
        several = path.absolute().parent if others else path
        suite = one_suite(sets, None)[0] or several.name.partition(".")[0]
        for name, label in labels.items():
            found = Imported(name, label, suite)
            mine = [one for one in sets if one.algorithm == name]
            batches = list(_batches(mine, found, None, cautions))
            parts.append((found, folder / f"{label}.parquet", batches))
    _write(parts, sets, paths, format, cautions)
    return [found for found, *_ in parts]


def _opened(
    stack: ExitStack,
    paths: Sequence[Path],
    format: Format,
    layout: Layout | None,
    cautions: Cautions,
    wanted: WantedProblems | None = None,
) -> dict[Path, list[DataSet]]:
    """The data sets of each path; archives are unpacked while the stack is open."""
    found: dict[Path, list[DataSet]] = {}
    layout = layout or Layout()
    if format not in TABLES:
        for path in paths:
            with _naming(path):
                folder = stack.enter_context(unpacked(path))
                reader, none = READERS[format]
                found[path] = reader(folder, cautions, layout)
                if not found[path]:
                    raise InputError(*(cautions.lines[:1] or [f"{none}: not data of this format"]))
                for one in folder.unlisted():
                    cautions.add(one, "listed in no index file; left out")
        return found
    cells = {}
    for path in paths:
        with _naming(path):
            if not path.is_file():
                raise InputError("is a folder" if path.is_dir() else "there is no such file")
            cautions.place = path.name if len(paths) > 1 else ""
            cells[path] = TABLES[format](path, cautions, layout)
            cautions.rows[path] = len(cells[path])
    cautions.place = ""
    costs = {
        path: [name for name in ("evaluations", "seconds") if own[name].notna().any()]
        for path, own in cells.items()
    }
    for path, known in costs.items():
        if known != (first := costs[paths[0]]):
            has, other = (listed(one) if one else "no costs" for one in (known, first))
            raise InputError(f"{path}: has {has}, but {paths[0]} has {other}; analyse them apart")
    numbering = numbering_of([*cells.values()], cautions, wanted)
    for path, own in cells.items():
        with _naming(path):
            found[path] = sets_of(own, Path(path.name), cautions, numbering)
    if (value := cells[paths[0]].attrs["value"])[:1] not in ("+", "-"):
        keys = [*KEYS, "instance", "run"]
        runs = (run.to_numpy() for own in cells.values() for _, run in own.groupby(keys)["value"])
        refuse_rising(runs, value, "", cautions)
    return found


@contextmanager
def _naming(path: Path, *others: Path) -> Iterator[None]:
    """Faults name the path, unless they name one of the others already."""
    named = ("--", *(f"{one}: " for one in (path, *others)))
    try:
        yield
    except InputError as error:
        faults = (f if f.startswith(named) else f"{path}: {f}" for f in error.faults)
        raise InputError(*faults) from None


def label_of(name: str) -> str:
    """A label like a name, without the characters that labels do not have; it may be empty."""
    return re.sub(r"[^A-Za-z0-9._+-]+", "_", name)[:_LONGEST_LABEL].strip("._+-")


def _labels(names: list[str], cautions: Cautions) -> dict[str, str]:
    """The label of each algorithm; `InputError` if two differ in case only, or not at all."""
    labels: dict[str, str] = {}
    for name in names:
        label = label_of(name) or f"algorithm{len(labels) + 1}"
        same = [other for other, taken in labels.items() if taken.lower() == label.lower()]
        if same:
            raise InputError(f"algorithms {same[0]!r} and {name!r} both get the label {label}")
        if label != name:
            cautions.add("", f"algorithm {name!r} gets the label {label}")
        labels[name] = label
    return labels


def _write(
    parts: Sequence[tuple[Imported, Path, list[pa.RecordBatch]]],
    sets: Sequence[DataSet], paths: Sequence[Path], format: Format, cautions: Cautions,
) -> None:  # fmt: skip
    """Write a record per algorithm, to its path, of what was read."""
    read, files = counted(sum(cautions.rows.values()), "row"), len(cautions.rows)
    if format in TABLES:
        read += f" of {counted(files, 'file')}"
    else:
        indexes = counted(len({each.index for each in sets}), "index file")
        read += f" of {counted(files, 'data file')} and {indexes}"
    sha256, *more = map(digest, paths)
    if more:
        sha256 = hashlib.sha256("".join([sha256, *more]).encode()).hexdigest()
    for found, output, batches in parts:
        found.cautions, found.read = cautions.lines, read
        source: dict[str, Any] = {"format": format, "path": " ".join(map(str, paths))}
        source |= {"sha256": sha256, "algorithm": found.algorithm, "cautions": found.cautions}
        source |= {BRIDGE: found.bridge} if found.bridge else {}
        source |= {FOREIGN_CLOCK: True} if found.timed and not found.bridge else {}
        write_record(output, batches, {"algorithm": found.label, PUBLISHED: source})


def _batches(
    sets: list[DataSet], found: Imported, wanted: WantedProblems | None, cautions: Cautions
) -> Iterator[pa.RecordBatch]:
    seen: Counter[tuple[int, int, int]] = Counter()
    for one in sets:
        if wanted is not None and not wanted.has(one.function, one.dimension):
            found.left_out["data set", "on other problems"] += 1
            continue
        runs = one.read()
        runs = _not_seen(runs, one, seen, cautions)
        if wanted is not None:
            chosen = [run for run in runs if run["instance"] in wanted.instances]
            found.left_out["run", "on other problems"] += len(runs) - len(chosen)
            runs = [_comparable(run, one, cautions) for run in chosen]
            found.bridge = one.bridge
        if not runs:
            continue
        for run in (run for run in runs if "status" in run):
            found.timed = True
            budgets = run["budget_s"], run["budget_evaluations"]
            if not any(budgets):  # a run of 0 s without a budget
                budgets = 0.0, run["evaluations"] or len(run["events"])
            found.budgets.add((one.dimension, *budgets))
            if run["wall_s"] is not None:
                found.costs.add("seconds")
            if run["evaluations"] is not None:
                found.costs.add("evaluations")
        if one.name:
            found.names[one.function] = one.name
        problem = {"suite": found.suite, "function": one.function, "dimension": one.dimension}
        for run in runs:
            key = (one.function, one.dimension, run["instance"])
            run |= {**problem, "algorithm": found.label, "run": found.runs[key]}
            found.runs[key] += 1
        yield pa.RecordBatch.from_pylist(runs, schema=RUN_SCHEMA)


def _not_seen(
    runs: list[Row],
    one: DataSet,
    seen: Counter[tuple[int, int, int]],
    cautions: Cautions,
) -> list[Row]:
    """The runs that no data set before has; equal runs of one set all count.

    Runs without times are all kept unless all of them are known: they may be deterministic.
    """
    here: Counter[tuple[int, int, int]] = Counter()
    kept = []
    for run in runs:
        key = (one.function, one.dimension, hash(repr(run)))
        here[key] += 1
        if here[key] > seen[key]:
            kept.append(run)
    seen |= here
    if kept and any("status" not in run for run in runs):
        return runs
    if again := len(runs) - len(kept):
        cautions.add("", "runs that are also in another file are read once", runs=again)
    return kept


def _comparable(run: Row, one: DataSet, cautions: Cautions) -> Row:
    """A run in the form in which it can be compared with those of a campaign."""
    if run["f_opt"] is None:
        raise InputError(
            f"function {one.function} instance {run['instance']}: no optimum; add the column "
            "optimum, because published data are compared by their distances to it"
        )
    if run["evaluations"] is None:
        raise InputError("no evaluations, so it cannot be compared with measured runs")
    if one.bridge is not None or "status" not in run:
        return run
    if run["wall_s"] is not None:
        cautions.add("", "times are of a foreign clock; left out beside measured runs")
    kept = {name: run[name] for name in ("instance", "f_opt", "evaluations", "best_precision")}
    for event in (events := run["events"]):
        del event["time_s"]
    return kept | {"events": events, "best_f": run["f_opt"] + run["best_precision"]}
