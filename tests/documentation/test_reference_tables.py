"""The tables of the documentation that are made from the code are what the code gives."""

import difflib
import re

import pytest
from reference_tables import BLOCKS, FIRST, TOPICS, Key, by_topic, keys, summary

from timefair.campaign.configuration.model import CHOICES
from timefair.policies.restarts import RESTARTS
from timefair.policies.stopping import STOPPING

CHOOSING = {choice.key for choice in CHOICES.values()}


@pytest.mark.parametrize("block", BLOCKS, ids=[block.name for block in BLOCKS])
def test_a_table_has_not_drifted(block):
    written, right = block.written(), block.made()
    if written != right:
        diff = difflib.unified_diff(written.splitlines(), right.splitlines(), lineterm="")
        command = "python tests/documentation/reference_tables.py --fix"
        pytest.fail("\n".join([f"{block.page} has drifted: {command}", *diff]))


@pytest.mark.parametrize("kind", [*RESTARTS.values(), *STOPPING.values()])
def test_every_policy_and_rule_is_described(kind):
    assert summary(kind).endswith(".")
    assert "|" not in summary(kind)
    fields = {name: field for name, field in kind.model_fields.items() if name not in CHOOSING}
    assert all(field.description for field in fields.values())


def test_every_key_stands_once_and_no_topic_is_empty():
    text = "\n".join(keys())
    names = re.findall(r"^\| `([^`]+)`", text, flags=re.M)
    others = [name for name in names if not name.startswith("stopping.")]
    assert len(others) == len(set(others))
    assert names[: len(FIRST)] == list(FIRST)
    assert len(FIRST) == 15
    tables = re.split(r"^### ", text, flags=re.M)[1:]
    assert [table.partition("\n")[0] for table in tables] == ["The first fifteen", *TOPICS]
    assert all("\n| `" in table for table in tables)


@pytest.mark.parametrize("rule", STOPPING)
def test_a_stopping_rule_has_a_table_of_its_own_keys(rule):
    """`start`, which most rules have, is above them."""
    text = "\n".join(keys())
    _, _, table = text.partition(f"Only with `rule: {rule}`:")
    found = re.findall(r"^\| `stopping\.(\w+)`", re.split("Only with|###", table)[0], flags=re.M)
    assert set(found) - {"start"} == set(STOPPING[rule].model_fields) - {"rule", "start"}


def test_a_new_key_needs_a_topic():
    with pytest.raises(ValueError, match="colour: has no topic"):
        by_topic({"colour": Key("colour", "", "Of the page.")})
