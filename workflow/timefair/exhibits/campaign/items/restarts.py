"""Item 2: restart policies, completed restarts, and whether every run used its budget."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from timefair.exhibits.campaign.items.part import ChecklistPart, by_algorithm, listed, sentence
from timefair.exhibits.campaign.items.recorded import Facts, asked
from timefair.records.integrity import restart_of
from timefair.records.status import StopReason
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis

UNUSED = (StopReason.ALGORITHM_ENDED, StopReason.FAILURE)
"""Stop reasons of runs with budget left that have not reached the final target."""


def parts(runs: Runs, analysis: Analysis) -> Iterator[ChecklistPart]:
    yield _policy(runs)
    yield _completed(runs.frame)
    yield _use(runs.frame)


def _policy(runs: Runs) -> ChecklistPart:
    policies = asked(runs, lambda label, campaign: restart_of(campaign, label))
    unknown = [label for label, found in policies.items() if not found]
    several = [label for label, found in policies.items() if len(found) > 1]
    said = {label: " or ".join(map(_words, found)) for label, found in policies.items() if found}
    return ChecklistPart(
        "Policy",
        by_algorithm(said) if said else "",
        sentence(
            f"the records of {listed(unknown)} do not contain it" if unknown else "",
            f"{listed(several)}: runs under different policies" if several else "",
        ),
    )


def _words(restart: Facts) -> str:
    settings = [
        f"{key} {value:g}"
        for key, value in restart.items()
        if key != "policy" and value is not None
    ]
    return ", ".join([restart["policy"], *settings])


def _completed(frame: pd.DataFrame) -> ChecklistPart:
    medians = frame.groupby("algorithm")["completed_restarts"].median().dropna()
    unknown = int(frame["completed_restarts"].isna().sum())
    said = listed(f"{label} {median:g}" for label, median in medians.items())
    return ChecklistPart(
        "Completed restarts",
        f"median of a run: {said}" if said else "",
        f"not recorded for {unknown} of {len(frame)} runs" if unknown else "",
    )


def _use(frame: pd.DataFrame) -> ChecklistPart:
    reasons = frame["stop_reason"].value_counts().sort_index()
    unused = frame.loc[frame["stop_reason"].isin(UNUSED), "algorithm"].value_counts().sort_index()
    said = listed(f"{count} of {label}" for label, count in unused.items())
    return ChecklistPart(
        "Use of the budget",
        "runs were ended by " + listed(f"{reason} ({n})" for reason, n in reasons.items()),
        f"runs ended with budget left and no restart: {said}" if said else "",
    )
