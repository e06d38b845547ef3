"""By which clock and on which machine runs were measured, and which of them are left out.

With `block: node`, all algorithms of a problem and round were measured on one node, and their runs
are compared within each kind of machine. Runs of failed algorithms are left out of tables, and
blocks that lack an algorithm.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.records.integrity import Origins, several_hosts
from timefair.records.rundata.settings import Analysis, Clock

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


MOST_WAITED = 0.99
"""Maximal share of a run that counts as waiting; shares add up over the processes of a run."""


def seconds(frame: pd.DataFrame, clock: Clock) -> NDArray[np.float64]:
    """Length of each run without simulated evaluation cost, shape (runs,); NaN: unknown.

    ``reference``: the CPU time as a multiple of the time of the reference kernel around the run.
    """
    column = "real_s" if clock == "wall" else "cpu_s"
    told: NDArray[np.float64] = frame[column].to_numpy(dtype=np.float64)
    return told / reference_s(frame) if clock == "reference" else told


def seconds_per_evaluation(frame: pd.DataFrame, clock: Clock) -> NDArray[np.float64]:
    """Time per evaluation in each run, shape (runs,); NaN without evaluations or time."""
    evaluations = frame["evaluations"].to_numpy(dtype=np.float64)
    told = seconds(frame, clock)
    known = (evaluations > 0) & (told > 0)
    return np.asarray(np.where(known, told, np.nan) / np.where(known, evaluations, 1.0))


def slowdown(frame: pd.DataFrame, clock: Clock) -> NDArray[np.float64]:
    """Time of the reference kernel around each run, as a multiple of the best one on that core.

    On the wall clock, it is divided by the share of the run that did not wait for a core that
    others used. An unknown factor counts as 1. Shape (runs,); NaN if neither is known, and for
    ``reference``.
    """
    taken = pd.Series(reference_s(frame), index=frame.index)
    speed = (taken / taken.groupby(frame["core"].fillna(-1)).transform("min")).astype(float)
    if clock == "reference":
        return np.full(len(frame), np.nan)
    if clock == "cpu":
        return np.asarray(speed, dtype=np.float64)
    waited = frame["foreign_delay_s"].astype(float) / frame["real_s"].where(frame["real_s"] > 0)
    known = speed.notna() | waited.notna()
    running = 1.0 - waited.fillna(0.0).clip(upper=MOST_WAITED)
    return np.asarray((speed.fillna(1.0) / running).where(known), dtype=np.float64)


def objective_share(frame: pd.DataFrame) -> NDArray[np.float64]:
    """Estimated share of the wall clock that each run spent inside the objective, shape (runs,).

    At most 1; NaN without a calibration or time.
    """
    inside = frame["objective_s"].astype(float) * frame["evaluations"]
    share = inside / frame["real_s"].where(frame["real_s"] > 0)
    return np.asarray(share.clip(upper=1.0), dtype=np.float64)


def reference_s(frame: pd.DataFrame) -> NDArray[np.float64]:
    """CPU time of the reference kernel, mean of before and after each run; NaN: not timed."""
    timed = frame[["reference_before_s", "reference_after_s"]].to_numpy(dtype=np.float64)
    return np.asarray(timed.mean(axis=1), dtype=np.float64)


def simulated_cost(frame: pd.DataFrame) -> str:
    """The simulated evaluation cost of runs as a sentence for captions; empty if there is none."""
    costs = sorted(set(frame["evaluation_cost_s"].dropna()) - {0.0})
    each = " or ".join(f"{cost:g}" for cost in costs)
    return f"Each evaluation counts {each} s more than it takes." if costs else ""


ANCILLARY = ["tuning_s", "preparation_s", "preparation", "problems", "share_s"]


def ancillary_costs(
    frame: pd.DataFrame, origins: Mapping[str, Origins], analysis: Analysis
) -> pd.DataFrame:
    """Tuning, preparation and the share of a problem, one row per algorithm.

    Tuning is the declared time plus that of a search. An undeclared preparation is the median of
    the measured ones. ``share_s`` is the sum divided by ``problems``.
    """
    measured = frame.groupby("algorithm")["preparation_s"].median().astype(float)
    rows = pd.DataFrame(index=measured.index)
    rows["tuning_s"] = [
        float(analysis.tuning_s.get(name, 0.0)) + searched_s(origins.get(str(name)))
        for name in rows.index
    ]
    declared = [analysis.preparation_s.get(name) for name in rows.index]
    rows["preparation_s"] = [
        float(known if given is None else given)
        for given, known in zip(declared, measured, strict=True)
    ]
    rows["preparation"] = ["measured" if given is None else "declared" for given in declared]
    rows["problems"] = np.full(len(rows), analysis.problems)
    rows["share_s"] = (rows["tuning_s"] + rows["preparation_s"].fillna(0.0)) / analysis.problems
    return rows[ANCILLARY]


def searched_s(origin: Origins | None) -> float:
    """Measured seconds of the searches for an algorithm's parameters; 0 without a search."""
    searches = [] if origin is None else origin.tuning
    return float(sum(search["seconds"] for search in searches))


def shares_s(
    frame: pd.DataFrame, origins: Mapping[str, Origins], analysis: Analysis
) -> dict[str, float]:
    """The seconds that each algorithm is charged per problem."""
    shares = ancillary_costs(frame, origins, analysis)["share_s"]
    return {str(name): float(share) for name, share in shares.items()}
