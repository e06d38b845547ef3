"""The documents of the configuration say what the model says."""

import difflib
import json
import re
from pathlib import Path

import jsonschema
import pytest

from timefair.campaign.configuration import json_schema, load, read_yaml

ROOT = Path(__file__).parents[3]
SCHEMA = json.loads((ROOT / "config/schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


@pytest.mark.slow
def test_the_schema_is_a_schema():
    VALIDATOR.check_schema(SCHEMA)


def test_schema_is_the_model():
    written = (ROOT / "config/schema.json").read_text().splitlines()
    _same(written, json_schema().splitlines(), "config/schema.json: timefair schema --write")


def _same(written: list[str], right: list[str], name: str) -> None:
    if written != right:
        diff = difflib.unified_diff(written, right, "written", "right", lineterm="")
        pytest.fail("\n".join([f"{name} has drifted", *diff]))


@pytest.mark.thinned(3)
@pytest.mark.parametrize("path", sorted((ROOT / "config").rglob("*.yaml")), ids=lambda p: p.name)
def test_campaigns_that_are_shipped_are_right(path):
    if "mealpy:" in path.read_text():
        pytest.importorskip("mealpy")
    campaign = load(path)
    assert path.parents[1] != ROOT / "config" or campaign.name == path.stem
    VALIDATOR.validate(as_an_editor_reads(read_yaml(path)))


def as_an_editor_reads(value: object) -> object:
    """By YAML 1.2, to which 1e-8 is a number."""
    if isinstance(value, dict):
        return {key: as_an_editor_reads(item) for key, item in value.items()}
    if isinstance(value, list):
        return [as_an_editor_reads(item) for item in value]
    is_number = isinstance(value, str) and re.fullmatch(r"\d(\.\d+)?e-?\d+", value)
    return float(value) if is_number else value


@pytest.mark.parametrize(
    ("section", "right"),
    [
        ({"restart": {}}, True),
        ({"restart": {"policy": "independent"}}, True),
        ({"restart": {"policy": "luby", "tau_evaluations": 5}}, True),
        ({"restart": {"tau_evaluations": 5}}, False),
        ({"restart": {"policy": "lubi"}}, False),
        ({"restart": {"policy": "stagnation", "tau_evaluations": 5}}, False),
        ({"stopping": {"rule": "skewness", "tau": 0.1}}, True),
        ({"stopping": {"rule": "fixed", "tau": 0.1}}, False),
    ],
    ids=str,
)
def test_the_schema_knows_the_keys_of_each_policy_and_rule(section, right):
    campaign = as_an_editor_reads(read_yaml(ROOT / "config/config.yaml"))
    assert isinstance(campaign, dict)
    fault = VALIDATOR.iter_errors(campaign | section)
    assert (next(fault, None) is None) is right
