"""The database: an archive for each design, their digests, and a list of optimizers. An archive has
the configuration of a campaign, and its collected runs with the improvements that first reach a
target. `published: {format: timefair}` reads it, too.
"""

from __future__ import annotations

import csv
import io
import json
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from timefair.basics.errors import InputError, unknown
from timefair.basics.extension import each

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from timefair.campaign.configuration import Campaign
    from timefair.problems.problem import Variables
    from timefair.records.rundata.runs import Runs
    from timefair.records.rundata.settings import Analysis

FOLDER, DIGESTS, OPTIMIZERS = "timefair-data", "SHA256SUMS", "optimizers.csv"
SNAPSHOT, COLLECTED = "campaign.json", "collected"
MOST_MB, MOST_MB_TOGETHER = 15, 40
TARGETS = tuple(float(f"{10 ** (k / 5):.3g}") for k in range(40, -41, -1))
"""Precisions whose first times an archive keeps, beside the targets of its campaign."""
DECISIVE = (
    *("name", "seed", "problems", "algorithms", "budget", "restart", "runs", "rounds"),
    *("instances_per_job", "limits", "isolation", "targets"),
)
"""The keys of a configuration that a design needs; the others may be of another version."""
DROPPED = ("best_x", "launch_log", "batches", "vectors", "recommendations", "launch_events")
"""Columns that an archive leaves empty."""
PENALTY = 1000  # `constraint_penalty` of a design's algorithms that take no constraints
OUTDATED = ("records", "schema_version")  # facts that the archive has anew, or not


@dataclass(frozen=True)
class Design:
    """A campaign that was recorded: its name, the archive, the configuration, and the files with
    the runs of each algorithm."""

    name: str
    path: Path
    campaign: Campaign
    files: tuple[Path, ...]

    @cached_property
    def runs(self) -> Runs:
        from timefair.records.rundata.runs import Runs

        return Runs.read(self.files)

    @property
    def analysis(self) -> Analysis:
        from timefair.records.rundata.settings import Analysis

        return Analysis.of(self.campaign.analysis_settings)


def kinds(campaign: Campaign) -> set[Variables]:
    from timefair.problems.suites import SUITES

    suite = SUITES.get(campaign.problems.suite)
    return {suite.variables_of(function) for function in campaign.problems.functions if suite}


def entry(campaign: Campaign, use: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """What the configuration of a design has of one more algorithm: with the penalty `PENALTY` if
    the suite has constraints and the algorithm takes none, and rounded if it takes no integers."""
    from timefair.algorithms import libraries
    from timefair.problems.suites import SUITES

    found: dict[str, Any] = {"use": use, "parameters": dict(parameters)}
    suite = SUITES.get(campaign.problems.suite)
    if suite is None or libraries.faults(use, parameters):
        return found
    if suite.kind.penalized and suite.task not in libraries.tasks(use, parameters):
        found["constraint_penalty"] = PENALTY
    if kinds(campaign) != {"continuous"} and "integer" not in libraries.variables(use, parameters):
        found["integer"] = "round"
    return found


def designs(database: Path | None, design: str | None = None) -> dict[str, Path]:
    """The archives of a database by name, or one of them; `InputError` if one was changed. A
    database may be one archive or ``results/NAME``, and is by default `FOLDER` here or in the
    clone.
    """
    from timefair.campaign import scaffold

    if database is None:
        places = (Path(FOLDER), scaffold.folder() / FOLDER)
        database = next((one for one in places if one.exists()), places[0])
    if not database.exists():
        raise InputError(f"{database}: there is no such file or folder")
    if database.is_file() or any((database / name).exists() for name in (SNAPSHOT, COLLECTED)):
        found = {database.stem: database}
    else:
        shorter_first = sorted(database.glob("*.zip"), key=lambda path: (len(path.stem), path.stem))
        found = {path.stem: path for path in shorter_first}
        if not found:
            raise InputError(f"{database}: has no archive; write one with timefair export database")
        if faults := list(changed(database)):
            raise InputError(*faults)
    if design is None:
        return found
    if design not in found:
        raise InputError(f"--design: {unknown(design, found)}")
    return {design: found[design]}


def changed(folder: Path) -> Iterator[str]:
    """What of a database is not as written: a digest differs, is missing, or has no file."""
    from timefair.io.reading import digest

    path = folder / DIGESTS
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    listed = {name: known for known, _, name in (line.partition("  ") for line in lines)}
    there = {one.name for one in (*folder.glob("*.zip"), *folder.glob(OPTIMIZERS))}
    for name in sorted(listed.keys() | there):
        if name not in listed:
            yield f"{folder / name}: has no digest in {DIGESTS}; write it with timefair"
        elif name not in there:
            yield f"{folder / name}: is missing"
        elif listed[name] != digest(folder / name):
            yield f"{folder / name}: not as written (SHA-256)"


@contextmanager
def opened(path: Path) -> Iterator[Design]:
    """A design while its archive, or folder ``results/NAME``, is unpacked."""
    from timefair.campaign import configuration
    from timefair.io.reading import unpacked

    with unpacked(path) as folder:
        places = [one.parent for one in sorted(folder.root.rglob(COLLECTED)) if one.is_dir()]
        if not places or not (places[0] / SNAPSHOT).is_file():
            raise InputError(f"{path}: has no collected runs with their {SNAPSHOT}")
        content = json.loads((places[0] / SNAPSHOT).read_text(encoding="utf-8"))
        campaign = configuration.check_keys({key: content[key] for key in DECISIVE})
        files = [places[0] / COLLECTED / f"{label}.parquet" for label in campaign.algorithms]
        there = tuple(one for one in files if one.is_file())
        yield Design(campaign.name, path, campaign, there)


def add(results: Path, folder: Path) -> str:
    """Write the archive of ``results/NAME``, the list and the digests; a line about it.
    `InputError` if it is too large, alone or with the others, or optima are unknown.
    """
    from timefair.io.reading import digest

    folder.mkdir(parents=True, exist_ok=True)
    with opened(results) as design:
        if design.runs.frame["f_opt"].isna().any():
            raise InputError(f"{results}: has problems with an unknown optimum")
        target = folder / f"{design.name}.zip"
        content = _packed(design)
        others = sum(one.stat().st_size for one in folder.glob("*.zip") if one != target)
        for size, most in ((len(content), MOST_MB), (len(content) + others, MOST_MB_TOGETHER)):
            if size > most * 1e6:
                raise InputError(f"{target}: {size / 1e6:.1f} MB, and at most {most} MB may be")
        target.write_bytes(content)
        bias = dict(each("settings", design.campaign, results)).get("bias", ())
    _write_list(folder, {row["algorithm"] for row in bias}, bias)
    lines = [
        f"{digest(one)}  {one.name}\n"
        for one in (*sorted(folder.glob("*.zip")), folder / OPTIMIZERS)
    ]
    (folder / DIGESTS).write_text("".join(lines), encoding="utf-8")
    return f"{target}: {len(design.files)} optimizers, {len(content) / 1e6:.1f} MB"


def _packed(design: Design) -> bytes:
    import numpy as np

    from timefair.records.store import open_record, write_record

    targets = np.unique([*TARGETS, *design.campaign.targets])
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive,
        tempfile.TemporaryDirectory() as place,
    ):
        _store(archive, f"{design.name}/{SNAPSHOT}", design.campaign.snapshot().encode())
        for path in design.files:
            record, smaller = open_record(path), Path(place) / path.name
            facts = {k: v for k, v in record.facts.items() if k not in OUTDATED}
            facts["collected"] = {**facts["collected"], "campaign": []}
            runs = _thinned(record.read(), targets)
            write_record(smaller, runs.to_batches(), facts)
            _store(archive, f"{design.name}/{COLLECTED}/{path.name}", smaller.read_bytes())
    return buffer.getvalue()


