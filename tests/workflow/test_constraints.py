"""A campaign with constraints from one command: counts, feasible points, tables and figures."""

import pandas as pd
import pytest

from timefair.problems.registry import SUITES

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
