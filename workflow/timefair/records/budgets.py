"""Checks whether runs had the budget of their campaign."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

_CLOCK_S = 1e-9
"""A budget is rounded to whole nanoseconds."""


def another_budget(facts: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]) -> str:
    """A clause if a run had another T than the campaign of its record; else empty.

    It is also empty for runs without a T, and for a record that does not name its campaign.

    >>> another_budget({"campaign": {"budget": {"time_s": 1.0}}}, [{"budget_s": 1.005}])
    'it holds a run with T = 1.005 s, and its campaign has 1 s'
    """
    asked_s = (facts.get("campaign") or {}).get("budget", {}).get("time_s")
    if asked_s is None:
        return ""
    for row in rows:
        budget_s = row["budget_s"]
        if budget_s is not None and abs(budget_s - asked_s) > _CLOCK_S:
            return f"it holds a run with T = {budget_s:g} s, and its campaign has {asked_s:g} s"
    return ""
