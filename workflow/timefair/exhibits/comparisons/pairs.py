"""The columns that name a pair of algorithms."""

from __future__ import annotations

from timefair.exhibits.exhibit import Column

PAIR = (
    Column("algorithm_a", "label of the first algorithm", text=True),
    Column("algorithm_b", "label of the second algorithm", text=True),
)
