"""Published data: all generations, archives, commands, defects that are tolerated, and damage."""

import io
import json
import re
import shutil
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from campaigns import refused
from damages import OPERATIONS, damaged
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from timefair import cli
from timefair.basics.errors import InputError
from timefair.campaign import configuration, plan, verify
from timefair.io.importing import WantedProblems, import_data
from timefair.io.reading import Cautions, parsed_count, parsed_name, parsed_number
from timefair.io.table_read import Layout
from timefair.io.write import write_coco, write_ioh
from timefair.records.schema import RUN_SCHEMA
from timefair.records.store import open_record, read_runs

INFO, DAT, TDAT = "A/x.info", "A/data_f5/x_f5_DIM2.dat", "A/data_f5/x_f5_DIM2.tdat"


class Archive(dict):
    def edit(self, name, before, after, times=-1):
        assert before in self[name], f"{before!r} is not in {name}"
        self[name] = self[name].replace(before, after, times)


@pytest.fixture
def read(tmp_path):
    def made(files, format="coco", **options):
        shutil.rmtree(tmp_path / "data", ignore_errors=True)
        for name, text in files.items():
            (tmp_path / "data" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "data" / name).write_text(text, newline="")
        found = import_data(tmp_path / "data", format, tmp_path / "out.parquet", **options)
        return read_runs([tmp_path / "out.parquet"]).to_pylist(), found.cautions

    return made


TRIALS = {1: [(1, 7.5), (4, 2.0), (9, 0.25)], 2: [(1, 30.0), (13, 0.5)], 3: [(1, 8.0), (7, 3e-9)]}
"""Evaluations and precisions of improvements, per instance; all trials end at evaluation 20."""
END = 20
F_OPT = {1: 79.48, 2: -20.5, 3: 6.0}


def _lines(instance, steps, form):
    for at, precision in steps:
        yield form.format(at=at, q=precision, f=F_OPT[instance] + precision)


def _coco(info, header, form, name):
    last = {i: steps[-1][1] for i, steps in TRIALS.items()}
    said = ", ".join(f"{i}:{END}|{last[i]:.1e}" for i in TRIALS)
    files = Archive({"A/x.info": info.format(trials=said)})
    for ending in ("dat", "tdat"):
        text = ""
        for i, steps in TRIALS.items():
            more = [(END, last[i])] if ending == "tdat" else []
            text += header.format(i=i, f_opt=F_OPT[i])
            text += "".join(_lines(i, steps + more, form))
        files[f"A/{name}.{ending}"] = text
    return files


@pytest.fixture
def first():
    """Three trials as COCO's loggers of 2009 to 2015 wrote them."""
    return _coco(
        "funcId = 5, DIM = 2, Precision = 1.000e-008, algId = 'walk'\n% a comment\n"
        "data_f5\\x_f5_DIM2.dat, {trials}\n",
        "% function evaluation | noise-free fitness - Fopt ({f_opt:.12e}) | best | f | best f\n",
        "{at} {q:+.9e} {q:+.9e} {f:+.9e} {f:+.9e} +1.0e+00 -1.0e+00\n",
        "data_f5/x_f5_DIM2",
    )


@pytest.fixture
def latest():
    """The same three trials as COCO's loggers write them since 2022."""
    return _coco(
        "suite = 'bbob', funcId = 5, DIM = 2, Precision = 1.000e-08, algId = 'walk', "
        "coco_version = '2.8.2', logger = 'bbob', data_format = 'bbob-new2', settings = ''\n% \n"
        "data_f5/x_f5_DIM2.dat, {trials}\n",
        "% f evaluations | g evaluations | best noise-free fitness - Fopt ({f_opt:.12e}) + sum\n",
        "{at} 0 {q:+.9e} {f:+.9e} {f:+.9e} +1.0e+00 -1.0e+00\n",
        "data_f5/x_f5_DIM2",
    )


