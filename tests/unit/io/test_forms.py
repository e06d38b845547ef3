"""Results of other programs, in files as they write them."""

from pathlib import Path

import numpy as np
import pytest
from campaigns import refused

from timefair.io.importing import import_all
from timefair.io.table_read import Layout
from timefair.records.rundata.runs import Runs

HERE = Path(__file__).parent / "forms"
READ = {
    # file: algorithms, runs, functions, dimension, evaluations at the end, a word of the cautions
    "final.csv": ("GWO PSO", 12, 2, 1, None, "value is Best fitness"),
    "errors.csv": ("GWO PSO", 12, 2, 10, None, "error is a distance to the optimum"),
    "heurilab/raw_runs.csv": ("GWO PSO", 12, 2, 1, None, "one row per run"),
    "mealpy/best_fit/OriginalGWO_best_fit.csv": ("OriginalGWO", 12, 3, 1, None, "a matrix"),
    "mealpy/convergence/OriginalGWO/F5_convergence.csv": ("OriginalGWO", 3, 1, 1, None, "matrix"),
    "LSHADE_5_30.txt": ("LSHADE", 5, 1, 30, 300_000, "name of the file"),
    "EA4eig_3_10.txt": ("EA4eig", 4, 1, 10, 200_000, "name of the file"),
    "jSO_F7_D10.csv": ("jSO", 3, 1, 10, 200_000, "name of the file"),
    "F3_D30.csv": ("GWO PSO WOA", 15, 1, 30, None, "per run or algorithm"),
    "WOA_F9.txt": ("WOA", 6, 1, 1, None, "dimension is not known"),
    "HHO_F2.txt": ("HHO", 3, 1, 1, None, "dimension is not known"),
    "moptipy/rls/demo/rls_demo_0x1a.txt": ("rls", 1, 1, 20, 50, "a log of moptipy"),
    "study.json": ("GWO PSO", 6, 1, 5, 100, "pymetaheuristic"),
    "study_short.json": ("GWO PSO", 6, 1, 5, None, "pymetaheuristic"),
    "GA_SOP_F1_M1_D30_1.mat": ("GA", 1, 1, 30, 300, "MATLAB"),
    "F6.mat": ("GWO PSO", 16, 1, 1, None, "MATLAB"),
    "counted.csv": ("GWO PSO", 12, 2, 10, 1000, "evaluations is FEs"),
    "CAPITALS.CSV": ("GWO PSO", 6, 1, 10, 1000, "ERROR is a distance to the optimum"),
    "F2_D20.csv": ("GWO PSO", 8, 1, 20, None, "a matrix"),
    "GWO_F7_D30.csv": ("GWO", 5, 1, 30, None, "a matrix"),
    "PSO_F4_D10.csv": ("PSO", 3, 1, 10, None, "a matrix"),
    "exact.csv": ("GWO PSO", 12, 2, 1, None, "dimension is not known"),
    "excel.csv": ("GWO PSO", 12, 2, 1, None, "decimal commas are read as points"),
    "functions.csv": ("GWO PSO", 12, 3, 1, None, "a column per function: F1, F2, F3"),
    "missing.csv": ("GWO PSO", 6, 1, 1, None, "rows without a value are omitted"),
    "seeds.csv": ("GWO PSO", 12, 2, 1, None, "a column per run: 11, 22, 33"),
    "single.csv": ("GWO PSO", 4, 2, 1, None, "if these are means, the values of the runs"),
    "tabs.tsv": ("GWO PSO", 6, 1, 1, None, "value is fx"),
    "timed.csv": ("GWO PSO", 6, 1, 1, None, "its seconds do not say when a value was found"),
    "trailing.csv": ("GWO PSO", 6, 1, 1, None, "each row is a run"),
    "unrun.csv": ("GWO PSO", 12, 2, 1, None, "a column per algorithm: GWO, PSO"),
    "history_PSO.csv": ("history_PSO", 1, 1, 1, None, "over iterations, of which the last counts"),
    "conv_F1.csv": ("GWO PSO", 2, 1, 1, None, "over iterations, of which the last counts"),
    "epochs_F4.csv": ("GWO PSO", 6, 1, 1, None, "the last one of each run counts"),
    "size.csv": ("GWO PSO", 8, 1, 10, None, "dimension is Problem size"),
    "short.csv": ("GWO PSO", 12, 3, 10, None, "function is f"),
    "wide.csv": ("GWO PSO WOA", 18, 2, 1, None, "a column per algorithm: GWO, PSO, WOA"),
}
REFUSED = {
    "heurilab/results.csv": "has means or other summaries, not runs; expected one row per run",
    "NLSHADE_3_30.txt": "give the evaluations with --set budget_evaluations=N",
    "mixed.txt": "a matrix of 5 x 4 numbers whose columns rise",
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
    "header.csv": "has a header and no rows",
    "pooled.csv": "6 rows of 3 runs, without evaluations or seconds; which columns tell",
    "summary.csv": "has means or other summaries, not runs",
    "null.json": "record 2: best_fitness: missing",
    "cube.mat": "GWO: 3 dimensions; expected one column per run",
    "words.csv": "row 1: value is 'fast'; expected a number",
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
