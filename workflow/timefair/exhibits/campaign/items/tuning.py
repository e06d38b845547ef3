"""Item 7: tuning and preparation: their time, how it was spent, and whether it is charged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd

from timefair.exhibits.campaign.items.part import ChecklistPart, by_algorithm, listed
from timefair.rundata.charges import costs
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis

EFFECT = ("ancillary", "ancillary_effect")


def parts(runs: Runs, analysis: Analysis) -> Iterator[ChecklistPart]:
    spent = costs(runs.frame, analysis)
    yield _tuning(spent, analysis)
    yield _preparation(spent)
    yield _amortisation(spent, analysis)


def _tuning(spent: pd.DataFrame, analysis: Analysis) -> ChecklistPart:
    methods = {str(label): _method(str(label), analysis) for label in spent.index}
    said = {
        label: f"{seconds:g} s, {method}"
        for (label, method), seconds in zip(methods.items(), spent["tuning_s"], strict=True)
        if method
    }
    silent = [label for label, method in methods.items() if not method]
    return ChecklistPart("Tuning", by_algorithm(said) if said else "", _undeclared(silent))


def _undeclared(silent: Sequence[str]) -> str:
    if not silent:
        return ""
    if len(silent) == 1:
        return f"declare algorithms.{silent[0]}.ancillary.method"
    return f"declare algorithms.<label>.ancillary.method for {listed(silent)}"


def _method(label: str, analysis: Analysis) -> str | None:
    spec = analysis.campaign.get("algorithms", {}).get(label, {})
    method: str | None = spec.get("ancillary", {}).get("method")
    return method


def _preparation(spent: pd.DataFrame) -> ChecklistPart:
    known = spent.dropna(subset="preparation_s")
    unknown = sorted(set(spent.index) - set(known.index))
    said = listed(
        f"{label} {row.preparation_s:.3g} s ({row.preparation})"
        for label, row in zip(known.index, known.itertuples(), strict=True)
    )
    return ChecklistPart(
        "Preparation",
        said,
        f"the records of {listed(unknown)} do not contain it" if unknown else "",
    )


def _amortisation(spent: pd.DataFrame, analysis: Analysis) -> ChecklistPart:
    problems, most = analysis.problems, spent["share_s"].max()
    share = f"at most {most:.3g} s per problem, of {problems}"
    if analysis.ancillary == "amortised":
        return ChecklistPart("Amortisation", f"every run is charged its share, {share}")
    evidence = f"not charged; the share would be {share}"
    shown = [table for table in EFFECT if table in analysis.asked_tables]
    if shown:
        return ChecklistPart("Amortisation", f"{evidence}; shown in tables {listed(shown)}")
    return ChecklistPart("Amortisation", evidence, f"select table {EFFECT[0]}")
