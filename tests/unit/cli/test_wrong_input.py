"""What a command is told to read or write is wrong: one line says so, and nothing is done."""

import contextlib
import os
import shutil
from pathlib import Path

import pytest
from rows_to_write import a_run, table

from timefair import cli
from timefair.campaign import configuration, plan
from timefair.records.store import write_record

CAMPAIGN = """
name: trial
problems: {suite: bbob, functions: 1, dimensions: 2, instances: 1}
algorithms: {A: timefair:random-search}
budget: {time_s: 1}
"""
WRONG = {
    "missing": None,
    "below a file": None,
    "a folder": None,
    "a pipe": None,
    "binary": bytes(range(256)),
    "other JSON": b"{}",
    "YAML": CAMPAIGN.encode(),
}


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    folder = tmp_path_factory.mktemp("original")
    (folder / "campaign.yaml").write_text(CAMPAIGN)
    plan.write_snapshot(configuration.load(folder / "campaign.yaml"), folder)
    for name in ("collected", "tables", "figures"):
        (folder / name).mkdir()
    runs = table(a_run((1, 0.1, 5.0))).to_batches()
    write_record(folder / "collected/A.parquet", runs, {})
    with contextlib.chdir(folder):
        for name in ("runs", "restarts"):
            assert cli.main(f"table . {name} --output tables/{name}.parquet".split()) == 0
    (folder / "figures/ecdf.svg").write_text("<svg/>")
    return folder


@pytest.fixture
def study(original, tmp_path, monkeypatch):
    shutil.copytree(original, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(kind: str, path: Path) -> Path:
    path.unlink(missing_ok=True)
    if kind == "below a file":
        path.write_text("")
        return path / path.name
    if kind == "a folder":
        path.mkdir()
    elif kind == "a pipe":
        os.mkfifo(path)
    elif (content := WRONG[kind]) is not None:
        path.write_bytes(content)
    return path


def refused(words: str, capsys: pytest.CaptureFixture[str]) -> str:
    """The one line that a command says, when it has changed nothing."""
    before = {path: path.stat().st_mtime_ns for path in Path().rglob("*")}
    capsys.readouterr()
    assert cli.main(words.split()) == 2
    said, complaint = capsys.readouterr()
    assert said == ""
    assert complaint.startswith("timefair: ")
    assert complaint.count("\n") == 1
    assert {path: path.stat().st_mtime_ns for path in Path().rglob("*")} == before
    return complaint


JOB = "--algorithm A --function 1 --dimension 2 --instances 1 --round 1 --key k --record new/r"
SOME = ("missing", "other JSON")
WITHIN = sorted(WRONG.keys() - {"missing", "below a file"})
DAMAGED = [  # a file, a command that reads it, and in which ways it is wrong
    ("wrong", f"measure {JOB} --campaign wrong", WRONG),
    ("wrong", "collect --algorithm A --output new/o.parquet --campaign wrong", SOME),
    ("wrong", "make-tables collected/A.parquet --output new/o --campaign wrong", SOME),
    ("wrong", "import coco . --output new/o.parquet --campaign wrong", SOME),
    ("wrong", "tune --algorithm A --key k --record new/r --campaign wrong", SOME),
    ("wrong", "make-tables wrong --campaign campaign.json --output new", WITHIN[1:]),
    ("campaign.json", "table . runs --output new/o.csv", SOME),
    ("campaign.json", "figure . ert --output o.pdf", ["a folder"]),
    ("campaign.json", "report .", ["YAML"]),
    ("campaign.json", "export coco . --output new", SOME),
    ("tables/restarts.parquet", "table . restarts", WITHIN),
    ("tables/restarts.parquet", "figure . restarts", ["a folder"]),
    ("tables/restarts.parquet", "report .", ["binary"]),
    ("collected/A.parquet", "table . ert --output o.csv", WITHIN),
    ("collected/A.parquet", "export ioh . --output new", ["binary"]),
    ("collected/A.parquet", "figure . ert", ["a pipe"]),
    ("keys.json", "progress .", WRONG),
    ("keys.json", "collect --campaign campaign.json --algorithm A --output o.parquet", SOME),
    ("wrong.yaml", "check wrong.yaml", sorted(WRONG.keys() - {"YAML", "other JSON"})),
]


@pytest.mark.thinned(3)
@pytest.mark.parametrize(
    ("path", "words", "kind"),
    [(path, words, kind) for path, words, kinds in DAMAGED for kind in kinds],
    ids=lambda value: value.partition(" --")[0],
)
def test_a_wrong_file_is_named(path, words, kind, study, capsys):
    wrong = put(kind, study / path)
    told = refused(words, capsys)
    assert wrong.name in told or "has no results; name results/NAME" in told
    assert "delete" not in told or path != "wrong"  # it may be anything, and dear to somebody


@pytest.mark.slow
def test_a_table_under_the_name_of_another(study, capsys):
    (study / "tables/runs.parquet").rename(study / "tables/ert.parquet")
    for words in ("table . ert", "figure . ert", "report ."):
        assert "ert.parquet: is the table runs; should be ert" in refused(words, capsys)


@pytest.mark.parametrize("words", ["table . ert", "figure . ert", "export table ."])
def test_no_runs(words, study, capsys):
    (study / "collected/A.parquet").unlink()
    assert "has no collected runs; start snakemake" in refused(words, capsys)


WRITING = (
    "table . runs --output {}.csv",
    "table . ert --output {}.tex",
    "make-tables collected/A.parquet --campaign campaign.json --output {}",
    "figure . restarts --output {}.pdf",
    "export coco . --output {}",
    "export ioh . --output {}",
    "export table . --output {}.csv",
    "collect --campaign campaign.json --algorithm A --output {}.parquet",
    "schema --write {}.json",
    "audit timefair:random-search --output {}.csv",
    "import coco . --output {}.parquet",
    "init {}",
)


@pytest.mark.parametrize("words", WRITING, ids=lambda words: words.partition(" --")[0])
def test_a_place_that_cannot_be_written(words, study, capsys, monkeypatch):
    (study / "file").write_text("mine")
    (study / "locked").mkdir(mode=0o555)
    assert "file" in refused(words.format("file/o"), capsys)
    if os.geteuid() == 0:  # who may write everywhere
        allowed = os.access
        monkeypatch.setattr(
            os, "access", lambda p, mode: "locked" not in str(p) and allowed(p, mode)
        )
    if words != "init {}":
        target = "locked/o" if "{}." in words else "locked"  # a file, or a folder of files
        assert "locked" in refused(words.format(target), capsys)


@pytest.mark.parametrize(
    ("words", "endings"),
    [
        ("table . runs --output o.xlsx", ".csv or .parquet or .tex"),
        ("figure . restarts --output o.jpg", ".pdf or .svg or .png"),
        ("export table . --output o.xlsx", ".csv or .parquet"),
        ("audit timefair:random-search --output o.txt", ".md or .csv"),
        ("import coco . --output o.csv", ".parquet"),
    ],
)
def test_another_ending(words, endings, study, capsys):
    assert refused(words, capsys).endswith(f": should end in {endings}\n")


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf"])
def test_a_wrong_pause(seconds, study, capsys):
    plan.write_keys({("A", 1): "f" * 64}, study)
    assert "--watch" in refused(f"progress {study} --watch {seconds}", capsys)
