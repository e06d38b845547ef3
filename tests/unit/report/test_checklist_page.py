"""The page of the checklist: every row is on it, and nothing in a row is taken for HTML."""

from html import unescape
from html.parser import HTMLParser

import pytest

from timefair.report.checklist_page import page


class Reader(HTMLParser):
    """The texts of all table rows, and the names of all elements."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.elements: list[str] = []
        self.scopes: list[str | None] = []
        self._in_cell = False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if tag == "th":
            self.scopes.append(dict(attrs).get("scope"))
        self._in_cell |= tag in ("td", "th")

    def handle_endtag(self, tag):
        self._in_cell &= tag not in ("td", "th")

    def handle_data(self, data):
        if self._in_cell:
            self.rows[-1][-1] += data


def row(item=1, part="Time T", evidence="T = 1 s", missing=None, topic="Budget", met=True):
    return {
        "item": item, "topic": topic, "part": part, "met": met if missing is None else False,
        "evidence": evidence, "missing": missing,
    }  # fmt: skip


ROWS = [
    row(),
    row(part="Overshoot", evidence=None, missing="2 runs"),
    row(item=2, topic="Restarts", part="Policy", evidence="independent"),
]


def parts_of(text):
    return [cells for cells in Reader(text).rows if cells[0] != "Part"]


def test_every_row_is_on_the_page_with_its_verdict_in_words():
    assert parts_of(page(ROWS, "trial", "")) == [
        ["Time T", "✓ met", "T = 1 s", ""],
        ["Overshoot", "✗ not met", "", "2 runs"],
        ["Policy", "✓ met", "independent", ""],
    ]


def test_an_item_is_met_if_all_its_parts_are():
    text = page(ROWS, "trial", "")
    assert "1 of 8" not in text
    assert '1 of 2 items are met. Not met: <a href="#item-1">Budget</a>.' in text
    assert "2 of 2 items are met.</p>" in page([ROWS[0], ROWS[2]], "trial", "")


@pytest.mark.parametrize("said", ["<script>alert(1)</script>", "a & b", '"><b>', "{campaign}"])
def test_texts_are_no_html(said):
    text = page([row(evidence=said, missing=said, part=said, topic=said)], said, said)
    read = Reader(text)
    assert not {"script", "b"} & set(read.elements)
    assert parts_of(text) == [[said, "✗ not met", said, said]]
    assert unescape(text).count(said) >= 6