@pytest.fixture
def constrained(latest):
    """The same three, with three evaluations of constraints before each of f."""
    files = Archive(latest)
    files.edit("A/x.info", "suite = 'bbob'", "suite = 'bbob-constrained'")
    for name in ("A/data_f5/x_f5_DIM2.dat", "A/data_f5/x_f5_DIM2.tdat"):
        lines = [line.split(" ", 2) for line in files[name].splitlines()]
        files[name] = "".join(
            f"{n} {g if n == '%' else 3 * int(n)} {rest}\n" for n, g, rest in lines
        )
    return files


@pytest.fixture
def multiobjective():
    """The same three trials as multi-objective data."""
    return _coco(
        "suite = 'bbob-biobj', algorithm = 'walk', indicator = 'hyp', folder = '1-1', "
        "coco_version = '2.8.2', settings = '' \n% \n"
        "function =  5, dim =  2, x_hyp.dat, {trials}\n",
        "%\n% index = 0, name = x\n% instance = {i}, reference value = 9.0e-01\n"
        "% function evaluation | indicator value | target hit\n",
        "{at}\t{q:.15e}\t1.0e+00\n",
        "1-1/x_hyp",
    )


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
    found = verify.verify(tmp_path, said.append)
    assert (str(found)[:15], found.problems, said) == ("1 file, 3 runs,", 0, [])


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
        for name in ("suite", "function", "dimension", "instance", "evaluations"):
            assert back[name] == ours[name]


@pytest.mark.parametrize(
    ("name", "before", "after", "line"),
    [
        (INFO, "data_f5/", "../../", f"{INFO}: data file '../../x_f5_DIM2.dat' is outside the "
         "folder of the data"),
        (INFO, "data_f5/", "data_f2/", f"{INFO}: data file 'data_f2/x_f5_DIM2.dat' does not exist; "
         "its trials are skipped"),
        (INFO, "DIM = 2", "DIM = two", f"{INFO}: funcId or DIM: 'two' is not a whole "
         "number of at least 0"),
        (INFO, "bbob-new2", "bbob-new9", f"{INFO}: data_format 'bbob-new9' is unknown; known: "
         "'bbob', 'bbob-old', 'bbob-new', 'bbob-new2'"),
        (INFO, "2:20|", "2:twenty|", f"{INFO}: '2:twenty|5.0e-01' is not a data file, "
         "or a trial such as 1:3673|-7.8e-09"),
        (DAT, "4 0 +2.0", "4 0 +2.x", f"{DAT}:3: '4 0 +2.x00000000e+00 +8.148000000e+01 +8' is "
         "not a line of COCO data"),
    ],
)  # fmt: skip
def test_damage_gives_one_line(name, before, after, line, latest, read, tmp_path):
    latest.edit(name, before, after, 1)
    assert refused(read, latest) == (f"{tmp_path / 'data'}: {line}",)
    assert not (tmp_path / "out.parquet").exists()


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
    for broken in (whole[:middle], b"", b"nonsense", whole[:90] + b"\0" * 9 + whole[99:]):
        path.write_bytes(broken)
        (line,) = refused(import_data, path, "coco", tmp_path / "out.parquet")
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


@pytest.mark.parametrize(
    ("parsed", "values"),
    [
        (parsed_number, ["", "1_0", "1,5", "x", "1e", "D-8", "1.#INFO"]),
        (parsed_count, ["-1", "1.5", "1e300", "inf", "nan", "9" * 20, "²"]),
        (parsed_name, ["-1", "1.0", 2**31, None, True, "1" * 5000]),
    ],
)
def test_invalid_numbers_counts_and_names(parsed, values):
    for value in values:
        with pytest.raises(ValueError, match=r"not a|could not"):
            parsed(value)


def test_cautions_are_one_line_per_kind():
    cautions = Cautions()
    for place in ("b", "a", "b", "c"):
        cautions.add(place, "is odd")
    cautions.add("", "all of it is")
    assert cautions.lines == ["b and 2 more: is odd", "all of it is"]


@pytest.fixture(params=["first", "latest"])
def archive(request):
    return request.getfixturevalue(request.param)


