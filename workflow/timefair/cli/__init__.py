"""The commands, ``main(argv) -> int``, which users and the rules call.

Each command imports what it needs when it is called: measuring does not import plotting, and numpy
is not imported before the number of threads is set.
"""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence

from timefair.basics.extension import extensions, packages
from timefair.cli.arguments import Command, status_of


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; its exit status: 2 for wrong input, 128 plus a signal that ended it."""
    words = sys.argv[1:] if argv is None else argv
    try:
        arguments = parser(*words[:1]).parse_args(words, argparse.Namespace(words=list(words)))
    except SystemExit as stop:  # argparse has printed the usage, the help or the version
        return int(stop.code or 0)
    return status_of(lambda: arguments.command(arguments))


GROUPS = {
    "plan": ("init", "check", "algorithms"),
    "watch": ("progress", "doctor"),
    "results": ("report", "table", "figure", "analyse"),
    "trust": ("verify",),
    "exchange": ("export", "import"),
}
"""The core's commands that users call, in the order of the help. The rules call the others."""


def groups() -> dict[str, tuple[str, ...]]:
    """The commands that users call, in the order of the help: the core's, then extensions'."""
    added = [pair for one in extensions().values() for pair in one.groups.items()]
    return {
        group: (*names, *(name for name, theirs in added if theirs == group))
        for group, names in GROUPS.items()
    }


class _Top(Command):
    """The parser of all commands, with their groups in its help."""

    def format_help(self) -> str:
        formatter = self._get_formatter()
        formatter.add_usage(self.usage, self._actions, self._mutually_exclusive_groups)
        formatter.add_text(self.description)
        told = {action.dest: action for action in self.commands._choices_actions}
        for title, names in groups().items():
            formatter.start_section(title)
            formatter.add_arguments([told[name] for name in names])
            formatter.end_section()
        formatter.add_text(self.epilog)
        return formatter.format_help()


def parser(command: str = "") -> _Top:
    """Every command with its arguments, or only measuring, which starts most often."""
    top = _Top(
        prog="timefair",
        description="Benchmarks black-box optimizers: each gets the same time, restarts included. "
        "`snakemake` runs a campaign. For the help of a command: `timefair COMMAND --help`.",
        example="timefair check mine.yaml\nsnakemake --cores all --configfile mine.yaml",
        exits={
            0: "done, and nothing is wrong",
            1: "what was examined is wrong or worse, as the help of the command says; with a "
            "traceback: a defect of timefair",
            3: "undecided",
            128 + signal.SIGINT: "ended by Ctrl-C; for another signal, 128 plus its number",
        },
    )
    commands = top.commands = top.add_subparsers(
        title="commands", required=True, metavar="COMMAND", parser_class=Command
    )
    from timefair.cli import measuring

    if command == "measure":
        measuring.add_to(commands)
        return top
    from timefair import __version__
    from timefair.cli import analysing, campaigns

    top.add_argument("--version", action="version", version=f"timefair {__version__}")
    for module in (campaigns, measuring, analysing, *packages("commands")):
        module.add_to(commands)
    return top
