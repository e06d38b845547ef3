"""What the analysis of a million events costs, beside cocopp's report on the same data.

    python benchmarks/analysis.py [--folder /tmp/timefair-analysis] [--cost seconds]
        [--formats pdf svg png]

Measures, once, a campaign whose runs improve often, and keeps it in the folder. Then makes every
table and figure, every table alone, and the page; exports the runs and lets cocopp read them and
write its report. As in a campaign, one process imports what the analysis needs. A fork of it makes
the page, and another one reads the runs and makes each room of exhibits in a fork of its own.
Prints seconds of wall clock and of CPU time, and the peak of memory. Times of our processes are
added, as if one ran after the other; of their memory the largest counts.
"""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from timefair.linux import kernel

if TYPE_CHECKING:
    from timefair.campaign.configuration import Campaign

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
    usages = [usage, *(orphan.usage for orphan in kernel.end_orphans(spare=others))]
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
    from timefair.measure.job.cell import measure

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
                measure(campaign, job, record, key)
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


def ours(folder: Path, output: Path, *, page: bool) -> Usage:
    """Make what is missing of all rooms, and the page if wanted, and say what each of them took."""
    words = [sys.executable, __file__, "--prepared", str(output), "--folder", str(folder)]
    total = used_by([*words, "--page"] if page else words, output)
    print((output / "log.txt").read_text(), end="", flush=True)
    return total


def be_prepared(folder: Path, output: Path, page: bool) -> None:
    """Import what the analysis needs; let a fork make all rooms, and another one the page."""
    from timefair.campaign import configuration
    from timefair.cli import analysing, main

    start = time.monotonic()
    campaign = configuration.restore(folder / "campaign.json")
    analysing.load(campaign)
    tell("imports", start, resource.getrusage(resource.RUSAGE_SELF))
    in_fork(lambda: make_rooms(campaign, folder, output))
    if page:
        start = time.monotonic()
        tell("page", start, in_fork(lambda: main(["report", str(output)])))


def make_rooms(campaign: Campaign, folder: Path, output: Path) -> int:
    """Read the runs, and let a fork make each room."""
    from timefair.cli import analysing, main
    from timefair.exhibits.registry import TABLES

    start = time.monotonic()
    collected = sorted((folder / "collected").glob("*.parquet"))
    analysing.read(collected, campaign)
    tell("reading", start, resource.getrusage(resource.RUSAGE_SELF))
    for room in dict.fromkeys(TABLES[name].room for name in campaign.made_tables):
        words = ["make-room", room, *collected, "--campaign", folder / "campaign.json"]
        words += ["--output", output]
        start = time.monotonic()
        tell(room, start, in_fork(lambda: main(list(map(str, words)))))  # noqa: B023
    return 0


def tell(name: str, start: float, usage: resource.struct_rusage) -> None:
    """Print what a process used since a time."""
    print(f"  {name:28}{Usage.of(time.monotonic() - start, usage)}", flush=True)


def in_fork(work: Callable[[], int]) -> resource.struct_rusage:
    """Work in a fork of this process; what it and its own forks used."""
    child = os.fork()
    if not child:
        os._exit(work())
    _, status, usage = os.wait4(child, 0)
    if status:
        sys.exit(f"a fork ended with the status {os.waitstatus_to_exitcode(status)}")
    return usage


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
    parser.add_argument("--prepared", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--page", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    folder = options.folder.resolve()
    if options.prepared:
        be_prepared(folder, options.prepared, options.page)
        return
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
    everything = ours(folder, output, page=True)
    print(f"{'all tables, figures, page':30}{everything}", flush=True)
    shutil.rmtree(output / "tables")  # the figures stay as they are
    tables = ours(folder, output, page=False)
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
