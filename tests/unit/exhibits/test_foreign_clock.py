"""Times of a foreign clock are compared with each other, and never with measured ones."""

import numpy as np
import pytest
from campaigns import SMALL

from timefair import cli
from timefair.campaign import configuration, plan
from timefair.exhibits.registry import TABLES
from timefair.io.importing import import_all
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.records.store import write_record

ANALYSIS = Analysis(targets=(10.0, 1.0), resamples=20, campaign={"algorithms": {}})
HEADER = "suite,algorithm,function,dimension,instance,run,evaluations,seconds,value,optimum\n"


def rows(algorithm):
    return "".join(
        f"bbob,{algorithm},1,2,1,{k},{at},{0.1 * at},{value},0\n"
        for k in range(4)
        for at, value in ((1, 20.0), (3 + k, 5.0), (9, 0.5))
    )


@pytest.fixture
def foreign(tmp_path):
    """A function: records of a table with two algorithms, and its file."""

    def made(name="mine.csv", labels=("B", "C")):
        (tmp_path / name).write_text(HEADER + "".join(map(rows, labels)))
        (tmp_path / "collected").mkdir(exist_ok=True)
        import_all(tmp_path / name, "table", tmp_path / "collected")
        return [tmp_path / f"collected/{label}.parquet" for label in labels]

    return made


@pytest.fixture
def measured(tmp_path, run, table):
    runs = table(*(run([(1, 0.1, 8.0), (5 + k, 0.4, 0.5)], run=k, seed=k) for k in range(4)))
    path = tmp_path / "collected/A.parquet"
    path.parent.mkdir(exist_ok=True)
    write_record(path, runs.to_batches(), {"algorithm": "A"})
    return path


def test_alone_they_have_seconds_and_say_whose(foreign):
    runs = Runs.read(foreign())
    assert runs.foreign_clock
    frame = TABLES["ert"](runs, ANALYSIS)
    assert frame["ert_s"].notna().all()
    assert frame.attrs["published"] == "All times are of a foreign clock."
    assert "Whether any of the 8 runs was perturbed is unknown." in frame.attrs["perturbed"]


def test_beside_measured_runs_only_evaluations_count(foreign, measured):
    runs = Runs.read([*foreign(), measured])
    assert not runs.foreign_clock
    frame = TABLES["ert"](runs, ANALYSIS)
    others = frame["algorithm"] != "A"
    assert frame.loc[others, "ert_s"].isna().all()
    assert frame.loc[others, "ert_evaluations"].notna().all()
    expected = "Published data, whose times are of a foreign clock and omitted: B, C."
    assert frame.attrs["published"] == expected
    ecdf = TABLES["ecdf"](runs, ANALYSIS)
    assert set(ecdf.loc[ecdf["unit"] == "seconds", "algorithm"]) == {"A"}


@pytest.mark.thinned(6)
@pytest.mark.parametrize("name", TABLES)
def test_measured_numbers_in_seconds_do_not_change(name, foreign, measured):
    """In every table, each column in seconds is the one without the foreign runs."""
    alone, beside = (
        TABLES[name](Runs.read(paths), ANALYSIS) for paths in ([measured], [*foreign(), measured])
    )
    if "algorithm" not in alone:
        return
    columns = [name for name in alone if name.endswith("_s") and name in beside]
    own = beside[beside["algorithm"].astype(str) == "A"]
    others = beside[beside["algorithm"].astype(str) != "A"]
    if "unit" in own:
        own, alone = (frame[frame["unit"] == "seconds"] for frame in (own, alone))
        assert not (others["unit"] == "seconds").any()
    for column in columns:
        if column.startswith(("rank", "ert", "best")):
            assert others[column].isna().all()
            np.testing.assert_array_equal(own[column].to_numpy(), alone[column].to_numpy())


def test_the_checklist_says_where_runs_are_from(foreign, tmp_path):
    frame = TABLES["checklist"](Runs.read(foreign()), ANALYSIS)
    (row,) = frame[frame["part"] == "Imported data"].to_dict("records")
    path = tmp_path / "mine.csv"
    assert row["evidence"].startswith(f"all times are of a foreign clock: B from {path} (SHA-256 ")
    said = frame.set_index("part")["missing"]
    assert said["Tuning"] == said["Overshoot"] == "not recorded"
    assert said["Independence"] == "not known of imported runs"
    assert "share a random stream" not in said["Seeds"].to_numpy()[0]


@pytest.fixture
def results(tmp_path):
    """The folder, of a campaign that names all of these algorithms."""
    published = {name: {"format": "table", "path": str(tmp_path)} for name in "BCD"}
    measured = {"algorithms": {"A": "timefair:random-search"}, "budget": {"time_s": 1}}
    campaign = configuration.parse(SMALL | measured | {"published": published})
    plan.write_snapshot(campaign, tmp_path)
    return tmp_path


@pytest.mark.usefixtures("measured")
def test_commands_say_in_one_line_whose_times_are_left_out(foreign, results, capsys):
    foreign()
    assert cli.main(["table", str(results), "ert"]) == 0
    expected = "timefair: B, C: times are of a foreign clock; left out beside measured runs\n"
    assert capsys.readouterr().err == expected


@pytest.mark.usefixtures("measured")
@pytest.mark.parametrize("format", ["table", "coco"])
def test_exports_in_seconds_leave_them_out(format, foreign, results, tmp_path, capsys):
    foreign()
    output = tmp_path / ("runs.csv" if format == "table" else "exported")
    words = ["export", format, str(results)]
    more = ["--cost", "seconds"] if format == "coco" else []
    assert cli.main([*words, "--output", str(output), *more]) == 0
    said = [f"timefair: {label}: skipped, its times are of a foreign clock" for label in "BC"]
    assert capsys.readouterr().err.splitlines() == said
    written = (
        output.read_text() if format == "table" else " ".join(p.name for p in output.iterdir())
    )
    assert "B" not in written.partition("\n")[2] or format == "coco"
    assert format == "table" or written == "A"
