"""The confirmatory part of the page: the registered question, its answer, and all deviations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from html import escape
from typing import Any

import pandas as pd

from timefair.basics.words import ALL, counted, number
from timefair.extensions.registered.registration import moment
from timefair.extensions.registered.tables import NO, UNKNOWN, YES
from timefair.report.evidence import Evidence, Space
from timefair.report.markup import Names, Part, definitions

VERDICT = {YES: "Yes.", NO: "Not shown.", UNKNOWN: "Not answered: there is no p-value."}

MEASURES = {
    "precision": "Median precision at the end of the budget",
    "ert_s": "ERT in seconds",
    "ert_evaluations": "ERT in evaluations",
}

TESTS = {
    "wilcoxon": "Wilcoxon’s signed-rank test over the functions",
    "mann-whitney": "Mann-Whitney test",
    "score": "score test of equal ERTs",
}

OTHERS = """<p class="note">This is the only confirmatory result. It uses only the planned runs and
one test at the registered level. All other results on this page are exploratory: they suggest
questions for another campaign. Deviations, which are listed below, limit what the answer
confirms.</p>"""

NOT_REGISTERED = "The question, which was not registered (exploratory)"
NEVER = """<p class="note">The question was not registered before the first run. Its answer is
exploratory, as are all results on this page.</p>"""


def parts(evidence: Evidence, names: Names) -> Iterator[Part]:
    rows = evidence.table("registered")
    if rows.empty:
        return
    first, registered = rows.iloc[0], bool(rows["registered"].notna().all())
    said = f"{escape(first['question'])} {VERDICT[first['answer']]}"
    orders = "\n".join(
        f"<li>{_order(row, evidence, names)}</li>" for row in rows.to_dict("records")
    )
    facts = {"Success": _success(rows), "Level": f"α = {number(first['alpha'])}"}
    kind, title, facts["Registered"] = "Question, not registered", NOT_REGISTERED, "no"
    if registered:
        kind, title = "Registered question", "The registered question (confirmatory)"
        time = moment(datetime.fromisoformat(first["registered"]))
        facts["Registered"] = f"{time} (SHA-256 {first['digest']})"
    content = [
        f'<p class="headline">{said}</p>',
        f"<ul>\n{orders}\n</ul>",
        definitions(facts, "facts"),
        OTHERS if registered else NEVER,
        _deviations(evidence),
    ]
    yield Part(
        key="registered",
        title=title,
        content="\n".join(content),
        headline=f'<p class="headline">{kind}: {said} {_count(evidence)}.</p>',
        findings="(exploratory)",
    )


def _success(rows: pd.DataFrame) -> str:
    first, single = rows.iloc[0], len(rows) == 1
    if first["success"] == "different":
        return "a difference in either direction" if single else "opposite orders"
    better = f"{first['algorithm_a']} is better"
    both = f"{better} by evaluations and {first['algorithm_b']} is better by time"
    return better if single else both


def _order(row: Mapping[Any, Any], evidence: Evidence, names: Names) -> str:
    overall = row["function"] == ALL
    where = "over all functions" if overall else f"on {escape(evidence.called(row['function']))}"
    space = Space(row["suite"], int(row["dimension"])).title
    target = "" if pd.isna(row["target"]) else f" to {number(row['target'])}"
    share = " (share of the functions on which it is better)" if overall else ""
    values = (
        f"{names.one(row[f'algorithm_{side}'])} {_known(row[f'value_{side}'])} from "
        f"{counted(int(row[f'runs_{side}']), 'run')}"
        for side in "ab"
    )
    found = (
        f"{names.one(row['better'])} is better" if isinstance(row["better"], str) else "No order"
    )
    return (
        f"{MEASURES[row['measure']]}{target} {where} of {escape(space)}{share}: "
        f"{', '.join(values)}. {found} ({TESTS[row['test']]}, p = {_known(row['p'])})."
    )


def _known(value: float) -> str:
    return "unknown" if pd.isna(value) else number(value)


def _count(evidence: Evidence) -> str:
    count = len(evidence.table("deviations"))
    return f"{counted(count, 'deviation')} from the registration" if count else "No deviations"


def _deviations(evidence: Evidence) -> str:
    rows = evidence.table("deviations")
    heading = f"<h3>{_count(evidence)}</h3>"
    if rows.empty:
        return heading
    named = rows.set_axis(["What", "Where", "Registered", "Found"], axis=1)
    table = named.to_html(index=False, border=0)
    return f'{heading}\n<div class="scroll">{table}</div>'
