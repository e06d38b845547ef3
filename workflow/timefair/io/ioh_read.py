"""Reads the data of all generations of IOHprofiler."""

from __future__ import annotations

import importlib.util
import json
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from timefair.basics.errors import InputError
from timefair.io.archive import Folder
from timefair.io.common import (
    MOST_SECONDS,
    Cautions,
    DataSet,
    Direction,
    ListedRun,
    PublishedRun,
    Timed,
    paired,
    parsed_count,
    parsed_name,
    parsed_number,
    status_of,
    stop_reason_of,
)
from timefair.io.info_files import ALGORITHM, InfoEntry, entries
from timefair.io.table_read import Layout
from timefair.problems.pbo import ONE_MAX, PseudoBoolean
from timefair.problems.registry import SUITES

EVALUATIONS = ("evaluations", "function evaluation")
DIGITS = 6
"""Significant digits of best values in index files, at least."""

VALUES = (
    ("raw_y", "transformed_y"),
    ("best-so-far f(x)", "best af(x)+b"),
    ("raw_y_best", "transformed_y_best"),
    ("current f(x)", "current af(x)+b"),
)
"""Columns of values of the plain function, each with the column of the instance's values.

The first column that exists is read.
"""

PLAIN = tuple(plain for plain, _ in VALUES)

ONLY = (
    "data of IOHprofiler have only seconds=NAME, a logged property, and value=-raw_y for values "
    "that are maximized (value=+raw_y: minimized)"
)
"""The columns that a user may state."""

NO_PARAMETERS = "No parameters"
"""Last name in a line of column names if no parameter was logged. It has no column."""

SECOND_OBJECTIVE = "F2"
"""Column of the second objective, in addition to ``raw_y`` or ``F1``."""

SEVERAL_OBJECTIVES = (
    f"data of several objectives (column {SECOND_OBJECTIVE}) have no single optimum"
)

_NAME = re.compile(r'"([^"]*)"|([^\s"]+)')

Row = tuple[int, float, float | None, float | None]
"""Evaluations, the value of the plain function, and of the instance, and seconds.

The last two are None if they were not logged, or are not read.
"""


@dataclass
class IohLog:
    """The lines of a run.

    Attributes
    ----------
    evaluations, values : list, one entry per line
        Evaluations, and values of the plain function.
    transformed : list
        Values of the instance; empty if they were not logged.
    seconds : list
        Seconds since the start of the run; empty if they are not read.
    """

    evaluations: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    transformed: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    @property
    def shown(self) -> tuple[float, float] | None:
        """The first value of the plain function and of the instance, None if not logged."""
        return (self.values[0], self.transformed[0]) if self.transformed else None

    @property
    def last(self) -> int:
        """The last logged evaluation; 0 if there is none."""
        return self.evaluations[-1] if self.evaluations else 0


def _logs(path: Path, place: Path, cautions: Cautions, seconds: str | None = None) -> list[IohLog]:
    """The runs of a data file (text or Parquet); `seconds` is the column with their times, if any.

    `InputError` for a line in another format, evaluations or seconds that decrease within a run,
    several objectives, or if there is no such column of seconds.
    """
    found: list[IohLog] = []
    read = _parquet_rows if path.suffix.lower() == ".parquet" else _text_rows
    rows = read(path, place, seconds)
    number = 0
    for number, row in rows:
        if row is None:
            found.append(IohLog())
            continue
        at, value, of_instance, time_s = row
        if not found or at == 1 <= found[-1].last:
            found.append(IohLog())
        run = found[-1]
        if at < run.last:
            raise InputError(f"{place}:{number}: evaluation {at} follows {run.last} within a run")
        run.evaluations.append(at)
        run.values.append(value)
        if of_instance is not None:
            run.transformed.append(of_instance)
        if time_s is not None:
            _add_time(run, time_s, f"{place}:{number}")
    cautions.rows[path] = sum(len(run.evaluations) for run in found)
    if number and not _ends_a_line(path):
        cautions.add(place, "no line end after the last line; the file may be truncated")
    return found


def _add_time(run: IohLog, time_s: float, where: str) -> None:
    if not 0 <= time_s <= MOST_SECONDS:
        raise InputError(
            f"{where}: seconds are {time_s:.9g}; expected 0 to 1e7, since the start of the run"
        )
    if run.seconds and time_s < run.seconds[-1]:
        last = run.seconds[-1]
        raise InputError(f"{where}: seconds go back from {last:.9g} to {time_s:.9g} within a run")
    run.seconds.append(time_s)


