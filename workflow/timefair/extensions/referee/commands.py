"""The command `timefair referee`."""

from __future__ import annotations

import argparse
from pathlib import Path

from timefair.cli.arguments import Declared, argument, one_thread, prepare_files

DECLARED = Declared()
add_to = DECLARED.add_to


@DECLARED.command(
    "referee",
    argument("what", "RESULTS", "results/NAME, or a table", type=Path),
    argument("-o --output", "FILE", ".md, to write; by default printed", type=Path),
    help="what results can and cannot claim, as a reviewer asks",
    example="timefair referee results/default\ntimefair referee results/default -o page.md",
)
def _referee(arguments: argparse.Namespace) -> None:
    """Answers a reviewer's questions with yes, no or unknown, each with a sentence for the paper.
    Reads the results of a campaign, or a table (.csv) with the final value of each run: algorithm,
    function, value, optionally dimension, evaluations and seconds.
    """
    one_thread()
    from timefair.extensions.referee import questions

    read = questions.of_folder if arguments.what.is_dir() else questions.of_table
    text = questions.page(str(arguments.what), read(arguments.what))
    if arguments.output is None:
        print(text, end="")
        return
    prepare_files([arguments.output], [".md"])
    arguments.output.write_text(text, encoding="utf-8")
