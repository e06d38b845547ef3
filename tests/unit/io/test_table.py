"""Runs as a tidy table, and how one is read."""

import gzip
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest
from damages import OPERATIONS, damaged
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from timefair.basics.errors import InputError
from timefair.exhibits.registry import TABLES
from timefair.io.importing import WantedProblems, import_all, import_data
from timefair.io.table_read import Layout
from timefair.io.write import SUFFIXES, table_of, write_table
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.records.store import open_record

PAGE = Path(__file__).parents[3] / "docs/reference/timed-runs.md"
F_OPT = {1: 79.48, 2: None}
COLUMN = "rank_reversals"
"""The table of which only one column needs what a table of runs does not hold."""
ANALYSIS = Analysis(
    targets=(10.0, 1.0, 0.1), resamples=20, campaign={"name": "c", "tables": list(TABLES)}
)


def exceptions() -> set[str]:
    section = PAGE.read_text().partition("## Exporting your own campaign")[2].partition("\n## ")[0]
    rows = (line.split("|")[1] for line in section.splitlines() if line.startswith("| `"))
    return set(re.findall(r"`(\w+)`", " ".join(rows))) - {"detectable_ratio", COLUMN}


@pytest.fixture(scope="module")
def measured(run, table):
    """Runs with restarts of three algorithms; of one function the optimum is not known."""
    rng = np.random.default_rng(5)

    def one(algorithm, function, instance, k):
        f_opt, end = F_OPT[function], 200 + 10 * k
        at = np.unique(np.append(1, rng.integers(2, end, 9)))
        value = 10 ** (1.5 - np.cumsum(rng.exponential(0.5, at.size))) - (f_opt is None)
        events = [
            (int(n), n / end * 0.9, float(q)) for n, q in zip(at, value, strict=True)
        ]  # fmt: skip
        cut = 0.9 if k else events[-1][1]  # the first run of each ends with its last event
        end = end if k else events[-1][0]
        half = {"start_s": 0.0, "end_s": cut / 2, "evaluations": end, "best_precision": value[-1]}
        return run(
            events, algorithm=algorithm, function=function, instance=instance, run=k, f_opt=f_opt,
            best_f=value[-1] + (f_opt or 0.0), best_precision=value[-1], evaluations=end,
            wall_s=cut, stop_reason="time" if k else "algorithm_ended",
            seed=int(rng.integers(2**40)), round=1 + k % 2, perturbation="clean",
            reference_before_s=0.01 + 0.001 * k, reference_after_s=0.01, left_files=k, left_mb=1.0,
            written_mb=1.0, launch_log=[half | {"end": "returned"}] * 2, best_x=[0.0, 1.0],
        )  # fmt: skip

    return table(
        *(one(name, f, i, k) for name in "ABC" for f in F_OPT for i in (1, 2) for k in range(5)),
        run([], algorithm="D", best_f=np.inf, evaluations=7, status="no_finite_value", f_opt=79.48),
    )


@pytest.fixture(scope="module", params=SUFFIXES)
def again(request, measured, tmp_path_factory):
    folder = tmp_path_factory.mktemp("again")
    write_table(measured, folder / f"runs{request.param}")
    found = import_all(folder / f"runs{request.param}", "table", folder / "records")
    return Runs.read([folder / "records" / f"{one.label}.parquet" for one in found])


def test_events_and_ends_are_the_same(measured, again):
    before = Runs.of(measured)
    for name in ("evaluations", "wall_s", "best_f", "best_precision", "status", "budget_s"):
        np.testing.assert_array_equal(before.frame[name], again.frame[name])
    mine, theirs = before.traces.together(), again.traces.together()
    for name in ("evaluations", "time_s", "precision"):
        np.testing.assert_array_equal(getattr(mine, name), getattr(theirs, name))


@pytest.mark.thinned(9)
@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_tables_are_the_same_where_a_table_of_runs_suffices(name, measured, again):
    before, after = (TABLES[name](runs, ANALYSIS) for runs in (Runs.of(measured), again))
    if name == COLUMN:
        before, after = (frame.drop(columns="detectable_ratio") for frame in (before, after))
    if name not in exceptions():
        assert_frame_equal(before, after, check_exact=True)


