"""A campaign with published data beside what it measures."""

import pandas as pd
import pytest

pytestmark = pytest.mark.workflow

UNTIL = ("--until", "make_tables")

INFO = "funcId = 8, DIM = 2, Precision = 1.000e-008, algId = 'old'\n% comment\nf8.dat, 1:{end}|1\n"
DAT = "% f evaluations | f - Fopt (149.15) | best f - Fopt\n1 500 500 0 0\n{end} 0.5 0.5 0 0\n"


def publish(workspace, end):
    folder = workspace.folder / "old data"
    folder.mkdir(exist_ok=True)
    (folder / "f8.info").write_text(INFO.format(end=end))
    (folder / "f8.dat").write_text(DAT.format(end=end))


def ert(workspace):
    frame = pd.read_parquet(workspace.results / "tables" / "ert.parquet")
    return frame[(frame["algorithm"] == "old.2009") & (frame["target"] == 1)]


@pytest.mark.thorough
def test_published_data_are_imported_again_when_they_change(workspace):
    publish(workspace, 40)
    workspace.configure(
        problems={"suite": "bbob", "functions": 8, "dimensions": 2, "instances": "1-2"},
        algorithms={"random": "timefair:random-search"},
        published={"old.2009": {"format": "coco", "path": "old data"}},
        tables=["ert"],
        figures={"names": ["ert_evaluations"], "formats": ["svg"]},
    )
    workspace.complete(*UNTIL)
    assert ert(workspace)["ert_evaluations"].tolist() == [40]
    assert ert(workspace)["ert_s"].isna().all()
    assert "no instances 2" in (workspace.results / "logs/old.2009/import.log").read_text()

    before = workspace.records()
    publish(workspace, 50)
    workspace.complete(*UNTIL)
    assert ert(workspace)["ert_evaluations"].tolist() == [50]
    assert workspace.records() == before
