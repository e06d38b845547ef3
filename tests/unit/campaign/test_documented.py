"""The documents of the configuration say what the model says; the campaigns of papers."""

import csv
import difflib
import importlib.util
import json
import re
import sys
from collections import Counter
from pathlib import Path

import jsonschema
import pytest

from timefair.algorithms import registry
from timefair.algorithms.builtin.differential_evolution.strategies import STRATEGIES
from timefair.campaign import configuration
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


PAPERS = Path(__file__).parents[3] / "config/papers"
CAMPAIGNS = ("run-count-de.yaml", "run-count-de-small.yaml")


@pytest.fixture(scope="module")
def generator():
    spec = importlib.util.spec_from_file_location("run_count_de", PAPERS / "run_count_de.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.fixture(scope="module")
def portfolio():
    with (PAPERS / "de-configurations.csv").open() as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("name", ["de-configurations.csv", *CAMPAIGNS])
def test_the_file_is_what_its_generator_writes(generator, name):
    written, generated = (PAPERS / name).read_text(), generator.files()[name]
    assert written == generated, "run: python config/papers/run_count_de.py"


def test_there_are_104_configurations_and_nine_of_each_with_both_crossovers(portfolio):
    counts = Counter(row["strategy"] for row in portfolio)
    assert sum(counts.values()) == len({row["label"] for row in portfolio}) == 104
    nine = [f"{m}/{c}" for m in ("rand/1", "rand/2", "best/1", "best/2") for c in ("bin", "exp")]
    assert counts == dict.fromkeys(STRATEGIES, 8) | dict.fromkeys(nine, 9)


@pytest.mark.parametrize("name", CAMPAIGNS)
def test_a_campaign_is_right_and_stops_as_in_the_paper(portfolio, name):
    campaign = configuration.load(PAPERS / name)
    assert list(campaign.algorithms) == [row["label"] for row in portfolio]
    for row, spec in zip(portfolio, campaign.algorithms.values(), strict=True):
        assert spec.use == "timefair:DE"
        assert spec.parameters == {
            "strategy": row["strategy"],
            "F": float(row["F"]),
            "CR": float(row["CR"]),
            "population_per_dimension": 1,
            "patience": 100,
        }
        assert registry.faults(spec.use, spec.parameters) == []
    assert campaign.budget.evaluations_for(20) == 200_000
    assert campaign.budget.final_target == 1e-8
    assert campaign.budget.time_s is None
    assert campaign.restart.policy == "none"
    assert campaign.runs == campaign.statistics.run_count.cap == 50
    assert campaign.statistics.run_count.taus == (0.05, 0.1, 0.15, 0.2)


def test_the_second_portfolio_in_full():
    for module in ("ioh", "modcma", "modde", "opfunu", "pygmo", "skopt"):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is not installed")
    campaign = configuration.load(PAPERS / "run-count.yaml")
    problems = campaign.problems
    cells = len(problems.functions) * len(problems.dimensions) * len(problems.instances)
    assert len(campaign.algorithms) * cells * campaign.runs == 132_000
    assert campaign.budget.evaluations_for(20) == 40_000
    small = configuration.load(PAPERS / "run-count-small.yaml")
    assert small.algorithms == campaign.algorithms
    assert small.tables == campaign.tables
