"""The commands `timefair rank` and `timefair recommend`, and `timefair export database`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path

from timefair.basics.errors import InputError
from timefair.cli.arguments import (
    RESULTS,
    Commands,
    Declared,
    argument,
    cores_of,
    entry,
    one_thread,
    prepare_files,
)
from timefair.extensions.database import store

BASELINE = "random-search"
EXPLORER = "explore.html"

DECLARED = Declared()
DATABASE = argument(
    "--database", "PATH",
    f"a database, an archive or results/NAME (by default the folder {store.FOLDER})", type=Path,
)  # fmt: skip


def add_to(commands: Commands) -> None:
    report = commands.choices["report"]
    report.add_argument(
        "--explore", action="store_true",
        help="write explore.html instead, a page to explore the runs of RESULTS, which may be a "
        "database or one of its archives",
    )  # fmt: skip
    report.set_defaults(command=partial(_report, report.get_default("command")))
    DECLARED.add_to(commands)


@DECLARED.command(
    "recommend",
    argument("--evaluation-cost", "S", "seconds that an evaluation takes", required=True,
             type=float),
    argument("--budget", "S", "seconds that a run may take", required=True, type=float),
    argument("--dimension", "D", "variables", required=True, type=int),
    argument("--cores", "N", "cores of a run (1)", type=int, default=1),
    argument("--integer", help="some variables are integers", action="store_true"),
    DATABASE,
    argument("--design", "NAME", "one archive (all of the database)"),
    argument("-o --output", "FILE", ".yaml, a campaign that would decide what is unknown",
             type=Path),
    help="which optimizers to take for a dimension, an evaluation cost and a budget",
    example="timefair recommend --dimension 6 --evaluation-cost 0.1 --budget 600",
)  # fmt: skip
def _recommend(arguments: argparse.Namespace) -> None:
    """Answers from the database, without measuring: at most three optimizers with the share of the
    targets that their runs reach, and what is unknown. If choosing for the case was not better than
    always taking one good optimizer, on functions left out of both choices, that one comes first.
    """
    for option in ("dimension", "budget", "cores"):
        if not 0 < (value := getattr(arguments, option)) < float("inf"):
            raise InputError(f"--{option}: {value:g}: should be above 0")
    if not 0 <= (cost := arguments.evaluation_cost) < float("inf"):
        raise InputError(f"--evaluation-cost: {cost:g}: should be at least 0")
    if arguments.output is not None:
        prepare_files([arguments.output], [".yaml"])
    one_thread()
    from timefair.extensions.database import advice

    paths = store.designs(arguments.database, arguments.design)
    print(*advice.told(paths.values(), arguments), sep="\n")


def _report(usual: Callable[..., int | None], arguments: argparse.Namespace) -> int | None:
    if not arguments.explore:
        return usual(arguments)
    one_thread()
    from timefair.extensions.database import explorer

    folder = arguments.folder
    output = folder / EXPLORER if (folder / store.COLLECTED).is_dir() else Path(EXPLORER)
    prepare_files([output], [".html"])
    output.write_text(explorer.page(folder), encoding="utf-8")
    print(output)
    return None


@DECLARED.command(
    "export database",
    argument("folder", **RESULTS),
    argument("-o --output", "FOLDER", f"the database ({store.FOLDER})", type=Path,
             default=Path(store.FOLDER)),
    help="an archive for the database of optimizers",
    example="timefair export database results/default --output my-database",
)  # fmt: skip
def _export(arguments: argparse.Namespace) -> None:
    """Writes the collected runs of a campaign as an archive of the database, with the improvements
    that first reach a target, and brings its list of optimizers and its digests up to date.
    """
    one_thread()
    print(store.add(arguments.folder, arguments.output))


@DECLARED.command(
    "rank",
    argument("use", "ALGORITHM", "as `use` in a campaign: mine.py:solve"),
    argument("--parameters", "YAML", "its parameters, such as '{F: 0.7}'", default="{}"),
    DATABASE,
    argument("--design", "NAME", "archive of the database (the first)"),
    argument("--by", choices=("seconds", "evaluations"),
             help="what the verdict is about (seconds if they are comparable, else evaluations)"),
    argument("--against", "LABEL", f"whom it must not be worse than ({BASELINE})"),
    argument("--cores", "N", "runs at the same time (all)", type=int),
    argument("-o --output", "FILE", ".md, the page; by default rank.md in the results", type=Path),
    help="place an algorithm of yours among recorded optimizers",
    example="timefair rank mine.py:solve\ntimefair rank scipy:Powell --design database-bbob-20",
    exits={0: "not significantly worse than --against", 1: "significantly worse than it"},
)  # fmt: skip
def _rank(arguments: argparse.Namespace) -> int:
    """Measures one algorithm on a design of the database, and places it among the recorded
    optimizers: average ranks in evaluations, in seconds, and at 1 ms and 100 ms an evaluation; who
    is significantly better and worse. After a stop, the same command goes on. The last line that it
    prints is the verdict.
    """
    cores = cores_of(arguments)
    if arguments.output is not None:
        prepare_files([arguments.output], [".md"])
    one_thread()
    import yaml

    from timefair.extensions.database import explorer, ranking

    try:
        parameters = yaml.safe_load(arguments.parameters)
    except yaml.YAMLError:
        parameters = None
    if not isinstance(parameters, dict):
        raise InputError(f"--parameters: {arguments.parameters}: should be like '{{F: 0.7}}'")
    first, *_ = store.designs(arguments.database, arguments.design).values()
    with store.opened(first) as design:
        labels, own = design.campaign.algorithms, ranking.twins(design, arguments.use, parameters)
        against = arguments.against
        if against is not None:
            entry("--against", against, labels)
        elif BASELINE in labels:
            against = BASELINE
        if against in own:
            if arguments.against is not None:
                raise InputError(f"--against: {against!r}: is the algorithm itself")
            against = None
        file = ranking.campaign_of(design, arguments.use, parameters)
        print(f"{file}: beside {len(labels)} optimizers of {design.path}", flush=True)
        collected = ranking.measured(file, cores)
        ranked = ranking.placed(design, collected, arguments.use, parameters, against)
        dropped = explorer.own(design, collected)
    known = ranked.placed[0].overall
    by = arguments.by or ("seconds" if "seconds" in known else "evaluations")
    if by not in known:
        raise InputError(f"--by: {by!r}: {ranked.remarks[-1]}")
    output = arguments.output or Path("results") / file.parent.name / "rank.md"
    output.write_text(ranking.page(ranked, by), encoding="utf-8")
    output.with_name("explore.json").write_text(dropped, encoding="utf-8")
    print(*ranked.remarks, f"page: {output}", ranking.verdict(ranked, by), sep="\n")
    return int(ranked.is_worse(by))
