"""What an archive of a campaign takes: its size, and the time to write and to check it.

    python benchmarks/crate.py results/default [--times 70] [--rounds 10] [--folder FOLDER]

With `--times`, the runs of the campaign are repeated under new numbers, in so many rounds: 1,440
runs become 100,800. Tables, figures and pages stay those of the small campaign, so `verify
--rebuild` finds other tables then. Printed: seconds of wall clock and of CPU time and the peak of
the memory, in MB, to write the archive, to verify it as a zip and unpacked, and to make its
tables again; and the size.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import sys
import tempfile
import zipfile
from pathlib import Path

import pyarrow as pa
from analysis import elsewhere, timefair, used_by
from large import size_mb

from timefair.campaign import configuration, plan
from timefair.campaign.configuration import Campaign
from timefair.records.collect import collect
from timefair.records.integrity import Place
from timefair.records.schema import RUN_SCHEMA
from timefair.records.store import open_record, write_record

AUTHOR = ("--author", "Doe, Jane", "--license", "CC-BY-4.0")


def enlarge(source: Path, top: Path, times: int, rounds: int) -> Path:
    """A campaign whose runs are those of another one, so many times; its folder."""
    small = configuration.restore(source / plan.SNAPSHOT)
    large = small.model_copy(update={"runs": small.runs * times, "rounds": rounds})
    results = top / "results" / large.name
    for name in ("figures", "tables"):
        shutil.copytree(source / name, results / name)
    for name in ("report.html", "checklist.html"):
        shutil.copy(source / name, results)
    snapshot = plan.write_snapshot(large, results)
    keys = {
        (label, round): hashlib.sha256(f"{label} {round}".encode()).hexdigest()
        for label in large.algorithms
        for round in range(1, rounds + 1)
    }
    plan.write_keys(keys, results)
    old = plan.read_keys(source, small)
    facts_of_campaign = json.loads(snapshot.read_text())
    for label in large.algorithms:
        places = {}
        for job in plan.jobs(large):
            if job.algorithm == label:
                record = results / job.record(keys[label, job.round])
                first = plan.Job(label, job.function, job.dimension, job.instances, 1)
                write(source / first.record(old[label, 1]), record, large, job, facts_of_campaign)
                places[record] = Place(key=keys[label, job.round], **vars(job))
        expected = plan.expected_runs(large)
        collect(label, places, expected, results / f"collected/{label}.parquet")
    return results


def write(source: Path, record: Path, large: Campaign, job: plan.Job, asked: object) -> None:
    """The record of a job, with runs of a small record in turn."""
    small = open_record(source)
    runs = small.read()
    number = {(i, run): k for k, (i, run) in enumerate(zip(*names(runs), strict=True))}
    of_each = len(number) // len(job.instances)
    asked_for = [(i, run) for i in job.instances for run in plan.runs_of_round(large, job.round)]
    made = runs.take([number[i, run % of_each] for i, run in asked_for])
    for name, values in {
        "run": [run for _, run in asked_for],
        "round": [job.round] * len(asked_for),
    }.items():
        column = pa.array(values, RUN_SCHEMA.field(name).type)
        made = made.set_column(made.column_names.index(name), RUN_SCHEMA.field(name), column)
    key = plan.read_keys(record.parents[3], large)[job.algorithm, job.round]
    record.parent.mkdir(parents=True, exist_ok=True)
    write_record(record, made.to_batches(), small.facts | {"key": key, "campaign": asked})


def names(runs: pa.Table) -> tuple[list[int], list[int]]:
    """The instances and the numbers of runs."""
    return runs["instance"].to_pylist(), runs["run"].to_pylist()


def show(name: str, usage: object) -> None:
    print(f"{name:24}{usage}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=Path)
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="for the archives; by default a temporary one")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as place:
        top, results = Path(place), options.results.resolve()
        if options.times > 1:
            results = elsewhere(enlarge, results, top, options.times, options.rounds)
        words = ("export", "crate", str(results), "--output", "crate.zip", *AUTHOR)
        show("export crate.zip", timefair(*words, folder=top))
        print(f"size: {size_mb(top / 'crate.zip'):.1f} MB")
        zipfile.ZipFile(top / "crate.zip").extractall(top / "crate")
        for name in ("crate", "crate.zip"):
            words = ("verify", name, "--points-s", "0")
            show(f"verify {name}", timefair(*words, folder=top))
        rebuild = f"{sys.executable} -m timefair verify crate --points-s 0 --rebuild || true"
        show("verify crate --rebuild", used_by(["sh", "-c", rebuild], top))


if __name__ == "__main__":
    main()
