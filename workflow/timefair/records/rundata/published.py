"""Joins measured runs and runs of published data, for costs in evaluations.

Others have set the ends of these runs. Therefore they are compared with measured runs only by the
cost to a target, not by the results at the end of a run; in seconds, only those of timefair whose
machine is known (`rundata.bridged`).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from timefair.records.rundata.bridged import bridges, said, with_seconds
from timefair.records.rundata.runs import SECONDS, Runs, Unit
from timefair.records.rundata.traces import launches_of
from timefair.records.schema import BRIDGE, FOREIGN_CLOCK, KEYS

NAMES = ("algorithm", "algorithm_a", "algorithm_b")


def told_in(runs: Runs, unit: Unit) -> Runs:
    """The runs whose cost is known in a unit; in seconds, published data are omitted."""
    apart = unit in SECONDS and not any(BRIDGE in source for source in runs.sources.values())
    there = runs if apart else with_published(runs)
    known = there.known_in(unit)
    return there if known.all() else there.where(known)


def with_published(runs: Runs) -> Runs:
    """All runs in the order of their keys; times are NaN in published data without a bridge."""
    if runs.published is None:
        return runs
    others = with_seconds(runs.published, runs)
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


def marked(frame: pd.DataFrame, runs: Runs, confidence: float) -> pd.DataFrame:
    """Add to a table which published data it contains.

    Its attribute ``published`` is a sentence for captions, which is empty without published data.
    The categories of ``algorithm`` are then the measured algorithms followed by the published ones,
    each in alphabetical order, so that measured algorithms have the same looks in all figures.
    """
    names = [frame[name].astype(str).unique() for name in NAMES if name in frame]
    apart = set(runs.sources) - set(runs.frame["algorithm"].unique())
    there = sorted(set().union(*names) & apart)
    frame.attrs["published"] = " ".join(
        filter(None, (_beside(there, runs, confidence), _clock(runs)))
    )
    if there and "algorithm" in frame:
        measured = sorted(set(frame["algorithm"].astype(str).unique()) - set(there))
        frame["algorithm"] = pd.Categorical(frame["algorithm"], [*measured, *there])
    return frame


def _beside(labels: list[str], runs: Runs, confidence: float) -> str:
    """Sentences on the published data in a table."""
    foreign = [label for label in labels if runs.sources[label].get(FOREIGN_CLOCK)]
    known = bridges(runs)
    scaled = [label for label in labels if label in known]
    unbridged = [label for label in labels if BRIDGE in runs.sources[label] and label not in scaled]
    without = sorted(set(labels) - {*foreign, *scaled, *unbridged})
    parts = (
        f"Published data, {what}: {', '.join(some)}."
        for what, some in (
            ("which have no times", without),
            ("whose times are of a foreign clock and omitted", foreign),
            (
                "whose seconds are omitted, because they are of another clock or no reference "
                "kernels were timed here",
                unbridged,
            ),
        )
        if some
    )
    return " ".join((*parts, *filter(None, [said(scaled, runs, confidence)])))


def _clock(runs: Runs) -> str:
    return "All times are of a foreign clock." if runs.foreign_clock else ""
