"""The commands ``export`` and ``import``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from timefair.cli.common import Command, Commands, refuse_mixed
from timefair.cli.paths import prepare_files, prepare_folder

if TYPE_CHECKING:
    import pyarrow as pa

    from timefair.campaign.configuration import Campaign
    from timefair.published.importing import WantedProblems

FORMATS = {"coco": "COCO's data format", "ioh": "IOHprofiler's data format"}
READERS = {"coco": "cocopp", "ioh": "iohinspector"}


def add_to(commands: Commands, campaign: Command) -> None:
    """Add the commands of this module."""
    export = commands.add_parser(
        "export",
        help="write the runs in the format of another tool",
        description="Writes collected runs in the data format of another tool.",
    )
    exports = export.add_subparsers(title="formats", required=True, metavar="FORMAT")
    for name, words in FORMATS.items():
        one = exports.add_parser(
            name,
            help=f"{words}, for {READERS[name]}",
            description=f"Writes collected runs in {words}, one folder per algorithm, for "
            f"{READERS[name]}. An existing folder is refused.",
            example=f"timefair export {name} results/default/collected/*.parquet \\\n"
            f"    --campaign results/default/campaign.json --output exported-{name}",
            parents=[campaign],
        )
        one.add_argument(
            "collected", nargs="+", type=Path, metavar="COLLECTED", help="collected runs"
        )
        one.add_argument(
            "--output", required=True, type=Path, metavar="FOLDER",
            help="folder to write; it gets one folder per algorithm",
        )  # fmt: skip
        one.set_defaults(command=_export_ioh)
        if name == "coco":
            one.add_argument(
                "--cost", choices=("evaluations", "seconds"), default="evaluations",
                help="the cost that is written as evaluations; seconds become microseconds",
            )  # fmt: skip
            one.set_defaults(command=_export_coco)

    import_ = commands.add_parser(
        "import",
        help="convert published data to a record without times",
        description="Converts published data to a record, for comparison with measured runs in "
        "evaluations.",
    )
    imports = import_.add_subparsers(title="formats", required=True, metavar="FORMAT")
    for name, words in FORMATS.items():
        one = imports.add_parser(
            name,
            help=words,
            description=f"Reads the runs of one algorithm in {words} from a folder or an archive "
            "and writes them to a record, with evaluations and without times. Snakemake runs this "
            "command for the data that a campaign names under `published`.",
            example=f"timefair import {name} exported-{name}/Nelder-Mead --output {name}.parquet",
        )
        one.add_argument("path", type=Path, metavar="PATH", help="a folder or an archive")
        one.add_argument(
            "--output", required=True, type=Path, metavar="PARQUET", help="record to write"
        )
        one.add_argument(
            "--algorithm",
            metavar="NAME",
            help="name of the algorithm in the data, if they contain several",
        )
        one.add_argument(
            "--label", metavar="NAME", help="label of the algorithm; by default its name"
        )
        one.add_argument(
            "--campaign", type=Path, metavar="SNAPSHOT",
            help="import only runs on the problems of this campaign",
        )  # fmt: skip
        one.set_defaults(command=_import, format=name)


def _export_coco(arguments: argparse.Namespace) -> None:
    from timefair.export.coco import FINAL_TARGET, write_coco

    campaign, runs = _exported(arguments.campaign, arguments.collected)
    prepare_folder(arguments.output)
    if arguments.cost == "seconds":
        runs = _with_times(runs)
    final_target = min(FINAL_TARGET, *campaign.targets)
    write_coco(runs, arguments.output, arguments.cost, final_target=final_target)


def _export_ioh(arguments: argparse.Namespace) -> None:
    from timefair.export.ioh import write_ioh

    _, runs = _exported(arguments.campaign, arguments.collected)
    prepare_folder(arguments.output)
    write_ioh(runs, arguments.output)


def _exported(snapshot: Path, collected: Sequence[Path]) -> tuple[Campaign, pa.Table]:
    """The campaign and the collected runs; InputError if they are not comparable."""
    from timefair.campaign import configuration
    from timefair.records.integrity import Origins
    from timefair.records.schema import PUBLISHED
    from timefair.records.store import open_record, read_runs

    campaign = configuration.restore(snapshot)
    origins: dict[str, Origins] = {}
    for path in collected:
        facts = open_record(path).facts
        if PUBLISHED not in facts:
            origins.setdefault(facts.get("algorithm", path.stem), Origins()).add(facts)
    runs = read_runs(collected)
    refuse_mixed(origins, campaign)
    return campaign, runs


def _with_times(runs: pa.Table) -> pa.Table:
    """The runs with times; prints one line per algorithm that has none."""
    import pyarrow.compute as pc

    untimed = pc.is_null(runs["wall_s"])
    for label in sorted(runs.filter(untimed)["algorithm"].unique().to_pylist()):
        print(f"timefair: {label}: skipped, published data have no times", file=sys.stderr)
    return runs.filter(pc.invert(untimed))


def _import(arguments: argparse.Namespace) -> None:
    from timefair.campaign import configuration
    from timefair.published.importing import import_data

    wanted, algorithm = None, arguments.algorithm
    if arguments.campaign is not None:
        campaign = configuration.restore(arguments.campaign)
        wanted = _wanted(campaign)
        if algorithm is None and arguments.label in campaign.published:
            algorithm = campaign.published[arguments.label].algorithm
    prepare_files([arguments.output], [".parquet"])
    found = import_data(
        arguments.path, arguments.format, arguments.output, algorithm=algorithm,
        label=arguments.label, wanted=wanted,
    )  # fmt: skip
    problems = str(len(found.runs)) + (f" of {wanted.problems}" if wanted is not None else "")
    runs = sum(found.runs.values())
    print(f"{found.algorithm}: {runs} runs on {problems} problems of {found.suite}")
    lacking = found.lacking(wanted) if wanted is not None else []
    for clause in [*found.cautions, *lacking]:
        print(f"timefair: {arguments.path}: {clause}", file=sys.stderr)


def _wanted(campaign: Campaign) -> WantedProblems:
    from timefair.published.importing import WantedProblems

    problems = campaign.problems
    return WantedProblems(
        problems.suite, problems.functions, problems.dimensions, problems.instances
    )