def test_archives_that_are_refused(archive, read):
    lost = archive | {DAT: archive[DAT].replace(re.findall(r"%[^%]*", archive[DAT])[1], "")}
    best = archive | {INFO: archive[INFO].replace("\n%", "\n% Combination of a.tgz, b.tgz", 1)}
    both = archive | {INFO: archive[INFO] + archive[INFO].replace("funcId = 5", "funcId = 6")}
    for files, line in (
        (lost, "2 trials, but the .info file lists 3; give the complete file"),
        (best, "best results of many algorithms, not runs of one; give data of one algorithm"),
        (both, f"{DAT}: listed for two functions or dimensions"),
    ):
        assert refused(read, files)[0].endswith(line)


def test_all_generations_give_the_same_runs(first, latest, multiobjective, constrained, read):
    rows, cautions = read(first)
    assert cautions == []
    assert [(row["instance"], row["evaluations"]) for row in rows] == [(1, 20), (2, 20), (3, 20)]
    assert [row["f_opt"] for row in rows] == [79.48, -20.5, 6.0]
    assert events(rows[1]) == [(1, 30.0), (13, 0.5)]
    assert read(latest)[0] == rows
    with_constraints, cautions = read(constrained)
    assert cautions == ["bbob-constrained: evaluations of f and of the constraints are summed"]
    assert events(with_constraints[1]) == [(4, 30.0), (52, 0.5)]
    assert with_constraints[1]["evaluations"] == 80
    (_, second, _), (caution,) = read(multiobjective)
    assert caution.startswith("bbob-biobj: precisions are distances of the hypervolume indicator")
    assert (events(second), second["evaluations"]) == ([(1, 30.0), (13, 0.5)], 20)
    assert (second["instance"], second["f_opt"], second["algorithm"]) == (2, 0.0, "walk")


def test_a_multiobjective_precision_below_0_stays_negative(multiobjective, read):
    for name, text in multiobjective.items():
        below = text.replace("3.000000000000000e-09", "-2.5e-05").replace("3.0e-09", "-2.5e-05")
        assert below != text
        multiobjective[name] = below
    rows, _ = read(multiobjective)
    assert events(rows[-1])[-1] == (7, -2.5e-05)
    assert [row["best_precision"] >= 0 for row in rows] == [True, True, False]


@pytest.mark.thinned(4)
@pytest.mark.parametrize(
    "change",
    [
        lambda text: "\ufeff" + text,
        lambda text: text.replace("data_f5/", ".\\DATA_f5\\").replace(".dat", ".DAT"),
        lambda text: re.sub(r"(?<=\d)e(?=[+-]\d)", "D", text),
        lambda text: re.sub(r"e([+-])(\d\d)\b", r"e\g<1>0\2", text),
        lambda text: re.sub(r"(?m)^(% f.*)$", r"% a remark\n\1\n%\n% another", text),
        lambda text: text.replace(" ", "\t") if "funcId" not in text else text,
        lambda text: text.rstrip("\n") if "funcId" in text else text,
        lambda text: text.replace("algId = 'walk'", "algId = \"walk\", note.of-us = 'a, b = c'"),
        lambda text: re.sub(r"(?m)^(\d+) ", lambda at: f"{float(at[1]):.4e} ", text),
    ],
)
def test_notation_does_not_matter(change, archive, read):
    clean, _ = read(archive)
    assert read({name: change(text) for name, text in archive.items()}) == (clean, [])


def test_without_tdat_the_end_is_that_of_the_info_file(archive, read):
    clean, _ = read(archive)
    del archive[TDAT]
    rows, cautions = read(archive)
    assert rows == clean
    assert cautions == [f"{DAT}: no .tdat file; trials end where the .info file has their end"]


def test_an_entry_listed_twice(archive, read):
    clean, _ = read(archive)
    twice = archive | {"A/again.info": archive[INFO]}
    assert read(twice) == (clean, [f"{DAT}: listed twice; read once"])


def test_other_trials_in_another_folder_are_repetitions(archive, read):
    more = {name.replace("A/", "B/", 1): text for name, text in archive.items()}
    more = {name: text.replace("\n4 ", "\n5 ") for name, text in more.items()}
    rows, _ = read(archive | more)
    assert [(row["instance"], row["run"]) for row in rows] == [
        (1, 0), (2, 0), (3, 0), (1, 1), (2, 1), (3, 1),
    ]  # fmt: skip


