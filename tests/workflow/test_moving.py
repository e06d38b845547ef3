"""A campaign on problems that change, from the measurement to tables, a figure and its checks."""

import pandas as pd
import pytest

from timefair import cli

pytestmark = pytest.mark.slow

TABLES = ("changes", "recovery", "after_change")


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
        tables=[*TABLES, "paper_values", "ert"],
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
        name: pd.read_parquet(workspace.results / "tables" / f"{name}.parquet") for name in TABLES
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
