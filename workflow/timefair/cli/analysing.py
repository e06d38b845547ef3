"""Commands that make tables, figures and pages of runs, and exchange runs with other tools."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from timefair.basics.disk import regular
from timefair.basics.errors import LIST_OF_TABLES, InputError
from timefair.basics.words import counted
from timefair.cli.arguments import (
    OF_CAMPAIGN,
    RESULTS,
    Argument,
    Declared,
    argument,
    entry,
    one_thread,
    prepare_files,
    prepare_folder,
    read_picture,
    read_table,
    refuse_mixed,
    status_of,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from timefair.campaign.configuration import Campaign
    from timefair.records.rundata.runs import Runs

FORMATS = ("table", "benchopt", "ioh")  # of data with times
SNAPSHOT, COLLECTED = "campaign.json", "collected"
"""In the folder of imported runs: the campaign that they would have come from, and the runs."""


DECLARED = Declared()
command, add_to = DECLARED.command, DECLARED.add_to

FOLDER = argument("folder", **RESULTS)
ONLY = argument(
    "--only", "LABEL", "algorithms whose runs are used; by default all", nargs="+", default=()
)
OF_TABLE = (
    argument(
        "--columns", "NAME=COLUMN,...",
        "columns of the file that have another name: seconds=time,value=best_f; for "
        "IOHprofiler, seconds=NAME is the logged property with the seconds since the start of a "
        "run, and value=-raw_y says that values are maximized (value=+raw_y: minimized)",
        default="",
    ),
    argument(
        "--set", "NAME=WORD,...",
        "columns that the file does not have, with one word for all rows: dimension=10",
        default="",
    ),
)  # fmt: skip
"""The options that say where a table has its columns."""


def output(metavar: str, help: str) -> Argument:
    return argument("-o --output", metavar, help, type=Path)


@command(
    "analyse",
    argument("what", "FILE", "a table, a file of results or a folder"),
    argument("others", "FILE", "more tables", nargs="*", type=Path),
    output(
        "FOLDER",
        "for tables/, figures/ and report.html; by default results/ and the name of the file",
    ),
    argument(
        "--format", choices=FORMATS, default="table",
        help="format of the file: a table of runs, results of benchopt, or a folder or archive of "
        "IOHprofiler with a logged property of seconds",
    ),
    *OF_TABLE,
    argument(
        "--settings", "YAML",
        "settings of the analysis, as in a campaign file: targets, statistics, tables, figures",
        type=Path,
    ),
    help="analyse tables of your own runs: all tables, figures and the report",
    example="timefair export table results/default --output runs.csv\n"
    "timefair analyse runs.csv --output results/runs",
)  # fmt: skip
def _analyse(arguments: argparse.Namespace) -> int:
    """Analyses files with runs of your own, or results of MEALPY, moptipy, pymetaheuristic,
    HeuriLab, PlatEMO or a CEC competition: imports them and makes all tables that they allow, the
    figures and the report, without Snakemake. Several files count as one table, so one machine must
    have timed all of them.
    """
    one_thread()
    from timefair.campaign import configuration
    from timefair.io.table_read import files_in
    from timefair.report import read_description

    path, others = Path(arguments.what), arguments.others
    named = path
    if arguments.format == "table" and path.is_dir():
        path, *inside = files_in(path)
        others = [*inside, *others]
    folder = arguments.output or Path("results") / (named.name.partition(".")[0] or "analysis")
    # Arrow starts threads when it imports a table, and threads do not survive a fork. So this
    # process, of which others are forks, does not.
    if status := forked([partial(_import_tables, arguments, [path, *others], folder)], 1):
        return status
    campaign, cores = configuration.restore(folder / SNAPSHOT), len(os.sched_getaffinity(0))
    collected = sorted((folder / COLLECTED).glob("*.parquet"))
    if status := make_tables(campaign, collected, folder, cores):
        return status
    if status := forked([partial(make_report, campaign, folder)], 1):
        return status
    print(*read_description(folder / "report.html"), folder / "report.html", sep="\n")
    return 0


@command(
    "table",
    FOLDER,
    argument("table", "TABLE", "name of the table, such as ert"),
    output("FILE", "file to write: .csv, .parquet or .tex; by default the table is printed"),
    ONLY,
    help="print or write a table of a campaign",
    example="timefair table results/default ert\n"
    "timefair table results/default ert --output ert.tex",
)
def _table(arguments: argparse.Namespace) -> None:
    """Prints a table, or writes it to a file. A table that the campaign has not requested is made
    from its collected runs, with its targets and statistics.
    """
    one_thread()
    from timefair.analysis import typeset
    from timefair.cli.python import Results
    from timefair.exhibits import files
    from timefair.exhibits.registry import TABLES

    results, name, output = Results(arguments.folder), arguments.table, arguments.output
    entry("TABLE", name, TABLES, LIST_OF_TABLES)
    campaign = results.campaign
    if output is not None:
        prepare_files([output], (".csv", ".parquet", ".tex"))
    frame = results.table(name, arguments.only)
    if output is None:
        print(frame.to_string(index=False, float_format="{:.4g}".format))
    elif output.suffix == ".tex":
        output.write_text(typeset(name, frame, campaign), encoding="utf-8")
    else:
        files.write(frame, output, TABLES[name].exhibit.columns)


@command(
    "figure",
    FOLDER,
    argument("figure", "FIGURE", "name of the figure, such as ert"),
    output("FILE", "file to write: .pdf, .svg or .png; by default FIGURE.pdf here"),
    ONLY,
    help="draw a figure of a campaign",
    example="timefair figure results/default ert --output ert.pdf",
)
def _figure(arguments: argparse.Namespace) -> None:
    """Draws a figure from its table, which is made if the campaign has not requested it. If a
    figure needs several pages, the file has its overview, and its other pages are beside it, such
    as ert_D5.pdf.
    """
    one_thread()
    from timefair.cli.python import Results
    from timefair.exhibits.charts import style
    from timefair.exhibits.registry import FIGURES

    results = Results(arguments.folder)
    draw = entry("FIGURE", arguments.figure, FIGURES, LIST_OF_TABLES)
    output = arguments.output or Path(f"{arguments.figure}.pdf")
    prepare_files([output], style.METADATA)
    frame = results.table(draw.table, arguments.only)
    files = [(page, output.with_stem(page.file(output.stem))) for page in draw.pages_of(frame)]
    prepare_files(path for _, path in files)
    for page, path in files:
        style.save(draw(frame, page), path)
        print(path)


@command(
    "report",
    FOLDER,
    argument(
        "--campaign", "SNAPSHOT", "the file of the campaign, if it is not RESULTS/campaign.json",
        type=Path,
    ),
    help="make the report page of a campaign again",
    example="timefair report results/default",
)  # fmt: skip
def _report(arguments: argparse.Namespace) -> None:
    """Makes report.html from the tables and figures of a campaign, and checklist.html and
    tables/tables.tex. The page states which algorithm wins, by how much, how certain this is, and
    in which situations. It has sortable tables, the machine and the reporting checklist, and needs
    no network and no other file.
    """
    one_thread()
    from timefair.campaign import configuration

    snapshot = arguments.campaign or arguments.folder / SNAPSHOT
    make_report(configuration.restore(snapshot), arguments.folder)


@command(
    "make-tables",
    argument("--campaign", **OF_CAMPAIGN),
    argument("collected", "COLLECTED", "collected runs", nargs="+", type=Path),
    argument("--output", "FOLDER", "for tables/ and figures/", required=True, type=Path),
    argument(
        "--cores", "N", "number of processes that work at the same time (1)", type=int, default=1
    ),
    example="timefair make-tables results/default/collected/*.parquet \\\n"
    "    --campaign results/default/campaign.json --output results/default",
)
def _make_tables(arguments: argparse.Namespace) -> int:
    """Makes all tables and figures of a campaign from its collected runs. Snakemake calls this
    command.
    """
    one_thread()
    from timefair.campaign import collected, configuration

    campaign = configuration.restore(arguments.campaign)
    folder = arguments.campaign.parent
    files = collected.chosen(arguments.collected, campaign, folder, whole=True)
    return make_tables(campaign, files, arguments.output, arguments.cores)


def _import_tables(arguments: argparse.Namespace, paths: Sequence[Path], folder: Path) -> None:
    """Write the runs of tables to a folder, one record per algorithm, and their campaign; print
    what was imported, and on the standard error what the reader should know of it.

    `InputError` if the table or the settings are wrong, or the folder has measured runs.
    """
    from timefair.analysis import outputs
    from timefair.campaign import configuration
    from timefair.io.importing import import_all, label_of
    from timefair.io.table_read import Layout

    layout, format = Layout.of(arguments.columns, arguments.set), arguments.format
    if format == "ioh" and "seconds" not in layout.columns:
        raise InputError(
            "--columns: missing; write seconds=NAME, the logged property of IOHprofiler with the "
            "seconds since the start of a run"
        )
    chosen = configuration.settings(arguments.settings)
    _refuse_measured(folder)
    path, *others = paths
    found = import_all(path, format, folder / COLLECTED, others=others, layout=layout)
    lacks = tuple(u for u in ("seconds", "evaluations") if not any(u in one.costs for one in found))
    if allowed := configuration.ALLOWED.get(lacks):
        found[0].cautions.append(allowed)
    name = label_of(folder.resolve().name)
    given = {"format": format, "path": shlex.join(map(str, paths))}
    given |= {"columns": dict(layout.columns), "set": dict(layout.constants)}
    campaign = configuration.campaign_of(name or "analysis", chosen, found, given, lacks)
    with suppress(InputError):  # there is no earlier analysis, or it is of another version
        before = configuration.restore(folder / SNAPSHOT)
        made = set(outputs(campaign, str(folder)).values())
        for old in set(outputs(before, str(folder)).values()) - made:
            Path(old).unlink(missing_ok=True)
    (folder / SNAPSHOT).write_text(campaign.snapshot(), encoding="utf-8")
    for record in (folder / COLLECTED).glob("*.parquet"):
        if record.stem not in campaign.published:
            record.unlink()  # of an earlier table in this folder
    runs = counted(sum(sum(one.runs.values()) for one in found), "run")
    problems = counted(len({problem for one in found for problem in one.runs}), "problem")
    print(
        f"{campaign.name}: {counted(len(found), 'algorithm')}, {runs} on {problems} of "
        f"{found[0].suite}, {found[0].origin}"
    )
    for caution in found[0].cautions:
        print(f"timefair: {path}: {caution}", file=sys.stderr)


def _refuse_measured(folder: Path) -> None:
    """Raise `InputError` if a folder has a campaign that measured its runs, or is a file."""
    try:
        content = json.loads(regular(folder / SNAPSHOT).read_text(encoding="utf-8"))
        analysed = content["algorithms"] == {}
    except FileNotFoundError:
        return
    except NotADirectoryError:
        raise InputError(f"{folder}: is not a folder, and cannot be created") from None
    except (IsADirectoryError, ValueError, LookupError, TypeError):
        analysed = False
    if not analysed:
        raise InputError(f"{folder}: has the results of a campaign; choose another folder")


def together(collected: Sequence[Path], campaign: Campaign) -> Runs:
    """The runs of some files, if they may be in one table: without foreign clocks of several ones,
    unless the campaign allows it. Says whose times are left out.
    """
    from timefair.records.rundata.runs import Runs
    from timefair.records.schema import FOREIGN_CLOCK

    runs = Runs.read(collected)
    refuse_mixed(runs.origins, campaign)
    clocks = {label: of for label, of in runs.sources.items() if of.get(FOREIGN_CLOCK)}
    if apart := sorted(clocks.keys() - set(runs.frame["algorithm"])):
        said = "times are of a foreign clock; left out beside measured runs"
        print(f"timefair: {', '.join(apart)}: {said}", file=sys.stderr)
        return runs
    files = sorted({of["sha256"]: of["path"] for of in clocks.values()}.values())
    if len(files) > 1 and campaign.statistics.mixed == "refuse":
        raise InputError(
            f"times of {len(files)} foreign clocks ({', '.join(files)}); join the files if one "
            "machine has timed them all, or set statistics.mixed: allow"
        )
    return runs


def make_tables(campaign: Campaign, collected: Sequence[Path], folder: Path, cores: int = 1) -> int:
    """Make all tables and figures in ``tables/`` and ``figures/`` of a folder, and return a status.

    The runs are read once. With several cores, each folder of `exhibits` is a fork of this process,
    which starts no threads: they do not survive a fork.
    """
    from timefair.analysis import MADE, make, write_captions
    from timefair.exhibits.registry import TABLES

    for path in (folder, folder / "tables"):
        prepare_folder(path)
    for path in (folder / MADE).glob("*.done"):  # the mark that they are made, with whatever key
        path.unlink()
    write_captions(campaign, folder)
    runs = load(campaign, collected)
    rooms: dict[str, list[str]] = {}
    for name in campaign.made_tables:
        rooms.setdefault(TABLES[name].room, []).append(name)
    order = sorted(rooms.values(), key=len, reverse=True)
    if cores == 1:
        make([name for names in order for name in names], campaign, folder, runs)
        return 0
    return forked([partial(make, names, campaign, folder, runs) for names in order], cores)


def load(campaign: Campaign, collected: Sequence[Path]) -> Runs:
    """The runs, with what most tables need of them, and all modules that make something."""
    from timefair.exhibits.registry import FIGURES, TABLES
    from timefair.records.rundata.runs import UNITS
    from timefair.records.rundata.settings import Analysis

    needed = ["timefair.exhibits.files", *(TABLES[name].module for name in campaign.made_tables)]
    needed += (FIGURES[name].renderer.partition(":")[0] for name in campaign.figure_names)
    for module in needed:
        import_module(module)
    runs = together(collected, campaign)
    analysis = Analysis.of(campaign.analysis_settings).suited(runs.optimum)
    suited = runs.with_targets_in_values(bool(analysis.target_values))
    for unit in UNITS:
        suited.runtimes(unit, analysis.targets_from_easy)
    return runs


def forked(work: Iterable[Callable[[], None]], cores: int) -> int:
    """Do some work in forks of this process, and return the exit status."""
    from timefair.machine.linux.kernel import interruptible
    from timefair.measure.runner import in_forks

    def whole(one: Callable[[], None]) -> int:
        with interruptible():
            return status_of(one)

    with interruptible():
        return in_forks([partial(whole, one) for one in work], cores)


def make_report(campaign: Campaign, folder: Path) -> None:
    """Write the report, the checklist and a document of all tables, of the tables in a folder."""
    from timefair.analysis import pictures
    from timefair.exhibits import files, latex
    from timefair.exhibits.registry import FIGURES
    from timefair.report import account
    from timefair.report.page import page

    paths = {name: folder / "tables" / f"{name}.parquet" for name in campaign.made_tables}
    tables = {name: read_table(path, name) for name, path in paths.items() if path.exists()}
    if not tables:
        raise InputError(f"{folder}: has no tables; start snakemake and wait until it ends")
    others = {page.file(name) for name in FIGURES for page in campaign.pages_of(name) if page.name}
    shown = {  # of figures with several pages, the overview
        entry("figure", path.stem, FIGURES).name: read_picture(path)
        for path in map(Path, pictures(campaign, str(folder)))
        if path.stem not in others and path.exists()
    }
    document = folder / "tables" / "tables.tex"
    prepare_files([folder / "report.html", folder / "checklist.html", document])
    text = page(tables, shown, campaign)
    (folder / "report.html").write_text(text, encoding="utf-8")
    if (frame := tables.get("checklist")) is not None:
        text = account.checklist_page(files.as_rows(frame), campaign.name, frame.attrs["perturbed"])
        (folder / "checklist.html").write_text(text, encoding="utf-8")
    document.write_text(latex.document(campaign.table_names), encoding="utf-8")


@command("export", help="write the runs in the format of another tool, or a campaign as an archive")
def _export(_: argparse.Namespace) -> None:
    """Writes collected runs in the data format of another tool, or a complete campaign as an
    archive.
    """


BY_ALGORITHM = "folder to write, with one folder per algorithm; by default NAME-{} here"


@command(
    "export coco",
    FOLDER,
    output("FOLDER", BY_ALGORITHM.format("coco")),
    argument(
        "--cost", choices=("evaluations", "seconds"), default="evaluations",
        help="the cost that is written as evaluations; seconds become microseconds",
    ),
    help="COCO's data format, for cocopp",
    example="timefair export coco results/default --output exported-coco",
)  # fmt: skip
def _export_coco(arguments: argparse.Namespace) -> None:
    """Writes collected runs in COCO's data format, one folder per algorithm, for cocopp. An
    existing folder is refused.
    """
    from timefair.io.write import FINAL_TARGET, write_coco

    campaign, runs, output = _exported(arguments, "-coco", timed=arguments.cost == "seconds")
    prepare_folder(output)
    final_target = min(FINAL_TARGET, *campaign.targets)
    write_coco(runs, output, arguments.cost, final_target=final_target)


@command(
    "export ioh",
    FOLDER,
    output("FOLDER", BY_ALGORITHM.format("ioh")),
    help="IOHprofiler's data format, for iohinspector",
    example="timefair export ioh results/default --output exported-ioh",
)
def _export_ioh(arguments: argparse.Namespace) -> None:
    """Writes collected runs in IOHprofiler's data format, one folder per algorithm, for
    iohinspector. An existing folder is refused.
    """
    from timefair.io.write import write_ioh

    _, runs, output = _exported(arguments, "-ioh", timed=False)
    prepare_folder(output)
    write_ioh(runs, output)


@command(
    "export table",
    FOLDER,
    output("FILE", ".csv or .parquet, to write; by default NAME.csv here"),
    help="a tidy table: one row per improvement, with times",
    example="timefair export table results/default --output runs.parquet",
)
def _export_table(arguments: argparse.Namespace) -> None:
    """Writes collected runs as one table (CSV or Parquet) with one row per improvement and one row
    for the end of each run. `timefair analyse` reads it.
    """
    from timefair.io.write import SUFFIXES, write_table

    _, runs, output = _exported(arguments, ".csv", timed=True)
    prepare_files([output], SUFFIXES)
    write_table(runs, output)


def _exported(
    arguments: argparse.Namespace, ending: str, *, timed: bool
) -> tuple[Campaign, pa.Table, Path]:
    """The campaign, its collected runs, or those whose times compare, and what will be written.

    Prints one line per algorithm that is left out. `InputError` if the runs are not comparable.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    from timefair.campaign import collected, configuration
    from timefair.records.integrity import Origins
    from timefair.records.rundata.traces import with_noisy_values
    from timefair.records.schema import FOREIGN_CLOCK, PUBLISHED
    from timefair.records.store import open_record, read_runs

    folder = arguments.folder
    campaign = configuration.restore(folder / SNAPSHOT)
    origins: dict[str, Origins] = {}
    clocks: set[str] = set()
    files = collected.in_folder(folder, campaign)
    for path in files:
        facts = open_record(path).facts
        label = facts.get("algorithm", path.stem)
        if PUBLISHED not in facts:
            origins.setdefault(label, Origins()).add(facts)
        elif facts[PUBLISHED].get(FOREIGN_CLOCK):
            clocks.add(label)
    runs = with_noisy_values(read_runs(files), campaign.statistics.noisy_value)
    refuse_mixed(origins, campaign)
    output = arguments.output or Path(f"{campaign.name}{ending}")
    if not timed:
        return campaign, runs, output
    untimed = set(runs.filter(pc.is_null(runs["wall_s"]))["algorithm"].to_pylist())
    why = dict.fromkeys(sorted(untimed), "published data have no times")
    if origins:
        why |= dict.fromkeys(sorted(clocks), "its times are of a foreign clock")
    for label, reason in why.items():
        print(f"timefair: {label}: skipped, {reason}", file=sys.stderr)
    left_out = pc.is_in(runs["algorithm"], pa.array([*why], pa.string()))
    return campaign, runs.filter(pc.invert(left_out)), output


