"""The lines of an export to COCO's format; a peer test compares them with cocopp."""

import pytest
from rows_to_write import a_run, table

from timefair import cli
from timefair.basics.errors import InputError
from timefair.basics.optimum import NOTHING_YET
from timefair.campaign import configuration, plan
from timefair.io.write import write_coco
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


def test_an_improvement_at_the_end_is_one_line(data):
    dat, _ = data(a_run((1, 0.001, 5.0), (20, 0.002, 1.0), evaluations=20))
    assert dat == [(1, 5.0), (20, 1.0)]


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


def test_the_index_lists_trials_by_instance_and_run(tmp_path):
    rows = table(
        a_run((1, 0.1, 4.0), instance=7, run=1, evaluations=11),
        a_run((1, 0.1, 3.0), instance=7, run=0, evaluations=12),
        a_run((1, 0.1, 2.0), instance=2, evaluations=13),
        a_run((1, 0.1, 1.0), dimension=10, evaluations=14),
        a_run((1, 0.1, 0.5), function=3),
        a_run(algorithm="B"),
    )
    write_coco(rows, tmp_path, "evaluations", final_target=1e-9)
    assert sorted(path.name for path in tmp_path.rglob("*.info")) == [
        "bbob_f1.info", "bbob_f1.info", "bbob_f3.info",
    ]  # fmt: skip
    lines = (tmp_path / "A/bbob_f1.info").read_text().splitlines()
    assert lines[::3] == [
        f"suite = 'bbob', funcId = 1, DIM = {dimension}, Precision = 1e-09, algId = 'A', "
        "logger = 'bbob', data_format = 'bbob-new2'"
        for dimension in (2, 10)
    ]
    assert all(line.startswith("%") for line in lines[1::3])
    assert lines[2::3] == [
        "bbob_f1/bbob_f1_d2.dat, 2:13|2.0e+00, 7:12|3.0e+00, 7:11|4.0e+00",
        "bbob_f1/bbob_f1_d10.dat, 1:14|1.0e+00",
    ]


def test_functions_without_a_known_optimum_are_refused(tmp_path):
    runs = table(a_run(f_opt=None), a_run(function=3, f_opt=None), a_run(function=2))
    with pytest.raises(InputError) as caught:
        write_coco(runs, tmp_path / "out", "evaluations")
    assert caught.value.faults == tuple(
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


def test_the_command_refuses(collected, capsys):
    assert cli.main(["export"]) == 2
    assert cli.main(["export", "nexus", *collected]) == 2
    assert cli.main(["export", "coco", *collected]) == 0
    assert cli.main(["export", "coco", *collected]) == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith("timefair: ")
