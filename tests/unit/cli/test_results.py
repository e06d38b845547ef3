"""The commands that read results, and `timefair analyse` of files."""

import json
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
def test_results_of_a_session(results):
    assert results.verdict[0].startswith("wide wins on f1 sphere")
    assert results.report().name == "report.html"
    assert repr(results) == "\n".join([*results.verdict, "Results('results/timed')"])
    shown = results._repr_html_()
    assert shown.startswith("<iframe")
    assert "wide wins on f1 sphere" in shown
    assert shown.count("&lt;figure") == 2
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


HEADER = "algorithm,function,dimension,instance,run,evaluations,seconds,value,optimum\n"
SETTINGS = "targets: [10, 1]\ntables: [ert]\nfigures: {names: [ert], formats: [svg]}\n"


@pytest.fixture
def csv_study(tmp_path, monkeypatch):
    """The working directory: a table of two algorithms, and settings."""
    monkeypatch.chdir(tmp_path)
    rows = (
        f"{name},sphere,{d},1,{k},{at},{pace * at},{value},0\n"
        for name, pace in (("A", 0.1), ("B", 0.2))
        for d in (2, 3)
        for k in range(3)
        for at, value in ((1, 20.0), (3 + k, 5.0), (9, 0.5))
    )
    (tmp_path / "mine.csv").write_text(HEADER + "".join(rows))
    (tmp_path / "settings.yaml").write_text(SETTINGS)
    return tmp_path


def analysed(words, capfd, status=0):
    assert cli.main(words.split()) == status
    return capfd.readouterr()


@pytest.mark.slow
def test_a_file_becomes_tables_figures_and_the_report(csv_study, capfd):
    out = analysed("analyse mine.csv --settings settings.yaml", capfd).out
    assert out == (
        "mine: 2 algorithms, 12 runs on 2 problems of mine, from 36 rows of 1 file\n"
        "results/mine/report.html\n"
    )
    folder = csv_study / "results/mine"
    assert (folder / "figures/ert.svg").is_file()
    assert {path.stem for path in folder.glob("tables/*.parquet")} == {"ert", "checklist", "runs"}
    page = (folder / "report.html").read_text()
    assert "All runs are imported: their times were recorded elsewhere, not by timefair." in page
    assert "timefair analyse mine.csv" in page
    assert "timefair has not measured these runs." in page
    assert "Not all runs lasted equally long (part Time T of the checklist)" in page
    assert "stopping rule" not in page
    campaign = json.loads((folder / "campaign.json").read_text())
    assert campaign["algorithms"] == {}
    assert campaign["published"]["A"]["path"] == "mine.csv"
    assert campaign["problems"]["names"] == {"1": "sphere"}
    assert campaign["budget"]["time_s"] == 1.8
    assert campaign["targets"] == [10, 1]
    analysed("table results/mine ert --output ert.csv", capfd)
    assert "ert_s" in (csv_study / "ert.csv").read_text()


def split(csv_study, by):
    header, *rows = (csv_study / "mine.csv").read_text().splitlines(True)
    for word in sorted({row.split(",")[by] for row in rows}):
        mine = [row for row in rows if row.split(",")[by] == word]
        (csv_study / f"part-{word}.csv").write_text(header + "".join(mine))


@pytest.mark.slow
@pytest.mark.thinned(2)
@pytest.mark.parametrize(("by", "files"), [(0, "AB"), (4, "012")])
def test_several_files_are_one_table(csv_study, capfd, by, files):
    split(csv_study, by)
    analysed("analyse mine.csv --settings settings.yaml --output whole", capfd)
    names = " ".join(f"part-{word}.csv" for word in files)
    out = analysed(f"analyse {names} --settings settings.yaml --output parts", capfd).out
    assert out == (
        f"parts: 2 algorithms, 12 runs on 2 problems of {csv_study.name}, from 36 rows of "
        f"{len(files)} files\nparts/report.html\n"
    )
    tables = [(csv_study / one / "tables/ert.csv").read_text() for one in ("whole", "parts")]
    assert tables[0].replace("mine,", f"{csv_study.name},") == tables[1]
    assert f"timefair analyse {names}" in (csv_study / "parts/report.html").read_text()


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        (
            ",0\n", ",-1\n",
            "part-B.csv: the optimum of function 1 instance 1, D = 2 is -1, but 0 in part-A.csv",
        ),
        (",0\n", ",\n", "part-B.csv: the optimum of function 1 instance 1, D = 2 is unknown, but"),
        ("B,", "a,", "part-B.csv: algorithms 'A' and 'a' both get the label a"),
        ("value", "z", "part-B.csv: no column value; columns: algorithm, "),
    ],
)  # fmt: skip
def test_files_that_disagree_are_refused_in_one_line(csv_study, capfd, old, new, line):
    split(csv_study, 0)
    part = csv_study / "part-B.csv"
    part.write_text(part.read_text().replace(old, new))
    err = analysed("analyse part-A.csv part-B.csv", capfd, status=2).err
    assert line in err
    assert len(err.splitlines()) == 1
    assert not (csv_study / "results/part-A/collected").exists()