def test_one_data_file_in_several_entries(archive, read):
    clean, _ = read(archive)
    header = archive[INFO].rpartition("data_f5")[0]
    start, first, *others = archive[INFO][len(header) :].rstrip().split(", ")
    archive[INFO] = f"{header}{start}, {first}\n{header}{', '.join([start, *others])}\n"
    rows, cautions = read(archive)
    assert rows == clean
    assert cautions == [f"{DAT}: listed in several entries; its trials are read in their order"]


def test_missing_data_files_and_incomplete_entries(archive, read):
    clean, _ = read(archive)
    header = archive[INFO].partition("data_f5")[0].replace("DIM = 2", "DIM = 3")
    archive[INFO] += f"{header}data_f5/none.dat, 1:20|1.0e+00\n{header}data_f5/none.dat\n{header}"
    archive["A/empty.info"] = ""
    assert read(archive) == (
        clean,
        [
            "A/empty.info: no entry of published data; skipped",
            f"{INFO}: data file 'data_f5/none.dat' does not exist; its trials are skipped",
            f"{INFO}: data file 'data_f5/none.dat' without trials is skipped",
            f"{INFO}: an entry without trials is skipped",
        ],
    )


def test_precisions_below_0(archive, read):
    for name in (DAT, TDAT):
        archive.edit(name, "+3.000000000e-09", "-1.000000000e-12")
    rows, cautions = read(archive)
    assert (events(rows[2])[-1], cautions) == ((7, 0.0), [])
    archive.edit(DAT, "-1.000000000e-12", "-1.000000000e-02")
    rows, cautions = read(archive)
    assert f"{DAT}: precisions are far below 0; check the optimum in the data" in cautions
    assert events(rows[2])[-1] == (7, -0.01)
    assert rows[2]["best_precision"] == -0.01


def test_lines_out_of_order(archive, read):
    clean, _ = read(archive)
    lines = archive[DAT].splitlines(keepends=True)
    lines[2:4] = lines[3:1:-1]
    archive[DAT] = "".join(lines)
    assert read(archive) == (
        clean,
        [
            f"{DAT}: evaluations decrease within a trial; its lines are sorted",
            f"{DAT}: the best precision increases within a trial; the later, larger value is used",
        ],
    )


JSON, IN_JSON = "ES/IOHprofiler_f2_Ellipsoid.json", "ES/data_f2/f2_DIM4.dat"
SEVERAL = "data of several objectives (column F2) have no single optimum"


def study(**changes):
    index = {
        "version": "0.3.22", "suite": "BBOB", "function_id": 2, "function_name": "Ellipsoid",
        "maximization": False, "algorithm": {"name": "ES", "info": ""},
        "attributes": ["evaluations", "raw_y", "sigma"],
        "scenarios": [{"dimension": 4, "path": "data_f2/f2_DIM4.dat", "runs": [
            {"instance": 3, "evals": 50, "best": {"evals": 9, "y": 0.5, "x": [0, 0, 0, 0]}},
            {"instance": 3, "evals": 60, "best": {"evals": 1, "y": 7.5, "x": [0, 0, 0, 0]}},
        ]}],
    }  # fmt: skip
    data = (
        "evaluations raw_y sigma\n1 9.5 1.0\n4 9.75 1.0\n9 0.5000000000 0.25\n"
        "evaluations raw_y sigma\n1 7.5 1.0\n"
    )
    return {JSON: json.dumps(index | changes), IN_JSON: data}


