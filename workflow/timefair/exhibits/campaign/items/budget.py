"""Item 1: the budget of a run, caps on its evaluations, and whether all runs kept it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from timefair.exhibits.campaign.items.part import ChecklistPart, by_algorithm, listed, sentence
from timefair.exhibits.campaign.items.recorded import asked
from timefair.rundata.clocks import objective_share
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis

GRACE_S = 0.05
"""Maximal time after T at which the last evaluation may end; it does not count."""

MOST_BUDGETS = 3
"""Number of different T of an algorithm that are listed; of more, the smallest and the
largest are.
"""

DOMINATES = 0.5
"""Share of the time inside the objective above which evaluations may be the budget."""


def parts(runs: Runs, analysis: Analysis) -> Iterator[ChecklistPart]:
    timed = bool(runs.frame["budget_s"].notna().any())
    yield _time(runs.frame) if timed else _evaluations_alone(runs.frame)
    yield _evaluations(runs.frame)
    yield _early_end(runs)
    if timed:
        yield _overshoot(runs.frame)


def _time(frame: pd.DataFrame) -> ChecklistPart:
    said = {
        str(label): _budgets(sorted(budgets.fillna(0.0).unique()))
        for label, budgets in frame.groupby("algorithm")["budget_s"]
    }
    if frame["budget_s"].nunique(dropna=False) > 1:
        return ChecklistPart("Time T", by_algorithm(said), "not all runs had the same T")
    costs = sorted(frame["evaluation_cost_s"].fillna(0.0).unique())
    more = " or ".join(f"{c:g}" for c in costs)
    counted = f"; each evaluation counts {more} s more than it takes"
    return ChecklistPart(
        "Time T",
        f"{by_algorithm(said)} of wall clock for every run, restarts included"
        + (counted if costs[-1] > 0 else ""),
        "" if len(costs) == 1 else "not all runs had the same simulated evaluation cost",
    )


def _budgets(budgets: list[float]) -> str:
    if len(budgets) > MOST_BUDGETS:
        return f"T from {budgets[0]:.3g} to {budgets[-1]:.3g} s"
    return " or ".join(map(_seconds, budgets))


def _seconds(budget: float) -> str:
    return f"T = {budget:g} s" if budget else "no T"


def _evaluations_alone(frame: pd.DataFrame) -> ChecklistPart:
    share = objective_share(frame) * frame["real_s"]
    inside = share.groupby(frame["algorithm"]).sum(min_count=1)
    share = inside / frame["real_s"].where(share.notna()).groupby(frame["algorithm"]).sum()
    least, most = share.min(skipna=False), share.max()
    evidence = f"evaluations took an estimated {least:.0%} to {most:.0%} of the time"
    if np.isnan(least):
        evidence = "the share of evaluations in the time was not measured"
    missing = "set budget.time_s: the time of the algorithms themselves is not limited"
    return ChecklistPart("Time T", f"no T; {evidence}", "" if least >= DOMINATES else missing)


def _evaluations(frame: pd.DataFrame) -> ChecklistPart:
    caps = frame.groupby("dimension")["budget_evaluations"]
    equal = (caps.nunique(dropna=False) == 1).all()
    said = {
        f"D = {dimension}": listed(f"{cap:g} evaluations" for cap in sorted(cap.dropna().unique()))
        for dimension, cap in caps
    }
    capped = frame["budget_evaluations"].notna().any()
    return ChecklistPart(
        "Cap on evaluations",
        f"{by_algorithm(said)} for every run" if capped else "none",
        "" if equal else "runs of the same dimension had different caps",
    )


def _early_end(runs: Runs) -> ChecklistPart:
    targets = asked(runs, lambda _, campaign: campaign["budget"]["final_target"])
    if runs.optimum == "unknown":
        return ChecklistPart("Early end", "no target ends a run: no optimum is known")
    said = {label: " or ".join(map(_target, found)) for label, found in targets.items()}
    unknown = [label for label, found in targets.items() if not found]
    known = {label: text for label, text in said.items() if text}
    return ChecklistPart(
        "Early end",
        by_algorithm(known) if known else "",
        sentence(
            f"the records of {listed(unknown)} do not contain it" if unknown else "",
            "not all runs had the same final target" if len(set(known.values())) > 1 else "",
        ),
    )


def _target(target: float | None) -> str:
    if target is None:
        return "no target ends a run"
    return f"a run ends at the precision {target:g}, where the optimum is known"


def _overshoot(frame: pd.DataFrame) -> ChecklistPart:
    unknown = int(frame["overshoot_s"].isna().sum())
    if unknown == len(frame):
        return ChecklistPart("Overshoot", "", "not recorded")
    late = int((frame["overshoot_s"] > GRACE_S).sum())
    longest = frame["overshoot_s"].max()
    return ChecklistPart(
        "Overshoot",
        f"the last evaluation of a run ended at most {1e3 * longest:.3g} ms after T; "
        "nothing after T counts",
        sentence(
            f"runs that continued for more than {1e3 * GRACE_S:g} ms after T: {late}"
            if late
            else "",
            f"not recorded for {unknown} of {len(frame)} runs" if unknown else "",
        ),
    )
