"""The command `timefair referee`."""

from __future__ import annotations

import argparse
from pathlib import Path

from timefair.cli.common import Commands, one_thread, prepare_files


def add_to(commands: Commands) -> None:
    referee = commands.add_parser(
        "referee",
        help="what results can and cannot claim, as a reviewer asks",
        description="Answers a reviewer's questions with yes, no or unknown, each with a sentence "
        "for the paper. Reads the results of a campaign, or a table (.csv) with the final value of "
        "each run: algorithm, function, value, optionally dimension, evaluations and seconds.",
        example="timefair referee results/default\ntimefair referee results/default -o page.md",
    )
    referee.add_argument("what", type=Path, metavar="RESULTS", help="results/NAME, or a table")
    referee.output("FILE", ".md, to write; by default printed")
    referee.set_defaults(command=_referee)


def _referee(arguments: argparse.Namespace) -> None:
    one_thread()
    from timefair.extensions.referee import questions

    read = questions.of_folder if arguments.what.is_dir() else questions.of_table
    text = questions.page(str(arguments.what), read(arguments.what))
    if arguments.output is None:
        print(text, end="")
        return
    prepare_files([arguments.output], [".md"])
    arguments.output.write_text(text, encoding="utf-8")
