"""Commands about a campaign, its algorithms and the machine: begin, check, watch and verify."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import ceil, inf
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from timefair.basics.errors import InputError, storing
from timefair.basics.extension import each
from timefair.basics.words import rough
from timefair.cli.common import CONFIG, Commands, cores_of, entry, one_thread, prepare_files

if TYPE_CHECKING:
    from timefair.campaign.configuration import Campaign
    from timefair.campaign.progress import CampaignProgress

LONG_S, MANY = 3600.0, 3
"""A campaign that is longer gets a hint if it has more instances and more runs on each of them."""


def add_to(commands: Commands) -> None:
    init = commands.add_parser(
        "init",
        help="create a folder for campaigns",
        description="Writes the files that `snakemake` needs to run campaigns in a folder: a "
        "Snakefile that includes the installed workflow, the profiles, and campaign.yaml, a copy "
        "of the default campaign for you to edit. A clone of timefair already has these files. "
        "Existing files are never overwritten.",
        example="timefair init study\ncd study && snakemake --cores all --configfile campaign.yaml",
    )
    init.add_argument("folder", type=Path, metavar="DIR", help="created if it does not exist")
    init.set_defaults(command=_init)

    check = commands.add_parser(
        "check",
        help="check a campaign, and show what it costs and what it can detect",
        description="Reads a campaign file. Prints one line per fault, with the key, the value and "
        "what would be right. Without faults, prints how many runs and jobs the campaign has, "
        "how long it takes at most, and how large a difference between two algorithms must be to "
        "be detected. Nothing is measured.",
        example="timefair check mine.yaml",
    )
    check.add_argument("config", **CONFIG)
    check.set_defaults(command=_check)

    schema = commands.add_parser(
        "schema",
        help="print the JSON schema of a campaign file",
        description="Prints the JSON schema of a campaign file. An editor uses it to complete and "
        "check keys while you type. With --write the schema is written to a file instead.",
        example="timefair schema\ntimefair schema --write config/schema.json",
    )
    schema.add_argument(
        "--write", type=Path, nargs="?", const=Path("config/schema.json"), metavar="PATH",
        help="write to this file (config/schema.json)",
    )  # fmt: skip
    schema.set_defaults(command=_schema)
    _add_progress(commands)
    _add_algorithms(commands)
    _add_checks(commands)


def _init(arguments: argparse.Namespace) -> None:
    from timefair.campaign import scaffold

    scaffold.begin(arguments.folder)
    print(
        f"{arguments.folder}: change campaign.yaml, then\n"
        f"  cd {arguments.folder}\n"
        "  timefair check campaign.yaml\n"
        "  snakemake --cores all --configfile campaign.yaml"
    )


def _check(arguments: argparse.Namespace) -> None:
    """Check in a fork, which a module of the user's may end."""
    one_thread()
    from timefair.measure.launching import NoAnswer, elsewhere

    def lines() -> list[str]:
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
    jobs = sum(1 for _ in plan.jobs(campaign))
    in_turn = len(campaign.algorithms)
    blocks = "" if campaign.block is None else f", in blocks of {in_turn} on one node"
    cells = plan.cell_count(campaign)
    yield f"campaign      {campaign.name}"
    yield f"runs          {_runs_line(campaign, cells)}"
    yield from (*_time_lines(campaign), *_finished_lines(campaign))
    yield f"algorithms    {len(campaign.algorithms)}"
    if campaign.published:
        recorded = any(of.format == "timefair" for of in campaign.published.values())
        seconds = "; seconds if kernels were timed" if recorded else " only"
        yield f"published     {len(campaign.published)}, in evaluations{seconds}"
    yield f"jobs          {jobs}{blocks}"
    yield from _change_lines(campaign)
    yield from (*_machine_lines(campaign), *_isolation_lines(campaign))
    yield from (*campaign.not_drawn, *configuration.warnings(campaign))
    yield from each("check", campaign)


def _runs_line(campaign: Campaign, cells: int) -> str:
    """The runs of an algorithm on a function in a dimension, and those of the campaign."""
    instances, runs = len(campaign.problems.instances), campaign.runs
    of = f" ({instances} instances with {runs} runs each)" if instances > 1 and runs > 1 else ""
    many = f", {campaign.rounds} rounds" if campaign.rounds > 1 else ""
    most = "" if campaign.stopping.rule == "fixed" else "at most "
    return (
        f"{most}{instances * runs} of each algorithm on a function{of}; {cells * runs} in all{many}"
    )


