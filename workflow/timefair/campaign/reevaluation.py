"""Best points of records, evaluated again: does the function still give the recorded values?"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timefair.basics.errors import InputError
from timefair.problems import registry as suites
from timefair.problems.base import Problem, Suite

COLUMNS = ("suite", "function", "dimension", "instance", "run", "best_f", "best_x")

ROUNDING = 1e-12
"""Relative difference that another processor or mathematical library may cause."""


class Difference(NamedTuple):
    """A run whose best point has another value now; `now` is a number, or what was raised."""

    row: Mapping[str, Any]
    now: float | str

    def __str__(self) -> str:
        row = self.row
        return (
            f"f{row['function']} D={row['dimension']} instance {row['instance']}, run {row['run']}:"
            f" the best point was recorded with {row['best_f']!r} and now gives {self.now}; "
            "restore the function and the packages of the measurement, or measure again"
        )


class Reevaluation:
    """Evaluates best points until its time is used up, each in this process.

    Parameters
    ----------
    limit_s
        Seconds for all points together; 0 evaluates none. The evaluation that exceeds it is the
        last one.

    Attributes
    ----------
    same, rounded
        Points whose value is the recorded one, exactly or up to `ROUNDING`.
    different
        All others.
    noisy
        Points of functions that give another value at each call, or have a stream of noise.
    skipped
        Points that were not evaluated, because the time was used up or the function is not here.
    """

    def __init__(self, limit_s: float) -> None:
        self.same = self.rounded = self.different = self.noisy = self.skipped = 0
        self._left_s = limit_s
        self._suites: dict[str, Suite | None] = {}
        self._problems: dict[tuple[str, int, int, int], Problem | None] = {}

    def look(
        self,
        runs: pa.Table,
        parameters: Mapping[str, object],
        say: Callable[[Difference], None],
    ) -> None:
        """Evaluate the best points of some runs.

        Parameters
        ----------
        runs
            With at least `COLUMNS`; runs without a point do not count.
        parameters
            Those of the suite.
        say
            Called for each difference.
        """
        for row in runs.select(COLUMNS).filter(pc.is_valid(runs["best_x"])).to_pylist():
            problem = self._problem(row, parameters) if self._left_s > 0 else None
            if problem is None:
                self.skipped += 1
            elif problem.reseed is not None:
                self.noisy += 1
            else:
                begun = time.monotonic()
                self._evaluate(problem, row, say)
                self._left_s -= time.monotonic() - begun

    def _evaluate(
        self, problem: Problem, row: Mapping[str, Any], say: Callable[[Difference], None]
    ) -> None:
        x, recorded = np.array(row["best_x"], dtype=np.float64), row["best_f"]
        try:
            now = float(problem.evaluate(x))
            if now == recorded:
                self.same += 1
            elif float(problem.evaluate(x)) != now:
                self.noisy += 1
            elif abs(now - recorded) <= ROUNDING * abs(recorded):
                self.rounded += 1
            else:
                self.different += 1
                say(Difference(row, now))
        except Exception as error:
            self.different += 1
            say(Difference(row, f"{type(error).__name__}: {error}"))

    def _problem(self, row: Mapping[str, Any], parameters: Mapping[str, object]) -> Problem | None:
        """The problem of a run; None if its suite is not here."""
        name = row["suite"]
        if name not in self._suites:
            try:
                self._suites[name] = suites.find(name, parameters)
            except InputError:
                self._suites[name] = None
        key = (name, row["function"], row["dimension"], row["instance"])
        if key not in self._problems:
            suite = self._suites[name]
            try:
                self._problems[key] = None if suite is None else suite.problem(*key[1:])
            except Exception:  # a library that is missing, or lacks the problem now
                self._problems[key] = None
        return self._problems[key]

    def __str__(self) -> str:
        done = self.same + self.rounded + self.different
        if not done + self.noisy + self.skipped:
            return ""
        found = [f"{self.same} of {done} best points evaluate to the recorded value"]
        if self.rounded:
            found.append(f"{self.rounded} to rounding")
        if self.noisy:
            found.append(f"{self.noisy} of noisy functions")
        if self.skipped:
            found.append(f"{self.skipped} not evaluated")
        return ", ".join(found)
