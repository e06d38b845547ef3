"""The pairs of algorithms that a finding counts if a table lists only some."""

from __future__ import annotations

from math import comb

import pandas as pd

from timefair.report.words import listed


def algorithms_of(rows: pd.DataFrame) -> set[str]:
    """The algorithms of some pairs."""
    return {*rows["algorithm_a"].astype(str), *rows["algorithm_b"].astype(str)}


def pairs_of(rows: pd.DataFrame) -> int:
    """Number of all pairs of the algorithms in some pairs, listed or not."""
    return comb(len(algorithms_of(rows)), 2)


def restricted(rows: pd.DataFrame, note: str) -> str:
    """Addition to the word "pairs" in a sentence if only some are listed, such as `` with DE``.

    Parameters
    ----------
    rows
        The pairs of one space.
    note
        The attribute ``pairs`` of their table: empty if all pairs are listed.
    """
    if not note or rows.empty:
        return ""
    pairs = [set(pair) for pair in zip(rows["algorithm_a"], rows["algorithm_b"], strict=True)]
    common = sorted(set.intersection(*pairs))
    return f" with {listed(common, 'or')}" if common else " that are listed"
