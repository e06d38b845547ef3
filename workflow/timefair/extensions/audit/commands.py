"""The command `timefair audit`, and the file that keeps what its option ``--bias`` found."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from timefair.basics.disk import atomic_file
from timefair.basics.errors import InputError
from timefair.cli.arguments import Declared, argument, one_thread, prepare_files

if TYPE_CHECKING:
    from timefair.campaign.configuration import Campaign
    from timefair.exhibits.campaign.checklist import ChecklistPart
    from timefair.records.rundata.runs import Runs
    from timefair.records.rundata.settings import Analysis

FILE, KEY = "bias.json", "bias"
Rows: TypeAlias = Sequence[Mapping[str, Any]]
DECLARED = Declared()
add_to = DECLARED.add_to


@DECLARED.command(
    "audit",
    argument("what", "WHAT", "library:name, a library, or a campaign file", nargs="+"),
    argument("--function", help="function of bbob (8)", type=int, default=8),
    argument("--dimension", help="dimension (10)", type=int, default=10),
    argument("--evaluations", help="evaluations of a run (2000)", type=int, default=2000),
    argument("--time", "S", "seconds of a timed run (0.2)", type=float, default=0.2),
    argument("--wall", "S", "limit of other runs, in seconds (20)", type=float, default=20.0),
    argument("--output", "FILE", "files to write (.csv, .md)", nargs="+", type=Path, default=[]),
    argument(
        "--bias",
        action="store_true",
        help="test instead whether the algorithms profit from an optimum at the origin, in the "
        "centre, on the bounds, or from the axes",
    ),
    help="measure how algorithms behave: errors, bounds, repeats, overhead, stopping",
    example="timefair audit scipy:Nelder-Mead --output audit.csv",
)
def _audit(arguments: argparse.Namespace) -> None:
    """Runs each algorithm five times, with the code that measures campaigns, and prints a table:
    errors, points out of bounds, whether a seed repeats the run, the cost of an evaluation, and how
    the run was stopped. Failures are rows of the table.
    """
    one_thread()
    from timefair.extensions.audit import behaviour

    prepare_files(arguments.output, (".md", ".csv"))
    if arguments.bias:
        _bias(arguments)
        return
    limits = (arguments.evaluations, arguments.time, arguments.wall)
    setting = behaviour.AuditSettings(arguments.function, arguments.dimension, *limits)
    if faults := setting.faults():
        raise InputError(*faults)
    rows = []
    for subject in behaviour.subjects(arguments.what):
        print(subject.label, file=sys.stderr, flush=True)
        rows.append(behaviour.look_at(subject, setting))
    _show(rows, arguments.output, rows)


def _bias(arguments: argparse.Namespace) -> None:
    from timefair.extensions.audit.behaviour import subjects
    from timefair.measure.runner import in_new_interpreter

    rows = []
    for word in arguments.what:
        for subject in subjects([word]):
            print(subject.label, file=sys.stderr, flush=True)
            found = in_new_interpreter(measured, subject.use, dict(subject.parameters))
            rows += [{"algorithm": subject.label, **one} for one in found]
        if word.endswith((".yaml", ".yml")):
            keep(Path(word), rows)
    failed = {"found": "failed"}
    _show(rows, arguments.output, [row | failed if isnan(row["factor"]) else row for row in rows])


def _show(rows: Rows, files: Iterable[Path], shown: Rows) -> None:
    """Print at least one row as a table, `shown`, which Markdown files have too; CSV has `rows`."""
    import pandas as pd

    lines = [list(shown[0]), *(list(map(_cell, row.values())) for row in shown)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    lines.insert(1, ["-" * width for width in widths])
    padded = ([word.ljust(n) for word, n in zip(line, widths, strict=True)] for line in lines)
    table = "".join(f"| {' | '.join(line)} |\n" for line in padded)
    print(table, end="")
    for path in files:
        if path.suffix == ".md":
            path.write_text(table, encoding="utf-8")
        else:
            pd.DataFrame(rows).to_csv(path, index=False)


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.3g}" if isinstance(value, float) else str(value).replace("|", "\\|")


def measured(use: str, parameters: dict[str, Any]) -> list[dict[str, Any]]:
    from timefair.algorithms import libraries
    from timefair.extensions.audit.probe import probe
    from timefair.machine.linux import kernel

    kernel.adopt_orphans()
    algorithm = libraries.load(use, parameters)
    algorithm.prepare()
    return [vars(one) for one in probe(algorithm, use)]


def keep(config: Path, rows: Rows) -> None:
    from timefair.campaign import configuration

    campaign = configuration.load(config)
    specs = _specs(campaign)
    content = [
        {**row, "spec": specs[row["algorithm"]]} for row in rows if row["algorithm"] in specs
    ]
    folder = Path("results") / campaign.name
    with atomic_file(folder / FILE) as file:
        file.write((json.dumps(content, indent=1) + "\n").encode())


def files(campaign: Campaign, folder: Path) -> Iterator[str]:
    if (folder / FILE).exists():
        yield FILE


def settings(campaign: Campaign, folder: Path) -> Iterator[tuple[str, Any]]:
    """The rows of the algorithms as the campaign has them now; nothing without an audit."""
    path = folder / FILE
    if not path.exists():
        return
    try:
        rows = json.loads(path.read_text("utf-8"))
        known = _specs(campaign)
        rows = [row for row in rows if known.get(row["algorithm"]) == row["spec"]]
    except (ValueError, KeyError, TypeError):
        raise InputError(f"{path}: damaged; delete it, and audit again") from None
    if rows:
        yield KEY, rows


def checklist(runs: Runs, analysis: Analysis) -> Iterator[ChecklistPart]:
    from timefair.exhibits.campaign.checklist import ChecklistPart

    if rows := analysis.added.get(KEY):
        yield ChecklistPart("Biases", sentence(rows))


def sentence(rows: Rows) -> str:
    biased: dict[str, list[str]] = {}
    for row in rows:
        kinds = biased.setdefault(row["algorithm"], [])
        if row["found"]:
            by = f" (factor {row['factor']:.2g})" if row["problems"] == "pair" else " (noise)"
            kinds.append(row["kind"] + by)
    said = [f"{label} profits from {', '.join(kinds)}" for label, kinds in biased.items() if kinds]
    none = [label for label, kinds in biased.items() if not kinds]
    return "; ".join(said + [f"no bias found in {', '.join(none)}"] * bool(none))


def _specs(campaign: Campaign) -> dict[str, Any]:
    every = campaign.algorithms.items()
    return {label: {"use": of.use, "parameters": dict(of.arguments)} for label, of in every}
