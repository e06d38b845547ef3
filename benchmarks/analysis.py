"""What the analysis of a million events costs, beside cocopp's report on the same data.

    python benchmarks/analysis.py [--folder /tmp/timefair-analysis] [--cost seconds]
        [--formats pdf svg png]

Measures, once, a campaign whose runs improve often, and keeps it in the folder. Then makes every
table and figure and the page, and every table alone; exports the runs and lets cocopp read them and
write its report. Prints seconds of wall clock and of CPU time on one core, and the peak of memory.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import multiprocessing
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from timefair.machine.linux import kernel

CAMPAIGN = """
name: analysis
problems: {suite: bbob, functions: 1-24, dimensions: [5, 10, 20], instances: 1-15}
algorithms:
  Nelder-Mead: scipy:Nelder-Mead
  adaptive: {use: scipy:Nelder-Mead, parameters: {adaptive: true}}
  Powell: scipy:Powell
budget: {evaluations_per_dimension: 250}
runs: 1
instances_per_job: 15
tables: all
figures: {names: all, formats: FORMATS}
"""
FORMATS = ("pdf", "svg")  # those of cocopp's figures, and the default of timefair

COCOPP = """
import socket, sys
socket.setdefaulttimeout(2)  # it asks the network when it is imported
import cocopp
cocopp.testbedsettings.GECCOBBOBTestbed.settings["reference_algorithm_filename"] = None
cocopp.genericsettings.interactive_mode = False
cocopp.main(sys.argv[1:])
"""


@dataclass(frozen=True)
class Usage:
    """What a process used, or several in turn."""

    wall_s: float
    cpu_s: float
    peak_mb: float

    @classmethod
    def of(cls, wall_s: float, usage: resource.struct_rusage) -> Usage:
        """What the kernel reports of a process that ran for so long."""
        return cls(wall_s, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.wall_s + other.wall_s,
            self.cpu_s + other.cpu_s,
            max(self.peak_mb, other.peak_mb),
        )

    def over(self, other: Usage) -> Usage:
        """The ratios."""
        return Usage(
            self.wall_s / other.wall_s, self.cpu_s / other.cpu_s, self.peak_mb / other.peak_mb
        )

    def __str__(self) -> str:
        return f"{self.wall_s:9.2f}{self.cpu_s:9.2f}{self.peak_mb:9.2f}"


def used_by(command: list[str], folder: Path) -> Usage:
    """Run a command to its end and say what it used, with prepared processes that outlive it.

    The peak of a process includes what its parent had when it was started, so this one stays small:
    little is imported here, and the data are made elsewhere.
    """
    kernel.adopt_orphans()
    others = kernel.children()
    with (folder / "log.txt").open("w+") as log:
        start = time.monotonic()
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)
        _, status, usage = os.wait4(process.pid, 0)
        wall_s = time.monotonic() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            log.seek(0)
            sys.exit(f"{' '.join(command)}\n{log.read()}")
    usages = [usage, *(orphan for orphan in kernel.end_orphans(spare=others))]
    of_each = [Usage.of(wall_s, one) for one in usages]
    return Usage(wall_s, sum(one.cpu_s for one in of_each), max(one.peak_mb for one in of_each))


def timefair(*words: object, folder: Path) -> Usage:
    return used_by([sys.executable, "-m", "timefair", *map(str, words)], folder)


# --- The data -------------------------------------------------------------------------------


def make_data(folder: Path, formats: Sequence[str]) -> None:
    """Measure the campaign by the package's own code; records that are there already are kept."""
    from timefair import cli
    from timefair.campaign import configuration, plan
    from timefair.campaign.provenance import measure_keys
    from timefair.measure.job import Prepared, measure_job

    source = folder / "campaign.yaml"
    source.write_text(CAMPAIGN.replace("FORMATS", f"[{', '.join(formats)}]"))
    campaign = configuration.load(source)
    plan.write_snapshot(campaign, folder)
    collected = {name: folder / "collected" / f"{name}.parquet" for name in campaign.algorithms}
    if all(path.exists() for path in collected.values()):
        return
    keys = measure_keys(campaign)
    plan.write_keys(keys, folder)
    with (folder / "measure.log").open("a") as log, contextlib.redirect_stderr(log):
        for job in plan.jobs(campaign):
            key = keys[job.algorithm, job.round]
            record = folder / job.record(key)
            if not record.exists():
                measure_job(Prepared(campaign), job, record, key)
    snapshot = str(folder / "campaign.json")
    for name, path in collected.items():
        words = ["collect", "--campaign", snapshot, "--algorithm", name, "--output", str(path)]
        assert cli.main(words) == 0


def size_of(collected: list[Path]) -> tuple[int, int, float]:
    """Runs, events, and the seconds that were spent in runs."""
    import pyarrow.compute as pc

    from timefair.records.store import read_runs

    runs = read_runs(collected)
    events = pc.sum(pc.list_value_length(runs["events"])).as_py()
    return runs.num_rows, events, pc.sum(runs["wall_s"]).as_py()


def elsewhere(function, *arguments):
    """The result of a function that is called in a process of its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(function, arguments)


# --- The analyses ---------------------------------------------------------------------------


def ours(folder: Path, output: Path, *, everything: bool) -> Usage:
    """Make all tables, and all figures and the page if everything is wanted."""
    campaign = output / "campaign.json"
    if not everything:
        content = json.loads(campaign.read_text()) | {"figures": {"names": []}}
        campaign.write_text(json.dumps(content))
    collected = sorted((folder / "collected").glob("*.parquet"))
    words = ["--campaign", campaign, "--output", output]
    total = timefair("make-tables", *collected, *words, folder=output)
    return total + timefair("report", output, folder=output) if everything else total


def cocopps_report(export: Path, output: Path) -> Usage:
    folders = sorted(str(path) for path in export.iterdir())
    return used_by([sys.executable, "-c", COCOPP, "-o", "report", *folders], output)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--folder", type=Path, default=Path(tempfile.gettempdir()) / "timefair-analysis"
    )
    parser.add_argument("--formats", nargs="+", choices=("pdf", "svg", "png"), default=FORMATS)
    parser.add_argument("--cost", choices=("evaluations", "seconds"), default="evaluations")
    options = parser.parse_args()
    folder = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    elsewhere(make_data, folder, options.formats)
    collected = sorted((folder / "collected").glob("*.parquet"))
    runs, events, seconds = elsewhere(size_of, collected)
    print(f"{runs} runs, {events} events, {seconds:.0f} s inside runs")
    output = folder / "output"
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir()
    shutil.copy(folder / "campaign.json", output)
    print(f"{'':30}{'wall s':>9}{'CPU s':>9}{'peak MB':>9}")
    everything = ours(folder, output, everything=True)
    print(f"{'all tables, figures, page':30}{everything}", flush=True)
    shutil.rmtree(output / "tables")
    tables = ours(folder, output, everything=False)
    print(f"{'all tables':30}{tables}", flush=True)
    export = timefair(
        "export", "coco", folder, "--cost", options.cost, "--output", output / "coco", folder=output
    )
    print(f"{'export to COCO':30}{export}", flush=True)
    cocopp = cocopps_report(output / "coco", output)
    print(f"{'report of cocopp':30}{cocopp}")
    print(f"{'tables / cocopp':30}{tables.over(cocopp)}")
    print(f"{'everything / cocopp':30}{everything.over(cocopp)}")


if __name__ == "__main__":
    main()