def _text_rows(path: Path, place: Path, seconds: str | None) -> Iterator[tuple[int, Row | None]]:
    """Rows with their line numbers; None for a line of column names.

    Some loggers name fewer columns than they write, but all lines of a run have the same number.
    """
    least, width = 0, 0
    at, value, of_instance, time = 0, 0, 0, 0
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        for number, line in enumerate(file, start=1):
            if not line[:1].isdigit() and (names := _names(line)):
                least, width = len(names), 0
                at, value, of_instance = _places(names, place)
                time = _place_of(seconds, names, place)
                yield number, None
                continue
            words = line.split()
            if words:
                try:
                    width = width or len(words)
                    if len(words) != width or not 0 < least <= width:
                        raise ValueError
                    row = parsed_count(words[at]), parsed_number(words[value])
                    shown = parsed_number(words[of_instance]) if of_instance else None
                    time_s = parsed_number(words[time]) if time else None
                except ValueError:
                    text = line.strip()[:40]
                    raise InputError(
                        f"{place}:{number}: {text!r} is not a line of IOHprofiler data"
                    ) from None
                yield number, (*row, shown, time_s)


def _names(line: str) -> list[str]:
    """The column names in a line; empty if it is not a line of names."""
    names = [quoted or plain for quoted, plain in _NAME.findall(line)]
    if names[-1:] == [NO_PARAMETERS]:
        names.pop()
    return names if any(name in names for name in EVALUATIONS) else []


def _places(names: Sequence[str], place: Path) -> tuple[int, int, int]:
    """The columns of evaluations, value, and instance's value (0 if there is none)."""
    if SECOND_OBJECTIVE in names:
        raise InputError(f"{place}: {SEVERAL_OBJECTIVES}")
    at = next(k for k, name in enumerate(names) if name in EVALUATIONS)
    for value, of_instance in VALUES:
        if value in names:
            return at, names.index(value), (names.index(of_instance) if of_instance in names else 0)
    if len(names) == 2:
        return at, 1 - at, 0
    raise InputError(f"{place}: no column of values; expected one of {', '.join(PLAIN)}")


def _place_of(seconds: str | None, names: Sequence[str], place: Path) -> int:
    """The column of seconds; 0 if none is read."""
    if seconds is None:
        return 0
    if seconds not in names[1:]:
        raise InputError(f"{place}: no column {seconds!r}; columns: {', '.join(names)}")
    return names.index(seconds)


