"""The tables of a campaign, made again in an empty folder and compared byte for byte."""

from __future__ import annotations

import filecmp
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from timefair import latex
from timefair.analysis import make
from timefair.basics.errors import InputError
from timefair.campaign import collected, configuration, plan, registration
from timefair.campaign.configuration import Campaign
from timefair.rundata.runs import Runs


def rebuild(folder: Path, say: Callable[[str], None]) -> int:
    """Make every table of a campaign again, from its collected runs.

    Parameters
    ----------
    folder
        ``results/NAME``; nothing in it changes.
    say
        Called with one line for each file that is missing or has other bytes.

    Returns
    -------
    int
        The number of files that were made: CSV, Parquet and LaTeX.

    Raises
    ------
    InputError
        If there are no tables, or the campaign or its collected runs cannot be read.
    """
    if not (folder / "tables").is_dir():
        raise InputError(f"{folder}: has no tables to compare; a compact archive contains none")
    campaign = configuration.restore(folder / plan.SNAPSHOT)
    with tempfile.TemporaryDirectory(prefix="timefair-rebuild-") as place:
        empty = Path(place)
        _make(campaign, folder, empty)
        made = sorted((empty / "tables").iterdir())
        for path in made:
            archived = folder / "tables" / path.name
            if not archived.is_file():
                say(f"{archived}: missing")
            elif not filecmp.cmp(archived, path, shallow=False):
                say(f"{archived}: has other bytes than the table that is made here of the runs")
    return len(made)


def _make(campaign: Campaign, folder: Path, empty: Path) -> None:
    if (folder / registration.FILE).is_file():
        shutil.copyfile(folder / registration.FILE, empty / registration.FILE)
    (empty / "tables").mkdir()
    files = [folder / collected.ROOM / f"{label}.parquet" for label in campaign.labels]
    files = collected.chosen(files, campaign, folder)
    make(campaign.made_tables, campaign, empty, Runs.read(files), figures=False)
    document = latex.document(campaign.table_names)
    (empty / "tables/tables.tex").write_text(document, encoding="utf-8")
