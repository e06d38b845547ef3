"""The command that measures recorded runs again."""

from __future__ import annotations

import argparse
import contextlib
import os
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from timefair.basics.errors import InputError
from timefair.basics.extension import interpreter
from timefair.cli.arguments import Declared, argument, measuring_environment, one_thread
from timefair.records.integrity import RUN_KEY

if TYPE_CHECKING:
    from timefair.extensions.reproduce.verdict import Replayed, Stratum


DECLARED = Declared()
add_to = DECLARED.add_to
TERMS = (
    "Repeated, in the terms of the ACM, if the team that measured the campaign ran this command; "
    "reproduced, if another team did. timefair does not know the team."
)


def _refuse(arguments: argparse.Namespace, names: Iterable[str], what: str) -> None:
    for name in names:
        if getattr(arguments, name) is not None:
            raise InputError(f"--{name}: is for {what}; {arguments.results} is none")


def _replay(arguments: argparse.Namespace) -> int:
    from timefair.extensions.reproduce.verdict import chosen_run, replay

    wanted = {name: getattr(arguments, name) for name in RUN_KEY}
    recorded = chosen_run(arguments.results, wanted)
    spec = recorded.campaign["algorithms"][recorded.label]
    python, environment = interpreter(spec, measuring_environment(recorded.threads))
    if environment != os.environ:
        # The interpreter and the libraries read the hash seed and the threads when they start.
        command = [python, "-P", "-m", "timefair", *arguments.words]
        return subprocess.run(command, env=environment, check=False).returncode
    verdict = replay(recorded)
    print(*verdict.lines(), sep="\n")
    return int(not verdict.same)


@DECLARED.command(
    "reproduce",
    argument(
        "results", "RESULTS", "results/NAME; for one run: a record, or a file of "
        "results/NAME/collected", type=Path,
    ),
    *(
        argument(
            f"--{name}", name[0].upper(), f"with a file: {'number' if name == 'run' else name} of "
            "the run; needed if the file has several", type=int,
        )
        for name in RUN_KEY
    ),
    argument("--share", help="share of the runs of each algorithm; at least one run (5%%)"),
    argument("--seed", help="seed of the random choice (1)", type=int),
    help="measure recorded runs again: one, or a random sample",
    example="timefair reproduce results/default --share 5%\n"
    "timefair reproduce results/default/collected/Nelder-Mead.parquet --function 1"
    " --dimension 10 --instance 1 --run 0",
    exits={
        0: "every chosen run is identical, or agrees as far as the clock allows a comparison",
        1: "a run differs, or could not be compared",
    },
)  # fmt: skip
def _reproduce(arguments: argparse.Namespace) -> int:
    """Measures runs again, each alone, with the campaign, the parameters and the seed in its
    record. With a budget in evaluations, both runs have to be identical bit for bit. With a limit
    in seconds, their events have to agree until the clock ends one of them. For a file, measures
    one run, and prints the first event that differs beside the recorded event, and what has changed
    in code, software, parameters, seed and machine. For a folder, chooses runs at random, the same
    share for each algorithm, and prints one line per algorithm, the differences of each run that
    differs, and a verdict. If the algorithm or the problem is your own, start the command in the
    working directory of the campaign.
    """
    if arguments.results.is_file():
        _refuse(arguments, ("share", "seed"), "a folder")
        return _replay(arguments)
    if not arguments.results.exists():
        raise InputError(f"{arguments.results}: there is no such file or folder")
    _refuse(arguments, RUN_KEY, "a file")
    seed = 1 if arguments.seed is None else arguments.seed
    share = _share("5%" if arguments.share is None else arguments.share)
    if seed < 0:
        raise InputError(f"--seed: {seed}: should be at least 0")
    one_thread()
    import numpy as np

    from timefair.extensions.reproduce.verdict import Finding, counts_of, sample

    strata = sample(arguments.results, share, np.random.default_rng(seed))
    replayed, succeeded = [], True
    for stratum in strata:
        found = _replayed_elsewhere(stratum)
        said = f"{len(found)} of {stratum.runs} runs: {counts_of(found)}"
        print(f"{stratum.label}: {said}", flush=True)
        for each in found:
            if each.finding in (Finding.DIFFERENT, Finding.UNDECIDED):
                print(*each.lines, sep="\n", flush=True)
                succeeded = False
        replayed += found
    runs, lost = (sum(of) for of in zip(*((one.runs, one.lost) for one in strata), strict=True))
    without = f", and {lost} without a result were left out" if lost else ""
    print(f"{len(replayed)} of {runs} runs were replayed{without}: {counts_of(replayed)}")
    print(TERMS if succeeded else "Neither repeated nor reproduced: see the lines above.")
    return int(not succeeded)


def _replayed_elsewhere(stratum: Stratum) -> list[Replayed]:
    from timefair.extensions.reproduce.verdict import Finding, Replayed, replay_all
    from timefair.measure.runner import in_new_interpreter

    threads = 1
    for place in stratum.sampled:
        with contextlib.suppress(InputError):  # the first that can be replayed
            threads = place.read().threads
            break
    os.environ.update(measuring_environment(threads))
    try:
        return in_new_interpreter(replay_all, stratum.sampled)
    except ChildProcessError:
        lines = (f"{stratum.label}: its preparation ended the process",)
        return [Replayed(Finding.UNDECIDED, lines)] * len(stratum.sampled)


def _share(text: str) -> float:
    try:
        share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        share = 0.0
    if not 0 < share <= 1:
        raise InputError(f"--share: {text}: should be above 0 and at most 100%, such as 5%")
    return share
