"""The lines of an export to IOHprofiler's format, and its times when they are read again."""

import json

import numpy as np
import pytest
from rows_to_write import a_run, table

from timefair.basics.errors import InputError
from timefair.basics.optimum import NOTHING_YET
from timefair.io.importing import import_all
from timefair.io.table_read import Layout
from timefair.io.write import file_name, write_ioh
from timefair.records.rundata.runs import Runs


def lines(folder, dimension=2):
    return (folder / f"A/data_f1_bbob/IOHprofiler_f1_DIM{dimension}.dat").read_text().splitlines()


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (a_run((1, 0.1, 5.0), (7, 0.2, 0.1 + 0.2)), ["1 5.0 0.1", "7 0.30000000000000004 0.2",
                                                     "100 0.30000000000000004 0.5"]),
        (a_run((1, 0.1, 5.0), (100, 0.25, 0.0)), ["1 5.0 0.1", "100 0.0 0.25"]),
        (
            a_run((3, 0.1, 5.0), evaluations=4),
            ["1 9.999999999999999e+299 0.0", "3 5.0 0.1", "4 5.0 0.5"],
        ),
        (a_run(), ["1 9.999999999999999e+299 0.0", "100 9.999999999999999e+299 0.5"]),
        (a_run(events=None, evaluations=0), ["1 9.999999999999999e+299 0.0"]),
        (a_run((1, None, 5.0), wall_s=None), ["1 5.0", "100 5.0"]),
    ],
)  # fmt: skip
def test_lines_of_a_run(run, expected, tmp_path):
    write_ioh(table(run), tmp_path)
    head, *rest = lines(tmp_path)
    assert rest == expected
    assert head == "evaluations raw_y" + " time_s" * (run["wall_s"] is not None)


@pytest.mark.parametrize("suite", ["s/ü" * 99, "s" * 300, "算法/" * 80])
def test_a_long_name_of_a_suite_becomes_a_short_part_of_a_file_name(suite, tmp_path):
    name, other = file_name(suite), file_name(suite + "t")
    assert len(name.encode()) <= 89
    assert "/" not in name
    assert name != other
    write_ioh(table(a_run((1, 0.1, 4.0), suite=suite)), tmp_path)
    (index,) = tmp_path.glob("A/*.json")
    assert json.loads(index.read_text())["suite"] == suite


def test_the_index(tmp_path):
    rows = table(
        a_run((1, 0.1, 4.0), (9, 0.2, 2.0), instance=7, run=1, evaluations=11),
        a_run(instance=7, run=0, evaluations=12),
        a_run((1, 0.1, 2.0), dimension=10),
        a_run(function=3),
    )
    write_ioh(rows, tmp_path)
    assert sorted(path.name for path in tmp_path.rglob("*.json")) == [
        "IOHprofiler_f1_bbob.json",
        "IOHprofiler_f3_bbob.json",
    ]
    said = json.loads((tmp_path / "A/IOHprofiler_f1_bbob.json").read_text())
    assert said["algorithm"]["name"] == "A"
    assert (said["suite"], said["function_id"], said["maximization"]) == ("bbob", 1, False)
    first, second = said["scenarios"]
    assert [first["dimension"], second["dimension"]] == [2, 10]
    assert first["runs"] == [
        {"instance": 7, "evals": 12, "best": {"evals": 1, "y": NOTHING_YET, "x": []}},
        {"instance": 7, "evals": 11, "best": {"evals": 9, "y": 2.0, "x": []}},
    ]
    assert len([line for line in lines(tmp_path) if line.startswith("evaluations")]) == 2
    assert (tmp_path / "A" / second["path"]).is_file()


def test_refused_exports(tmp_path):
    with pytest.raises(InputError, match="bbob f1: its optimum is not known, but IOHprofiler's"):
        write_ioh(table(a_run(f_opt=None)), tmp_path / "none")
    write_ioh(table(a_run()), tmp_path)
    with pytest.raises(InputError, match="A: already exists"):
        write_ioh(table(a_run()), tmp_path)


def test_times_are_the_same(run, table, tmp_path):
    campaign = table(
        run([(1, 0.1, 5.0), (10, 0.4, 0.5)]),
        run([(1, 0.2, 50.0), (20, 0.6, 0.05)], instance=2),
        run([(1, 0.1, 20.0), (7, 0.1, 2.0)], algorithm="B", instance=2, wall_s=0.5, evaluations=40),
    )
    write_ioh(campaign, tmp_path / "all")
    found = import_all(
        tmp_path / "all", "ioh", tmp_path / "out", layout=Layout({"seconds": "time_s"})
    )
    again = Runs.read([tmp_path / "out" / f"{one.label}.parquet" for one in found])
    before = Runs.of(campaign)
    assert again.foreign_clock
    np.testing.assert_array_equal(before.frame["wall_s"], again.frame["wall_s"])
    mine, theirs = before.traces.together(), again.traces.together()
    for name in ("evaluations", "time_s", "precision"):
        np.testing.assert_array_equal(getattr(mine, name), getattr(theirs, name))
