"""What the figures of a campaign cost: creating, placing, drawing and writing each of them.

    python benchmarks/figures.py results/default [FIGURE ...] [--repeat 3]

Draws every figure whose table the campaign has and is not empty, all in this process, and prints
CPU seconds: create (the table becomes artists), place (the layout is found), and PDF, SVG and PNG
(each drawn and written). Each number is the least of the repetitions. The last lines are totals,
averages per figure, and what a process costs before its first figure (Python, pandas, matplotlib
and the package).
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from timefair.cli.arguments import read_table
from timefair.exhibits.charts import style
from timefair.exhibits.charts.pages import Page
from timefair.exhibits.registry import FIGURES, FigureEntry

STEPS = ("create", "place", *(suffix.removeprefix(".") for suffix in style.METADATA))
IMPORTS = "import timefair.exhibits.charts.panels, matplotlib.backends.backend_pdf"


def timed(call: Callable[..., Any], *arguments: object) -> tuple[Any, float]:
    """What a call returns, and its CPU seconds."""
    start = time.process_time()
    result = call(*arguments)
    return result, time.process_time() - start


def costs(figure: FigureEntry, frame: pd.DataFrame, folder: Path) -> Any:
    """CPU seconds of each step, for all pages together."""
    return np.sum([of_page(figure, frame, page, folder) for page in figure.pages_of(frame)], axis=0)


def of_page(figure: FigureEntry, frame: pd.DataFrame, page: Page, folder: Path) -> list[float]:
    """CPU seconds of each step."""
    drawing, create_s = timed(figure, frame, page)
    with style.applied():
        place_s = 0.0
        if engine := drawing.get_layout_engine():
            _, place_s = timed(engine.execute, drawing)
            drawing.set_layout_engine("none")
        written = [
            timed(style.save, drawing, folder / f"figure{suffix}")[1] for suffix in style.METADATA
        ]
    return [create_s, place_s, *written]


def imports_s(repeat: int) -> float:
    """CPU seconds of a process that imports what figures need."""

    def spent() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    found = []
    for _ in range(repeat):
        before = spent()
        subprocess.run([sys.executable, "-c", IMPORTS], check=True)
        found.append(spent() - before)
    return min(found)


def line(name: str, seconds: np.ndarray) -> str:
    return f"{name:28}" + "".join(f"{s:8.3f}" for s in seconds) + f"{seconds.sum():9.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("campaign", type=Path, help="its folder of results")
    parser.add_argument("figures", nargs="*", metavar="FIGURE", help="all by default")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()

    total, drawn = np.zeros(len(STEPS)), 0
    print(f"{'CPU seconds':28}" + "".join(f"{step:>8}" for step in STEPS) + f"{'all':>9}")
    with tempfile.TemporaryDirectory() as folder:
        for name in options.figures or FIGURES:
            figure = FIGURES[name]
            path = options.campaign / "tables" / f"{figure.table}.parquet"
            if not path.exists():
                continue
            frame = read_table(path, figure.table)
            if frame.empty:
                continue
            found = [costs(figure, frame, Path(folder)) for _ in range(options.repeat)]
            seconds = np.min(found, axis=0)
            print(line(name, seconds), flush=True)
            total, drawn = total + seconds, drawn + 1
    if not drawn:
        sys.exit(f"{options.campaign}: no tables of these figures")
    print(line(f"{drawn} figures", total))
    print(line("per figure", total / drawn))
    one = total[: -len(style.METADATA)].sum() + total[STEPS.index("pdf")]
    print(f"per figure as PDF alone {one / drawn:.3f}; imports {imports_s(options.repeat):.2f}")


if __name__ == "__main__":
    main()
