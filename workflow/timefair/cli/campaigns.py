"""Commands about a campaign, its algorithms and the machine: begin, check, watch and verify."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from math import ceil, inf
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from timefair.basics.errors import InputError, storing
from timefair.basics.extension import each
from timefair.basics.words import rough
from timefair.cli.arguments import (
    CONFIG,
    Declared,
    argument,
    cores_of,
    entry,
    one_thread,
    prepare_files,
)

if TYPE_CHECKING:
    from timefair.campaign.configuration import Campaign
    from timefair.campaign.progress import CampaignProgress

DECLARED = Declared()
command, add_to = DECLARED.command, DECLARED.add_to


@command(
    "init",
    argument("folder", "DIR", "created if it does not exist", type=Path),
    help="create a folder for campaigns",
    example="timefair init study\ncd study && snakemake --cores all --configfile campaign.yaml",
)
def _init(arguments: argparse.Namespace) -> None:
    """Writes the files that `snakemake` needs to run campaigns in a folder: a Snakefile that
    includes the installed workflow, the profiles, and campaign.yaml, a copy of the default campaign
    for you to edit. A clone of timefair already has these files. Existing files are never
    overwritten.
    """
    from timefair.campaign import scaffold

    scaffold.begin(arguments.folder, {})
    print(
        f"{arguments.folder}: change campaign.yaml, then\n"
        f"  cd {arguments.folder}\n"
        "  timefair check campaign.yaml\n"
        "  snakemake --cores all --configfile campaign.yaml"
    )


@command(
    "check",
    argument("config", **CONFIG),
    help="check a campaign, and show what it costs and what it can detect",
    example="timefair check mine.yaml",
)
def _check(arguments: argparse.Namespace) -> None:
    """Reads a campaign file. Prints one line per fault, with the key, the value and what would be
    right. Without faults, prints how many runs and jobs the campaign has, how long it takes at
    most, and how large a difference between two algorithms must be to be detected. Nothing is
    measured.
    """
    one_thread()
    from timefair.measure.trial import NoAnswer, elsewhere

    def lines() -> list[str]:  # in a fork, which a module of the user's may end
        try:
            with storing():
                return list(_lines(arguments))
        except Exception as error:
            if not isinstance(error, InputError):
                sys.excepthook(*sys.exc_info())
            raise

    try:
        print(*elsewhere(lines), sep="\n")
    except NoAnswer:
        raise InputError(f"{arguments.config}: it could not be checked to its end") from None


def _lines(arguments: argparse.Namespace) -> Iterator[str]:
    from timefair.campaign import configuration, plan
    from timefair.machine.facts import check_installed

    campaign = configuration.load(arguments.config)
    check_installed()
    yield f"campaign      {campaign.name}"
    instances, runs = len(campaign.problems.instances), campaign.runs
    of = f" ({instances} instances with {runs} runs each)" if instances > 1 and runs > 1 else ""
    many = f", {campaign.rounds} rounds" if campaign.rounds > 1 else ""
    each_ = f"{_at_most(campaign)}{instances * runs} of each algorithm on a function{of}"
    yield f"runs          {each_}; {plan.cell_count(campaign) * runs} in all{many}"
    yield from _time_lines(campaign)
    if (folder := Path("results") / campaign.name).is_dir():  # what snakemake would keep of it
        from timefair.campaign import collected, provenance

        yield from collected.finished(campaign, provenance.measure_keys(campaign), folder)
    yield f"algorithms    {len(campaign.algorithms)}"
    if campaign.published:
        recorded = any(of.format == "timefair" for of in campaign.published.values())
        seconds = "; seconds if kernels were timed" if recorded else " only"
        yield f"published     {len(campaign.published)}, in evaluations{seconds}"
    in_turn = len(campaign.algorithms)
    blocks = "" if campaign.block is None else f", in blocks of {in_turn} on one node"
    yield f"jobs          {sum(1 for _ in plan.jobs(campaign))}{blocks}"
    yield from _change_lines(campaign)
    yield from _machine_lines(campaign)
    yield from (*campaign.not_drawn, *configuration.warnings(campaign))
    yield from each("check", campaign)


def _at_most(campaign: Campaign) -> str:
    return "" if campaign.stopping.rule == "fixed" else "at most "


def _time_lines(campaign: Campaign) -> Iterator[str]:
    from timefair.campaign import plan

    cores = len(os.sched_getaffinity(0))
    estimate, of_job = plan.wall_seconds(campaign, cores), plan.job_seconds(campaign)
    in_all, budget = plan.core_seconds(campaign), campaign.budget
    if budget.time_s is not None and (cost_s := budget.evaluation_cost_s):
        most = f"at most {ceil(budget.time_s / cost_s)} evaluations in turn in a run"
        yield f"simulated cost  {cost_s:g} s per evaluation, without waiting for it; {most}"
        yield "wall time     unknown: the simulated cost takes no time"
    elif budget.cpu_s is not None:
        yield "wall time     unknown: runs end by CPU time, and waiting does not count"
    elif estimate is None or of_job is None or in_all is None:
        yield "wall time     unknown: evaluations are the only budget"
    else:
        yield (
            f"wall time     at most about {rough(estimate)} on {cores} core(s); {rough(in_all)} of "
            f"core time, at most {rough(of_job)} in a job"
        )


def _change_lines(campaign: Campaign) -> Iterator[str]:
    from timefair.problems import suites

    problems, budget = campaign.problems, campaign.budget
    environments = suites.find(problems.suite, problems.parameters).environments
    if environments == 1:
        return
    changes = f"{environments - 1} in a run"
    if budget.time_s is not None:
        yield f"changes       every {budget.time_s / environments:g} s, {changes}"
        return
    for dimension in problems.dimensions:
        period = (budget.evaluations_for(dimension) or 0) / environments
        yield f"changes       every {period:g} evaluations, {changes}, in {dimension} dimensions"


def _machine_lines(campaign: Campaign) -> Iterator[str]:
    """What machine the campaign requires, whether this is one (jobs may run elsewhere), and what it
    does not let runs have of the isolation that the campaign asks for.
    """
    from timefair.campaign import driver
    from timefair.machine.facts import Host, private_folders_refused
    from timefair.records.integrity import required_in_words

    if required := campaign.machine.required:
        yield f"machine       {required_in_words(required)}"
        if fault := driver.shortcoming_here(campaign):
            yield f"{fault}. Only jobs that run here fail."
    if refused := private_folders_refused(Host()):
        asked = ", ".join(sorted({campaign.isolation_of(label) for label in campaign.algorithms}))
        yield (
            f"isolation     {asked} is not possible here ({refused}): a run can write where later "
            "runs read, and signal other processes; run timefair doctor"
        )


@command(
    "schema",
    argument(
        "--write", "PATH", "write to this file (config/schema.json)",
        type=Path, nargs="?", const=Path("config/schema.json"),
    ),
    help="print the JSON schema of a campaign file",
    example="timefair schema\ntimefair schema --write config/schema.json",
)  # fmt: skip
def _schema(arguments: argparse.Namespace) -> None:
    """Prints the JSON schema of a campaign file. An editor uses it to complete and check keys while
    you type. With --write the schema is written to a file instead.
    """
    from timefair.campaign.configuration import json_schema

    if arguments.write is None:
        print(json_schema(), end="")
    else:
        prepare_files([arguments.write])
        arguments.write.write_text(json_schema(), encoding="utf-8")


EVERY_S = 5.0


class StatusLine:
    """A line with the state of a command; in a terminal (None: ask), each replaces the last."""

    def __init__(self, stream: TextIO, *, terminal: bool | None = None) -> None:
        self._stream = stream
        self.terminal = stream.isatty() if terminal is None else terminal
        self._last = ""

    def show(self, text: str) -> None:
        """Print a state, unless it is the last one."""
        if text != self._last:
            self._write(f"\r\x1b[K{_fitted(text)}" if self.terminal else f"{text}\n")
        self._last = text

    def above(self, text: str) -> None:
        self._write(f"\r\x1b[K{text}\n{_fitted(self._last)}" if self.terminal else f"{text}\n")

    def end(self) -> None:
        if self.terminal and self._last:
            self._write("\n")
        self._last = ""

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


def _fitted(text: str) -> str:
    return text[: shutil.get_terminal_size().columns - 1]


@command(
    "progress",
    argument("folder", "DIR", "results/NAME", type=Path),
    argument(
        "--watch", "S", f"repeat every S seconds ({EVERY_S:g}) until the campaign is complete",
        type=float, nargs="?", const=EVERY_S,
    ),
    help="show the progress of a campaign: runs done, failed, perturbed, time left",
    example="timefair progress results/default\ntimefair progress results/default --watch",
)  # fmt: skip
def _progress(arguments: argparse.Namespace) -> None:
    """Prints in one line how many runs of a campaign are done, how many of them failed or were
    perturbed, the measuring time so far, and the estimated remaining time. It reads records and
    journals, locks nothing and writes nothing, so you can call it at any time, from any machine
    that can read the folder.
    """
    one_thread()
    from timefair.campaign.progress import ProgressReader

    if arguments.watch is not None and not 0 < arguments.watch < inf:
        raise InputError(f"--watch: {arguments.watch:g}: should be seconds above 0")
    reader, status = ProgressReader(arguments.folder), StatusLine(sys.stdout)
    while True:
        progress = reader.look()
        status.show(line(reader.campaign, progress))
        if arguments.watch is None or progress.reported:
            status.end()
            return
        time.sleep(arguments.watch)


def line(campaign: Campaign, progress: CampaignProgress) -> str:
    """The progress of a campaign as one line of text."""
    from timefair.campaign import plan

    runs = f"all {progress.runs} runs"
    if not progress.measured:
        runs = share(campaign, progress.runs, progress.wanted)
    counts = {
        "failed": progress.failed,
        "perturbed": progress.perturbed,
        "damaged (timefair verify names them)": progress.damaged,
    }
    faults = [f"{count} {what}" for what, count in counts.items() if count]
    times: list[str] = []
    if progress.measured:
        report = "the report is made" if progress.reported else "no report yet"
        times = [f"measured in {rough(progress.worked_s)}", report]
    elif progress.left_s is not None:
        times = [f"{rough(progress.worked_s)} so far", f"about {rough(progress.left_s)} left"]
    else:
        cores = len(os.sched_getaffinity(0))
        if (seconds := plan.wall_seconds(campaign, cores)) is not None:
            times = [f"at most about {rough(seconds)} on {cores} core(s)"]
    return "; ".join([", ".join([f"{campaign.name}: {runs}", *faults]), *times])


def share(campaign: Campaign, done: int, wanted: int) -> str:
    """How many runs are done: ``120 of at most 480 runs (25 %)``."""
    return f"{done} of {_at_most(campaign)}{wanted} runs ({100 * done // max(wanted, 1)} %)"


SHORT = 40  # libraries with more algorithms are only listed with ``--library``


@command(
    "algorithms",
    argument("--library", "LIBRARY", "list every algorithm of one library"),
    argument("--all", help="list every algorithm of every library", action="store_true"),
    help="list the algorithms that can be used",
    example="timefair algorithms\ntimefair algorithms --library scipy",
)
def _algorithms(arguments: argparse.Namespace) -> None:
    """Lists the libraries whose algorithms a campaign can name as `library:name`, with their
    versions, and whether each algorithm asks for batches if it has several `threads`. For
    algorithms that cannot be used, it names the missing package.
    """
    from timefair.algorithms.libraries import LIBRARIES
    from timefair.machine.facts import versions

    chosen = arguments.library
    if chosen is not None:
        entry("--library", chosen, LIBRARIES)
    for name, library in LIBRARIES.items():
        if chosen not in (None, name):
            continue
        entries = library.available()
        if not entries:
            print(f"{name}: not listed; write {name}:{library.examples[0]}")
            continue
        software = [
            f"{package} {version or 'is not installed'}"
            for package, version in versions(library.distributions).items()
        ]
        usable = sum(not missing for missing in entries.values())
        print(f"{name}: {usable} of {len(entries)} usable ({', '.join(software)})")
        full = arguments.all or chosen is not None
        width = max(map(len, entries))
        for known, missing in entries.items() if full or len(entries) <= SHORT else ():
            if missing:
                asks = f"not here: {missing}"
            else:
                asks = "batches" if library.batches(known, {}) else "one point at a time"
            print(f"  {name}:{known:<{width}}  {asks}")
        if not full and len(entries) > SHORT:
            print(f"  listed by: timefair algorithms --library {name}")


@command(
    "doctor",
    argument("--cores", "N", "number of cores for timed runs (all usable)", type=int),
    argument("--json", help="print all facts, as JSON", action="store_true"),
    help="find what would perturb times on this machine, and what to do about it",
    example="timefair doctor\ntimefair doctor --cores 1 --json",
    exits={0: "no finding is bad", 1: "a finding is bad"},
)
def _doctor(arguments: argparse.Namespace) -> int:
    """Checks the machine for about a second and prints one line per finding, the worst first: what
    was checked, the numbers, and what to do. `bad`: times would be wrong; `warn`: times would vary
    more or drift; `unknown`: the machine does not report it.
    """
    from timefair.machine.facts import Host

    host = Host()  # with the variables that the user has set
    one_thread()
    from timefair.machine import facts

    if arguments.cores is not None:
        cores_of(arguments)
    seen = facts.look(host, arguments.cores)
    found = facts.findings(seen)
    if arguments.json:
        told = {"findings": [finding._asdict() for finding in found], "facts": seen}
        print(json.dumps(told, indent=2, allow_nan=False))
    else:
        print(*found, facts.summary(found), sep="\n")
    return int(any(finding.severity == "bad" for finding in found))


@command(
    "verify",
    argument(
        "folder", "DIR", "results/NAME, any folder with records, or an archive (a folder or a zip)",
        type=Path,
    ),
    argument(
        "--rebuild", action="store_true",
        help="also make all tables again in an empty folder, and compare them byte for byte",
    ),
    argument("--quiet", help="print only problems, no summary", action="store_true"),
    argument(
        "--points-s", "S", "seconds for evaluating the best points again (60); 0: evaluate none",
        type=float, default=60.0,
    ),
    help="read every record again, and list what is damaged, missing or mixed",
    example="timefair verify results/default\ntimefair verify results/default --rebuild",
    exits={
        0: "nothing is wrong",
        1: "something is damaged, missing or mixed, or has a different value",
        2: "the command line is wrong, or there is nothing to verify",
    },
)  # fmt: skip
def _verify(arguments: argparse.Namespace) -> int:
    """Reads every record, collected file and journal of a folder again, checks their checksums, and
    evaluates the best point of each run again. Prints one line for each damaged file, each record
    with missing runs, each point whose value is now different, each mixture of runs that should not
    be in one table, and each deviation from the registration. In an archive of `timefair export
    crate`, it also compares every file with the manifest. The command changes no file.
    """
    return int(problems_of(arguments.folder, arguments, lambda line: print(line, flush=True)) > 0)


def problems_of(folder: Path, arguments: argparse.Namespace, say: Callable[[str], None]) -> int:
    """Verify a folder with records, say each line, and return the number of problems."""
    one_thread()
    if not arguments.points_s >= 0:
        raise InputError(f"--points-s: {arguments.points_s}: should be at least 0")
    from timefair.campaign.verify import verify

    summary = verify(folder, say, points_s=arguments.points_s)
    if not arguments.quiet:
        print(summary, flush=True)
    if not arguments.rebuild:
        return summary.problems
    from timefair.analysis import rebuild

    different: list[str] = []
    files = rebuild(folder, different.append)
    for line in different:
        say(line)
    if not arguments.quiet:
        alike = "all of them" if not different else str(files - len(different))
        print(f"{files} files of tables made again in an empty folder: {alike} bit-identical")
    return summary.problems + len(different)
