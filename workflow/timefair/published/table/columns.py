"""The columns of a table of runs, and how the columns of a file are mapped to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, NamedTuple

from timefair.basics.errors import InputError, suggest
from timefair.published import numerals

Kind = Literal["text", "count", "number"]
"""``count`` is a whole number of at least 0; ``number`` may be infinite."""


class TableColumn(NamedTuple):
    """A column that timefair reads.

    Attributes
    ----------
    kind
        Type of the cells.
    needed
        Whether a table must have it.
    per
        ``row``: each row has its own value. ``run`` or ``problem``: all rows of a run or of a
        problem have the same value, and cells may be empty.
    meaning
        One clause for the documentation.
    """

    kind: Kind
    needed: bool
    per: Literal["row", "run", "problem"]
    meaning: str


COLUMNS: Mapping[str, TableColumn] = MappingProxyType(
    {
        "algorithm": TableColumn("text", True, "row", "name of the algorithm"),
        "function": TableColumn("text", True, "row", "number or name of the function"),
        "dimension": TableColumn("count", True, "row", "number of variables, at least 1"),
        "instance": TableColumn("text", True, "row", "number or name of the instance"),
        "run": TableColumn("text", True, "row", "number or name of the run"),
        "evaluations": TableColumn("count", True, "row", "evaluations of the run so far"),
        "seconds": TableColumn("number", True, "row", "seconds since the start of the run"),
        "value": TableColumn(
            "number",
            True,
            "row",
            "value of f, or the best so far; `inf`: no finite value so far",
        ),
        "optimum": TableColumn(
            "number", False, "problem", "optimum of the problem; empty: not known"
        ),
        "precision": TableColumn(
            "number",
            False,
            "row",
            "`value` − `optimum`, if you know it with more digits than these columns give",
        ),
        "suite": TableColumn("text", False, "row", "name of the suite, such as `bbob`"),
        "end_s": TableColumn("number", False, "run", "seconds at which the run ended"),
        "end_evaluations": TableColumn("count", False, "run", "evaluations of the complete run"),
        "budget_s": TableColumn("number", False, "run", "T: seconds that the run was allowed"),
        "budget_evaluations": TableColumn(
            "count", False, "run", "evaluations that the run was allowed"
        ),
        "status": TableColumn("text", False, "run", "status of the run, such as `ok`, `raised`"),
        "stop_reason": TableColumn(
            "text", False, "run", "what ended the run, such as `time`, `target`"
        ),
    }
)
"""Every column by its name, in the order in which tables are written."""

SIGNED = ("value", "optimum")
"""Columns whose names in a file may have a sign: ``-`` for values that are maximized."""

NEEDED = tuple(name for name, column in COLUMNS.items() if column.needed)


@dataclass(frozen=True)
class Layout:
    """Where the columns of a table are in a file.

    Attributes
    ----------
    columns
        Names in the file, by the names of `COLUMNS`; columns that are not listed have the same
        name in the file. Names of `SIGNED` may begin with a sign.
    constants
        Cells of columns that the file does not have, as text, by the names of `COLUMNS`.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    constants: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, columns: str = "", constants: str = "") -> Layout:
        """Read two options such as ``seconds=time,value=best_f`` and ``dimension=10``.

        Raises
        ------
        InputError
            For a part without ``=``, a name that is unknown, or one that is given twice.
        """
        mapped, fixed = _parts("--columns", columns), _parts("--set", constants)
        for name, word in fixed.items():
            if COLUMNS[name].kind != "text":
                _refuse_word(name, word)
        if twice := sorted(mapped.keys() & fixed.keys()):
            raise InputError(f"--set: {twice[0]}: --columns has it too; give it once")
        return cls(mapped, fixed)

    def over(self, columns: Mapping[str, str], constants: Mapping[str, str]) -> Layout:
        """The same layout, over one that a campaign has; `InputError` for an unknown column."""
        for name in (*columns, *constants):
            if name not in COLUMNS:
                raise InputError(f"{name!r}: unknown column{suggest(name, COLUMNS)}")
        return Layout({**columns, **self.columns}, {**constants, **self.constants})

    def in_file(self, name: str) -> str:
        """The name in the file of one of `COLUMNS`, without its sign."""
        return self.columns.get(name, name).removeprefix(self.sign(name))

    def sign(self, name: str) -> str:
        """The sign before the name in the file of one of `COLUMNS`; empty without one."""
        first = self.columns.get(name, "")[:1]
        return first if name in SIGNED and first in ("+", "-") else ""


def _parts(option: str, text: str) -> dict[str, str]:
    parts: dict[str, str] = {}
    for part in filter(None, (word.strip() for word in text.split(","))):
        name, equals, value = (word.strip() for word in part.partition("="))
        if not (equals and value):
            raise InputError(
                f"{option}: {part!r}: should be NAME=WORD, such as {_EXAMPLES[option]}"
            )
        if name not in COLUMNS:
            known = ", ".join(COLUMNS)
            raise InputError(
                f"{option}: {name!r}: unknown column{suggest(name, COLUMNS)}; known: {known}"
            )
        if name in parts:
            raise InputError(f"{option}: {name}: given twice")
        parts[name] = value
    return parts


def _refuse_word(name: str, word: str) -> None:
    """Raise `InputError` if a constant is not a number."""
    try:
        numerals.number(word)
    except ValueError:
        raise InputError(f"--set: {name}: {word!r}: should be a number") from None


_EXAMPLES = {"--columns": "seconds=time", "--set": "dimension=10"}
