"""Runs that tables leave out: those of failed algorithms, and blocks that lack an algorithm.

With `block: node`, all algorithms of a problem and round were measured on one node, and their runs
are compared within each kind of machine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.records.integrity import several_hosts

if TYPE_CHECKING:
    from timefair.records.rundata.runs import Runs

BLOCK = ["suite", "function", "dimension", "instance", "round"]
"""The columns that identify a problem and a round, which is measured on one node."""

EVERY_MACHINE = "every machine"  # name of the mean over the kinds of machines in tables
UNNAMED = "as measured"  # name of the machine of runs without blocks in tables

_PLACE = ("algorithm", "function", "dimension", "instance", "round")


def machine_of_runs(frame: pd.DataFrame, nodes: Iterable[Mapping[str, Any]]) -> NDArray[np.object_]:
    """The kind of machine of each run, by `Runs.nodes`, shape (runs,); "" without blocks."""
    kinds = {
        tuple((row | {"instance": instance})[name] for name in _PLACE): row["machine"]
        for row in map(dict, nodes)
        for instance in row["instances"]
    }
    if not kinds:
        return np.full(len(frame), "", dtype=object)
    places = zip(*(frame[name] for name in _PLACE), strict=True)
    return np.array([kinds.get(place, "") for place in places], dtype=object)


def machines(runs: Runs) -> list[str]:
    """The kinds of machines that measured the blocks, in order; empty without blocks."""
    return sorted({*runs.frame["machine"].unique()} - {""})


def several(runs: Runs) -> bool:
    """Whether blocks were measured on more than one kind of machine."""
    return len(machines(runs)) > 1


def without_partner(runs: Runs) -> NDArray[np.bool_]:
    """Which runs are in a block that lacks an algorithm of its problem, shape (runs,).

    None are, unless there are several kinds of machines.
    """
    frame = runs.frame
    if not several(runs):
        return np.zeros(len(frame), dtype=np.bool_)
    here = frame.groupby(BLOCK)["algorithm"].transform("nunique")
    all_of_problem = frame.groupby(BLOCK[:-1])["algorithm"].transform("nunique")
    return np.asarray(here < all_of_problem)


def mixture(runs: Runs) -> str:
    """The machines of the runs, as sentences for captions; empty for one machine."""
    if not several(runs):
        return several_hosts(runs.origins)
    counts = Counter(runs.frame["machine"])
    each = ", ".join(f"{counts[kind]} runs on {kind}" for kind in machines(runs))
    return (
        f"Several kinds of machines, mixed by blocks: {each}. Algorithms are comparable; absolute "
        "seconds are those of the mixture, not of one machine."
    )


def with_partners(runs: Runs) -> Runs:
    """The runs that can be compared within their blocks."""
    alone = without_partner(runs)
    return runs.where(~alone) if alone.any() else runs


def omitted(runs: Runs) -> str:
    """Number of runs that `with_partners` omits, as a sentence; empty if there are none."""
    count = int(without_partner(runs).sum())
    if not count:
        return ""
    words = "1 run is" if count == 1 else f"{count} runs are"
    return f"{words} omitted: the block lacks a run of another algorithm on the same node."


SPACE = ["suite", "dimension"]


class Failed(NamedTuple):
    """An algorithm without one evaluation in a suite and dimension."""

    suite: str
    dimension: int
    algorithm: str


def failed_algorithms(runs: Runs) -> list[Failed]:
    """The failed algorithms of every suite and dimension, in order."""
    failed = _of_failed(runs)
    if not failed.any():
        return []
    frame = runs.frame.loc[failed, [*SPACE, "algorithm"]]
    names = frame.drop_duplicates().itertuples(index=False)
    return sorted(Failed(str(suite), int(space), str(name)) for suite, space, name in names)


def without_failed(runs: Runs) -> Runs:
    failed = _of_failed(runs)
    return runs.once("without failed", lambda: runs.where(~failed)) if failed.any() else runs


def sentence(failed: Iterable[Failed]) -> str:
    """Sentence on them for captions; empty if there are none."""
    spaces: dict[str, list[int]] = {}
    for one in failed:
        spaces.setdefault(one.algorithm, []).append(one.dimension)
    said = [
        f"{name} ({', '.join(f'D = {dimension}' for dimension in dimensions)})"
        for name, dimensions in spaces.items()
    ]
    return f"Omitted, without an evaluation in any run: {', '.join(said)}." if said else ""


def _of_failed(runs: Runs) -> NDArray[np.bool_]:

    def found() -> NDArray[np.bool_]:
        frame, count = runs.frame, runs.frame["evaluations"]
        evaluated = (count > 0) | count.isna() & frame["status"].notna()
        own = evaluated.groupby([frame[key] for key in [*SPACE, "algorithm"]]).transform("any")
        return np.asarray(~own, dtype=np.bool_)

    return runs.once("failed", found)
