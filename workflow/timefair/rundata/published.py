"""Measured runs together with those of published data, where evaluations are counted.

Published data have no times, and their runs ended where others had set the end. So they stand
beside measured runs in costs of evaluations to targets, and nowhere else: not in seconds, and not
in what was reached by the end of a run.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from timefair.records.schema import KEYS
from timefair.rundata import launches
from timefair.rundata.runs import SECONDS, Runs, Unit

NAMES = ("algorithm", "algorithm_a", "algorithm_b")


def told_in(runs: Runs, unit: Unit) -> Runs:
    """The runs that have this unit: without those of published data in seconds."""
    return runs if unit in SECONDS else with_published(runs)


def with_published(runs: Runs) -> Runs:
    """All runs in the order of their keys; times are NaN in those of published data."""
    others = runs.published
    if others is None:
        return runs
    frame = pd.concat([runs.frame, others.frame.dropna(axis="columns", how="all")])
    frame = frame.reset_index(drop=True)
    order = frame.sort_values(list(KEYS), kind="stable").index.to_numpy()
    place = np.argsort(order)
    mine, theirs = place[: len(runs.frame)], place[len(runs.frame) :]
    return replace(
        runs,
        frame=frame.iloc[order].reset_index(drop=True),
        traces=runs.traces.renumbered(mine) + others.traces.renumbered(theirs),
        launch_traces=runs.launch_traces.each(lambda part: part.renumbered(mine)),
        read_launches=lambda: launches.of_runs(runs.read_launches(), mine),
        published=None,
        sources={},
    )


def marked(frame: pd.DataFrame, runs: Runs) -> pd.DataFrame:
    """A table that says which published data are in it.

    Its attribute ``published`` is a sentence for captions, empty without any. The categories of
    ``algorithm`` are then the measured ones and after them the published ones, each by the
    alphabet, so that measured algorithms keep their looks in all figures.
    """
    names = [frame[name].astype(str) for name in NAMES if name in frame]
    there = sorted(set().union(*names) & set(runs.sources))
    frame.attrs["published"] = (
        f"Published data, which have no times: {', '.join(there)}." if there else ""
    )
    if there and "algorithm" in frame:
        measured = sorted(set(frame["algorithm"].astype(str)) - set(there))
        frame["algorithm"] = pd.Categorical(frame["algorithm"], [*measured, *there])
    return frame
