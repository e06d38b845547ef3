"""Checks whether the record of a search is consistent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isclose
from typing import Any

from timefair.tuners import outcome
from timefair.tuners.outcome import Tried

NEEDED = ("events", "f_opt", "budget_s", "budget_evaluations", "run", "charged_s", "real_s")
"""Columns of a run that are compared with the trace."""


def contradictions(search: Mapping[str, Any], runs: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Contradictions in the record of a search, one clause each.

    Parameters
    ----------
    search
        The facts under ``tuning``, with the trace.
    runs
        The rows of the record with the columns `NEEDED`, in any order.
    """
    trace = [Tried(**one) for one in search["trace"]]
    by_number = {run["run"]: run for run in runs}
    if sorted(by_number) != [one.number for one in trace] or not trace:
        yield f"its trace has {len(trace)} evaluations, and there are {len(runs)} runs"
        return
    for one in trace:
        run = by_number[one.number]
        found = outcome.loss(run, search["targets"], in_values=search["target_values"])
        if not isclose(found, one.loss, rel_tol=1e-12):
            yield f"evaluation {one.number} has the loss {one.loss:g}, and its run {found:g}"
        if one.seconds < run["real_s"] + run["charged_s"]:
            yield f"evaluation {one.number} is charged less than its run took"
    if search["seconds"] < sum(one.seconds for one in trace) + search["interrupted_s"]:
        yield "it is charged less than its evaluations took"
    if search["result"] != outcome.result(trace):
        yield "its trace decides for other parameters"
