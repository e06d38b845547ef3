"""The best algorithm over all functions, for each cost of an evaluation and each budget."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timefair.basics.words import first
from timefair.exhibits import questions
from timefair.exhibits.charts.chart import Picture, leaders
from timefair.exhibits.columns import SECONDS
from timefair.exhibits.exhibit import Made, drawn, exhibit
from timefair.exhibits.layout import Layout, Points
from timefair.records.rundata.problems import COSTS_S, Spent, UsedByRuns, complete_problems
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.statistics.evaluation_cost import (
    Cells,
    known_until,
    leader_by_rank,
    leader_by_share,
    reached_within,
    seconds_to_observe,
)

MEASURES = {"share": leader_by_share, "rank": leader_by_rank}
Both = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Costs of runs, in seconds and in rounds of evaluations."""

POINTS_PER_DECADE = 4
MOST_NAMED = 7  # algorithms that a cell of the table names; the others are counted
BEYOND = 10.0  # the largest budget of the map, as a multiple of the largest known budget

COUNTED = (
    "The evaluation cost is added afterwards: a run that used t seconds and e evaluations takes "
    "t + c e seconds if each evaluation costs c seconds more. Nothing is measured again."
)


@exhibit(
    "cost_map",
    question=questions.COST,
    title="Best algorithm for each evaluation cost and budget",
    caption=f"""
    The best algorithm over all functions for each evaluation cost c and each budget of a run, which
    includes the evaluation costs. There are two measures: the share of the targets that are reached
    within the budget, and the average rank over the functions. Functions count equally. A
    significant lead by share applies to new runs on these functions (Welch's test against each
    other algorithm), and one by rank to functions like these (Wilcoxon's test against each other
    algorithm, corrected for all pairs). A run that used T seconds and E evaluations is known up to
    T + c E seconds, unless it ended by itself. If a run is not known up to the budget, there is no
    winner, and the table names the algorithm of this run.
    {COUNTED}
    """,
    columns=f"""
    SPACE
    measure (text): `share`: the average over the functions of the share of the targets that a run
        reaches within the budget. `rank`: the average rank over the functions, by that share
    evaluation_cost_s [{SECONDS}]: seconds that each evaluation costs in addition to its measured
        time
    budget_s [{SECONDS}]: budget of a run, evaluation costs included
    best (text) <Best>: the best algorithm; of several equal ones, the first in alphabetical order;
        empty if the runs do not show it, or if no algorithm reaches a target
    value: share or average rank of `best`; empty if `best` is empty
    tied (text): algorithms that may be as good as `best`, separated by commas, at most {MOST_NAMED}
        by name; empty if the lead is significant
    known: whether all runs were observed up to this budget at this evaluation cost, or had reached
        every target before
    known_until_s [{SECONDS}]: largest known budget at this evaluation cost; `inf`: every budget is
        known
    missing (text): algorithms whose runs were not observed long enough, at most {MOST_NAMED} by
        name
    missing_runs: number of these runs
    missing_s [{SECONDS}]: time that is needed to measure these runs again up to `budget_s`, without
        waiting for the evaluation cost, if each run continues at the same pace
    """,
    layouts=Layout(
        caption="The best algorithm over all functions, by the share of the targets that are "
        "reached (share) and by the average rank (rank), for each cost of an evaluation and "
        "each budget of a run in {seconds}. Empty: not known, or no target reached.",
        rows=("measure", "evaluation_cost_s"),
        columns="budget_s",
        points=(
            Points("evaluation_cost_s", (0.0, 1e-4, 1e-2, 1.0, 1e2, 1e4)),
            Points("budget_s", 5),
        ),
    ),
    figures=drawn(
        "The best algorithm over all functions, for the cost of an evaluation in {seconds} "
        "(horizontal axis) and the budget of a run, which includes the evaluation costs "
        "(vertical axis): by the share of the targets that are reached, and by the average "
        "rank over the functions. Full colour: the lead is significant, by share for new runs "
        "on these functions, by rank for functions like these. Pale: others may be as "
        "good. White: no algorithm reaches a target. Grey: some runs were not observed long "
        f"enough; the table names their algorithms. {COUNTED}",
        Picture(
            "timefair.exhibits.charts.maps:cost_map",
            reading=leaders("that are best at most points"),
        ),
        default=True,
    ),
    default=True,
    comparing=True,
)
def best_at(runs: Runs, analysis: Analysis) -> Made:
    used = UsedByRuns.of(runs, analysis)
    reached = _reached(used.seconds), _reached(used.rounds)
    every_target = used.seconds.success.all(axis=1)  # such a run is known at every cost
    ends = used.observed_s, np.where(every_target, np.inf, used.observed_rounds)
    parts = []
    for (suite, dimension), algorithms, functions in complete_problems(used.problems):
        if not functions:
            continue
        names = {"suite": suite, "dimension": dimension}
        rows = [
            [problem.rows[problem.algorithms[name]] for problem in functions] for name in algorithms
        ]
        space = _Space(algorithms, rows, reached, ends, analysis.confidence)
        parts += [names | part for part in space.parts()]
    return iter(parts), {"refused": used.remarks}


