"""Whose data are taken: those of one algorithm, on one suite."""

from __future__ import annotations

from collections import Counter, defaultdict

from timefair.basics.errors import InputError
from timefair.published.cautions import Cautions
from timefair.published.runs import DataSet

SHOWN = 8
"""How many names a message has."""


def one_algorithm(
    sets: list[DataSet], wanted: str | None, cautions: Cautions
) -> tuple[str, list[DataSet]]:
    """The name of the one algorithm, and what there is of it.

    Names that differ are of one algorithm if one folder has them, each for functions and dimensions
    of its own: archives have names that their authors changed on the way.

    InputError if there are several and none is wanted, or it is not among them.
    """
    names = Counter(one.algorithm for one in sets)
    shown = ", ".join(sorted(names)[:SHOWN]) + (", …" if len(names) > SHOWN else "")
    if wanted is not None:
        if wanted not in names:
            raise InputError(f"no data of the algorithm {wanted!r}; there are those of {shown}")
        return wanted, [one for one in sets if one.algorithm == wanted]
    ((name, _), *others) = names.most_common()
    if others:
        if not _of_one_archive(sets):
            raise InputError(
                f"data of {len(names)} algorithms ({shown}); give those of one, or name it: "
                "--algorithm, or `algorithm` in the campaign"
            )
        cautions.add("", f"call the algorithm by {len(names)} names ({shown}); taken as one")
    return name, sets


def _of_one_archive(sets: list[DataSet]) -> bool:
    names = defaultdict(set)
    for one in sets:
        names[one.function, one.dimension].add(one.algorithm)
    return len({one.index.parent for one in sets}) == 1 and all(
        len(same) == 1 for same in names.values()
    )


def one_suite(sets: list[DataSet], wanted: str | None) -> tuple[str, list[DataSet]]:
    """The one suite, or the wanted one of several, and what there is on it.

    InputError if there are several, and the wanted one is not among them.
    """
    suites = sorted({one.suite for one in sets})
    if wanted in suites:
        return wanted, [one for one in sets if one.suite == wanted]
    if len(suites) > 1:
        raise InputError(f"data of {len(suites)} suites ({', '.join(suites)}); give those of one")
    return suites[0], sets
