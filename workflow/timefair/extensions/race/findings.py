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
    undecided = [
        f"{a} and {b}" for a, b in pairs.loc[~decided, ["algorithm_a", "algorithm_b"]].to_numpy()
    ]
    if undecided:
        more = len(undecided) - MOST_PAIRS
        shown = undecided[:MOST_PAIRS] + ([f"{more} more"] if more > 0 else [])
        said += f". Not decided: {'; '.join(shown)}"
    return f"{said}."


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
