"""The part of the checklist on biases."""

from __future__ import annotations

from collections.abc import Iterator

from timefair.exhibits.campaign.checklist_parts import ChecklistPart
from timefair.extensions.bias.kept import KEY, sentence
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis


def checklist(runs: Runs, analysis: Analysis) -> Iterator[ChecklistPart]:
    """What an audit of the campaign's algorithms found; nothing without one."""
    if rows := analysis.added.get(KEY):
        yield ChecklistPart("Biases", sentence(rows))
