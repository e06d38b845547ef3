"""Writes a campaign as an archive, and verifies one."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from datetime import date
from functools import partial
from pathlib import Path

from timefair.basics.errors import InputError
from timefair.cli.campaigns import problems_of
from timefair.cli.common import RESULTS, Commands, one_thread, prepare_folder


def add_to(commands: Commands) -> None:
    verify = commands.choices["verify"]
    verify.set_defaults(command=partial(_verify, of_folder=verify.get_default("command")))
    crate = commands.choices["export"].commands.add_parser(
        "crate",
        help="a self-contained archive of a campaign, as a Workflow Run RO-Crate",
        description="Writes a complete campaign as a Workflow Run RO-Crate: records, tables, "
        "figures, report, configuration, the code at its commit, the machine with its packages, "
        "and the metadata that repositories ask for. `timefair verify` checks it. Two exports of "
        "the same results are identical.",
        example="timefair export crate results/default --output default.zip \\\n"
        "    --author 'Doe, Jane' --license CC-BY-4.0",
    )
    crate.add_argument("folder", **RESULTS)
    crate.add_argument(
        "--output", required=True, type=Path, metavar="PATH",
        help="a new file that ends in .zip",
    )  # fmt: skip
    crate.add_argument(
        "--author", required=True, action="append", metavar="NAME",
        help="'Family, Given', optionally followed by an ORCID; once per author",
    )  # fmt: skip
    crate.add_argument(
        "--license", required=True, metavar="SPDX",
        help="licence of the data, such as CC-BY-4.0",
    )  # fmt: skip
    crate.add_argument(
        "--date", metavar="YYYY-MM-DD",
        help="date of publication; by default the date of the last run",
    )  # fmt: skip
    crate.add_argument(
        "--compact",
        action="store_true",
        help="keep the improvements that tables need, and one complete record per algorithm and "
        "dimension; leave out tables, figures, report, tests and documentation",
    )
    crate.set_defaults(command=_export_crate)


def _export_crate(arguments: argparse.Namespace) -> None:
    from timefair.extensions.archive.crate import Author, crate_of
    from timefair.extensions.archive.files import write_zip

    output = arguments.output
    if output.exists():
        raise InputError(f"--output: {output}: exists already; name another")
    if output.suffix != ".zip":
        raise InputError(f"--output: {output}: should end in .zip")
    crate = crate_of(
        arguments.folder,
        authors=[Author.parse(text) for text in arguments.author],
        license=arguments.license,
        published=_date(arguments.date),
        compact=arguments.compact,
    )
    prepare_folder(output.absolute().parent)
    write_zip(crate.members, output)
    megabytes = sum(member.size for member in crate.members) / 1e6
    print(f"{output}: {len(crate.members) + 1} files, {crate.runs} runs, {megabytes:.1f} MB")
    print(f"code: {crate.code}")


def _date(text: str | None) -> date | None:
    try:
        return None if text is None else date.fromisoformat(text)
    except ValueError:
        raise InputError(f"--date: {text}: should be a date, such as 2026-11-22") from None


def _verify(arguments: argparse.Namespace, of_folder: Callable[[argparse.Namespace], int]) -> int:
    one_thread()
    from timefair.extensions.archive import files

    if not files.is_archive(arguments.folder):
        return of_folder(arguments)
    faults: list[str] = []

    def say(line: str) -> None:
        faults.append(line)
        print(line, flush=True)

    with files.opened(arguments.folder, say) as folder:
        shown, place = str(arguments.folder), str(folder)
        if not arguments.quiet:
            state = f"{len(faults)} not as archived" if faults else "every byte is as archived"
            print(f"{shown}: {len(files.files_below(folder))} files, {state}")
        problems = len(faults) + problems_of(
            files.results_of(folder),
            arguments,
            lambda line: print(line.replace(place, shown), flush=True),
        )
    return int(problems > 0)
