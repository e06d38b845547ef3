"""The commands, ``main(argv) -> int``: what the rules call, and what a user asks.

Each command imports what it needs when it is called: measuring starts without plotting, and
without numpy before the number of threads is set.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from timefair import __version__
from timefair.errors import InputError, suggest

if TYPE_CHECKING:
    import pandas as pd

    from timefair.config import Campaign
    from timefair.tables.registry import Table

Entry = TypeVar("Entry")

THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "GOTO_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "POLARS_MAX_THREADS",
    "RAYON_NUM_THREADS",
)
"""What libraries read, once, when they are loaded."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit status is its own, 0 unless told, or 2 for input to mend."""
    try:
        arguments = _parser().parse_args(argv)
    except SystemExit as stop:  # argparse has printed the usage, the help or the version
        return int(stop.code or 0)
    try:
        status: int | None = arguments.command(arguments)
        sys.stdout.flush()
        return status or 0
    except InputError as error:
        for fault in error.faults:
            print(f"timefair: {fault}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader, such as `head`, has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="timefair", description="Wall-clock-fair benchmarking of black-box optimizers."
    )
    parser.add_argument("--version", action="version", version=f"timefair {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    campaign = argparse.ArgumentParser(add_help=False)
    campaign.add_argument(
        "--campaign",
        type=Path,
        required=True,
        metavar="SNAPSHOT",
        help="results/NAME/campaign.json",
    )

    check = commands.add_parser("check", help="check a campaign and say what it will cost")
    check.add_argument("config", type=Path, metavar="CONFIG")
    check.set_defaults(command=_check)

    algorithms = commands.add_parser("algorithms", help="list the algorithms that can be used")
    algorithms.add_argument("--library", metavar="L", help="every algorithm of one library")
    algorithms.add_argument("--all", action="store_true", help="every algorithm of every library")
    algorithms.set_defaults(command=_algorithms)

    audit = commands.add_parser(
        "audit", help="measure how algorithms behave: errors, bounds, repeats, overhead, stopping"
    )
    audit.add_argument(
        "what", nargs="+", metavar="WHAT", help="library:name, a library, or a campaign file"
    )
    audit.add_argument("--function", type=int, default=8, help="of bbob (8)")
    audit.add_argument("--dimension", type=int, default=10, help="(10)")
    audit.add_argument("--evaluations", type=int, default=2000, help="of a run (2000)")
    audit.add_argument("--time", type=float, default=0.2, metavar="S", help="of a timed run (0.2)")
    audit.add_argument(
        "--wall", type=float, default=20.0, metavar="S", help="limit of other runs (20)"
    )
    audit.add_argument(
        "--output", nargs="+", type=Path, default=[], metavar="FILE", help=".csv, .md"
    )
    audit.set_defaults(command=_audit)

    doctor = commands.add_parser(
        "doctor",
        help="say what would spoil times on this machine, and what to do about each",
        epilog="The exit status is 1 when a finding is bad, else 0.",
    )
    doctor.add_argument("--cores", type=int, metavar="N", help="runs at once (all usable)")
    doctor.add_argument("--json", action="store_true", help="findings with all facts, as JSON")
    doctor.set_defaults(command=_doctor)

    verify = commands.add_parser(
        "verify",
        help="read every record again, and say what is damaged, missing or mixed",
        epilog="The exit status is 0 when all is right, 1 when not.",
    )
    verify.add_argument("folder", type=Path, metavar="DIR", help="results/NAME, or any records")
    verify.add_argument("--quiet", action="store_true", help="problems only, no summary")
    verify.set_defaults(command=_verify)

    schema = commands.add_parser("schema", help="print the JSON schema of a campaign file")
    schema.add_argument(
        "--write", type=Path, nargs="?", const=Path("config/schema.json"), metavar="PATH",
        help="write it instead, to config/schema.json unless told",
    )  # fmt: skip
    schema.set_defaults(command=_schema)

    measure = commands.add_parser("measure", help="measure one job", parents=[campaign])
    measure.add_argument("--algorithm", required=True, metavar="LABEL")
    measure.add_argument("--function", required=True, type=int)
    measure.add_argument("--dimension", required=True, type=int)
    measure.add_argument("--instances", required=True, metavar="1-5_71")
    measure.add_argument("--round", required=True, type=int)
    measure.add_argument("--key", required=True, help="what the campaign was planned with")
    measure.add_argument("--record", required=True, type=Path, metavar="PARQUET")
    measure.set_defaults(command=_measure)

    collect = commands.add_parser(
        "collect", help="join the records of an algorithm", parents=[campaign]
    )
    collect.add_argument("--algorithm", required=True, metavar="LABEL")
    collect.add_argument("--output", required=True, type=Path, metavar="PARQUET")
    collect.set_defaults(command=_collect)

    tabulate = commands.add_parser("tabulate", help="make one table", parents=[campaign])
    tabulate.add_argument("table", metavar="TABLE")
    tabulate.add_argument("collected", nargs="+", type=Path, metavar="COLLECTED")
    tabulate.add_argument("--output", required=True, nargs=2, type=Path, metavar=("CSV", "PARQUET"))
    tabulate.set_defaults(command=_tabulate)

    checklist = commands.add_parser(
        "checklist", help="fill the reporting checklist of time-fair", parents=[campaign]
    )
    checklist.add_argument("collected", nargs="+", type=Path, metavar="COLLECTED")
    checklist.add_argument("--output", required=True, type=Path, metavar="HTML")
    checklist.set_defaults(command=_checklist)

    typeset = commands.add_parser(
        "typeset", help="print tables as LaTeX, and a document of them all", parents=[campaign]
    )
    typeset.add_argument("tables", nargs="*", type=Path, metavar="PARQUET", help="named TABLE")
    typeset.add_argument("--output", required=True, type=Path, metavar="FOLDER")
    typeset.set_defaults(command=_typeset)

    draw = commands.add_parser("draw", help="draw one figure from its table")
    draw.add_argument("figure", metavar="FIGURE")
    draw.add_argument("--table", required=True, type=Path, metavar="PARQUET")
    draw.add_argument(
        "--output", required=True, nargs="+", type=Path, metavar="FILE", help=".pdf, .svg, .png"
    )
    draw.set_defaults(command=_draw)

    export = commands.add_parser("export", help="write the runs for another tool to read")
    formats = export.add_subparsers(title="formats", required=True, metavar="FORMAT")
    coco = formats.add_parser("coco", help="COCO's data format, for cocopp", parents=[campaign])
    coco.add_argument("collected", nargs="+", type=Path, metavar="COLLECTED")
    coco.add_argument(
        "--output", required=True, type=Path, metavar="FOLDER", help="one folder an algorithm in it"
    )
    coco.add_argument(
        "--cost", choices=("evaluations", "seconds"), default="evaluations",
        help="what is written as evaluations; seconds in microseconds",
    )  # fmt: skip
    coco.set_defaults(command=_export_coco)
    return parser


# --- What a user asks -----------------------------------------------------------------------


def _check(arguments: argparse.Namespace) -> None:
    from timefair import config, plan

    campaign = config.load(arguments.config)
    jobs = sum(1 for _ in plan.jobs(campaign))
    problems = campaign.problems
    cells = (
        len(campaign.algorithms)
        * len(problems.functions)
        * len(problems.dimensions)
        * len(problems.instances)
    )
    print(f"campaign      {campaign.name}")
    print(f"algorithms    {len(campaign.algorithms)}")
    print(f"cells         {cells}")
    print(f"runs          {cells * campaign.runs} in {campaign.rounds} round(s)")
    print(f"jobs          {jobs}")
    seconds = plan.core_seconds(campaign)
    if seconds is None:
        print("core-seconds  unknown: evaluations are the only budget")
        return
    cores = len(os.sched_getaffinity(0))
    estimate = (seconds + jobs * plan.JOB_OVERHEAD_S) / cores
    print(f"core-seconds  at most {seconds:.0f}")
    print(f"wall time     at most about {_duration(estimate)} on {cores} core(s)")


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 90 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def _algorithms(arguments: argparse.Namespace) -> None:
    from timefair.algorithms.registry import LIBRARIES
    from timefair.provenance import versions

    chosen = arguments.library
    if chosen is not None:
        _entry("--library", chosen, LIBRARIES)
    for name, library in LIBRARIES.items():
        if chosen not in (None, name):
            continue
        entries = library.available()
        software = [
            f"{package} {version or 'is not installed'}"
            for package, version in versions(library.distributions).items()
        ]
        usable = sum(not entry.missing for entry in entries)
        print(f"{name}: {usable} of {len(entries)} usable ({', '.join(software)})")
        full = arguments.all or chosen is not None
        for entry in entries if full or len(entries) <= _SHORT else ():
            print(f"  {name}:{entry.name}" + (f"  not here: {entry.missing}" * bool(entry.missing)))
        if not full and len(entries) > _SHORT:
            print(f"  listed by: timefair algorithms --library {name}")


_SHORT = 40
"""Algorithms of a library that are listed without being asked for."""


def _audit(arguments: argparse.Namespace) -> None:
    _one_thread()
    from dataclasses import asdict

    from timefair.formats import listing
    from timefair.measure import audit

    for path in arguments.output:
        _entry("--output", path.suffix, listing.WRITERS)
    setting = audit.Setting(
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
    print(listing.markdown(rows), end="")
    for path in arguments.output:
        path.write_text(listing.WRITERS[path.suffix](rows), encoding="utf-8")


def _doctor(arguments: argparse.Namespace) -> int:
    from timefair.machine.host import Host

    host = Host()  # with the variables that the user has set
    _one_thread()
    from timefair.machine import doctor, sight

    if arguments.cores is not None and arguments.cores < 1:
        raise InputError(f"--cores: {arguments.cores}: should be at least 1")
    seen = sight.look(host, arguments.cores)
    found = doctor.findings(seen)
    if arguments.json:
        print(json.dumps(doctor.as_json(found, seen), indent=2, allow_nan=False))
    else:
        print(*found, doctor.summary(found), sep="\n")
    return int(any(finding.severity == "bad" for finding in found))


def _verify(arguments: argparse.Namespace) -> int:
    _one_thread()
    from timefair.verify import verify

    summary = verify(arguments.folder, say=lambda line: print(line, flush=True))
    if not arguments.quiet:
        print(summary)
    return int(summary.problems > 0)


def _schema(arguments: argparse.Namespace) -> None:
    from timefair.config import json_schema

    if arguments.write is None:
        print(json_schema(), end="")
    else:
        arguments.write.write_text(json_schema(), encoding="utf-8")


# --- What the rules call --------------------------------------------------------------------


def _measure(arguments: argparse.Namespace) -> None:
    _settle_environment(arguments)
    from timefair import config, plan
    from timefair.provenance import measure_key

    campaign = config.restore(arguments.campaign)
    try:
        job = plan.Job(
            algorithm=arguments.algorithm,
            function=arguments.function,
            dimension=arguments.dimension,
            instances=plan.parse_instances(arguments.instances),
            round=arguments.round,
        )
        key = measure_key(campaign, job.algorithm, job.round)
    except ValueError as error:
        raise InputError(str(error)) from None
    if arguments.key != key:
        raise InputError(
            "code, software or configuration changed since this job was planned; "
            "start snakemake again"
        )
    from timefair.measure.cell import measure

    measure(campaign, job, arguments.record, key)


def _settle_environment(arguments: argparse.Namespace) -> None:
    """Start this process once more, if need be, with the hash seed and the threads of the job.

    Both are read when the interpreter and the libraries start, too early to be set from within.
    """
    snapshot = json.loads(arguments.campaign.read_text(encoding="utf-8"))
    if arguments.algorithm not in snapshot["algorithms"]:
        raise InputError(f"--algorithm: {arguments.algorithm!r} is not in {arguments.campaign}")
    threads = str(snapshot["algorithms"][arguments.algorithm]["threads"])
    wanted = {"PYTHONHASHSEED": "0"} | dict.fromkeys(THREAD_VARIABLES, threads)
    if any(os.environ.get(name) != value for name, value in wanted.items()):
        command = [
            sys.executable, "-m", "timefair", "measure",
            "--campaign", str(arguments.campaign),
            "--algorithm", arguments.algorithm,
            "--function", str(arguments.function),
            "--dimension", str(arguments.dimension),
            "--instances", arguments.instances,
            "--round", str(arguments.round),
            "--key", arguments.key,
            "--record", str(arguments.record),
        ]  # fmt: skip
        os.execve(command[0], command, os.environ | wanted)


def _one_thread() -> None:
    """Before numpy is loaded: analysis makes many small sums, which threads would only slow."""
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, "1"))


