"""Tables of runs of one's own become a campaign with results."""

import json

import pytest

from timefair import cli
from timefair.campaign.foreign import ForeignRuns, campaign_of

HEADER = "algorithm,function,dimension,instance,run,evaluations,seconds,value,optimum\n"
SETTINGS = "targets: [10, 1]\ntables: [ert]\nfigures: {names: [ert], formats: [svg]}\n"


@pytest.fixture
def study(tmp_path, monkeypatch):
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


def said(words, capfd, status=0):
    assert cli.main(words.split()) == status
    return capfd.readouterr()


@pytest.mark.slow
def test_a_file_becomes_tables_figures_and_the_report(study, capfd):
    out = said("analyse mine.csv --settings settings.yaml", capfd).out
    assert out == (
        "mine: 2 algorithms, 12 runs on 2 problems of mine, from 36 rows of 1 file\n"
        "results/mine/report.html\n"
    )
    folder = study / "results/mine"
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
    said("table results/mine ert --output ert.csv", capfd)
    assert "ert_s" in (study / "ert.csv").read_text()


def split(study, by):
    """Write the rows of the table to one file per word in their column `by`."""
    header, *rows = (study / "mine.csv").read_text().splitlines(True)
    for word in sorted({row.split(",")[by] for row in rows}):
        mine = [row for row in rows if row.split(",")[by] == word]
        (study / f"part-{word}.csv").write_text(header + "".join(mine))


@pytest.mark.slow
@pytest.mark.thinned(2)
@pytest.mark.parametrize(("by", "files"), [(0, "AB"), (4, "012")])
def test_several_files_are_one_table(study, capfd, by, files):
    """One per algorithm, or one per run of both."""
    split(study, by)
    said("analyse mine.csv --settings settings.yaml --output whole", capfd)
    names = " ".join(f"part-{word}.csv" for word in files)
    out = said(f"analyse {names} --settings settings.yaml --output parts", capfd).out
    assert out == (
        f"parts: 2 algorithms, 12 runs on 2 problems of {study.name}, from 36 rows of "
        f"{len(files)} files\nparts/report.html\n"
    )
    tables = [(study / one / "tables/ert.csv").read_text() for one in ("whole", "parts")]
    assert tables[0].replace("mine,", f"{study.name},") == tables[1]
    assert f"timefair analyse {names}" in (study / "parts/report.html").read_text()


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        (
            ",0\n", ",-1\n",
            "part-B.csv: the optimum of function 1 instance 1, D = 2 is -1, but 0 in part-A.csv",
        ),
        (",0\n", ",\n", "part-B.csv: the optimum of function 1 instance 1, D = 2 is unknown, but"),
        ("B,", "a,", "part-B.csv: algorithms 'A' and 'a' both get the label a"),
        (HEADER, "x\n", "part-B.csv: no column algorithm, function"),
    ],
)  # fmt: skip
def test_files_that_disagree_are_refused_in_one_line(study, capfd, old, new, line):
    split(study, 0)
    part = study / "part-B.csv"
    part.write_text(part.read_text().replace(old, new))
    err = said("analyse part-A.csv part-B.csv", capfd, status=2).err
    assert line in err
    assert len(err.splitlines()) == 1
    assert not (study / "results/part-A/collected").exists()


def test_names_that_differ_after_the_40th_letter_stay_different(study, capfd):
    long = "a function with a name of forty letters, "
    rows = (
        f"A,{name},2,1,0,1,0.1,1,0\n" for name in (f"{long}slow", f"{long}fast", "f", f"g{long}")
    )
    (study / "long.csv").write_text(HEADER.replace(",", ";") + "".join(rows).replace(", ", "\0"))
    text = (study / "long.csv").read_text().replace(",", ";").replace("\0", ", ")
    (study / "long.csv").write_text(text)
    said("analyse long.csv --output out --settings settings.yaml", capfd)
    names = json.loads((study / "out/campaign.json").read_text())["problems"]["names"]
    assert names == {
        "1": "a function with a name of forty let… (1)",
        "2": "a function with a name of forty let… (2)",
        "3": "f",
        "4": f"g{long}"[:40].strip(),
    }


@pytest.mark.slow
def test_tables_and_figures_of_an_earlier_table_are_removed(study, capfd):
    whole = (study / "mine.csv").read_text()
    (study / "many.yaml").write_text(SETTINGS.replace("tables: [ert]", "tables: [ert, ranks]"))
    out = study / "out"

    def files():
        return {path.relative_to(out).as_posix() for path in out.glob("[tf]*s/*") if path.is_file()}

    said("analyse mine.csv --settings many.yaml --output out", capfd)
    many = files()
    (out / "tables/notes.txt").write_text("of the user")
    (study / "mine.csv").write_text("".join(x for x in whole.splitlines(True) if ",3,1," not in x))
    said("analyse mine.csv --settings settings.yaml --output out", capfd)
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
def test_wrong_input_gives_one_line(words, study, capfd):
    (study / "bad.yaml").write_text("targets: [-1]")
    (study / "table.yaml").write_text("tables: [err]")
    (study / "measured").mkdir()
    (study / "measured/campaign.json").write_text('{"algorithms": {"A": {}}}')
    before = set(study.rglob("*"))
    error = said(words, capfd, 2).err
    assert error.startswith(f"timefair: {WRONG[words]}")
    if "bad.yaml" not in words and "table.yaml" not in words:  # found when runs are known
        assert set(study.rglob("*")) == before
    assert error.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("costs", "allowed"),
    [("", "There are no costs"), (",FEs", "There are no seconds")],
    ids=["values at the end", "evaluations"],
)
def test_results_without_times_get_the_tables_that_they_allow(study, capfd, costs, allowed):
    rows = (
        f"{name},F1,{k},{value}{f',{at}' if costs else ''}\n"
        for name, ahead in (("A", 0), ("B", 1))
        for k in range(3)
        for at, value in (((1, 9 + k), (5, k + ahead)) if costs else ((5, k + ahead),))
    )
    (study / "other.csv").write_text(f"Optimizer,Problem,Trial,Best{costs}\n" + "".join(rows))
    assert allowed in "".join(said("analyse other.csv", capfd))
    made = {path.stem for path in (study / "results/other/tables").glob("*.parquet")}
    assert {"comparison", "paper_values", "checklist"} <= made
    assert ("ert" in made) == bool(costs)


@pytest.mark.parametrize(
    ("problems", "spaces"),
    [
        ([(1, 3, 1), (1, 3, 2), (2, 5, 1)], ((1, 3), (2, 5))),
        ([(1, 3, 1), (2, 3, 1)], ((1, 3), (2, 3))),
        ([(1, 3, 1), (1, 5, 1), (2, 5, 1)], ((1, 3), (2, 3), (1, 5), (2, 5))),
    ],
)
def test_functions_with_one_dimension_each_have_only_that(problems, spaces):
    runs = ForeignRuns("table", "runs.csv", "mine", problems, {}, {"A": "A"}, {}, {}, 1, [])
    assert campaign_of(runs, "c", {}).problems.spaces == spaces
