"""IOHprofiler's data with JSON and from before it; one line per fault."""

import json

import pytest
from campaigns import refused

from timefair.basics.errors import InputError
from timefair.io.importing import import_data
from timefair.io.table_read import Layout

JSON, DATA = "ES/IOHprofiler_f2_Ellipsoid.json", "ES/data_f2/f2_DIM4.dat"
SEVERAL = "data of several objectives (column F2) have no single optimum"


def events(row):
    return [(event["evaluations"], event["precision"]) for event in row["events"]]


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
    return {JSON: json.dumps(index | changes), DATA: data}


def test_data_with_json(read):
    (first, second), cautions = read(study(), "ioh")
    assert events(first) == [(1, 9.5), (9, 0.5)]
    assert events(second) == [(1, 7.5)]
    assert [row["evaluations"] for row in (first, second)] == [50, 60]
    assert [(row["instance"], row["run"]) for row in (first, second)] == [(3, 0), (3, 1)]
    assert (first["suite"], first["function"], first["dimension"]) == ("bbob", 2, 4)
    assert cautions == []


def test_values_that_are_not_distances(read):
    files = study()
    files[DATA] = files[DATA].replace("0.5000000000", "-92.09")
    with pytest.raises(InputError, match=r"json: value -92\.09 is not a distance to the optimum"):
        read(files, "ioh")
    files = study()
    files[DATA] = files[DATA].replace("sigma", "transformed_y").replace("9.5 1.0", "9.5 9.5")
    with pytest.raises(InputError, match=r"values of f \(such as 9\.5\), expected distances to"):
        read(files, "ioh")


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"maximization": True}, "values are maximized, but those of bbob are minimized"),
        ({"maximization": "F"}, "(TypeError: maximization is 'F', expected true or false)"),
        ({"scenarios": [{}]}, "not a valid file of IOHprofiler (KeyError: 'dimension')"),
        ({"function_id": 1e300}, "(ValueError: '1e+300' is not a whole number"),
        ({"attributes": ["raw_y", "F2"]}, SEVERAL),
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
        ("evaluations raw_y sigma\n1 7.5 1.0\n", "evaluations raw_y sigma\n" * 2,
         ": 3 runs, but the .json file lists 2; the others are skipped"),
    ],
)  # fmt: skip
def test_damaged_runs(before, after, line, read, tmp_path):
    files = study()
    files[DATA] = files[DATA].replace(before, after)
    if "3 runs" in line:
        assert f"{DATA}{line}" in read(files, "ioh")[1]
        return
    assert refused(read, files, "ioh")[0].startswith(f"{tmp_path / 'data'}: {DATA}{line}")


def test_missing_and_unlisted_runs(read):
    (first, second), _ = read(study(), "ioh")
    files = study()
    files[DATA] = files[DATA][: files[DATA].rindex("evaluations")]
    with pytest.raises(InputError, match=r"1 run, but the \.json file lists 2; give the complete"):
        read(files, "ioh")
    files[DATA] = "evaluations raw_y sigma\n1 3.5 1\n" + study()[DATA]
    assert read(files, "ioh") == (
        [first, second],
        [f"{DATA}: 3 runs, but the .json file lists 2; the others are skipped"],
    )
    files[DATA] = study()[DATA].replace("0.5000000000", "0.4000000000")
    assert read(files, "ioh")[1] == [
        f"{DATA}: ends or best values differ from the .json file; the data files are used"
    ]


def test_one_of_several_algorithms(read):
    other = {name.replace("ES", "GA", 1): text for name, text in study().items()}
    other["GA/IOHprofiler_f2_Ellipsoid.json"] = study(algorithm={"name": "GA", "info": ""})[JSON]
    with pytest.raises(
        InputError, match=r"data of 2 algorithms \(ES, GA\); choose one with --algorithm"
    ):
        read(study() | other, "ioh")
    rows, _ = read(study() | other, "ioh", algorithm="GA")
    assert {row["algorithm"] for row in rows} == {"GA"}


INFO, DAT = "EA/IOHprofiler_f1_i1.info", "EA/data_f1/IOHprofiler_f1_DIM9_i1.dat"
HEADER = '"function evaluation" "current f(x)" "best-so-far f(x)" "current af(x)+b" "best af(x)+b"'


