"""Selects the data of one algorithm on one suite."""

from __future__ import annotations

from collections import Counter, defaultdict

from timefair.basics.errors import InputError
from timefair.published.cautions import Cautions
from timefair.published.runs import DataSet

SHOWN = 8
"""The largest number of names in a message."""


def one_algorithm(
    sets: list[DataSet], wanted: str | None, cautions: Cautions
) -> tuple[str, list[DataSet]]:
    """Select the data sets of one algorithm.

    Several names count as one algorithm if all data are in one folder and each function and
    dimension has a single name: some authors changed the name between experiments.

    Parameters
    ----------
    sets : list of DataSet
        At least one.
    wanted : str or None
        Name of the algorithm in the data; None if the data contain one algorithm.
    cautions : Cautions
        Receives a line if several names are read as one algorithm.

    Returns
    -------
    str, list of DataSet
        The name and its data sets.

    Raises
    ------
    InputError
        If there are several algorithms and `wanted` is None, or `wanted` is not among them.
    """
    names = Counter(one.algorithm for one in sets)
    shown = ", ".join(sorted(names)[:SHOWN]) + (", …" if len(names) > SHOWN else "")
    if wanted is not None:
        if wanted not in names:
            raise InputError(f"no data of the algorithm {wanted!r}; available: {shown}")
        return wanted, [one for one in sets if one.algorithm == wanted]
    ((name, _), *others) = names.most_common()
    if others:
        if not _of_one_experiment(sets):
            raise InputError(
                f"data of {len(names)} algorithms ({shown}); choose one with --algorithm, or with "
                "`algorithm` in the campaign"
            )
        cautions.add("", f"{len(names)} names of the algorithm ({shown}); read as one algorithm")
    return name, sets


def _of_one_experiment(sets: list[DataSet]) -> bool:
    names = defaultdict(set)
    for one in sets:
        names[one.function, one.dimension].add(one.algorithm)
    return len({one.index.parent for one in sets}) == 1 and all(
        len(same) == 1 for same in names.values()
    )


def one_suite(sets: list[DataSet], wanted: str | None) -> tuple[str, list[DataSet]]:
    """Select the data sets on one suite.

    Parameters
    ----------
    sets : list of DataSet
        At least one.
    wanted : str or None
        Name of the suite of the campaign, if there is one.

    Returns
    -------
    str, list of DataSet
        The wanted suite if the data have it, else their only suite, and the data sets on it.

    Raises
    ------
    InputError
        If there are several suites and `wanted` is not among them.
    """
    suites = sorted({one.suite for one in sets})
    if wanted in suites:
        return wanted, [one for one in sets if one.suite == wanted]
    if len(suites) > 1:
        raise InputError(
            f"data of {len(suites)} suites ({', '.join(suites)}); give a folder with data of one"
        )
    return suites[0], sets
