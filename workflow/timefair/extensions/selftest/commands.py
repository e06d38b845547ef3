"""The command that measures a campaign whose answers are known."""

from __future__ import annotations

import argparse
import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from timefair.basics.errors import InputError
from timefair.cli.common import Commands, one_thread, progress
from timefair.cli.paths import prepare_files

if TYPE_CHECKING:
    import pandas as pd

    from timefair.extensions.selftest.answers import Known

FULL, QUICK = 32, 5
"""Repetitions of the campaign."""


def add_to(commands: Commands) -> None:
    """Add the command of this module."""
    selftest = commands.add_parser(
        "selftest",
        help="measure a campaign whose results are known",
        description="Measures synthetic algorithms whose success rates and expected runtimes "
        "are known in closed form, with the code that measures every campaign. Prints how often "
        "the 95 % intervals of the tables contain the known value, and how late the clock records "
        "events. Takes about three minutes on two cores, and needs a quiet machine.",
        example="timefair selftest --quick",
        exits={
            0: "everything is as it should be",
            1: "intervals contain the known value too rarely, the clock is wrong, or a run has "
            "other events than were drawn",
            2: "the command line is wrong, or a process that measures has failed",
        },
    )
    selftest.add_argument(
        "--quick", action="store_true", help="fewer repetitions: about half a minute on two cores"
    )
    selftest.add_argument(
        "--cores", type=int, metavar="N", help="number of runs at the same time (all usable)"
    )
    selftest.add_argument("--seed", type=int, default=1, help="seed of the campaigns (1)")
    selftest.add_argument(
        "--results",
        type=Path,
        metavar="DIR",
        help="keep the records in this folder, so that a stopped self-test can be continued (by "
        "default, a temporary folder)",
    )
    selftest.set_defaults(command=_selftest)


def _selftest(arguments: argparse.Namespace) -> int:
    usable = len(os.sched_getaffinity(0))
    cores = usable if arguments.cores is None else arguments.cores
    if not 1 <= cores <= usable:
        raise InputError(f"--cores: {cores}: should be 1 to {usable}, the usable cores")
    if arguments.seed < 0:
        raise InputError(f"--seed: {arguments.seed}: should be at least 0")
    one_thread()
    from timefair.extensions.selftest.answers import Bench, known_answers

    repetitions = QUICK if arguments.quick else FULL
    with _folder(arguments.results) as folder:
        bench = Bench(folder, cores, arguments.seed, _say)
        known = known_answers(bench, repetitions)
        _known(known)
        faults = list(known.faults())
        print(*(f"FAULT {fault}" for fault in faults), sep="\n", end="\n" * bool(faults))
        return int(bool(faults))


@contextlib.contextmanager
def _folder(results: Path | None) -> Iterator[Path]:
    if results is not None:
        prepare_files([results / "selftest"])
        yield results.absolute()
        return
    with TemporaryDirectory(prefix="timefair-selftest-") as name:
        yield Path(name)


def _say(part: str, done: int, jobs: int) -> None:
    progress(f"selftest: {part}", done, jobs)


def _known(known: Known) -> None:
    """Print what the campaign with known answers has shown."""
    _print("Intervals of the tables that held the known value", known.coverage)
    _print("Time recorded minus time drawn", known.clock)
    perturbed, runs = int(known.clock["perturbed"].sum()), int(known.clock["runs"].sum())
    print(f"{perturbed} of {runs} runs were perturbed by others on this machine.\n")


def _print(title: str, frame: pd.DataFrame) -> None:
    print(title)
    print(frame.to_string(index=False, float_format=lambda value: f"{value:.4g}"), end="\n\n")
