"""The share of core-seconds of a campaign that are inside timed runs, and where the rest goes.

    python benchmarks/campaign.py [--config config/config.yaml] [--cores 2] [--measure-only]
    python benchmarks/campaign.py --measure-only --change budget.time_s=10 runs=1

Runs a campaign in an empty folder, from nothing to its figures or, with `--measure-only`, to its
records. `--change` changes keys of the campaign. Also printed: what an evaluation of each algorithm
costs, and the ratio of the largest cost to the smallest.

The share while measuring is that of all cores from the start of the first timed run to the end of
the last one. The table below it begins earlier, with the start of the first job. Its lines come
from the logs of the jobs and from the times at which logs and records were made; the lines that the
logs do not have (those of an earlier timefair) are part of "processes of jobs". On a machine that
others use as well, these shares are too small: a timed run ends after T seconds, whatever it was
given, and all else takes longer. So the share by CPU time is printed as well: it compares the
seconds of the timed runs with the CPU time of everything else, and leaves out all waiting. Others
slow this CPU time too; the reference kernel, beside it, shows by how much.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import yaml

from timefair.records.store import read_runs

ROOT = Path(__file__).resolve().parents[1]
RUNS = "timed runs"
PREPARED = re.compile(r"^prepared .* in ([\d.]+) s", re.MULTILINE)


class Job(NamedTuple):
    """A measuring job: when its process began and its record was there, and its log."""

    start: float
    end: float
    log: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--config", type=Path, default=ROOT / "config" / "config.yaml")
    parser.add_argument("--cores", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--measure-only", action="store_true", help="no tables, no figures")
    parser.add_argument("--change", nargs="*", default=[], metavar="KEY=VALUE")
    parser.add_argument("--snakefile", type=Path, default=ROOT / "Snakefile")
    options = parser.parse_args()
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # orphans become this process's, with their CPU time
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        config = folder / "campaign.yaml"
        config.write_text(yaml.safe_dump(changed(options.config, options.change)))
        elapsed, planning_cpu = run(options, folder, config)
        cpu = cpu_of_children() - planning_cpu
        runs = read_runs(sorted(folder.glob("results/*/records/*/*/*.parquet"))).to_pandas()
        jobs = sorted(all_jobs(folder))
    started = runs["started_utc"].map(lambda moment: moment.timestamp())
    inside, first = runs["wall_s"].sum(), started.min()
    phase = (started + runs["wall_s"]).max() - first
    print(f"whole campaign         {elapsed:.0f} s on {options.cores} cores")
    print(f"inside timed runs      {inside:.0f} core-seconds in {len(runs)} runs, {len(jobs)} jobs")
    if not options.measure_only:
        print(f"share of all           {inside / (elapsed * options.cores):.3f}")
    print(f"share while measuring  {inside / (phase * options.cores):.3f}")
    if options.measure_only:
        outside = cpu - runs["cpu_s"].sum()
        reference = runs.groupby("core")["reference_after_s"]
        slower = (reference.mean() / reference.min()).mean()
        print(f"share by CPU time      {inside / (inside + outside):.3f}")
        print(f"  at full speed        {inside / (inside + outside / slower):.3f}")
        print(f"reference kernel       {slower:.2f} x its least time")
    print_table(jobs, inside, options.cores)
    print_costs(runs)


def changed(path: Path, changes: list[str]) -> dict[str, Any]:
    """A campaign with some keys changed: ``budget.time_s=10``."""
    campaign: dict[str, Any] = yaml.safe_load(path.read_text())
    for change in changes:
        key, _, value = change.partition("=")
        *above, last = key.split(".")
        place = campaign
        for part in above:
            place = place[part]
        place[last] = yaml.safe_load(value)
    return campaign


def run(options: argparse.Namespace, folder: Path, config: Path) -> tuple[float, float]:
    """Run the campaign. Its seconds, and the CPU seconds until the first job began."""
    command = [
        sys.executable, "-m", "snakemake", "--snakefile", str(options.snakefile),
        "--cores", str(options.cores), "--configfile", str(config), "--quiet", "all",
        *(["--until", "finish_round"] if options.measure_only else []),
    ]  # fmt: skip
    start = time.monotonic()
    planning_cpu = 0.0
    with subprocess.Popen(command, cwd=folder) as snakemake:
        while snakemake.poll() is None and not any(folder.glob("results/*/logs/*/*/*.log")):
            words = Path(f"/proc/{snakemake.pid}/stat").read_text().rpartition(")")[2].split()
            planning_cpu = sum(map(int, words[11:15])) / os.sysconf("SC_CLK_TCK")
            time.sleep(0.02)
        if snakemake.wait():
            raise SystemExit("the campaign failed")
    return time.monotonic() - start, planning_cpu


def cpu_of_children() -> float:
    """CPU seconds of every process that was started, also of those that outlive their parents."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.05)
        except ChildProcessError:
            break
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def all_jobs(folder: Path) -> Iterator[Job]:
    """The measuring jobs of a campaign."""
    for record in folder.glob("results/*/records/*/*/*.parquet"):
        log = Path(str(record).replace("/records/", "/logs/")).with_suffix(".log")
        born = subprocess.run(
            ["stat", "-c", "%.W", log], check=True, capture_output=True, text=True
        )
        yield Job(float(born.stdout), record.stat().st_mtime, log.read_text())


def print_table(jobs: list[Job], inside: float, cores: int) -> None:
    """Where the core-seconds went from the start of the first job to the end of the last."""
    start, end = min(job.start for job in jobs), max(job.end for job in jobs)
    spent = Counter({RUNS: inside})
    for job in jobs:
        spent["preparation"] += sum(map(float, PREPARED.findall(job.log)))
    free = free_at(jobs, cores)
    spent["processes of jobs"] = sum(job.end - job.start for job in jobs) - sum(spent.values())
    spent["no job left"] = sum(end - moment for moment in free)
    spent["Snakemake between jobs"] = cores * (end - start) - sum(spent.values())
    print(f"\n{'where the core-seconds went':30}{'s':>9}{'share':>8}")
    for name, seconds in [*spent.most_common(), ("all", sum(spent.values()))]:
        print(f"{name:30}{seconds:9.2f}{seconds / (cores * (end - start)):8.3f}")
    print()


def free_at(jobs: list[Job], cores: int) -> list[float]:
    """When each core had its last job done."""
    free = [min(job.start for job in jobs)] * cores
    for job in jobs:
        free[min(range(cores), key=free.__getitem__)] = job.end
    return free


def print_costs(runs: pd.DataFrame) -> None:
    """What an evaluation costs by each algorithm."""
    sums = runs.groupby("algorithm")[["wall_s", "evaluations"]].sum()
    cost = (sums["wall_s"] / sums["evaluations"].clip(lower=1)).sort_values()
    for name, seconds in cost.items():
        print(f"  {name:24}{seconds * 1e6:12.2f} us per evaluation")
    print(f"largest / smallest     {cost.max() / cost.min():.0f}")


if __name__ == "__main__":
    main()
