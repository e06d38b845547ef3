"""What targets cost in instructions and joules, and the electricity of a campaign."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from timefair.basics.words import ALL
from timefair.exhibits.columns import CELL, column_names
from timefair.exhibits.exhibit import Parts, exhibit
from timefair.exhibits.layout import Layout, Points
from timefair.exhibits.questions import Question
from timefair.records.rundata.problems import Spent
from timefair.records.rundata.runs import PROBLEM, Runs
from timefair.records.rundata.settings import Analysis
from timefair.statistics.ert import ert_interval

ELECTRICITY = Question(18.5, "What do runs cost besides time?", "guide/meters.md")

J_PER_KWH = 3.6e6
METERS = ("joules", "instructions")
NAMES = tuple(column_names(CELL))


@exhibit(
    question=ELECTRICITY,
    layouts=Layout(
        rows=("function", "algorithm", "unit"), columns="target", points=(Points("target", 3),)
    ),
    charged=False,
)
def metered(runs: Runs, analysis: Analysis) -> Parts:
    """Expected joules and instructions to targets

    Expected cost to each target in joules above the idle power, and in instructions, as the ERT is
    one in seconds: the cost of all runs divided by the number of runs that reached the target, with
    the same interval. A run is taken to use both evenly over its time. A reading below 0 counts as
    0. There is no row where a run has no reading, or a simulated evaluation cost.

    CELL
    unit (text): unit of the cost: `joules` or `instructions`
    TARGET, RUNS, SUCCESSES
    ert [`unit`] (interval) <ERT; low limits>: expected cost to the target; `inf` if no run reached
        the target
    """
    targets = np.asarray(analysis.targets_from_easy, dtype=np.float64)
    for unit in METERS:
        cost = np.maximum(runs.reading(unit), 0.0)
        cost[runs.frame["evaluation_cost_s"].fillna(0.0).to_numpy() > 0] = np.nan
        known = runs.where(~np.isnan(cost))
        paid = known.costing(cost[~np.isnan(cost)])
        spent = Spent.until(paid.runtimes("seconds", targets), paid.spent("seconds"))
        whole = {tuple(names.values()): len(rows) for names, rows in runs.groups(NAMES)}
        for names, rows in paid.groups(NAMES):
            if len(rows) < whole[tuple(names.values())]:
                continue
            of = spent.of(rows)
            limits = ert_interval(of.cost, of.success, confidence=analysis.confidence)
            row = {**names, "unit": unit, "target": targets, "runs": len(rows)}
            row |= {"successes": of.success.sum(axis=0), "ert": of.ert}
            yield row | {"ert_low": limits.low, "ert_high": limits.high}


@exhibit(question=ELECTRICITY, charged=False, complete=True)
def electricity(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Electricity of the runs

    Electricity that the processor used in the runs of each algorithm, without what is around them
    (preparation, waiting, analysis) and without the rest of the machine; repeated runs count once.
    Savings are those of the campaign's stopping rule.

    algorithm (text): label of the algorithm, or `{ALL}` for the campaign
    RUNS
    metered: number of runs of which the joules are known
    joules [J]: joules of these above the idle power; empty without such a run
    idle_joules [J]: joules that the idle processor would have used in these runs
    kwh [kWh]: the sum of both in kilowatt hours
    runs_saved: number of runs that the stopping rule made unnecessary
    kwh_saved [kWh]: what these would have used if each had used as much as the mean measured run on
        its problem; empty if this is not known for one of them
    """
    frame = runs.frame[[*PROBLEM, "algorithm"]].assign(runs=1, joules=runs.reading("joules"))
    frame["metered"] = frame["joules"].notna().astype(int)
    frame["idle_joules"] = runs.reading("idle_joules")
    frame["kwh"] = (frame["joules"] + frame["idle_joules"]) / J_PER_KWH
    saved = pd.DataFrame(_saved(runs, frame), columns=["algorithm", *SAVED])
    labels, rows = sorted(frame["algorithm"].unique()), []
    for name, of in (*((label, [label]) for label in labels), (ALL, labels)):
        mine, spared = (one[one["algorithm"].isin(of)] for one in (frame, saved))
        told = mine[["runs", "metered", "joules", "idle_joules", "kwh"]].sum(min_count=1)
        rows.append({"algorithm": name, **told, **spared[SAVED].sum(skipna=False)})
    whole = dict.fromkeys(("runs", "metered", "runs_saved"), int)
    return pd.DataFrame(rows).astype(whole) if labels else pd.DataFrame()


SAVED = ["runs_saved", "kwh_saved"]


def _saved(runs: Runs, frame: pd.DataFrame) -> Iterator[tuple[str, int, float]]:
    """For each problem on which a stopping rule ended an algorithm: its label, the runs of the
    campaign that it did not make, and their kWh at the mean of those that it made.
    """
    keys = [*PROBLEM, "algorithm"]
    made = frame.groupby(keys).agg(runs=("runs", "sum"), kwh=("kwh", "mean"))
    last = runs.stopping.sort_values("round").groupby(keys).tail(1)
    for _, row in last[last["reason"].notna()].iterrows():
        where, label = tuple(row[keys]), str(row["algorithm"])
        campaigns = runs.origins[label].campaign if label in runs.origins else ()
        most = max((one["runs"] for one in campaigns if one), default=0)
        if where in made.index and (spared := most - int(made.loc[where, "runs"])) > 0:
            yield label, spared, spared * float(made.loc[where, "kwh"])
