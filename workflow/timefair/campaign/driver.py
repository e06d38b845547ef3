"""One snakemake at a time works on a campaign."""

from __future__ import annotations

import errno
import fcntl
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from timefair.basics.errors import InputError, storing
from timefair.campaign import configuration, plan, provenance, registration
from timefair.campaign.holder import NAME

if TYPE_CHECKING:
    from snakemake_interface_logger_plugins.settings import OutputSettingsLoggerInterface

    from timefair.campaign.configuration import Campaign

_held: set[Path] = set()
"""The folders that this process holds: a workflow may read a module's Snakefile several times."""


_taken: list[Driver] = []
"""What this process drives: one campaign, or several as modules."""


class Workflow(Protocol):
    """What of Snakemake's own workflow says what this process was started for."""

    is_main_process: bool
    executor_plugin: object
    dryrun: bool
    local_exec: bool
    scheduling_settings: Any  # None until the jobs are to be run
    output_settings: OutputSettingsLoggerInterface


def planned_keys(workflow: Workflow, campaign: Campaign, folder: Path) -> plan.Keys:
    """The measure keys to plan with.

    The process that plans the campaign computes them. A job of a batch system is a snakemake of its
    own: it reads those that its campaign was planned with.

    Raises
    ------
    InputError
        If a job finds no keys of this campaign in the folder.
    """
    if workflow.is_main_process:
        return provenance.measure_keys(campaign)
    return plan.read_keys(folder, campaign)


class Driver:
    """This process, if it is the snakemake that has the jobs of a campaign run.

    Snakemake knows that only when it plans jobs, long after it has read the rules: a dry run, a
    report or `--unlock` has none run, and on a cluster a job is a snakemake of its own. So the
    rule that measures asks for the campaign, while the first of its jobs is planned. The hook
    `onstart` would be later, when another snakemake may have done what was planned, and a workflow
    that has the campaign as a module does not call it.

    Parameters
    ----------
    workflow
        Snakemake's.
    campaign, keys
        What is written into the folder when it is held, for the jobs to read.
    folder
        ``results/<campaign>``, wherever Snakemake puts it.

    Attributes
    ----------
    campaign, folder
        As given.
    """

    def __init__(
        self, workflow: Workflow, campaign: Campaign, keys: plan.Keys, folder: Path
    ) -> None:
        self._workflow, self.folder = workflow, folder
        self.campaign, self._keys = campaign, keys
        self._ready = False

    @property
    def _runs_jobs(self) -> bool:
        workflow = self._workflow
        executes = workflow.executor_plugin is not None and not workflow.dryrun
        return workflow.is_main_process and executes

    def take(self) -> list[str]:
        """Hold the campaign and write it, once; nothing if this process has no jobs run.

        Returns
        -------
        list of str
            No files: it stands among the inputs of a rule.

        Raises
        ------
        SystemExit
            If another process holds the campaign, or the folder cannot be written. Snakemake
            would wrap another exception in lines of its own.
        """
        if not self._ready and self._runs_jobs:
            try:
                registration.check(self.campaign, self.folder)
                hold(self.folder)
                plan.write_snapshot(self.campaign, self.folder)
                plan.write_keys(self._keys, self.folder)
            except InputError as error:
                sys.exit(error.told)
            for line in (*self.campaign.not_drawn, *configuration.warnings(self.campaign)):
                print(line, file=sys.stderr)
            _leave_the_runs_alone(self._workflow)
            self._ready = True
            _taken.append(self)
        return []

    def lacking_jobs(self) -> list[plan.Job]:
        """The measuring jobs that have no record."""
        return [
            job
            for job in plan.jobs(self.campaign)
            if not (self.folder / job.record(self._keys[job.algorithm, job.round])).exists()
        ]


def _leave_the_runs_alone(workflow: Workflow) -> None:
    """Keep Snakemake's own process from computing beside timed runs on this machine.

    With its limit of 100 started jobs per second, Snakemake 9 looks for jobs again one second after
    each look, and each job that ends adds a look of its own: after n jobs it looks n times per
    second. And it imports pandas when the first job has ended, for half a second to two seconds; if
    it is asked to end meanwhile, it hangs, because its signal handler waits for a lock that the
    same thread holds. So there is no limit, and pandas is imported before the first job.
    """
    if workflow.local_exec and workflow.scheduling_settings is not None:
        workflow.scheduling_settings.max_jobs_per_timespan = None
        import_module("pandas")


def taken() -> Driver | None:
    """The campaign that this process works on; None before it has begun, or if it has several."""
    return _taken[0] if len(_taken) == 1 else None


def hold(folder: Path) -> None:
    """Hold the folder of a campaign for as long as this process lives, however it ends.

    The folder is made if need be. Jobs that outlive a workflow which was killed do not hold it:
    each holds its own journal, and the next workflow waits for them there. On a file system
    without locks nothing is held.

    Raises
    ------
    InputError
        If another process holds it, or nothing can be written there.
    """
    if folder.resolve() in _held:
        return
    with storing():
        folder.mkdir(parents=True, exist_ok=True)
        fd = os.open(folder / NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(fd, 20, 0).decode(errors="replace")
            os.close(fd)
            raise InputError(
                f"{folder}: another snakemake (process {holder}) works on this campaign; "
                "wait until it has ended, or end it"
            ) from None
        except OSError as error:
            if error.errno not in (errno.ENOLCK, errno.EOPNOTSUPP):
                raise
        os.ftruncate(fd, 0)
        os.pwrite(fd, str(os.getpid()).encode(), 0)
    _held.add(folder.resolve())
