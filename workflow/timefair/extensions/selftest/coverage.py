"""Checks how often the intervals of the tables contain the true value.

The tables are made from the runs of the self-test, by the same code as the tables of any campaign.
Each function of the campaign is a repetition of the same experiment, so each row has another
interval for a known value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.campaign.configuration import Campaign
from timefair.exhibits.registry import TABLES
from timefair.extensions.selftest.laws import (
    INVERTED,
    TARGET_LEVELS,
    TARGETS,
    TWINS,
    Answers,
    superiority,
)
from timefair.extensions.selftest.staircase import VALUES
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis
from timefair.statistics.probability import success_interval
from timefair.statistics.ranks import rank

AIM = (0.93, 0.97)
"""Range in which the share of 95 % intervals that contain the true value should be."""

ENDS = (0.2, 0.8)
"""The table `ecdf` is checked at costs where the true share of the targets is between these."""


CURVE_LEVELS = tuple(
    sum(value > target for value in VALUES)
    for target in Analysis.of({"targets": TARGETS}).curve_targets
)
"""The first levels that reach the targets of the table `ecdf`."""


class Interval(NamedTuple):
    """The interval limits in one column of a table, and the true values, each of shape (rows,).

    `repetition` is the function of each row. Intervals are widened by `slack` on both sides,
    because times are multiples of the time of an evaluation.
    """

    column: str
    repetition: NDArray[np.str_]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    truth: NDArray[np.float64]
    slack: NDArray[np.float64] | float = 0.0

    @property
    def held(self) -> NDArray[np.bool_]:
        """Which intervals contain their true value; False where a limit is NaN."""
        above = self.low <= self.truth + self.slack
        return np.asarray(above & (self.truth <= self.high + self.slack))

    @property
    def known(self) -> NDArray[np.bool_]:
        """Which rows have limits and a finite true value."""
        limits_known = ~np.isnan(self.low) & ~np.isnan(self.high)
        return np.asarray(np.isfinite(self.truth) & limits_known)


Answered = Mapping[str, Answers]
"""The true values of each algorithm, by its label."""


def _of_rows(frame: pd.DataFrame, truth: Callable[[Any], float]) -> NDArray[np.float64]:
    return np.array([truth(row) for row in frame.itertuples()], dtype=np.float64)


def _limits(
    frame: pd.DataFrame,
    column: str,
    truth: Callable[[Any], float],
    slack: NDArray[np.float64] | float = 0.0,
) -> Interval:
    low, high = (frame[f"{column}_{end}"].to_numpy(dtype=np.float64) for end in ("low", "high"))
    return Interval(column, _repetition(frame), low, high, _of_rows(frame, truth), slack)


def _repetition(frame: pd.DataFrame) -> NDArray[np.str_]:
    return frame["function"].to_numpy(dtype=str)


def level_of(target: float) -> int:
    """The level of a target precision."""
    return int(np.argmin(np.abs(np.log10(VALUES) - np.log10(target))))


def _ert(frame: pd.DataFrame, true: Answered) -> Iterator[Interval]:
    yield _limits(frame, "ert_s", lambda r: true[r.algorithm].ert_s(level_of(r.target)))
    yield _limits(
        frame, "ert_evaluations", lambda r: true[r.algorithm].ert_evaluations(level_of(r.target))
    )


def _success(frame: pd.DataFrame, true: Answered) -> Iterator[Interval]:
    yield _limits(
        frame, "success_rate", lambda r: true[r.algorithm].success_rate(level_of(r.target))
    )


def _multirun(frame: pd.DataFrame, true: Answered) -> Iterator[Interval]:
    def truth(row: Any) -> float:
        rate = true[row.algorithm].success_rate(level_of(row.target))
        return float(1 - (1 - rate) ** row.executions)

    yield _limits(frame, "probability", truth)


def _quantiles(frame: pd.DataFrame, true: Answered) -> Iterator[Interval]:
    yield _limits(frame, "precision", lambda r: true[r.algorithm].precision_quantile(r.quantile))


def _means(frame: pd.DataFrame, true: Answered) -> Iterator[Interval]:
    yield _limits(frame, "mean_precision", lambda r: true[r.algorithm].mean_precision)


def _quantiles_to_target(frame: pd.DataFrame, true: Answered) -> Iterator[Interval]:
    def evaluations(row: Any) -> float:
        return true[row.algorithm].runtime_quantile(level_of(row.target), row.quantile)

    def seconds(row: Any) -> float:
        n = evaluations(row)
        return float(true[row.algorithm].times_s[int(n)]) if np.isfinite(n) else np.inf

    half = _of_rows(frame, lambda r: true[r.algorithm].synthetic.step_s / 2)
    yield _limits(frame, "runtime_s", seconds, half)
    yield _limits(frame, "runtime_evaluations", evaluations)


def _ecdf(frame: pd.DataFrame, true: Answered) -> Iterator[Interval]:
    frame = frame[frame["function"].astype(str) != "all"]
    for unit, part in frame.groupby("unit"):
        truth = np.empty(len(part))
        cost, label = part["cost"].to_numpy(dtype=np.float64), part["algorithm"].to_numpy()
        for name, answers in true.items():
            mine = label == name
            within = cost[mine].astype(np.intp)
            if unit == "seconds":
                within = answers.evaluations_within(cost[mine])
            truth[mine] = answers.share_reached(within, CURVE_LEVELS)
        truth[(truth < ENDS[0]) | (truth > ENDS[1])] = np.nan
        low, high = (part[end].to_numpy(dtype=np.float64) for end in ("low", "high"))
        yield Interval(f"fraction by {unit}", _repetition(part), low, high, truth)


def _comparison(frame: pd.DataFrame, true: Answered) -> Iterator[Interval]:
    frame = frame[frame["a12_low"].notna()]
    yield _limits(frame, "a12", lambda r: superiority(true[r.algorithm_a], true[r.algorithm_b]))


def _restarts(frame: pd.DataFrame, true: Answered) -> Iterator[Interval]:
    fixed = (frame["policy"] == "fixed") & (frame["unit"] == "evaluations")
    frame = frame[fixed & (frame["algorithm"] == "restarted")]

    def truth(row: Any) -> float:
        return true[row.algorithm].ert_evaluations(level_of(row.target), int(row.tau))

    yield _limits(frame, "ert", truth)


CHECKED: Mapping[str, Callable[[pd.DataFrame, Answered], Iterator[Interval]]] = {
    "ert": _ert,
    "quantiles_to_target": _quantiles_to_target,
    "success": _success,
    "multirun_to_target": _multirun,
    "quantiles": _quantiles,
    "means": _means,
    "ecdf": _ecdf,
    "comparison": _comparison,
    "restart_what_if": _restarts,
}
"""The tables with intervals for known values, and the functions that extract these intervals."""

EXACT = {
    "success": "Clopper and Pearson",
    "multirun_to_target": "Clopper and Pearson",
    "quantiles": "order statistics of few different values",
    "quantiles_to_target": "order statistics",
    "comparison": "level of the pair, after Bonferroni",
}
"""Tables whose intervals may contain the true value in more than 95 % of the cases, and why."""


ORDERING = ("rank_reversals", "ranks")
"""The tables that `orders` reads besides those of `CHECKED`."""

CLOSE = 1.25
"""A cutoff is close to the best one if its ERT is at most this factor times the best ERT."""


def tables(runs: Runs, campaign: Campaign) -> dict[str, pd.DataFrame]:
    """Make the tables that are checked and are there, with the settings of the campaign."""
    return {
        name: TABLES[name](runs, Analysis.of(campaign.settings_of(name)))
        for name in (*CHECKED, *ORDERING)
        if name in TABLES
    }


def held(made: Mapping[str, pd.DataFrame], true: Answered) -> pd.DataFrame:
    """How often the intervals of each column contain the true value.

    Returns a DataFrame with the columns ``table``, ``column``, ``intervals`` (their number),
    ``independent`` (effective number of independent intervals), ``held`` (share of intervals that
    contain the true value), ``held_low`` and ``held_high`` (95 % interval of this share by Clopper
    and Pearson, for ``independent`` intervals), ``aim`` (range in which the share should be) and
    ``as_aimed`` (whether the interval of the share overlaps with this range).
    """
    rows = []
    for table, intervals in CHECKED.items():
        for one in intervals(made[table], true) if table in made else ():
            known = one.known
            if not known.any():
                continue
            is_held = one.held[known]
            n, value = is_held.size, float(is_held.mean())
            independent = effective_number(is_held, one.repetition[known])
            share = success_interval(round(value * independent), independent, 0.95)
            most = 1.0 if table in EXACT else AIM[1]
            rows.append(
                {
                    "table": table,
                    "column": one.column,
                    "intervals": n,
                    "independent": independent,
                    "held": value,
                    "held_low": min(float(share.low), value),
                    "held_high": max(float(share.high), value),
                    "aim": f"{AIM[0]:.2f} to {most:.2f}",
                    "as_aimed": bool(share.high >= AIM[0] and share.low <= most),
                }
            )
    return pd.DataFrame(rows)


def effective_number(outcomes: NDArray[np.bool_], repetition: NDArray[np.str_]) -> int:
    """Effective number of independent outcomes, if those of a repetition may be correlated.

    It is p (1 - p) divided by the squared standard error of the share p, which is estimated from
    the repetitions (linearized ratio of their sums). It is at least the number of repetitions and
    at most the number of outcomes; it is the number of repetitions if all outcomes are equal or
    there is one repetition.

    >>> outcomes = np.array([True, True, False, False, True, True])
    >>> effective_number(outcomes, np.array(["1", "1", "2", "2", "3", "3"]))
    3
    """
    _, group = np.unique(repetition, return_inverse=True)
    size = np.bincount(group)
    p, groups = outcomes.mean(), size.size
    if groups < 2 or p in (0.0, 1.0):
        return groups
    residual = np.bincount(group, weights=outcomes) - p * size
    variance = groups / (groups - 1) * (residual**2).sum() / outcomes.size**2
    number = p * (1 - p) / variance if variance > 0 else outcomes.size
    return int(min(max(round(number), groups), outcomes.size))


def orders(made: Mapping[str, pd.DataFrame], true: Answered) -> pd.DataFrame:
    """How often the tables find the true orders of algorithms, and how often false ones.

    The average ranks of two algorithms are in the true order if their exact ERTs have the same
    order; equal algorithms are omitted. The cutoff with the least ERT in `restart_what_if` is right
    if its exact ERT is at most `CLOSE` times that of the best cutoff in the table.

    Returns a DataFrame with the columns ``table``, ``finding``, ``cases``, ``share``, ``share_low``
    and ``share_high`` (95 %, Clopper and Pearson), and ``aim``.
    """
    on_functions = {
        name: made[name][made[name]["function"].astype(str) != "all"]
        for name in ("comparison", "rank_reversals")
    }
    compared = on_functions["comparison"]
    compared = compared[(compared["measure"] == "precision") & (compared["criterion"] == "Q.50")]
    twins = compared[_pairs(compared, TWINS)]
    repetitions = len(twins)
    inverted = on_functions["rank_reversals"]
    inverted = inverted[inverted["criterion"] == "fixed target"]
    listed = inverted[_pairs(inverted, INVERTED)]
    right = listed[listed["winner_by_evaluations"] == INVERTED[0]]
    false = inverted[_pairs(inverted, TWINS) & inverted["significant"]]
    targets = len(TARGET_LEVELS)
    rows = [
        ("comparison", "equal algorithms with p <= 0.05", (twins["p"] <= 0.05).sum(), repetitions,
         "at most 0.05"),
        ("rank_reversals", "the true rank reversal is listed", len(right), repetitions * targets,
         "most"),
        ("rank_reversals", "equal algorithms are a significant rank reversal", len(false),
         repetitions * targets, "at most 0.05"),
    ]  # fmt: skip
    right_ranks, pairs = _right_ranks(made["ranks"], true)
    rows.append(("ranks", "two average ranks by ERT are in the true order", right_ranks, pairs,
                 "most"))  # fmt: skip
    if "restart_what_if" in made:
        close, cells = _close_cutoffs(made["restart_what_if"], true["restarted"])
        rows.append(("restart_what_if", "the best cutoff is close to the true one", close, cells,
                     "most"))  # fmt: skip
    found = []
    for table, finding, k, n, aim in rows:
        share = success_interval(int(k), n, 0.95)
        found.append((table, finding, n, k / n, float(share.low), float(share.high), aim))
    names = ["table", "finding", "cases", "share", "share_low", "share_high", "aim"]
    return pd.DataFrame(found, columns=names)


def _pairs(frame: pd.DataFrame, pair: tuple[str, str]) -> pd.Series[bool]:
    a, b = frame["algorithm_a"], frame["algorithm_b"]
    return ((a == pair[0]) & (b == pair[1])) | ((a == pair[1]) & (b == pair[0]))


def _right_ranks(frame: pd.DataFrame, true: Answered) -> tuple[int, int]:
    """Number of pairs of algorithms whose average ranks are in the true order, and of all pairs."""
    right = pairs = 0
    by_ert = frame[frame["criterion"] == "ERT"]
    for measure, exact in (
        ("seconds", Answers.ert_s),
        ("evaluations", Answers.ert_evaluations),
    ):
        ranks = by_ert[by_ert["measure"] == measure].set_index("algorithm")["average_rank"]
        erts = np.array(
            [[exact(answers, level) for level in TARGET_LEVELS] for answers in true.values()]
        )
        exact_rank = dict(zip(true, rank(erts, axis=0).mean(axis=1), strict=True))
        for a, b in combinations(true, 2):
            if exact_rank[a] != exact_rank[b]:
                pairs += 1
                right += (ranks[a] - ranks[b]) * (exact_rank[a] - exact_rank[b]) > 0
    return int(right), pairs


def _close_cutoffs(frame: pd.DataFrame, answers: Answers) -> tuple[int, int]:
    """Number of repetitions whose best cutoff is close to the true one, and of all repetitions."""
    mine = (frame["algorithm"] == "restarted") & (frame["policy"] == "fixed")
    frame = frame[mine & (frame["unit"] == "evaluations") & np.isfinite(frame["ert"])]
    hardest = TARGET_LEVELS[-1]
    frame = frame[frame["target"].map(level_of) == hardest]
    close = cells = 0
    for _, part in frame.groupby("function"):
        taus = part["tau"].to_numpy(dtype=np.intp)
        chosen = int(taus[part["ert"].to_numpy(dtype=np.float64).argmin()])
        best = answers.best_tau(hardest, taus.tolist())
        least = answers.ert_evaluations(hardest, best)
        close += answers.ert_evaluations(hardest, chosen) <= CLOSE * least
        cells += 1
    return close, cells
