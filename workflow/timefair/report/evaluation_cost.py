"""The part of the page that follows a slider: who wins at the reader's own evaluation cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from timefair.charts.costs import seconds_of
from timefair.report.evidence import Evidence
from timefair.rundata.evaluation_cost import COSTS_S, parallel, restarted
from timefair.rundata.settings import Analysis

TABLE = "ert"
"""The table with the lines that the page computes from: ERT in seconds and in evaluations."""

SLIDER = """<p>The runs show how long each algorithm would have taken if every evaluation had cost
c seconds more. Nothing is measured again: a run that used t seconds and e evaluations then takes
t + c e seconds.</p>
<div class="needs-script" id="evaluation-cost">
<label for="evaluation-cost-slider">One evaluation of my function costs
<output for="evaluation-cost-slider"></output> more than it did here</label>
<input type="range" id="evaluation-cost-slider" min="0" max="{last}" step="1" value="0">
<div class="filters"></div>
<p class="headline" role="status"></p>
<div class="panels"></div>
<h3>Lowest expected running time on each function</h3>
<div class="scroll" tabindex="0" role="region" aria-label="Lowest expected running time"></div>
</div>
<p class="note">ERT: expected running time in {seconds} to a target. A run that was cut counts as a
failure and costs what it used. The ERT of an algorithm with few evaluations is therefore an upper
estimate at large costs. The table <code>cost_map</code> names the algorithms with missing runs.
These numbers are not tested; the tables <code>cost_winners</code> and <code>cost_ert</code> have
intervals. {refused}</p>"""


WORKERS = """<p>{parallel} The table and the figure <code>cost_map</code> show who wins at your
evaluation cost. This part has a slider only with <code>statistics.workers: 1</code>.</p>"""


def part(evidence: Evidence, spaces: Sequence[Mapping[str, Any]]) -> str:
    """The slider and the parts that depend on it; empty without the ``spaces`` of `lines`.

    With several workers it would need what the table of ERT does not have.
    """
    analysis = _analysis(evidence)
    if analysis.workers > 1:
        return WORKERS.format(parallel=escape(parallel(analysis)))
    if not spaces:
        return ""
    return SLIDER.format(
        last=len(COSTS_S) - 1,
        seconds=escape(seconds_of(evidence.table(TABLE))),
        refused=escape(restarted(analysis)),
    )


def lines(evidence: Evidence) -> dict[str, Any]:
    """The unrounded data from which the script computes.

    ``costs`` are the stops of the slider. Each suite and dimension in ``spaces`` has its
    ``algorithms`` and, for each function on which all of them were run, the number of the function,
    the ``targets`` from easy to hard, and the ERT in ``seconds`` and in ``evaluations``: one list
    over the algorithms per target, with None if no run reached the target. Algorithms without times
    or evaluations, or whose launches end by seconds, are omitted.
    """
    found = []
    for space in evidence.spaces:
        rows = evidence.of(TABLE, space)
        if len(rows):
            omitted = evidence.failed(space) | set(_analysis(evidence).restarted_by_seconds)
            there = rows["ert_s"].notna() & ~rows["algorithm"].astype(str).isin(list(omitted))
            names = {"suite": space.suite, "dimension": str(space.dimension)}
            found.append({**names, **_space(rows[there])})
    return {"costs": list(COSTS_S), "spaces": [space for space in found if space["functions"]]}


def _analysis(evidence: Evidence) -> Analysis:
    return Analysis.of(evidence.campaign.analysis_settings)


def _space(rows: pd.DataFrame) -> dict[str, Any]:
    algorithms = sorted(set(rows["algorithm"].astype(str)))
    functions = []
    for function, mine in rows.groupby("function"):
        named = mine.assign(algorithm=mine["algorithm"].astype(str))
        if named["algorithm"].nunique() < len(algorithms):
            continue
        wide = {
            column: named.pivot(index="target", columns="algorithm", values=column)
            .reindex(columns=algorithms)
            .sort_index(ascending=False)
            for column in ("ert_s", "ert_evaluations")
        }
        functions.append(
            {
                "function": str(function),
                "targets": wide["ert_s"].index.tolist(),
                "seconds": _finite(wide["ert_s"]),
                "evaluations": _finite(wide["ert_evaluations"]),
            }
        )
    return {"algorithms": algorithms, "functions": functions}


def _finite(wide: pd.DataFrame) -> list[list[float | None]]:
    """The numbers, with None for infinity, because JSON cannot represent infinity."""
    values = wide.to_numpy(dtype=np.float64)
    return [[x if np.isfinite(x) else None for x in line] for line in values.tolist()]
