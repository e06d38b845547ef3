"""What is said to an external algorithm, and what it may say: text, one message a line.

A header opens a launch. Each of its lines is a word and its values, with one space between them;
the last line is ``begin``::

    timefair 1                      the version of the protocol
    dimension 2
    lower -5.0 -5.0
    upper 5.0 5.0
    integer 0 1                     1: whole numbers only; left out where no variable is
    seed 3141592653589793           of this launch, a whole number from 0 to 2**53 - 1
    evaluations 20000               what is left of the budget; left out without such a budget
    parameter step 0.25             a line for each of the campaign's parameters
    begin

Then the command writes requests, each ended by a line feed, and reads an answer to each:

``x1 x2 ... xD``
    A point. The answer is its value, on a line of its own.
``batch k``
    k points follow, a line each. The answer is their k values, a line each.
``stop``
    The launch is over.

Numbers are what C's ``strtod`` reads, infinity and NaN included. Values are the shortest decimal
numbers that give the same double again, or ``inf``, ``-inf`` and ``nan``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from timefair.algorithms.base import Objective

VERSION = 1
SEEDS = 2**53
"""Seeds are below it, so that a language that has only doubles can hold them."""
SHOWN = 80
"""Characters of a wrong line that a message shows."""

Scalar = None | bool | int | float | str


class ExternalError(RuntimeError):
    """An external algorithm ended with an error, or said what the protocol does not have."""


# --- What we say ----------------------------------------------------------------------------


def header(objective: Objective, seed: int, parameters: Mapping[str, object]) -> bytes:
    """The lines that open a launch."""
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
    r"""A line for each value.

    >>> answers([0.1, float("inf")])
    b'0.1\ninf\n'
    """
    return "".join([f"{float(value)!r}\n" for value in values]).encode()


def parameter_faults(parameters: Mapping[str, object]) -> list[str]:
    """What is wrong with parameters, one line each: each has to fit a line of the header."""
    lines = [
        f"{name!r} is no name of a parameter of an external algorithm: it has to be one word"
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
    """A value as it stands in a line: ``true``, ``none``, ``0.5``, ``a text``, ``1 2 3``."""
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


# --- What we hear ---------------------------------------------------------------------------


def point(words: Sequence[bytes], dimension: int) -> list[float]:
    """The point that a line's words are; ExternalError where they are none.

    >>> point([b"0.5", b"-1e-3"], 2)
    [0.5, -0.001]
    """
    try:
        numbers = [float(word) for word in words]
    except ValueError:
        raise ExternalError(f"{shown(words)} is no point of {dimension} numbers") from None
    if len(numbers) != dimension:
        raise ExternalError(
            f"{shown(words)} has {len(numbers)} numbers; a point has {dimension} here"
        )
    return numbers


def batch_size(word: bytes) -> int:
    """How many points follow; ExternalError where it is no whole number."""
    if not word.isdigit():
        raise ExternalError(f"{shown([b'batch', word])} is no batch: write batch and a number")
    return int(word)


def shown(words: Sequence[bytes]) -> str:
    """A line in a message: quoted, and cut where it is long."""
    text = b" ".join(words[:SHOWN])[: SHOWN + 1].decode(errors="backslashreplace")
    return repr(text if len(text) <= SHOWN else f"{text[:SHOWN]}...")