def _parquet_rows(path: Path, place: Path, seconds: str | None) -> Iterator[tuple[int, Row]]:
    try:
        names = pq.read_schema(path).names
        if EVALUATIONS[0] not in names:
            raise InputError(f"{place}: no column {EVALUATIONS[0]!r}")
        at, value, _ = _places(names, place)
        wanted = [names[at], names[value], names[_place_of(seconds, names, place)]]
        columns = pq.read_table(path, columns=list(dict.fromkeys(wanted)))
        cells = (columns[name].to_pylist() for name in wanted)
        for number, row in enumerate(zip(*cells, strict=True), start=1):
            time_s = None if seconds is None else float(row[2])
            yield number, (parsed_count(f"{row[0]}"), float(row[1]), None, time_s)
    except (pa.ArrowException, OSError, TypeError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(f"{place}: not a Parquet file of IOHprofiler ({reason})") from None


def _ends_a_line(path: Path) -> bool:
    if path.suffix.lower() == ".parquet":
        return True
    with path.open("rb") as file:
        file.seek(-1, 2)
        return file.read() in (b"\n", b"\r")


def chosen(
    listed: Sequence[ListedRun],
    found: Sequence[IohLog],
    place: Path,
    index: str,
    cautions: Cautions,
) -> list[tuple[ListedRun, IohLog]]:
    """Pair listed runs with their lines; `index` is the suffix of the index file.

    `InputError` if runs are missing and it cannot be determined which.
    """
    pairs = paired(listed, found, _agree)
    _logs = f"{len(found)} run{'' if len(found) == 1 else 's'}"
    numbers = f"{_logs}, but the {index} file lists {len(listed)}"
    if pairs is None:
        raise InputError(f"{place}: {numbers}; cannot determine which are missing")
    if len(found) != len(listed):
        cautions.add(place, f"{numbers}; only runs in both are read")
    if not all(_agree(*pair) for pair in pairs):
        cautions.add(
            place, f"ends or best values differ from the {index} file; the data files are used"
        )
    return pairs


def _agree(listed: ListedRun, run: IohLog) -> bool:
    """Whether a run can be the listed one.

    Some loggers list the evaluation of the best value instead of the number of evaluations. The
    best value can be the largest or the smallest, of the plain function or of the instance: index
    files do not define it.
    """
    if listed.evaluations is None or not run.evaluations:
        return True
    finite = ([v for v in values if math.isfinite(v)] for values in (run.values, run.transformed))
    best = [choose(values) for values in finite if values for choose in (min, max)]
    if best and not any(listed.has_best(one, DIGITS) for one in best):
        return False
    if listed.best_at is None:
        return listed.evaluations >= run.last or listed.evaluations in run.evaluations
    return listed.evaluations >= run.last and listed.best_at in run.evaluations


NAMES = {"BBOB": "bbob", "SBOX": "bbob-boxed", "PBO": "pbo"}
"""IOHprofiler's names of suites."""

UNNAMED = ("", "None", "No suite", "unknown_suite", "Real", "Integer")
"""Names that IOHprofiler writes for a function without a suite, or of an unspecific one."""

UNKNOWN = "unknown_suite"

BBOB = (
    "Sphere Ellipsoid Rastrigin BuecheRastrigin LinearSlope AttractiveSector StepEllipsoid "
    "Rosenbrock RosenbrockRotated EllipsoidRotated Discus BentCigar SharpRidge DifferentPowers "
    "RastriginRotated Weierstrass Schaffers10 Schaffers1000 GriewankRosenbrock Schwefel "
    "Gallagher101 Gallagher21 Katsuura LunacekBiRastrigin"
).lower().split()  # fmt: skip
"""Names of the functions of ``bbob``, in lower case, letters and digits only."""

BEYOND = 1e-6
"""Relative tolerance for values beyond the optimum, for rounding."""


@dataclass(frozen=True)
class IohFunction:
    """A function as an index file describes it; None for what the file does not have."""

    suite: str | None
    number: int
    name: str | None
    dimension: int
    maximized: bool
    is_stated: bool = False
    """Whether the user states if values are maximized."""


class OtherFunctionError(Exception):
    """The data are of another function than the suite's function of the same number."""


class OtherInstanceError(Exception):
    """The run is on another instance than the suite's instance of the same number."""


Precisions = Callable[[IohLog, int], tuple[float | None, NDArray[np.float64]]]
"""From a run and its instance to the optimum, if it is known, and the precisions, shape (lines,).

Raises OtherFunctionError or OtherInstanceError if the run is on another problem than the suite's.
"""


def suite_and_precisions(
    function: IohFunction, place: Path, cautions: Cautions
) -> tuple[str, Precisions] | None:
    """The suite of a function, and the conversion of its values to precisions.

    None, with a caution, if the optimum is not known. `InputError` if values of a suite that is
    minimized are maximized, or ``pbo`` lacks the function.
    """
    suite = _suite(function, place, cautions)
    if not function.maximized:
        return suite, Minimized(suite, place, function.is_stated)
    if suite not in SUITES:
        cautions.add(place, "values are maximized; they are read with the other sign")
        return suite, _negated
    if suite != PseudoBoolean.name:
        raise InputError(f"{place}: values are maximized, but those of {suite} are minimized")
    faults = PseudoBoolean().faults([function.number], [function.dimension], [1])
    if faults:
        raise InputError(f"{place}: {faults[0]}")
    if not PseudoBoolean().knows_optimum(function.number, function.dimension, 1):
        cautions.add(place, "the optimum is not known; its runs are skipped")
        return None
    return suite, _Maximized(function, place)


def _suite(function: IohFunction, place: Path, cautions: Cautions) -> str:
    named = function.suite or ""
    if named not in UNNAMED:
        suite = NAMES.get(named, named)
        if suite not in SUITES and not function.maximized:
            cautions.add("", f"{suite}: values are read as distances to the optimum")
        return suite
    if function.maximized and _is_pseudo_boolean(function):
        return PseudoBoolean.name
    name = _plain(function.name)
    if not function.maximized and BBOB[function.number - 1 : function.number] == [name]:
        cautions.add(place, "no name of the suite; bbob is used, from the name of the function")
        return "bbob"
    if not function.maximized:
        cautions.add(place, "no name of the suite; values are read as distances to the optimum")
    return UNKNOWN


def _negated(run: IohLog, instance: int) -> tuple[None, NDArray[np.float64]]:
    """Maximized values with the other sign; the optimum is not known."""
    return None, -np.array(run.values, dtype=np.float64)


def _plain(name: str | None) -> str:
    return re.sub(r"[^a-z0-9]", "", (name or "").lower())


def _is_pseudo_boolean(function: IohFunction) -> bool:
    if function.number not in PseudoBoolean.functions or importlib.util.find_spec("ioh") is None:
        return False
    import ioh

    return _plain(ioh.ProblemClass.PBO.problems[function.number]) == _plain(function.name)


@dataclass(frozen=True)
class Minimized:
    """Values of minimized functions: IOHprofiler logs distances to the optimum."""

    suite: str
    place: Path
    is_stated: bool

    def __call__(self, run: IohLog, instance: int) -> tuple[float, NDArray[np.float64]]:
        precision = np.array(run.values, dtype=np.float64)
        f_opt = run.shown[1] - run.shown[0] if run.shown else 0.0
        least = np.nanmin(precision, initial=np.inf)
        if least < -BEYOND:
            raise InputError(f"{self.place}: value {least:g} is not a distance to the optimum")
        if self.suite == "bbob" and run.shown is not None and f_opt == 0:
            raise InputError(
                f"{self.place}: values of f (such as {run.shown[0]:g}), expected distances to the "
                "optimum"
            )
        return f_opt if np.isfinite(f_opt) else 0.0, np.maximum(precision, 0.0)


@dataclass(frozen=True)
class _Maximized:
    """Values of pseudo-Boolean functions, converted to distances in the units of the instance."""

    function: IohFunction
    place: Path

    def __call__(self, run: IohLog, instance: int) -> tuple[float, NDArray[np.float64]]:
        number, dimension = self.function.number, self.function.dimension
        if faults := PseudoBoolean().faults([number], [dimension], [instance]):
            raise InputError(f"{self.place}: {faults[0]}")
        largest, largest_here = (_largest(number, dimension, i) for i in (1, instance))
        # An instance scales and shifts the values of all functions alike: OneMax gives the scale.
        stretch = _largest(ONE_MAX, 2, instance) - _largest(ONE_MAX, 1, instance)
        precision = stretch * (largest - np.array(run.values, dtype=np.float64))
        finite = precision[np.isfinite(precision)]
        if finite.size and finite.min() < -BEYOND * max(1.0, abs(largest_here)):
            raise OtherFunctionError(f"values exceed the optimum of f{number} of pbo")
        if run.shown is not None:
            ours = largest_here - stretch * (largest - run.shown[0])
            if not np.isclose(run.shown[1], ours, rtol=BEYOND, atol=BEYOND):
                raise OtherInstanceError
        return -largest_here, np.maximum(precision, 0.0)


@cache
def _largest(number: int, dimension: int, instance: int) -> float:
    return -PseudoBoolean().problem(number, dimension, instance).f_opt


def _published_runs(
    data: Path, listed: Sequence[ListedRun], precisions: Precisions, folder: Folder, index: str,
    cautions: Cautions, seconds: str | None = None,
) -> list[PublishedRun]:  # fmt: skip
    """The runs that an index file lists for a data file, in its order.

    Runs on problems that differ from the suite's are left out. `InputError` if it cannot be
    determined which runs are missing, the data file is damaged, or values only rise though they
    should be minimized.
    """
    place = folder.place(data)
    found = []
    others: set[int] = set()
    logs = _logs(data, place, cautions, seconds)
    if isinstance(precisions, Minimized) and not precisions.is_stated:
        _refuse_rising(logs, place, cautions)
    for one, run in chosen(listed, logs, place, index, cautions):
        try:
            f_opt, precision = precisions(run, one.instance)
        except OtherFunctionError as reason:
            cautions.add(place, f"{reason}: another function; its runs are skipped")
            return []
        except OtherInstanceError:
            others.add(one.instance)
            continue
        end = one.evaluations or 0
        made = PublishedRun.of_lines(one.instance, f_opt, run.evaluations, precision, end)
        if seconds is not None and run.seconds:
            made = _timed(made, run, f_opt)
            if made.all_evaluations > run.last:
                cautions.add(place, "runs go on after their last line; their seconds end there")
        found.append(made)
    if others:
        numbers = ", ".join(map(str, sorted(others)))
        cautions.add(place, f"instances {numbers} differ from those of pbo; their runs are skipped")
    return found


def _refuse_rising(logs: Sequence[IohLog], place: Path, cautions: Cautions) -> None:
    direction = Direction()
    for log in logs:
        direction.add(np.array(log.values), np.arange(len(log.values)) == 0)
    direction.refuse("raw_y", place, cautions)


def _timed(run: PublishedRun, log: IohLog, f_opt: float | None) -> PublishedRun:
    """The run with the times of its lines; it has lasted until the last one."""
    lines = np.searchsorted(np.asarray(log.evaluations, np.int64), run.evaluations)
    end_s = log.seconds[-1]
    best = float(run.precision[-1]) if run.precision.size else np.inf
    at_the_end = run.precision.size > 0 and run.evaluations[-1] == run.all_evaluations
    timed = Timed(
        time_s=np.asarray(log.seconds, dtype=np.float64)[lines],
        end_s=end_s,
        best_f=(f_opt or 0.0) + best,
        status=status_of(run.all_evaluations, best),
        stop_reason=stop_reason_of(
            best if at_the_end and f_opt is not None else np.inf,
            run.all_evaluations,
            end_s,
            end_s,
            None,
        ),
        budget_s=end_s,
    )
    return replace(run, timed=timed)


Scenario = tuple[int, str, list[ListedRun]]
"""A dimension, its data file, and the runs in it."""


def _of_json(
    folder: Folder, cautions: Cautions, seconds: str | None, is_maximized: bool | None
) -> list[DataSet]:
    """The data sets of a folder, in the order of its JSON files.

    Raises
    ------
    InputError
        For a JSON file that is damaged, or that describes several objectives.
    """
    found = []
    for index in folder.indices(".json"):
        place = folder.place(index)
        try:
            content = json.loads(index.read_text(encoding="utf-8-sig"))
            if not isinstance(content, dict) or not {"scenarios", "function_id"} & set(content):
                cautions.add(place, "not a file of IOHprofiler; skipped")
                continue
            algorithm = _text(content["algorithm"]["name"])
            function = _function(content, is_maximized)
            scenarios = list(map(_scenario, content["scenarios"]))
            several = SECOND_OBJECTIVE in (content.get("attributes") or ())
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            reason = f"{type(error).__name__}: {error}".splitlines()[0]
            raise InputError(f"{place}: not a valid file of IOHprofiler ({reason})") from None
        if several:
            raise InputError(f"{place}: {SEVERAL_OBJECTIVES}")
        found += list(_listed(algorithm, function, scenarios, index, folder, cautions, seconds))
    return found


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a string")
    return value


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"maximization is {value!r}, expected true or false")
    return value


