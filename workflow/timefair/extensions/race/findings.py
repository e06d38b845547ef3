"""Sentences on a campaign-wide race: what it decided, and how it allocated the runs."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from timefair.basics.words import counted, listed, percent
from timefair.report.evidence import Evidence, Space

MOST_PAIRS = 3
"""Number of pairs without an order that are named; the others are counted."""


def findings(evidence: Evidence, space: Space) -> Iterator[str]:
    """Sentences on the pairs and on the runs; none without a campaign-wide race."""
    pairs = evidence.of("decided_pairs", space)
    if pairs.empty:
        return
    yield _order(pairs, float(pairs["confidence"].iloc[0]))
    cells = evidence.of("allocation", space)
    if len(cells):
        yield _left_out(cells)


def _order(pairs: pd.DataFrame, confidence: float) -> str:
    decided = pairs["better"].notna()
    if len(pairs) == 1:
        first, second = map(str, pairs[_names(pairs)].iloc[0])
        return _only(first, second, pairs["better"].iloc[0], confidence)
    wins = pairs["better"].value_counts()
    said = (
        f"The campaign-wide race decided the order of {int(decided.sum())} of "
        f"{counted(len(pairs), 'pair')} of algorithms over the functions, by the precision at the "
        f"end (mean A12; all orders are right with {percent(confidence)} confidence)"
    )
    most = int(wins.max()) if len(wins) else 0
    leaders = sorted(str(name) for name in wins.index[wins == most])
    if len(leaders) == 1:
        said += f"; {leaders[0]} is better than {counted(most, 'other algorithm')}"
    undecided = [f"{a} and {b}" for a, b in pairs.loc[~decided, _names(pairs)].to_numpy()]
    if undecided:
        more = len(undecided) - MOST_PAIRS
        shown = undecided[:MOST_PAIRS] + ([f"{more} more"] if more > 0 else [])
        said += f". Not decided: {'; '.join(shown)}"
    return f"{said}."


def _only(first: str, second: str, better: str | None, confidence: float) -> str:
    """The only pair of a race: two algorithms, or those of a registered question."""
    measure = f"by the precision at the end (mean A12, {percent(confidence)} confidence)"
    if pd.isna(better):
        return f"The campaign-wide race did not decide the order of {first} and {second} {measure}."
    worse = second if better == first else first
    return f"The campaign-wide race decided that {better} is better than {worse} {measure}."


def _names(pairs: pd.DataFrame) -> list[str]:
    return [name for name in ("algorithm_a", "algorithm_b") if name in pairs]


def _left_out(cells: pd.DataFrame) -> str:
    """How the runs are divided, and which cases have only the runs of the first round."""
    least, most = int(cells["runs"].min()), int(cells["runs"].max())
    early = cells[cells["last_round"] == 1]
    complete = early.groupby("algorithm", observed=True).size()
    every = cells.groupby("algorithm", observed=True).size()
    alone = sorted(str(name) for name in complete.index if complete[name] == every[name])
    said = (
        f"It gave each algorithm {least} to {most} runs per function. In {len(early)} of "
        f"{len(cells)} cases, there were no runs after the first round"
    )
    if alone:
        said += f"; {listed(alone)} had none on any function"
    return f"{said}. The table allocation contains the reasons."
