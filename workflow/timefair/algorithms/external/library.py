"""The library ``external``: ``external:./solver --flag`` launches a command of the user's.

Each launch is a separate process, which reads a description of the problem and asks for values, by
the line protocol of `timefair.algorithms.external.protocol`. The description includes the integer
variables, so commands are assumed to support all kinds of variables. The parameters are lines of
the header.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from timefair.algorithms.base import Algorithm, Available, Implementation, Library, Objective
from timefair.algorithms.external import protocol
from timefair.algorithms.external.protocol import (
    CommandLine,
    ExternalError,
    Process,
    parse,
    running,
)
from timefair.basics.errors import InputError
from timefair.problems.base import Variables


class External(Library):
    name = "external"
    distributions: Sequence[str] = ()
    examples: Sequence[str] = ("./solver --flag",)

    def available(self) -> list[Available]:
        return []

    def faults(self, name: str, parameters: Mapping[str, object]) -> list[str]:
        lines = protocol.parameter_faults(parameters)
        try:
            parse(name)
        except InputError as error:
            lines += error.faults
        return lines

    def variables(self, name: str, parameters: Mapping[str, object]) -> frozenset[Variables]:
        return frozenset(get_args(Variables))

    def batches(self, name: str, parameters: Mapping[str, object]) -> None:
        """None: the program may send ``batch``."""

    def implementation(self, name: str) -> Implementation:
        return "program"

    def load(self, name: str, parameters: Mapping[str, object]) -> Algorithm:
        return Algorithm(partial(solve, command=parse(name), parameters=parameters))

    def source_files(self, name: str) -> list[Path]:
        return [*package_files("timefair/external.py"), *parse(name).files]


def package_files(client: str) -> list[Path]:
    """The files of this package, with one of its clients."""
    here = Path(__file__).parent
    ours = [path for path in here.iterdir() if path.suffix in (".py", ".pyx")]
    return sorted([*ours, here / "client" / client])


EXTERNAL = External()
"""A program in any language that speaks a line protocol."""


def solve(
    objective: Objective,
    rng: np.random.Generator,
    *,
    command: CommandLine,
    parameters: Mapping[str, object],
) -> None:
    seed = int(rng.integers(protocol.SEEDS))
    with running(command) as process:
        process.write(protocol.header(objective, seed, parameters))
        try:
            _converse(process, objective)
        except ExternalError as error:
            words = process.last_words()
            raise ExternalError(f"{error}; standard error: {words}" if words else error) from None


def _converse(process: Process, objective: Objective) -> None:
    """Answer until the command stops or its output ends."""
    dimension = objective.dimension
    while (line := process.read_line()) is not None:
        match line.split():
            case [b"stop"]:
                return
            case [b"progress"]:
                process.write(protocol.answers([objective.progress]))
            case [b"batch", word]:
                points = _points(process, protocol.batch_size(word), dimension)
                process.write(protocol.answers(objective.batch(points)))
            case words:
                process.write(protocol.answers([objective(protocol.point(words, dimension))]))
    process.check_end()


def _points(process: Process, size: int, dimension: int) -> NDArray[np.float64]:
    points: list[list[float]] = []
    while len(points) < size:
        line = process.read_line()
        if line is None:
            process.check_end()
            raise ExternalError(f"its output ended after {len(points)} of a batch's {size} points")
        points.append(protocol.point(line.split(), dimension))
    return np.reshape(points, (size, dimension))
