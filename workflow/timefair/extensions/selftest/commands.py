"""The command that measures a campaign whose answers are known."""

from __future__ import annotations

import argparse
import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from timefair.basics.errors import InputError
from timefair.cli.common import Commands, one_thread, progress
from timefair.cli.paths import prepare_files

if TYPE_CHECKING:
    import pandas as pd

    from timefair.extensions.selftest.answers import Bench, Known

FULL, QUICK = (32, 40, 100), (5, 12, 20)
"""Repetitions of the campaign whose answers are known, and of the algorithm of the slowdown against
itself and against its slowed versions."""


def add_to(commands: Commands) -> None:
    """Add the command of this module."""
    selftest = commands.add_parser(
        "selftest",
        help="measure a campaign whose results are known, and the smallest slowdown that is found",
        description="Measures synthetic algorithms whose success rates and expected runtimes "
        "are known in closed form, with the code that measures every campaign. Prints how often "
        "the 95 % intervals of the tables contain the known value, how late the clock records "
        "events, and the smallest slowdown of an algorithm that this machine finds with 80 % "
        "probability. This slowdown is stored in the folder XDG_STATE_HOME/timefair. `timefair "
        "doctor` and the checklist of each campaign quote it. Takes about five minutes on two "
        "cores, and needs a quiet machine.",
        example="timefair selftest --quick\ntimefair selftest --defects --quick",
        exits={
            0: "everything is as it should be",
            1: "intervals contain the known value too rarely, the clock is wrong, a run has other "
            "events than were drawn, or a defect is not found",
            2: "the command line is wrong, or a process that measures has failed",
        },
    )
    selftest.add_argument(
        "--quick", action="store_true", help="fewer repetitions: about one minute on two cores"
    )
    selftest.add_argument(
        "--defects",
        action="store_true",
        help="instead, inject known defects into copies of records, and print which check finds "
        "each of them",
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
    from timefair.extensions.selftest.detectable import detectable_slowdown

    repetitions, *slowdown = QUICK if arguments.quick else FULL
    with _folder(arguments.results) as folder:
        bench = Bench(folder, cores, arguments.seed, _say)
        if arguments.defects:
            return _defects(bench)
        known = known_answers(bench, repetitions)
        _known(known)
        faults = list(known.faults())
        _keep(detectable_slowdown(bench, *slowdown))
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


def _keep(found: dict[str, Any]) -> None:
    """Print the minimum detectable slowdown of this machine, and keep it for others to quote."""
    from timefair.basics.slowdowns import in_words
    from timefair.machine import detectable
    from timefair.machine.host import Host

    print(f"Minimum detectable slowdown: {in_words(found)}")
    for test in ("seconds", "precision"):
        one = found[test]
        print(
            f"  {test}: found in {100 * one['power']:.0f} % "
            f"[{100 * one['power_low']:.0f}, {100 * one['power_high']:.0f}] of "
            f"{one['repetitions']} repetitions; equal algorithms differ in "
            f"{100 * one['false_alarms']:.0f} %"
        )
    print(f"kept in {detectable.write(found, Host())}")


def _defects(bench: Bench) -> int:
    from timefair.extensions.selftest.defects import defects_found

    already, table = defects_found(bench)
    _print("Injected defects", table[["defect", "found_by", "wrong"]])
    for check, clause in already.items():
        print(f"without a defect, {check} finds: {clause}")
    missed = list(table["defect"][table["found_by"] == ""])
    for name in missed:
        print(f"FAULT no check finds {name}")
    return int(bool(missed or already))


def _print(title: str, frame: pd.DataFrame) -> None:
    print(title)
    print(frame.to_string(index=False, float_format=lambda value: f"{value:.4g}"), end="\n\n")
