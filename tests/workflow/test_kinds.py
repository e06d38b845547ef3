"""Campaigns of each kind of problems, from one command to tables and figures."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from archived import command

from timefair.campaign import configuration
from timefair.exhibits.registry import TABLES
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis

pytestmark = pytest.mark.slow


TARGETS = [10.0, 1.0, 0.1, 0.0, -1e-4]
SVG = {"formats": ["svg"]}
CAMPAIGNS: dict[str, dict[str, Any]] = {
    "constraints": {
        "problems": {
            "suite": "bbob-constrained", "functions": [1, 9], "dimensions": 2, "instances": "1-2",
        },
        "algorithms": {
            "SLSQP": "scipy:SLSQP",
            "penalty": {"use": "scipy:Nelder-Mead", "constraint_penalty": 100},
        },
        "tables": ["ert", "feasible"],
        "figures": {"names": ["ert", "feasible", "feasible_evaluations"], **SVG},
    },
    "changes": {
        "problems": {
            "suite": "moving", "functions": 2, "dimensions": 2, "instances": 1,
            "parameters": {"environments": 4},
        },
        "algorithms": {
            "random": "timefair:random-search",
            "restarted": {"use": "timefair:DE", "restart": {"policy": "at_change"}},
            "swarms": "timefair:mQSO",
        },
        "budget": {"time_s": 1.6},  # longer than a machine stalls
        "runs": 1,
        "targets": [50.0, 5.0],
        "tables": ["changes", "recovery", "after_change", "paper_values", "ert"],
        "figures": {"names": ["after_change", "ecdf"], **SVG},
    },
    "two objectives": {
        "problems": {"suite": "bbob-biobj", "functions": 1, "dimensions": 2, "instances": "1-2"},
        "algorithms": {"random": "timefair:random-search", "de": "nevergrad:DE"},
        "budget": {"evaluations": 60},
        "targets": TARGETS,
        "tables": ["ert", "attainment", "best_points"],
        "figures": {"names": ["ecdf", "ert", "attainment"], **SVG},
    },
}  # fmt: skip


@pytest.mark.parametrize("kind", CAMPAIGNS)
def test_each_kind_of_problems_reaches_tables_and_figures(workspace, capsys, kind):
    campaign = CAMPAIGNS[kind]
    workspace.configure(**campaign)
    workspace.complete_here()
    rows = workspace.rows()
    assert {row["status"] for row in rows} == {"ok"}
    assert {row["algorithm"] for row in rows} == set(campaign["algorithms"])
    assert all(len(row["vectors"]) >= len(row["events"]) for row in rows)
    if kind == "constraints":
        assert all(0 < row["constraint_evaluations"] < row["evaluations"] <= 300 for row in rows)
    for name in campaign["tables"]:
        found = set(table(workspace, name)["algorithm"])
        assert found
        assert found <= set(campaign["algorithms"])
    for figure in campaign["figures"]["names"]:
        assert (workspace.results / "figures" / f"{figure}.svg").stat().st_size > 1000
    if kind == "two objectives":
        assert sorted(set(table(workspace, "ert")["target"])) == TARGETS[::-1]
        assert command("export", "coco", workspace.results, "--output", workspace.folder / "c") == 0
        assert (workspace.folder / "c/random/bbob-biobj_f1_hyp.info").is_file()
    assert command("verify", workspace.results) == 0, capsys.readouterr().out


def table(workspace, name):
    return pd.read_parquet(workspace.results / "tables" / f"{name}.parquet")


MINE = """
import numpy as np

def f(x):
    return true(x) + np.random.normal()

def true(x):
    return float(np.sum(np.square(x)))

f.lower, f.upper, f.f_opt, f.noise_free = -2, 2, 0, true

def centre(objective, rng):
    points = rng.uniform(objective.lower, objective.upper, (20, objective.dimension))
    values = objective.batch(points)
    return points[np.argsort(values)[:10]].mean(axis=0)
"""


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("suite", "function"), [("mine.py:f", 1), ("bbob-noisy", 107)])
def test_both_kinds_of_noisy_problems_reach_the_tables(workspace, suite, function):
    (workspace.folder / "mine.py").write_text(MINE)
    campaign = {
        "problems": {"suite": suite, "functions": function, "dimensions": 2, "instances": 1},
        "algorithms": {"random": "timefair:random-search", "centre": "mine.py:centre"},
        "budget": {"evaluations": 210},
        "runs": 4,
        "tables": ["noise", "quantiles"],
        "figures": {"names": ["quantiles"], "formats": ["svg"]},
    }
    workspace.configure(**campaign)
    workspace.complete_here()
    noise, quantiles = table(workspace, "noise"), table(workspace, "quantiles")
    by = noise.set_index(["algorithm", "quantile"])
    assert by.loc["centre", "recommending"].tolist() == [1.0] * 3
    assert by.loc["random", "recommending"].tolist() == [0.0] * 3
    found = quantiles.set_index(["algorithm", "quantile"])["precision"]
    np.testing.assert_array_equal(found.loc[by.index], by["recommended"])
    random = by.loc["random"]
    np.testing.assert_array_equal(random["recommended"], random["best_measured"])
    assert noise["best_evaluated"].isna().all() == (suite == "mine.py:f")
    records = workspace.records()
    workspace.configure(**campaign, statistics={"noisy_value": "measured"})
    workspace.measure_here()
    assert workspace.records().keys() == records.keys()  # the names have the keys of what decides
    settings = configuration.restore(workspace.results / "campaign.json").settings_of("quantiles")
    runs = Runs.read((workspace.results / "collected").glob("*.parquet"))
    again = TABLES["quantiles"](runs, Analysis.of(settings)).set_index(["algorithm", "quantile"])
    np.testing.assert_array_equal(again.loc[by.index, "precision"], by["measured"])
