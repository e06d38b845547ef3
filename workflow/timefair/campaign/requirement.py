"""What a campaign requires of the machine, and whether this one has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from timefair.basics.errors import InputError
from timefair.machine.facts import some_facts
from timefair.records.requirement import NEEDED, shortcoming

if TYPE_CHECKING:
    from timefair.campaign.configuration import Campaign


def check(campaign: Campaign) -> None:
    """Raise `InputError` if this machine does not meet the requirements of the campaign."""
    if fault := shortcoming_here(campaign):
        raise InputError(fault)


def shortcoming_here(campaign: Campaign) -> str:
    """One line if this machine does not meet the requirements of the campaign, else empty."""
    required = campaign.machine.required
    return shortcoming(required, some_facts(NEEDED)) if required else ""
