"""Whether runs of a campaign may begin, and that only one snakemake at a time works on it."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from timefair.basics.disk import DRIVER, lock, note
from timefair.basics.errors import InputError, storing
from timefair.basics.extension import each
from timefair.campaign import collected, configuration, plan, provenance
from timefair.machine.facts import check_installed, some_facts
from timefair.records.integrity import NEEDED, shortcoming

if TYPE_CHECKING:
    from timefair.campaign.configuration import Campaign

_held: set[Path] = set()  # folders; a workflow may read a module's Snakefile several times
_locks = ExitStack()  # until this process ends for any reason
atexit.register(_locks.close)
_taken: list[Driver] = []  # the campaigns that this process drives: one, or several as modules
Workflow: TypeAlias = Any
"""Snakemake's workflow. Of its configuration files, those of the command line come first, and take
precedence as `overwrite_configfiles`; its `scheduling_settings` are None until jobs are to run.
"""


def configuration_of(workflow: Workflow) -> dict[str, object]:
    """The content of the configuration files, as `timefair check` reads them, with ``--config``."""
    from snakemake.utils import update_config

    found: dict[str, object] = {}
    for path in (*workflow.configfiles, *workflow.overwrite_configfiles):
        update_config(found, configuration.read_yaml(Path(path)))
    update_config(found, workflow.config_settings.config)
    return found


def planned_keys(workflow: Workflow, campaign: Campaign, folder: Path) -> plan.Keys:
    """The measure keys to plan with; a job of a batch system reads them in the folder."""
    if workflow.is_main_process:
        return provenance.measure_keys(campaign)
    return plan.read_keys(folder, campaign)


class Driver:
    """Locks a campaign for the snakemake process that runs its jobs.

    `folder` is ``results/<campaign>``, wherever Snakemake puts it.
    """

    def __init__(
        self, workflow: Workflow, campaign: Campaign, keys: plan.Keys, folder: Path
    ) -> None:
        self._workflow, self.folder = workflow, folder
        self.campaign, self._keys = campaign, keys
        if workflow.is_main_process and workflow.output_settings.dryrun and folder.is_dir():
            _say(collected.finished(campaign, keys, folder))

    def take(self) -> list[str]:
        """Lock the folder, and write the snapshot and the keys into it, once, if this process runs
        jobs.

        Returns an empty list: the call is part of the input of a rule. SystemExit, to which
        Snakemake adds no lines, if the folder is locked or cannot be written, this machine does not
        meet `machine.require`, or an extension says that runs may not begin.
        """
        workflow = self._workflow
        executes = workflow.executor_plugin is not None and not workflow.dryrun
        if self not in _taken and workflow.is_main_process and executes:
            try:
                permit(self.campaign, self.folder)
                if workflow.local_exec:
                    check_machine(self.campaign)
                    check_installed()
                _locks.enter_context(held(self.folder))
                plan.write_snapshot(self.campaign, self.folder)
                plan.write_keys(self._keys, self.folder)
            except InputError as error:
                sys.exit(error.told)
            changes = collected.finished(self.campaign, self._keys, self.folder, changed=True)
            _say([*changes, *self.campaign.not_drawn, *configuration.warnings(self.campaign)])
            if workflow.local_exec and workflow.scheduling_settings is not None:
                # Snakemake's own process does not compute while timed runs execute here.
                workflow.scheduling_settings.max_jobs_per_timespan = None
            _taken.append(self)
        return []


def _say(lines: Iterable[str]) -> None:
    for line in lines:
        print(line, file=sys.stderr)


def collect_garbage_rarely() -> None:
    """Make the garbage collector visit rarely the many objects that Snakemake keeps of all jobs."""
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)


def taken() -> Driver | None:
    """The campaign that this process works on; None before it has begun, or if it has several."""
    return _taken[0] if len(_taken) == 1 else None


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Lock the folder of a campaign, which is created, inside the block; not again, if this process
    has locked it before.

    Jobs that outlive a killed workflow lock only their own journals. `InputError` if another
    process has locked it, or nothing can be written there.
    """
    if (place := folder.resolve()) in _held:
        yield
        return
    with storing():
        folder.mkdir(parents=True, exist_ok=True)
        fd = lock(folder / DRIVER, wait=False)
        if fd is None:
            holder = (folder / DRIVER).read_text(encoding="utf-8", errors="replace")
            raise InputError(
                f"{folder}: another snakemake (process {holder}) works on this campaign; "
                "wait until it has ended, or end it"
            )
        note(fd, str(os.getpid()))
    _held.add(place)
    try:
        yield
    finally:
        _held.remove(place)
        os.close(fd)


def permit(campaign: Campaign, folder: Path) -> None:
    """Raise `InputError` if runs of the campaign, in ``results/NAME``, may not begin."""
    if faults := list(each("before_runs", campaign, folder)):
        raise InputError(*faults)


def check_machine(campaign: Campaign) -> None:
    """Raise `InputError` if this machine does not meet the requirements of the campaign."""
    if fault := shortcoming_here(campaign):
        raise InputError(fault)


def shortcoming_here(campaign: Campaign) -> str:
    """One line if this machine does not meet the requirements of the campaign, else empty."""
    required = campaign.machine.required
    return shortcoming(required, some_facts(NEEDED)) if required else ""
