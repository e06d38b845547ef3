"""What every optimizer of MEALPY and NiaPy does: the list in docs/reference/audit.md.

    python benchmarks/library_audit.py [--evaluations 500] [--limit 10] [--fix]
    python benchmarks/library_audit.py --bias [NAME ...]

Each makes two launches with one seed on bbob f8 at D = 10, in this process. A position outside the
bounds is noted before timefair moves it onto them. The cost is the CPU time of the faster launch.
With ``--fix``, the list in the page is written; otherwise it is printed.

With ``--bias``, the optimizers named, or the usual ones and then all others, are audited as by
``timefair audit --bias``. What is found is appended to ``library_bias.jsonl``, so that it goes on
after a stop, and the table of biases in the page is made of this file.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import signal
import sys
import textwrap
import time
import warnings
from collections import defaultdict
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import bias
import numpy as np

from timefair.algorithms import libraries
from timefair.algorithms.adapter import Enough
from timefair.extensions.libraries import mealpy, niapy
from timefair.problems.suites import SUITES

PAGE = Path(__file__).parents[1] / "docs/reference/audit.md"
ADAPTERS: dict[str, ModuleType] = {"mealpy": mealpy, "niapy": niapy}
FOUND = Path(__file__).with_name("library_bias.jsonl")
USUAL = (
    *("PSO.OriginalPSO", "GreyWolfOptimizer", "GWO.OriginalGWO", "HarrisHawksOptimization"),
    *("WOA.OriginalWOA", "DifferentialEvolution", "DE.OriginalDE", "ParticleSwarmOptimization"),
    *("GA.BaseGA", "SineCosineAlgorithm", "SCA.OriginalSCA", "MothFlameOptimizer"),
    *("MFO.OriginalMFO", "BatAlgorithm", "HHO.OriginalHHO", "CuckooSearch", "SSA.OriginalSSA"),
    *("FireflyAlgorithm", "ABC.OriginalABC", "FlowerPollinationAlgorithm", "CSA.OriginalCSA"),
    *("ArtificialBeeColonyAlgorithm", "BA.OriginalBA", "HarmonySearch", "FA.OriginalFA"),
    *("GeneticAlgorithm", "FPA.OriginalFPA", "SimulatedAnnealing", "TLO.OriginalTLO"),
    *("SMA.OriginalSMA", "AOA.OriginalAOA", "MPA.OriginalMPA", "HGS.OriginalHGS"),
    *("RUN.OriginalRUN", "INFO.OriginalINFO", "RIME.OriginalRIME", "AO.OriginalAO"),
    *("AVOA.OriginalAVOA", "GBO.OriginalGBO", "EO.OriginalEO", "DE.JADE", "SHADE.L_SHADE"),
)
"""Names that papers compare with most."""


class Slow(BaseException):
    """The CPU time of an optimizer is used up."""


class Watched:
    """numpy for an adapter, which notes whether a point that it clips was outside."""

    def __init__(self) -> None:
        self.outside = False

    def __getattr__(self, name: str) -> object:
        return getattr(np, name)

    def clip(self, x: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
        inside = np.clip(x, lower, upper)
        self.outside = self.outside or not np.array_equal(inside, x)
        return inside


class Kept:
    """f8 of bbob; it keeps the points."""

    noisy, cores, shown, changes, integer = False, 1, 1, 0, np.zeros(10, dtype=bool)
    evaluations_left = None

    def __init__(self, most: int) -> None:
        problem = SUITES["bbob"].problem(8, 10, 1)
        self.dimension, self.lower, self.upper = 10, problem.lower, problem.upper
        self.evaluate, self.most, self.points = problem.evaluate, most, []

    @property
    def evaluations(self) -> int:
        return len(self.points)

    @property
    def progress(self) -> float:
        return len(self.points) / self.most

    def __call__(self, x: np.ndarray) -> float:
        if len(self.points) == self.most:
            raise Enough
        self.points.append(np.array(x))
        return float(self.evaluate(np.asarray(x, dtype=float)))

    def batch(self, points: np.ndarray) -> np.ndarray:
        return np.array([self(x) for x in points])


class Row(NamedTuple):
    """What an optimizer did; `reason` if it cannot be used or failed."""

    reason: str = ""
    us: float = np.nan
    repeats: bool = True
    outside: bool = False
    nan: bool = False


def launched(use: str, most: int, limit_s: float) -> tuple[Kept, float]:
    """One launch, and its CPU time."""
    algorithm, objective = libraries.load(use, {}), Kept(most)
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002 (as the measuring code does)
    signal.setitimer(signal.ITIMER_PROF, limit_s)
    start = time.process_time()
    try:
        algorithm.solve(objective, np.random.default_rng(1))
    except Enough:
        pass
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return objective, time.process_time() - start


def audited(library: str, name: str, most: int, limit_s: float) -> Row:
    use = f"{library}:{name}"
    if reason := libraries.LIBRARIES[library].missing(name):
        return Row(f"it {reason}")
    watched = ADAPTERS[library].np = Watched()
    try:
        (one, first_s), (other, second_s) = (launched(use, most, limit_s) for _ in range(2))
    except Slow:
        return Row(f"it did not finish {most:,} evaluations in {limit_s:g} s of CPU time")
    except Exception as error:
        return Row(f"{type(error).__name__}: {error}")
    finally:
        ADAPTERS[library].np = np
    if one.evaluations < most:
        return Row(f"it made {one.evaluations} of {most:,} evaluations")
    same = np.array_equal(one.points, other.points, equal_nan=True)
    us = 1e6 * min(first_s, second_s) / most
    return Row("", us, same, watched.outside, bool(np.isnan(one.points).any()))


def page(rows: dict[str, dict[str, Row]]) -> str:
    """Of each library a summary, every optimizer with its cost and marks, and those left out."""
    parts = []
    for library, found in rows.items():
        good = {name: row for name, row in found.items() if not row.reason}
        costs = [row.us for row in good.values()]
        repeat, outside = (
            sum(getattr(r, of) for r in good.values()) for of in ("repeats", "outside")
        )
        families: dict[str, list[str]] = defaultdict(list)
        for name, row in good.items():
            family, _, last = name.rpartition(".")
            marks = "°" * row.outside + "*" * (not row.repeats) + "†" * row.nan
            families[family].append(f"{last}{marks} {float(f'{row.us:.2g}'):,.0f}")
        each = [f"{name + ': ' * bool(name)}{', '.join(own)}" for name, own in families.items()]
        bad = [f"`{name}`: {row.reason}" for name, row in found.items() if row.reason]
        parts += [
            f"**{library}**: {len(good)} of {len(found)} optimizers; {repeat} repeat their seed, "
            f"{outside} leave the bounds (°). µs per evaluation: median {np.median(costs):.0f}, "
            f"{min(costs):.0f} to {max(costs):,.0f}.",
            "; ".join(each) + ".",
            *(["Left out: " + "; ".join(bad) + "."] if bad else []),
        ]
    filling = {"width": 120, "break_long_words": False, "break_on_hyphens": False}
    return "\n\n".join(textwrap.fill(part, **filling) for part in parts)


def uses() -> list[str]:
    """All optimizers, the usual ones first."""
    each = [f"{library}:{name}" for library in ADAPTERS for name in every(library)]
    return sorted(each, key=lambda use: (place(use.partition(":")[2]), use))


def every(library: str) -> list[str]:
    known = libraries.LIBRARIES[library]
    return [name for name in known.every() if not known.missing(name)]


def place(name: str) -> int:
    return USUAL.index(name) if name in USUAL else len(USUAL)


def biases() -> str:
    """A table of the optimizers in the file that have a bias or are usual: the factors of the
    pairs, the shares on the noise. The others are counted.
    """
    rows = bias.rows(FOUND)
    found = {row["use"]: row["found"] for row in rows if row["found"]}
    failed = [f"`{row['use']}` ({row['failed']})" for row in rows if not row["found"]]
    tests = next(iter(found.values()))
    heads = [one["kind"] + ", noise" * (one["problems"] == "noise") for one in tests]
    lines = ["| | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]
    biased = {use for use, tests in found.items() if any(one["found"] for one in tests)}
    shown_here = [use for use in found if use in biased or use.partition(":")[2] in USUAL]
    for use in sorted(shown_here, key=lambda use: (place(use.partition(":")[2]), use)):
        cells = (f"{one['factor']:.2g}" for one in found[use])
        shown = (
            f"**{text}**" if one["found"] else text
            for text, one in zip(cells, found[use], strict=True)
        )
        lines.append(f"| `{use}` | " + " | ".join(shown) + " |")
    said = (
        f"Of {len(found)} optimizers, {len(biased)} have a bias (bold). Listed: these, and those "
        f"that papers compare with most; `benchmarks/{FOUND.name}` has all."
    )
    if failed:
        said += " Not audited, because a run raised an exception: " + ", ".join(failed) + "."
    return "\n".join([*textwrap.wrap(said, 120), "", *lines])


def written(name: str, text: str) -> None:
    """Replace a part of the page, between two comments with its name."""
    begin, end = re.escape(f"<!-- {name} -->"), re.escape(f"<!-- /{name} -->")
    whole = PAGE.read_text(encoding="utf-8")
    made = re.sub(f"({begin}).*({end})", lambda m: f"{m[1]}\n{text}\n{m[2]}", whole, flags=re.S)
    PAGE.write_text(made, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--evaluations", type=int, default=500)
    parser.add_argument("--limit", type=float, default=10.0, help="seconds of CPU time of a launch")
    parser.add_argument("--fix", action="store_true", help="write the page")
    parser.add_argument("--bias", nargs="*", metavar="NAME", help="such as mealpy:PSO.OriginalPSO")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.bias is not None:
        for use in options.bias or uses():
            print(use, file=sys.stderr, flush=True)
            try:
                bias.measure(FOUND, use, 1, 1)
            except Exception as error:
                with FOUND.open("a") as out:
                    failed = {"use": use, "seed": 1, "found": [], "failed": type(error).__name__}
                    print(json.dumps(failed), file=out)
        return written("biases", biases())

    def ended(*_: object) -> None:
        raise Slow

    signal.signal(signal.SIGPROF, ended)
    rows: dict[str, dict[str, Row]] = {}
    for library in ADAPTERS:
        rows[library] = {}
        for name in libraries.LIBRARIES[library].every():
            row = audited(library, name, options.evaluations, options.limit)
            rows[library][name] = row
            print(name, *row, file=sys.stderr, flush=True)
    text = page(rows)
    if options.fix:
        return written("MEALPY and NiaPy", text)
    print(text)


if __name__ == "__main__":
    main()
