"""The files that the analysis of a campaign makes, and the process that makes them."""

from __future__ import annotations

import filecmp
import shutil
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from timefair.basics.errors import InputError
from timefair.basics.extension import each
from timefair.exhibits.charts.pages import Page
from timefair.exhibits.registry import FIGURES, TABLES, Table
from timefair.records.rundata.settings import Analysis

if TYPE_CHECKING:
    import pandas as pd

    from timefair.campaign.configuration import Campaign
    from timefair.records.rundata.runs import Runs

Flag = Callable[..., str]
"""A function that marks the path of an output, such as Snakemake's ``report``."""

MADE = ".made"  # folder of the mark that the tables are made, in the same folder as ``tables``
SHOWN = ("svg", "png", "pdf")  # for Snakemake's report, the first that the campaign makes


def _plain(path: str, **_: object) -> str:
    return path


def outputs(
    campaign: Campaign,
    results: str,
    folder: Path | None = None,
    report: Flag = _plain,
    update: Flag = _plain,
) -> dict[str, str]:
    """The files of all tables and figures in ``results/<campaign>``, each under a name of its own.

    `folder` is the same folder on the disk, because a module may have a prefix. `report` and
    `update` are Snakemake's flags: for its report, and for files that outlive a failure.
    """
    files: dict[str, str] = {}
    place = Path(results) if folder is None else folder

    def flags(of: Table, name: str, kind: str, **labels: str) -> dict[str, Any]:
        labels |= {
            "seconds": campaign.statistics.time, "perturbed runs": campaign.timing.perturbed,
        }  # fmt: skip
        placed = {"category": of.family, "subcategory": kind, "labels": labels}
        return placed | {"caption": caption(place, name)}

    for name in campaign.made_tables:
        stem = f"{results}/tables/{name}"
        shown = flags(TABLES[name], f"table_{name}", "Tables", table=TABLES[name].title)
        files[f"{name}_csv"] = update(report(f"{stem}.csv", **shown))
        files[f"{name}_parquet"] = update(f"{stem}.parquet")
        if name in campaign.table_names:
            files[f"{name}_tex"] = update(f"{stem}.tex")
    for name in campaign.figure_names:
        of = FIGURES[name]
        for page in campaign.pages_of(name):
            shown = flags(TABLES[of.table], name, "Figures", figure=of.title, page=page.label)
            for ending in campaign.figures.formats:
                path = f"{results}/figures/{page.file(name)}.{ending}"
                if ending == _shown(campaign):
                    path = report(path, **shown)
                files[f"{page.file(name)}_figure_{ending}"] = update(path)
    return files


def caption(folder: Path, name: str) -> str:
    """The file with the caption of a figure, or of ``table_<name>``, for Snakemake's report."""
    return str(folder.absolute() / MADE / "captions" / f"{name}.rst")


def write_captions(campaign: Campaign, folder: Path) -> None:
    """Write the captions of all tables and figures, as reStructuredText."""
    from timefair.exhibits.exhibit import plain

    made = {f"table_{name}": TABLES[name].exhibit.caption for name in campaign.made_tables}
    made |= {name: FIGURES[name].figure.printed_caption for name in campaign.figure_names}
    (folder / MADE / "captions").mkdir(parents=True, exist_ok=True)
    for name, text in made.items():
        Path(caption(folder, name)).write_text(plain(text).replace("`", "``") + "\n", "utf-8")


def pictures(campaign: Campaign, results: str) -> list[str]:
    """The figures that the page can show, if there is a format for it: the overviews."""
    first = _shown(campaign)
    if first == "pdf":
        return []
    return [f"{results}/figures/{name}.{first}" for name in campaign.figure_names]


def _shown(campaign: Campaign) -> str:
    return next(ending for ending in SHOWN if ending in campaign.figures.formats)


