"""The command that compares two versions of an algorithm."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from timefair.basics.errors import InputError
from timefair.cli.arguments import Commands, Declared, argument, cores_of, one_thread, prepare_files

if TYPE_CHECKING:
    from timefair.extensions.compare.comparison import Comparison, Look

    Found: TypeAlias = tuple[Comparison, Look | None]

MEASURES = ("seconds", "evaluations", "speed", "quality")  # the names of `comparison.Measure`

DECLARED = Declared()


def add_to(commands: Commands) -> None:
    DECLARED.add_to(commands)
    init = commands.choices["init"]
    init.add_argument(
        "--for-optimizer",
        type=Path,
        metavar="LIBRARY",
        help="folder in a git repository from which your library can be imported",
    )
    init.add_argument(
        "--base", metavar="REF", help="with --for-optimizer: the commit of the base (HEAD)"
    )  # fmt: skip
    init.set_defaults(command=partial(_init, without=init.get_default("command")))


def _init(arguments: argparse.Namespace, without: Callable[[argparse.Namespace], None]) -> None:
    if arguments.for_optimizer is None:
        if arguments.base is not None:
            raise InputError("--base: only with --for-optimizer")
        without(arguments)
        return
    from timefair.extensions.compare import scaffold

    ref = arguments.base or "HEAD"
    commit = scaffold.begin(arguments.folder, arguments.for_optimizer, ref)
    print(
        f"{arguments.folder}: base is commit {commit}, head is {arguments.for_optimizer}; "
        "complete wrapper.py, then\n"
        f"  cd {arguments.folder}\n"
        "  timefair check campaign.yaml\n"
        "  timefair compare campaign.yaml"
    )


@DECLARED.command(
    "compare",
    argument("sources", "WHAT", "CAMPAIGN.yaml, or RESULTS BASELINE CANDIDATE", nargs="+"),
    argument("--baseline", "LABEL", "the old version (baseline)"),
    argument("--candidate", "LABEL", "the new version (candidate)"),
    argument(
        "--by",
        choices=MEASURES,
        help="what the verdict is about: seconds or evaluations to the target, seconds per "
        "evaluation, or quality at the end (seconds; without a budget in seconds: evaluations)",
    ),
    argument(
        "--margin",
        "RATIO",
        "ratio of costs above which a difference matters (statistics.matters.ratio)",
        type=float,
    ),
    argument("--markdown", "FILE", "write a summary", type=Path),
    argument("--quiet", help="print the verdict only", action="store_true"),
    argument("--cores", "N", "with CAMPAIGN.yaml: runs at the same time (all)", type=int),
    help="compare two versions of an algorithm: better, worse, equal or undecided",
    example="timefair compare mine.yaml --baseline DE --candidate Nelder-Mead\n"
    "timefair compare results/mine DE Nelder-Mead",
    exits={
        0: "not worse: the candidate is better, or equal within the margin",
        1: "worse: the candidate is worse by more than the margin",
        3: "undecided: more runs are needed",
    },
)
def _compare(arguments: argparse.Namespace) -> int:
    """Compares a new version (candidate) of an algorithm with the old one (baseline). With a
    campaign file, the command measures both versions round by round, and stops when the answer is
    decided. With results/NAME and two labels, it compares two algorithms of a measured campaign.
    The last line that it prints is the verdict.
    """
    margin = arguments.margin
    if margin is not None and not 1 <= margin < float("inf"):
        raise InputError(f"--margin: {margin:g}: should be a ratio of at least 1, such as 1.1")
    prepare_files(filter(None, (arguments.markdown,)))
    one_thread()
    first, *words = arguments.sources
    labels = arguments.baseline or "baseline", arguments.candidate or "candidate"
    if Path(first).suffix in (".yaml", ".yml"):
        if words:
            raise InputError(
                f"{words[0]}: give --baseline LABEL and --candidate LABEL after a file"
            )
        found, look = _measured(arguments, labels)
    else:
        if arguments.cores is not None:
            raise InputError("--cores: only with CAMPAIGN.yaml, which is measured")
        if words and (len(words) != 2 or arguments.baseline or arguments.candidate):
            raise InputError(
                f"{words[-1]}: give RESULTS BASELINE CANDIDATE: one folder and two labels"
            )
        found, look = _recorded(arguments, (words[0], words[1]) if words else labels)
    from timefair.extensions.compare import comparison

    lines = [*found.pair.cautions, *comparison.reasons(found)]
    verdict = comparison.verdict(found, look)
    if not arguments.quiet:
        print(*_aligned(comparison.table(found)), *lines, sep="\n")
    print(verdict)
    if arguments.markdown is not None:
        text = comparison.markdown(found, [*lines, verdict])
        arguments.markdown.write_text(text, encoding="utf-8")
    return found.status


def _measured(arguments: argparse.Namespace, labels: tuple[str, str]) -> Found:
    from timefair.campaign import configuration
    from timefair.extensions.compare.comparison import Measure
    from timefair.extensions.compare.rounds import Rounds, expectations

    cores = cores_of(arguments)
    campaign = configuration.load(arguments.sources[0])
    rounds = Rounds(campaign, Path("results"), *labels, cores)
    by = Measure(arguments.by or campaign.budget.unit)
    ratio = arguments.margin or campaign.statistics.matters.ratio
    rounds.try_out()

    say: Callable[[str], object] = str if arguments.quiet else partial(print, flush=True)
    for line in () if arguments.quiet else expectations(rounds, by, ratio):
        say(line)
    return rounds.until_sure(by, ratio, say)


def _recorded(arguments: argparse.Namespace, labels: tuple[str, str]) -> Found:
    from timefair.extensions.compare import rounds
    from timefair.extensions.compare.comparison import Measure, look_levels

    folder, (baseline, candidate) = Path(arguments.sources[0]), labels
    if baseline == candidate:
        raise InputError(f"{baseline}: is baseline and candidate; name two algorithms")
    pair = rounds.read(folder, (baseline, candidate))
    campaign, look = pair.campaign, rounds.earlier_look(folder, baseline, candidate)
    level = 1 - campaign.statistics.confidence
    if look is not None:
        level = float(look_levels(level, look.planned)[look.number - 1])
    by = Measure(arguments.by or campaign.budget.unit)
    ratio = arguments.margin or campaign.statistics.matters.ratio
    return pair.compared(by, ratio, level), look


def _aligned(rows: list[list[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
