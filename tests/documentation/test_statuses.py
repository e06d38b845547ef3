"""The page on records lists every status of a run."""

import re
from pathlib import Path

from timefair.records.status import Status

PAGE = Path(__file__).parents[2] / "docs/validation/integrity.md"


def test_every_status_is_on_the_page():
    section = PAGE.read_text().partition("## Statuses of runs")[2].partition("\n## ")[0]
    assert set(re.findall(r"^\| `(\w+)`", section, re.M)) == {*Status, "status"}
