"""Campaigns of noisy problems, from the measurement to the tables and an export."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from timefair.campaign import configuration
from timefair.exhibits.registry import TABLES
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis

pytestmark = pytest.mark.workflow

UNTIL = ("--until", "analyse_quality")

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


def noisy(suite, function):
    """What the campaigns of both suites have in common."""
    return {
        "problems": {"suite": suite, "functions": function, "dimensions": 2, "instances": 1},
        "algorithms": {"random": "timefair:random-search", "centre": "mine.py:centre"},
        "budget": {"evaluations": 210},
        "runs": 4,
        "tables": ["noise", "quantiles"],
    }


def by_cell(frame):
    return frame.set_index(["algorithm", "quantile"])


def holds(noise, quantiles):
    """Be sure that by default, quantiles are those of the recommended points."""
    by = by_cell(noise)
    assert by.loc["centre", "recommending"].tolist() == [1.0] * 3
    assert by.loc["random", "recommending"].tolist() == [0.0] * 3
    found = by_cell(quantiles)["precision"]
    np.testing.assert_array_equal(found.loc[by.index], by["recommended"])
    random = by.loc["random"]
    np.testing.assert_array_equal(random["recommended"], random["best_measured"])


def holds_if_measured(noise, quantiles):
    by = by_cell(noise)
    found = by_cell(quantiles)["precision"]
    np.testing.assert_array_equal(found.loc[by.index], by["measured"])


def test_noisy_problems_of_a_suite_reach_the_tables(workspace):
    (workspace.folder / "mine.py").write_text(MINE)
    campaign = noisy("bbob-noisy", 107)

    def made(**changes):
        figures = {"names": ["quantiles"], "formats": ["svg"]}
        workspace.configure(**campaign, figures=figures, **changes)
        workspace.complete(*UNTIL)
        tables = workspace.results / "tables"
        return [pd.read_parquet(tables / f"{name}.parquet") for name in campaign["tables"]]

    noise, quantiles = made()
    holds(noise, quantiles)
    assert not noise["best_evaluated"].isna().all()
    records = workspace.records()
    holds_if_measured(*made(statistics={"noisy_value": "measured"}))
    assert workspace.records() == records


def test_an_own_noisy_problem_reaches_the_tables(workspace):
    """The tables are computed here: how Snakemake has them made does not depend on the suite."""
    (workspace.folder / "mine.py").write_text(MINE)
    workspace.configure(**noisy("mine.py:f", 1))
    workspace.complete("--until", "collect_records")
    runs = Runs.read((workspace.results / "collected").glob("*.parquet"))
    campaign = configuration.restore(workspace.results / "campaign.json")

    def made(**changes):
        settings = campaign.settings_of("quantiles") | changes
        return [TABLES[name](runs, Analysis.of(settings)) for name in campaign.table_names]

    noise, quantiles = made()
    holds(noise, quantiles)
    assert noise["best_evaluated"].isna().all()
    holds_if_measured(*made(noisy_value="measured"))