def _time_lines(campaign: Campaign) -> Iterator[str]:
    from timefair.campaign import plan

    cores = len(os.sched_getaffinity(0))
    estimate, of_job = plan.wall_seconds(campaign, cores), plan.job_seconds(campaign)
    in_all = plan.core_seconds(campaign)
    budget = campaign.budget
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
        instances = len(campaign.problems.instances)
        if estimate > LONG_S and min(instances, campaign.runs) > MANY:
            yield (
                f"              runs: {campaign.runs} is for each of the {instances} instances; "
                f"with COCO's way, one run on each instance, write runs: 1"
            )


def _finished_lines(campaign: Campaign) -> Iterator[str]:
    """What snakemake would keep of the runs in the folder of the campaign."""
    from timefair.campaign import collected, provenance

    if (folder := Path("results") / campaign.name).is_dir():
        yield from collected.finished(campaign, provenance.measure_keys(campaign), folder).lines()


def _change_lines(campaign: Campaign) -> Iterator[str]:
    from timefair.problems import registry

    environments = registry.find(campaign.problems.suite, campaign.problems.parameters).environments
    if environments == 1:
        return
    if campaign.budget.time_s is not None:
        period_s = campaign.budget.time_s / environments
        yield f"changes       every {period_s:g} s, {environments - 1} in a run"
        return
    evaluations = campaign.budget.evaluations
    if evaluations is not None:
        period = evaluations / environments
        yield f"changes       every {period:g} evaluations, {environments - 1} in a run"
        return
    for dimension in campaign.problems.dimensions:
        period = (campaign.budget.evaluations_for(dimension) or 0) / environments
        yield (
            f"changes       every {period:g} evaluations, {environments - 1} in a run, in "
            f"{dimension} dimensions"
        )


def _machine_lines(campaign: Campaign) -> Iterator[str]:
    """What machine the campaign requires, and whether this is one; jobs may run elsewhere."""
    from timefair.campaign import driver
    from timefair.records.integrity import required_in_words

    if required := campaign.machine.required:
        yield f"machine       {required_in_words(required)}"
        if fault := driver.shortcoming_here(campaign):
            yield f"{fault}. Only jobs that run here fail."


def _isolation_lines(campaign: Campaign) -> Iterator[str]:
    """What this machine does not let runs have of the isolation that the campaign asks for."""
    from timefair.machine.doctor import private_folders_refused
    from timefair.machine.facts import Host

    if refused := private_folders_refused(Host()):
        asked = ", ".join(sorted({campaign.isolation_of(label) for label in campaign.algorithms}))
        yield (
            f"isolation     {asked} is not possible here ({refused}): a run can write where later "
            "runs read, and signal other processes; run timefair doctor"
        )


def _schema(arguments: argparse.Namespace) -> None:
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
        """End the line; print the last state completely if it did not fit into the terminal."""
        if self.terminal and self._last:
            fits = _fitted(self._last) == self._last
            self._write("\n" if fits else f"\r\x1b[K{self._last}\n")
        self._last = ""

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


def _fitted(text: str) -> str:
    return text[: shutil.get_terminal_size().columns - 1]


def _add_progress(commands: Commands) -> None:
    progress = commands.add_parser(
        "progress",
        help="show the progress of a campaign: runs done, failed, perturbed, time left",
        description="Prints in one line how many runs of a campaign are done, how many of them "
        "failed or were perturbed, the measuring time so far, and the estimated remaining time. "
        "It reads records and journals, locks nothing and writes nothing, so "
        "you can call it at any time, from any machine that can read the folder.",
        example="timefair progress results/default\ntimefair progress results/default --watch",
    )
    progress.add_argument("folder", type=Path, metavar="DIR", help="results/NAME")
    progress.add_argument(
        "--watch", type=float, nargs="?", const=EVERY_S, metavar="S",
        help=f"repeat every S seconds ({EVERY_S:g}) until the campaign is complete",
    )  # fmt: skip
    progress.set_defaults(command=_progress)


