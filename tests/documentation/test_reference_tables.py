"""The tables of the documentation that are made from the code are what the code gives."""

from __future__ import annotations

import difflib

import pytest
from reference_tables import BLOCKS, Block, summary

from timefair.campaign.configuration.choices import CHOICES
from timefair.policies.restarts import RESTARTS
from timefair.policies.stopping import STOPPING

CHOOSING = {choice.key for choice in CHOICES.values()}


@pytest.mark.parametrize("block", BLOCKS, ids=[block.name for block in BLOCKS])
def test_a_table_has_not_drifted(block: Block) -> None:
    written, right = block.written(), block.made()
    if written != right:
        diff = difflib.unified_diff(written.splitlines(), right.splitlines(), lineterm="")
        command = "python tests/documentation/reference_tables.py --fix"
        pytest.fail("\n".join([f"{block.page} has drifted: {command}", *diff]))


@pytest.mark.parametrize("kind", [*RESTARTS.values(), *STOPPING.values()])
def test_every_policy_and_rule_is_described(kind) -> None:
    assert summary(kind).endswith(".")
    assert "|" not in summary(kind)
    fields = {name: field for name, field in kind.model_fields.items() if name not in CHOOSING}
    assert all(field.description for field in fields.values())
