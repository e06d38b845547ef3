"""The best algorithm over all functions, for each cost of an evaluation and each budget."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timefair.basics.words import first
from timefair.exhibits import questions
from timefair.exhibits.charts.chart import Picture, leaders
from timefair.exhibits.exhibit import Made, drawn, exhibit
from timefair.exhibits.layout import Layout, Points
from timefair.records.rundata.problems import COSTS_S, UsedByRuns, complete_problems
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.statistics import evaluation_cost as statistics

MEASURES = {"share": statistics.leader_by_share, "rank": statistics.leader_by_rank}
Both = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Costs of runs to each target, and those up to which they were observed."""

POINTS_PER_DECADE = 4
MOST_NAMED = 7  # algorithms that a cell of the table names; the others are counted
BEYOND = 10.0  # the largest budget of the map, as a multiple of the largest known budget

COUNTED = (
    "The evaluation cost is added afterwards: a run that used t seconds and e evaluations takes "
    "t + c e seconds if each evaluation costs c seconds more. Nothing is measured again."
)


@exhibit(
    question=questions.COST,
    layouts=Layout(
        rows=("measure", "evaluation_cost_s"),
        columns="budget_s",
        points=(
            Points("evaluation_cost_s", (0.0, 1e-4, 1e-2, 1.0, 1e2, 1e4)),
            Points("budget_s", 5),
        ),
    ),
    figures=drawn(
        "The best algorithm over all functions, for the cost of an evaluation in {seconds} and the "
        "budget of a run, which includes the evaluation costs: by the share of the targets that "
        "are reached, and by the average rank over the functions. Full colour: the lead is "
        "significant, by share for new runs on these functions, by rank for functions like these. "
        "Pale: others may be as good. White: no algorithm reaches a target. Grey: some runs were "
        f"not observed long enough. {COUNTED}",
        Picture(
            "timefair.exhibits.charts.maps:cost_map",
            on_paper=leaders("that are best at most points"),
        ),
        default=True,
    ),
    default=True,
    comparing=True,
)
def cost_map(runs: Runs, analysis: Analysis) -> Made:
    """Best algorithm for each evaluation cost and budget

    The best algorithm over all functions for each evaluation cost c and each budget of a run, which
    includes the evaluation costs. Functions count equally. A significant lead by share applies to
    new runs on these functions (Welch's test against each other algorithm), and one by rank to
    functions like these (Wilcoxon's test, corrected for all pairs). A run that used T seconds and E
    evaluations is known up to T + c E seconds, unless it ended by itself. If a run is not known up
    to the budget, there is no winner, and the table names its algorithm. {COUNTED}

    SPACE
    measure (text): `share`: the average over the functions of the share of the targets that a run
        reaches within the budget. `rank`: the average rank over the functions, by that share
    evaluation_cost_s [{SECONDS}]: seconds that each evaluation costs besides its measured time
    budget_s [{SECONDS}]: budget of a run, evaluation costs included
    best (text) <Best>: the best algorithm, the first by name of several equal ones; empty if the
        runs do not show it, or if no algorithm reaches a target
    value: share or average rank of `best`
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
    """
    used = UsedByRuns.of(runs, analysis)
    reached = [np.where(one.success, one.cost, np.inf) for one in (used.seconds, used.rounds)]
    every_target = used.seconds.success.all(axis=1)  # such a run is known at every cost
    ends = used.runs.spent("seconds"), np.where(every_target, np.inf, used.observed_rounds)
    parts: list[dict[str, Any]] = []
    for (suite, dimension), algorithms, functions in complete_problems(used.problems):
        if functions:
            of = [[one.rows[one.algorithms[name]] for one in functions] for name in algorithms]
            every = np.concatenate([rows for on in of for rows in on])
            seconds, rounds = (
                (taken[every], end[every]) for taken, end in zip(reached, ends, strict=True)
            )
            runs_of = np.array([[rows.size for rows in on] for on in of])
            found = _map(algorithms, runs_of, seconds, rounds, analysis.confidence)
            parts += [{"suite": suite, "dimension": dimension, **part} for part in found]
    return iter(parts), {"refused": used.remarks}


def _map(
    algorithms: tuple[str, ...],
    runs_of: NDArray[np.intp],
    seconds: Both,
    rounds: Both,
    confidence: float,
) -> Iterator[dict[str, Any]]:
    """The map of one suite and dimension.

    `runs_of` has the numbers of runs of each algorithm on each function, `seconds` and `rounds` the
    costs of all of them; `inf`: a target was not reached.
    """
    every = np.array(algorithms, dtype=object)
    first_run = np.concatenate([[0], runs_of.sum(axis=1).cumsum()[:-1]])
    reached, ends = zip(seconds, rounds, strict=True)
    budgets = _budgets(seconds, rounds)

    def named(chosen: NDArray[np.bool_]) -> NDArray[np.object_]:
        return np.array([first(every[row], MOST_NAMED) or None for row in chosen], dtype=object)

    for cost in COSTS_S:
        until = statistics.known_until(*ends, cost)
        missing = until[:, np.newaxis] < budgets
        known = {
            "known": ~missing.any(axis=0),
            "known_until_s": until.min(),
            "missing": named(np.logical_or.reduceat(missing, first_run, axis=0).T),
            "missing_runs": missing.sum(axis=0),
            "missing_s": statistics.seconds_to_observe(*ends, cost, budgets).sum(axis=0),
        }
        within = budgets[known["known"]]  # the smallest; other budgets have no winner
        reached_by = statistics.reached_within(*reached, cost, within)
        shares = statistics.moments(runs_of, reached_by)
        for measure, leader in MEASURES.items():
            best, value, tied = leader(shares, confidence=confidence)
            at = np.flatnonzero(best >= 0)
            best, tied = best[at], tied[at]
            tied[np.arange(at.size), best] = False
            yield {
                "measure": measure,
                "evaluation_cost_s": cost,
                "budget_s": budgets,
                "best": _placed(every[best], at, budgets.size, None),
                "value": _placed(value[at, best], at, budgets.size, np.nan),
                "tied": _placed(named(tied), at, budgets.size, None),
                **known,
            }


def _budgets(of_seconds: Both, of_rounds: Both) -> NDArray[np.float64]:
    """Budgets from the first target at cost 0, or from the smallest other cost if all runs took
    0 s, to above the largest known budget at the largest cost."""
    (seconds, end_s), (rounds, end) = of_seconds, of_rounds
    longest = end_s.max()
    first = seconds[seconds > 0].min(initial=longest) or COSTS_S[1]
    until = statistics.known_until(end_s, end, COSTS_S[-1])
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
