"""The portfolios of the run-count paper; the files of DE are what their generator writes."""

import csv
import importlib.util
import sys
from collections import Counter
from pathlib import Path

import pytest

from timefair.algorithms import registry
from timefair.algorithms.builtin.differential_evolution.strategies import STRATEGIES
from timefair.campaign import configuration

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
