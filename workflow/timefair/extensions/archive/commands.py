"""Writes a campaign as an archive, and verifies one."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from datetime import date
from functools import partial
from pathlib import Path

from timefair.basics.errors import InputError
from timefair.cli.arguments import RESULTS, Commands, Declared, argument, one_thread, prepare_folder
from timefair.cli.campaigns import problems_of

DECLARED = Declared()


def add_to(commands: Commands) -> None:
    verify = commands.choices["verify"]
    verify.set_defaults(command=partial(_verify, of_folder=verify.get_default("command")))
    DECLARED.add_to(commands)


@DECLARED.command(
    "export crate",
    argument("folder", **RESULTS),
    argument("--output", "PATH", "a new file that ends in .zip", required=True, type=Path),
    argument("--author", "NAME",
             "'Family, Given', optionally followed by an ORCID; once per author",
             required=True, action="append"),
    argument("--license", "SPDX", "licence of the data, such as CC-BY-4.0", required=True),
    argument("--date", "YYYY-MM-DD",
             "date of publication; by default the date of the last run"),
    argument("--compact", action="store_true",
             help="keep the improvements that tables need, and one complete record per algorithm "
             "and dimension; leave out tables, figures, report, tests and documentation"),
    help="a self-contained archive of a campaign, as a Workflow Run RO-Crate",
    example="timefair export crate results/default --output default.zip \\\n"
    "    --author 'Doe, Jane' --license CC-BY-4.0",
)  # fmt: skip
def _export_crate(arguments: argparse.Namespace) -> None:
    """Writes a complete campaign as a Workflow Run RO-Crate: records, tables, figures, report,
    configuration, the code at its commit, the machine with its packages, and the metadata that
    repositories ask for. `timefair verify` checks it. Two exports of the same results are
    identical.
    """
    from timefair.extensions.archive.crate import Author, crate_of
    from timefair.extensions.archive.files import write_zip

    output = arguments.output
    if output.exists():
        raise InputError(f"--output: {output}: exists already; name another")
    if output.suffix != ".zip":
        raise InputError(f"--output: {output}: should end in .zip")
    try:
        published = arguments.date and date.fromisoformat(arguments.date)
    except ValueError:
        line = f"--date: {arguments.date}: should be a date, such as 2026-11-22"
        raise InputError(line) from None
    members, origin, runs = crate_of(
        arguments.folder,
        authors=[Author.parse(text) for text in arguments.author],
        license=arguments.license,
        published=published,
        compact=arguments.compact,
    )
    prepare_folder(output.absolute().parent)
    write_zip(members, output)
    megabytes = sum(member.size for member in members) / 1e6
    print(f"{output}: {len(members) + 1} files, {runs} runs, {megabytes:.1f} MB")
    print(f"code: {origin}")


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
