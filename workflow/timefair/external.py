"""The other side of the library ``external``, for programs in Python: `serve`.

This file needs only the standard library of Python 3.8 or later, and no other part of timefair.
timefair puts it on the import path of every external program, so the program's own environment
needs no package::

    from timefair.external import serve


    def solve(objective, step=0.25):
        ...
        value = objective(x)


    serve(solve)
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from typing import Any, TextIO

__all__ = ["serve"]


class Objective:
    """The function to minimize, by the line protocol on two text streams.

    - `dimension`: Number of variables.
    - `lower`, `upper`: Bounds: lists of floats.
    - `integer`: List of bools: which variables take whole numbers only.
    - `seed`: Seed of this launch, from 0 to 2**53 - 1.
    - `evaluations_left`: The budget of evaluations at the start of the launch; None without one.
    - `parameters`: Those of the campaign, by name: numbers, bools, None, texts, or lists.
    """

    def __init__(self, answers: TextIO, requests: TextIO) -> None:
        self._answers, self._requests = answers, requests
        self.dimension = self.seed = 0
        self.lower: list[float] = []
        self.upper: list[float] = []
        self.integer: list[bool] = []
        self.evaluations_left: int | None = None
        self.parameters: dict[str, Any] = {}
        self._read_header()
        self.integer = self.integer or [False] * self.dimension

    def __call__(self, x: Iterable[float]) -> float:
        """The value at `x`, a sequence of ``dimension`` numbers."""
        self._requests.write(_line(x))
        return self._values(1)[0]

    @property
    def progress(self) -> float:
        """The used share of the launch's budget, from 0 to 1; it asks timefair each time."""
        self._requests.write("progress\n")
        return self._values(1)[0]

    def batch(self, points: Iterable[Iterable[float]]) -> list[float]:
        """The values at a sequence of points, as a list; each counts as one evaluation."""
        lines = [_line(x) for x in points]
        self._requests.write(f"batch {len(lines)}\n" + "".join(lines))
        return self._values(len(lines))

    def _values(self, count: int) -> list[float]:
        self._requests.flush()
        lines = [self._answers.readline() for _ in range(count)]
        if not all(lines):
            raise SystemExit(0)  # timefair has ended the launch
        return [float(line) for line in lines]

    def _read_header(self) -> None:
        for line in iter(self._answers.readline, ""):
            key, _, rest = line.rstrip("\n").partition(" ")
            if key == "begin":
                return
            if key in ("lower", "upper"):
                setattr(self, key, [float(word) for word in rest.split()])
            elif key == "integer":
                self.integer = [word == "1" for word in rest.split()]
            elif key in ("dimension", "seed"):
                setattr(self, key, int(rest))
            elif key == "evaluations":
                self.evaluations_left = int(rest)
            elif key == "parameter":
                name, _, value = rest.partition(" ")
                self.parameters[name] = _parameter(value)
        raise SystemExit("timefair.external: no header on standard input; timefair starts this")


def serve(solve: Callable[..., object]) -> None:
    """Make one launch: call ``solve(objective, **parameters)`` and end when it returns.

    Output of the program goes to standard error, because standard output is used by the protocol.
    `solve` calls ``objective(x)`` or ``objective.batch(points)``; its result is ignored.
    """
    requests = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    objective = Objective(sys.stdin, requests)
    try:
        solve(objective, **objective.parameters)
    except BrokenPipeError:  # timefair has ended the launch
        raise SystemExit(0) from None


def _line(x: Iterable[float]) -> str:
    return " ".join([repr(float(value)) for value in x]) + "\n"


def _parameter(text: str) -> Any:
    """A value as the campaign has it; words with spaces between them that are numbers: a list."""
    words = text.split(" ")
    if len(words) > 1:
        values = [_word(word) for word in words]
        return text if any(isinstance(value, str) for value in values) else values
    return _word(text)


def _word(text: str) -> Any:
    known: dict[str, bool | None] = {"true": True, "false": False, "none": None}
    if text in known:
        return known[text]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
