"""Tables, figures and the report of collected runs, on several cores."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from timefair.basics.errors import InputError
from timefair.cli.common import entry, refuse_mixed, status_of
from timefair.cli.paths import prepare_files, prepare_folder, read_picture, read_table

if TYPE_CHECKING:
    from timefair.campaign.configuration import Campaign
    from timefair.rundata.runs import Runs


def together(collected: Sequence[Path], campaign: Campaign) -> Runs:
    """The runs of some files, if they may be in one table."""
    from timefair.rundata.runs import Runs

    runs = Runs.read(collected)
    refuse_mixed(runs.origins, campaign, runs.nodes)
    _refuse_several_clocks(runs, campaign)
    return runs


def _refuse_several_clocks(runs: Runs, campaign: Campaign) -> None:
    """Refuse foreign clocks of several files, if not allowed, and say whose times are left out."""
    from timefair.records.schema import FOREIGN_CLOCK

    foreign = {label: of for label, of in runs.sources.items() if of.get(FOREIGN_CLOCK)}
    apart = sorted(foreign.keys() - set(runs.frame["algorithm"]))
    if apart:
        print(
            f"timefair: {', '.join(apart)}: times are of a foreign clock; left out beside measured "
            "runs",
            file=sys.stderr,
        )
        return
    files = sorted({of["sha256"]: of["path"] for of in foreign.values()}.values())
    if len(files) > 1 and campaign.statistics.mixed == "refuse":
        raise InputError(
            f"times of {len(files)} foreign clocks ({', '.join(files)}); join the files if one "
            "machine has timed them all, or set statistics.mixed: allow"
        )


def make_tables(campaign: Campaign, collected: Sequence[Path], folder: Path, cores: int = 1) -> int:
    """Make all tables and figures in ``tables/`` and ``figures/`` of a folder.

    The runs are read once, and each folder of `exhibits` is a fork of this process, if there are
    several cores. Threads do not survive a fork, so this process starts none.

    Returns
    -------
    int
        The exit status: 0, or that of the first fork that failed.
    """
    from timefair.analysis import make, remove_mark, write_captions
    from timefair.exhibits.registry import TABLES

    for path in (folder, folder / "tables"):
        prepare_folder(path)
    remove_mark(folder)
    write_captions(campaign, folder)
    runs = load(campaign, collected)
    rooms: dict[str, list[str]] = {}
    for name in campaign.made_tables:
        rooms.setdefault(TABLES[name].room, []).append(name)
    order = sorted(rooms.values(), key=len, reverse=True)
    if cores == 1:
        make([name for names in order for name in names], campaign, folder, runs)
        return 0
    return forked([partial(make, names, campaign, folder, runs) for names in order], cores)


def load(campaign: Campaign, collected: Sequence[Path]) -> Runs:
    """The runs, with what most tables need of them, and all modules that make something.

    The events of the runs are read here, too, if there are not too many.
    """
    from timefair.exhibits.registry import FIGURES, TABLES
    from timefair.rundata.runs import UNITS
    from timefair.rundata.settings import Analysis

    needed = ["timefair.exhibits.files", *(TABLES[name].module for name in campaign.made_tables)]
    needed += (FIGURES[name].renderer.partition(":")[0] for name in campaign.figure_names)
    for module in needed:
        import_module(module)
    runs = together(collected, campaign)
    analysis = Analysis.of(campaign.analysis_settings).suited(runs.optimum)
    suited = runs.with_targets_in_values(bool(analysis.target_values))
    for unit in UNITS:
        suited.runtimes(unit, analysis.targets_from_easy)
    return runs


def forked(work: Iterable[Callable[[], None]], cores: int) -> int:
    """Do some work in forks of this process, and return the exit status."""
    from timefair.linux.kernel import interruptible
    from timefair.processes.jobs import in_forks

    def whole(one: Callable[[], None]) -> int:
        with interruptible():
            return status_of(one)

    with interruptible():
        return in_forks([partial(whole, one) for one in work], cores)


def make_report(campaign: Campaign, folder: Path) -> None:
    """Write the report, the checklist and a document of all tables, of the tables in a folder."""
    from timefair import latex
    from timefair.analysis import pictures
    from timefair.exhibits import files
    from timefair.exhibits.registry import FIGURES
    from timefair.report import checklist_page
    from timefair.report.page import page

    paths = {name: folder / "tables" / f"{name}.parquet" for name in campaign.made_tables}
    tables = {name: read_table(path, name) for name, path in paths.items() if path.exists()}
    if not tables:
        raise InputError(f"{folder}: has no tables; start snakemake and wait until it ends")
    others = {page.file(name) for name in FIGURES for page in campaign.pages_of(name) if page.name}
    shown = {  # of figures with several pages, the overview
        entry("figure", path.stem, FIGURES).name: read_picture(path)
        for path in map(Path, pictures(campaign, str(folder)))
        if path.stem not in others and path.exists()
    }
    document = folder / "tables" / "tables.tex"
    prepare_files([folder / "report.html", folder / "checklist.html", document])
    text = page(tables, shown, campaign)
    (folder / "report.html").write_text(text, encoding="utf-8")
    if (frame := tables.get("checklist")) is not None:
        text = checklist_page.page(files.as_rows(frame), campaign.name, frame.attrs["perturbed"])
        (folder / "checklist.html").write_text(text, encoding="utf-8")
    document.write_text(latex.document(campaign.table_names), encoding="utf-8")