def _progress(arguments: argparse.Namespace) -> None:
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
    runs = f"all {progress.runs} runs"
    if not progress.measured:
        runs = share(campaign, progress.runs, progress.wanted)
    counts = {
        "failed": progress.failed,
        "perturbed": progress.perturbed,
        "damaged (timefair verify names them)": progress.damaged,
    }
    faults = [f"{count} {what}" for what, count in counts.items() if count]
    parts = [f"{campaign.name}: {runs}", *faults]
    return "; ".join([", ".join(parts), *_times(campaign, progress)])


def share(campaign: Campaign, done: int, wanted: int) -> str:
    """How many runs are done: ``120 of at most 480 runs (25 %)``."""
    most = "" if campaign.stopping.rule == "fixed" else "at most "
    return f"{done} of {most}{wanted} runs ({100 * done // max(wanted, 1)} %)"


def _times(campaign: Campaign, progress: CampaignProgress) -> list[str]:
    from timefair.campaign import plan

    if progress.measured:
        report = "the report is made" if progress.reported else "no report yet"
        return [f"measured in {rough(progress.worked_s)}", report]
    if progress.left_s is not None:
        return [f"{rough(progress.worked_s)} so far", f"about {rough(progress.left_s)} left"]
    cores = len(os.sched_getaffinity(0))
    seconds = plan.wall_seconds(campaign, cores)
    return [] if seconds is None else [f"at most about {rough(seconds)} on {cores} core(s)"]


def _add_checks(commands: Commands) -> None:
    doctor = commands.add_parser(
        "doctor",
        help="find what would perturb times on this machine, and what to do about it",
        description="Checks the machine for about a second and prints one line per finding, the "
        "worst first: what was checked, the numbers, and what to do. `bad`: times would be "
        "wrong; `warn`: times would vary more or drift; `unknown`: the machine does not report it.",
        example="timefair doctor\ntimefair doctor --cores 1 --json",
        exits={0: "no finding is bad", 1: "a finding is bad"},
    )
    doctor.add_argument(
        "--cores", type=int, metavar="N", help="number of cores for timed runs (all usable)"
    )
    doctor.add_argument("--json", action="store_true", help="print all facts, as JSON")
    doctor.set_defaults(command=_doctor)

    verify = commands.add_parser(
        "verify",
        help="read every record again, and list what is damaged, missing or mixed",
        description="Reads every record, collected file and journal of a folder again, checks "
        "their checksums, and evaluates the best point of each run again. Prints one line for "
        "each damaged file, each record with missing runs, each point whose value is now "
        "different, each mixture of runs that should not be in one table, and each deviation from "
        "the registration. In an archive of `timefair export crate`, it also compares every file "
        "with the manifest. The command changes no file.",
        example="timefair verify results/default\ntimefair verify results/default --rebuild",
        exits={
            0: "nothing is wrong",
            1: "something is damaged, missing or mixed, or has a different value",
            2: "the command line is wrong, or there is nothing to verify",
        },
    )
    verify.add_argument(
        "folder",
        type=Path,
        metavar="DIR",
        help="results/NAME, any folder with records, or an archive (a folder or a zip)",
    )
    verify.add_argument(
        "--rebuild",
        action="store_true",
        help="also make all tables again in an empty folder, and compare them byte for byte",
    )
    verify.add_argument("--quiet", action="store_true", help="print only problems, no summary")
    verify.add_argument(
        "--points-s",
        type=float,
        default=60.0,
        metavar="S",
        help="seconds for evaluating the best points again (60); 0: evaluate none",
    )
    verify.set_defaults(command=_verify)


def _doctor(arguments: argparse.Namespace) -> int:
    from timefair.machine.facts import Host

    host = Host()  # with the variables that the user has set
    one_thread()
    from timefair.machine import doctor

    if arguments.cores is not None:
        cores_of(arguments)
    seen = doctor.look(host, arguments.cores)
    found = doctor.findings(seen)
    if arguments.json:
        print(json.dumps(doctor.as_json(found, seen), indent=2, allow_nan=False))
    else:
        print(*found, doctor.summary(found), sep="\n")
    return int(any(finding.severity == "bad" for finding in found))


def _verify(arguments: argparse.Namespace) -> int:
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


SHORT = 40  # libraries with more algorithms are only listed with ``--library``