def test_names_that_differ_after_the_40th_letter_stay_different(csv_study, capfd):
    long = "a function with a name of forty letters, "
    names = (f"{long}slow", f"{long}fast", "f", f"g{long}")
    rows = (f"A;{name};2;1;0;1;0.1;1;0\n" for name in names)
    (csv_study / "long.csv").write_text(HEADER.replace(",", ";") + "".join(rows))
    analysed("analyse long.csv --output out --settings settings.yaml", capfd)
    names = json.loads((csv_study / "out/campaign.json").read_text())["problems"]["names"]
    assert names == {
        "1": "a function with a name of forty let… (1)",
        "2": "a function with a name of forty let… (2)",
        "3": "f",
        "4": "ga function with a name of forty le… (4)",
    }


@pytest.mark.slow
def test_tables_and_figures_of_an_earlier_table_are_removed(csv_study, capfd):
    whole = (csv_study / "mine.csv").read_text()
    (csv_study / "many.yaml").write_text(SETTINGS.replace("tables: [ert]", "tables: [ert, ranks]"))
    out = csv_study / "out"

    def files():
        return {path.relative_to(out).as_posix() for path in out.glob("[tf]*s/*") if path.is_file()}

    analysed("analyse mine.csv --settings many.yaml --output out", capfd)
    many = files()
    (out / "tables/notes.txt").write_text("of the user")
    (csv_study / "mine.csv").write_text(
        "".join(x for x in whole.splitlines(True) if ",3,1," not in x)
    )
    analysed("analyse mine.csv --settings settings.yaml --output out", capfd)
    assert not {path for path in files() if "ranks" in path or "D3" in path}
    assert "tables/notes.txt" in files()
    assert files() < many | {"tables/notes.txt"}


WRONG = {
    "analyse none.csv": "none.csv: there is no such file",
    "analyse mine.csv --columns second=x": "--columns: 'second': unknown column; did you mean",
    "analyse mine.csv --settings none.yaml": "none.yaml: No such file",
    "analyse mine.csv --settings bad.yaml": "targets.0: -1: should be greater than 0",
    "analyse mine.csv --settings table.yaml": "tables: 'err' is unknown",
    "analyse mine.csv --output measured": "measured: has the results of a campaign; choose",
    "analyse mine.csv --output mine.csv/x": "mine.csv/x: is not a folder, and cannot be created",
    "analyse mine.csv --set budget_s=abc": "--set: budget_s: 'abc': should be a number",
    "analyse . --format ioh": "--columns: missing; write seconds=NAME, the logged property of",
    "analyse . --format ioh --columns value=y,seconds=t": "--columns: value: 'y': data of",
    "analyse mine.csv --format benchopt": "mine.csv: no column solver_name, objective_name, ",
    "import table mine.csv --output b.parquet": "mine.csv: data of 2 algorithms (A, B); choose",
    "import table mine.csv --output out": "--output: out: should end in .parquet",
}


@pytest.mark.parametrize("words", WRONG)
def test_wrong_input_gives_one_line(words, csv_study, capfd):
    (csv_study / "bad.yaml").write_text("targets: [-1]")
    (csv_study / "table.yaml").write_text("tables: [err]")
    (csv_study / "measured").mkdir()
    (csv_study / "measured/campaign.json").write_text('{"algorithms": {"A": {}}}')
    before = set(csv_study.rglob("*"))
    error = analysed(words, capfd, 2).err
    assert error.startswith(f"timefair: {WRONG[words]}")
    if "bad.yaml" not in words and "table.yaml" not in words:  # found when runs are known
        assert set(csv_study.rglob("*")) == before
    assert error.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("costs", "allowed"),
    [("", "There are no costs"), (",FEs", "There are no seconds")],
    ids=["values at the end", "evaluations"],
)
def test_results_without_times_get_the_tables_that_they_allow(csv_study, capfd, costs, allowed):
    rows = (
        f"{name},F1,{k},{value}{f',{at}' if costs else ''}\n"
        for name, ahead in (("A", 0), ("B", 1))
        for k in range(3)
        for at, value in (((1, 9 + k), (5, k + ahead)) if costs else ((5, k + ahead),))
    )
    (csv_study / "other.csv").write_text(f"Optimizer,Problem,Trial,Best{costs}\n" + "".join(rows))
    assert allowed in "".join(analysed("analyse other.csv", capfd))
    made = {path.stem for path in (csv_study / "results/other/tables").glob("*.parquet")}
    assert {"comparison", "paper_values", "checklist"} <= made
    assert ("ert" in made) == bool(costs)
