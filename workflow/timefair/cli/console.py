"""What snakemake prints while it works on a campaign: one line of progress, warnings and errors.

Snakemake's own log file has all of Snakemake's messages. ``--printshellcmds`` and ``--verbose``
print them on the console too.
"""

from __future__ import annotations

import logging
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from snakemake.jobs import Job  # type: ignore[import-untyped]
from snakemake_interface_logger_plugins.common import LogEvent

from timefair.basics.words import rough
from timefair.campaign import driver
from timefair.campaign.pace import Pace
from timefair.cli.status_line import StatusLine
from timefair.report import description

if TYPE_CHECKING:
    from snakemake_interface_logger_plugins.settings import OutputSettingsLoggerInterface

    from timefair.campaign.driver import Driver, Workflow

STEPS = 10
"""So many lines there are at most while measuring, where lines cannot be replaced."""

SHOWN = (
    "Nothing to be done",
    "Exiting because",
    "Would ",
    "This was a dry-run",
    "Congratulations",  # of `--lint`
)
"""Beginnings of the messages of Snakemake that are printed although they are not warnings."""

USUAL = "DefaultStreamHandler"
"""The name of the handler that Snakemake prints with unless ``--logger`` names another one."""


def attach(workflow: Workflow) -> None:
    """Replace Snakemake's usual handler by a `ConsoleHandler` with the same formatter and filters.

    Nothing is replaced if ``--logger`` named another handler, or in a job that Snakemake starts.
    """
    logger = logging.getLogger("snakemake.logging")
    usual = [handler for handler in logger.handlers if handler.name == USUAL]
    for replaced in usual if workflow.is_main_process else []:
        console = ConsoleHandler(workflow.output_settings)
        console.setFormatter(replaced.formatter)
        console.filters = replaced.filters
        logger.removeHandler(replaced)
        logger.addHandler(console)
        if console.omits_jobs:
            Job.log_info = _omit


def _omit(job: Job, indent: bool = False, printshellcmd: bool = True) -> None:
    """Log nothing about a job: composing messages takes a fifth of the CPU time of a dry run."""


class ConsoleHandler(logging.Handler):
    """A handler of Snakemake's messages that prints the progress of a campaign.

    Parameters
    ----------
    settings
        Settings of the output, from the command line of snakemake.
    """

    def __init__(self, settings: OutputSettingsLoggerInterface) -> None:
        super().__init__()
        self._dry = bool(settings.dryrun)
        self._everything = bool(settings.verbose or settings.printshellcmds)
        self._line = ProgressLine(sys.stdout if settings.stdout else sys.stderr)
        self._cores, self._planned = 1, False

    @property
    def omits_jobs(self) -> bool:
        """Whether nothing of the messages about jobs is used: in a dry run that prints its plan."""
        return self._dry and not self._everything

    def emit(self, record: logging.LogRecord) -> None:
        """Print a message, or note what it says of a job."""
        try:
            self._note(record)
            shown = self._everything or self._is_shown(record)
            if shown and (text := self.format(record)):
                self._line.above(text)
        except Exception:
            self.handleError(record)

    def close(self) -> None:
        """Leave the last line of progress in its place."""
        self._line.end()
        super().close()

    def _is_shown(self, record: logging.LogRecord) -> bool:
        event = getattr(record, "event", None)
        if event == LogEvent.RUN_INFO:
            first, self._planned = not self._planned, True
            return self._dry and first
        return record.levelno >= logging.WARNING or str(record.msg).startswith(SHOWN)

    def _note(self, record: logging.LogRecord) -> None:
        if self._dry:
            return
        event, said = getattr(record, "event", None), vars(record)
        if event == LogEvent.RESOURCES_INFO:
            self._cores = int(said.get("cores") or said.get("nodes") or self._cores)
        elif event == LogEvent.RUN_INFO and (campaign := driver.taken()) is not None:
            self._line.begin(campaign, self._cores)
        elif event == LogEvent.JOB_INFO:
            self._line.job_begins(said["jobid"], said["rule_name"], said["wildcards"])
        elif event == LogEvent.JOB_FINISHED:
            self._line.job_ends(said["job_id"])


class ProgressLine:
    """The line of progress. In a terminal each replaces the last; elsewhere ten are printed.

    Parameters
    ----------
    stream
        Where it is printed.
    """

    def __init__(self, stream: TextIO) -> None:
        self._status = StatusLine(stream)
        self._driver: Driver | None = None
        self._pace: Pace | None = None
        self._step = -1

    def begin(self, campaign: Driver, cores: int) -> None:
        """Snakemake has planned the jobs of a campaign, and begins."""
        if self._pace is None:
            self._driver = campaign
            lacking, sizes = campaign.lacking_jobs(), campaign.job_sizes()
            self._pace = Pace(campaign.campaign, lacking, cores, sizes, campaign.taken_over)
            self._show()

    def job_begins(self, number: int, rule: str, wildcards: dict[str, str]) -> None:
        """Snakemake starts a job."""
        if self._pace is not None:
            self._pace.begin(number, rule, wildcards, time.monotonic())
            self._show()

    def job_ends(self, number: int) -> None:
        """A job has made its files."""
        if self._pace is not None:
            self._pace.end(number, time.monotonic())
            self._show()

    def above(self, text: str) -> None:
        """Print something else, above the line."""
        self._status.above(text)

    def end(self) -> None:
        """Print no more."""
        self._status.end()
        if self._driver and self._pace and self._pace.finished:
            report = Path(self._driver.folder) / "report.html"
            for line in description.read(report):
                self._status.above(line)
            self._status.above(f"{self._driver.campaign.name}: read {report}")
        self._pace = None

    def _show(self) -> None:
        assert self._pace is not None
        assert self._driver is not None
        step = STEPS * self._pace.done // max(self._pace.wanted, 1)
        if self._status.terminal or step > self._step:
            self._step = step
            self._status.show(progress_text(self._driver, self._pace, time.monotonic()))


def progress_text(campaign: Driver, pace: Pace, now_s: float) -> str:
    """How far a campaign is: ``default: 120 of 480 runs (25 %), about 2 min left``."""
    most = "" if campaign.campaign.stopping.rule == "fixed" else "at most "
    share = 100 * pace.done // max(pace.wanted, 1)
    name = campaign.campaign.name
    text = f"{name}: {pace.done} of {most}{pace.wanted} runs ({share} %)"
    if pace.measured:
        text = f"{name}: all {pace.done} runs are measured; making tables and figures"
    left_s = pace.left_s(now_s)
    return text if left_s is None else f"{text}, about {rough(left_s)} left"
