"""Completion in the shell, by argcomplete: the shell asks `timefair` itself for words."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from functools import partial
from importlib import import_module

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

    An argument whose metavar is in `NAMES` is completed with the names of that registry, others
    without choices with file names. Commands that are `hidden` are not offered.
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
            action.completer = partial(_names, action.metavar)  # type: ignore[attr-defined]


NAMES = {
    "TABLE": "timefair.exhibits.registry:TABLES",
    "FIGURE": "timefair.exhibits.registry:FIGURES",
    "LIBRARY": "timefair.algorithms.registry:LIBRARIES",
}
"""The registry with the names that an argument can have, by its metavar in the help."""


def _names(kind: str, **asked: object) -> list[str]:
    module, _, name = NAMES[kind].partition(":")
    return list(getattr(import_module(module), name))