def test_tables_that_are_listed_as_different_exist():
    assert exceptions() <= set(TABLES)


def test_the_end_of_a_run_is_a_row_unless_it_is_an_event(measured):
    rows = table_of(measured).to_pandas()
    assert len(rows) == sum(len(events) for events in measured["events"].to_pylist()) + 4 * 12 + 1
    last = rows.groupby(["algorithm", "function", "instance", "run"]).tail(1)
    expected = pd.Series(measured.sort_by("algorithm")["wall_s"].to_pylist()).sort_values()
    assert sorted(last["seconds"]) == expected.tolist()


HEADER = "algorithm,function,dimension,instance,run,evaluations,seconds,value,optimum\n"
WALK = [(1, 0.1, 10.0), (3, 0.2, 11.0), (7, 0.3, 2.0), (9, 0.9, 2.0)]
"""Evaluations, seconds and values of the rows of a run; the optimum is 1."""


def lines(rows, names="A,4,2,1,0", optimum="1"):
    return "".join(f"{names},{at},{seconds},{value},{optimum}\n" for at, seconds, value in rows)


@pytest.fixture
def imported(tmp_path):
    def made(text, columns="", constants=""):
        (tmp_path / "mine.csv").write_text(text)
        layout = Layout.of(columns, constants)
        found = import_all(tmp_path / "mine.csv", "table", tmp_path, layout=layout)
        records = {one.label: open_record(tmp_path / f"{one.label}.parquet") for one in found}
        return {label: one.read().to_pylist() for label, one in records.items()}, found[0].cautions

    return made


@pytest.fixture
def refusal(imported, tmp_path):
    def made(text, columns="", constants=""):
        with pytest.raises(InputError) as refused:
            imported(text, columns, constants)
        assert not list(tmp_path.glob("*.parquet"))
        start = f"{tmp_path / 'mine.csv'}: "
        return [fault.removeprefix(start) for fault in refused.value.faults]

    return made


def test_improvements_are_events_and_the_last_row_is_the_end(imported):
    found, cautions = imported(HEADER + lines(WALK))
    ((run,),) = found.values()
    steps = [(e["evaluations"], e["time_s"], e["precision"]) for e in run["events"]]
    assert steps == [(1, 0.1, 9.0), (7, 0.3, 1.0)]
    assert (run["evaluations"], run["wall_s"], run["budget_s"]) == (9, 0.9, 0.9)
    assert (run["best_f"], run["best_precision"], run["f_opt"]) == (2.0, 1.0, 1.0)
    assert (run["status"], run["stop_reason"], run["perturbation"]) == ("ok", "time", "unknown")
    assert cautions == ["rows without an improvement are omitted (rows: 1)"]


@pytest.mark.parametrize(
    ("columns", "cells", "expected"),
    [
        ("end_s,end_evaluations", "2.5,30", (30, 2.5, 2.5, None, "time")),
        ("budget_s", "5", (9, 0.9, 5.0, None, "algorithm_ended")),
        ("budget_s", "0.9", (9, 0.9, 0.9, None, "time")),
        ("budget_s", "0.25", (3, 0.25, 0.25, None, "time")),
        ("budget_s", "0.05", (0, 0.05, 0.05, None, "time")),
        ("budget_evaluations", "9", (9, 0.9, None, 9, "evaluations")),
        ("budget_evaluations", "8", (8, 0.3, None, 8, "evaluations")),
        ("budget_evaluations", "100", (9, 0.9, None, 100, "algorithm_ended")),
        ("stop_reason", "target", (9, 0.9, 0.9, None, "target")),
    ],
)
def test_columns_say_how_a_run_ends(columns, cells, expected, imported):
    text = HEADER.replace("\n", f",{columns}\n") + lines(WALK).replace("\n", f",{cells}\n")
    ((run,),) = imported(text)[0].values()
    names = ("evaluations", "wall_s", "budget_s", "budget_evaluations", "stop_reason")
    assert tuple(run[name] for name in names) == expected
    assert all(event["time_s"] <= run["wall_s"] for event in run["events"])


