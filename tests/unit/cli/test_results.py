"""The commands that read results: table, figure, and what they name."""

import re
from pathlib import Path

import pandas as pd
import pytest
from matplotlib.figure import Figure
from rows_to_write import a_run, table

import timefair
from timefair import cli
from timefair.basics.errors import InputError
from timefair.campaign import configuration, plan
from timefair.records.store import write_record


def timed(runs=8):
    """Runs of two algorithms, of which `wide` is better."""
    rows = [
        (name, "sphere", 3, 1, run, k, k / 1000, (100 - scale * k) ** 2 / (1 + run), 0.0)
        for name, scale in (("narrow", 0.1), ("wide", 0.9))
        for run in range(runs)
        for k in range(1, 101)
    ]
    names = "algorithm function dimension instance run evaluations seconds value optimum"
    return pd.DataFrame(rows, columns=names.split())


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("session"))
        yield timefair.analyse(
            timed(),
            name="timed",
            targets=[5000, 500],
            tables=["comparison", "ecdf", "ert"],
            figures={"names": ["ecdf"], "formats": ["svg"]},
        )


@pytest.mark.slow
def test_verdict_and_report(results):
    assert results.verdict[0].startswith("wide wins on f1 sphere")
    assert results.report().name == "report.html"
    assert repr(results) == "\n".join([*results.verdict, "Results('results/timed')"])
    shown = results._repr_html_()
    assert shown.startswith("<iframe")
    assert "wide wins on f1 sphere" in shown
    assert shown.count("&lt;figure") == 2


@pytest.mark.slow
def test_tables_and_figures_that_were_requested_or_not(results):
    assert {"ert.parquet"} < {path.name for path in (results.folder / "tables").iterdir()}
    ert = results.table("ert")
    assert set(ert["target"]) == {5000.0, 500.0}
    assert not (results.folder / "tables/multirun.parquet").exists()
    assert len(results.table("multirun"))
    assert isinstance(results.figure("ecdf"), Figure)
    assert timefair.load(results.folder).table("ert").equals(ert)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ask", "line"),
    [
        (lambda r: r.table("erts"), "'erts' is unknown; did you mean 'ert'"),
        (lambda r: r.figure("ecd"), "'ecd' is unknown; did you mean 'ecdf'"),
        (lambda r: r.figure("ecdf", page="x"), "page: 'x' is unknown"),
        (lambda r: timefair.load("nowhere"), "nowhere: has no results"),
        (lambda r: timefair.analyse(timed().drop(columns="value")), "no column value"),
        (lambda r: timefair.analyse(timed(), name="b", targetz=[1]), "targetz: unknown key"),
    ],
)
def test_what_is_wrong_is_one_line(results, ask, line):
    with pytest.raises(InputError, match=line):
        ask(results)


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
