"""Columns of tables, declared as text, and those that several tables share."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
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
        here = [column for line in some for column in _columns(line)]
        found += [_in_unit(one, *words) for words in VARIANTS for one in here] if of_both else here
    return tuple(found)


def _columns(line: str) -> list[Column]:
    """The shared columns of a line, or the declared one and those of the limits of its interval."""
    if SHARED.fullmatch(line):
        known = [globals()[name] for name in line.split(", ")]
        return [one for some in known for one in ((some,) if isinstance(some, Column) else some)]
    if not (parts := DECLARED.fullmatch(line)):
        raise ValueError(f"no column: {line}")
    name, unit, mark, by, printed, meaning = parts.groups(default="")
    is_text, is_label = mark in ("text", "label"), mark == "label"
    column = Column(name, meaning, unit, is_text, mark == "exact", printed, is_label)
    if mark != "interval":
        return [column]
    of = f"limit of the interval of `{name}`{f' ({by})' if by else ''}"
    return [
        column,
        Column(f"{name}_low", f"lower {of}", unit),
        Column(f"{name}_high", f"upper {of}", unit),
    ]


def _in_unit(column: Column, suffix: str, unit: str, short: str, word: str) -> Column:
    return replace(
        column,
        name=column.name.replace("*", suffix),
        meaning=column.meaning.replace("_*", f"_{suffix}").replace("*", word),
        unit=column.unit.replace("*", unit),
        printed=column.printed.replace("*", short),
    )


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
