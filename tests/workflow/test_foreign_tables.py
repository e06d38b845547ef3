"""A table of runs, analysed as such, and the commands of the rules on the same runs."""

from pathlib import Path

import pytest
from archived import command

pytestmark = pytest.mark.slow

PAGE = Path(__file__).parents[2] / "docs/reference/timed-runs.md"
HAS_LESS = {
    "checklist", "restart_advice", "restarts", "implementation", "best_points", "runs",
    "rank_reversals",
}  # fmt: skip
"""The default tables that need what a table of runs does not hold; the last two in columns."""


def contents(folder, ending):
    return {path.stem: path.read_bytes() for path in folder.glob(f"*.{ending}")}


def test_the_tables_are_those_of_the_rules(workspace, monkeypatch):
    """Of a measured campaign, every table that a table of runs suffices for is bit-identical."""
    workspace.configure(figures={"names": ["ert"], "formats": ["svg"]})
    workspace.complete_here()
    snapshot = workspace.results / "campaign.json"
    monkeypatch.chdir(workspace.folder)
    assert command("export", "table", workspace.results, "--output", "r.csv") == 0
    assert command("analyse", "r.csv", "--settings", snapshot, "-o", "results/again") == 0
    rules, mine = (workspace.folder / "results" / name / "tables" for name in ("test", "again"))
    by_rules, by_command = contents(rules, "csv"), contents(mine, "csv")
    assert len(by_command) > 15
    assert set(by_command) <= set(by_rules)
    assert {name for name in by_command if by_command[name] != by_rules[name]} <= HAS_LESS
    text = PAGE.read_text()
    assert all(f"`{name}`" in text for name in HAS_LESS)
