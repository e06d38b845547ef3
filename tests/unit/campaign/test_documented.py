"""The documents of the configuration say what the model says."""

from __future__ import annotations

import difflib
import importlib.util
from pathlib import Path

import pytest

from timefair.campaign.configuration import Campaign, json_schema, load

ROOT = Path(__file__).parents[3]
_spec = importlib.util.spec_from_file_location(
    "reference", Path(__file__).with_name("reference.py")
)
assert _spec is not None
assert _spec.loader is not None
reference = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(reference)


def test_readme_has_a_row_for_every_key() -> None:
    written = (ROOT / "config/README.md").read_text().splitlines()
    table = [line for line in written if line.startswith("|")]
    _same(table, list(reference.rows(Campaign)), "config/README.md")


def test_schema_is_the_model() -> None:
    written = (ROOT / "config/schema.json").read_text().splitlines()
    _same(written, json_schema().splitlines(), "config/schema.json: timefair schema --write")


def _same(written: list[str], right: list[str], name: str) -> None:
    if written != right:
        diff = difflib.unified_diff(written, right, "written", "right", lineterm="")
        pytest.fail("\n".join([f"{name} has drifted", *diff]))


@pytest.mark.parametrize("path", sorted((ROOT / "config").rglob("*.yaml")), ids=lambda p: p.name)
def test_campaigns_that_are_shipped_are_right(path: Path) -> None:
    load(path)