def test_data_with_json(read):
    (first, second), cautions = read(study(), "ioh")
    assert events(first) == [(1, 9.5), (9, 0.5)]
    assert events(second) == [(1, 7.5)]
    assert [row["evaluations"] for row in (first, second)] == [50, 60]
    assert [(row["instance"], row["run"]) for row in (first, second)] == [(3, 0), (3, 1)]
    assert (first["suite"], first["function"], first["dimension"]) == ("bbob", 2, 4)
    assert cautions == []


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"maximization": True}, "values are maximized, but those of bbob are minimized"),
        ({"maximization": "F"}, "(maximization: Input should be a valid boolean)"),
        ({"scenarios": [{}]}, "not a valid file of IOHprofiler (scenarios.0.dimension: Field req"),
        ({"function_id": 1e300}, "(function_id: "),
    ],
)
def test_damaged_json(changes, line, read, tmp_path):
    (said,) = refused(read, study(**changes), "ioh")
    assert said.startswith(f"{tmp_path / 'data'}: {JSON}: ")
    assert line in said


@pytest.mark.parametrize(
    ("before", "after", "line"),
    [
        ("9 0.5000000000 0.25", "9 0.5", ":4: '9 0.5' is not a line of IOHprofiler data"),
        ("9 0.5000000000 0.25", "3 0.5 0.25", ":4: evaluation 3 follows 4 within a run"),
        ("raw_y", "y", ": no column of values; expected one of raw_y, best-so-far f(x), "),
        ("raw_y sigma", '"best-so-far f(x)" F2', f": {SEVERAL}"),
        ("0.5000000000", "-92.09", "json: value -92.09 is not a distance to the optimum"),
        ("1.0\n", "9.5\n", "values of f (such as 9.5), expected distances to the optimum"),
    ],
)
def test_damaged_runs(before, after, line, read, tmp_path):
    files = study()
    if after == "9.5\n":
        files[IN_JSON] = files[IN_JSON].replace("sigma", "transformed_y")
    files[IN_JSON] = files[IN_JSON].replace(before, after)
    (said,) = refused(read, files, "ioh")
    assert said.startswith(f"{tmp_path / 'data'}: ")
    assert (f"{IN_JSON}{line}" if line[0] == ":" else line) in said


def test_missing_and_unlisted_runs(read):
    (first, second), _ = read(study(), "ioh")
    files = study()
    files[IN_JSON] = files[IN_JSON][: files[IN_JSON].rindex("evaluations")]
    with pytest.raises(InputError, match=r"1 run, but the \.json file lists 2; give the complete"):
        read(files, "ioh")
    files[IN_JSON] = "evaluations raw_y sigma\n1 3.5 1\n" + study()[IN_JSON]
    assert read(files, "ioh") == (
        [first, second],
        [f"{IN_JSON}: 3 runs, but the .json file lists 2; the others are skipped"],
    )
    files[IN_JSON] = study()[IN_JSON].replace("9 0.5000000000", "55 0.5000000000")
    assert read(files, "ioh")[1] == [
        f"{IN_JSON}: ends differ from the .json file; the data files are used"
    ]


def test_one_of_several_algorithms(read, tmp_path):
    other = {name.replace("ES", "GA", 1): text for name, text in study().items()}
    other["GA/IOHprofiler_f2_Ellipsoid.json"] = study(algorithm={"name": "GA", "info": ""})[JSON]
    with pytest.raises(
        InputError, match=r"data of 2 algorithms \(ES, GA\); choose one with --algorithm"
    ):
        read(study() | other, "ioh")
    found = import_data(tmp_path / "data", "ioh", tmp_path / "o.parquet", algorithm="GA")
    assert found.origin == (
        "from 4 rows of 1 data file and 2 index files; left out: 1 data set of other algorithms"
    )
    assert {row["algorithm"] for row in read_runs([tmp_path / "o.parquet"]).to_pylist()} == {"GA"}


INFO_2018, DAT_2018 = "EA/IOHprofiler_f1_i1.info", "EA/data_f1/IOHprofiler_f1_DIM9_i1.dat"
HEADER = '"function evaluation" "current f(x)" "best-so-far f(x)" "current af(x)+b" "best af(x)+b"'


