"""Campaigns of noisy problems, from the measurement to the tables."""

import numpy as np
import pandas as pd
import pytest

from timefair.campaign import configuration
from timefair.exhibits.registry import TABLES
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis

pytestmark = pytest.mark.slow

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


def table(workspace, name):
    return pd.read_parquet(workspace.results / "tables" / f"{name}.parquet")


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
