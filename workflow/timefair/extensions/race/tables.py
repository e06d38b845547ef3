"""Pairs that a campaign-wide race decided, judged again from its records, and its allocation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from timefair.exhibits import questions
from timefair.exhibits.campaign.recorded import asked
from timefair.exhibits.columns import CELL, PAIR, SPACE
from timefair.exhibits.exhibit import Column, column_names, exhibit
from timefair.exhibits.layout import INTERVAL, Layout, Value
from timefair.extensions.race.statistics import CampaignRace, Standing, judged
from timefair.records.integrity import cores_of_run, isolation_of
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis

PAIR_COLUMNS = (
    *SPACE,
    *PAIR,
    Column("functions", "number of functions"),
    Column("runs_a", "runs of `algorithm_a` on all functions"),
    Column("runs_b", "runs of `algorithm_b` on all functions"),
    Column(
        "a12",
        "mean over the functions of the probability that a run of `algorithm_a` has a better "
        "precision at the end than one of `algorithm_b`, where a tie counts half",
    ),
    Column("a12_low", "lower limit of the confidence sequence of `a12`"),
    Column("a12_high", "upper limit of the confidence sequence of `a12`"),
    Column("decided_after_round", "the round after which the order was decided; empty: it was not"),
    Column("better", "the better algorithm; empty if the order is not decided", text=True),
    Column("confidence", "probability that all orders are right, and that all limits hold"),
)
CELL_COLUMNS = (
    *CELL,
    Column("runs", "number of runs on all instances"),
    Column("core_seconds", "core-seconds of these runs", "s"),
    Column("runs_of_rounds", "runs in each round, separated by blanks", text=True),
    Column("last_round", "the last round with runs"),
    Column(
        "pairs",
        "pairs of algorithms that the runs after the first round should decide",
        text=True,
    ),
    Column(
        "reason",
        "why there were no runs in the last round: `decided` (all its pairs are decided), "
        "`out of reach` (the greatest number of runs is not expected to decide its other pairs), "
        "`elsewhere` (runs on other functions decide them sooner), `budget` (the core-seconds were "
        "needed for other pairs) or `cap` (it has the greatest number of runs); empty if there "
        "were runs",
        text=True,
    ),
)


@exhibit(
    "decided_pairs",
    question=questions.RUNS,
    title="Pairs that a campaign-wide race decided",
    caption="""
    The order of each pair of algorithms over the functions, as the stopping rule `campaign_race`
    decided it. The confidence of the rule applies to all statements of the table together, whatever
    the numbers of runs. The other tables do not take into account that the results determined the
    numbers of runs. The table is empty with other stopping rules.
    """,
    columns=PAIR_COLUMNS,
    layouts=[
        Layout(
            caption="Mean A12 of two algorithms over the functions, with a confidence sequence "
            "that is valid after a campaign-wide race, and the better algorithm.",
            brackets=INTERVAL,
            values=(
                Value.with_limits("a12", "A12", decimals=3),
                Value("better", "Better"),
            ),
            rows=tuple(column_names(PAIR)),
        )
    ],
    charged=False,
    complete=True,
)
def pairs(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """The order of each pair in each dimension; no rows without a campaign-wide race."""
    rows = [row for contest in _contests(runs) for row in _pair_rows(contest)]
    return pd.DataFrame(rows, columns=column_names(PAIR_COLUMNS))


@exhibit(
    "allocation",
    question=questions.RUNS,
    title="Runs that a campaign-wide race allocated",
    caption="""
    The runs that the stopping rule `campaign_race` allocated to each algorithm on each function,
    for which pairs, and why there were no more. The table is empty with other stopping
    rules.
    """,
    columns=CELL_COLUMNS,
    charged=False,
    complete=True,
)
def allocated(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """The runs of each algorithm on each function; no rows without a campaign-wide race."""
    if _recorded_race(runs) is None:
        return pd.DataFrame(columns=column_names(CELL_COLUMNS))
    keys = column_names(CELL)
    frame = runs.frame
    rounds = range(1, int(runs.stopping["round"].max()) + 1)
    core_s = _core_seconds(runs)
    decided: dict[Any, pd.DataFrame] = dict(list(runs.stopping.groupby(keys, observed=True)))
    cells: dict[Any, Any] = dict(frame.groupby(keys, observed=True).indices)
    rows = []
    for names, members in cells.items():
        counts = frame["round"].iloc[members].value_counts().reindex(rounds, fill_value=0)
        said = decided[names].sort_values("round")
        last = said[said["round"] == rounds[-1]]
        rows.append(
            {
                **dict(zip(keys, names, strict=True)),
                "runs": len(members),
                "core_seconds": core_s[members].sum(),
                "runs_of_rounds": " ".join(map(str, counts)),
                "last_round": int(counts[counts > 0].index.max()),
                "pairs": "; ".join(dict.fromkeys(said["because"].dropna())),
                "reason": next(iter(last["reason"].dropna()), None),
            }
        )
    return pd.DataFrame(rows, columns=column_names(CELL_COLUMNS))


def _core_seconds(runs: Runs) -> np.ndarray:
    """Core-seconds of each run, shape (runs,): its seconds times the cores that it held."""
    frame = runs.frame
    cores = {label: max(found, default=1) for label, found in asked(runs, _cores).items()}
    seconds = frame["real_s"].fillna(frame["wall_s"])
    return np.asarray(seconds * frame["algorithm"].map(cores).astype(int), dtype=np.float64)


def _cores(label: str, campaign: Mapping[str, Any]) -> int:
    own = campaign["algorithms"][label]
    return cores_of_run(own.get("threads", 1), isolation_of(campaign, label), own["use"])


def _pair_rows(contest: Contest) -> Iterator[dict[str, Any]]:
    race, standing = contest.judged
    for place, pair in enumerate(race.pairs):
        first, second = (contest.algorithms[k] for k in pair)
        a12, radius = standing.estimates.a12[place], standing.radius[place]
        yield {
            **contest.names,
            **dict(zip(column_names(PAIR), (first, second), strict=True)),
            "functions": race.functions,
            "runs_a": int(contest.totals[first]),
            "runs_b": int(contest.totals[second]),
            "a12": a12,
            "a12_low": max(a12 - radius, 0.0),
            "a12_high": min(a12 + radius, 1.0),
            "decided_after_round": int(standing.decided_at[place]) or None,
            "confidence": race.confidence,
            "better": {1: first, -1: second}.get(int(standing.better[place])),
        }


class Contest(NamedTuple):
    """The race in one dimension, of the sorted algorithms, with the number of runs of each."""

    names: dict[str, Any]
    algorithms: Sequence[str]
    totals: pd.Series[int]
    judged: tuple[CampaignRace, Standing]


def _contests(runs: Runs) -> Iterator[Contest]:
    """The races of all dimensions to which the stopping rule applies; none without a race."""
    campaign = _recorded_race(runs)
    if campaign is None:
        return
    rule, frame = campaign["rule"], runs.frame
    algorithms: Sequence[str] = sorted(frame["algorithm"].unique())
    spaces = frame.groupby(column_names(SPACE), observed=True)
    family = len(algorithms) * (len(algorithms) - 1) // 2 * spaces.ngroups
    for names, space in spaces:
        found = judged(space, algorithms, rule["confidence"], campaign["final_target"], family)
        if found is not None:
            of = dict(zip(column_names(SPACE), names, strict=True))
            yield Contest(of, algorithms, space["algorithm"].value_counts(), found)


def _recorded_race(runs: Runs) -> dict[str, Any] | None:
    """The rule and ``final_target`` of the campaign of the records, if they have only one and its
    rule is a campaign-wide race.
    """
    found = [one for of_label in asked(runs, _of_race).values() for one in of_label]
    same = bool(found) and all(one == found[0] for one in found)
    return found[0] if same and found[0]["rule"]["rule"] == "campaign_race" else None


def _of_race(label: str, campaign: Any) -> dict[str, Any]:
    return {
        "rule": campaign["stopping"],
        "final_target": campaign["budget"]["final_target"],
    }
