"""The commands, ``main(argv) -> int``, which users and the rules call.

Each command imports what it needs when it is called: measuring does not import plotting, and numpy
is not imported before the number of threads is set.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from timefair import __version__
from timefair.basics.errors import InputError, Interrupted, storing
from timefair.cli import (
    algorithms,
    analysis,
    campaigns,
    completion,
    exchange,
    measuring,
    progress,
    trust,
)
from timefair.cli.common import Command


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Returns
    -------
    int
        The exit status: that of the command, by default 0; 2 for wrong input; 128 and the number
        of the signal if one ended it.
    """
    commands = parser()
    if completion.VARIABLE in os.environ:
        completion.answer(commands)
    try:
        arguments = commands.parse_args(argv)
    except SystemExit as stop:  # argparse has printed the usage, the help or the version
        return int(stop.code or 0)
    try:
        with storing():
            status: int | None = arguments.command(arguments)
            sys.stdout.flush()
        return status or 0
    except InputError as error:
        _complain(error.told)
        return 2
    except (Interrupted, KeyboardInterrupt) as stop:
        number = stop.number if isinstance(stop, Interrupted) else signal.SIGINT
        _complain(f"timefair: {Interrupted(number)}")
        return 128 + number
    except BrokenPipeError:  # the reader, such as `head`, has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _complain(text: str) -> None:
    """Print an error, if that is possible: the log may be on the disk that is full."""
    with contextlib.suppress(OSError):
        print(text, file=sys.stderr, flush=True)


def parser() -> Command:
    """Every command with its arguments."""
    top = Command(
        prog="timefair",
        description="Benchmarks black-box optimizers: the same seconds for each, with restarts. "
        "`snakemake` runs a campaign; these commands check it beforehand, watch it, and are what "
        "its jobs call. Each explains itself: `timefair COMMAND --help`.",
        example="timefair check mine.yaml\nsnakemake --cores all --configfile mine.yaml",
        exits={
            0: "done, and nothing is wrong",
            1: "something is wrong with the machine (`doctor`) or the records (`verify`); with a "
            "traceback: a defect of timefair",
            128 + signal.SIGINT: "ended by Ctrl-C; 128 and its number for another signal",
        },
    )
    top.add_argument("--version", action="version", version=f"timefair {__version__}")
    commands = top.add_subparsers(title="commands", required=True, metavar="COMMAND")
    campaign = Command(add_help=False)
    campaign.add_argument(
        "--campaign",
        type=Path,
        required=True,
        metavar="SNAPSHOT",
        help="results/NAME/campaign.json",
    )
    campaigns.add_to(commands)
    progress.add_to(commands)
    algorithms.add_to(commands)
    trust.add_to(commands)
    measuring.add_to(commands, campaign)
    analysis.add_to(commands, campaign)
    exchange.add_to(commands, campaign)
    completion.add_to(commands)
    return top