def former(**changes):
    """Two runs on OneMax as the loggers of 2018 to 2021 wrote them, of 9 variables."""
    said = {"suite": "'PBO'", "funcId": "1", "DIM": "9", "algId": "'EA'", "algInfo": "'a, b'"}
    keys = ", ".join(f"{k} = {v}" for k, v in (said | changes).items() if v)
    return {
        INFO: f"{keys}\n%\ndata_f1\\IOHprofiler_f1_DIM9_i1.dat, 1:30|8.00000e+00, 1:7|9.00000e+00",
        DAT: (
            f"{HEADER} \n1 5 5 5 5\n3 6 6 6 6\n5 4 6 4 6\n12 8 8 8 8\n"
            f"{HEADER} \n1 4 4 4 4\n7 9 9 9 9\n"
        ),
    }


@pytest.fixture
def pseudo_boolean():
    pytest.importorskip("ioh")


@pytest.mark.usefixtures("pseudo_boolean")
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
    (first, second), cautions = read(former(**changes), "ioh")
    assert events(first) == [(1, 4.0), (3, 3.0), (12, 1.0)]
    assert events(second) == [(1, 5.0), (7, 0.0)]
    assert [row["evaluations"] for row in (first, second)] == [30, 7]
    assert [(row["instance"], row["run"]) for row in (first, second)] == [(1, 0), (1, 1)]
    assert (first["suite"], first["f_opt"], first["best_f"]) == ("pbo", -9.0, -8.0)
    assert first["algorithm"] == "EA"
    assert cautions == []


def test_the_best_value_of_the_instance_in_the_index(read):
    """In a sample of 2020 it is a f(x) + b with the a and b of the instance."""
    files = former(suite="'BBOB'", maximization="'F'")
    files[INFO] = files[INFO].replace("8.0", "6.0").replace("9.0", "6.0")
    files[DAT] = f"{HEADER}\n1 6 6 8 8\n5 4 4 6 6\n{HEADER}\n1 4 4 6 6\n"
    rows, cautions = read(files, "ioh")
    assert [events(row) for row in rows] == [[(1, 6.0), (5, 4.0)], [(1, 4.0)]]
    assert cautions == []


@pytest.mark.parametrize("names", ["raw_y F2", "F1 F2", '"best-so-far f(x)" F2'])
def test_several_objectives_are_refused(names, read, tmp_path):
    files = study()
    files[DATA] = files[DATA].replace("raw_y sigma", names)
    assert refused(read, files, "ioh") == (f"{tmp_path / 'data'}: {DATA}: {SEVERAL}",)


# --- Times ------------------------------------------------------------------------------------

TIMED = "evaluations raw_y clock\n1 9.5 0.01\n4 2.0 0.05\n9 0.5 0.2\n20 0.5 0.7\n"


@pytest.fixture
def timed():
    runs = [{"instance": i, "evals": 20, "best": {"evals": 9, "y": 0.5}} for i in (1, 2)]
    index = {
        "suite": "BBOB", "function_id": 2, "function_name": "Ellipsoid", "maximization": False,
        "algorithm": {"name": "walk"}, "attributes": ["evaluations", "raw_y", "clock"],
        "scenarios": [{"dimension": 4, "path": "data/f2.dat", "runs": runs}],
    }  # fmt: skip
    return {"IOHprofiler_f2.json": json.dumps(index), "data/f2.dat": 2 * TIMED}


def test_a_logged_property_gives_times(timed, read):
    rows, cautions = read(timed, "ioh", layout=Layout({"seconds": "clock"}))
    for row in rows:
        assert [event["time_s"] for event in row["events"]] == [0.01, 0.05, 0.2]
        assert (row["wall_s"], row["budget_s"], row["stop_reason"]) == (0.7, 0.7, "time")
        assert (row["status"], row["best_f"], row["evaluations"]) == ("ok", 0.5, 20)
    assert not cautions


def test_runs_that_go_on_after_their_last_line(timed, read):
    timed["data/f2.dat"] = 2 * TIMED.replace("20 0.5 0.7\n", "")
    rows, cautions = read(timed, "ioh", layout=Layout({"seconds": "clock"}))
    assert {(row["wall_s"], row["evaluations"]) for row in rows} == {(0.2, 20)}
    assert cautions == ["data/f2.dat: runs go on after their last line; their seconds end there"]