def _collect(arguments: argparse.Namespace) -> None:
    from timefair import config, plan
    from timefair.provenance import measure_keys
    from timefair.records.collect import collect
    from timefair.records.integrity import Place

    campaign = config.restore(arguments.campaign)
    label: str = arguments.algorithm
    _entry("--algorithm", label, campaign.algorithms)
    # The paths are not on the command line: a large campaign has more than fit there.
    folder, keys = arguments.campaign.parent, measure_keys(campaign)
    records = {
        folder / job.record(keys[label, job.round]): Place(key=keys[label, job.round], **vars(job))
        for job in plan.jobs(campaign)
        if job.algorithm == label
    }
    collect(
        label,
        records,
        plan.expected_runs(campaign),
        arguments.output,
        allow_mixed=campaign.statistics.mixed == "allow",
    )


def _tabulate(arguments: argparse.Namespace) -> None:
    _one_thread()
    from timefair import config
    from timefair.tables import files
    from timefair.tables.registry import TABLES

    table = _entry("TABLE", arguments.table, TABLES)
    campaign = config.restore(arguments.campaign)
    frame = _made(table, campaign, arguments.collected)
    for path in arguments.output:
        files.write(frame, path)


def _checklist(arguments: argparse.Namespace) -> None:
    _one_thread()
    from timefair import config
    from timefair.formats.checklist_page import page
    from timefair.tables.registry import TABLES

    campaign = config.restore(arguments.campaign)
    frame = _made(TABLES["checklist"], campaign, arguments.collected)
    rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
    text = page(rows, campaign.name, frame.attrs["disturbed"])
    arguments.output.write_text(text, encoding="utf-8")


