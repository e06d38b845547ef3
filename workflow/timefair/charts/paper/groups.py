"""Summarizes curves of many functions by the groups of their suite, for overviews."""

from __future__ import annotations

import numpy as np
import pandas as pd

from timefair.basics.together import ALL
from timefair.charts.pages import COLUMNS, LINES
from timefair.problems import names

SOLVED = 1e-8
"""Lower bound of precisions in a geometric mean. Otherwise, a single 0 would make the mean 0."""


def shares(frame: pd.DataFrame, x: str) -> pd.DataFrame:
    """The share over all functions and over those of each group.

    Rows of all functions keep their limits. A group has no limits. Its share is the average over
    its functions, weighted by their runs; it ends where the first of their curves does.

    Parameters
    ----------
    frame : DataFrame
        With the columns ``suite``, ``dimension``, ``function`` (a number or ``all``),
        ``algorithm``, `x`, ``runs``, ``fraction``, ``low`` and ``high``.
    x : str
        The column of the horizontal axis.
    """
    everywhere = frame["function"].astype(str) == ALL
    grouped = _grouped(frame[~everywhere], every=not everywhere.any())
    shares = ["fraction", "observed"]
    curves = grouped.groupby(_keys(x)[:-1], observed=True, sort=False)
    functions = curves["number"].transform("nunique")
    weighted = grouped[shares].mul(grouped["runs"], axis=0)
    grouped = grouped.assign(**weighted, functions=functions, here=1)
    summed = {**dict.fromkeys((*shares, "runs", "here"), "sum"), "functions": "first"}
    sums = grouped.groupby(_keys(x), observed=True, sort=False).agg(summed)
    sums = sums[sums["here"] == sums["functions"]]
    sums[shares] = sums[shares].div(sums["runs"], axis=0)
    return pd.concat([frame[everywhere], sums.assign(low=np.nan, high=np.nan).reset_index()])


def geometric_means(frame: pd.DataFrame, x: str, value: str) -> pd.DataFrame:
    """The geometric mean of a precision over all functions and over those of each group.

    There is no value where a function of the group has no finite value.

    Parameters
    ----------
    frame : DataFrame
        With the columns ``suite``, ``dimension``, ``function``, ``algorithm``, `x` and `value`.
    x, value : str
        The column of the horizontal axis, and that of the precision.
    """
    grouped = _grouped(frame[np.isfinite(frame[value])], every=True)
    grouped = grouped.assign(log=np.log10(np.maximum(grouped[value], SOLVED)))
    sums = grouped.groupby(_keys(x), observed=True, sort=False).agg(
        mean=("log", "mean"), size=("log", "size"), observed=("observed", "mean")
    )
    sums = sums.reset_index()
    needed = _sizes(_grouped(frame, every=True))
    complete = sums["size"].to_numpy() == needed.loc[list(sums["function"])].to_numpy()
    means: pd.DataFrame = sums[complete].assign(**{value: 10.0 ** sums.loc[complete, "mean"]})
    return means


def _keys(x: str) -> list[str]:
    return ["suite", "dimension", "function", "algorithm", x]


def _grouped(frame: pd.DataFrame, *, every: bool) -> pd.DataFrame:
    """The rows once with the name of their group, and once for all functions if `every`.

    Without groups that fit on a page, there are only the rows for all functions. If it is not
    known whether runs were cut off, all count as observed.
    """
    frame = frame if "observed" in frame else frame.assign(observed=1.0)
    parts = [frame.assign(function=ALL, number=frame["function"])] if every else []
    for suite, rows in frame.groupby("suite", sort=True):
        groups = names.of_suite(str(suite)).groups
        of_function = {str(f): name for name, numbers in groups.items() for f in numbers}
        group = rows["function"].astype(str).map(of_function)
        there = [name for name in groups if (group == name).any()]
        lines = frame["dimension"].nunique() * -(-(1 + len(there)) // COLUMNS)
        if len(there) > 1 and lines <= LINES:
            order = pd.Categorical(group, categories=there, ordered=True)
            ordered = rows.assign(function=group, number=rows["function"])
            parts.append(ordered.iloc[np.argsort(order.codes, kind="stable")])
    return pd.concat(parts) if parts else frame.assign(number=frame["function"]).iloc[:0]


def _sizes(grouped: pd.DataFrame) -> pd.Series:
    """Number of functions of each group."""
    return grouped.groupby("function", sort=False)["number"].nunique()