def former(**changes):
    """Two runs on OneMax as the loggers of 2018 to 2021 wrote them, of 9 variables."""
    said = {"suite": "'PBO'", "funcId": "1", "DIM": "9", "algId": "'EA'", "algInfo": "'a, b'"}
    keys = ", ".join(f"{k} = {v}" for k, v in (said | changes).items() if v)
    return {
        INFO_2018: f"{keys}\n%\n"
        "data_f1\\IOHprofiler_f1_DIM9_i1.dat, 1:30|8.00000e+00, 1:7|9.00000e+00",
        DAT_2018: (
            f"{HEADER} \n1 5 5 5 5\n3 6 6 6 6\n5 4 6 4 6\n12 8 8 8 8\n"
            f"{HEADER} \n1 4 4 4 4\n7 9 9 9 9\n"
        ),
    }


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"maximization": '"T"', "algId": '"EA"', "suite": '"PBO"', "funcName": '"OneMax"'},
        {"maximization": "'T'", "suite": "'No suite'", "funcName": "'One_Max'"},
        {"maximization": "'T'", "suite": None, "funcName": "'OneMax'", "learning rate": "0.5"},
    ],
)
def test_data_before_json(changes, read):
    pytest.importorskip("ioh")
    (first, second), cautions = read(former(**changes), "ioh")
    assert events(first) == [(1, 4.0), (3, 3.0), (12, 1.0)]
    assert events(second) == [(1, 5.0), (7, 0.0)]
    assert [row["evaluations"] for row in (first, second)] == [30, 7]
    assert [(row["instance"], row["run"]) for row in (first, second)] == [(1, 0), (1, 1)]
    assert (first["suite"], first["f_opt"], first["best_f"]) == ("pbo", -9.0, -8.0)
    assert first["algorithm"] == "EA"
    assert cautions == []


TIMED = "evaluations raw_y clock\n1 9.5 0.01\n4 2.0 0.05\n9 0.5 0.2\n20 0.5 0.7\n"


@pytest.fixture
def timed():
    runs = [{"instance": i, "evals": 20, "best": {"evals": 9, "y": 0.5}} for i in (1, 2)]
    scenarios = [{"dimension": 4, "path": "data_f2/f2_DIM4.dat", "runs": runs}]
    files = study(attributes=["evaluations", "raw_y", "clock"], scenarios=scenarios)
    return files | {IN_JSON: 2 * TIMED}


def test_a_logged_property_gives_times(timed, read):
    rows, cautions = read(timed, "ioh", layout=Layout({"seconds": "clock"}))
    for row in rows:
        assert [event["time_s"] for event in row["events"]] == [0.01, 0.05, 0.2]
        assert (row["wall_s"], row["budget_s"], row["stop_reason"]) == (0.7, 0.7, "time")
        assert (row["status"], row["best_f"], row["evaluations"]) == ("ok", 0.5, 20)
    assert not cautions


def test_runs_that_go_on_after_their_last_line(timed, read):
    timed[IN_JSON] = 2 * TIMED.replace("20 0.5 0.7\n", "")
    rows, cautions = read(timed, "ioh", layout=Layout({"seconds": "clock"}))
    assert {(row["wall_s"], row["evaluations"]) for row in rows} == {(0.2, 20)}
    assert cautions == [f"{IN_JSON}: runs go on after their last line; their seconds end there"]


@pytest.mark.parametrize(
    ("before", "after", "column", "expected"),
    [
        ("0.05", "0.001", "clock", ":3: seconds go back from 0.01 to 0.001 within"),
        ("0.05", "-1", "clock", ":3: seconds are -1; expected 0 to 1e7, since"),
        ("0.05", "nan", "clock", ":3: seconds are nan; expected 0 to 1e7, since"),
        ("0.05", "0.05", "time", ": no column 'time'; columns: evaluations, raw_y, clo"),
    ],
)
def test_wrong_times_give_one_line(before, after, column, expected, timed, read):
    timed[IN_JSON] = timed[IN_JSON].replace(before, after)
    (line,) = refused(read, timed, "ioh", layout=Layout({"seconds": column}))
    assert f"{IN_JSON}{expected}" in line


RISING = "evaluations raw_y\n1 0.5\n3 0.75\n9 0.5000\nevaluations raw_y\n1 7.5\n"
"""Values of an own suite, the last but one of which is no improvement when maximized."""


