"""Jobs of the analysis as forks of prepared processes that have imported the needed modules.

A rule calls `timefair collect`, `make-room` or `report`. Such a command asks a prepared process of
its snakemake to do the work, and does it itself where there is none. One process collects records.
The second one, a fork of it, has also imported what tables and figures need, and makes the report.
The third one, a fork of the second, has also read the runs, and makes tables and figures. The first
job has the first process made: ``python -P -m timefair.cli.analysing SNAPSHOT SNAKEMAKE LISTENER
STARTER``.
"""

from __future__ import annotations

import argparse
import gc
import os
import socket
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from timefair.basics.garbage import uncollected
from timefair.campaign.holder import snakemake_above
from timefair.cli.common import one_thread, status_of
from timefair.cli.paths import state_of
from timefair.processes import prepared

if TYPE_CHECKING:
    from timefair.campaign.configuration import Campaign
    from timefair.processes.serving import Task


_ALWAYS = (
    "timefair.analysis.room",
    "timefair.exhibits.files",
    "timefair.latex",
    "timefair.report.page",
    "timefair.report.checklist_page",
    "timefair.rundata.runs",
    "pandas.io.formats.csvs",
    "pandas.core.reshape.reshape",
    "pyarrow.dataset",
    "pyarrow.pandas_compat",
    "scipy.stats",
)
"""Modules that jobs import when they get there, of ours and of libraries."""

_FORMATS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "pdf": ("matplotlib.backends.backend_pdf", "fontTools.subset"),
        "svg": ("matplotlib.backends.backend_svg",),
        "png": ("matplotlib.backends.backend_agg", "PIL.PngImagePlugin"),
    }
)
"""The same for a format of figures."""


def forked(arguments: argparse.Namespace) -> int | None:
    """Have a fork of the prepared process call `arguments.work`, or call it here.

    Parameters
    ----------
    arguments
        ``words`` is the command line that they were read from.
    """
    one_thread()  # a variable that differs would have another process prepared
    folder = arguments.campaign.absolute().parent
    if (snakemake := snakemake_above(folder)) is not None:
        levels = [
            prepared.Level(prepared.address(snakemake, folder, *names), request)
            for names, request in _stages(arguments)
        ]
        words = [sys.executable, "-P", "-m", __name__, str(arguments.campaign), str(snakemake)]
        status = prepared.hand_over(levels, {"words": arguments.words}, words, os.environ)
        if status is not None:
            return status
    work: int | None = arguments.work(arguments)
    return work


def _stages(arguments: argparse.Namespace) -> Iterator[tuple[list[object], prepared.Request]]:
    """The names of each prepared process, and the request that has it made of the previous one."""
    yield ["collection"], {}
    if arguments.words[0] == "collect":
        return
    yield ["analysis"], {}
    if arguments.words[0] == "make-room":
        files = list(map(str, arguments.collected))
        yield ["runs", *files, *map(state_of, arguments.collected)], {"collected": files}


def serve(snapshot: str, snakemake: str, listener: str, starter: str) -> int:
    """Be the prepared process that collects records."""
    from timefair.processes import serving

    serving.begin(int(starter))
    one_thread()

    def be() -> None:
        with uncollected():
            from timefair.campaign import configuration
            from timefair.cli import parser

            parser("collect")
            import_module("timefair.records.collect")
            campaign = configuration.restore(Path(snapshot))
        _wait_for_jobs(campaign, int(snakemake), socket.socket(fileno=int(listener)))

    return status_of(be)


def _wait_for_jobs(
    campaign: Campaign,
    snakemake: int,
    listener: socket.socket,
    starter: socket.socket | None = None,
) -> None:
    from timefair.processes import serving

    gc.freeze()  # no collection in a fork visits, and so copies, what all forks share

    def work(task: Task) -> int:
        if task.listener is None:
            return _work(task)
        return status_of(partial(_become, campaign, snakemake, task))

    serving.serve(listener, snakemake, work, starter)


def _become(campaign: Campaign, snakemake: int, task: Task) -> None:
    """Be the prepared process that makes tables and figures, or the one that has also read runs, in
    a fork of the previous one.
    """
    assert task.listener is not None
    if "collected" in task.request:
        read(map(Path, task.request["collected"]), campaign)
    else:
        load(campaign)
    _wait_for_jobs(campaign, snakemake, task.listener, task.connection)


def _work(task: Task) -> int:
    from timefair.cli import parser
    from timefair.linux.interruption import interruptible

    words = task.request["words"]

    def work() -> int | None:
        with interruptible():
            arguments = parser(words[0]).parse_args(words)
            status: int | None = arguments.work(arguments)
            return status

    return status_of(work)


@uncollected()
def load(campaign: Campaign) -> None:
    """Import what the analysis of a campaign needs, and read the code that its keys are made of.

    It starts no thread: threads do not survive a fork. Collecting garbage would take a sixth of the
    time.
    """
    from timefair.campaign import provenance
    from timefair.cli import parser
    from timefair.exhibits.registry import FIGURES, TABLES

    parser()  # imports the modules of the commands
    needed = [*_ALWAYS]
    for name in campaign.made_tables:
        needed.append(f"timefair.exhibits.{TABLES[name].module}")
        provenance.table_key(name)
    for name in campaign.figure_names:
        needed.append(FIGURES[name].renderer.partition(":")[0])
        provenance.figure_key(name)
    if campaign.figure_names:
        needed += (module for ending in campaign.figures.formats for module in _FORMATS[ending])
    for module in needed:
        import_module(module)
    provenance.typeset_key()


@uncollected()
def read(collected: Iterable[Path], campaign: Campaign) -> None:
    """Read the runs, for all forks of this process; their events, too, if there are not too many.

    Their costs to the targets are computed here, because tables of most rooms need them. No thread
    is started, as in `load`.
    """
    from timefair.cli.analysis import together
    from timefair.rundata.runs import UNITS
    from timefair.rundata.settings import Analysis

    runs = together(tuple(collected), campaign)
    analysis = Analysis.of(campaign.analysis_settings).suited(runs.optimum)
    runs = runs.with_targets_in_values(bool(analysis.target_values))
    for unit in UNITS:
        runs.runtimes(unit, analysis.targets_from_easy)


if __name__ == "__main__":
    raise SystemExit(serve(*sys.argv[1:]))
