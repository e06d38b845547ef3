"""The lists of suites and libraries say what the suites and libraries declare."""

import difflib

import pytest
from registry_pages import MADE, ROOT, declaration, extra_of, right

from timefair.algorithms.registry import LIBRARIES
from timefair.problems.registry import SUITES

ENTRIES = [*SUITES.values(), *LIBRARIES.values()]


@pytest.mark.slow
@pytest.mark.parametrize("file", MADE)
def test_the_lists_of_a_file_are_up_to_date(file):
    written, made = (ROOT / file).read_text(encoding="utf-8"), right(file)
    if written != made:
        diff = difflib.unified_diff(written.splitlines(), made.splitlines(), lineterm="")
        pytest.fail("\n".join(["python tests/documentation/registry_pages.py --fix", *diff]))


@pytest.mark.slow
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_an_entry_declares_what_the_documentation_says_of_it(entry):
    found = declaration(entry)
    assert len(found.sentence) <= 65, "one short sentence: it is a cell of a table"
    assert len((found.module.__doc__ or "").split()) > 20, "the reference is the docstring"


@pytest.mark.parametrize("name", LIBRARIES)
def test_the_examples_of_a_library_are_names_of_its_algorithms(name):
    library = LIBRARIES[name]
    assert library.examples
    for example in library.examples if library.available() else ():
        assert example in {entry.name for entry in library.available()}
    assert library.optional == (extra_of(library) in ("extras", "alone"))