def _store(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, content, compresslevel=9)


def _thinned(runs: pa.Table, targets: NDArray[np.float64]) -> pa.Table:
    """Runs with the improvements that first reach one of the targets, and the last one."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    events = runs["events"].combine_chunks()
    lengths = pc.fill_null(pc.list_value_length(events), 0).to_numpy()
    flat = events.flatten()
    run = np.repeat(np.arange(len(lengths)), lengths)
    reached = len(targets) - np.searchsorted(targets, flat.field("precision").to_numpy())
    first = np.diff(run, prepend=-1) > 0
    kept = np.where(first, reached > 0, np.diff(reached, prepend=0) > 0)
    kept |= np.diff(run, append=len(lengths)) > 0
    counts = np.bincount(run[kept], minlength=len(lengths))
    offsets = pa.array(np.concatenate([[0], np.cumsum(counts)]), pa.int32())
    thin = pa.ListArray.from_arrays(offsets, flat.filter(pa.array(kept)))
    changes = {name: pa.nulls(len(runs), runs.schema.field(name).type) for name in DROPPED}
    for name, column in {**changes, "events": thin}.items():
        place = runs.schema.get_field_index(name)
        runs = runs.set_column(place, runs.schema.field(name), column)
    return runs


def _write_list(folder: Path, audited: set[str], bias: Any) -> None:
    import pandas as pd

    from timefair.algorithms import libraries

    path = folder / OPTIMIZERS
    before = {row["label"]: row["bias"] for row in read_list(folder)} if path.is_file() else {}
    rows: dict[str, dict[str, Any]] = {}
    for archive in sorted(folder.glob("*.zip")):
        with opened(archive) as design:
            frame = design.runs.frame
            each_us = 1e6 * (frame["cpu_s"] / frame["evaluations"] - frame["objective_s"])
            own_us = each_us.groupby(frame["algorithm"].astype(str)).median().clip(lower=0.0)
            for label, spec in design.campaign.algorithms.items():
                if label not in own_us:
                    continue
                if label in rows:
                    rows[label]["designs"] += f" {design.name}"
                    continue
                found = [r["kind"] for r in bias if r["algorithm"] == label and r["found"]]
                machine: Any = next(iter(design.runs.origins[label].machine), {})
                versions = machine.get("versions", {})
                names = libraries.declared(spec.use)[0].distributions
                said = " ".join(found) or "none" if label in audited else before.get(label, "")
                rows[label] = {
                    "label": label,
                    "use": spec.use,
                    "version": next((versions[name] for name in names if name in versions), ""),
                    "implementation": libraries.implementation(spec.use),
                    "own_time_us": f"{own_us[label]:.3g}",  # of CPU, without the function
                    "parameters": json.dumps(dict(spec.parameters)),
                    "schedule": json.dumps(spec.model_dump(mode="json")["schedule"]),
                    "bias": said,
                    "designs": design.name,
                }
    pd.DataFrame(rows.values()).to_csv(path, index=False, lineterminator="\n")


def read_list(folder: Path) -> list[dict[str, str]]:
    with (folder / OPTIMIZERS).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
