"""The campaigns that come with timefair have no faults."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from timefair.campaign import configuration

CONFIG = Path(__file__).parents[3] / "config"
OPTIONAL = ("ioh", "modcma", "modde", "opfunu", "pygmo", "skopt")
"""What some of them use."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "path", [pytest.param(path, id=path.stem) for path in sorted(CONFIG.glob("*/*.yaml"))]
)
def test_a_campaign_has_no_faults_and_its_file_name(path):
    used = ("mealpy",) if "mealpy:" in path.read_text() else ()
    for module in (*OPTIONAL, *used):
        if find_spec(module) is None:
            pytest.skip(f"{module} is not installed")
    assert configuration.load(path).name == path.stem


def test_the_second_portfolio_of_the_run_count_paper_in_full():
    for module in OPTIONAL:
        if find_spec(module) is None:
            pytest.skip(f"{module} is not installed")
    campaign = configuration.load(CONFIG / "papers/run-count.yaml")
    problems = campaign.problems
    cells = len(problems.functions) * len(problems.dimensions) * len(problems.instances)
    assert len(campaign.algorithms) * cells * campaign.runs == 132_000
    assert campaign.budget.evaluations_for(20) == 40_000
    small = configuration.load(CONFIG / "papers/run-count-small.yaml")
    assert small.algorithms == campaign.algorithms
    assert small.tables == campaign.tables