def _made(table: Table, campaign: Campaign, collected: Sequence[Path]) -> pd.DataFrame:
    """A table of all runs of a campaign."""
    from timefair.tables import runs
    from timefair.tables.settings import Analysis

    loaded = runs.load(collected)
    _refuse_mixed(collected, campaign)
    return table(runs.Runs.of(loaded), Analysis.of(campaign.settings_of(table.name)))


def _refuse_mixed(collected: Sequence[Path], campaign: Campaign) -> None:
    """Raise `InputError` if runs should not be compared, unless the campaign says that they may."""
    from timefair.records.integrity import CONSENT, Origins, mixed
    from timefair.records.store import open_record

    origins: dict[str, Origins] = {}
    for path in collected:
        facts = open_record(path).facts
        origins.setdefault(facts.get("algorithm", path.stem), Origins()).add(facts)
    clauses = mixed(origins)
    if clauses and campaign.statistics.mixed == "refuse":
        raise InputError(*(f"{clause}; {CONSENT}" for clause in clauses))
    for clause in clauses:
        print(f"timefair: mixed, as the campaign allows: {clause}", file=sys.stderr)


def _entry(argument: str, name: str, registry: Mapping[str, Entry]) -> Entry:
    if name not in registry:
        known = ", ".join(registry)
        raise InputError(
            f"{argument}: {name!r} is unknown{suggest(name, registry)}; known: {known}"
        )
    return registry[name]