def _function(content: dict[str, Any], is_maximized: bool | None) -> dict[str, Any]:
    return {
        "suite": _text(content["suite"]),
        "number": parsed_name(content["function_id"]),
        "name": _text(content.get("function_name", "")),
        "maximized": _flag(content["maximization"]) if is_maximized is None else is_maximized,
        "is_stated": is_maximized is not None,
    }


def _scenario(content: dict[str, Any]) -> Scenario:
    dimension, path = parsed_name(content["dimension"]), _text(content["path"])
    return dimension, path, list(map(_run, content["runs"]))


def _run(content: dict[str, Any]) -> ListedRun:
    best = content.get("best")
    value, best_at = (best.get("y"), best.get("evals")) if isinstance(best, dict) else (None, None)
    evaluations = content.get("evals")
    return ListedRun(
        parsed_name(content["instance"]),
        None if evaluations is None else parsed_count(str(evaluations)),
        None if value is None else parsed_number(str(value)),
        None if best_at is None else parsed_count(str(best_at)),
    )


def _listed(
    algorithm: str, function: dict[str, Any], scenarios: list[Scenario], index: Path,
    folder: Folder, cautions: Cautions, seconds: str | None,
) -> Iterator[DataSet]:  # fmt: skip
    place = folder.place(index)
    for dimension, path, listed in scenarios:
        stem = path.rpartition(".")[0]
        data = folder.beside(index, path) or folder.beside(index, f"{stem}.parquet")
        if not listed:
            cautions.add(place, "a scenario without runs is skipped")
            continue
        if data is None:
            cautions.add(place, f"data file {path!r} does not exist; its runs are skipped")
            continue
        known = suite_and_precisions(IohFunction(dimension=dimension, **function), place, cautions)
        if known is not None:
            suite, precisions = known
            read = partial(
                _published_runs, data, listed, precisions, folder, ".json", cautions, seconds
            )
            yield DataSet(algorithm, suite, function["number"], dimension, read, place)


