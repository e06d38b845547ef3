"""Forms of tables, numbers that are kept, names that are matched, runs that count once."""

from pathlib import Path

import numpy as np
import pytest
from campaigns import refused

from timefair.basics.errors import InputError
from timefair.io.importing import WantedProblems, import_all, import_data
from timefair.io.table_read import Layout
from timefair.records.rundata.runs import Runs
from timefair.records.store import read_runs

HEADER = "algorithm,function,dimension,instance,run,evaluations,seconds,value,optimum\n"
BBOB = WantedProblems(
    "bbob", [1, 2, 3, 10], [2], [1, 2], {1: "sphere", 2: "ellipsoid", 3: "Rastrigin", 10: "rot."}
)


def rows(function="1", instance="1", run="0", value=1.0, algorithm="A", seconds=0.5):
    return f"{algorithm},{function},2,{instance},{run},7,{seconds},{value},0\n"


@pytest.fixture
def given(tmp_path):
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
    ("words", "line"), [(("mon", "tue"), "'mon'"), (("0", "1"), "'0'"), (("0.0", "1.0"), "'0.0'")]
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


def test_files_with_other_costs_are_refused_in_a_line(given):
    """Once, ERTs of runs without seconds ended in a traceback."""
    timed, untimed = given(timed=rows() + rows(run="1"), untimed=rows(algorithm="B", seconds=""))
    line = rf"{untimed}: has evaluations, but {timed} has evaluations and seconds; analyse"
    with pytest.raises(InputError, match=line):
        every(timed, untimed)


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


HERE = Path(__file__).parent / "forms"
READ = {
    # file: algorithms, runs, functions, dimension, evaluations at the end, a word of the cautions
    "final.csv": ("GWO PSO", 12, 2, 1, None, "value is Best fitness"),
    "errors.csv": ("GWO PSO", 12, 2, 10, None, "error is a distance to the optimum"),
    "heurilab/raw_runs.csv": ("GWO PSO", 12, 2, 1, None, "one row per run"),
    "mealpy/best_fit/OriginalGWO_best_fit.csv": ("OriginalGWO", 12, 3, 1, None, "per function"),
    "mealpy/convergence/OriginalGWO/F5_convergence.csv": ("OriginalGWO", 3, 1, 1, None, "matrix"),
    "LSHADE_5_30.txt": ("LSHADE", 5, 1, 30, 300_000, "name of the file"),
    "EA4eig_3_10.txt": ("EA4eig", 4, 1, 10, 200_000, "name of the file"),
    "jSO_F7_D10.csv": ("jSO", 3, 1, 10, 200_000, "name of the file"),
    "F3_D30.csv": ("GWO PSO WOA", 15, 1, 30, None, "a column per algorithm"),
    "WOA_F9.txt": ("WOA", 6, 1, 1, None, "dimension is not known"),
    "HHO_F2.txt": ("HHO", 3, 1, 1, None, "dimension is not known"),
    "moptipy/rls/demo/rls_demo_0x1a.txt": ("rls", 1, 1, 20, 50, "a log of moptipy"),
    "study.json": ("GWO PSO", 6, 1, 5, 100, "pymetaheuristic"),
    "study_short.json": ("GWO PSO", 6, 1, 5, None, "pymetaheuristic"),
    "GA_SOP_F1_M1_D30_1.mat": ("GA", 1, 1, 30, 300, "MATLAB"),
    "F6.mat": ("GWO PSO", 16, 1, 1, None, "MATLAB"),
    "counted.csv": ("GWO PSO", 12, 2, 10, 1000, "evaluations is FEs"),
    "CAPITALS.CSV": ("GWO PSO", 6, 1, 10, 1000, "ERROR is a distance to the optimum"),
    "F2_D20.csv": ("GWO PSO", 8, 1, 20, None, "a column per algorithm"),
    "GWO_F7_D30.csv": ("GWO", 5, 1, 30, None, "decimal commas are read as points"),
    "PSO_F4_D10.csv": ("PSO", 3, 1, 10, None, "a matrix"),
    "excel.csv": ("GWO PSO", 12, 2, 1, None, "decimal commas are read as points"),
    "functions.csv": ("GWO PSO", 12, 3, 1, None, "a column per function: F1, F2, F3"),
    "missing.csv": ("GWO PSO", 6, 1, 1, None, "rows without a value are omitted"),
    "seeds.csv": ("GWO PSO", 12, 2, 1, None, "a column per run: 11, 22, 33"),
    "single.csv": ("GWO PSO", 4, 2, 1, None, "if these are means, the values of the runs"),
    "tabs.tsv": ("GWO PSO", 6, 1, 1, None, "value is fx"),
    "timed.csv": ("GWO PSO", 6, 1, 1, None, "its seconds do not say when a value was found"),
    "trailing.csv": ("GWO PSO", 6, 1, 1, None, "each row is a run"),
    "unrun.csv": ("GWO PSO", 12, 2, 1, None, "a column per algorithm: GWO, PSO"),
    "history_PSO.csv": ("history_PSO", 1, 1, 1, None, "rows are iterations: the last one"),
    "conv_F1.csv": ("GWO PSO", 2, 1, 1, None, "rows are iterations: the last one"),
    "epochs_F4.csv": ("GWO PSO", 6, 1, 1, None, "the last one of each run counts"),
    "short.csv": ("GWO PSO", 12, 3, 10, None, "function is f"),
    "wide.csv": ("GWO PSO WOA", 18, 2, 1, None, "a column per algorithm: GWO, PSO, WOA"),
}
REFUSED = {
    "heurilab/results.csv": "has means or other summaries, not runs; expected one row per run",
    "NLSHADE_3_30.txt": "give the evaluations with --set budget_evaluations=N",
    "moptipy/rls/demo/rls_demo_0x1b.txt": "the run has not ended",
    "unknown.json": "JSON of an unknown form",
    "GA_SOP_F1_M1_D30_2.mat": "without the metric Min_value",
    "notes.txt": "no column algorithm, function",
    "book.xlsx": "a spreadsheet; save each sheet as CSV",
    "means.csv": "has means or other summaries, not runs",
    "ragged.csv": "row 2: 2 cells, but the header has 3",
    "remarks.csv": "no column value; columns: Algorithm, Function, comment, state",
    "rising_D10.txt": "a matrix of 14 x 3 numbers whose columns rise",
    "falling.txt": "20 values that never rise: if they are iterations of a run",
    "header.csv": "no rows; expected a header",
    "pooled.csv": "6 rows of 3 runs, without evaluations or seconds; which columns tell",
    "null.json": "record 2: best_fitness: missing",
    "cube.mat": "GWO: 3 dimensions; expected one column per run",
}


