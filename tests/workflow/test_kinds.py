"""Campaigns of each kind of problems, from one command to tables and figures."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from archived import command

from timefair import cli
from timefair.campaign import configuration
from timefair.exhibits.registry import TABLES
from timefair.problems.registry import SUITES
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.records.store import read_runs

pytestmark = pytest.mark.slow


def test_a_campaign_with_constraints(workspace):
    workspace.configure(
        problems={
            "suite": "bbob-constrained",
            "functions": [1, 9],
            "dimensions": 2,
            "instances": "1-2",
        },
        algorithms={
            "SLSQP": "scipy:SLSQP",
            "penalty": {"use": "scipy:Nelder-Mead", "constraint_penalty": 100},
        },
        tables=["ert", "feasible"],
        figures={"names": ["ert", "feasible", "feasible_evaluations"], "formats": ["svg"]},
    )
    workspace.complete_here()
    rows = workspace.rows()
    assert {row["status"] for row in rows} == {"ok"}
    suite = SUITES["bbob-constrained"]
    for row in rows:
        assert 0 < row["constraint_evaluations"] < row["evaluations"] <= 300
        problem = suite.problem(row["function"], 2, row["instance"])
        if row["best_x"] is not None:
            assert problem.value(pd.array(row["best_x"]).to_numpy(float)) == row["best_f"]
        outputs = [vector["outputs"] for vector in row["vectors"]]
        feasible = [f for f, violation, _ in outputs if violation == 0]
        assert [event["precision"] for event in row["events"]] == [
            max(f - row["f_opt"], 0.0) for f in feasible
        ]
    frame = pd.read_parquet(workspace.results / "tables/feasible.parquet")
    end = frame[frame["unit"] == "evaluations"].groupby(["function", "algorithm"]).last()
    for (function, algorithm), row in end.iterrows():
        mine = [
            bool(r["events"])
            for r in rows
            if r["algorithm"] == algorithm and function in ("all", str(r["function"]))
        ]
        assert row["fraction"] == pytest.approx(sum(mine) / len(mine))
    for name in ("feasible", "feasible_evaluations"):
        assert (workspace.results / "figures" / f"{name}.svg").stat().st_size > 1000


OF_CHANGES = ("changes", "recovery", "after_change")


def test_a_campaign_on_problems_that_change(workspace, capsys):
    workspace.configure(
        problems={
            "suite": "moving",
            "functions": 2,
            "dimensions": 2,
            "instances": 1,
            "parameters": {"environments": 4},
        },
        algorithms={
            "random": "timefair:random-search",
            "restarted": {"use": "timefair:DE", "restart": {"policy": "at_change"}},
            "swarms": "timefair:mQSO",
        },
        budget={"time_s": 1.6},  # longer than a machine stalls
        runs=1,
        targets=[50.0, 5.0],
        tables=[*OF_CHANGES, "paper_values", "ert"],
        figures={"names": ["after_change", "ecdf"], "formats": ["svg"]},
    )
    workspace.complete_here()
    rows = workspace.rows()
    assert [len(rows), {row["status"] for row in rows}] == [3, {"ok"}]
    for row in rows:
        assert row["best_precision"] == row["best_f"]
        for vector in row["vectors"]:
            assert vector["outputs"][1] == round(vector["time_s"] * 1e9) // 400_000_000
        if row["algorithm"] == "restarted":
            # A machine that stops a run for 0.4 s hides a whole environment from it.
            met = {vector["outputs"][1] for vector in row["vectors"]}
            assert 1 <= len(met) <= row["launches"] <= 4
    made = {
        name: pd.read_parquet(workspace.results / "tables" / f"{name}.parquet")
        for name in OF_CHANGES
    }
    cells = made["changes"].set_index("algorithm")
    assert set(cells.index) == {"random", "restarted", "swarms"}
    assert set(cells["period"]) == {0.4}
    of_runs = pd.DataFrame(rows).groupby("algorithm")["best_precision"].mean()
    for algorithm, mean in of_runs.items():
        assert cells.loc[algorithm, "before_change"] == pytest.approx(mean)
        assert cells.loc[algorithm, "offline_error"] >= mean
    assert set(made["recovery"]["target"]) == {50.0, 5.0}
    for figure in ("after_change", "ecdf"):
        assert (workspace.results / "figures" / f"{figure}.svg").stat().st_size > 2000
    assert cli.main(["verify", str(workspace.results)]) == 0, capsys.readouterr().out


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


TARGETS = [10.0, 1.0, 0.1, 0.0, -1e-4]


def test_a_campaign_with_two_objectives(workspace, capsys):
    workspace.configure(
        problems={"suite": "bbob-biobj", "functions": 1, "dimensions": 2, "instances": "1-2"},
        algorithms={"random": "timefair:random-search", "de": "nevergrad:DE"},
        budget={"evaluations": 60},
        runs=2,
        targets=TARGETS,
        tables=["ert", "attainment", "best_points"],
        figures={"names": ["ecdf", "ert", "attainment"], "formats": ["svg"]},
    )
    workspace.complete_here()
    collected = sorted((workspace.results / "collected").glob("*.parquet"))
    runs = read_runs(collected).to_pylist()
    assert [len(runs), {run["status"] for run in runs}] == [8, {"ok"}]
    for run in runs:
        assert run["best_precision"] == run["best_f"] - run["f_opt"]
        assert len(run["vectors"]) >= len(run["events"]) > 1
        assert run["best_x"] is run["launch_events"] is None
    tables = workspace.results / "tables"
    assert sorted(set(pd.read_parquet(tables / "ert.parquet")["target"])) == TARGETS[::-1]
    assert "random" in set(pd.read_parquet(tables / "attainment.parquet")["algorithm"])
    for figure in ("ecdf", "ert", "attainment"):
        assert (workspace.results / "figures" / f"{figure}.svg").stat().st_size > 2000
    out = workspace.folder / "coco"
    words = ["export", "coco", workspace.results, "--output", out]
    assert cli.main(list(map(str, words))) == 0
    assert (out / "random" / "bbob-biobj_f1_hyp.info").is_file()
    assert cli.main(["verify", str(workspace.results)]) == 0, capsys.readouterr().out


PAGE = Path(__file__).parents[2] / "docs/reference/timed-runs.md"
HAS_LESS = {
    "checklist", "restart_advice", "restarts", "implementation", "best_points", "runs",
    "rank_reversals",
}  # fmt: skip
"""The default tables that need what a table of runs does not hold; the last two in columns."""


def contents(folder, ending):
    return {path.stem: path.read_bytes() for path in folder.glob(f"*.{ending}")}


def test_the_tables_are_those_of_the_rules(workspace, monkeypatch):
    """Of a measured campaign, every table that a table of runs suffices for is bit-identical."""
    workspace.configure(figures={"names": ["ert"], "formats": ["svg"]})
    workspace.complete_here()
    snapshot = workspace.results / "campaign.json"
    monkeypatch.chdir(workspace.folder)
    assert command("export", "table", workspace.results, "--output", "r.csv") == 0
    assert command("analyse", "r.csv", "--settings", snapshot, "-o", "results/again") == 0
    rules, mine = (workspace.folder / "results" / name / "tables" for name in ("test", "again"))
    by_rules, by_command = contents(rules, "csv"), contents(mine, "csv")
    assert len(by_command) > 15
    assert set(by_command) <= set(by_rules)
    assert {name for name in by_command if by_command[name] != by_rules[name]} <= HAS_LESS
    text = PAGE.read_text()
    assert all(f"`{name}`" in text for name in HAS_LESS)
