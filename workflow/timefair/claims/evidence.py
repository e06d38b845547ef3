"""The tables from which claims are read, made from the runs of a campaign."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from timefair.basics.errors import InputError
from timefair.campaign import collected, configuration, plan
from timefair.campaign.configuration import Campaign
from timefair.exhibits.registry import TABLES
from timefair.records.integrity import Origins
from timefair.report.evidence import Evidence
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis

_TABLES = ("ert", "comparison", "timing_noise")


@dataclass(frozen=True)
class Study:
    """A campaign with its tables, and the origins of its runs."""

    campaign: Campaign
    evidence: Evidence
    origins: Mapping[str, Origins]
    runs: int


def campaign_of(folder: Path) -> Campaign:
    """The campaign of ``results/NAME``; `InputError` if there is none."""
    if not (folder / plan.SNAPSHOT).is_file():
        raise InputError(f"{folder}: there is no {plan.SNAPSHOT} in it; name results/NAME")
    return configuration.restore(folder / plan.SNAPSHOT)


def study(folder: Path, settings: Campaign) -> Study:
    """Make the tables of a campaign from its collected runs.

    Parameters
    ----------
    folder
        ``results/NAME``.
    settings
        The campaign whose targets and statistics are used, so that two studies can be compared.

    Raises
    ------
    InputError
        If collected runs are missing or damaged.
    """
    files = [folder / collected.ROOM / f"{label}.parquet" for label in settings.algorithms]
    if missing := [path for path in files if not path.is_file()]:
        raise InputError(*(f"{path}: missing; {plan.AGAIN}" for path in missing))
    campaign = campaign_of(folder)
    runs = Runs.read(collected.chosen(files, campaign, folder))
    evidence = evidence_of(runs, settings)
    return Study(campaign, evidence, runs.origins, len(runs.frame))


def evidence_of(runs: Runs, settings: Campaign) -> Evidence:
    """The tables from which claims are read, with the targets and statistics of a campaign."""
    tables = {name: TABLES[name](runs, Analysis.of(settings.settings_of(name))) for name in _TABLES}
    return Evidence(tables, settings.model_copy(update={"published": {}}))