def imported(path, folder, layout=None):
    found = import_all(HERE / path, "table", folder, layout=layout)
    return found, Runs.read([folder / f"{one.label}.parquet" for one in found])


@pytest.mark.parametrize("path", READ)
def test_a_file_is_read_without_editing(path, tmp_path):
    algorithms, count, functions, dimension, evaluations, word = READ[path]
    found, runs = imported(path, tmp_path)
    frame = runs.frame
    assert " ".join(sorted(frame["algorithm"].unique())) == algorithms
    assert len(frame) == count
    assert frame["function"].nunique() == functions
    assert set(frame["dimension"]) == {dimension}
    assert runs.ended.all()
    assert np.isfinite(frame["best_f"]).all()
    if evaluations is None:
        assert runs.units_of(np.arange(count)) == ()
    else:
        assert set(frame["evaluations"]) == {evaluations}
    assert word in " ".join(found[0].cautions)


@pytest.mark.parametrize("path", REFUSED)
def test_another_file_is_refused_in_a_line(path, tmp_path):
    (line,) = refused(imported, path, tmp_path)
    assert line.startswith(f"{HERE / path}: ")
    assert REFUSED[path] in line
    assert not list(tmp_path.glob("*.parquet"))


def test_checkpoints_are_those_of_the_competition(tmp_path):
    """In CEC2022 with D = 10, the sixth of 16 is at D^(1 − 3) of 200,000; values are errors."""
    _, runs = imported("EA4eig_3_10.txt", tmp_path)
    lines = np.loadtxt(HERE / "EA4eig_3_10.txt")
    at = [round(10 ** (k / 5 - 3) * 200_000) for k in range(16)]
    assert at[5] == 2000
    best = runs.best_so_far("evaluations", np.array(at, dtype=np.float64))
    np.testing.assert_allclose(best, lines.T)
    layout = Layout.of("", "budget_evaluations=3000000")
    _, given = imported("NLSHADE_3_30.txt", tmp_path, layout)
    assert set(given.frame["evaluations"]) == {3_000_000}


def test_a_log_of_moptipy_has_its_seconds(tmp_path):
    _, runs = imported("moptipy/rls/demo/rls_demo_0x1a.txt", tmp_path)
    assert runs.frame["wall_s"].tolist() == [0.03]
    (part,) = runs.traces
    assert part.time_s.tolist() == [0.001, 0.001, 0.025]
    assert runs.frame["best_f"].tolist() == [200]


@pytest.mark.parametrize(
    "path", ["HHO_F2.txt", "mealpy/convergence/OriginalGWO/F5_convergence.csv"]
)
def test_of_a_trace_over_iterations_the_last_value_counts(path, tmp_path):
    skip = 1 if path.endswith("csv") else 0
    lines = np.loadtxt(HERE / path, skiprows=skip, delimiter="," if skip else None)
    _, runs = imported(path, tmp_path)
    assert sorted(runs.frame["best_f"]) == sorted(lines[-1])


def test_columns_that_the_user_names_are_not_guessed(tmp_path):
    found, runs = imported("counted.csv", tmp_path, Layout.of("value=best,evaluations=FEs", ""))
    assert "value is" not in " ".join(found[0].cautions)
    assert set(runs.frame["evaluations"]) == {1000}


def test_decimal_commas_and_columns_of_values_are_read_as_written(tmp_path):
    _, runs = imported("excel.csv", tmp_path)
    lines = (HERE / "excel.csv").read_text("utf-8-sig").splitlines()[1:]
    wanted = [float(line.split(";")[-1].replace(",", ".")) for line in lines]
    assert sorted(runs.frame["best_f"]) == sorted(wanted)
    _, runs = imported("wide.csv", tmp_path)
    table = np.loadtxt(HERE / "wide.csv", delimiter=",", skiprows=1)
    of_pso = runs.frame[runs.frame["algorithm"] == "PSO"]
    assert sorted(of_pso["best_f"]) == sorted(table[:, 3])
    _, runs = imported("PSO_F4_D10.csv", tmp_path)
    assert sorted(runs.frame["best_f"]) == [10.5 / 4, 20.25 / 4, 30.125 / 4]
