"""The forms in which other programs leave results, each read into a table of runs.

A reader gets a file and gives columns of `table_read.COLUMNS`, or None for a file of another form.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from timefair.basics.errors import InputError
from timefair.basics.words import counted, first
from timefair.io.common import Cautions, parsed_number
from timefair.io.table_read import (
    COLUMNS,
    NEEDED,
    Cells,
    Layout,
    cells_of,
    refuse_missing,
    refuse_names,
    rows_of,
    separator_of,
)

Rows = list[dict[str, Any]]
NOTHING = Layout()

NAMES = {
    "algorithm": "algorithm algo alg optimizer optimiser solver method candidate metaheuristic "
    "algorithmname optimizername",
    "function": "function func fun problem benchmark functionid problemid functionname problemname "
    "testfunction testproblem fid",
    "dimension": "dimension dim d dims dimensions ndim ndims nvar nvars variables problemsize size",
    "instance": "instance inst iid instanceid",
    "run": "run trial repetition rep repeat runid runno runnumber idtrial trialid idxrep "
    "experiment seed",
    "evaluations": "evaluations evals fes fe nfe nfes nfev nevals functionevaluations fevals",
    "seconds": "seconds second time times timesec runtime elapsed walltime elapsedtime "
    "runtimeseconds",
    "value": "value best bestfitness fitness bestvalue cost bestcost fbest bestf besty bestscore "
    "score objective objectivevalue finalvalue finalfitness bestfitnessvalue finalbest bestsofar "
    "fx fval result error errortooptimum besterror finalerror gap y f",
    "optimum": "optimum fopt fstar globaloptimum bestknown optimalvalue",
}
"""Words that a column may be called, without case and punctuation, the likeliest first."""
ERRORS = ("error", "errortooptimum", "besterror", "finalerror", "gap")
"""Those that are distances to the optimum."""
MEANS = {"mean", "avg", "average", "ave", "std", "stdev", "sd", "worst", "median"}
STEPS = ("epoch", "epochs", "iteration", "iterations", "iter", "iters", "generation", "gen", "step")
"""What a column that numbers the points of a trace is called."""
PROBLEM = ("algorithm", "function", "dimension", "instance")
RUN = (*PROBLEM, "run")
FALLING = 8
"""Least length of a column of falling values that cannot be the values of runs by chance."""
ABSENT = ("", "nan", "na", "n/a", "-", "--", "null", "none")
"""What a cell without a value may have, in lower case."""
SHEETS = (".xlsx", ".xlsm", ".xls", ".ods")

CEC2017 = (0.01, 0.02, 0.03, 0.05, *(k / 10 for k in range(1, 11)))
"""Shares of 10,000 D evaluations at which errors are recorded."""
CEC2022 = {10: 200_000, 20: 1_000_000}
"""Evaluations per dimension in CEC2021 and CEC2022; errors are recorded at D^(k/5 − 3) of them."""

_RUN_NAME = re.compile(r"(run|trial|rep|repetition|r|seed)?[ _.-]*\d+", re.IGNORECASE)
_FUNCTION_NAME = re.compile(r"f(unc)?[ _-]?\d+", re.IGNORECASE)
_OF_FUNCTION = re.compile(r"(?:^|[_\-. ])[fF](?:unc|un)?[_-]?(\d+)(?=$|[_\-. ])")
_OF_DIMENSION = re.compile(r"(?:^|[_\-. ])(?:[dD]|dim)[_-]?(\d+)(?=$|[_\-. ])|(?<=[_\-])(\d+)[dD]$")
_COMMA = re.compile(r"\s*([+-]?\d+),(\d+(?:[eE][+-]?\d+)?)\s*")
_CEC_NAME = re.compile(r"(.+?)_(\d+)_(\d+)")


def form_cells(path: Path, cautions: Cautions, layout: Layout) -> Cells:
    """The cells of a table of runs, or of any of the `FORMS`; `InputError` for no form."""
    if path.suffix.lower() in SHEETS:
        raise InputError("a spreadsheet; save each sheet as CSV (UTF-8), and give all of them")
    for name, read in FORMS.items():
        rows = read(path, layout)
        if rows is None:
            continue
        if not rows:
            raise InputError(f"{name}: no run in it")
        cautions.add("", f"read as {name}")
        given = {key for row in rows for key in row}
        table = pa.table({key: [row.get(key) for row in rows] for key in COLUMNS if key in given})
        return cells_of(_completed(table, path, layout, cautions), _without_columns(layout))
    return _long_cells(path, cautions, layout)


def _without_columns(layout: Layout) -> Layout:
    """The constants alone; a sign of the value stays."""
    sign = layout.sign("value")
    return Layout({"value": f"{sign}value"} if sign else {}, layout.constants)


def _completed(table: pa.Table, path: Path, layout: Layout, cautions: Cautions) -> pa.Table:
    """The table with the columns that a file need not have: from its name, or 1."""
    told = _in_name(path.name.partition(".")[0])
    for name in PROBLEM:
        if name in table.column_names or name in layout.constants:
            continue
        word = told.get(name, "1")
        if name in told:
            cautions.add("", f"{name} is taken from the name of the file")
        elif name == "dimension":
            cautions.add(
                "", "dimension is not known and counts as 1; if it matters, --set dimension=D"
            )
        table = table.append_column(name, pa.array([word] * len(table)))
    if "run" not in table.column_names and "run" not in layout.constants:
        seen: Counter[tuple[Any, ...]] = Counter()
        numbers = []
        for key in _keys_of(table, PROBLEM):
            numbers.append(str(seen[key]))
            seen[key] += 1
        single = max(seen.values(), default=0) < 2
        means = "; if these are means, the values of the runs are needed" * single
        cautions.add("", f"each row is a run{means}")
        table = table.append_column("run", pa.array(numbers))
    return table


def _in_name(stem: str) -> dict[str, str]:
    if cec := _CEC_NAME.fullmatch(stem):
        return dict(zip(("algorithm", "function", "dimension"), cec.groups(), strict=True))
    found = {"algorithm": stem}
    for name, pattern in (("function", _OF_FUNCTION), ("dimension", _OF_DIMENSION)):
        if match := pattern.search(found["algorithm"]):
            found[name] = next(filter(None, match.groups()))
            rest = found["algorithm"][: match.start()] + found["algorithm"][match.end() :]
            found["algorithm"] = rest.strip("_-. ") or stem
    return found


# --- Tables with one row per run or line of a trace ---------------------------------------------


def _long_cells(path: Path, cautions: Cautions, layout: Layout) -> Cells:
    """The cells of a table, of which columns may have other names, or be absent."""
    kept: dict[str, str] = {}
    beside: list[str] = []
    there: list[str] = []
    steps: list[str] = []

    def wanted(names: list[str]) -> list[str]:
        refuse_names([name for name in names if name], layout)
        there.extend(names)
        kept.update({name: column for name in COLUMNS if (column := layout.in_file(name)) in names})
        if set(NEEDED) - {*kept, *layout.constants}:
            kept.update(guessed(names, layout))
            beside.extend(_side_by_side(names, kept, layout))
        steps.extend([name for name in names if _plain(name) in STEPS][:1])
        return list(dict.fromkeys([*kept.values(), *beside, *steps]))

    table = rows_of(path, wanted)
    numeric = [column for name, column in kept.items() if COLUMNS[name].kind != "text"]
    if separator_of(path) != ",":
        table = with_points(table, [*numeric, *beside], cautions)
    if said := [f"{n} is {c}" for n, c in kept.items() if c != layout.in_file(n)]:
        cautions.add("", f"columns are guessed: {', '.join(said)}; correct them with --columns")
    elif not set(NEEDED) - {*kept, *layout.constants}:
        return cells_of(table, layout)
    columns = {name: table[column] for name, column in kept.items()}
    if steps:
        columns["step"] = table[steps[0]]
    if beside:
        columns = _below(columns, {name: table[name] for name in beside}, there, layout, cautions)
    elif _plain(kept.get("value", "")) in ERRORS and not {*columns, *layout.constants} & {
        "optimum"
    }:
        cautions.add("", f"{kept['value']} is a distance to the optimum")
        columns["optimum"] = pa.chunked_array([["0"] * len(table)])
    if unused := [name for name in there if name and name not in {*kept.values(), *beside, *steps}]:
        cautions.add("", f"columns without a use: {first(unused, 4)}")
    present = _at_last_steps(_with_values(pa.table(columns), cautions), cautions)
    completed = _completed(present, path, layout, cautions)
    return cells_of(_of_complete_runs(completed, cautions), _without_columns(layout))


def _side_by_side(names: list[str], kept: Mapping[str, str], layout: Layout) -> list[str]:
    """The columns of values of a table without `value`; `InputError` if it has none, or means."""
    alone = "value" in {*kept, *layout.constants}
    words = {
        _plain(word) for name in names for word in ([name] if alone else re.split(r"[\s_.-]", name))
    }
    if MEANS & words and "value" not in layout.columns:
        raise InputError(
            "has means or other summaries, not runs; expected one row per run, with its value"
        )
    if alone:
        return []
    rest = [n for n in names if n not in ("", *kept.values()) and _plain(n) not in STEPS]
    if not kept or {"evaluations", "seconds"} & kept.keys() or len(rest) < 2:
        _refuse_without_values(names, kept, layout)
    return rest


def _refuse_without_values(names: list[str], kept: Iterable[str], layout: Layout) -> None:
    if not list(kept):
        refuse_missing(names, layout)
    raise InputError(f"no column value; columns: {first(names, 8)}; name it: --columns value=NAME")


def _below(
    kept: Mapping[str, pa.ChunkedArray],
    beside: Mapping[str, pa.ChunkedArray],
    names: list[str],
    layout: Layout,
    cautions: Cautions,
) -> dict[str, pa.ChunkedArray]:
    """Columns of values, one below the other, with their names as runs, functions or algorithms."""
    per = _named_by(beside)
    if per in {*kept, *layout.constants} or not all(
        _parsed(column.to_pylist()) for column in beside.values()
    ):
        _refuse_without_values(names, kept, layout)
    cautions.add("", f"a column per {per}: {first(list(beside), 4)}")
    rows = len(next(iter(beside.values())))
    found = {name: pa.chunked_array(column.chunks * len(beside)) for name, column in kept.items()}
    found[per] = pa.chunked_array([[name for name in beside for _ in range(rows)]])
    found["value"] = pa.chunked_array([chunk for of in beside.values() for chunk in of.chunks])
    return found


def _named_by(names: Iterable[str]) -> str:
    for kind, pattern in (("run", _RUN_NAME), ("function", _FUNCTION_NAME)):
        if all(map(pattern.fullmatch, names)):
            return kind
    return "algorithm"


def with_points(table: pa.Table, columns: Iterable[str], cautions: Cautions) -> pa.Table:
    """The table with decimal points in these columns of text, where it has decimal commas."""
    for name in columns:
        words = table[name].to_pylist()
        pointed = [_COMMA.sub(r"\1.\2", word) if isinstance(word, str) else word for word in words]
        if pointed != words:
            cautions.add("", f"{name}: decimal commas are read as points")
            place = table.column_names.index(name)
            table = table.set_column(place, name, pa.array(pointed))
    return table


def _keys_of(table: pa.Table, names: Sequence[str]) -> list[tuple[Any, ...]]:
    cells = [table[name].to_pylist() for name in names if name in table.column_names]
    return list(zip(*cells, strict=True)) if cells else [()] * len(table)


def _at_last_steps(table: pa.Table, cautions: Cautions) -> pa.Table:
    """Of a trace over iterations, without costs, the last row of each run."""
    if "step" not in table.column_names:
        return table
    steps = _parsed(table["step"].to_pylist())
    table = table.drop_columns(["step"])
    if steps is None or {"evaluations", "seconds"} & set(table.column_names):
        return table
    last: dict[tuple[Any, ...], int] = {}
    for row, key in enumerate(_keys_of(table, RUN)):
        if key not in last or steps[row] >= steps[last[key]]:
            last[key] = row
    if len(last) < len(table):
        cautions.add("", "rows are iterations: the last one of each run counts")
    return table.take(pa.array(sorted(last.values()), pa.int64()))


def _with_values(table: pa.Table, cautions: Cautions) -> pa.Table:
    if not len(table):
        raise InputError("has a header and no rows")
    if "value" not in table.column_names:
        return table
    there = [str(word).strip().lower() not in ABSENT for word in table["value"].to_pylist()]
    if left := there.count(False):
        said = "rows without a value are omitted; a run that failed should have inf"
        cautions.add("", f"{said} (rows: {left})")
    return table.filter(pa.array(there))


def _of_complete_runs(table: pa.Table, cautions: Cautions) -> pa.Table:
    """Without costs if each run has one row: when its value was found is then not known."""
    costs = [name for name in ("evaluations", "seconds") if name in table.column_names]
    different = len(set(_keys_of(table, RUN)))
    if different < len(table) and not costs:
        raise InputError(
            f"{len(table)} rows of {counted(different, 'run')}, without evaluations or seconds; "
            "which columns tell the runs apart? name them: --columns function=NAME,dimension=NAME"
        )
    if different < len(table) or not costs:
        return table
    cautions.add(
        "", f"one row per run: its {' and '.join(costs)} do not say when a value was found"
    )
    return table.drop_columns(costs)


def guessed(names: Sequence[str], layout: Layout = NOTHING) -> dict[str, str]:
    """The column of the file for each of `NAMES` that the user has not named."""
    found: dict[str, str] = {}
    there = {_plain(name): name for name in reversed(names)}
    for name, words in NAMES.items():
        if name in layout.columns or name in layout.constants:
            continue
        column = next((there[word] for word in words.split() if word in there), None)
        if column is not None and column not in found.values():
            found[name] = column
    free = "f" in there and "function" not in {*found, *layout.columns, *layout.constants}
    if free and found.get("value", there["f"]) != there["f"]:
        found["function"] = there["f"]  # beside a column of values
    return found


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", re.sub(r"\[.*?\]|\(.*?\)|_s$", "", name.lower()))


# --- Matrices -----------------------------------------------------------------------------------


def _numbers(path: Path, layout: Layout) -> tuple[list[str], NDArray[np.float64]] | None:
    """The names of the columns, if any, and the numbers of a text file that has nothing else."""
    if path.suffix.lower() not in (".csv", ".txt", ".dat", ".tsv", ".out"):
        return None
    body: list[list[float]] = []
    whole = True
    try:
        with path.open(encoding="utf-8-sig") as file:
            lines = (_words(line) for line in file if line.strip())
            head = next(lines, [])
            top = _parsed(head)
            if top is None and guessed(head, layout):
                return None  # a table of rows
            for words in lines:
                numbers = _parsed(words)
                if numbers is None or (body and len(numbers) != len(body[0])):
                    return None
                whole = whole and all(map(str.isdigit, words))
                body.append(numbers)
    except (OSError, UnicodeError):
        return None
    seeds = not whole and len(set(head)) == len(head) > 1 and all(map(str.isdigit, head))
    if top is not None and not seeds:
        head, body = [], [top, *body]
    if not body or len(body[0]) != len(body[-1]):
        return None
    values = np.array(body)
    if head and _plain(head[0]) in ("", "unnamed0", "index"):  # the index of a data frame
        head, values = head[1:], values[:, 1:]
    empty = np.isnan(values).all(axis=0)
    if len(head) == len(empty):
        head = [name for name, gone in zip(head, empty, strict=True) if not gone]
    return (head, values[:, ~empty]) if not empty.all() else None


def _words(line: str) -> list[str]:
    mark = next((mark for mark in ";\t," if mark in line), None)
    words = [cell.strip().strip('"') for cell in line.strip("\n").split(mark)]
    return words if mark == "," else [_COMMA.sub(r"\1.\2", word) for word in words]


def _parsed(words: Sequence[Any]) -> list[float] | None:
    try:
        return [parsed_number("nan" if str(w).strip().lower() in ABSENT else str(w)) for w in words]
    except ValueError:
        return None


def _over_steps(path: Path, layout: Layout) -> Rows | None:
    """A column of iterations, and one per run, algorithm or function with the best value so far."""
    found = _numbers(path, layout)
    if found is None or not found[0] or _plain(found[0][0]) not in STEPS or len(found[0]) < 2:
        return None
    (_, *head), values = found
    traces = values[values[:, 0].argsort(kind="stable"), 1:]
    ends = [known[-1] if (known := column[~np.isnan(column)]).size else None for column in traces.T]
    told = _in_name(path.name.partition(".")[0])
    per = "run" if len(head) == 1 else _named_by(head)
    common = told if per == "run" else {k: told[k] for k in told if k not in (per, "algorithm")}
    return [{**common, per: name, "value": end} for name, end in zip(head, ends, strict=True)
            if end is not None]  # fmt: skip


def _matrix(path: Path, layout: Layout) -> Rows | None:
    """One column per run or, with a header of other names, per algorithm or function."""
    found = _numbers(path, layout)
    if found is None:
        return None
    head, values = found
    stem = path.name.partition(".")[0]
    if values.shape[1] == 1 and len(values) >= FALLING and not stem.endswith("_best_fit"):
        column = values[~np.isnan(values)]
        if not (np.diff(column) > 0).any() and column[0] > column[-1]:
            raise InputError(
                f"{len(column)} values that never rise: if they are iterations of a run, keep the "
                "last line; if they are runs, add a column run"
            )
    if not head or all(_RUN_NAME.fullmatch(name) for name in head):
        of_name = dict[str, str]()
        if stem.endswith("_convergence"):  # of MEALPY: a folder per algorithm
            of_name = {"algorithm": path.absolute().parent.name}
            of_name["function"] = stem.removesuffix("_convergence")
        return [{**of_name, **row} for row in _runs_of(values, _in_name(stem), layout)]
    if len(head) != values.shape[1] or (len(head) == 1 and not stem.endswith("_best_fit")):
        return None
    per, common = "algorithm", _function_of(stem)
    if stem.endswith("_best_fit") or all(_FUNCTION_NAME.fullmatch(name) for name in head):
        per, common = "function", {"algorithm": stem.removesuffix("_best_fit")}  # as of MEALPY
    return [{**common, per: name, "run": str(run), "value": value}
            for name, column in zip(head, values.T, strict=True)
            for run, value in enumerate(column) if not np.isnan(value)]  # fmt: skip


def _function_of(stem: str) -> dict[str, str]:
    found = _in_name(stem)
    named = {name: word for name, word in found.items() if name != "algorithm"}
    return named if "function" in named else {"function": stem, **named}


def _runs_of(
    values: NDArray[np.float64], told: Mapping[str, str], layout: Layout
) -> Iterator[dict[str, Any]]:
    """The runs of a matrix with one column per run: checkpoints of CEC, a trace, or the ends."""
    rows, columns = values.shape
    if rows == 1 or columns == 1:
        for run, value in enumerate(values.ravel()):
            if not np.isnan(value):
                yield {"run": str(run), "value": value}
        return
    at = _checkpoints(rows, told, layout)
    falling = not (np.diff(values[: len(at) or rows], axis=0) > 0).any()
    if not falling:
        raise InputError(
            f"a matrix of {rows} x {columns} numbers whose columns rise; expected one column per "
            "run with the best value so far, or a header that names runs or algorithms"
        )
    for run, column in enumerate(values.T):
        if at:
            for evaluations, error in zip(at, column, strict=False):
                yield {"run": str(run), "evaluations": evaluations, "value": error, "optimum": 0.0}
        else:
            known = column[~np.isnan(column)]
            if known.size:
                yield {"run": str(run), "value": known[-1]}


def _checkpoints(rows: int, told: Mapping[str, str], layout: Layout) -> list[int]:
    """The evaluations of the rows of a result file of a CEC competition; empty for another."""
    dimension = float(layout.constants.get("dimension", told.get("dimension", "nan")))
    most = float(layout.constants.get("budget_evaluations", "nan"))
    if np.isnan(dimension):
        return []
    if rows == len(CEC2017):
        whole = 10_000 * dimension if np.isnan(most) else most
        return [round(share * whole) for share in CEC2017]
    if rows in (16, 17):
        whole = CEC2022.get(int(dimension), np.nan) if np.isnan(most) else most
        if np.isnan(whole):
            raise InputError(
                f"16 checkpoints of a CEC competition with D = {dimension:g}: give the evaluations "
                "with --set budget_evaluations=N"
            )
        return [round(dimension ** (k / 5 - 3) * whole) for k in range(16)]
    return []


# --- Files of single programs -------------------------------------------------------------------


def _moptipy(path: Path, layout: Layout) -> Rows | None:
    """A log: one run, with evaluations and milliseconds."""
    if path.suffix.lower() != ".txt":
        return None
    text = path.read_text("utf-8", errors="replace")
    if "BEGIN_STATE" not in text:
        return None
    parts = {name: _between(text, name) for name in ("PROGRESS", "STATE", "SETUP")}
    facts = dict(line.partition(": ")[::2] for name in ("STATE", "SETUP") for line in parts[name])
    if "totalFEs" not in facts or "bestF" not in facts:
        raise InputError("a log of moptipy without totalFEs and bestF; the run has not ended")
    names = {"algorithm": facts.get("a.name", path.stem.partition("_")[0])}
    names["function"] = facts.get("y.inst.name", facts.get("f.name", path.parent.name))
    size = next((facts[key] for key in ("x.n", "x.dim", "y.n", "y.dim") if key in facts), "1")
    names |= {"dimension": size, "run": facts.get("p.randSeed", path.stem)}
    if most := facts.get("p.maxFEs"):
        names["budget_evaluations"] = most
    if most := facts.get("p.maxTimeMillis"):
        names["budget_s"] = str(float(most) / 1000)
    end = [facts["totalFEs"], facts.get("totalTimeMillis", "0"), facts["bestF"]]
    steps = [line.split(";") for line in parts["PROGRESS"][1:]]
    if not steps and "lastImprovementFE" in facts:
        at = (facts["lastImprovementFE"], facts.get("lastImprovementTimeMillis", "0"))
        steps = [[*at, facts["bestF"]]]
    steps += [end] if not steps or steps[-1][0] != end[0] else []
    return [
        {**names, "evaluations": fes, "seconds": str(float(ms) / 1000), "value": value}
        for fes, ms, value in steps
    ]


def _between(text: str, name: str) -> list[str]:
    found = re.search(f"BEGIN_{name}\n(.*?)\nEND_{name}", text.replace("\r", ""), re.DOTALL)
    return found[1].split("\n") if found else []


def _pymetaheuristic(path: Path, layout: Layout) -> Rows | None:
    """A saved BenchmarkResult: records with their convergence over evaluations, if it was kept."""
    if path.suffix.lower() != ".json":
        return None
    try:
        content = json.loads(path.read_text("utf-8"))
    except ValueError:
        raise InputError("not JSON") from None
    records = content.get("records") if isinstance(content, dict) else None
    if not records or not all(isinstance(one, dict) and "candidate" in one for one in records):
        raise InputError("JSON of an unknown form; expected a BenchmarkResult of pymetaheuristic")
    for place, one in enumerate(records, start=1):
        for key in ("problem", "dimension", "trial", "best_fitness"):
            if one.get(key) is None:
                raise InputError(f"record {place}: {key}: missing")
    traced = all(one.get("convergence") and one.get("evaluations") for one in records)
    sign = {"max": -1.0, "maximize": -1.0}
    rows: Rows = []
    for one in records:
        names = {"algorithm": one["candidate"], "function": one["problem"]}
        names |= {"dimension": one["dimension"], "run": str(one["trial"])}
        turned = sign.get(str(one.get("objective", "min")).lower(), 1.0)
        if one.get("error_to_optimum") is not None:
            names["optimum"] = turned * (one["best_fitness"] - one["error_to_optimum"])
        if not traced:
            rows.append({**names, "value": turned * one["best_fitness"]})
            continue
        if one.get("budget"):
            names["budget_evaluations"] = one["budget"]
        points = {p["evaluations"]: p["best_fitness"] for p in one["convergence"]}
        points[one["evaluations"]] = one["best_fitness"]
        rows += [
            {**names, "evaluations": at, "value": turned * points[at]} for at in sorted(points)
        ]
    return rows


def _matlab(path: Path, layout: Layout) -> Rows | None:
    """A result of PlatEMO, or variables of which each has the runs of an algorithm."""
    if path.suffix.lower() != ".mat":
        return None
    from scipy.io import loadmat
    from scipy.io.matlab import MatReadError

    try:
        content = loadmat(path, squeeze_me=True, struct_as_record=False)
    except NotImplementedError:
        raise InputError("MATLAB's format 7.3; save it with -v7") from None
    except (MatReadError, ValueError, TypeError) as error:
        raise InputError(f"not a MATLAB file ({str(error).splitlines()[0]})") from None
    if "metric" in content and "result" in content:
        return _platemo(path, content)
    stem = path.name.partition(".")[0]
    rows: Rows = []
    for name, values in content.items():
        if (
            not name.startswith("__")
            and isinstance(values, np.ndarray)
            and values.dtype.kind in "fiu"
        ):
            if values.ndim > 2:
                raise InputError(f"{name}: {values.ndim} dimensions; expected one column per run")
            matrix = np.atleast_2d(values.astype(np.float64))
            named = {"algorithm": name, **_function_of(stem)}
            rows += [{**named, **row} for row in _runs_of(matrix, _in_name(stem), layout)]
    if not rows:
        raise InputError("no matrix of numbers; expected one variable per algorithm, with its runs")
    return rows


def _platemo(path: Path, content: Mapping[str, Any]) -> Rows:
    """One run: the metric Min_value at each saved number of evaluations."""
    values = getattr(content["metric"], "Min_value", None)
    if values is None:
        raise InputError(
            "a result of PlatEMO without the metric Min_value, and its populations are objects "
            "that only MATLAB reads; calculate Min_value before you save it"
        )
    values = np.atleast_1d(np.asarray(values, dtype=np.float64))
    result = np.atleast_2d(content["result"])
    names = {"run": path.stem}
    folder = (
        path.absolute().parent.name
    )  # PlatEMO writes into one that is called like the algorithm
    own = re.escape(folder) if path.stem.startswith(f"{folder}_") else "(?:.+?)"
    if name := re.fullmatch(rf"({own})_(.+)_M\d+_D(\d+)_(\d+)", path.stem):
        names = dict(zip(("algorithm", "function", "dimension", "run"), name.groups(), strict=True))
    if len(result) != len(values):
        return [{**names, "value": values[-1]}]
    costs = [float(row[0]) for row in result]
    best = np.fmin.accumulate(values)
    return [{**names, "evaluations": n, "value": v} for n, v in zip(costs, best, strict=True)]


FORMS: Mapping[str, Callable[[Path, Layout], Rows | None]] = {
    "a log of moptipy": _moptipy,
    "results of pymetaheuristic": _pymetaheuristic,
    "a file of MATLAB": _matlab,
    "columns over iterations, of which the last counts": _over_steps,
    "a matrix, one column per run or algorithm": _matrix,
}
"""Readers of files that are not tables with one row per run or event, tried in this order."""
SUFFIXES = (".csv", ".tsv", ".txt", ".dat", ".out", ".json", ".mat", ".parquet")


def files_in(folder: Path) -> list[Path]:
    """The files of a folder, and of those in it, that a form may have."""
    found = [p for p in sorted(folder.rglob("*")) if p.suffix.lower() in SUFFIXES and p.is_file()]
    if not found:
        raise InputError(
            f"{folder}: no file of results; {counted(len(SUFFIXES), 'suffix')} are read"
        )
    return found
