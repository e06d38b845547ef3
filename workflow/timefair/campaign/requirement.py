"""Checks whether runs of a campaign may begin: its extensions, and what it requires here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from timefair.basics.errors import InputError
from timefair.basics.extension import each
from timefair.machine.facts import some_facts
from timefair.records.integrity import NEEDED, shortcoming

if TYPE_CHECKING:
    from pathlib import Path

    from timefair.campaign.configuration import Campaign


def permit(campaign: Campaign, folder: Path) -> None:
    """Raise `InputError` if runs of the campaign, in ``results/NAME``, may not begin."""
    if faults := list(each("before_runs", campaign, folder)):
        raise InputError(*faults)


def check(campaign: Campaign) -> None:
    """Raise `InputError` if this machine does not meet the requirements of the campaign."""
    if fault := shortcoming_here(campaign):
        raise InputError(fault)


def shortcoming_here(campaign: Campaign) -> str:
    """One line if this machine does not meet the requirements of the campaign, else empty."""
    required = campaign.machine.required
    return shortcoming(required, some_facts(NEEDED)) if required else ""