def _reached(spent: Spent) -> NDArray[np.float64]:
    """Cost of each run to each target; `inf` if it did not reach the target."""
    return np.where(spent.success, spent.cost, np.inf)


class _Space:
    """The map of one suite and dimension.

    - `algorithms`, `rows`: Algorithms in alphabetical order; their runs on each function.
    - `reached`, `ends`: Seconds and rounds to each target, and those up to which each run was
      observed, of all runs.
    """

    def __init__(
        self,
        algorithms: tuple[str, ...],
        rows: Sequence[Sequence[NDArray[np.intp]]],
        reached: Both,
        ends: Both,
        confidence: float,
    ) -> None:
        self._algorithms, self._confidence = np.array(algorithms, dtype=object), confidence
        runs = np.array([[of.size for of in functions] for functions in rows])
        self._cells = Cells(runs)
        self._first = np.concatenate([[0], runs.sum(axis=1).cumsum()[:-1]])
        every = np.concatenate([of for functions in rows for of in functions])
        self._reached: Both = (reached[0][every], reached[1][every])
        self._ends: Both = (ends[0][every], ends[1][every])
        self._texts: dict[bytes, str | None] = {}

    def parts(self) -> Iterator[dict[str, Any]]:
        budgets = self._budgets()
        for cost in COSTS_S:
            known = self._knowledge(cost, budgets)
            within = budgets[known["known"]]  # other budgets have no winner
            shares = self._cells.moments(reached_within(*self._reached, cost, within))
            for measure, leader in MEASURES.items():
                lead = leader(shares, confidence=self._confidence)
                at = np.flatnonzero(lead.best >= 0)
                best = lead.best[at]
                tied = lead.tied[at]
                tied[np.arange(at.size), best] = False
                yield {
                    "measure": measure,
                    "evaluation_cost_s": cost,
                    "budget_s": budgets,
                    "best": _placed(self._algorithms[best], at, budgets.size, None),
                    "value": _placed(lead.value[at, best], at, budgets.size, np.nan),
                    "tied": _placed(self._named(tied), at, budgets.size, None),
                    **known,
                }

    def _knowledge(self, cost: float, budgets: NDArray[np.float64]) -> dict[str, Any]:
        """Which budgets are known (the smallest), which algorithms are unknown at the others."""
        until = known_until(*self._ends, cost)
        missing = until[:, np.newaxis] < budgets
        again = seconds_to_observe(*self._ends, cost, budgets)
        lacking = np.logical_or.reduceat(missing, self._first, axis=0).T
        return {
            "known": ~missing.any(axis=0),
            "known_until_s": until.min(),
            "missing": self._named(lacking),
            "missing_runs": missing.sum(axis=0),
            "missing_s": again.sum(axis=0),
        }

    def _named(self, chosen: NDArray[np.bool_]) -> NDArray[np.object_]:
        keys = [row.tobytes() for row in chosen]
        for key, row in zip(keys, chosen, strict=True):
            if key not in self._texts:
                self._texts[key] = first(self._algorithms[row], MOST_NAMED) or None
        return np.array([self._texts[key] for key in keys], dtype=object)

    def _budgets(self) -> NDArray[np.float64]:
        """Budgets from the first target at cost 0, or from the smallest other cost if all runs took
        0 s, to above the largest known budget at the largest cost."""
        seconds, rounds = self._reached
        longest = self._ends[0].max()
        first = seconds[seconds > 0].min(initial=longest) or COSTS_S[1]
        until = known_until(*self._ends, COSTS_S[-1])
        most = rounds[np.isfinite(rounds)].max(initial=1.0)
        needed = longest + COSTS_S[-1] * most
        last = needed if np.isinf(until).all() else BEYOND * until.min()
        least = int(np.floor(POINTS_PER_DECADE * np.log10(first)))
        most = int(np.ceil(POINTS_PER_DECADE * np.log10(max(last, first))))
        powers = np.arange(least, max(most, least + 1) + 1) / POINTS_PER_DECADE
        return np.array([float(f"{value:.6g}") for value in 10.0**powers])


def _placed(values: NDArray[Any], at: NDArray[np.intp], size: int, other: Any) -> NDArray[Any]:
    found = np.full(size, other, dtype=values.dtype)
    found[at] = values
    return found