def maker(campaign: Campaign, folder: Path, runs: Runs) -> Callable[[str], pd.DataFrame]:
    """What makes a table of the campaign in a folder, by name, of some runs."""
    added = {"added": dict(each("settings", campaign, folder))}
    return lambda name: TABLES[name](runs, Analysis.of(campaign.settings_of(name) | added))


def make(
    tables: Collection[str], campaign: Campaign, folder: Path, runs: Runs, *, figures: bool = True
) -> None:
    """Write some tables and their figures; ``tables`` of `folder` exists."""
    from timefair.exhibits import files

    made = maker(campaign, folder, runs)
    for name in tables:
        frame = made(name)
        stem = folder / "tables" / name
        for ending in (".parquet", ".csv"):
            files.write(frame, stem.with_suffix(ending), TABLES[name].exhibit.columns)
        if name in campaign.table_names:
            text = typeset(name, frame, campaign)
            stem.with_suffix(".tex").write_text(text, encoding="utf-8")
        for figure in campaign.figure_names if figures else ():
            if FIGURES[figure].table == name:
                _draw(figure, frame, campaign, folder / "figures")


def _draw(name: str, frame: pd.DataFrame, campaign: Campaign, folder: Path) -> None:
    """Draw the pages of a figure, and remove those that only a former campaign had."""
    from timefair.exhibits.charts import style

    folder.mkdir(exist_ok=True)
    pages = {page.file(name): page for page in campaign.pages_of(name)}
    for file in folder.glob(f"{name}_*"):
        ours = file.suffix[1:] in campaign.figures.formats and Page.is_of(name, file.stem)
        if ours and file.stem not in pages:
            file.unlink()
    for stem, page in pages.items():
        with style.applied():
            style.save(
                FIGURES[name](frame, page),
                *(folder / f"{stem}.{ending}" for ending in campaign.figures.formats),
            )


def typeset(name: str, frame: pd.DataFrame, campaign: Campaign) -> str:
    """A table of a campaign as LaTeX."""
    from timefair.exhibits import latex

    stated = set() if "evaluations" in campaign.lacks else latex.LIMITS
    budget = campaign.budget.model_dump(include=stated)
    setting = latex.Setting(Analysis.of(campaign.analysis_settings), **budget)
    exhibit = TABLES[name].exhibit
    return latex.typeset(exhibit, frame, exhibit.printed(frame), setting)


def rebuild(folder: Path, say: Callable[[str], None]) -> int:
    """Make every table of ``results/NAME`` again, from its collected runs; nothing there changes.

    `say` gets one line for each file that is missing or has other bytes. Returns the number of
    files that were made: CSV, Parquet and LaTeX. `InputError` if there are no tables, or nothing
    can be read.
    """
    import tempfile

    from timefair.campaign import collected, configuration, plan
    from timefair.exhibits import latex
    from timefair.records.rundata.runs import Runs

    if not (folder / "tables").is_dir():
        raise InputError(f"{folder}: has no tables to compare; a compact archive contains none")
    campaign = configuration.restore(folder / plan.SNAPSHOT)
    with tempfile.TemporaryDirectory(prefix="timefair-rebuild-") as place:
        empty = Path(place)
        for name in each("files", campaign, folder):
            if (folder / name).is_file():
                shutil.copyfile(folder / name, empty / name)
        (empty / "tables").mkdir()
        files = [folder / collected.ROOM / f"{label}.parquet" for label in campaign.labels]
        runs = Runs.read(collected.chosen(files, campaign, folder))
        make(campaign.made_tables, campaign, empty, runs, figures=False)
        document = latex.document(campaign.table_names)
        (empty / "tables/tables.tex").write_text(document, encoding="utf-8")
        made = sorted((empty / "tables").iterdir())
        for path in made:
            archived = folder / "tables" / path.name
            if not archived.is_file():
                say(f"{archived}: missing")
            elif not filecmp.cmp(archived, path, shallow=False):
                say(f"{archived}: has other bytes than the table that is made here of the runs")
    return len(made)
