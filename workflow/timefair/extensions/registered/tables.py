"""The answer to the registered question, and deviations from the registration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from html import escape
from math import nan
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.basics.words import ALL, counted, number
from timefair.exhibits.campaign.checklist import ChecklistPart, listed
from timefair.exhibits.campaign.outcomes import timing_noise
from timefair.exhibits.columns import PAIR, column_names
from timefair.exhibits.comparisons.comparison import Pooled, Quantile
from timefair.exhibits.exhibit import Made, exhibit
from timefair.exhibits.layout import Layout
from timefair.exhibits.questions import Question
from timefair.extensions.registered.registration import (
    all_deviations,
    answering,
    moment,
    registered_analysis,
    registration_of,
)
from timefair.records.rundata.problems import Spent, problems
from timefair.records.rundata.runs import Runs, Unit
from timefair.records.rundata.settings import Analysis
from timefair.report.evidence import Evidence, Space
from timefair.report.markup import Names, Part, definitions
from timefair.statistics.ert import ert
from timefair.statistics.two_samples import equal_ert, wilcoxon

REGISTERED = Question(
    0,
    "Which question did this campaign set out to answer, and was it changed after the data "
    "were seen?",
    "guide/registered.md",
)

ORDERS = {"ert": ("ert_evaluations", "ert_s")}
"""The measures of a question with two orders, of which each is a row; all others have one."""

UNIT: Mapping[str, Unit] = {"ert_s": "seconds", "ert_evaluations": "evaluations"}

YES, NO, UNKNOWN = "yes", "no", "not answered"

Order: TypeAlias = dict[str, Any]
"""Of two algorithms: their values, the p-value, the better algorithm or None, and the largest ratio
of times that the speed of the machine may explain.
"""


def _order(values: Sequence[float], p: float, balance: float, question: Mapping[str, Any]) -> Order:
    found = dict(zip(("value_a", "value_b"), values, strict=True)) | {"p": p, "better": None}
    if p <= question["alpha"] and balance != 0:
        found["better"] = question["algorithms"][0 if balance > 0 else 1]
    return {**found, "detectable_ratio": nan}


@exhibit(
    question=REGISTERED,
    layouts=Layout(
        caption="Answer to the registered question. It uses only the planned runs, and one "
        "test at its own level.",
        shown=("value_a", "value_b", "p", "alpha", "better", "answer"),
        rows=("measure", "function", *column_names(PAIR)),
    ),
    charged=False,
    complete=True,
)
def registered(runs: Runs, analysis: Analysis) -> Made:
    """Answer to the registered question

    The confirmatory result: the answer to the question that was registered before the first run. It
    uses only the planned runs, the registered settings, and one test at the registered level. All
    other tables are exploratory. If the table has two rows, the question is about two orders, and
    both have to be significant. The table `deviations` lists what differs from the registration.

    question (text): the question in words
    answer (text) <Answer>: `{YES}`, `{NO}`, or `{UNKNOWN}` if there is no p-value
    registered (text): time of the registration; empty if there is none
    digest (text): SHA-256 of the registration; empty if there is none
    table (text): the table that explains the measure and the test
    measure (text): what is compared: a column of `table`, or `precision` at T
    SUITE, DIMENSION, FUNCTION_OR_ALL, TARGET, PAIR
    runs_a: planned runs of `algorithm_a` that count
    runs_b: planned runs of `algorithm_b` that count
    value_a [precision, s or evaluations] <First>: median precision or ERT of `algorithm_a`; for
        `all`, share of the functions on which it is better, where a tie counts half
    value_b [precision, s or evaluations] <Second>: the same for `algorithm_b`
    test (text): `wilcoxon`, `mann-whitney` or `score`
    p <p; .4>: p-value of this test, without a correction for multiple tests
    alpha <Level; .3>: level of the test
    detectable_ratio: for an ERT in seconds on one function: largest ratio of times that the speed
        of the machine may explain; if the ratio of the ERTs is not larger, `better` is empty
    better (text) <Better>: the better algorithm at the level `alpha`; empty otherwise
    success (text): what counts as success: `better` or `different`
    """
    registration = registration_of(analysis)
    if not registration:
        return []
    question, chosen = registration["campaign"]["registered"], registration["campaign"]["problems"]
    question = question | {"dimension": question["dimension"] or chosen["dimensions"][0]}
    where = ALL if question["function"] is None else str(question["function"])
    settings = registered_analysis(analysis).model_copy(
        update={"confidence": 1 - question["alpha"]}
    )
    everyone = replace(answering(runs, analysis), in_values=bool(settings.target_values))
    frame = everyone.frame
    rows = frame["algorithm"].isin(question["algorithms"])
    rows &= frame["dimension"] == question["dimension"]
    if question["function"] is not None:
        rows &= frame["function"] == question["function"]
    asked = rows.to_numpy(dtype=np.bool_)
    orders = {
        measure: _at_the_end(everyone.where(asked), settings, question)
        if measure == "precision"
        else _to_target(everyone, asked, settings, question, UNIT[measure], where)
        for measure in ORDERS.get(question["measure"], (question["measure"],))
    }
    counts = frame["algorithm"][asked].value_counts()
    own = ("question", "table", "dimension", "test", "alpha", "success")
    said = {
        **{name: question[name] for name in own},
        "suite": chosen["suite"],
        "answer": _answer(list(orders.values()), question),
        "registered": registration.get("registered_utc"),
        "digest": registration.get("digest"),
        "function": where,
        "target": nan if question["target"] is None else question["target"],
        **dict(zip(column_names(PAIR), question["algorithms"], strict=True)),
    }
    said |= {f"runs_{k}": int(counts.get(said[f"algorithm_{k}"], 0)) for k in "ab"}
    return [said | {"measure": measure} | order for measure, order in orders.items()]


def _answer(orders: list[Order], question: Mapping[str, Any]) -> str:
    if any(np.isnan(order["p"]) for order in orders):
        return UNKNOWN
    better = [order["better"] for order in orders]
    if question["success"] == "better":
        found = better == question["algorithms"][: len(better)]
    else:
        found = all(better) and len(set(better)) == len(better)
    return YES if found else NO


def _at_the_end(pair: Runs, analysis: Analysis, question: Mapping[str, Any]) -> Order:
    median = Quantile(Pooled(pair, analysis), 0.5)
    first, second = question["algorithms"]
    there = [one for one in problems(pair) if {first, second} <= set(median.algorithms(one))]
    if not there:
        return _order((nan, nan), nan, 0, question)
    if question["function"] is None:
        gains = np.array([median.gain(problem, first, second) for problem in there])
        test = wilcoxon(-gains, np.zeros(gains.size))
        share = float(np.mean((gains > 0) + 0.5 * (gains == 0)))
        values, p, balance = (share, 1 - share), test.p, test.balance
    else:
        (problem,) = there
        values, p, balance, *_ = median.tested(problem, first, second)
    return _order(values, p, balance, question)


def _to_target(
    everyone: Runs,
    asked: NDArray[np.bool_],
    settings: Analysis,
    question: Mapping[str, Any],
    unit: Unit,
    where: str,
) -> Order:
    """By the ERT to the target, which, without a known optimum, is a share as in the tables."""
    pair = everyone.where(asked)
    reached_at = everyone.runtimes(unit, [question["target"]])[asked]
    spent = Spent.until(reached_at, pair.spent(unit))
    names = question["algorithms"]
    samples = [
        [(cost[name], success[name]) for name in names]
        for problem in problems(pair)
        for cost, success in [[problem.samples(of[:, 0]) for of in (spent.cost, spent.success)]]
        if all(name in cost for name in names)
    ]
    if not samples:
        return _order((nan, nan), nan, 0, question)
    erts = np.array([[float(ert(*sample)) for sample in two] for two in samples])
    if question["function"] is None:
        with np.errstate(divide="ignore"):
            test = wilcoxon(*np.log10(erts.T))
        share = float(np.mean((erts[:, 0] < erts[:, 1]) + 0.5 * (erts[:, 0] == erts[:, 1])))
        return _order((share, 1 - share), test.p, test.balance, question)
    (first, second), ((cost_a, success_a), (cost_b, success_b)) = erts[0], samples[0]
    p, detectable = equal_ert(cost_a, success_a, cost_b, success_b), nan
    if unit == "seconds":  # as in the table `timing_noise`
        noise = timing_noise(everyone, settings).set_index(["function", "dimension"])
        here = noise["detectable_ratio"].get((where, question["dimension"]), nan)
        detectable = float(np.ravel(here)[0])
    least, most = sorted((first, second))
    open_order = first == second or most <= least * detectable
    balance = 0.0 if open_order else float(np.sign(second - first))
    return _order((first, second), p, balance, question) | {"detectable_ratio": detectable}


@exhibit(
    question=REGISTERED, layouts=Layout(rows=("kind", "subject")), charged=False, complete=True
)
def deviations(runs: Runs, analysis: Analysis) -> Made:
    """Deviations from the registration

    Every difference from the registration: keys of the campaign, the code that measured and the
    code that makes the answer, added, missing and excluded runs, runs that began before the
    registration, and a registration that was changed or is missing. Changes of figures and of the
    names of functions are not listed, because they change no number.

    kind (text): what the deviation is about
    subject (text): the key, the algorithm or the file
    registered (text) <Registered; 30 letters>: what was registered
    found (text) <Found; 30 letters>: what was found instead
    """
    return all_deviations(runs, analysis)


def checklist(runs: Runs, analysis: Analysis) -> Iterator[ChecklistPart]:
    if not registration_of(analysis):
        return
    found = all_deviations(runs, analysis)
    kinds = listed(dict.fromkeys(one.kind for one in found))
    yield ChecklistPart(
        "Registration",
        registration_of(analysis)["statement"],
        f"{counted(len(found), 'deviation')} (table deviations): {kinds}" if found else "",
    )


# --- The confirmatory part of the page ---

VERDICTS = {YES: "Yes.", NO: "Not shown.", UNKNOWN: "Not answered: there is no p-value."}

MEASURED = {
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
    said = f"{escape(first['question'])} {VERDICTS[first['answer']]}"
    orders = "\n".join(
        f"<li>{_order_said(row, evidence, names)}</li>" for row in rows.to_dict("records")
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
        definitions(facts),
        OTHERS if registered else NEVER,
        _deviations_said(evidence),
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


def _order_said(row: Mapping[Any, Any], evidence: Evidence, names: Names) -> str:
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
    known = isinstance(row["better"], str)
    found = f"{names.one(row['better'])} is better" if known else "No order"
    return (
        f"{MEASURED[row['measure']]}{target} {where} of {escape(space)}{share}: "
        f"{', '.join(values)}. {found} ({TESTS[row['test']]}, p = {_known(row['p'])})."
    )


def _known(value: float) -> str:
    return "unknown" if pd.isna(value) else number(value)


def _count(evidence: Evidence) -> str:
    count = len(evidence.table("deviations"))
    return f"{counted(count, 'deviation')} from the registration" if count else "No deviations"


def _deviations_said(evidence: Evidence) -> str:
    rows = evidence.table("deviations")
    heading = f"<h3>{_count(evidence)}</h3>"
    if rows.empty:
        return heading
    named = rows.set_axis(["What", "Where", "Registered", "Found"], axis=1)
    table = named.to_html(index=False, border=0)
    return f'{heading}\n<div class="scroll">{table}</div>'
