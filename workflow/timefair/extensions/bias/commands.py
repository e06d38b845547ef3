"""The option ``--bias`` of `timefair audit`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from timefair.cli.common import Commands, one_thread


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
    from timefair.extensions.bias import kept
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
            kept.keep(Path(word), rows)
    show(rows, arguments.output, _shown)


def measured(use: str, parameters: dict[str, Any]) -> list[dict[str, Any]]:
    """What `probe` finds, in a process of its own."""
    from timefair.algorithms import registry
    from timefair.extensions.bias.probe import probe
    from timefair.machine.linux import kernel

    kernel.adopt_orphans()
    algorithm = registry.load(use, parameters)
    algorithm.prepare()
    return [vars(one) for one in probe(algorithm, use)]


def _shown(row: Mapping[str, Any]) -> Mapping[str, Any]:
    failed = row["factor"] != row["factor"]
    return {**row, "found": "failed" if failed else row["found"]}
