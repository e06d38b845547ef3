"""Whether launches of another length would have been faster: on each function, and over all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.exhibits.charts.chart import Picture, leaders
from timefair.exhibits.columns import ALGORITHM, CELL, RUNS, SPACE, TARGET
from timefair.exhibits.exhibit import Column, Figure, column_names, exhibit
from timefair.exhibits.layout import INTERVAL, Layout, Value
from timefair.exhibits.questions import Question
from timefair.extensions.restart_prediction.statistics import (
    Array,
    Launches,
    Predicted,
    best_option,
    deleted_groups,
    jackknifed,
    over_functions,
    predicted,
)
from timefair.records.rundata.frames import stacked
from timefair.records.rundata.problems import BUDGETS, KEYS, Spent, cut_off
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis

QUESTION = Question(6, "Would another restart policy have been faster?", "guide/restarts.md")
UNIT = "evaluations"
SHORTEST = 10.0
"""The first cutoff; each other one is twice the one before."""
LEAST_HITS = 5
"""Launches that have to reach a target before it is used to judge policies."""
GROUPS = 20
"""Maximal number of groups of the jackknife."""
LEAST_SUCCESS = 0.01
"""Smallest success rate: lower ones are raised to it, so that gains are finite."""
LITTLE = 1.1
"""Gains below it do not count as gains."""

GAIN, NOTHING, UNSURE = "gain", "nothing to gain", "undecided"
NO_TRACES, NOT_JUDGED = "no launch traces", "not judged"

COMPUTED = (
    "Nothing is measured again. The cost of each length is computed from the traced launches, "
    "which are treated as a sample from one distribution per function; similar instances are "
    "pooled."
)
JUDGED = "the hardest target that at least one run and at least 5 launches reached"

ADVICE_COLUMNS = (
    *SPACE,
    ALGORITHM,
    Column(
        "verdict",
        "`gain`: the lower limit of `gain` is above 1. `nothing to gain`: even `gain_same_runs` is "
        "below 1.1. `undecided`: neither of these. `not judged`: fewer than two functions have a "
        "target that enough launches reached. `no launch traces`: the records do not contain what "
        "each launch found",
        text=True,
    ),
    Column("tau", "the length of launches with the largest mean gain", UNIT),
    *Column(
        "gain",
        "how many times as fast launches of one length are on functions not used to choose it: for "
        "each function, the length is chosen on the others; geometric mean",
    ).interval(),
    Column(
        "gain_same_runs",
        "the same of `tau`, on the functions and runs that were used to choose it, which is too "
        "optimistic",
    ),
    Column("functions", "number of functions over which the gains are averaged"),
    Column("launches", "number of traced launches on all functions"),
)
WHAT_IF_COLUMNS = (
    *CELL,
    TARGET,
    Column("tau", "number of evaluations after which every launch ends (policy `fixed`)", UNIT),
    Column(
        "ert",
        "expected running time to the target if each run has the budget. `inf`: never reached; "
        "empty: no launch was observed for long enough",
        UNIT,
    ),
    Column("success_rate", "probability that a run reaches the target within the budget"),
    *Column(
        "factor", "`ert` divided by that of the measured runs; empty if that is infinite"
    ).interval(),
    RUNS,
    Column("launches", "number of launches from which the row is computed"),
    Column("budget", "assumed budget of a run", UNIT),
    Column(
        "observed_until",
        "longest cutoff for which the launches were observed; `inf`: every cutoff",
        UNIT,
    ),
)


@dataclass(frozen=True)
class Cell:
    """The runs of one algorithm on one function, all instances together.

    - `names`: Keys of the cell.
    - `strata`: The instance of each run; shape (runs,).
    - `target`: The one by which lengths are judged; None if too few launches reached one.
    - `launches`: The traced launches; their costs are up to the target.
    - `spent`: Cost of each run up to the target.
    - `budget`: Budget of a run: that of the campaign, or else the median cost of the runs that were
      cut off, or else that of the longest run.
    """

    names: dict[str, Any]
    strata: NDArray[np.intp]
    target: float | None
    launches: Launches
    spent: Spent
    budget: float

    def predicted(self, weights: Array, lengths: Array) -> Predicted:
        """Runs with launches of some lengths, and the measured ones first; NaN where unknown."""
        measured = weights @ self.spent.success[:, 0] / weights.sum(axis=1)
        cost, success = np.full((2, len(weights), 1 + lengths.size), np.nan)
        cost[:, 0] = weights @ self.spent.cost[:, 0] / weights.sum(axis=1)
        success[:, 0] = measured
        known = (lengths < self.budget) & (lengths <= self.launches.known_until)
        if known.any():
            found = predicted(self.launches, self.strata, weights, lengths[known], self.budget)
            cost[:, 1:][:, known], success[:, 1:][:, known] = found
        return Predicted(cost, success)


def cells_of(runs: Runs, analysis: Analysis) -> list[Cell]:
    """The cells of every algorithm on every function, in the order of their keys.

    A cell in which no run spent anything is omitted.
    """
    targets = analysis.targets_from_easy
    traced = runs.launch_runtimes(targets)
    spent = Spent.until(runs.runtimes(UNIT, targets), runs.spent(UNIT))
    hits = traced.reached_at(UNIT)
    log = runs.launches
    of_rows = log["row"].to_numpy()
    place = np.searchsorted(of_rows, traced.rows) + traced.launch
    # a charge may leave no time for the last launches of a run
    left = place < np.searchsorted(of_rows, traced.rows, side="right")
    place = np.where(left, place, 0)
    length = log["evaluations"].to_numpy(np.float64)[place]
    ended = log["unlimited"].to_numpy(np.bool_)[place]
    began = left & (length > 0) & np.isfinite(length)
    order = np.flatnonzero(began)[np.argsort(traced.rows[began], kind="stable")]
    first = np.searchsorted(traced.rows[order], np.arange(len(runs.frame) + 1))
    budgets = runs.frame[BUDGETS[UNIT]].to_numpy(np.float64)
    whole, cut = runs.spent(UNIT), cut_off(runs)
    instances = runs.frame["instance"].to_numpy()
    found = []
    for names, rows in runs.groups((*KEYS, "algorithm")):
        budget = _budget(budgets[rows], whole[rows], cut[rows])
        if budget == 0:
            continue
        mine = np.concatenate([order[first[row] : first[row + 1]] for row in rows])
        own = np.repeat(np.arange(len(rows)), first[rows + 1] - first[rows])
        at = _judged_target(hits[mine], spent.success[rows])
        hit = hits[mine, at] if mine.size else np.empty(0)
        longest = np.maximum(length[mine], np.where(np.isfinite(hit), hit, 0.0))
        found.append(
            Cell(
                names,
                np.unique(instances[rows], return_inverse=True)[1],
                None if at < 0 else targets[at],
                Launches(hit, longest, ended[mine], own),
                Spent(spent.cost[rows][:, [at]], spent.success[rows][:, [at]]),
                budget,
            )
        )
    return found


def _judged_target(hits: Array, success: NDArray[np.bool_]) -> int:
    """The place of the hardest target that enough launches and a run reached; -1: none."""
    enough = (np.isfinite(hits).sum(axis=0) >= LEAST_HITS) & success.any(axis=0)
    return int(np.flatnonzero(enough)[-1]) if enough.any() else -1


def _budget(given: Array, whole: Array, cut: NDArray[np.bool_]) -> float:
    if np.isfinite(given).all():
        return float(np.median(given))
    return float(np.median(whole[cut]) if cut.any() else whole.max())


def _lengths(cells: Sequence[Cell]) -> Array:
    """Cutoffs below the largest budget."""
    longest = max((cell.budget for cell in cells), default=0.0)
    if longest <= SHORTEST:
        return np.empty(0)
    return SHORTEST * 2.0 ** np.arange(np.ceil(np.log2(longest / SHORTEST)))


def _refused(cells: Sequence[Cell]) -> str:
    """The algorithms without launch traces, as a sentence for captions; empty for none."""
    names = {str(cell.names["algorithm"]) for cell in cells if not cell.launches.run.size}
    if not names:
        return ""
    return f"No launch traces: {', '.join(sorted(names))}; no length can be judged for them."


@exhibit(
    "restart_advice",
    question=QUESTION,
    title="Which length of launches to use",
    caption=f"""
    Whether launches of one length (restart policy `fixed`) would have been faster than the measured
    policy. The gain is the ratio of the expected running times in evaluations, to {JUDGED}. It is
    judged on functions that were not used to choose the length, because on the data that chose it,
    the gain is biased upwards. The interval holds for functions like these (Student). {COMPUTED}
    """,
    columns=ADVICE_COLUMNS,
    layouts=[
        Layout(
            caption="The length of launches with the largest gain, in evaluations, and how many "
            "times as fast it is as the measured policy, on functions not used to choose it.",
            brackets="Brackets: {confidence} interval.",
            values=(
                Value("verdict", "Verdict"),
                Value("tau", "τ"),
                Value.with_limits("gain", "Gain", decimals=2),
            ),
            rows=("algorithm",),
        )
    ],
    comparing=True,
    default=True,
)
def advice(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """The best length of each algorithm in each suite and dimension."""
    cells = cells_of(runs, analysis)
    lengths = _lengths(cells)
    groups: dict[tuple[Any, ...], list[Cell]] = {}
    for cell in cells:
        key = tuple(cell.names[name] for name in ("suite", "dimension", "algorithm"))
        groups.setdefault(key, []).append(cell)
    rows = [
        dict(zip(("suite", "dimension", "algorithm"), key, strict=True))
        | _judged(groups[key], lengths, analysis)
        for key in sorted(groups)
    ]
    frame = stacked(rows, column_names(ADVICE_COLUMNS))
    frame.attrs["refused"] = _refused(cells)
    return frame


def _judged(cells: Sequence[Cell], lengths: Array, analysis: Analysis) -> dict[str, Any]:
    """The row of an algorithm, without the columns of names."""
    launches = sum(cell.launches.run.size for cell in cells)
    missing = dict.fromkeys(column_names(ADVICE_COLUMNS[4:]), np.nan)
    row = {**missing, "verdict": NO_TRACES, "functions": 0, "launches": launches}
    if not launches:
        return row
    judged = [cell for cell in cells if cell.target is not None]
    row |= {"verdict": NOT_JUDGED, "functions": len(judged)}
    if len(judged) < 2:
        return row
    gain = np.stack([_gain(cell, lengths) for cell in judged])
    if (best := best_option(gain)) < 0:
        return row
    found = np.exp(over_functions(gain, confidence=analysis.confidence))
    flattered = float(np.exp(gain[:, best].mean()))
    return row | {
        "verdict": GAIN if found[1] > 1 else NOTHING if flattered < LITTLE else UNSURE,
        "tau": lengths[best],
        **dict(zip(("gain", "gain_low", "gain_high"), found, strict=True)),
        "gain_same_runs": flattered,
    }


def _gain(cell: Cell, lengths: Array) -> Array:
    """Logarithm of how many times as fast each length is, shape (lengths,)."""
    cost, success = cell.predicted(np.ones((1, len(cell.strata))), lengths)
    spent = np.log(cost[0] / np.maximum(success[0], LEAST_SUCCESS))
    return np.asarray(spent[0] - spent[1:])


@exhibit(
    "restart_what_if",
    question=QUESTION,
    title="What launches of other lengths would have cost",
    caption=f"""
    Expected running time (ERT) in evaluations if every launch ends after tau evaluations, to
    {JUDGED}, and the probability that a run reaches it within the budget. {COMPUTED} Limits come
    from a jackknife over runs.
    """,
    columns=WHAT_IF_COLUMNS,
    layouts=[
        Layout(
            caption="Expected running time (ERT) with launches of some lengths, divided by the "
            "measured one. ∞: never reached; empty: no launch was observed for long enough.",
            brackets=INTERVAL,
            values=(Value.with_limits("factor", "Factor", "low", decimals=2),),
            rows=("function", "algorithm", "tau"),
            parts=("suite", "dimension"),
        )
    ],
    figures=[
        Figure(
            "restart_what_if",
            "Expected running time over the length of launches",
            "Expected running time (ERT) in evaluations over the length of launches (the number of "
            "evaluations after which every launch ends), divided by the ERT of the measured "
            f"policy. The target is {JUDGED}. Below the line at 1, restarts after this length are "
            f"faster than the measured policy. Bands are limits from a jackknife over runs. "
            f"{COMPUTED}",
            Picture(
                "timefair.extensions.restart_prediction.figure:restart_what_if",
                panels="functions",
                reading="A line ends where no launch was observed for long enough. An overview has "
                "one row per algorithm, with a dot at the best cutoff of each function and a bar "
                "at their median. With fewer than 6 runs, there is no band. "
                + leaders("with the largest gain"),
            ),
        )
    ],
    comparing=True,
)
def what_if(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Each length for each algorithm on each function with a judged target."""
    cells = cells_of(runs, analysis)
    lengths = _lengths(cells)
    rows = [
        row for cell in cells if cell.target is not None for row in _rows(cell, lengths, analysis)
    ]
    frame = stacked(rows, column_names(WHAT_IF_COLUMNS))
    frame.attrs["refused"] = _refused(cells)
    return frame


def _rows(cell: Cell, lengths: Array, analysis: Analysis) -> Iterator[dict[str, Any]]:
    every = np.ones((1, len(cell.strata)))
    found = cell.predicted(np.concatenate([every, deleted_groups(cell.strata, GROUPS)]), lengths)
    ert = found.ert
    with np.errstate(invalid="ignore", divide="ignore"):
        factor = ert / np.where(np.isfinite(ert[:, :1]), ert[:, :1], np.nan)
    low, high = jackknifed(factor[0], factor[1:], confidence=analysis.confidence)
    for k, tau in enumerate(lengths, start=1):
        yield {
            **cell.names,
            "target": cell.target,
            "tau": tau,
            "ert": ert[0, k],
            "success_rate": found.success[0, k],
            "factor": factor[0, k],
            "factor_low": low[k],
            "factor_high": high[k],
            "runs": len(cell.strata),
            "launches": cell.launches.run.size,
            "budget": cell.budget,
            "observed_until": cell.launches.known_until,
        }
