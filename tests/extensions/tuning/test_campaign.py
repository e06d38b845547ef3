"""A campaign that tunes an algorithm, from the search to the page."""

import pandas as pd
import pytest
from workspace import Workspace

from timefair import cli
from timefair.records.store import open_record

pytestmark = pytest.mark.workflow

ON = {"functions": 1, "dimensions": 2, "instances": "51-52"}
ALGORITHMS = {
    "DE": {
        "use": "timefair:DE",
        "tune": {
            "space": {
                "F": {"float": [0.3, 0.9]},
                "strategy": {"choice": ["rand/1/bin", "best/1/bin"]},
            },
            "tuner": "racing",
            "budget_s": 0.4,
            "on": ON,
        },
    },
}  # fmt: skip
TUNED = {"DE": "DE-tuned"}


def configured(folder, **changes) -> Workspace:
    workspace = Workspace(folder)
    workspace.configure(
        problems={"suite": "bbob", "functions": 8, "dimensions": 2, "instances": 1},
        algorithms=ALGORITHMS, budget={"time_s": 0.05}, runs=2,
        tables=["runs", "ancillary"], figures=[],
        **changes,
    )  # fmt: skip
    return workspace


def searches(workspace: Workspace) -> dict:
    paths = sorted((workspace.results / "tuning").rglob("*.parquet"))
    return {path.parent.name: open_record(path) for path in paths}


@pytest.mark.thorough
def test_default_and_tuned_variant_stand_side_by_side(tmp_path):
    workspace = configured(tmp_path)
    said = workspace.complete()
    assert said.count("timefair tune --campaign") == 1
    found = searches(workspace)
    assert set(found) == set(TUNED.values())
    rows = workspace.rows()
    assert {row["algorithm"] for row in rows} == {*TUNED, *TUNED.values()}
    for default, variant in TUNED.items():
        collected = open_record(workspace.results / f"collected/{variant}.parquet").facts
        (search,) = collected["collected"]["tuning"]
        assert (search["of"], search["checksum"]) == (default, found[variant].checksum)
        (campaign,) = collected["collected"]["campaign"]
        chosen = found[variant].facts["tuning"]["result"]["parameters"]
        assert campaign["algorithms"][variant]["parameters"] == chosen
    pays = pd.read_csv(workspace.results / "tables/tuning_pays.csv")
    assert set(pays["algorithm"]) == set(TUNED.values())
    costs = pd.read_csv(workspace.results / "tables/ancillary.csv").set_index("algorithm")
    for default, variant in TUNED.items():
        seconds = found[variant].facts["tuning"]["seconds"]
        assert costs.loc[variant, "tuning_s"] == pytest.approx(seconds, rel=1e-4)
        assert costs.loc[default, "tuning_s"] == 0
    page = (workspace.results / "report.html").read_text()
    assert "Number of problems after which tuning pays off" in page
    assert "candidates in" in page
    assert cli.main(["verify", str(workspace.results)]) == 0
