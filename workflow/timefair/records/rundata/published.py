"""Joins measured runs and runs of published data, for costs in evaluations.

Published data have no times, and others have set the ends of their runs. Therefore they are
compared with measured runs only by the evaluations to a target, not by seconds, and not by the
results at the end of a run.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from timefair.records.rundata.runs import SECONDS, Runs, Unit
from timefair.records.rundata.traces import launches_of
from timefair.records.schema import FOREIGN_CLOCK, KEYS

NAMES = ("algorithm", "algorithm_a", "algorithm_b")


def told_in(runs: Runs, unit: Unit) -> Runs:
    """The runs whose cost is known in a unit; in seconds, published data are omitted."""
    there = runs if unit in SECONDS else with_published(runs)
    known = there.known_in(unit)
    return there if known.all() else there.where(known)


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
        feasibility=runs.feasibility.renumbered(mine),
        launch_traces=runs.launch_traces.renumbered(mine),
        read_launches=lambda: launches_of(runs.read_launches(), mine),
        published=None,
        sources={},
    )


def marked(frame: pd.DataFrame, runs: Runs) -> pd.DataFrame:
    """Add to a table which published data it contains.

    Its attribute ``published`` is a sentence for captions, which is empty without published data.
    The categories of ``algorithm`` are then the measured algorithms followed by the published ones,
    each in alphabetical order, so that measured algorithms have the same looks in all figures.
    """
    names = [frame[name].astype(str).unique() for name in NAMES if name in frame]
    apart = set(runs.sources) - set(runs.frame["algorithm"].unique())
    there = sorted(set().union(*names) & apart)
    frame.attrs["published"] = " ".join(filter(None, (_beside(there, runs), _clock(runs))))
    if there and "algorithm" in frame:
        measured = sorted(set(frame["algorithm"].astype(str).unique()) - set(there))
        frame["algorithm"] = pd.Categorical(frame["algorithm"], [*measured, *there])
    return frame


def _beside(labels: list[str], runs: Runs) -> str:
    """Sentences on the published data in a table."""
    foreign = [label for label in labels if runs.sources[label].get(FOREIGN_CLOCK)]
    without = sorted(set(labels) - set(foreign))
    return " ".join(
        f"Published data, {what}: {', '.join(some)}."
        for what, some in (
            ("which have no times", without),
            ("whose times are of a foreign clock and omitted", foreign),
        )
        if some
    )


def _clock(runs: Runs) -> str:
    return "All times are of a foreign clock." if runs.foreign_clock else ""
