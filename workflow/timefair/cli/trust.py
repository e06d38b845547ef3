"""Commands that check this machine and the records."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path

from timefair.basics.errors import InputError
from timefair.cli.common import Commands, cores_of, one_thread


def add_to(commands: Commands) -> None:
    """Add the commands of this module."""
    doctor = commands.add_parser(
        "doctor",
        help="find what would perturb times on this machine, and what to do about it",
        description="Checks the machine for about a second and prints one line per finding, the "
        "worst first: what was checked, the numbers, and what to do. `bad`: times would be "
        "wrong; `warn`: times would vary more or drift; `unknown`: the machine does not report it.",
        example="timefair doctor\ntimefair doctor --cores 1 --json",
        exits={0: "no finding is bad", 1: "a finding is bad"},
    )
    doctor.add_argument(
        "--cores", type=int, metavar="N", help="number of cores for timed runs (all usable)"
    )
    doctor.add_argument("--json", action="store_true", help="print all facts, as JSON")
    doctor.set_defaults(command=_doctor)

    verify = commands.add_parser(
        "verify",
        help="read every record again, and list what is damaged, missing or mixed",
        description="Reads every record, collected file and journal of a folder again, checks "
        "their checksums, and evaluates the best point of each run again. Prints one line for "
        "each damaged file, each record with missing runs, each point whose value is now "
        "different, each mixture of runs that should not be in one table, and each deviation from "
        "the registration. In an archive of `timefair export crate`, it also compares every file "
        "with the manifest. The command changes no file.",
        example="timefair verify results/default\ntimefair verify results/default --rebuild",
        exits={
            0: "nothing is wrong",
            1: "something is damaged, missing or mixed, or has a different value",
            2: "the command line is wrong, or there is nothing to verify",
        },
    )
    verify.add_argument(
        "folder",
        type=Path,
        metavar="DIR",
        help="results/NAME, any folder with records, or an archive (a folder or a zip)",
    )
    verify.add_argument(
        "--rebuild",
        action="store_true",
        help="also make all tables again in an empty folder, and compare them byte for byte",
    )
    verify.add_argument("--quiet", action="store_true", help="print only problems, no summary")
    verify.add_argument(
        "--points-s",
        type=float,
        default=60.0,
        metavar="S",
        help="seconds for evaluating the best points again (60); 0: evaluate none",
    )
    verify.set_defaults(command=_verify)


def _doctor(arguments: argparse.Namespace) -> int:
    from timefair.machine.host import Host

    host = Host()  # with the variables that the user has set
    one_thread()
    from timefair.machine import doctor

    if arguments.cores is not None:
        cores_of(arguments)
    seen = doctor.look(host, arguments.cores)
    found = doctor.findings(seen)
    if arguments.json:
        print(json.dumps(doctor.as_json(found, seen), indent=2, allow_nan=False))
    else:
        print(*found, doctor.summary(found), sep="\n")
    return int(any(finding.severity == "bad" for finding in found))


def _verify(arguments: argparse.Namespace) -> int:
    return int(problems_of(arguments.folder, arguments, lambda line: print(line, flush=True)) > 0)


def problems_of(folder: Path, arguments: argparse.Namespace, say: Callable[[str], None]) -> int:
    """Verify a folder with records, say each line, and return the number of problems."""
    one_thread()
    if not arguments.points_s >= 0:
        raise InputError(f"--points-s: {arguments.points_s}: should be at least 0")
    from timefair.campaign.verify import verify

    summary = verify(folder, say, points_s=arguments.points_s)
    if not arguments.quiet:
        print(summary, flush=True)
    if not arguments.rebuild:
        return summary.problems
    from timefair.analysis import rebuild

    different: list[str] = []
    files = rebuild(folder, different.append)
    for line in different:
        say(line)
    if not arguments.quiet:
        alike = "all of them" if not different else str(files - len(different))
        print(f"{files} files of tables made again in an empty folder: {alike} bit-identical")
    return summary.problems + len(different)
