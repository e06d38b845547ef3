"""Exports to the formats of COCO, which a peer test compares with cocopp, and of IOHprofiler."""

import json

import numpy as np
import pytest
from campaigns import refused
from rows_to_write import a_run, table

from timefair import cli
from timefair.basics.errors import InputError
from timefair.basics.optimum import NOTHING_YET
from timefair.campaign import configuration, plan
from timefair.io.importing import import_all
from timefair.io.table_read import Layout
from timefair.io.write import file_name, write_coco, write_ioh
from timefair.records.rundata.runs import Runs
from timefair.records.store import write_record


@pytest.fixture
def data(tmp_path):
    """A function: the cost and precision of each line that one run becomes, a list a file."""

    def written(run, cost="evaluations"):
        write_coco(table(run), tmp_path / cost, cost)
        folder = tmp_path / cost / "A" / "bbob_f1"
        files = [
            (folder / f"bbob_f1_d2.{kind}").read_text().splitlines() for kind in ("dat", "tdat")
        ]
        assert all(lines[0].startswith("% ") for lines in files)
        split = [[line.split() for line in lines[1:]] for lines in files]
        assert all(g == "0" and q == f == best for lines in split for _, g, q, f, best in lines)
        return [[(int(line[0]), float(line[2])) for line in lines] for lines in split]

    return written


def test_improvements_and_the_end(data):
    dat, tdat = data(
        a_run((1, 0.001, 5.0), (7, 0.002, 0.1 + 0.2), (12, 0.003, 0.0), evaluations=20)
    )
    assert dat == [(1, 5.0), (7, 0.1 + 0.2), (12, 0.0), (20, 0.0)]
    costs = [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 14, 15, 17, 19, 20]
    assert tdat == [(n, 5.0 if n < 7 else 0.1 + 0.2 if n < 12 else 0.0) for n in costs]


@pytest.mark.parametrize("events", [[], None])
def test_a_run_without_events(events, data):
    dat, _ = data(a_run(evaluations=9, events=events))
    assert dat == [(1, NOTHING_YET), (9, NOTHING_YET)]


def test_seconds_are_microseconds(data):
    run = a_run((1, 2e-7, 9.0), (2, 1.0004e-3, 5.0), (3, 1.0001e-3, 2.0), wall_s=0.0100004)
    dat, tdat = data(run, "seconds")
    assert dat == [(1, 9.0), (1000, 2.0), (10_000, 2.0)]
    assert tdat[0] == (1, 9.0)
    assert tdat[-1] == (10_000, 2.0)


def test_functions_without_a_known_optimum_are_refused(tmp_path):
    runs = table(a_run(f_opt=None), a_run(function=3, f_opt=None), a_run(function=2))
    assert refused(write_coco, runs, tmp_path / "out", "evaluations") == tuple(
        f"bbob f{f}: its optimum is not known, but COCO's format has precisions only"
        for f in (1, 3)
    )
    assert not (tmp_path / "out").exists()


@pytest.fixture
def collected(tmp_path):
    """The arguments for a campaign of one run with a target beyond COCO's, and where to write."""
    text = (
        "{name: trial, problems: {suite: bbob, functions: 1, dimensions: 2, instances: 1}, "
        "algorithms: {A: timefair:random-search}, budget: {time_s: 1}, targets: [1, 1e-10]}"
    )
    (tmp_path / "campaign.yaml").write_text(text)
    plan.write_snapshot(configuration.load(tmp_path / "campaign.yaml"), tmp_path)
    record = tmp_path / "collected/A.parquet"
    record.parent.mkdir()
    write_record(record, table(a_run((1, 0.001, 5.0))).to_batches(), {})
    return [str(tmp_path), "--output", str(tmp_path / "export")]


@pytest.mark.parametrize(("cost", "end"), [([], 100), (["--cost", "seconds"], 500_000)])
def test_the_command(cost, end, collected, tmp_path):
    assert cli.main(["export", "coco", *collected, *cost]) == 0
    info = (tmp_path / "export/A/bbob_f1.info").read_text()
    assert "Precision = 1e-10," in info
    assert info.endswith(f"bbob_f1_d2.dat, 1:{end}|5.0e+00\n")


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


def test_refused_exports(tmp_path):
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
