"""Evaluates the best points of records again, to check that the function still gives the recorded
values.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timefair.basics.errors import InputError
from timefair.problems import registry as suites
from timefair.problems.base import Problem, Suite

COLUMNS = (
    "suite", "function", "dimension", "instance", "run", "best_f", "noise_free_f", "best_x",
)  # fmt: skip

OF_VECTORS = ("suite", "function", "dimension", "instance", "run", "best_f", "vectors")
"""The columns that `Reevaluation.look_at_vectors` reads."""

ROUNDING = 1e-12
"""Relative difference that another processor or mathematical library may cause."""


class Difference(NamedTuple):
    """A run whose best point, or set of vectors, now has another value: a raised exception, too."""

    row: Mapping[str, Any]
    now: float | str
    what: str = "best point was"

    def __str__(self) -> str:
        row = self.row
        return (
            f"f{row['function']} D={row['dimension']} instance {row['instance']}, run {row['run']}:"
            f" the {self.what} recorded with {row['best_f']!r} and now gives {self.now}; "
            "restore the function and the packages of the measurement, or measure again"
        )


class Reevaluation:
    """Evaluates best points in this process until its time is used up.

    - `limit_s`: Seconds for all points together; 0 evaluates none. The evaluation that exceeds it
      is the last one.

    - `same`, `rounded`: Points whose value is the recorded one, exactly or up to `ROUNDING`.
    - `different`: All other points.
    - `noisy`: Points of functions that give another value at each call, or have a stream of noise.
    - `skipped`: Points that were not evaluated, because the time was used up or the function is not
      available here.
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
        """Evaluate the best points of some runs; those of noisy runs without noise, if this is
        possible.

        - `runs`: Runs with at least the columns `COLUMNS`; runs without a point do not count.
        - `parameters`: Parameters of the suite.
        - `say`: Called for each difference.
        """
        for row in runs.select(COLUMNS).filter(pc.is_valid(runs["best_x"])).to_pylist():
            problem = self._problem(row, parameters) if self._left_s > 0 else None
            if problem is None:
                self.skipped += 1
            elif problem.reseed is not None and row["noise_free_f"] is None:
                self.noisy += 1
            else:
                begun = time.monotonic()
                if problem.noise_free is not None and row["noise_free_f"] is not None:
                    row["best_f"] = row["noise_free_f"]
                    problem = replace(problem, evaluate=problem.noise_free)
                self._evaluate(problem, row, say)
                self._left_s -= time.monotonic() - begun

    def look_at_vectors(
        self,
        runs: pa.Table,
        parameters: Mapping[str, object],
        say: Callable[[Difference], None],
    ) -> None:
        """Compute the quality of runs again that follows from their vectors.

        - `runs`: Runs with at least the columns `OF_VECTORS`. Runs without vectors, or with their
          own events, do not count.
        - `parameters`: Parameters of the suite.
        - `say`: Called for each difference.
        """
        for row in runs.select(OF_VECTORS).filter(pc.is_valid(runs["vectors"])).to_pylist():
            problem = self._problem(row, parameters) if row["vectors"] else None
            if problem is None or not problem.kind.rated:
                continue
            vectors = np.array([one["outputs"] for one in row["vectors"]])
            try:
                now = float(np.min(problem.kind.quality(vectors)))
            except ValueError:  # vectors that the problem does not have
                now = np.nan
            if not abs(now - row["best_f"]) <= ROUNDING * abs(row["best_f"]):
                say(Difference(row, now, "set of vectors was"))

    def _evaluate(
        self, problem: Problem, row: Mapping[str, Any], say: Callable[[Difference], None]
    ) -> None:
        x, recorded = np.array(row["best_x"], dtype=np.float64), row["best_f"]
        try:
            now = problem.value(x)
            if now == recorded:
                self.same += 1
            elif problem.value(x) != now:
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
        """The problem of a run; None if its suite is not available here."""
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
            except Exception:  # a library that is missing, or no longer contains the problem
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