ACCURACY = [(1, 0.1, 0.5), (3, 0.2, 0.7), (7, 0.3, 0.8), (8, 0.4, 0.9)]
"""Rows of a run whose values are maximized."""


@pytest.mark.parametrize("columns", ["", "value=value", "optimum=optimum"])
def test_values_that_only_rise_are_refused(columns, refusal):
    text = HEADER + lines(ACCURACY, optimum="") + lines(ACCURACY, "A,4,2,1,1", optimum="")
    assert refusal(text, columns) == [
        "values only rise in 2 of 2 runs, but timefair minimizes; if they are maximized, use "
        "--columns value=-value; if not, --columns value=+value"
    ]


def test_a_sign_says_how_values_are_meant(imported):
    text = HEADER + lines(ACCURACY) + lines(ACCURACY, "A,4,2,1,1")
    rows, _ = imported(text.replace("value", "acc"), "value=-acc,optimum=-optimum")
    event = rows["A"][0]["events"][-1]
    assert (event["evaluations"], rows["A"][0]["f_opt"], rows["A"][0]["best_f"]) == (8, -1, -0.9)
    assert event["precision"] == pytest.approx(0.1)
    rows, _ = imported(text.replace(",1\n", ",0\n"), "value=+value")
    assert [event["evaluations"] for event in rows["A"][0]["events"]] == [1]


def test_names_are_numbered_and_mixed_runs_are_sorted(imported):
    one = lines(WALK, "B (new),sphere,2,b,x").splitlines(keepends=True)
    other = lines(WALK, "B (new),cigar,2,a,x").splitlines(keepends=True)
    rows, cautions = imported(HEADER + "".join(a + b for a, b in zip(one, other, strict=True)))
    found = [(row["function"], row["instance"], row["run"]) for row in rows["B_new"]]
    assert found == [(1, 1, 0), (2, 2, 0)]
    ten_and_nine = lines(WALK, "A,1,2,1,10") + lines(WALK[:1], "A,1,2,1,9")
    assert [row["evaluations"] for row in imported(HEADER + ten_and_nine)[0]["A"]] == [1, 9]
    assert "instances are numbered: 1 is a, 2 is b" in cautions
    assert "algorithm 'B (new)' gets the label B_new" in cautions


@pytest.mark.parametrize(
    ("names", "numbers"),
    [
        (["F1", "F10", "F2"], [1, 10, 2]),
        (["f3", "f7", "f12"], [3, 7, 12]),
        (["p1", "p10", "p9"], [1, 3, 2]),
        (["cec-02", "cec-10", "cec-9"], [1, 3, 2]),
        (["F2", "cigar", "sphere"], [2, 3, 4]),
        (["9" * 5000 + "x", "8x", "x"], [2, 1, 3]),
        (["F0", "F1", "F2"], [1, 2, 3]),
    ],
)
def test_a_number_in_a_name_of_a_function_is_its_number_or_its_place(names, numbers, imported):
    every = (lines(WALK, f"A,{name},2,{k},x") for k, name in enumerate(names, start=1))
    rows, _ = imported(HEADER + "".join(every))
    by_instance = {row["instance"]: row["function"] for row in rows["A"]}
    assert [by_instance[k] for k in (1, 2, 3)] == numbers


def test_columns_and_constants(imported):
    text = HEADER.replace("seconds", "time").replace("instance,", "") + lines(WALK, "A,4,2,0")
    ((run,),) = imported(text, "seconds=time", "instance=3")[0].values()
    assert (run["instance"], run["wall_s"]) == (3, 0.9)


def as_parquet(text):
    pq.write_table(pa_csv.read_csv(pa.BufferReader(text)), file := pa.BufferOutputStream())
    return file.getvalue().to_pybytes()


