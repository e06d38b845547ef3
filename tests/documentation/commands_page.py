"""The page of the commands, made from their help: ``python commands_page.py --fix``."""

import argparse
from collections.abc import Iterator
from itertools import chain

from reference_tables import ROOT, main

from timefair.cli import groups, parser
from timefair.cli.arguments import EXITS, Command

PAGE = "docs/reference/commands.md"
OF_USERS = (*chain(*groups().values()),)
CALLED = "## Called by the workflow"
MARK = "<!-- From here on made from the help: python tests/documentation/commands_page.py --fix -->"


def leaves(command: Command, name: str = "timefair") -> Iterator[tuple[str, Command]]:
    """Every command that does something, with its whole name; those of users are first."""
    groups = [a for a in command._actions if isinstance(a, argparse._SubParsersAction)]
    if not groups:
        yield name, command
    for group in groups:
        first = OF_USERS if name == "timefair" else ()
        for word in dict.fromkeys((*first, *group.choices)):
            yield from leaves(group.choices[word], f"{name} {word}")


def pages() -> Iterator[tuple[str, str]]:
    text = {True: "", False: f"\n{CALLED}\n"}
    for name, command in leaves(parser()):
        of_users = name.split()[1] in OF_USERS
        text[of_users] += f"\n{_section(name, command, '##' if of_users else '###')}"
    yield PAGE, head() + text[True] + text[False]


def _section(name: str, command: Command, mark: str) -> str:
    text = f"{mark} `{name}`\n\n{command.description}\n\n```sh\n{command.example}\n```\n"
    if rows := list(_rows(command)):
        text += "\n| argument | meaning |\n|---|---|\n" + "".join(f"{row}\n" for row in rows)
    own = {code: said for code, said in command.exits.items() if EXITS.get(code) != said}
    if own:
        text += f"\nExit status: {'; '.join(f'{code}: {said}' for code, said in own.items())}.\n"
    return text


def _rows(command: Command) -> Iterator[str]:
    for action in command._actions:
        if action.dest == "help" or action.help == argparse.SUPPRESS:
            continue
        shown = " or ".join(f"`{_shown(action, name)}`" for name in action.option_strings or [""])
        needed = " (needed)" if action.required and action.option_strings else ""
        yield f"| {shown} | {str(action.help).replace('%%', '%')}{needed} |"


def _shown(action: argparse.Action, option: str) -> str:
    if action.nargs == 0:
        return option
    if action.choices is not None and not action.metavar:
        value = ", ".join(map(str, action.choices))
    else:
        metavar = action.metavar or action.dest.upper()
        value = metavar if isinstance(metavar, str) else " ".join(metavar)
    if action.nargs in ("+", "*"):
        value += " ..."
    if action.nargs == "?":
        value = f"[{value}]"
    return f"{option} {value}".strip()


def head() -> str:
    return (ROOT / PAGE).read_text(encoding="utf-8").partition(MARK)[0] + MARK + "\n"


if __name__ == "__main__":
    main(__file__, pages())
