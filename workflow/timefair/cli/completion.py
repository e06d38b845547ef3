"""Completion in the shell, by argcomplete: the shell asks `timefair` itself for words."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable

from timefair.cli.common import Commands

VARIABLE = "_ARGCOMPLETE"
"""The shell sets this variable when it requests words."""

SHELLS = ("bash", "zsh", "fish")


def add_to(commands: Commands) -> None:
    """Add the command of this module."""
    completion = commands.add_parser(
        "completion",
        help="print a script that completes commands in the shell",
        description="Prints a script that the shell reads when it starts. The Tab key then "
        "completes commands, options, tables, figures, libraries and files. In bash put "
        '`eval "$(timefair completion bash)"` into ~/.bashrc; in zsh, after `compinit`, '
        '`eval "$(timefair completion zsh)"` into ~/.zshrc; in fish '
        "`timefair completion fish | source` into ~/.config/fish/config.fish.",
        example="timefair completion bash",
    )
    completion.add_argument("shell", choices=SHELLS, help="the shell that reads the script")
    completion.set_defaults(command=_completion)


def _completion(arguments: argparse.Namespace) -> None:
    from argcomplete.shell_integration import shellcode

    sys.stdout.write(shellcode(["timefair"], shell=arguments.shell))


def answer(parser: argparse.ArgumentParser, hidden: Iterable[str]) -> None:
    """Send the possible completions to the shell, and end the process.

    Parameters
    ----------
    parser
        The parser of all commands. An argument whose metavar is in `NAMES` is completed with the
        names listed there. Other arguments without choices are completed with file names.
    hidden
        Commands that are not offered.
    """
    import argcomplete

    _set_completers(parser)
    argcomplete.autocomplete(parser, always_complete_options=False, exclude=list(hidden))


def _set_completers(parser: argparse.ArgumentParser) -> None:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                _set_completers(command)
        elif isinstance(action.metavar, str) and action.metavar in NAMES:
            names = NAMES[action.metavar]
            action.completer = lambda names=names, **_: list(names())  # type: ignore[attr-defined]


def _tables() -> Iterable[str]:
    from timefair.exhibits.registry import TABLES

    return TABLES


def _figures() -> Iterable[str]:
    from timefair.exhibits.registry import FIGURES

    return FIGURES


def _libraries() -> Iterable[str]:
    from timefair.algorithms.registry import LIBRARIES

    return LIBRARIES


NAMES: dict[str, Callable[[], Iterable[str]]] = {
    "TABLE": _tables,
    "FIGURE": _figures,
    "LIBRARY": _libraries,
}
"""The names that an argument can have, by its metavar in the help."""