def _typeset(arguments: argparse.Namespace) -> None:
    _one_thread()
    from timefair import config
    from timefair.tables import files, latex
    from timefair.tables.layouts import layouts_of
    from timefair.tables.registry import TABLES
    from timefair.tables.settings import Analysis

    campaign = config.restore(arguments.campaign)
    budget = campaign.budget.model_dump(exclude={"final_target"})
    setting = latex.Setting(Analysis.of(campaign.analysis_settings), **budget)
    for path in arguments.tables:
        table = _entry("PARQUET", path.stem, TABLES)
        frame = files.read(path)
        tex = latex.typeset(table, frame, layouts_of(table, frame), setting)
        (arguments.output / f"{table.name}.tex").write_text(tex, encoding="utf-8")
    everything = latex.document(path.stem for path in arguments.tables)
    (arguments.output / "tables.tex").write_text(everything, encoding="utf-8")


def _draw(arguments: argparse.Namespace) -> None:
    _one_thread()
    import pandas as pd

    from timefair.figures import style
    from timefair.figures.registry import FIGURES

    draw = _entry("FIGURE", arguments.figure, FIGURES)
    style.save(draw(pd.read_parquet(arguments.table)), *arguments.output)


def _export_coco(arguments: argparse.Namespace) -> None:
    from timefair import config
    from timefair.formats.coco import FINAL_TARGET, write_coco
    from timefair.records.store import read_runs

    campaign = config.restore(arguments.campaign)
    final_target = min(FINAL_TARGET, *campaign.targets)
    runs = read_runs(arguments.collected)
    _refuse_mixed(arguments.collected, campaign)
    write_coco(runs, arguments.output, arguments.cost, final_target=final_target)
