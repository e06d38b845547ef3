"""The reporting checklist of *time-fair*, section 4, filled from what was measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pandas as pd

from timefair.tables.campaign.items import (
    budget,
    machine,
    reproduction,
    restarts,
    results,
    targets,
    tuning,
    uncertainty,
)
from timefair.tables.campaign.items.part import Part
from timefair.tables.runs import Runs
from timefair.tables.settings import Analysis

COLUMNS = ["item", "topic", "part", "met", "evidence", "missing"]

ITEMS: dict[str, Callable[[Runs, Analysis], Iterator[Part]]] = {
    "Budget": budget.parts,
    "Restarts": restarts.parts,
    "Targets": targets.parts,
    "Results": results.parts,
    "Statistics": uncertainty.parts,
    "Machine": machine.parts,
    "Tuning": tuning.parts,
    "Code": reproduction.parts,
}
"""In the order of the paper, which counts from 1."""


def filled(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """A row for each part of each item: whether it is met, the evidence, and what is missing.

    An item is met if all its parts are. ``evidence`` and ``missing`` are null where there is none;
    ``missing`` is null exactly where ``met``. What the records say counts, not what the campaign
    asked for; the campaign itself says which tables and figures there are, and how algorithms were
    tuned.
    """
    rows = [
        (number, topic, part.name, part.met, part.evidence or None, part.missing or None)
        for number, (topic, parts) in enumerate(ITEMS.items(), start=1)
        for part in (parts(runs, analysis) if len(runs.frame) else ())
    ]
    return pd.DataFrame(rows, columns=COLUMNS).astype({"item": int, "met": bool})