@command(
    "import",
    argument(
        "format", "FORMAT", "coco, ioh, timefair, table or benchopt",
        choices=("coco", "ioh", "timefair", "table", "benchopt"),
    ),
    argument("path", "PATH", "the folder, archive or table", type=Path),
    argument("--output", "PARQUET", "record to write", required=True, type=Path),
    *OF_TABLE,
    argument("--algorithm", "NAME", "name of the algorithm in the data, if they contain several"),
    argument("--label", "NAME", "label of the algorithm; by default its name"),
    argument(
        "--campaign", "SNAPSHOT",
        "import only runs on the problems of this campaign, without times", type=Path,
    ),
    help="convert published data to a record",
    example="timefair import coco exported-coco/Nelder-Mead --output coco.parquet\n"
    "timefair import ioh exported-ioh/Nelder-Mead --output ioh.parquet\n"
    "timefair import timefair results/default --algorithm DE --output timefair.parquet\n"
    "timefair import table runs.parquet --algorithm DE --output table.parquet\n"
    "timefair import benchopt tests/golden/benchopt.parquet \\\n"
    "    --algorithm 'Random[scale=0.5]' --output benchopt.parquet",
)  # fmt: skip
def _import(arguments: argparse.Namespace) -> None:
    """Reads the runs of one algorithm from published data, and writes them to a record. Formats:
    coco, ioh (a folder or an archive of COCO or IOHprofiler), timefair (the folder or archive of a
    campaign), table (one row per improvement, CSV or Parquet) and benchopt (its results). Runs of
    timefair with times of reference kernels keep their seconds. Other tables and data with a column
    of seconds have times, too, but --campaign omits them, because a foreign clock cannot be
    compared with that of the campaign. Snakemake runs this command for the data that a campaign
    names under `published`. `timefair analyse` compares all algorithms of a table, with their
    times.
    """
    one_thread()
    from timefair.campaign import configuration
    from timefair.io.importing import WantedProblems, import_data
    from timefair.io.table_read import Layout
    from timefair.problems import names

    if arguments.format in ("coco", "timefair") and (arguments.columns or arguments.set):
        raise InputError(f"--columns, --set: not for the format {arguments.format}; leave them out")
    wanted, of, algorithm = None, "", arguments.algorithm
    layout = Layout.of(arguments.columns, arguments.set)
    if arguments.campaign is not None:
        campaign = configuration.restore(arguments.campaign)
        asked, of = campaign.problems, f" of {campaign.problems.count}"
        wanted = WantedProblems(
            asked.suite, asked.functions, asked.dimensions, asked.instances,
            names.every(asked.suite, asked.given_names), asked.own_dimensions,
        )  # fmt: skip
        if (data := campaign.published.get(arguments.label)) is not None:
            algorithm = algorithm or data.algorithm
            layout = layout.over(data.columns, data.set)
    prepare_files([arguments.output], [".parquet"])
    found = import_data(
        arguments.path, arguments.format, arguments.output, algorithm=algorithm,
        label=arguments.label, wanted=wanted, layout=layout,
    )  # fmt: skip
    runs, problems = sum(found.runs.values()), f"{len(found.runs)}{of}"
    print(f"{found.algorithm}: {runs} runs on {problems} problems of {found.suite}, {found.origin}")
    lacking = found.lacking(wanted) if wanted is not None else []
    for clause in [*found.cautions, *lacking]:
        print(f"timefair: {arguments.path}: {clause}", file=sys.stderr)
