"""Cost of each restart policy, computed from launches."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.charts.chart import Picture, leaders
from timefair.exhibits import questions
from timefair.exhibits.columns import CELL, RUNS, TARGET, UNIT
from timefair.exhibits.exhibit import Column, Figure, column_names, exhibit
from timefair.exhibits.layout import INTERVAL, Layout, Points, Value
from timefair.exhibits.restarts.words import COMPUTED, untraced
from timefair.rundata.frames import stacked
from timefair.rundata.restart_cells import CostUnit, RestartCell, restart_cells
from timefair.rundata.restart_options import judged_target, predicted
from timefair.rundata.runs import MANY_CELLS, Runs
from timefair.rundata.settings import Analysis
from timefair.statistics.restarts.what_if import deleted_groups, jackknifed

GROUPS = 20
"""Maximal number of groups of the jackknife."""
RESTART_UNITS: tuple[CostUnit, ...] = ("seconds", "evaluations")

COLUMNS = (
    *CELL,
    TARGET,
    UNIT,
    Column(
        "policy",
        "`measured`: the policy of the campaign, from its runs. `none`: one launch. `independent`: "
        "launches that end by themselves. `fixed`, `luby`, `geometric`: as in `restart.policy`. "
        "`copies`: whole runs as measured, side by side, until the first one reaches the target",
        text=True,
    ),
    Column(
        "tau",
        "cutoff of `fixed`, unit of `luby`, first length of `geometric`; empty otherwise",
        "`unit`",
    ),
    Column("copies", "number of runs side by side; 1 for every policy but `copies`"),
    *Column(
        "ert",
        "expected running time to the target if each run has the budget. For copies: seconds on as "
        "many cores, or evaluations of all copies together. `inf`: never reached; empty: no launch "
        "was observed for long enough",
        "`unit`",
    ).interval(),
    Column(
        "success_rate",
        "probability that a run reaches the target within the budget, which means that its "
        "precision at the end is at most the target",
    ),
    Column(
        "factor",
        "`ert` divided by that of `measured`; empty if that is infinite",
    ),
    *Column("factor", "").interval("`factor`")[1:],
    RUNS,
    Column("launches", "number of launches from which the row is computed"),
    Column("budget", "assumed budget of a run", "`unit`"),
    Column(
        "observed_until",
        "longest cutoff for which the launches were observed; `inf`: every cutoff",
        "`unit`",
    ),
    Column(
        "judged",
        "whether the figure and the table `restart_advice` use this target: the hardest one that "
        "at least one run and at least 5 launches reached",
    ),
)


@exhibit(
    "restart_what_if",
    question=questions.RESTART,
    title="What other restart policies would have cost",
    caption=f"""
    Expected running time (ERT) to each target under each restart policy, in {{seconds}} and in
    evaluations, and the probability that a run reaches the target within the budget. Over all
    targets, these probabilities are the distribution of the precision at the end of the budget.
    {COMPUTED} Limits come from a jackknife over runs. If algorithms, functions and dimensions make
    more than {MANY_CELLS} combinations, only the rows with `judged` are listed.
    """,
    columns=COLUMNS,
    layouts=[
        Layout(
            caption="Expected running time (ERT) under restart policies, computed from launches. "
            "∞: never reached; empty: no launch was observed for long enough.",
            brackets=INTERVAL,
            values=(Value.with_limits("ert", "ERT", "low"),),
            rows=("function", "algorithm", "policy", "tau", "copies"),
            parts=("suite", "dimension", "unit", "target"),
            points=(Points("target", 1),),
        )
    ],
    figures=[
        Figure(
            "restart_what_if",
            "Expected running time over the length of launches",
            "Expected running time (ERT) in evaluations over the length of launches (the number of "
            "evaluations after which every launch ends), divided by the ERT of the measured "
            "policy. The target is the hardest one that at least one run and at least 5 launches "
            "reached. Below the line at 1, restarts after this length are faster than the "
            f"measured policy. Bands are limits from a jackknife over runs. {COMPUTED}",
            Picture(
                "timefair.charts.restart_what_if:restart_what_if",
                panels="functions",
                reading="A line ends where no launch was observed for long enough. An overview has "
                "one row per algorithm, with a dot at the best cutoff of each function and a bar "
                "at their median. With fewer than 6 runs, there is no band. "
                + leaders("with the largest gain"),
            ),
        )
    ],
    comparing=True,
)
def what_if(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """ERT and success rate under every policy and tau, for each algorithm on each function, in
    each unit and to each target.
    """
    parts, without = [], set()
    traced = runs.launch_runtimes(analysis.targets_from_easy)
    for unit in RESTART_UNITS:
        cells = list(restart_cells(runs, analysis, traced, unit))
        longest = max((cell.budget for cell in cells), default=0.0)
        for cell in cells:
            if cell.launches is None:
                without.add(str(cell.names["algorithm"]))
            parts.append(_part(cell, unit, longest, analysis))
    frame = stacked(parts, column_names(COLUMNS))
    if runs.cells > MANY_CELLS:
        frame = frame[frame["judged"].astype(bool)].reset_index(drop=True)
    frame.attrs["refused"] = untraced(without)
    return frame


def _part(
    cell: RestartCell, unit: CostUnit, longest: float, analysis: Analysis
) -> dict[str, object]:
    """All rows of a cell for one unit."""
    every = np.ones((1, len(cell.strata)))
    without = deleted_groups(cell.strata, GROUPS)
    found = predicted(cell, np.concatenate([every, without]), unit, longest)
    targets, count = np.asarray(analysis.targets_from_easy), len(found.options)
    with np.errstate(invalid="ignore", divide="ignore"):
        factor = found.ert / np.where(np.isfinite(found.ert[:, :1]), found.ert[:, :1], np.nan)
    limits: dict[str, NDArray[np.float64]] = {}
    for name, values in (("ert", found.ert), ("factor", factor)):
        low, high = jackknifed(values[0], values[1:], confidence=analysis.confidence)
        limits |= {name: values[0].T, f"{name}_low": low.T, f"{name}_high": high.T}
    launches = cell.launches
    return {
        **cell.names,
        "target": np.repeat(targets, count),
        "unit": unit,
        "policy": np.tile([one.policy for one in found.options], targets.size),
        "tau": np.tile([one.tau for one in found.options], targets.size),
        "copies": np.tile([one.copies for one in found.options], targets.size),
        **{name: of.ravel() for name, of in limits.items()},
        "success_rate": found.success[0].T.ravel(),
        "runs": len(cell.strata),
        "launches": 0 if launches is None else len(launches.run),
        "budget": cell.budget,
        "observed_until": np.nan if launches is None else launches.known_until,
        "judged": np.repeat(np.arange(targets.size) == judged_target(cell), count),
    }
