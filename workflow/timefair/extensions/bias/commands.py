"""The option ``--bias`` of `timefair audit`, and the file that keeps what it found."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from timefair.basics.errors import InputError
from timefair.basics.files import atomic_file
from timefair.cli.common import Commands, one_thread

if TYPE_CHECKING:
    from timefair.campaign.configuration import Campaign
    from timefair.exhibits.campaign.checklist import ChecklistPart
    from timefair.records.rundata.runs import Runs
    from timefair.records.rundata.settings import Analysis


def add_to(commands: Commands) -> None:
    audit = commands.choices["audit"]
    usual = audit.get_default("command")
    audit.add_argument(
        "--bias",
        action="store_true",
        help="test instead whether the algorithms profit from an optimum at the origin, in the "
        "centre, on the bounds, or from the axes",
    )
    audit.set_defaults(command=lambda arguments: (_bias if arguments.bias else usual)(arguments))


def _bias(arguments: argparse.Namespace) -> None:
    one_thread()
    from timefair.cli.campaigns import show
    from timefair.cli.common import prepare_files
    from timefair.measure import audit
    from timefair.measure.runner import in_new_interpreter

    prepare_files(arguments.output, (".md", ".csv"))
    rows = []
    for word in arguments.what:
        for subject in audit.subjects([word]):
            print(subject.label, file=sys.stderr, flush=True)
            found = in_new_interpreter(measured, subject.use, dict(subject.parameters))
            rows += [{"algorithm": subject.label, **one} for one in found]
        if word.endswith((".yaml", ".yml")):
            keep(Path(word), rows)
    show(
        rows,
        arguments.output,
        lambda row: {**row, "found": "failed" if row["factor"] != row["factor"] else row["found"]},
    )


def measured(use: str, parameters: dict[str, Any]) -> list[dict[str, Any]]:
    from timefair.algorithms import registry
    from timefair.extensions.bias.probe import probe
    from timefair.machine.linux import kernel

    kernel.adopt_orphans()
    algorithm = registry.load(use, parameters)
    algorithm.prepare()
    return [vars(one) for one in probe(algorithm, use)]


FILE = "bias.json"
KEY = "bias"
Rows = Sequence[Mapping[str, Any]]


def keep(config: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    from timefair.campaign import configuration

    campaign = configuration.load(config)
    specs = {label: _spec(campaign, label) for label in campaign.algorithms}
    content = [
        {**row, "spec": specs[row["algorithm"]]} for row in rows if row["algorithm"] in specs
    ]
    folder = Path("results") / campaign.name
    folder.mkdir(parents=True, exist_ok=True)
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
        known = {label: _spec(campaign, label) for label in campaign.algorithms}
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


def _spec(campaign: Campaign, label: str) -> Any:
    spec = campaign.algorithms[label]
    return {"use": spec.use, "parameters": dict(spec.arguments)}
