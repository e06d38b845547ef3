"""Joins measured runs and runs of published data; in seconds, by a bridge between machines.

Others have set the ends of published runs. Therefore they are compared with measured runs only by
the cost to a target, not by the results at the end of a run; in seconds, only those of timefair
whose machine is known: records have the times of three reference kernels of their machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.basics.errors import InputError
from timefair.basics.words import number
from timefair.records.rundata.runs import Runs, Unit
from timefair.records.rundata.traces import TracePart
from timefair.records.schema import BRIDGE, FOREIGN_CLOCK, KEYS

KERNELS = ("arithmetic", "memory", "interpreter")
OF_CODE = {
    "compiled": "arithmetic",
    "program": "arithmetic",
    "Python with numpy": "interpreter",
    "your Python": "interpreter",
}
"""The kernel whose ratio is taken for an implementation (`algorithms.base.Implementation`)."""
CLOCKS = ("cpu", "wall")  # what the two times of a kernel are, in their order
BATCHES = 8
LEAST_ERROR, FEW_ERROR = 0.02, 0.3
"""Smallest standard error of a logarithm, and that of a single record, which shows no noise."""
Array = NDArray[np.float64]
Kernels = Mapping[str, Any]
"""The two times of each kernel in a job: the fact ``kernels`` of its record."""


class Bridge(NamedTuple):
    """Seconds here for each second of the other machine, with an interval, and the kernel."""

    ratio: float
    low: float
    high: float
    kernel: str


def bridge(
    implementation: str,
    here: Sequence[Kernels],
    there: Sequence[Kernels],
    *,
    confidence: float = 0.95,
    clock: Literal["cpu", "wall"] = "wall",
) -> Bridge:
    """The bridge for code of some kind, from the kernels of the records of two machines, in order.

    The ratio is that of the median times of one kernel (`OF_CODE`). Nobody knows which share of an
    algorithm is like which kernel, so the interval reaches from the least limit of all three
    kernels to the largest. `InputError`, one line, if one side has no kernels.
    """
    for side, timed in (("this campaign", here), ("the other machine", there)):
        if not timed:
            raise InputError(
                f"no reference kernels in the records of {side}: seconds are not comparable; "
                "measure them again"
            )
    kernel = OF_CODE[implementation]
    (mine, error), (others, its_error) = (
        _log_times(of, CLOCKS.index(clock), confidence) for of in (here, there)
    )
    ratios, spreads = mine - others, np.hypot(error, its_error)
    limits = (ratios - spreads).min(), (ratios + spreads).max()
    ratio, low, high = np.exp([ratios[KERNELS.index(kernel)], *limits]).tolist()
    return Bridge(ratio, low, high, kernel)


def _log_times(timed: Sequence[Kernels], place: int, confidence: float) -> tuple[Array, Array]:
    """Logarithms of the median times of `KERNELS`, and how far from them the true ones may be."""
    from scipy.stats import t

    logs = np.log([[one[name][place] for name in KERNELS] for one in timed])
    batches = np.array_split(logs, min(BATCHES, max(len(logs) // 2, min(len(logs), 3))))
    error, count = np.full(len(KERNELS), FEW_ERROR), len(batches)
    if count > 1:
        medians = [np.median(batch, axis=0) for batch in batches]
        error = np.maximum(np.std(medians, axis=0, ddof=1) / np.sqrt(count), LEAST_ERROR)
    return np.median(logs, axis=0), t.ppf((1 + confidence) / 2, max(count - 1, 2)) * error


def bridges(runs: Runs, confidence: float = 0.95) -> dict[str, Bridge]:
    """The bridge of each published algorithm with kernels and times of the clock of `runs`."""
    here = [timed for one in runs.origins.values() for timed in one.kernels]
    clock, found = runs.clock, {}
    for label, source in sorted(runs.sources.items()):
        there = source.get(BRIDGE)
        if there and here and (clock == "cpu" or clock == there["clock"] == "wall"):
            found[label] = bridge(
                there["implementation"], here, there["kernels"], confidence=confidence, clock=clock
            )
    return found


def at_ends(runs: Runs, confidence: float) -> list[Runs]:
    """The same runs with the bridges at the ends of their intervals; empty without a bridge.

    For each algorithm, its bridge is at one end and the others at the other, so that each pair is
    compared at both of its extremes.
    """
    if (others := runs.published) is None:
        return []
    found = bridges(runs, confidence).items()
    ends = {label: (one.low / one.ratio, one.high / one.ratio) for label, one in found}
    cases = [
        {other: of[end if other == label else 1 - end] for other, of in ends.items()}
        for label in ends
        for end in (0, 1)
    ]
    factors = [_of_runs(others, dict.fromkeys(runs.sources, 1.0) | case) for case in cases]
    return [replace(runs, published=_scaled(others, factor)) for factor in factors]


def _of_runs(others: Runs, factors: Mapping[str, float]) -> Array:
    return np.asarray(others.frame["algorithm"].astype(str).map(factors), dtype=np.float64)


def _scaled(others: Runs, factor: Array) -> Runs:
    """Multiply times by a factor per run, except simulated cost."""
    frame = others.frame
    simulated = np.asarray(frame["evaluation_cost_s"].fillna(0.0), dtype=np.float64)

    def seconds(told: Array, evaluations: Array, cost: Array, factor: Array) -> Array:
        fixed = np.minimum(cost * evaluations, told)
        return np.asarray(fixed + factor * (told - fixed))

    def of_part(part: TracePart) -> TracePart:
        of_events = part.at_events(simulated), part.at_events(factor)
        return replace(part, time_s=seconds(part.time_s, part.evaluations, *of_events))

    wall_s = seconds(others.spent("seconds"), others.spent("evaluations"), simulated, factor)
    return others.each_part(of_part, "traces", frame=frame.assign(wall_s=wall_s, real_s=wall_s))


def said(labels: list[str], runs: Runs, confidence: float) -> str:
    """Sentences on the bridges of some algorithms."""
    sentences = []
    for label, one in bridges(runs, confidence).items():
        if label in labels:
            machine = runs.sources[label][BRIDGE]["machine"]
            ratio, least, most = (number(of, digits=2) for of in one[:3])
            sentences.append(
                f"Seconds of {label} are those of another machine ({machine}) times {ratio} "
                f"[{least}, {most}], the ratio of the reference kernels ({one.kernel})."
            )
    if sentences:
        sentences.append(
            "Limits of `ert` and verdicts of `comparison` include these intervals; other "
            "numbers are at the ratio."
        )
    return " ".join(sentences)


NAMES = ("algorithm", "algorithm_a", "algorithm_b")


def told_in(runs: Runs, unit: Unit) -> Runs:
    """The runs whose cost is known in a unit; in seconds, published data are omitted."""
    apart = unit == "seconds" and not any(BRIDGE in source for source in runs.sources.values())
    there = runs if apart else with_published(runs)
    known = there.known_in(unit)
    return there if known.all() else there.where(known)


def with_published(runs: Runs) -> Runs:
    """All runs in the order of their keys.

    Published ones have the seconds that they would have taken here, NaN without a bridge.
    """
    if runs.published is None:
        return runs
    frame = runs.published.frame
    ratios = {label: one.ratio for label, one in bridges(runs).items()}
    factors = _of_runs(runs.published, ratios)
    if runs.clock == "cpu":
        timed = (frame["wall_s"] > 0) & ~(frame["evaluation_cost_s"].astype(float) > 0)
        factors = factors * (frame["cpu_s"] / frame["wall_s"]).where(timed).to_numpy(np.float64)
    others = _scaled(runs.published, factors)
    frame = pd.concat([runs.frame, others.frame.dropna(axis="columns", how="all")])
    frame = frame.reset_index(drop=True).sort_values(list(KEYS), kind="stable")
    mine, theirs = np.split(np.argsort(frame.index.to_numpy()), [len(runs.frame)])
    moved = runs.each_part(lambda part: part.renumbered(mine), frame=frame.reset_index(drop=True))
    traces = others.traces.each(lambda part: part.renumbered(theirs))
    return replace(moved, traces=moved.traces + traces, published=None, sources={})


def marked(frame: pd.DataFrame, runs: Runs, confidence: float) -> pd.DataFrame:
    """Add to a table which published data it contains.

    Its attribute ``published`` is a sentence for captions, maybe empty. The categories of
    ``algorithm`` are then the measured algorithms followed by the published ones, so that looks do
    not change.
    """
    names = [frame[name].astype(str).unique() for name in NAMES if name in frame]
    apart = set(runs.sources) - set(runs.frame["algorithm"].unique())
    there = sorted(set().union(*names) & apart)
    clock = "All times are of a foreign clock." if runs.foreign_clock else ""
    frame.attrs["published"] = " ".join(filter(None, (_beside(there, runs, confidence), clock)))
    if there and "algorithm" in frame:
        measured = sorted(set(frame["algorithm"].astype(str).unique()) - set(there))
        frame["algorithm"] = pd.Categorical(frame["algorithm"], [*measured, *there])
    return frame


_NO_TIMES, _FOREIGN = "which have no times", "whose times are of a foreign clock and omitted"
_NO_BRIDGE = (
    "whose seconds are omitted, because they are of another clock or no reference kernels were "
    "timed here"
)


def _beside(labels: list[str], runs: Runs, confidence: float) -> str:
    known = bridges(runs)
    omitted: dict[str, list[str]] = {_NO_TIMES: [], _FOREIGN: [], _NO_BRIDGE: []}
    for label in sorted(set(labels) - known.keys()):
        source = runs.sources[label]
        unbridged = _NO_BRIDGE if BRIDGE in source else _NO_TIMES
        omitted[_FOREIGN if source.get(FOREIGN_CLOCK) else unbridged].append(label)
    parts = [
        f"Published data, {what}: {', '.join(some)}." for what, some in omitted.items() if some
    ]
    return " ".join(filter(None, [*parts, said(labels, runs, confidence)]))
