"""The commands, ``main(argv) -> int``: what the rules call, and what a user asks.

Each command imports what it needs when it is called: measuring starts without plotting, and
without numpy before the number of threads is set.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from timefair import __version__
from timefair.cli import algorithms, analysis, campaigns, measuring, trust
from timefair.errors import InputError


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
    campaigns.add_to(commands)
    algorithms.add_to(commands)
    trust.add_to(commands)
    measuring.add_to(commands, campaign)
    analysis.add_to(commands, campaign)
    return parser
