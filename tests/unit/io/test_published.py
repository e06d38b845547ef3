"""Published data of all generations, archives, and the commands; one line per fault."""

import io
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from timefair import cli
from timefair.basics.errors import InputError
from timefair.campaign import configuration, plan, verify
from timefair.io.common import Cautions, PublishedRun, parsed_count, parsed_name, parsed_number
from timefair.io.importing import WantedProblems, import_data
from timefair.io.write import write_coco, write_ioh
from timefair.records.schema import RUN_SCHEMA
from timefair.records.store import open_record, read_runs

INFO, DAT = "A/x.info", "A/data_f5/x_f5_DIM2.dat"


def tar_of(files, path):
    with tarfile.open(path, "w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return path


def zip_of(files, path):
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


def events(row):
    return [(event["evaluations"], event["precision"]) for event in row["events"]]


def test_the_record_names_its_source(first, tmp_path):
    archive, record = tar_of(first, tmp_path / "alg.tgz"), tmp_path / "out.parquet"
    import_data(archive, "coco", record, label="X")
    facts = open_record(record).facts
    assert facts["algorithm"] == "X"
    assert facts["published"]["path"] == str(archive)
    assert facts["published"]["algorithm"] == "walk"
    assert len(facts["published"]["sha256"]) == 64
    said = []
    summary = verify.verify(tmp_path, said.append)
    assert (summary.runs, summary.problems, said) == (3, 0, [])


def test_a_campaign_of_timefair_is_read_without_its_times(tmp_path, write, row):
    folder = tmp_path / "results" / "theirs"
    write(folder / "collected" / "a.parquet", row(0), row(1, 2), row(1, function=8))
    write(folder / "collected" / "b.parquet", row(0, algorithm="b"))
    write(folder / "jobs" / "a.parquet", row(0))  # a record of one job: part of the collected one
    with pytest.raises(InputError, match="data of 2 algorithms"):
        import_data(folder, "timefair", tmp_path / "out.parquet")
    wanted = WantedProblems("bbob", [1], [2], [1, 2])
    import_data(folder, "timefair", tmp_path / "out.parquet", algorithm="a", wanted=wanted)
    found = read_runs([tmp_path / "out.parquet"]).to_pylist()
    assert [(one["instance"], one["run"]) for one in found] == [(1, 0), (2, 0)]
    assert [events(one) for one in found] == [events(row(0)), events(row(1, 2))]
    assert [one["wall_s"] for one in found] == [None, None]
    with pytest.raises(InputError, match=r"no \.parquet file in a folder collected"):
        import_data(folder / "jobs", "timefair", tmp_path / "out.parquet")


def runs_of_our_own():
    rng = np.random.default_rng(2)
    rows = []
    for k, (function, instance) in enumerate([(1, 1), (1, 1), (1, 4), (8, 1), (8, 2)]):
        at = np.cumsum([1, *rng.integers(1, 9, 12)])
        precision = 10 ** -np.cumsum(rng.exponential(1, at.size))
        found = [
            {"launch": 0, "evaluations": n, "time_s": n / 1e3, "precision": q}
            for n, q in zip(at.tolist(), precision.tolist(), strict=True)
        ]
        row = {"suite": "bbob", "function": function, "dimension": 5, "instance": instance}
        row |= {"algorithm": "A", "run": k, "f_opt": 3.0, "wall_s": 1.0, "events": found}
        rows.append(row | {"evaluations": int(at[-1]) + 5 * k})
    rows[1]["events"] = rows[1]["events"][1:]  # no finite value at first
    rows[2]["events"] = []
    rows[3]["events"][0]["precision"] = 1e300  # a penalty
    return pa.Table.from_pylist(rows, RUN_SCHEMA)


@pytest.mark.parametrize("format", ["coco", "ioh"])
def test_exports_return_unchanged(format, tmp_path):
    runs = runs_of_our_own()
    if format == "coco":
        write_coco(runs, tmp_path / "out", "evaluations")
    else:
        write_ioh(runs, tmp_path / "out")
    import_data(tmp_path / "out", format, tmp_path / "in.parquet")
    for ours, back in zip(
        runs.to_pylist(), read_runs([tmp_path / "in.parquet"]).to_pylist(), strict=True
    ):
        assert events(back) == events(ours)
        assert back["evaluations"] == ours["evaluations"]
        assert back["instance"] == ours["instance"]


def test_run_of_unsorted_lines():
    trial = PublishedRun.of_lines(1, 0.0, [5, 1, 5, 9, 20], [2.0, np.inf, 3.0, np.nan, 2.0], 30)
    assert (trial.evaluations.tolist(), trial.precision.tolist()) == ([5], [2.0])
    assert trial.all_evaluations == 30
    nothing = PublishedRun.of_lines(1, 0.0, [], [])
    assert (nothing.evaluations.size, nothing.all_evaluations) == (0, 0)


@pytest.mark.parametrize(
    ("name", "before", "after", "line"),
    [
        (INFO, "data_f5/", "../../", f"{INFO}: data file '../../x_f5_DIM2.dat' is outside the "
         "folder of the data"),
        (INFO, "data_f5/", "data_f2/", f"{INFO}: data file 'data_f2/x_f5_DIM2.dat' does not "
         "exist; its trials are skipped"),
        (INFO, ", 3:20", ", 5, 3:20", f"{DAT}: 3 trials, but the .info file lists 4; give the "
         "complete file"),
        (INFO, "DIM = 2", "DIM = two", f"{INFO}: DIM is 'two', expected a whole number"),
        (INFO, "bbob-new2", "bbob-new9", f"{INFO}: data_format 'bbob-new9' is unknown; known: "
         "'bbob', 'bbob-old', 'bbob-new', 'bbob-new2'"),
        (INFO, "1:20|", "1:ten|", f"{INFO}: '1:ten|2.5e-01' is not a trial such as "
         "1:3673|-7.8e-09"),
        (DAT, "4 0 +2.0", "4 0 +2.x", f"{DAT}:3: '4 0 +2.x00000000e+00 +8.148000000e+01 +8' is not "
         "a line of COCO data"),
    ],
)  # fmt: skip
def test_damage_gives_one_line(name, before, after, line, latest, read, tmp_path):
    latest.edit(name, before, after, 1)
    with pytest.raises(InputError) as caught:
        read(latest)
    assert caught.value.faults == (f"{tmp_path / 'data'}: {line}",)
    assert not (tmp_path / "out.parquet").exists()


def test_data_of_several_algorithms_are_refused(first, latest, read):
    latest.edit("A/x.info", "'walk'", "'new'")
    others = {name.replace("A/", "B/"): text for name, text in latest.items()}
    with pytest.raises(InputError, match=r"data of 2 algorithms \(new, walk\)"):
        read(first | others)


@pytest.mark.parametrize("named", ["suite = 'bbob-noisy', funcId = 101", "funcId = 101"])
def test_noisy_data_have_values_without_noise(named, latest, read):
    latest.edit(INFO, "suite = 'bbob', funcId = 5", named)
    assert {row["suite"] for row in read(latest)[0]} == {"bbob-noisy"}
    ((row,), _) = read(latest, wanted=WantedProblems("bbob-noisy", [101], [2], [2]))
    assert row["noise_free_f"] is None  # no rule is applied to them


@pytest.mark.parametrize(
    "name", ["../evil.dat", "../evil.txt", "/tmp/evil.dat", "a/../../evil.dat", "C:\\e.dat"]
)
@pytest.mark.parametrize("pack", [tar_of, zip_of])
def test_members_outside_the_archive_are_refused(pack, name, first, tmp_path):
    archive = pack(first | {name: "x"}, tmp_path / "archive")
    with pytest.raises(InputError, match="is outside its folder; not unpacked"):
        import_data(archive, "coco", tmp_path / "out.parquet")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["archive"]


@pytest.mark.parametrize("pack", [tar_of, zip_of])
def test_damaged_archives_give_one_line(pack, first, tmp_path):
    path = pack(first, tmp_path / "archive")
    whole = path.read_bytes()
    middle = len(whole) // 2
    for damaged in (whole[:middle], b"", b"nonsense", whole[:90] + b"\0" * 9 + whole[99:]):
        path.write_bytes(damaged)
        with pytest.raises(InputError) as caught:
            import_data(path, "coco", tmp_path / "out.parquet")
        (line,) = caught.value.faults
        assert line.startswith(f"{path}: ")
        assert "\n" not in line
    with pytest.raises(InputError, match="there is no such file or folder"):
        import_data(tmp_path / "nowhere", "coco", tmp_path / "out.parquet")


CAMPAIGN = """
name: trial
problems: {suite: bbob, functions: [5, 6], dimensions: 2, instances: 1-2}
algorithms: {A: timefair:random-search}
published: {OLD: {format: coco, path: PATH}}
budget: {time_s: 1}
"""


def test_the_command(first, tmp_path, capsys):
    path, output = tar_of(first, tmp_path / "old.tgz"), tmp_path / "old.parquet"
    assert cli.main(["import", "coco", str(path), "--output", str(output)]) == 0
    assert capsys.readouterr().out == (
        "walk: 3 runs on 3 problems of bbob, from 17 rows of 2 data files and 1 index file\n"
    )

    (tmp_path / "c.yaml").write_text(CAMPAIGN.replace("PATH", str(path)))
    snapshot = plan.write_snapshot(configuration.load(tmp_path / "c.yaml"), tmp_path)
    wanted = ["--campaign", str(snapshot), "--label", "OLD"]
    assert cli.main(["import", "coco", str(path), "--output", str(output), *wanted]) == 0
    said = capsys.readouterr()
    assert said.out == (
        "walk: 2 runs on 2 of 4 problems of bbob, from 17 rows of 2 data files and 1 index file; "
        "left out: 1 run on other problems\n"
    )
    assert said.err.splitlines() == [f"timefair: {path}: no functions 6"]
    assert {row["algorithm"] for row in read_runs([output]).to_pylist()} == {"OLD"}

    sloppy = tar_of({name: text for name, text in first.items() if "tdat" not in name}, path)
    assert cli.main(["import", "coco", str(sloppy), "--output", str(output), *wanted]) == 0
    caution = f"{DAT}: no .tdat file; trials end where the .info file has their end"
    assert capsys.readouterr().err.splitlines()[0] == f"timefair: {path}: {caution}"
    assert open_record(output).facts["published"]["cautions"][0] == caution

    assert cli.main(["import", "ioh", str(path), "--output", str(output)]) == 2
    assert capsys.readouterr().err == (
        f"timefair: {path}: A/x.info: data of COCO; import them with the format coco\n"
    )
    assert cli.main(["import", "coco", str(path), "--output", str(tmp_path / "x.csv")]) == 2


def test_published_data_are_exported_in_evaluations_alone(first, tmp_path, capsys):
    (tmp_path / "c.yaml").write_text(CAMPAIGN.replace("PATH", str(tmp_path)))
    plan.write_snapshot(configuration.load(tmp_path / "c.yaml"), tmp_path)
    (tmp_path / "collected").mkdir()
    record = tmp_path / "collected/OLD.parquet"
    import_data(tar_of(first, tmp_path / "old.tgz"), "coco", record, label="OLD")
    for name, options, there in (
        ("coco", [], True), ("coco", ["--cost", "seconds"], False), ("ioh", [], True),
    ):  # fmt: skip
        output = Path(tmp_path / name / str(there))
        assert cli.main(["export", name, str(tmp_path), "--output", str(output), *options]) == 0
        assert (output / "OLD").is_dir() == there
    assert "OLD: skipped, published data have no times" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", "1_0", "1,5", "x", "1e", "D-8", "1.#INFO"])
def test_invalid_numbers(text):
    with pytest.raises(ValueError, match=r"."):
        parsed_number(text)


@pytest.mark.parametrize("text", ["-1", "1.5", "1e300", "inf", "nan", "9" * 20, "²"])
def test_invalid_counts(text):
    with pytest.raises(ValueError, match=r"."):
        parsed_count(text)


@pytest.mark.parametrize("value", ["-1", "1.0", 2**31, None, True, "1" * 5000])
def test_invalid_names(value):
    with pytest.raises(ValueError, match="not a whole number"):
        parsed_name(value)


def test_cautions_are_one_line_per_kind():
    cautions = Cautions()
    for place in ("b", "a", "b", "c"):
        cautions.add(place, "is odd")
    cautions.add("", "all of it is")
    assert cautions.lines == ["b and 2 more: is odd", "all of it is"]
