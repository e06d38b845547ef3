"""The part of the page that follows a slider: which algorithm reaches most targets at the reader's
own evaluation cost, within the budgets that were observed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import pandas as pd

from timefair.charts.costs import seconds_of
from timefair.report.evidence import Evidence

TABLE = "cost_map"

SLIDER = """<p>The runs show how long each algorithm would have taken if every evaluation had cost
c seconds more. Nothing is measured again: a run that used t seconds and e evaluations then takes
t + c e seconds, and is known up to this time.</p>
<div class="needs-script" id="evaluation-cost">
<label for="evaluation-cost-slider">One evaluation of my function costs
<output for="evaluation-cost-slider"></output> more than it did here</label>
<input type="range" id="evaluation-cost-slider" min="0" max="{last}" step="1" value="0">
<div class="filters"></div>
<div class="scroll" tabindex="0" role="region" aria-label="Most targets within each budget"></div>
<p class="beyond" role="status"></p>
</div>
<p class="note">The share of the targets that a run reaches within a budget in {seconds}, evaluation
costs included, averaged over the functions. Budgets that some run was not observed up to are not
listed. The table <code>cost_map</code> names the algorithms that may be as good, and the runs that
are missing. {refused}</p>"""


def part(evidence: Evidence, spaces: Sequence[Mapping[str, Any]]) -> str:
    """The slider and the table below it; empty without the ``spaces`` of `lines`."""
    if not spaces:
        return ""
    frame = evidence.table(TABLE)
    last = max(len(space["at"]) for space in spaces) - 1
    refused = frame.attrs.get("refused", "")
    return SLIDER.format(last=last, seconds=escape(seconds_of(frame)), refused=escape(refused))


def lines(evidence: Evidence) -> dict[str, Any]:
    """What the script shows.

    ``costs`` are the stops of the slider. Each suite and dimension in ``spaces`` has ``at`` each
    cost the known ``budgets`` with their ``best`` algorithm and its ``share``, and the algorithms
    ``missing`` at the first budget that is not known (empty if there is none).
    """
    found: list[dict[str, Any]] = []
    costs: list[float] = []
    for space in evidence.spaces:
        rows = evidence.of(TABLE, space, measure="share")
        if rows.empty:
            continue
        at = [_at(of_cost) for _, of_cost in rows.groupby("evaluation_cost_s")]
        costs = sorted(rows["evaluation_cost_s"].unique().tolist())
        found.append({"suite": space.suite, "dimension": str(space.dimension), "at": at})
    return {"costs": costs, "spaces": found}


def _at(rows: pd.DataFrame) -> dict[str, Any]:
    """The winners at one evaluation cost."""
    known = rows[rows["known"] & rows["best"].notna()]
    missing = rows.loc[rows["missing"].notna(), "missing"]
    return {
        "budgets": known["budget_s"].tolist(),
        "best": known["best"].astype(str).tolist(),
        "share": known["value"].tolist(),
        "missing": str(missing.iloc[0]) if len(missing) else "",
        "until": float(rows.loc[rows["known"], "budget_s"].max()) if rows["known"].any() else 0.0,
    }
