"""Every command teaches, and docs/reference/commands.md says what the help says."""

import difflib
import re
import shlex

import pytest
from commands_page import PAGE, head, leaves, made

from timefair import cli

COMMANDS = list(leaves(cli.parser()))


@pytest.mark.parametrize(("name", "command"), COMMANDS, ids=[name for name, _ in COMMANDS])
def test_help_teaches(name, command):
    assert len(command.description or "") > 80, "description="
    assert name in command.example or "snakemake" in command.example, "example="
    said = command.format_help()
    for text in (command.example.splitlines()[0], "exit status:", "  0  ", "  2  "):
        assert text in said
    assert all(action.help for action in command._actions), "help= of each argument"


@pytest.mark.parametrize(("name", "command"), COMMANDS, ids=[name for name, _ in COMMANDS])
def test_the_example_is_a_command_line(name, command):
    for line in command.example.replace("\\\n", " ").splitlines():
        words = shlex.split(line)
        if words[0] == "timefair":
            assert cli.parser().parse_args(words[1:]).command


def test_the_page_says_what_the_help_says():
    written, right = PAGE.read_text(), head() + made()
    if written != right:
        diff = difflib.unified_diff(written.splitlines(), right.splitlines(), lineterm="")
        pytest.fail("\n".join(["python tests/documentation/commands_page.py --fix", *diff]))


@pytest.mark.parametrize("code", ["0", "1", "2", "3", "128 + signal"])
def test_the_page_names_every_exit_status(code):
    (row,) = re.findall(rf"\n\| {re.escape(code)} \| (.*)", head())
    if code in ("1", "3"):  # the commands that have this status
        named = set(re.findall(r"`(\w+)`:", row))
        assert named == {name.split()[1] for name, one in COMMANDS if int(code) in one.exits}
