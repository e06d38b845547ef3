"""A campaign with two objectives, from the measurement to tables, figures and cocopp's files."""

import pandas as pd
import pytest

from timefair import cli
from timefair.records.store import read_runs

pytestmark = pytest.mark.slow

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
