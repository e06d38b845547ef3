"""Columns of tables, declared as text, and those that several tables share."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from textwrap import dedent


@dataclass(frozen=True)
class Column:
    """A column of a table.

    - `meaning`: A phrase or sentences, with column names in backticks.
    - `unit`: The unit of the values; empty for names, counts and shares.
    - `text`, `label`: Whether the values are text, even if every one of them looks like a number,
      and whether they may be missing from every row.
    - `exact`: Whether CSV contains all digits, as of f, and of targets, which identify rows.
    - `printed`: How layouts without values print it, see `timefair.exhibits.layout.Value.of`.
    """

    name: str
    meaning: str
    unit: str = ""
    text: bool = False
    exact: bool = False
    printed: str = ""
    label: bool = False

    def interval(self, of: str = "") -> tuple[Column, Column, Column]:
        """This column and the limits of the interval of `of`, by default of itself: ``<name>_low``
        and ``<name>_high``, in its unit.
        """
        of_it, unit = f"limit of the interval of {of or f'`{self.name}`'}", self.unit
        low = Column(f"{self.name}_low", f"lower {of_it}", unit)
        return self, low, Column(f"{self.name}_high", f"upper {of_it}", unit)


DECLARED = re.compile(
    r"([\w.*]+)(?: \[(.+?)\])?(?: \((text|label|exact|interval)(?:, (.+?))?\))?(?: <(.+?)>)?: (.+)"
)
SHARED = re.compile(r"[A-Z_]+(, [A-Z_]+)*")
SECONDS = "s of the campaign's clock"  # the unit of seconds that follow ``statistics.time``
VARIANTS = (("s", SECONDS, "s", "seconds"), ("evaluations", "evaluations", "ev.", "evaluations"))
"""What ``*`` is in the name of a column in each unit of costs, in its unit, label and meaning."""


def columns_of(text: str) -> tuple[Column, ...]:
    """Columns, each declared as ``name [unit] (text) <printed>: meaning``, ``(label)``,
    ``(exact)`` or ``(interval, method)``; or a line with the names of shared ones, ``CELL, RUNS``.

    Unit, mark and printed form may be missing. Lines that are indented further continue the one
    before. Successive lines with ``*`` in the name, ``ert_* [*]``, are of seconds and then of
    evaluations. Raises ValueError if a line has another form, KeyError for an unknown name.
    """
    found: list[Column] = []
    lines = filter(None, re.sub(r"\n +", " ", dedent(text).strip()).split("\n"))
    for of_both, some in groupby(lines, lambda line: "*" in line.partition(" ")[0]):
        together = list(some)
        for words in VARIANTS if of_both else VARIANTS[:1]:
            for line in together:
                if SHARED.fullmatch(line):
                    for shared in map(globals().__getitem__, line.split(", ")):
                        found += (shared,) if isinstance(shared, Column) else shared
                else:
                    found += _columns(line, *(words if of_both else "****"))
    return tuple(found)


def _columns(line: str, suffix: str, in_unit: str, short: str, word: str) -> tuple[Column, ...]:
    """A column, and those of its limits."""
    if not (parts := DECLARED.fullmatch(line)):
        raise ValueError(f"no column: {line}")
    name, unit, mark, by, printed, meaning = parts.groups(default="")
    name = name.replace("*", suffix)
    column = Column(
        name,
        meaning.replace("*", word),
        unit.replace("*", in_unit),
        mark in ("text", "label"),
        mark == "exact",
        printed.replace("*", short),
        mark == "label",
    )
    return column.interval(f"`{name}` ({by})" if by else "") if mark == "interval" else (column,)


def column_names(columns: Iterable[Column]) -> list[str]:
    return [column.name for column in columns]


SUITE, DIMENSION, FUNCTION, INSTANCE, ALGORITHM = columns_of("""
    suite (text): suite of the problem
    dimension: dimension of the search space
    function: number of the function
    instance: number of the instance
    algorithm (text): label of the algorithm
""")
FUNCTION_OR_ALL, DIMENSION_OR_ALL = columns_of("""
    function: number of the function as text, or `all` for all functions together
    dimension: dimension of the search space as text, or `all` for all dimensions together
""")
SPACE = (SUITE, DIMENSION)
PROBLEM = (SUITE, DIMENSION, FUNCTION)
CELL = (*PROBLEM, ALGORITHM)
CELL_OR_ALL = (SUITE, DIMENSION, FUNCTION_OR_ALL, ALGORITHM)
INSTANCE_CELL = (*PROBLEM, INSTANCE, ALGORITHM)
PAIR = columns_of("""
    algorithm_a (text): label of the first algorithm
    algorithm_b (text): label of the second algorithm
""")
RUNS, SUCCESSES, SUCCESS_RATE, TARGET, UNIT, COST, EXECUTIONS, QUANTILE, MEASURE, FIXED = (
    columns_of("""
    runs: number of runs
    successes: number of runs that reached the target
    success_rate: `successes` divided by `runs`
    target [precision] (exact): precision to reach
    unit (text): unit of the costs: `seconds` or `evaluations`
    cost [`unit`]: cost since the start of the run
    executions: number of executions, each with the complete budget
    quantile: probability of the quantile; 0.5 is the median
    measure (text): what the row states: `mean`, or a quantile such as `Q.10` or `Q.50`
    criterion (text): `fixed target`: values are ERTs to `target`. `fixed budget`: values are median
        precisions (0 if the final target was reached), and `target` is empty
""")
)
