"""Completion in the shell: it asks `timefair` itself for words, so it knows what is installed."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable

from timefair.cli.common import Command, Commands

SCRIPTS = {
    "bash": r"""
_timefair() {
    local IFS=$'\n'
    COMPREPLY=($(timefair completion words "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _timefair timefair
""",
    "zsh": r"""
#compdef timefair
_timefair() {
    local -a found=(${(f)"$(timefair completion words "${(@)words[2,CURRENT]}" 2>/dev/null)"})
    if (( $#found )); then compadd -a found; else _files; fi
}
compdef _timefair timefair
""",
    "fish": r"""
function __timefair
    set -l found (timefair completion words (commandline -opc)[2..] (commandline -ct) 2>/dev/null)
    if test (count $found) -gt 0
        string join \n $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c timefair -f -a '(__timefair)'
""",
}
"""What each shell reads; where no word is found it completes names of files."""


def add_to(commands: Commands) -> None:
    """Add the command of this module."""
    completion = commands.add_parser(
        "completion",
        help="print a script that completes commands in the shell",
        description="Prints a script for the shell to read at its start. Commands, options, "
        "tables, figures and libraries are then completed by the Tab key, files elsewhere. In "
        'bash put `eval "$(timefair completion bash)"` into ~/.bashrc; in zsh, after `compinit`, '
        '`eval "$(timefair completion zsh)"` into ~/.zshrc; in fish '
        "`timefair completion fish | source` into ~/.config/fish/config.fish.",
        example="timefair completion bash",
    )
    completion.add_argument("shell", choices=[*SCRIPTS, "words"], help="`words`: what they ask")
    completion.add_argument("words", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    completion.set_defaults(command=_completion)


def _completion(arguments: argparse.Namespace) -> None:
    if arguments.shell == "words":
        from timefair.cli import parser

        print(*candidates(parser(), arguments.words), sep="\n")
    else:
        sys.stdout.write(SCRIPTS[arguments.shell].lstrip("\n"))


def candidates(parser: Command, words: list[str]) -> list[str]:
    """What the last of some words of a command line may become; nothing where files are meant."""
    *before, begun = words or [""]
    awaited: argparse.Action | None = None
    for word in before:
        commands = _commands(parser)
        if word in commands:
            parser, awaited = commands[word], None
        elif word.startswith("-"):
            awaited = _option(parser, word)
        elif awaited is not None and awaited.nargs not in ("+", "*"):
            awaited = None
    return sorted(word for word in _offers(parser, awaited, begun) if word.startswith(begun))


def _offers(parser: Command, awaited: argparse.Action | None, begun: str) -> Iterable[str]:
    options = [name for action in parser._actions for name in action.option_strings]
    if begun.startswith("-"):
        return options
    if awaited is not None:
        return _values(awaited)
    if commands := _commands(parser):
        return commands
    positional = [action for action in parser._actions if not action.option_strings]
    return [value for action in positional for value in _values(action)]


def _commands(parser: argparse.ArgumentParser) -> dict[str, Command]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def _option(parser: Command, word: str) -> argparse.Action | None:
    """The option of this name, if a value of it may follow."""
    for action in parser._actions:
        if word in action.option_strings and action.nargs != 0:
            return action
    return None


def _values(action: argparse.Action) -> Iterable[str]:
    if action.choices is not None:
        return [str(choice) for choice in action.choices]
    known = _KNOWN.get(action.metavar) if isinstance(action.metavar, str) else None
    return known() if known else ()


def _tables() -> Iterable[str]:
    from timefair.exhibits.registry import TABLES

    return TABLES


def _figures() -> Iterable[str]:
    from timefair.exhibits.registry import FIGURES

    return FIGURES


def _libraries() -> Iterable[str]:
    from timefair.algorithms.registry import LIBRARIES

    return LIBRARIES


_KNOWN: dict[str, Callable[[], Iterable[str]]] = {
    "TABLE": _tables,
    "FIGURE": _figures,
    "LIBRARY": _libraries,
}
"""What an argument may be, by the word that stands for it in the help."""