@pytest.mark.parametrize("suite", ["own", "No suite"])
def test_maximized_values_of_an_own_suite_get_the_other_sign(suite, read):
    files = study(maximization=True, suite=suite, attributes=["evaluations", "raw_y"])
    files[IN_JSON] = RISING
    (first, second), cautions = read(files, "ioh")
    assert events(first) == [(1, -0.5), (3, -0.75)]
    assert events(second) == [(1, -7.5)]
    assert first["f_opt"] is None
    assert cautions[0] == f"{JSON}: values are maximized; they are read with the other sign"
    assert not any("distances" in line for line in cautions)


def test_values_that_only_rise_are_refused_until_their_direction_is_stated(read):
    files = study(suite="own", attributes=["evaluations", "raw_y"])
    files[IN_JSON] = RISING.replace("9 0.5000", "9 0.8")
    line = (
        f"{IN_JSON}: values only rise in 1 of 1 runs, but timefair minimizes; if they are "
        "maximized, use --columns value=-raw_y"
    )
    assert line in read(files, "ioh")[1]  # two steps may be chance
    assert not any("rise" in caution for caution in read(study(suite="own"), "ioh")[1])
    files[IN_JSON] = "evaluations raw_y\n" + "".join(f"{n} {n / 50}\n" for n in range(1, 51))
    files[IN_JSON] += "evaluations raw_y\n1 7.5\n"
    assert refused(read, files, "ioh")[0].endswith(f"{line}; if not, --columns value=+raw_y")
    (first, _), cautions = read(files, "ioh", layout=Layout({"value": "-raw_y"}))
    assert (events(first)[-1], first["f_opt"]) == ((50, -1.0), None)
    assert f"{JSON}: values are maximized; they are read with the other sign" in cautions
    (first, _), cautions = read(files, "ioh", layout=Layout({"value": "+raw_y"}))
    assert events(first) == [(1, 0.02)]
    assert not any("rise" in caution for caution in cautions)
    with pytest.raises(InputError, match="values are maximized, but those of bbob are minimized"):
        read(study(), "ioh", layout=Layout({"value": "-raw_y"}))


@pytest.mark.parametrize("columns", [{"value": "raw_y"}, {"value": "-y"}, {"run": "id"}])
def test_columns_that_data_of_iohprofiler_do_not_have(columns, read):
    with pytest.raises(InputError, match="data of IOHprofiler have only seconds=NAME"):
        read(study(), "ioh", layout=Layout(columns))


@pytest.mark.thinned(3)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "format"),
    [
        ("first", "coco"), ("latest", "coco"), ("constrained", "coco"), ("multiobjective", "coco"),
        (study, "ioh"), (lambda: former(suite="'BBOB'", maximization="'F'"), "ioh"),
    ],
)  # fmt: skip
def test_any_damage_gives_one_line(kind, format, request, read, tmp_path):
    whole = kind() if callable(kind) else dict(request.getfixturevalue(kind))
    clean, _ = read(whole, format)
    outcomes = set()

    @settings(max_examples=25, deadline=None, derandomize=True, database=None,
              suppress_health_check=[HealthCheck.function_scoped_fixture])  # fmt: skip
    @given(
        st.sampled_from(sorted(whole)), st.sampled_from(OPERATIONS), st.integers(0, 10**6),
        st.integers(0, 10**6),
    )  # fmt: skip
    def check(name, operation, at, how):
        files = dict(whole)
        text = files.pop(name)
        if operation != "delete":
            files[name] = damaged(text, operation, at, how)
        try:
            rows, _ = read(files, format)
        except InputError as error:
            (line,) = error.faults
            assert line.startswith(f"{tmp_path / 'data'}: ")
            assert "\n" not in line
            outcomes.add("refused")
            return
        outcomes.add("read" if rows == clean else "other")
        assert {row["wall_s"] for row in rows} == {None}
        for row in rows:
            assert row["evaluations"] >= max((e["evaluations"] for e in row["events"]), default=0)
            assert all(e["precision"] >= 0 for e in row["events"])

    check()
    assert outcomes >= {"refused", "read"}