AT_IMPROVEMENTS = (".dat", ".cdat")
AT_TRIGGERS = (".tdat", ".idat")

TRUE, FALSE = ("T", "TRUE", "1"), ("F", "FALSE", "0")


def _of_info(
    folder: Folder, cautions: Cautions, seconds: str | None, is_maximized: bool | None
) -> list[DataSet]:
    """The data sets of a folder, in the order of its ``.info`` files.

    Raises
    ------
    InputError
        For an ``.info`` file or an entry that is not IOHprofiler's.
    """
    found = []
    for entry in entries(folder, (*AT_IMPROVEMENTS, *AT_TRIGGERS), cautions):
        place = folder.place(entry.index)
        if "Precision" in entry.keys or "indicator" in entry.keys:
            raise InputError(f"{place}: data of COCO; import them with the format coco")
        function = IohFunction(
            entry.keys.get("suite"),
            entry.function,
            entry.keys.get("funcName"),
            entry.dimension,
            _maximized(entry, folder, cautions) if is_maximized is None else is_maximized,
            is_maximized is not None,
        )
        known = suite_and_precisions(function, place, cautions)
        if known is not None:
            suite, precisions = known
            algorithm = entry.keys.get(ALGORITHM, "").strip() or entry.index.parent.name
            read = partial(_read_entry, entry, precisions, folder, cautions, seconds)
            found.append(DataSet(algorithm, suite, entry.function, entry.dimension, read, place))
    return found


