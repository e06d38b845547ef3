"""Commands about algorithms: list them, audit them, and measure them in another Python."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from timefair.basics.errors import InputError
from timefair.cli.common import Commands, entry, one_thread, prepare_files

SHORT = 40  # libraries with more algorithms are only listed with ``--library``


def add_to(commands: Commands) -> None:
    algorithms = commands.add_parser(
        "algorithms",
        help="list the algorithms that can be used",
        description="Lists the libraries whose algorithms a campaign can name as `library:name`, "
        "with their versions, and whether each algorithm asks for batches if it has several "
        "`threads`. For algorithms that cannot be used, it names the missing package.",
        example="timefair algorithms\ntimefair algorithms --library scipy",
    )
    algorithms.add_argument(
        "--library", metavar="LIBRARY", help="list every algorithm of one library"
    )
    algorithms.add_argument(
        "--all", action="store_true", help="list every algorithm of every library"
    )
    algorithms.set_defaults(command=_algorithms)

    audit = commands.add_parser(
        "audit",
        help="measure how algorithms behave: errors, bounds, repeats, overhead, stopping",
        description="Runs each algorithm five times, with the code that measures campaigns, and "
        "prints a table: errors, points out of bounds, whether a seed repeats the run, the cost "
        "of an evaluation, and how the run was stopped. Failures are rows of the table.",
        example="timefair audit scipy:Nelder-Mead --output audit.csv",
    )
    audit.add_argument(
        "what", nargs="+", metavar="WHAT", help="library:name, a library, or a campaign file"
    )
    audit.add_argument("--function", type=int, default=8, help="function of bbob (8)")
    audit.add_argument("--dimension", type=int, default=10, help="dimension (10)")
    audit.add_argument("--evaluations", type=int, default=2000, help="evaluations of a run (2000)")
    audit.add_argument(
        "--time", type=float, default=0.2, metavar="S", help="seconds of a timed run (0.2)"
    )
    audit.add_argument(
        "--wall", type=float, default=20.0, metavar="S", help="limit of other runs, in seconds (20)"
    )
    audit.add_argument(
        "--output",
        nargs="+",
        type=Path,
        default=[],
        metavar="FILE",
        help="files to write (.csv, .md)",
    )
    audit.set_defaults(command=_audit)


def _algorithms(arguments: argparse.Namespace) -> None:
    from timefair.algorithms.registry import LIBRARIES
    from timefair.machine.facts import versions

    chosen = arguments.library
    if chosen is not None:
        entry("--library", chosen, LIBRARIES)
    for name, library in LIBRARIES.items():
        if chosen not in (None, name):
            continue
        entries = library.available()
        if not entries:
            print(f"{name}: not listed; write {name}:{library.examples[0]}")
            continue
        software = [
            f"{package} {version or 'is not installed'}"
            for package, version in versions(library.distributions).items()
        ]
        usable = sum(not known.missing for known in entries)
        print(f"{name}: {usable} of {len(entries)} usable ({', '.join(software)})")
        full = arguments.all or chosen is not None
        width = max(len(known.name) for known in entries)
        for known in entries if full or len(entries) <= SHORT else ():
            if known.missing:
                asks = f"not here: {known.missing}"
            else:
                asks = "batches" if library.batches(known.name, {}) else "one point at a time"
            print(f"  {name}:{known.name:<{width}}  {asks}")
        if not full and len(entries) > SHORT:
            print(f"  listed by: timefair algorithms --library {name}")


def _audit(arguments: argparse.Namespace) -> None:
    one_thread()
    from dataclasses import asdict

    from timefair.measure import audit

    prepare_files(arguments.output, (".md", ".csv"))
    setting = audit.AuditSettings(
        arguments.function,
        arguments.dimension,
        arguments.evaluations,
        arguments.time,
        arguments.wall,
    )
    if faults := setting.faults():
        raise InputError(*faults)
    rows = []
    for subject in audit.subjects(arguments.what):
        print(subject.label, file=sys.stderr, flush=True)
        rows.append(asdict(audit.look_at(subject, setting)))
    show(rows, arguments.output)


def show(
    rows: Sequence[Mapping[str, object]],
    files: Iterable[Path],
    printed: Callable[[Mapping[str, object]], Mapping[str, object]] = dict,
) -> None:
    """Print at least one row as a table, and write Markdown, or CSV without `printed`, files."""
    import pandas as pd

    table = _markdown([printed(row) for row in rows])
    print(table, end="")
    for path in files:
        if path.suffix == ".md":
            path.write_text(table, encoding="utf-8")
        else:
            pd.DataFrame(rows).to_csv(path, index=False)


def _markdown(rows: Sequence[Mapping[str, object]]) -> str:
    lines = [list(rows[0]), *(list(map(_cell, row.values())) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    lines.insert(1, ["-" * width for width in widths])
    padded = ([word.ljust(n) for word, n in zip(line, widths, strict=True)] for line in lines)
    return "".join(f"| {' | '.join(line)} |\n" for line in padded)


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.3g}" if isinstance(value, float) else str(value).replace("|", "\\|")
