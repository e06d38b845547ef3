"""Tables and figures of campaigns in which no run has a result."""

import pandas as pd
import pytest

from timefair.campaign import configuration
from timefair.exhibits.registry import TABLES
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis

pytestmark = pytest.mark.workflow


def make_every_table(workspace):
    campaign = configuration.restore(workspace.results / "campaign.json")
    runs = Runs.read((workspace.results / "collected").glob("*.parquet"))
    for name, make in TABLES.items():
        make(runs, Analysis.of(campaign.settings_of(name)))


OWN = """
def broken(x): raise OSError("no licence")
def undefined(x): return float("nan")
for function in (broken, undefined):
    function.lower, function.upper, function.f_opt = -5, 5, 0
def raises(objective, rng): raise ValueError("at once")
"""
NOT_COMPARED = "{} made no evaluation in any run"


@pytest.mark.thinned(3)
@pytest.mark.parametrize(
    ("suite", "use", "sentences"),
    [
        ("bbob", "own.py:raises", [*map(NOT_COMPARED.format, "ab"), "a: ValueError: at once."]),
        ("own.py:broken", "timefair:DE",
         [NOT_COMPARED.format("a"), "b: OSError: no licence (own.py:2)."]),
        ("own.py:undefined", "timefair:DE", ["3 runs of a (no_finite_value)"]),
    ],
)  # fmt: skip
def test_a_campaign_without_a_single_result_ends_with_a_report(workspace, suite, use, sentences):
    (workspace.folder / "own.py").write_text(OWN)
    workspace.configure(
        algorithms=dict.fromkeys("ab", use),
        problems={"suite": suite, "functions": 1, "dimensions": 2, "instances": 1},
        budget={"time_s": 0.05},
        runs=3,
        tables=["ranks"],
        figures={"names": ["anytime"], "formats": ["svg"]},
    )
    workspace.complete_here()
    page = (workspace.results / "report.html").read_text()
    assert [sentence for sentence in sentences if sentence not in page] == []
    ranks = pd.read_parquet(workspace.results / "tables" / "ranks.parquet")
    assert ranks.empty == (suite != "own.py:undefined")
    drawn = (workspace.results / "figures" / "anytime.svg").read_text()
    assert "nothing to draw: the table has no rows" in drawn
    make_every_table(workspace)