@pytest.mark.parametrize(
    "change",
    [
        gzip.compress,
        as_parquet,
        lambda text: text.replace(b",", b";"),
        lambda text: text.replace(b",", b"\t"),
        lambda text: b"\xef\xbb\xbf" + text,
        lambda text: text.replace(b"\n", b"\r\n"),
    ],
)
def test_files_of_other_kinds_have_the_same_runs(change, imported, tmp_path):
    text = HEADER + lines(WALK)
    expected = imported(text)[0]
    path = tmp_path / ("other.csv.gz" if change is gzip.compress else "other.csv")
    path.write_bytes(change(text.encode()))
    import_all(path, "table", tmp_path / "there")
    found = open_record(tmp_path / "there" / "A.parquet").read().to_pylist()
    assert [run | {"suite": ""} for run in found] == [run | {"suite": ""} for run in expected["A"]]


def test_beside_a_campaign_an_optimum_is_needed(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text(HEADER + lines(WALK, optimum=""))
    with pytest.raises(InputError, match="function 4 instance 1: no optimum; add the column"):
        import_data(
            path, "table", tmp_path / "a.parquet", wanted=WantedProblems("bbob", [4], [2], [1])
        )


@pytest.mark.parametrize("given", ["", "0", "-0.5"])
def test_a_value_below_the_optimum_is_kept_and_reported(given, imported):
    rows = lines([*WALK, (10, 1, 0.5), (11, 1.1, 0.75)]).splitlines()
    cells = ["precision", "", "", "", "", given, ""]
    text = "".join(
        f"{row},{cell}\n" for row, cell in zip([HEADER.strip(), *rows], cells, strict=True)
    )
    records, cautions = imported(text)
    assert "values are below the optimum, which is wrong; correct it (rows: 2)" in cautions
    (run,) = records["A"]
    assert (run["best_f"], run["best_precision"]) == (0.5, -0.5)
    assert run["events"][-1]["precision"] == -0.5


WRONG_ROWS = {
    "backward time": ("A,4,2,1,0,10,0.5,1.5,1", "seconds go back from 0.9 in row 4 to 0.5 within"),
    "duplicate": ("A,4,2,1,0,9,0.9,2.0,1", "repeats row 4; expected each row once"),
    "two values": ("A,4,2,1,0,9,0.9,1.5,1", "evaluation 9 of this run has another value in row 4"),
    "NaN": ("A,4,2,1,0,10,nan,1.5,1", "seconds is empty or NaN"),
    "empty": ("A,4,2,1,0,10,1,,1", "value is empty or NaN"),
    "since 1970": ("A,4,2,1,1,1,1764100000.5,1,1", "seconds is 1.7641e+09; expected 0 to 1e7"),
    "decimal comma": ('A,4,2,1,0,10,1,"1,5",1', "value is '1,5'; expected a number with a decimal"),
    "another optimum": ("A,4,2,1,1,10,1,5,2", "optimum is 2, but 1 in another row of this problem"),
    "negative": ("A,4,2,1,1,-3,1,1.5,1", "evaluations is -3; expected a whole number of at least"),
    "no dimension": ("A,4,0,1,0,10,1,1.5,1", "dimension is 0; expected 1 to 1000000000"),
    "text": ("A,4,2,1,0,ten,1,1.5,1", "evaluations is 'ten'; expected a number"),
    "-inf": ("A,4,2,1,0,10,1,-inf,1", "value is -inf; expected a number or inf"),
    "before the first": ("A,4,2,1,1,0,1,1.5,1", "evaluations is 0 in a row with a value"),
    "too few cells": ("A,4,2,1,0,10", "6 cells, but the header has 9"),
    "a large number": ("A,99999999999,2,1,0,1,1,5,1", "function is 99999999999; expected at most"),
}  # fmt: skip


@pytest.mark.parametrize("kind", WRONG_ROWS)
def test_a_wrong_row_is_named(kind, refusal):
    row, expected = WRONG_ROWS[kind]
    (fault,) = refusal(HEADER + lines(WALK) + row + "\n")
    assert fault.startswith(f"row 5: {expected}")


@pytest.mark.parametrize(
    ("column", "cell", "expected"),
    [
        ("end_s", "0.5", "row 4: seconds is 0.9, after end_s of this run"),
        ("end_evaluations", "8", "row 4: evaluations is 9, after end_evaluations of this run"),
        ("budget_s", "-1", "row 1: budget_s is -1; expected 0 to 1e7 seconds"),
        ("stop_reason", "bored", "row 1: stop_reason is bored; expected target, time"),
        ("precision", "1", "row 1: precision is 1, but value - optimum is 9"),
    ],
)
def test_wrong_cells_of_a_run(column, cell, expected, refusal):
    text = HEADER.replace("\n", f",{column}\n") + lines(WALK).replace("\n", f",{cell}\n")
    assert refusal(text)[0].startswith(expected)


@pytest.mark.parametrize(
    ("text", "columns", "expected"),
    [
        ("", "", "the file is empty; expected a header"),
        (HEADER, "", "no rows; expected a header"),
        (HEADER.replace("evaluations,", ""), "", "no column evaluations; columns: algorithm, "),
        (HEADER, "seconds=time", "--columns seconds=time: no column 'time'; "),
        (HEADER, "second=time", "--columns: 'second': unknown column; did you mean 'seconds'?"),
        (HEADER.replace("run", "value"), "", "two columns are called 'value'"),
        ("PAR1 and not Parquet", "", "not a Parquet file ("),
        ("\x80\x00\x01", "", "neither Parquet nor text in UTF-8; "),
        ("PK\x03\x04", "", "neither Parquet nor text in UTF-8; "),
    ],
)  # fmt: skip
def test_a_file_that_is_no_table(text, columns, expected, refusal):
    (fault,) = refusal(text, columns)
    assert fault.startswith(expected)


@pytest.fixture
def whole():
    header = HEADER.replace("\n", ",precision,end_s,budget_s,status,suite\n")
    rows = "".join(lines(WALK, f"{a},{f},2,1,{r}") for a in "AB" for f in (1, 2) for r in (0, 1))
    walk = [[*row.split(","), *(f"{max(float(row.split(',')[7]) - 1, 0)}", "2", "3", "ok", "s")]
            for row in rows.splitlines()]  # fmt: skip
    return header + "".join(",".join(row) + "\n" for row in walk)


@pytest.mark.slow
@pytest.mark.parametrize("stored", [False, True], ids=["csv", "parquet"])
def test_damage_gives_lines_and_no_traceback(stored, whole, tmp_path):
    path, outcomes = tmp_path / "damaged.csv", set()

    @settings(
        max_examples=3 * settings.default.max_examples,
        deadline=None,
        derandomize=True,
        database=None,
    )
    @given(st.sampled_from(OPERATIONS[:-1]), st.integers(0, 10**6), st.integers(0, 10**6))
    def check(operation, at, how):
        if stored:
            pq.write_table(pa_csv.read_csv(pa.BufferReader(whole.encode())), path)
            content = bytearray(path.read_bytes())
            content[at % len(content)] ^= 1 << how % 8
            path.write_bytes(content[: at % len(content)] if operation == "cut" else content)
        else:
            path.write_text(damaged(whole, operation, at, how), newline="")
        try:
            import_all(path, "table", tmp_path / "there")
        except InputError as error:
            starts = [line.startswith((f"{path}: ", "and ")) for line in error.faults]
            outcomes.add("refused" if all(starts) else error.told)
            outcomes.update(line for line in error.faults if "\n" in line)
        else:
            outcomes.add("read")

    check()
    assert outcomes == {"refused", "read"}


def test_forks_of_a_run_live_although_its_parent_has_read_a_table(tmp_path):
    """Arrow's pipe for signals would end them by SIGABRT, as a run closes what it inherits."""
    code = f"""
import os, pathlib
from timefair.io import reading, table_read
from timefair.machine.linux import kernel
table_read.rows_of(pathlib.Path({str(tmp_path / "a.csv")!r}), reading.Cautions())
kernel.keep_descriptors([])
if (pid := os.fork()) == 0:
    os._exit(0)
raise SystemExit(os.waitpid(pid, 0)[1])
"""
    (tmp_path / "a.csv").write_text("algorithm,value\na,1\n")
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
