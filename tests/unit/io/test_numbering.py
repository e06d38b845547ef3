"""Numbers that are kept, names that are matched, and runs that count once."""

import pytest
from campaigns import refused

from timefair.io.importing import WantedProblems, import_all, import_data
from timefair.records.store import read_runs

HEADER = "algorithm,function,dimension,instance,run,evaluations,seconds,value,optimum\n"
BBOB = WantedProblems(
    "bbob", [1, 2, 3, 10], [2], [1, 2], {1: "sphere", 2: "ellipsoid", 3: "Rastrigin", 10: "rot."}
)


def rows(function="1", instance="1", run="0", value=1.0, algorithm="A", seconds=0.5):
    return f"{algorithm},{function},2,{instance},{run},7,{seconds},{value},0\n"


@pytest.fixture
def given(tmp_path):
    """A function: files of a table, from the rows of each."""

    def write(**files):
        paths = []
        for name, text in files.items():
            paths.append(tmp_path / f"{name}.csv")
            paths[-1].write_text(HEADER + text)
        return paths

    return write


def wanted(path, problems=BBOB):
    found = import_data(path, "table", path.with_suffix(".parquet"), wanted=problems)
    runs = read_runs([path.with_suffix(".parquet")]).to_pylist()
    return found, {row["function"]: row["best_precision"] for row in runs}


def every(first, *others):
    folder = first.with_suffix("")
    found = import_all(first, "table", folder, others=others)
    return found, read_runs(sorted(folder.glob("*.parquet"))).to_pylist()


@pytest.mark.parametrize("words", [("sphere", "rastrigin"), ("SPHERE", "Rastrigin")])
def test_names_are_matched_by_those_of_the_campaign(given, words):
    (path,) = given(mine=rows(words[0], value=1) + rows(words[1], value=3))
    found, best = wanted(path)
    assert best == {1: 1, 3: 3}
    assert any("functions are matched by name" in line for line in found.cautions)


def test_names_without_a_match_are_left_out_with_a_line(given):
    (path,) = given(mine=rows("sphere") + rows("Branin"))
    found, best = wanted(path)
    assert set(best) == {1}
    assert any("left out: Branin" in line for line in found.cautions)
    assert "left out: 1 data set " in found.origin


@pytest.mark.parametrize("column", ["function", "instance"])
@pytest.mark.parametrize(
    ("words", "line"), [(("mon", "tue"), "'mon'"), (("0", "1"), " 0: "), (("0.0", "1.0"), " 0.0: ")]
)
def test_what_cannot_be_matched_is_refused_in_one_line(given, column, words, line):
    (path,) = given(mine="".join(rows(**{column: word}) for word in words))
    (fault,) = refused(wanted, path)
    assert fault.startswith(f"{path}: {column}")
    assert line in fault
    assert not path.with_suffix(".parquet").exists()


@pytest.mark.parametrize("beside", [BBOB, None])
@pytest.mark.parametrize("form", ["{}", "{}.0", "{}.", "{}.000", "{}e0", "{}.0E+00", "0{}"])
def test_whole_numbers_are_numbers_in_each_form(given, form, beside):
    numbers = (1, 2, 10)
    text = "".join(
        rows(form.format(n), instance=form.format(1), run=form.format(0), value=n) for n in numbers
    )
    (path,) = given(mine=text)
    if beside:
        best = wanted(path)[1]
    else:
        best = {row["function"]: row["best_precision"] for row in every(path)[1]}
    assert best == {n: n for n in numbers}


def test_functions_of_several_files_are_numbered_together(given):
    paths = given(b=rows("sphere", value=1), a=rows("ackley", value=2))
    found, runs = every(*paths)
    assert found[0].names == {1: "ackley", 2: "sphere"}
    assert {row["function"]: row["best_precision"] for row in runs} == {1: 2, 2: 1}


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_instances_of_several_files_are_numbered_together(given, order):
    nights = given(one=rows(instance="mon") + rows(instance="tue", run="1"),
                   two=rows(instance="tue", seconds=0.6) + rows(instance="wed"))  # fmt: skip
    found, runs = every(*(nights[k] for k in order))
    assert sorted(row["instance"] for row in runs) == [1, 2, 2, 3]
    (line,) = [line for line in found[0].cautions if "instances are numbered" in line]
    assert line.endswith("1 is mon, 2 is tue, 3 is wed")


def test_each_run_of_overlapping_files_counts_once(given):
    half = "".join(rows(run=str(k), seconds=0.1 + k) for k in range(3))
    more = half + "".join(rows(run=str(k), seconds=0.1 + k) for k in range(3, 7))
    for files in ({"all": more, "half": half}, {"half": half, "all": more}):
        found, runs = every(*given(**files))
        assert len(runs) == 7
        assert "runs that are also in another file are read once (runs: 3)" in found[0].cautions
        assert found[0].origin == "from 10 rows of 2 files"
