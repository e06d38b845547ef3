"""The commands ``export`` and ``import``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from timefair.basics.errors import InputError
from timefair.cli import analysis
from timefair.cli.common import (
    RESULTS,
    Commands,
    one_thread,
    prepare_files,
    prepare_folder,
    refuse_mixed,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from timefair.campaign.configuration import Campaign
    from timefair.io.importing import WantedProblems

FORMATS = {"coco": "COCO's data format", "ioh": "IOHprofiler's data format"}
READERS = {"coco": "cocopp", "ioh": "iohinspector"}


def add_to(commands: Commands) -> None:
    export = commands.add_parser(
        "export",
        help="write the runs in the format of another tool, or a campaign as an archive",
        description="Writes collected runs in the data format of another tool, or a complete "
        "campaign as an archive.",
    )
    exports = export.commands = export.add_subparsers(
        title="formats", required=True, metavar="FORMAT"
    )
    for name, words in FORMATS.items():
        one = exports.add_parser(
            name,
            help=f"{words}, for {READERS[name]}",
            description=f"Writes collected runs in {words}, one folder per algorithm, for "
            f"{READERS[name]}. An existing folder is refused.",
            example=f"timefair export {name} results/default --output exported-{name}",
        )
        one.add_argument("folder", **RESULTS)
        one.output(
            "FOLDER", f"folder to write, with one folder per algorithm; by default NAME-{name} here"
        )
        one.set_defaults(command=_export_ioh)
        if name == "coco":
            one.add_argument(
                "--cost", choices=("evaluations", "seconds"), default="evaluations",
                help="the cost that is written as evaluations; seconds become microseconds",
            )  # fmt: skip
            one.set_defaults(command=_export_coco)

    tidy = exports.add_parser(
        "table",
        help="a tidy table: one row per improvement, with times",
        description="Writes collected runs as one table (CSV or Parquet) with one row per "
        "improvement and one row for the end of each run. `timefair analyse` reads it.",
        example="timefair export table results/default --output runs.parquet",
    )
    tidy.add_argument("folder", **RESULTS)
    tidy.output("FILE", ".csv or .parquet, to write; by default NAME.csv here")
    tidy.set_defaults(command=_export_table)

    import_ = commands.add_parser(
        "import",
        help="convert published data to a record",
        description="Reads the runs of one algorithm from published data, and writes them to a "
        "record. Formats: coco, ioh (a folder or an archive of COCO or IOHprofiler), timefair (the "
        "folder or archive of a campaign), table (one row per improvement, CSV or Parquet) and "
        "benchopt (its results). Runs of timefair with times of reference kernels keep their "
        "seconds. Other tables and data with a column of seconds have times, too, but --campaign "
        "omits them, because a foreign clock cannot be compared with that of the campaign. "
        "Snakemake runs this command for the data that a campaign names under "
        "`published`. `timefair analyse` compares all algorithms of a table, with their times.",
        example="timefair import coco exported-coco/Nelder-Mead --output coco.parquet\n"
        "timefair import ioh exported-ioh/Nelder-Mead --output ioh.parquet\n"
        "timefair import timefair results/default --algorithm DE --output timefair.parquet\n"
        "timefair import table runs.parquet --algorithm DE --output table.parquet\n"
        "timefair import benchopt tests/golden/benchopt.parquet \\\n"
        "    --algorithm 'Random[scale=0.5]' --output benchopt.parquet",
    )
    import_.add_argument(
        "format", choices=("coco", "ioh", "timefair", "table", "benchopt"), metavar="FORMAT",
        help="coco, ioh, timefair, table or benchopt",
    )  # fmt: skip
    import_.add_argument("path", type=Path, metavar="PATH", help="the folder, archive or table")
    import_.add_argument(
        "--output", required=True, type=Path, metavar="PARQUET", help="record to write"
    )
    analysis.add_options(import_)
    import_.add_argument(
        "--algorithm", metavar="NAME",
        help="name of the algorithm in the data, if they contain several",
    )  # fmt: skip
    import_.add_argument(
        "--label", metavar="NAME", help="label of the algorithm; by default its name"
    )
    import_.add_argument(
        "--campaign", type=Path, metavar="SNAPSHOT",
        help="import only runs on the problems of this campaign, without times",
    )  # fmt: skip
    import_.set_defaults(command=_import)


def _export_coco(arguments: argparse.Namespace) -> None:
    from timefair.io.write import FINAL_TARGET, write_coco

    campaign, runs, foreign_clock = _exported(arguments.folder)
    output = arguments.output or Path(f"{campaign.name}-coco")
    prepare_folder(output)
    if arguments.cost == "seconds":
        runs = _with_times(runs, foreign_clock)
    final_target = min(FINAL_TARGET, *campaign.targets)
    write_coco(runs, output, arguments.cost, final_target=final_target)


def _export_ioh(arguments: argparse.Namespace) -> None:
    from timefair.io.write import write_ioh

    campaign, runs, _ = _exported(arguments.folder)
    output = arguments.output or Path(f"{campaign.name}-ioh")
    prepare_folder(output)
    write_ioh(runs, output)


def _export_table(arguments: argparse.Namespace) -> None:
    from timefair.io.write import SUFFIXES, write_table

    campaign, runs, foreign_clock = _exported(arguments.folder)
    output = arguments.output or Path(f"{campaign.name}.csv")
    prepare_files([output], SUFFIXES)
    write_table(_with_times(runs, foreign_clock), output)


def _exported(folder: Path) -> tuple[Campaign, pa.Table, set[str]]:
    """The campaign, the collected runs, and the labels with times of a foreign clock beside
    measured ones. `InputError` if the runs are not comparable.
    """
    from timefair.campaign import collected, configuration
    from timefair.records.integrity import Origins
    from timefair.records.rundata.traces import with_noisy_values
    from timefair.records.schema import FOREIGN_CLOCK, PUBLISHED
    from timefair.records.store import open_record, read_runs

    campaign = configuration.restore(folder / analysis.SNAPSHOT)
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
    return campaign, runs, clocks if origins else set()


def _with_times(runs: pa.Table, foreign_clock: set[str]) -> pa.Table:
    """The runs whose times compare; prints one line per algorithm that is left out."""
    import pyarrow as pa
    import pyarrow.compute as pc

    untimed = pc.is_null(runs["wall_s"])
    for label in sorted(runs.filter(untimed)["algorithm"].unique().to_pylist()):
        print(f"timefair: {label}: skipped, published data have no times", file=sys.stderr)
    for label in sorted(foreign_clock):
        print(f"timefair: {label}: skipped, its times are of a foreign clock", file=sys.stderr)
    foreign = pc.is_in(runs["algorithm"], pa.array(sorted(foreign_clock), pa.string()))
    return runs.filter(pc.invert(pc.or_(untimed, foreign)))


def _import(arguments: argparse.Namespace) -> None:
    one_thread()
    from timefair.campaign import configuration
    from timefair.io.importing import import_data

    if arguments.format in ("coco", "timefair") and (arguments.columns or arguments.set):
        raise InputError(f"--columns, --set: not for the format {arguments.format}; leave them out")
    wanted, of, algorithm, layout = None, "", arguments.algorithm, analysis.layout(arguments)
    if arguments.campaign is not None:
        campaign = configuration.restore(arguments.campaign)
        wanted, of = _wanted(campaign), f" of {campaign.problems.count}"
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


def _wanted(campaign: Campaign) -> WantedProblems:
    from timefair.io.importing import WantedProblems
    from timefair.problems import names

    problems = campaign.problems
    return WantedProblems(
        problems.suite, problems.functions, problems.dimensions, problems.instances,
        names.every(problems.suite, problems.given_names), problems.own_dimensions,
    )  # fmt: skip
