"""Item 3: the targets, their reference, and how success is counted."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from timefair.exhibits.campaign.items.part import ChecklistPart, listed
from timefair.exhibits.campaign.items.recorded import asked
from timefair.exhibits.unknown_optimum import refuted
from timefair.rundata.runs import PROBLEM, Runs
from timefair.rundata.settings import Analysis


def parts(runs: Runs, analysis: Analysis) -> Iterator[ChecklistPart]:
    yield _targets(runs, analysis)
    yield _optimum(runs)
    yield _success(runs, analysis)


def _targets(runs: Runs, analysis: Analysis) -> ChecklistPart:
    targets = analysis.targets_from_easy
    what, one = _what(runs, analysis)
    shown = f"{len(targets)} {what}, {targets[0]:g} to {targets[-1]:g}"
    ends = asked(runs, lambda _, campaign: campaign["budget"]["final_target"])
    first = max((end for found in ends.values() for end in found if end), default=0.0)
    beyond = 0 if analysis.target_values else sum(target < first for target in targets)
    return ChecklistPart(
        "Targets",
        shown if len(targets) > 1 else f"the {one} {targets[0]:g}",
        f"beyond {first:g}, where runs end: {beyond}" if beyond else "",
    )


def _what(runs: Runs, analysis: Analysis) -> tuple[str, str]:
    """Words for targets: the plural and the singular."""
    if analysis.target_values:
        return "values of f", "value of f"
    if runs.optimum == "unknown":
        return "shares of what was found", "share of what was found"
    return "precisions", "precision"


def _optimum(runs: Runs) -> ChecklistPart:
    if runs.optimum == "unknown":
        return ChecklistPart(
            "Gap", "no optimum is known; a gap is f minus the least f that any run here found"
        )
    unknown = runs.frame.loc[runs.frame["f_opt"].isna(), PROBLEM].drop_duplicates()
    problems = runs.frame[PROBLEM].drop_duplicates()
    said = "a precision is the distance to the known optimum"
    if len(unknown):
        said += f"; on {len(unknown)} of {len(problems)} problems to the best value that was found"
    wrong = listed(f"{one.problem} (f = {one.f:.9g} < {one.f_opt:.9g})" for one in refuted(runs))
    return ChecklistPart("Precision", said, f"values below the optimum: {wrong}" if wrong else "")


def _success(runs: Runs, analysis: Analysis) -> ChecklistPart:
    hardest = analysis.targets_from_easy[-1]
    reached = int(np.isfinite(runs.runtimes("evaluations", [hardest])).sum())
    said = f"within the budget; {reached} of {len(runs.frame)} runs reached {hardest:g}"
    if "success" in analysis.asked_tables:
        return ChecklistPart("Success", f"{said}; rates in table success")
    return ChecklistPart("Success", said, "select table success")