def _maximized(entry: InfoEntry, folder: Folder, cautions: Cautions) -> bool:
    """Whether values are maximized, from the entry, the suite, or the order of the best values."""
    place = folder.place(entry.index)
    value = entry.keys.get("maximization")
    if value is not None:
        if value.upper() not in (*TRUE, *FALSE):
            raise InputError(f"{place}: maximization is {value!r}, expected 'T' or 'F'")
        return value.upper() in TRUE
    suite = NAMES.get(entry.keys.get("suite", ""))
    if suite is not None:
        return suite == "pbo"
    moves = set()
    for file in entry.files:
        for run in _logs(file.path, folder.place(file.path), cautions):
            if len(run.values) > 1 and run.values[0] != run.values[-1]:
                moves.add(run.values[-1] > run.values[0])
    if len(moves) != 1:
        raise InputError(f"{place}: no key maximization; expected maximization = 'T' or 'F'")
    cautions.add(place, "no key maximization; inferred from how the best values change")
    return moves.pop()


def _read_entry(
    entry: InfoEntry,
    precisions: Precisions,
    folder: Folder,
    cautions: Cautions,
    seconds: str | None,
) -> list[PublishedRun]:
    found = []
    for file in entry.files:
        if file.path.suffix.lower() in AT_TRIGGERS:
            cautions.add(
                folder.place(file.path),
                "no .dat file; an improvement counts from the next logged evaluation",
            )
        found += _published_runs(
            file.path, file.trials, precisions, folder, ".info", cautions, seconds
        )
    return found


def ioh_data_sets(
    folder: Folder, cautions: Cautions, layout: Layout | None = None
) -> list[DataSet]:
    """The data sets of a folder: those of ``.json`` files first, each in the order of the files.

    The column ``seconds`` of the layout is the logged property with the seconds since the start of
    the run; by default, runs have no times. Its ``value`` has a sign, ``-`` for values that are
    maximized and ``+`` for those that are not, whatever the files state. `InputError` for other
    columns, an index file that is not IOHprofiler's, data of several objectives, or maximized
    values of another suite than ``pbo``.
    """
    columns = layout or Layout()
    if columns.constants or set(columns.columns) - {"seconds", "value"}:
        raise InputError(f"--columns: {ONLY}")
    sign = columns.sign("value")
    if "value" in columns.columns and not (sign and columns.in_file("value") in PLAIN):
        raise InputError(f"--columns: value: {columns.columns['value']!r}: {ONLY}")
    seconds, is_maximized = columns.columns.get("seconds"), {"-": True, "+": False}.get(sign)
    return [
        *_of_json(folder, cautions, seconds, is_maximized),
        *_of_info(folder, cautions, seconds, is_maximized),
    ]
