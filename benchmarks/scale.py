"""What planning, starting, resuming and aggregating a campaign of 112,320 cells costs.

    python benchmarks/scale.py [--configurations 104] [--runs 1] [--events 60] [--start 100]
    python benchmarks/scale.py --runs 50 --events 4 --tables ert quantiles ranks success

24 functions in three dimensions, 15 instances each, for so many configurations of an algorithm; a
job covers the 15 instances. With ``--tables``, only these are made, after collecting. Nothing is
measured: a folder named `timefair` in the campaign's folder, which `python -m timefair` finds
before the package, puts records in place that were made beforehand. They have the true schema,
checksums, and facts as from the nodes of a cluster. Every step is a process of its own: seconds of
wall clock and of CPU (of its children too, so with the synthetic jobs), and the peak of the memory
of the largest process.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from analysis import Usage, elsewhere, timefair, used_by

ROOT = Path(__file__).resolve().parents[1]
FUNCTIONS, DIMENSIONS, INSTANCES = 24, 3, 15
NODES, CORES = 20, 32
F_OPT = 100.0
TABLES = ("runs", "ert", "quantiles", "ranks", "ecdf")
MEASURING = """
import os, runpy, sys

words = sys.argv[1:]
if words[0] == "measure":
    record = words[words.index("--record") + 1]
    os.link(record.replace("records/", "made/", 1), record)
else:
    sys.path = [path for path in sys.path if path != os.getcwd()]
    runpy.run_module("timefair", run_name="__main__", alter_sys=True)
