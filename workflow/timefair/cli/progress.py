"""The progress of a campaign: the line that shows it, and the command."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import time
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from timefair.basics.errors import InputError
from timefair.basics.words import rough
from timefair.cli.common import Commands, one_thread

if TYPE_CHECKING:
    from timefair.campaign.configuration import Campaign
    from timefair.campaign.progress import CampaignProgress

EVERY_S = 5.0


class StatusLine:
    """A line with the state of a command; in a terminal (None: ask), each replaces the last."""

    def __init__(self, stream: TextIO, *, terminal: bool | None = None) -> None:
        self._stream = stream
        self.terminal = stream.isatty() if terminal is None else terminal
        self._last = ""

    def show(self, text: str) -> None:
        """Print a state, unless it is the last one."""
        if text != self._last:
            self._write(f"\r\x1b[K{_fitted(text)}" if self.terminal else f"{text}\n")
        self._last = text

    def above(self, text: str) -> None:
        """Print another text above the line."""
        self._write(f"\r\x1b[K{text}\n{_fitted(self._last)}" if self.terminal else f"{text}\n")

    def end(self) -> None:
        """End the line; print the last state completely if it did not fit into the terminal."""
        if self.terminal and self._last:
            fits = _fitted(self._last) == self._last
            self._write("\n" if fits else f"\r\x1b[K{self._last}\n")
        self._last = ""

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


def _fitted(text: str) -> str:
    return text[: shutil.get_terminal_size().columns - 1]


def add_to(commands: Commands) -> None:
    """Add the commands of this module."""
    progress = commands.add_parser(
        "progress",
        help="show the progress of a campaign: runs done, failed, perturbed, time left",
        description="Prints in one line how many runs of a campaign are done, how many of them "
        "failed or were perturbed, the measuring time so far, and the estimated remaining time. "
        "It reads records and journals, locks nothing and writes nothing, so "
        "you can call it at any time, from any machine that can read the folder.",
        example="timefair progress results/default\ntimefair progress results/default --watch",
    )
    progress.add_argument("folder", type=Path, metavar="DIR", help="results/NAME")
    progress.add_argument(
        "--watch", type=float, nargs="?", const=EVERY_S, metavar="S",
        help=f"repeat every S seconds ({EVERY_S:g}) until the campaign is complete",
    )  # fmt: skip
    progress.set_defaults(command=_progress)


def _progress(arguments: argparse.Namespace) -> None:
    one_thread()
    from timefair.campaign.progress import ProgressReader

    if arguments.watch is not None and not 0 < arguments.watch < inf:
        raise InputError(f"--watch: {arguments.watch:g}: should be seconds above 0")
    reader, status = ProgressReader(arguments.folder), StatusLine(sys.stdout)
    while True:
        progress = reader.look()
        status.show(line(reader.campaign, progress))
        if arguments.watch is None or progress.reported:
            status.end()
            return
        time.sleep(arguments.watch)


def line(campaign: Campaign, progress: CampaignProgress) -> str:
    """The progress of a campaign as one line of text."""
    runs = f"all {progress.runs} runs"
    if not progress.measured:
        runs = share(campaign, progress.runs, progress.wanted)
    counts = {
        "failed": progress.failed,
        "perturbed": progress.perturbed,
        "damaged (timefair verify names them)": progress.damaged,
    }
    faults = [f"{count} {what}" for what, count in counts.items() if count]
    parts = [f"{campaign.name}: {runs}", *faults]
    return "; ".join([", ".join(parts), *_times(campaign, progress)])


def share(campaign: Campaign, done: int, wanted: int) -> str:
    """How many runs are done: ``120 of at most 480 runs (25 %)``."""
    most = "" if campaign.stopping.rule == "fixed" else "at most "
    return f"{done} of {most}{wanted} runs ({100 * done // max(wanted, 1)} %)"


def _times(campaign: Campaign, progress: CampaignProgress) -> list[str]:
    from timefair.campaign import plan

    if progress.measured:
        report = "the report is made" if progress.reported else "no report yet"
        return [f"measured in {rough(progress.worked_s)}", report]
    if progress.left_s is not None:
        return [f"{rough(progress.worked_s)} so far", f"about {rough(progress.left_s)} left"]
    cores = len(os.sched_getaffinity(0))
    seconds = plan.wall_seconds(campaign, cores)
    return [] if seconds is None else [f"at most about {rough(seconds)} on {cores} core(s)"]
