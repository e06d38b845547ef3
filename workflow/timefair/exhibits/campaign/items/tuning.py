"""Item 7: tuning and preparation: their time, how it was spent, and whether it is charged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from timefair.exhibits.campaign.items.part import ChecklistPart, by_algorithm, listed, sentence
from timefair.records.integrity import Origins, searched_elsewhere
from timefair.rundata.clocks import ancillary_costs
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis

EFFECT = ("ancillary", "ancillary_effect")


def parts(runs: Runs, analysis: Analysis) -> Iterator[ChecklistPart]:
    spent = ancillary_costs(runs.frame, runs.origins, analysis)
    yield _tuning(spent, runs, analysis)
    yield _preparation(spent)
    yield _amortisation(spent, analysis)


def _tuning(spent: pd.DataFrame, runs: Runs, analysis: Analysis) -> ChecklistPart:
    """The declared tuning of each algorithm, and the searches in the records."""
    said, silent, elsewhere = {}, [], []
    for label in map(str, spent.index):
        origin = runs.origins.get(label, Origins())
        searches = origin.tuning
        if clause := searched_elsewhere(origin):
            elsewhere.append(f"{label}: {clause}")
        declared_s, method = analysis.tuning_s.get(label, 0.0), _method(label, analysis)
        clauses = [_search(one) for one in searches]
        if method and (declared_s or not searches):
            clauses.append(f"{declared_s:g} s, {method}")
        if clauses:
            said[label] = sentence(*clauses)
        if not method and (declared_s or not searches):
            silent.append(label)
    imported = analysis.campaign.get("algorithms") == {}
    missing = "not recorded" if imported else _undeclared(silent)
    return ChecklistPart(
        "Tuning", by_algorithm(said) if said else "", sentence(missing, *elsewhere)
    )


def _search(search: Mapping[str, Any]) -> str:
    """The record of a search, in words."""
    overlap, result = search["overlap"], search["result"]
    there = f"; {listed(overlap)} also in the comparison" if overlap else ""
    kept = "" if result["parameters"] else "; the default was the best"
    lost = search["interrupted"]
    interrupted = f", {lost} interrupted and charged in full" if lost else ""
    return (
        f"{search['seconds']:.1f} s measured: {search['tuner']}, {search['candidates']} candidates "
        f"in {search['evaluations']} runs{interrupted} on {search['problems']}{there}{kept}"
    )


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