"""


def write_campaign(folder: Path, configurations: int, runs: int, tables: list[str]) -> None:
    lines = [
        "name: scale",
        "problems: {suite: bbob, functions: 1-24, dimensions: [5, 10, 20], instances: 1-15}",
        "budget: {evaluations_per_dimension: 1000}",
        f"runs: {runs}",
        "instances_per_job: 15",
        "statistics: {resamples: 100}",
        f"tables: [{', '.join(tables)}]",
        "figures: [ert]",
        "algorithms:",
    ]
    for k in range(configurations):
        scale = 0.1 + 0.8 * k / configurations
        lines.append(
            f"  DE{k:03}: {{use: 'scipy:differential_evolution', "
            f"parameters: {{recombination: {scale:.4f}}}}}"
        )
    (folder / "campaign.yaml").write_text("\n".join(lines) + "\n")
    (folder / "timefair").mkdir(exist_ok=True)
    (folder / "timefair" / "__init__.py").touch()
    (folder / "timefair" / "__main__.py").write_text(MEASURING)


# --- Records that nobody measured -----------------------------------------------------------


def make_records(folder: Path, events: int, runs: int) -> int:
    """Put the record of each job under ``made/``; how many there are."""
    from timefair.campaign import configuration, plan, provenance
    from timefair.machine.facts import machine_facts, machine_state
    from timefair.records.store import write_record

    campaign = configuration.load(folder / "campaign.yaml")
    results = folder / "results" / "scale"
    plan.write_snapshot(campaign, results)
    keys = provenance.measure_keys(campaign)
    plan.write_keys(keys, results)
    common = {
        "campaign": campaign.model_dump(mode="json"),
        "machine": machine_facts(("scipy",)),
        "machine_state": machine_state(),
        "stopping": [],
    }
    codes = {label: provenance.measure_code(campaign, label) for label in campaign.algorithms}
    templates = [_runs(random.Random(k), events, runs) for k in range(20)]
    nodes = itertools.cycle(range(NODES * CORES))
    count = 0
    for count, job in enumerate(plan.jobs(campaign), start=1):
        key, node = keys[job.algorithm, job.round], next(nodes)
        path = results / "made" / job.record(key).relative_to("records")
        if path.exists():
            continue
        place = {"hostname": f"node{node // CORES}", "affinity": str(node % CORES)}
        facts = common | {"key": key, "code": codes[job.algorithm]}
        facts["machine"] = common["machine"] | place
        write_record(path, [_named(templates[count % 20], job)], facts)
    return count


def _runs(chance: random.Random, events: int, runs: int):
    """Runs of one job, named later."""
    import pyarrow as pa

    from timefair.records.schema import RUN_SCHEMA

    return pa.RecordBatch.from_pylist(
        [
            _run(instance, run, chance, events)
            for instance in range(1, INSTANCES + 1)
            for run in range(runs)
        ],
        schema=RUN_SCHEMA,
    )


def _run(instance: int, run: int, chance: random.Random, count: int) -> dict[str, object]:
    evaluations = sorted(chance.sample(range(1, 5000), count))
    values = sorted((F_OPT + 10 ** chance.uniform(-8, 2) for _ in evaluations), reverse=True)
    precision = [value - F_OPT for value in values]
    events = [
        {"launch": 0, "evaluations": made, "time_s": made * 1e-5, "precision": best}
        for made, best in zip(evaluations, precision, strict=True)
    ]
    launch = {"start_s": 0.0, "end_s": 0.05, "evaluations": 5000, "best_precision": precision[-1]}
    return {
        "suite": "bbob", "instance": instance, "round": 1, "run": run,
        "seed": chance.getrandbits(64), "status": "ok", "stop_reason": "evaluations",
        "attempts": 1, "wall_s": 0.05, "cpu_s": 0.05,
        "reaped_s": 0.05, "evaluations": 5000, "budget_evaluations": 5000, "launches": 1,
        "completed_restarts": 0,
        "best_f": values[-1], "best_precision": precision[-1], "f_opt": F_OPT,
        "perturbation": "clean", "run_queue_delay_s": 0.0, "foreign_delay_s": 0.0, "repeats": 0,
        "launch_log": [launch | {"end": "cut"}], "events": events,
    }  # fmt: skip


def _named(runs, job):
    """The same runs as those of a job."""
    import pyarrow as pa

    for name in ("algorithm", "function", "dimension"):
        place = runs.schema.get_field_index(name)
        values = pa.array([getattr(job, name)] * runs.num_rows, runs.schema.field(place).type)
        runs = runs.set_column(place, name, values)
    return runs


# --- The steps ------------------------------------------------------------------------------


def snakemake(folder: Path, *words: str) -> list[str]:
    return [
        str(Path(sys.executable).parent / "snakemake"), "--snakefile", str(ROOT / "Snakefile"),
        "--configfile", "campaign.yaml", "--cores", "2", "--quiet", "all", *words,
    ]  # fmt: skip


def records(folder: Path) -> Path:
    return folder / "results" / "scale" / "records"


def put_in_place(folder: Path, missing: float = 0.0) -> None:
    """All records but a share of them, as if they had been measured."""
    shutil.rmtree(records(folder), ignore_errors=True)
    made = sorted((folder / "results" / "scale" / "made").rglob("*.parquet"))
    left_out = set(random.Random(0).sample(made, round(missing * len(made))))
    for path in made:
        if path not in left_out:
            place = records(folder) / path.relative_to(folder / "results" / "scale" / "made")
            place.parent.mkdir(parents=True, exist_ok=True)
            os.link(path, place)


def started(folder: Path, jobs: int) -> Usage:
    """From nothing until so many jobs are done; then the workflow is asked to end."""
    start = time.monotonic()
    process = subprocess.Popen(
        snakemake(folder, "--until", "measure_cell"), cwd=folder,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    while sum(1 for _ in records(folder).rglob("*.parquet")) < jobs:
        if process.poll() is not None:
            sys.exit("snakemake ended before the jobs were done")
        time.sleep(0.5)
    process.send_signal(signal.SIGTERM)
    _, _, usage = os.wait4(process.pid, 0)
    wall_s = time.monotonic() - start
    return Usage.of(wall_s, usage)


def collect(folder: Path, labels: list[str]) -> Usage:
    results, total = folder / "results" / "scale", Usage(0, 0, 0)
    for label in labels:
        words = ["collect", "--campaign", results / "campaign.json", "--algorithm", label]
        words += ["--output", results / "collected" / f"{label}.parquet"]
        total += timefair(*words, folder=folder / "log")
    return total


def table(folder: Path, name: str) -> Usage:
    output = folder / "log" / f"{name}.parquet"
    words = ["table", folder / "results" / "scale", name, "--output", output]
    return timefair(*words, folder=folder / "log")


def say(step: str, usage: Usage) -> None:
    print(f"{step:34}{usage}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--configurations", type=int, default=104)
    parser.add_argument("--runs", type=int, default=1, help="of an instance")
    parser.add_argument("--tables", nargs="+", metavar="TABLE")
    parser.add_argument("--events", type=int, default=60, metavar="EVENTS", help="of a run")
    parser.add_argument("--start", type=int, default=100, metavar="JOBS")
    parser.add_argument(
        "--folder", type=Path, default=Path(tempfile.gettempdir()) / "timefair-scale"
    )
    options = parser.parse_args()
    folder = options.folder.resolve() / f"{options.configurations}-{options.runs}-{options.events}"
    (folder / "log").mkdir(parents=True, exist_ok=True)
    tables = options.tables or list(TABLES)
    write_campaign(folder, options.configurations, options.runs, tables)
    jobs = elsewhere(make_records, folder, options.events, options.runs)
    print(f"{jobs} jobs, {jobs * INSTANCES} cells, {jobs * INSTANCES * options.runs} runs")
    print(f"{'':34}{'wall s':>9}{'CPU s':>9}{'peak MB':>9}")
    if options.tables:
        put_in_place(folder)
    else:
        shutil.rmtree(records(folder), ignore_errors=True)
        measuring = ("--until", "measure_cell")
        say("check", timefair("check", "../campaign.yaml", folder=folder / "log"))
        say("dry run", used_by(snakemake(folder, "--dry-run", *measuring), folder))
        say(f"plan, and {options.start} jobs", started(folder, options.start))
        put_in_place(folder, missing=0.01)
        say("resume, 1 % missing", used_by(snakemake(folder, *measuring), folder))
        say("nothing to do", used_by(snakemake(folder, *measuring), folder))
    labels = [f"DE{k:03}" for k in range(options.configurations)]
    say("collect all", collect(folder, labels))
    for name in tables:
        say(f"table {name}", table(folder, name))


if __name__ == "__main__":
    main()
