"""The reporting checklist of *time-fair*, section 4, filled from the measurements."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pandas as pd

from timefair.exhibits import questions
from timefair.exhibits.campaign.items import (
    budget,
    machine,
    reproduction,
    restarts,
    results,
    targets,
    tuning,
    uncertainty,
)
from timefair.exhibits.campaign.items.part import ChecklistPart
from timefair.exhibits.exhibit import Column, column_names, exhibit
from timefair.exhibits.layout import Layout, Value
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis

COLUMNS = (
    Column("item", "number of the item in the paper"),
    Column("topic", "topic of the item", text=True),
    Column("part", "part of the item", text=True),
    Column("met", "whether the part is met; empty if it was not measured, which is not required"),
    Column(
        "evidence", "what the records, or the campaign, state; empty if there is none", text=True
    ),
    Column("missing", "why the part is not met; empty otherwise", text=True),
)

ITEMS: dict[str, Callable[[Runs, Analysis], Iterator[ChecklistPart]]] = {
    "Budget": budget.parts,
    "Restarts": restarts.parts,
    "Targets": targets.parts,
    "Results": results.parts,
    "Statistics": uncertainty.parts,
    "Machine": machine.parts,
    "Tuning": tuning.parts,
    "Code": reproduction.parts,
}
"""The items in the order of the paper, which counts from 1."""


@exhibit(
    "checklist",
    question=questions.REPORTING,
    title="Reporting checklist of time-fair",
    caption="""
    The reporting checklist of *time-fair*, section 4, filled from the records: one row for each
    part of its eight items. An item is met if none of its parts is open. The evidence comes from
    the records or, for tables, figures and the tuning of algorithms, from the configuration of the
    campaign.
    """,
    columns=COLUMNS,
    layouts=[
        Layout(
            caption="Reporting checklist of time-fair, section 4. An item is met if none of its "
            "parts is open; the evidence is what the records state.",
            values=(
                Value("met", "Met"),
                Value("evidence", "Evidence", wrap=38),
                Value("missing", "Missing", wrap=22),
            ),
            rows=("item", "topic", "part"),
        )
    ],
    charged=False,
    complete=True,
    asked=True,
    default=True,
)
def filled(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """One row for each part of each item: whether it is met, the evidence, and what is missing.

    ``missing`` is a text if and only if ``met`` is false. ``met`` is null if nobody measured the
    part.
    """
    rows = [
        (number, topic, part.name, part.met, part.evidence or None, part.missing or None)
        for number, (topic, parts) in enumerate(ITEMS.items(), start=1)
        for part in (parts(runs, analysis) if len(runs.frame) else ())
    ]
    frame = pd.DataFrame(rows, columns=column_names(COLUMNS))
    return frame.astype({"item": int, "met": "boolean"})
