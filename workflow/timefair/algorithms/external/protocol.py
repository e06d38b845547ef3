"""The line protocol between timefair and an external algorithm: text, one message per line.

A header opens a launch. Each of its lines is a word and its values, with one space between them;
the last line is ``begin``::

    timefair 1                      the version of the protocol
    dimension 2
    lower -5.0 -5.0
    upper 5.0 5.0
    integer 0 1                     1: whole numbers only; omitted if there is no such variable
    seed 3141592653589793           of this launch, a whole number from 0 to 2**53 - 1
    evaluations 20000               the rest of the budget; omitted without such a budget
    parameter step 0.25             one line per parameter of the campaign
    begin

Then the command writes requests, each ended by a line feed, and reads an answer to each:

``x1 x2 ... xD``
    A point. The answer is one line with its value.
``batch k``
    k lines with a point each follow. The answer is k lines with a value each.
``progress``
    The answer is one line with the used share of the launch's budget, from 0 to 1.
``stop``
    The launch is over.

Numbers have the format of C's ``strtod``, infinity and NaN included. Values are the shortest
decimal numbers that give the same double again, or ``inf``, ``-inf`` and ``nan``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from timefair.algorithms.base import Objective

VERSION = 1
SEEDS = 2**53  # seeds are below this number: languages that only have doubles can represent them
SHOWN = 80  # maximal number of characters of a wrong line in a message

Scalar = None | bool | int | float | str


class ExternalError(RuntimeError):
    """An external algorithm ended with an error or did not follow the protocol."""


# --- Messages to the command ----------------------------------------------------------------


def header(objective: Objective, seed: int, parameters: Mapping[str, object]) -> bytes:
    lines: list[tuple[object, ...]] = [
        ("timefair", VERSION),
        ("dimension", objective.dimension),
        ("lower", *objective.lower.tolist()),
        ("upper", *objective.upper.tolist()),
    ]
    if objective.integer.any():
        lines.append(("integer", *objective.integer.astype(int).tolist()))
    lines.append(("seed", seed))
    if objective.evaluations_left is not None:
        lines.append(("evaluations", objective.evaluations_left))
    lines += [("parameter", name, value) for name, value in parameters.items()]
    lines.append(("begin",))
    return "".join(" ".join(map(_words, line)) + "\n" for line in lines).encode()


def answers(values: Iterable[float]) -> bytes:
    r"""One line per value.

    >>> answers([0.1, float("inf")])
    b'0.1\ninf\n'
    """
    return "".join([f"{float(value)!r}\n" for value in values]).encode()


def parameter_faults(parameters: Mapping[str, object]) -> list[str]:
    """Check parameters; one line per parameter that does not fit a line of the header."""
    lines = [
        f"{name!r} cannot be a parameter of an external algorithm: a name is one word"
        for name in parameters
        if not _is_word(name)
    ]
    return lines + [
        f"{name!r} of an external algorithm is a number, a text of one line, true, false, null "
        f"or a list of numbers and words, not {value!r}"
        for name, value in parameters.items()
        if not _fits(value)
    ]


def _words(value: object) -> str:
    """A value as text in a line: ``true``, ``none``, ``0.5``, ``a text``, ``1 2 3``."""
    if value is None or isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return " ".join(map(_words, value))
    return str(value)


def _fits(value: object) -> bool:
    if isinstance(value, list | tuple):
        return all(isinstance(item, Scalar) and _is_word(_words(item)) for item in value)
    return isinstance(value, Scalar) and _words(value).isprintable()


def _is_word(text: str) -> bool:
    return text.isprintable() and text.split() == [text]


# --- Messages from the command --------------------------------------------------------------


def point(words: Sequence[bytes], dimension: int) -> list[float]:
    """Parse the words of a line as a point; ExternalError if they are not one.

    >>> point([b"0.5", b"-1e-3"], 2)
    [0.5, -0.001]
    """
    try:
        numbers = [float(word) for word in words]
    except ValueError:
        raise ExternalError(f"{shown(words)} is not a point of {dimension} numbers") from None
    if len(numbers) != dimension:
        raise ExternalError(
            f"{shown(words)} has {len(numbers)} numbers; a point has {dimension} here"
        )
    return numbers


def batch_size(word: bytes) -> int:
    """Parse the number of points of a batch; ExternalError if it is not a whole number."""
    if not word.isdigit():
        raise ExternalError(f"{shown([b'batch', word])} is not a batch: write batch and a number")
    return int(word)


def shown(words: Sequence[bytes]) -> str:
    """Quote a line for a message, and cut it if it is long."""
    text = b" ".join(words[:SHOWN])[: SHOWN + 1].decode(errors="backslashreplace")
    return repr(text if len(text) <= SHOWN else f"{text[:SHOWN]}...")
