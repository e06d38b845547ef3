"""Make the page of the study from the database: every number, every table, every picture.

    python docs/studies/make_study.py [--numbers] [--output docs/studies]

``improved-2026.md.template`` is the prose of the page, in which ``{{name}}`` stands for a number or
a table. The archives are in ``timefair-data``. With ``--numbers``, no picture is drawn.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from study import numbers, pictures

FOLDER = Path(__file__).resolve().parent
NAME = "improved-2026"
TEMPLATE = FOLDER / f"{NAME}.md.template"
PLACE = re.compile(r"\{\{([^{}]*)\}\}")
HEAD = f"<!-- Made by docs/studies/make_study.py: change the prose in {TEMPLATE.name} -->\n\n"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--output", type=Path, default=FOLDER, metavar="FOLDER")
    parser.add_argument("--numbers", action="store_true", help="draw no pictures")
    options = parser.parse_args(arguments)
    every = list(numbers.measured())
    values = numbers.of_study(every, list(numbers.measured(numbers.MORE)))
    template = TEMPLATE.read_text(encoding="utf-8")
    if unknown := sorted(set(PLACE.findall(template)) - values.keys()):
        print(*(f"{TEMPLATE.name}: {name}: is no result" for name in unknown), sep="\n")
        return 2
    text = HEAD + PLACE.sub(lambda place: values[place[1]], template)
    (options.output / f"{NAME}.md").write_text(text, encoding="utf-8")
    if not options.numbers:
        pictures.draw(every, options.output / NAME)
    return 0


if __name__ == "__main__":
    sys.exit(main())