def _add_algorithms(commands: Commands) -> None:
    algorithms = commands.add_parser(
        "algorithms",
        help="list the algorithms that can be used",
        description="Lists the libraries whose algorithms a campaign can name as `library:name`, "
        "with their versions, and whether each algorithm asks for batches if it has several "
        "`threads`. For algorithms that cannot be used, it names the missing package.",
        example="timefair algorithms\ntimefair algorithms --library scipy",
    )
    algorithms.add_argument(
        "--library", metavar="LIBRARY", help="list every algorithm of one library"
    )
    algorithms.add_argument(
        "--all", action="store_true", help="list every algorithm of every library"
    )
    algorithms.set_defaults(command=_algorithms)

    audit = commands.add_parser(
        "audit",
        help="measure how algorithms behave: errors, bounds, repeats, overhead, stopping",
        description="Runs each algorithm five times, with the code that measures campaigns, and "
        "prints a table: errors, points out of bounds, whether a seed repeats the run, the cost "
        "of an evaluation, and how the run was stopped. Failures are rows of the table.",
        example="timefair audit scipy:Nelder-Mead --output audit.csv",
    )
    audit.add_argument(
        "what", nargs="+", metavar="WHAT", help="library:name, a library, or a campaign file"
    )
    audit.add_argument("--function", type=int, default=8, help="function of bbob (8)")
    audit.add_argument("--dimension", type=int, default=10, help="dimension (10)")
    audit.add_argument("--evaluations", type=int, default=2000, help="evaluations of a run (2000)")
    audit.add_argument(
        "--time", type=float, default=0.2, metavar="S", help="seconds of a timed run (0.2)"
    )
    audit.add_argument(
        "--wall", type=float, default=20.0, metavar="S", help="limit of other runs, in seconds (20)"
    )
    audit.add_argument(
        "--output",
        nargs="+",
        type=Path,
        default=[],
        metavar="FILE",
        help="files to write (.csv, .md)",
    )
    audit.set_defaults(command=_audit)


def _algorithms(arguments: argparse.Namespace) -> None:
    from timefair.algorithms.registry import LIBRARIES
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
        usable = sum(not known.missing for known in entries)
        print(f"{name}: {usable} of {len(entries)} usable ({', '.join(software)})")
        full = arguments.all or chosen is not None
        width = max(len(known.name) for known in entries)
        for known in entries if full or len(entries) <= SHORT else ():
            if known.missing:
                asks = f"not here: {known.missing}"
            else:
                asks = "batches" if library.batches(known.name, {}) else "one point at a time"
            print(f"  {name}:{known.name:<{width}}  {asks}")
        if not full and len(entries) > SHORT:
            print(f"  listed by: timefair algorithms --library {name}")


def _audit(arguments: argparse.Namespace) -> None:
    one_thread()
    from dataclasses import asdict

    from timefair.measure import audit

    prepare_files(arguments.output, (".md", ".csv"))
    setting = audit.AuditSettings(
        arguments.function,
        arguments.dimension,
        arguments.evaluations,
        arguments.time,
        arguments.wall,
    )
    if faults := setting.faults():
        raise InputError(*faults)
    rows = []
    for subject in audit.subjects(arguments.what):
        print(subject.label, file=sys.stderr, flush=True)
        rows.append(asdict(audit.look_at(subject, setting)))
    show(rows, arguments.output)


def show(
    rows: Sequence[Mapping[str, object]],
    files: Iterable[Path],
    printed: Callable[[Mapping[str, object]], Mapping[str, object]] = dict,
) -> None:
    """Print at least one row as a table, and write Markdown, or CSV without `printed`, files."""
    import pandas as pd

    table = _markdown([printed(row) for row in rows])
    print(table, end="")
    for path in files:
        if path.suffix == ".md":
            path.write_text(table, encoding="utf-8")
        else:
            pd.DataFrame(rows).to_csv(path, index=False)


def _markdown(rows: Sequence[Mapping[str, object]]) -> str:
    lines = [list(rows[0]), *(list(map(_cell, row.values())) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    lines.insert(1, ["-" * width for width in widths])
    padded = ([word.ljust(n) for word, n in zip(line, widths, strict=True)] for line in lines)
    return "".join(f"| {' | '.join(line)} |\n" for line in padded)


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.3g}" if isinstance(value, float) else str(value).replace("|", "\\|")