@pytest.mark.parametrize(
    ("before", "after", "column", "expected"),
    [
        ("0.05", "0.001", "clock", "data/f2.dat:3: seconds go back from 0.01 to 0.001 within"),
        ("0.05", "-1", "clock", "data/f2.dat:3: seconds are -1; expected 0 to 1e7, since"),
        ("0.05", "nan", "clock", "data/f2.dat:3: seconds are nan; expected 0 to 1e7, since"),
        ("0.05", "0.05", "time", "data/f2.dat: no column 'time'; columns: evaluations, raw_y, clo"),
    ],
)
def test_wrong_times_give_one_line(before, after, column, expected, timed, read):
    timed["data/f2.dat"] = timed["data/f2.dat"].replace(before, after)
    (line,) = refused(read, timed, "ioh", layout=Layout({"seconds": column}))
    assert expected in line


RISING = "evaluations raw_y\n1 0.5\n3 0.75\n9 0.5000\nevaluations raw_y\n1 7.5\n"
"""Values of an own suite, the last but one of which is no improvement when maximized."""


@pytest.mark.parametrize("suite", ["own", "No suite"])
def test_maximized_values_of_an_own_suite_get_the_other_sign(suite, read):
    files = study(maximization=True, suite=suite, attributes=["evaluations", "raw_y"])
    files[DATA] = RISING
    (first, second), cautions = read(files, "ioh")
    assert events(first) == [(1, -0.5), (3, -0.75)]
    assert events(second) == [(1, -7.5)]
    assert first["f_opt"] is None
    assert cautions[0] == f"{JSON}: values are maximized; they are read with the other sign"
    assert not any("distances" in line for line in cautions)


def test_values_that_only_rise_are_refused_until_their_direction_is_stated(read):
    files = study(suite="own", attributes=["evaluations", "raw_y"])
    files[DATA] = RISING.replace("9 0.5000", "9 0.8")
    line = (
        f"{DATA}: values only rise in 1 of 1 runs, but timefair minimizes; if they are maximized, "
        "use --columns value=-raw_y"
    )
    assert line in read(files, "ioh")[1]  # two steps may be chance
    assert not any("rise" in caution for caution in read(study(suite="own"), "ioh")[1])
    files[DATA] = "evaluations raw_y\n" + "".join(f"{n} {n / 50}\n" for n in range(1, 51))
    files[DATA] += "evaluations raw_y\n1 7.5\n"
    assert refused(read, files, "ioh")[0].endswith(f"{line}; if not, --columns value=+raw_y")
    (first, _), cautions = read(files, "ioh", layout=Layout({"value": "-raw_y"}))
    assert (events(first)[-1], first["f_opt"]) == ((50, -1.0), None)
    assert f"{JSON}: values are maximized; they are read with the other sign" in cautions
    (first, _), cautions = read(files, "ioh", layout=Layout({"value": "+raw_y"}))
    assert events(first) == [(1, 0.02)]
    assert not any("rise" in caution for caution in cautions)


def test_the_stated_direction_replaces_that_of_the_files(read):
    files = study(suite="own", maximization=True, attributes=["evaluations", "raw_y"])
    files[DATA] = RISING
    (first, _), _ = read(files, "ioh", layout=Layout({"value": "+raw_y"}))
    assert events(first) == [(1, 0.5)]
    with pytest.raises(InputError, match="values are maximized, but those of bbob are minimized"):
        read(study(), "ioh", layout=Layout({"value": "-raw_y"}))


@pytest.mark.parametrize("columns", [{"value": "raw_y"}, {"value": "-y"}, {"run": "id"}])
def test_columns_that_data_of_iohprofiler_do_not_have(columns, read):
    with pytest.raises(InputError, match="data of IOHprofiler have only seconds=NAME"):
        read(study(), "ioh", layout=Layout(columns))


def test_data_of_other_algorithms_are_counted(tmp_path, read):
    files = study() | {name.replace("ES/", "GA/"): text for name, text in study().items()}
    files["GA/" + JSON[3:]] = files["GA/" + JSON[3:]].replace('"ES"', '"GA"')
    read(files, "ioh", algorithm="GA")
    found = import_data(tmp_path / "data", "ioh", tmp_path / "o.parquet", algorithm="GA")
    assert found.origin == (
        "from 4 rows of 1 data file and 2 index files; left out: 1 data set of other algorithms"
    )
