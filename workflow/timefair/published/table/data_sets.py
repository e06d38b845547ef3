"""Makes runs of the rows of a table, and checks that the rows are those of runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from timefair.basics.optimum import ROUNDING, difference, is_below, precision
from timefair.published import ends, numerals
from timefair.published.cautions import Cautions
from timefair.published.direction import Direction
from timefair.published.runs import DataSet, PublishedRun, Timed
from timefair.published.table.numbering import Numbering, ranks
from timefair.published.table.reading import Cells, Faults
from timefair.records.status import Status, StopReason

WORDS = {"status": tuple(Status), "stop_reason": tuple(StopReason)}
"""Columns whose cells are words, and these words."""

Places = NDArray[np.intp]
"""Places of rows in the order of their runs."""

Check = tuple[NDArray[np.bool_], Callable[[int], str]]
"""Which places are wrong, and a function that says of one of them why."""

_RUN_NUMBERS = ("end_s", "end_evaluations", "budget_s", "budget_evaluations")
_SET = ("algorithm", "suite", "function", "dimension")
_RUN = (*_SET, "instance", "run")
_PROBLEM = ("suite", "function", "dimension", "instance")


def sets_of(
    cells: Cells, place: Path, cautions: Cautions, numbering: Numbering, direction: Direction
) -> list[DataSet]:
    """The data sets of a table.

    Rows of a run are in the order of the run; runs may be mixed.

    Parameters
    ----------
    cells : Cells
        The cells of the table.
    place : Path
        The file of the table.
    cautions : Cautions
        Receives what is left out.
    numbering : Numbering
        The numbers of functions and instances, of all tables that are read together.
    direction : Direction
        Receives how values change within the runs.

    Raises
    ------
    InputError
        One line per row that contradicts itself or another row; see `reading.read`.
    """
    faults = Faults()
    function, instance = (
        numbering.numbers(kind, cells.texts[kind], faults) for kind in ("function", "instance")
    )
    faults.refuse()
    table = _Table(cells, function, instance)
    table.check()
    table.warn(cautions)
    if cells.value[:1] not in ("+", "-"):
        table.count(direction)
    names = {number: name for name, number in numbering.names["function"].items()}
    algorithms, suites = cells.texts["algorithm"], cells.texts["suite"]
    return [
        DataSet(
            algorithm=str(algorithms[table.order[places[0]]]),
            suite=str(suites[table.order[places[0]]]),
            function=int(table.keys["function"][places[0]]),
            dimension=int(table.keys["dimension"][places[0]]),
            read=partial(table.runs, places),
            index=place,
            name=names.get(int(table.keys["function"][places[0]]), ""),
        )
        for places in table.parts(_SET)
    ]


class _Table:
    """The rows of a table, sorted by their runs; the order within a run is that of the file.

    Parameters
    ----------
    cells : Cells
        All rows.
    function, instance : ndarray, shape (rows,)
        Numbers of the function and of the instance of each row.

    Attributes
    ----------
    order, rows : ndarray, shape (rows,)
        The index of each sorted row, among the cells and in the file.
    keys : dict
        The columns that identify a run, in the sorted order; texts are replaced by their ranks.
    """

    def __init__(
        self, cells: Cells, function: NDArray[np.int64], instance: NDArray[np.int64]
    ) -> None:
        keys = {
            "algorithm": ranks(cells.texts["algorithm"]),
            "suite": ranks(cells.texts["suite"]),
            "function": function,
            "dimension": cells.numbers["dimension"].astype(np.int64),
            "instance": instance,
            "run": ranks(cells.texts["run"]),
        }
        self.order: Places = np.lexsort([keys[name] for name in reversed(keys)])
        self.rows: Places = cells.in_file[self.order]
        self.keys = {name: values[self.order] for name, values in keys.items()}
        self._numbers = {name: values[self.order] for name, values in cells.numbers.items()}
        self._words = {name: cells.texts[name][self.order].astype(str) for name in WORDS}
        self._starts = self._new(_RUN)
        self._of_run = {name: self._spread(self._numbers[name]) for name in _RUN_NUMBERS}
        self._words_of_run = {name: self._first_word(words) for name, words in self._words.items()}
        self._optima = self._of_problems(self._numbers["optimum"])
        self._precision = self._precisions()
        self._within = ~(self._numbers["seconds"] > self._of_run["budget_s"]) & ~(
            self._numbers["evaluations"] > self._of_run["budget_evaluations"]
        )

    def parts(self, names: tuple[str, ...]) -> list[Places]:
        """The places of each combination of some first keys."""
        return np.split(np.arange(len(self.rows)), np.flatnonzero(self._new(names))[1:])

    def _new(self, names: tuple[str, ...]) -> NDArray[np.bool_]:
        """Whether a row is the first of its combination of keys, shape (rows,)."""
        new = np.zeros(len(self.rows), dtype=np.bool_)
        new[0] = True
        for name in names:
            new[1:] |= self.keys[name][1:] != self.keys[name][:-1]
        return new

    def _spread(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The first number of each run in all of its rows; NaN if all cells are empty."""
        run = np.cumsum(self._starts) - 1
        known = np.flatnonzero(~np.isnan(values))
        of_run = np.full(run[-1] + 1, np.nan)
        of_run[run[known[::-1]]] = values[known[::-1]]
        return np.asarray(of_run[run], dtype=np.float64)

    def _first_word(self, words: NDArray[np.str_]) -> NDArray[np.str_]:
        """The first word of each run in all of its rows; empty if all cells are empty."""
        different, places = np.unique(words, return_inverse=True)
        of_rows = np.where(words == "", np.nan, places)
        of_run = self._spread(of_rows)
        known = np.nan_to_num(of_run).astype(np.intp)
        return np.where(np.isnan(of_run), "", different[known])

    def _precisions(self) -> NDArray[np.float64]:
        """Of each row: as given, else from the value and the optimum, else the value.

        Other tools may give 0 for a value below the optimum.
        """
        value, optimum = self._numbers["value"], self._optima
        given = self._numbers["precision"]
        with np.errstate(invalid="ignore"):
            computed = np.where(np.isnan(optimum), value, precision(value, optimum))
        return np.where(np.isnan(given) | (computed < 0) & ~np.isnan(optimum), computed, given)

    def _of_problems(self, optimum: NDArray[np.float64]) -> NDArray[np.float64]:
        """The optimum of the problem of each row, from any row that has one; NaN if none has."""
        order = np.lexsort([self.keys[name] for name in _PROBLEM])
        new = np.ones(len(order), dtype=np.bool_)
        new[1:] = False
        for name in _PROBLEM:
            values = self.keys[name][order]
            new[1:] |= values[1:] != values[:-1]
        problem = np.empty(len(order), np.intp)
        problem[order] = np.cumsum(new) - 1
        known = np.flatnonzero(~np.isnan(optimum))
        of_problem = np.full(problem.max() + 1, np.nan)
        of_problem[problem[known[::-1]]] = optimum[known[::-1]]
        return of_problem[problem]

    # --- Checks -----------------------------------------------------------------------------

    def check(self) -> None:
        """Raise `InputError` with one line per row that cannot be right."""
        faults = Faults()
        for checks in (
            self._wrong_cells(), self._wrong_order(), self._wrong_problems(), self._wrong_runs()
        ):  # fmt: skip
            for wrong, text in checks:
                places = np.flatnonzero(wrong)
                faults.add(self.rows[places], text, places)
        faults.refuse()

    def _row(self, place: int) -> str:
        return f"row {self.rows[place] + 1}"

    def _wrong_cells(self) -> Iterator[Check]:
        numbers = self._numbers
        most, dimension = numerals.LARGEST_NAME, self.keys["dimension"]
        yield (
            (dimension < 1) | (dimension > most),
            lambda k: f"dimension is {dimension[k]}; expected 1 to {most}",
        )
        for name in ("seconds", "end_s", "budget_s"):
            values = numbers[name]
            wrong = (values < 0) | (values > numerals.MOST_SECONDS)
            text = "{name} is {here:.9g}; expected 0 to 1e7 seconds since the start of the run"
            yield wrong, partial(self._shown, text, name)
        for name in ("evaluations", "end_evaluations", "budget_evaluations"):
            wrong = numbers[name] > numerals.MOST_EVALUATIONS
            yield wrong, partial(self._shown, "{name} is {here:.9g}; expected at most 1e12", name)
        yield numbers["value"] == -np.inf, lambda _: "value is -inf; expected a number or inf"
        yield (
            np.isinf(numbers["optimum"]),
            lambda k: f"optimum is {numbers['optimum'][k]:g}; expected a finite number or nothing",
        )
        for name, words in WORDS.items():
            given = self._words[name]
            text = "{name} is {here:.40}; expected " + ", ".join(words)
            yield ~np.isin(given, ["", *words]), partial(self._shown, text, name)

    def _wrong_order(self) -> Iterator[Check]:
        evaluations, seconds, value = (
            self._numbers[name] for name in ("evaluations", "seconds", "value")
        )
        follows = ~self._starts

        def step(values: NDArray[np.float64]) -> NDArray[np.float64]:
            before = np.concatenate([values[:1], values[:-1]])
            both = np.isfinite(values) & np.isfinite(before)
            change = difference(values, before)
            return np.where(both | (values == before), change, np.inf)

        yield (
            follows & (step(evaluations) < 0),
            lambda k: (
                f"evaluations go back from {evaluations[k - 1]:.0f} in {self._row(k - 1)} to "
                f"{evaluations[k]:.0f} within a run; sort the rows of each run"
            ),
        )
        yield (
            follows & (step(seconds) < 0),
            lambda k: (
                f"seconds go back from {seconds[k - 1]:.9g} in {self._row(k - 1)} to "
                f"{seconds[k]:.9g} within a run; sort the rows of each run"
            ),
        )
        again = follows & (step(evaluations) == 0)
        yield (
            again & (step(seconds) == 0) & (step(value) == 0),
            lambda k: f"repeats {self._row(k - 1)}; expected each row once",
        )
        yield (
            again & (step(value) != 0),
            lambda k: (
                f"evaluation {evaluations[k]:.0f} of this run has another value in "
                f"{self._row(k - 1)}; expected one row per evaluation"
            ),
        )
        yield (
            (evaluations == 0) & np.isfinite(value),
            lambda _: "evaluations is 0 in a row with a value; expected at least 1",
        )

    def _wrong_problems(self) -> Iterator[Check]:
        value, own, given = (self._numbers[name] for name in ("value", "optimum", "precision"))
        optimum = self._optima
        yield (
            ~np.isnan(own) & (own != optimum),
            lambda k: (
                f"optimum is {own[k]:.9g}, but {optimum[k]:.9g} in another row of this problem"
            ),
        )
        scale = np.maximum(1.0, np.abs(optimum))
        yield (
            ~np.isnan(given) & np.isnan(optimum),
            lambda _: "precision without an optimum; leave it empty, or add the column optimum",
        )
        finite = np.isfinite(value) & ~np.isnan(given) & ~np.isnan(optimum)
        computed = np.where(finite, difference(value, optimum), 0.0)
        computed = np.where(given == 0, np.maximum(computed, 0.0), computed)
        off = np.abs(np.where(finite, given - computed, 0.0))
        wrong = finite & ~(off <= 1e3 * ROUNDING * np.maximum(scale, np.abs(value)))
        yield (
            wrong | (~np.isfinite(value) & np.isfinite(given)),
            lambda k: (
                f"precision is {given[k]:.9g}, but value - optimum is {value[k] - optimum[k]:.9g}"
            ),
        )

    def _wrong_runs(self) -> Iterator[Check]:
        for name, of_run in self._of_run.items():
            given = self._numbers[name]
            text = "{name} is {here:.9g}, but {first:.9g} in an earlier row of this run"
            yield ~np.isnan(given) & (given != of_run), partial(self._shown, text, name)
        for name, words in self._words_of_run.items():
            given = self._words[name]
            text = "{name} is {here}, but {first} in an earlier row of this run"
            yield (given != "") & (given != words), partial(self._shown, text, name)
        for column, end in (("seconds", "end_s"), ("evaluations", "end_evaluations")):
            text = f"{column} is {{here:.9g}}, after {end} of this run"
            late = self._numbers[column] > self._of_run[end]
            yield late, partial(self._shown, text, column)

    def _shown(self, text: str, name: str, place: int) -> str:
        """A text with the name of a column, its cell at a place, and the first cell of the run."""
        here = (self._words if name in WORDS else self._numbers)[name][place]
        of_run = self._words_of_run if name in WORDS else self._of_run
        first = of_run[name][place] if name in of_run else None
        return text.format(name=name, here=here, first=first)

    # --- Runs -------------------------------------------------------------------------------

    def warn(self, cautions: Cautions) -> None:
        """Add a line for each kind of rows that are left out or change their meaning."""
        improves = np.concatenate([self._improvements(run) for run in self.parts(_RUN)])
        ends = np.append(self._starts[1:], True)
        kept = np.zeros(len(self.rows), dtype=np.bool_)
        kept[improves] = True
        if dropped := int((~kept & ~ends & self._within).sum()):
            cautions.add("", "rows without an improvement are omitted", rows=dropped)
        if beyond := int((~self._within).sum()):
            cautions.add("", "rows beyond the budget of their run are not kept", rows=beyond)
        if below := int(is_below(self._numbers["value"], self._optima).sum()):
            cautions.add("", "values are below the optimum, which is wrong; correct it", rows=below)

    def count(self, direction: Direction) -> None:
        """Count how values change within the runs."""
        direction.add(self._numbers["value"], self._starts)

    def _improvements(self, run: Places) -> Places:
        """The places of a run that are better than all before them, within its budget."""
        here = run[self._within[run]]
        here = here[~(self._numbers["seconds"][here] >= self._of_run["budget_s"][here])]
        precision = self._precision[here]
        before = np.minimum.accumulate(np.concatenate([[np.inf], precision]))[:-1]
        return np.asarray(here[precision < before], dtype=np.intp)

    def runs(self, places: Places) -> list[PublishedRun]:
        """The runs of some places that belong together."""
        starts = np.flatnonzero(self._starts[places])[1:]
        return [self._run(run) for run in np.split(places, starts)]

    def _run(self, run: Places) -> PublishedRun:
        first, events, within = run[0], self._improvements(run), run[self._within[run]]
        budget_s, budget_evaluations = (
            None if np.isnan(self._of_run[name][first]) else float(self._of_run[name][first])
            for name in ("budget_s", "budget_evaluations")
        )
        end_s, evaluations = self._end(run, within, budget_s, budget_evaluations)
        precision = self._precision[events]
        best = precision[-1] if events.size else np.inf
        if budget_s is None and budget_evaluations is None:
            budget_s = end_s
        timed = Timed(
            time_s=self._numbers["seconds"][events],
            end_s=end_s,
            best_f=float(self._numbers["value"][events[-1]]) if events.size else np.inf,
            status=Status(self._words_of_run["status"][first] or ends.status(evaluations, best)),
            stop_reason=StopReason(
                self._words_of_run["stop_reason"][first]
                or ends.stop_reason(
                    self._last_precision(events, evaluations),
                    evaluations,
                    end_s,
                    budget_s,
                    budget_evaluations,
                )
            ),
            budget_s=budget_s,
            budget_evaluations=None if budget_evaluations is None else int(budget_evaluations),
        )
        return PublishedRun(
            instance=int(self.keys["instance"][first]),
            f_opt=None if np.isnan(self._optima[first]) else float(self._optima[first]),
            evaluations=self._numbers["evaluations"][events].astype(np.int64),
            precision=precision,
            all_evaluations=int(evaluations),
            timed=timed,
        )

    def _end(
        self, run: Places, within: Places, budget_s: float | None, budget_evaluations: float | None
    ) -> tuple[float, float]:
        """Seconds and evaluations of a run: those of its last row, its columns or its budgets."""
        first, last = run[0], within[-1] if within.size else None
        end_s, evaluations = (
            self._numbers[column][run[-1]] if np.isnan(end := self._of_run[name][first]) else end
            for column, name in (("seconds", "end_s"), ("evaluations", "end_evaluations"))
        )
        if budget_s is not None and end_s > budget_s:
            end_s = budget_s
            before = self._numbers["evaluations"]
            evaluations = max(before[first] - 1, 0.0) if last is None else before[last]
        if budget_evaluations is not None and evaluations > budget_evaluations:
            end_s = 0.0 if last is None else self._numbers["seconds"][last]
            evaluations = budget_evaluations
        return float(end_s), float(evaluations)

    def _last_precision(self, events: Places, evaluations: float) -> float:
        """That of the improvement at the last evaluation; inf without one, or an optimum."""
        if not events.size or np.isnan(self._optima[events[-1]]):
            return np.inf
        at_the_end = self._numbers["evaluations"][events[-1]] == evaluations
        return float(self._precision[events[-1]]) if at_the_end else np.inf
