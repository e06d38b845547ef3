"""Make the page of a study from its archive: every number, every table, every picture.

    python docs/studies/make_study.py            # the page again, after a change of its prose
    python docs/studies/make_study.py ARCHIVE    # everything, from an archive

``bbob-2026.md.template`` is the prose of the page, in which ``{{name}}`` stands for a number or a
table. Sentences that state a result without a number are written by hand; a test compares those
about the winner by time, rank reversals on single functions and restarts with the results. An
archive (`timefair export crate`) gives all numbers and tables, which are kept in
``bbob-2026/results.json``, and the pictures beside it. The page is the template with these results,
so that a change of the prose needs no archive. While no archive was measured, there is no page.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from study import page, results
from timefair.basics.errors import InputError


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "archive", nargs="?", type=Path, metavar="ARCHIVE",
        help="a zip or a folder of `timefair export crate`; by default, the results are kept",
    )  # fmt: skip
    parser.add_argument(
        "--output", type=Path, default=page.FOLDER, metavar="FOLDER",
        help="where the page, its results and its pictures go (docs/studies)",
    )  # fmt: skip
    options = parser.parse_args(arguments)
    try:
        if options.archive is not None:
            results.write(options.archive, options.output)
        unfinished = page.write(options.output)
    except InputError as error:
        print(*(f"make_study: {fault}" for fault in error.faults), sep="\n", file=sys.stderr)
        return 2
    print(options.output / page.PAGE)
    for line in unfinished:
        print(f"{page.TEMPLATE.name}: {line}")
    return int(bool(unfinished))


if __name__ == "__main__":
    sys.exit(main())
