"""What snakemake prints while it works on a campaign: one line of progress, warnings and errors."""

from __future__ import annotations

import contextlib
import logging
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from snakemake_interface_logger_plugins.common import LogEvent

from timefair.basics.errors import InputError, full
from timefair.basics.words import rough
from timefair.campaign import driver, plan
from timefair.campaign.progress import ProgressReader
from timefair.cli.campaigns import StatusLine, share
from timefair.report import read_description

if TYPE_CHECKING:
    from snakemake_interface_logger_plugins.settings import OutputSettingsLoggerInterface

    from timefair.campaign.driver import Driver, Workflow

STEPS = 10  # so many lines there are at most while measuring, where lines cannot be replaced
SHARE = 0.02  # of the time that may be spent on reading what is done
SHOWN = (
    "Nothing to be done", "Exiting because", "Would ", "This was a dry-run",
    "Congratulations",  # of `--lint`
)  # fmt: skip
"""Beginnings of the messages of Snakemake that are printed although they are not warnings."""
BY_CTRL_C = f"exit status {128 + signal.SIGINT}."  # what Snakemake says of a job that it has ended
USUAL = "DefaultStreamHandler"  # Snakemake's handler, unless ``--logger`` names another one


def attach(workflow: Workflow) -> None:
    """Replace Snakemake's usual handler, but in its jobs, by one with its formatter and filters."""
    logger = logging.getLogger("snakemake.logging")
    usual = [handler for handler in logger.handlers if handler.name == USUAL]
    for replaced in usual if workflow.is_main_process else []:
        console = ConsoleHandler(workflow.output_settings)
        console.setFormatter(replaced.formatter)
        console.filters = replaced.filters
        logger.removeHandler(replaced)
        logger.addHandler(console)


class ConsoleHandler(logging.Handler):
    """Prints the progress of a campaign in one line, or in ten without a terminal."""

    def __init__(self, settings: OutputSettingsLoggerInterface) -> None:
        super().__init__()
        self._dry = bool(settings.dryrun)
        self._everything = bool(settings.verbose or settings.printshellcmds)
        self._line = StatusLine(sys.stdout if settings.stdout else sys.stderr)
        self._planned = self._interrupted = self._finished = False
        self._step, self._report, self._next_s = -1, 0, 0.0
        self._driver: Driver | None = None
        self._reader: ProgressReader | None = None

    def emit(self, record: logging.LogRecord) -> None:
        """Print a message, or note what it says of a job."""
        try:
            if not self._dry:
                self._note(record)
            shown = self._everything or self._is_shown(record)
            if shown and (text := self.format(record)):
                self._line.above(text)
        except Exception:
            self.handleError(record)

    def close(self) -> None:
        """Leave the last line of progress; say what the report says, or what is kept."""
        self._line.end()
        if self._driver and self._reader:
            folder, name = Path(self._driver.folder), self._driver.campaign.name
            with contextlib.suppress(InputError):
                if self._finished:
                    report = folder / "report.html"
                    lines = [*read_description(report), f"{name}: read {report}"]
                else:
                    kept = self._reader.look()
                    are = f"{kept.runs} of {kept.wanted} runs are finished and kept"
                    lines = [f"{name}: ended early; {are}, and the same command continues"]
                for line in lines:
                    self._line.above(line)
        self._reader = None
        super().close()

    def _is_shown(self, record: logging.LogRecord) -> bool:
        if getattr(record, "event", None) == LogEvent.RUN_INFO:
            first, self._planned = not self._planned, True
            return self._dry and first
        self._interrupted |= BY_CTRL_C in record.getMessage()
        if self._interrupted and record.levelno == logging.ERROR:
            return False  # each job that ended would be an error
        return record.levelno >= logging.WARNING or str(record.msg).startswith(SHOWN)

    def _note(self, record: logging.LogRecord) -> None:
        event, said = getattr(record, "event", None), vars(record)
        if event == LogEvent.RUN_INFO and self._reader is None:
            if (one := driver.taken()) is not None:
                self._driver, self._reader = one, ProgressReader(one.folder)
                self._show(one, self._reader)
        elif self._reader is None or self._driver is None:
            return
        elif event == LogEvent.JOB_ERROR and (line := full(self._driver.folder)):
            self._line.above(line)  # the job's log is on this disk
        elif event in (LogEvent.JOB_INFO, LogEvent.JOB_FINISHED):
            if said.get("rule_name") == plan.LAST:
                self._report = said["jobid"]
            self._finished |= said.get("job_id", -1) == self._report
            self._show(self._driver, self._reader)

    def _show(self, one: Driver, reader: ProgressReader) -> None:
        if (now_s := time.monotonic()) < self._next_s:
            return
        found = reader.look()
        self._next_s = now_s + (time.monotonic() - now_s) / SHARE
        step = STEPS * found.runs // max(found.wanted, 1) + found.measured
        if not self._line.terminal and step <= self._step:
            return
        self._step = step
        if found.measured:
            said = f"all {found.runs} runs are measured; making tables and figures"
        else:
            left = "" if found.left_s is None else f", about {rough(found.left_s)} left"
            said = f"{share(one.campaign, found.runs, found.wanted)}{left}"
        self._line.show(f"{one.campaign.name}: {said}")
