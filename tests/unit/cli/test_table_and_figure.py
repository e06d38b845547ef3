"""The commands that make a table, a figure or a room of the results of a campaign."""

import re
from pathlib import Path

import pandas as pd
import pytest
from rows_to_write import a_run, table

from timefair import cli
from timefair.campaign import configuration, plan
from timefair.records.store import write_record

CAMPAIGN = """
name: trial
problems: {suite: bbob, functions: 1, dimensions: 2, instances: 1}
algorithms: {A: timefair:random-search, B: timefair:random-search}
budget: {time_s: 1}
targets: [1]
tables: [ert]
figures: {names: [ert], formats: [svg]}
"""


@pytest.fixture
def study(tmp_path, monkeypatch):
    """The working directory, with ``results/trial``: the runs of two algorithms are collected."""
    monkeypatch.chdir(tmp_path)
    Path("c.yaml").write_text(CAMPAIGN)
    results = tmp_path / "results/trial"
    (results / "collected").mkdir(parents=True)
    plan.write_snapshot(configuration.load(Path("c.yaml")), results)
    for label, at in (("A", 0.2), ("B", 0.4)):
        runs = [a_run((3, at, 0.5), algorithm=label, run=run) for run in range(3)]
        write_record(results / f"collected/{label}.parquet", table(*runs).to_batches(), {})
    return tmp_path


def said(capsys: pytest.CaptureFixture[str], words: str, status: int = 0) -> str:
    capsys.readouterr()
    assert cli.main(words.split()) == status
    printed = capsys.readouterr()
    return printed.err if status else printed.out


def ert_s(frame: pd.DataFrame) -> dict[str, float]:
    return dict(zip(frame["algorithm"].astype(str), frame["ert_s"], strict=True))


@pytest.mark.usefixtures("study")
def test_a_table_is_printed_or_written(capsys):
    head, *lines = said(capsys, "table results/trial ert").splitlines()
    names = head.split()
    rows = [dict(zip(names, line.split(), strict=False)) for line in lines]
    assert [row["algorithm"] for row in rows] == ["A", "B"]
    assert not Path("results/trial/tables").exists()
    for ending in ("csv", "parquet", "tex"):
        assert said(capsys, f"table results/trial ert -o new/ert.{ending}") == ""
    parquet = pd.read_parquet("new/ert.parquet")
    assert ert_s(parquet) == pytest.approx({"A": 0.2, "B": 0.4})
    assert ert_s(pd.read_csv("new/ert.csv")) == pytest.approx(ert_s(parquet))
    assert r"\begin{tabular}" in Path("new/ert.tex").read_text()


@pytest.mark.usefixtures("study")
def test_a_table_that_was_made_is_read(capsys):
    made = Path("results/trial/tables/ert.csv")
    for ending in ("csv", "parquet"):
        said(capsys, f"table results/trial ert -o {made.with_suffix(f'.{ending}')}")
    for path in Path("results/trial/collected").iterdir():
        path.unlink()
    said(capsys, "table results/trial ert -o again.csv")
    assert Path("again.csv").read_bytes() == made.read_bytes()


@pytest.mark.slow
@pytest.mark.usefixtures("study")
def test_a_figure_is_drawn_of_a_table_that_was_not_made(capsys):
    assert said(capsys, "figure results/trial ert") == "ert.pdf\n"
    assert Path("ert.pdf").read_bytes().startswith(b"%PDF")
    for only, labels in (("", "AB"), (" --only B", "B")):
        said(capsys, f"figure results/trial ert -o new/mine.svg{only}")
        text = Path("new/mine.svg").read_text()
        assert "".join(re.findall(r">\s*([AB])\s*</text>", text)) == labels


@pytest.mark.slow
@pytest.mark.usefixtures("study")
def test_the_commands_of_the_rules_and_then_the_report(capsys):
    files = "results/trial/collected/A.parquet results/trial/collected/B.parquet"
    where = "--campaign results/trial/campaign.json --output results/trial"
    said(capsys, f"make-tables {files} {where}")
    assert Path("results/trial/figures/ert.svg").is_file()
    said(capsys, "report results/trial")
    for name in ("report.html", "checklist.html", "tables/tables.tex"):
        assert Path("results/trial", name).stat().st_size > 100
    text = Path("results/trial/report.html").read_text()
    assert "<svg" in text
