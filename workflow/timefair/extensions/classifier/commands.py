"""The command that trains the classifier of a stopping rule."""

from __future__ import annotations

import argparse
from math import isfinite, isnan
from pathlib import Path
from typing import TYPE_CHECKING

from timefair.basics.errors import InputError
from timefair.cli.common import Commands, one_thread
from timefair.cli.paths import prepare_files

if TYPE_CHECKING:
    from timefair.extensions.classifier.training import Trained

PROBABILITIES = (0.9, 0.95, 0.99)
"""Shares of accurate estimates for which the command prints where the rule stops."""


def add_to(commands: Commands) -> None:
    """Add the command of this module."""
    train = commands.add_parser(
        "train-classifier",
        help="train the classifier of stopping.rule classifier on recorded campaigns",
        description="Trains a classifier that predicts whether the median of the first n runs is "
        "accurate, and writes it with its origin to one file. A campaign names this file as "
        "`stopping.model`. The cells of the recorded campaigns need twice as many runs as the "
        "largest n: the first half for the estimate, and the other half to judge it. Nothing is "
        "measured.",
        example="timefair train-classifier results/NAME --output classifier.json",
        exits={2: "the command line or a campaign is wrong; one line per fault"},
    )
    train.add_argument("folders", type=Path, nargs="+", metavar="RESULTS", help="results/NAME")
    train.add_argument(
        "--output", type=Path, required=True, metavar="FILE", help="the file to write (.json)"
    )
    train.add_argument(
        "--quantile", type=float, default=0.5, metavar="P", help="quantile to estimate (0.5)"
    )
    train.add_argument(
        "--width",
        type=float,
        default=0.5,
        metavar="W",
        help="largest error of an accurate estimate, as a share of the estimate (0.5)",
    )
    train.add_argument(
        "--runs",
        default="10-50",
        metavar="FIRST-LAST",
        help="smallest and largest number of runs of an estimate (10-50)",
    )
    train.add_argument(
        "--hold-out",
        choices=("function", "algorithm"),
        default="function",
        help="what is held out in turn to find how often the rule is right where it stops "
        "(function)",
    )
    train.set_defaults(command=_train)


def _train(arguments: argparse.Namespace) -> None:
    one_thread()
    first, last = _runs(arguments.runs)
    if not 0.0 < arguments.quantile < 1.0:
        raise InputError(f"--quantile: {arguments.quantile:g}: should be above 0 and below 1")
    if not (arguments.width > 0.0 and isfinite(arguments.width)):
        raise InputError(f"--width: {arguments.width:g}: should be above 0")
    prepare_files([arguments.output], endings=(".json",))
    from timefair.extensions.classifier.statistics import Question
    from timefair.extensions.classifier.training import train_classifier

    question = Question(arguments.quantile, arguments.width, first, last)
    trained = train_classifier(arguments.folders, question, arguments.hold_out)
    trained.write(arguments.output)
    print(*_lines(trained, arguments), sep="\n")


def _runs(text: str) -> tuple[int, int]:
    first, dash, last = text.partition("-")
    if dash and first.isdecimal() and last.isdecimal() and 2 <= int(first) <= int(last):
        return int(first), int(last)
    raise InputError(f"--runs: {text!r}: should be two numbers such as 10-50, the first at least 2")


def _number(value: float) -> str:
    return "undefined" if isnan(value) else f"{value:.2f}"


def _lines(trained: Trained, arguments: argparse.Namespace) -> list[str]:
    stops, question = trained.classifier.stops, trained.classifier.question
    lines = [
        f"samples       {trained.samples}, of which {100 * trained.accurate:.1f} % are accurate, "
        f"over {question.start} to {question.cap} runs",
        f"held out      each {arguments.hold_out} once: Brier skill {_number(trained.skill)}, "
        f"AUC {_number(trained.auc)}",
    ]
    for probability in PROBABILITIES:
        threshold = stops.threshold_for(probability)
        if threshold is None:
            lines.append(f"p = {probability:g}      not reached; at most {stops.most:.3f}")
            continue
        place = int((stops.threshold == threshold).argmax())
        lines.append(
            f"{f'p = {probability:g}':<14}stops at {threshold:g}, after {stops.runs[place]:.1f} "
            f"runs on average; {100 * stops.kept[place]:.1f} % of the estimates are then accurate"
        )
    return lines
