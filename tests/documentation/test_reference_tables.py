"""What is made from the code in the documentation is what the code gives; commands teach."""

import difflib
import re
import shlex
from importlib import import_module

import pytest
from commands_page import head, leaves
from reference_tables import ROOT, summary
from registry_pages import all_names, extra_of, sentence

from timefair import cli
from timefair.algorithms.adapter import Adapter
from timefair.algorithms.libraries import LIBRARIES
from timefair.campaign.configuration.model import CHOICES
from timefair.policies import restart_policies, stopping_rules
from timefair.problems.suites import SUITES

CHOOSING = {choice.key for choice in CHOICES.values()}


@pytest.mark.parametrize(
    "script",
    [
        *("commands_page", "exhibit_pages", "reference_tables"),
        pytest.param("registry_pages", marks=pytest.mark.slow),
    ],
)
def test_what_is_made_from_the_code_has_not_drifted(script):
    for page, text in import_module(script).pages():
        written = (ROOT / page).read_text(encoding="utf-8")
        diff = [*difflib.unified_diff(written.splitlines(), text.splitlines(), lineterm="")]
        assert written == text, "\n".join([f"python tests/documentation/{script}.py --fix", *diff])


@pytest.mark.parametrize("kind", [*restart_policies().values(), *stopping_rules().values()])
def test_every_policy_and_rule_is_described(kind):
    assert summary(kind).endswith(".")
    assert "|" not in summary(kind)
    fields = {name: field for name, field in kind.model_fields.items() if name not in CHOOSING}
    assert all(field.description for field in fields.values())


ENTRIES = [*SUITES.values(), *LIBRARIES.values()]


@pytest.mark.slow
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_an_entry_declares_what_the_lists_say_of_it(entry):
    assert len(sentence(entry)) <= 65, "one short sentence: it is a cell of a table"


def section(page: str, name: str) -> str:
    """The section of a suite or library in a page of the reference, or of several that have one."""
    text = (ROOT / "docs/reference" / page).read_text(encoding="utf-8")
    found = re.search(rf"^### (?:.*, )?`{re.escape(name)}`(?:, .*)?\n\n([^#]+)", text, flags=re.M)
    assert found, f'docs/reference/{page}: a section "### `{name}`"'
    return found[1]


@pytest.mark.parametrize("name", SUITES)
def test_a_suite_has_its_section(name):
    assert section("suites.md", name)


@pytest.mark.parametrize("name", [n for n, each in LIBRARIES.items() if isinstance(each, Adapter)])
def test_a_library_has_its_section_with_the_names_of_its_algorithms(name):
    first = section("algorithms.md", name).partition("\n\n")[0]
    many = f"`timefair algorithms --library {name}` lists its algorithms."
    if first != many and (names := all_names(LIBRARIES[name])):
        assert re.findall("`([^`]+)`", first) == names


@pytest.mark.parametrize("name", LIBRARIES)
def test_the_examples_of_a_library_are_names_of_its_algorithms(name):
    library = LIBRARIES[name]
    assert library.examples
    for example in library.examples if library.available() else ():
        assert example in library.available()
    assert library.optional == (extra_of(library) in ("extras", "alone"))


COMMANDS = list(leaves(cli.parser()))


@pytest.mark.parametrize(("name", "command"), COMMANDS, ids=[name for name, _ in COMMANDS])
def test_help_teaches_and_its_example_is_a_command_line(name, command):
    assert len(command.description or "") > 80, "description="
    assert name in command.example or "snakemake" in command.example, "example="
    said = command.format_help()
    for text in (command.example.splitlines()[0], "exit status:", "  0  ", "  2  "):
        assert text in said
    assert all(action.help for action in command._actions), "help= of each argument"
    for line in command.example.replace("\\\n", " ").splitlines():
        words = shlex.split(line)
        if words[0] == "timefair":
            assert cli.parser().parse_args(words[1:]).command


@pytest.mark.parametrize("code", ["0", "1", "2", "3", "128 + signal"])
def test_the_page_names_every_exit_status(code):
    (row,) = re.findall(rf"\n\| {re.escape(code)} \| (.*)", head())
    if code in ("1", "3"):  # the commands that have this status
        named = set(re.findall(r"`(\w+)`:", row))
        assert named == {name.split()[1] for name, one in COMMANDS if int(code) in one.exits}
