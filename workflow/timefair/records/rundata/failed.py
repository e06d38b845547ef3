"""Algorithms that made no evaluation in any run, and therefore have nothing to compare."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.records.rundata.runs import Runs

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
    """The runs of all other algorithms."""
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
    """Which runs are those of failed algorithms, shape (runs,)."""
    return runs.once("failed", lambda: _without_evaluation(runs.frame))


def _without_evaluation(frame: pd.DataFrame) -> NDArray[np.bool_]:
    evaluated = (frame["evaluations"] > 0) | frame["evaluations"].isna() & frame["status"].notna()
    if evaluated.all():
        return np.zeros(len(frame), dtype=np.bool_)
    own = evaluated.groupby([frame[key] for key in [*SPACE, "algorithm"]]).transform("any")
    return np.asarray(~own, dtype=np.bool_)
