"""The tables on restart policies: which one to use, and what each would have cost."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from timefair.exhibits.charts.chart import Picture, leaders
from timefair.exhibits.columns import ALGORITHM, CELL, RUNS, SPACE, TARGET, UNIT
from timefair.exhibits.exhibit import Column, Figure, column_names, exhibit
from timefair.exhibits.layout import INTERVAL, Layout, Points, Value
from timefair.exhibits.questions import Question
from timefair.extensions.restart_prediction.cells import (
    NONE,
    CostUnit,
    Option,
    RestartCell,
    predicted,
    restart_cells,
)
from timefair.extensions.restart_prediction.choice import (
    best_option,
    deleted_groups,
    interval_of_choice,
    jackknifed,
    over_functions,
    over_runs,
    resampled_runs,
)
from timefair.extensions.restart_prediction.statistics import Array
from timefair.records.rundata.frames import stacked
from timefair.records.rundata.runs import MANY_CELLS, Runs
from timefair.records.rundata.settings import Analysis

QUESTION = Question(6, "Would another restart policy have been faster?", "guide/restarts.md")
UNITS: tuple[CostUnit, ...] = ("seconds", "evaluations")
ADVISED: CostUnit = "evaluations"
FOLDS = 5
GROUPS = 20
"""Maximal number of groups of the jackknife."""
MOST_RESAMPLES = 200
"""Maximal number of resamples for the interval of tau, whose limits are among few cutoffs."""
LEAST_SUCCESS = 0.01
"""Smallest success rate: lower ones are raised to it, so that gains are finite."""
LEFT_OUT = (NONE,)
"""Never advised: a single launch may leave the budget unused."""
LITTLE = 1.1
"""Gains below it do not count as gains."""

GAIN, NOTHING, UNSURE = "gain", "nothing to gain", "undecided"
NO_TRACES, NOT_JUDGED = "no launch traces", "not judged"

COMPUTED = (
    "Nothing is measured again. The result of each policy is computed from the traced launches, "
    "which are treated as a sample from one distribution per function; similar instances are "
    "pooled."
)

ADVICE_COLUMNS = (
    *SPACE,
    ALGORITHM,
    Column(
        "verdict",
        "`gain`: the lower limit of `gain` is above 1. `nothing to gain`: even `gain_same_runs` is "
        "below 1.1. `undecided`: neither of these. `not judged`: fewer than two functions have a "
        "target that enough launches reached. `no launch traces`: the records do not contain what "
        "each launch found",
        text=True,
    ),
    Column("policy", "the policy with the largest mean gain, as in `restart_what_if`", text=True),
    *Column("tau", "its cutoff, unit or first length; empty if it has none", ADVISED).interval(),
    *Column(
        "gain",
        "how many times as fast the chosen policy is on functions not used to choose it: for each "
        "function, the policy is chosen on the others; geometric mean",
    ).interval(),
    Column("gain_new_runs", "the same on the same functions, on runs not used to choose it"),
    Column(
        "gain_same_runs",
        "the same on the functions and runs that were used to choose it, which is too optimistic",
    ),
    Column("functions", "number of functions over which the gains are averaged"),
    Column("launches", "number of traced launches on all functions"),
)
WHAT_IF_COLUMNS = (
    *CELL,
    TARGET,
    UNIT,
    Column(
        "policy",
        "`measured`: the policy of the campaign, from its runs. `none`: one launch. `independent`: "
        "launches that end by themselves. `fixed`, `luby`, `geometric`: as in `restart.policy`",
        text=True,
    ),
    Column(
        "tau",
        "cutoff of `fixed`, unit of `luby`, first length of `geometric`; empty otherwise",
        "`unit`",
    ),
    *Column(
        "ert",
        "expected running time to the target if each run has the budget. `inf`: never reached; "
        "empty: no launch was observed for long enough",
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
    "restart_advice",
    question=QUESTION,
    title="Which restart policy to use",
    caption=f"""
    The restart policy with the largest gain over the measured policy. The gain is the ratio of the
    expected running times in evaluations, to the hardest target of each function that at least one
    run and at least 5 launches reached. `none` is no candidate. The gain is judged
    on functions, and on runs, that were not used to choose the policy, because on the data that
    chose it, the gain is biased upwards. The interval of tau comes from a bootstrap of the runs.
    The interval of the gain holds for functions like these (Student).
    {COMPUTED}
    """,
    columns=ADVICE_COLUMNS,
    layouts=[
        Layout(
            caption="The restart policy with the largest gain, its length tau in evaluations, and "
            "how many times as fast it is as the measured policy, on functions not used to choose "
            "it.",
            brackets="Brackets: {confidence} interval.",
            values=(
                Value("verdict", "Verdict"),
                Value("policy", "Policy"),
                Value.with_limits("tau", "τ"),
                Value.with_limits("gain", "Gain", decimals=2),
                Value("gain_new_runs", "On new runs", decimals=2),
            ),
            rows=("algorithm",),
        )
    ],
    comparing=True,
    default=True,
)
def advice(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """The best policy of each algorithm in each suite and dimension."""
    traced = runs.launch_runtimes(analysis.targets_from_easy)
    cells = restart_cells(runs, analysis, traced, ADVISED)
    longest = max((cell.budget for cell in cells), default=0.0)
    groups: dict[tuple[Any, ...], list[RestartCell]] = {}
    for cell in cells:
        key = tuple(cell.names[name] for name in ("suite", "dimension", "algorithm"))
        groups.setdefault(key, []).append(cell)
    parts = []
    for key in sorted(groups):
        names = dict(zip(("suite", "dimension", "algorithm"), key, strict=True))
        parts.append(names | _judged(groups[key], longest, analysis))
    frame = stacked(parts, column_names(ADVICE_COLUMNS)).astype({"policy": "str"})
    unseen = {part["algorithm"] for part in parts if part["verdict"] == NO_TRACES}
    frame.attrs["refused"] = _untraced(unseen)
    return frame


def _judged(cells: Sequence[RestartCell], longest: float, analysis: Analysis) -> dict[str, Any]:
    """The row of an algorithm, without the columns of names."""
    launches = sum(len(cell.launches.run) for cell in cells if cell.launches is not None)
    missing = dict.fromkeys(column_names(ADVICE_COLUMNS[4:]), np.nan)
    row = {**missing, "verdict": NO_TRACES, "policy": None, "functions": 0, "launches": launches}
    if not launches:
        return row
    judged = [cell.at_target(k) for cell in cells if (k := cell.judged_target()) >= 0]
    row |= {"verdict": NOT_JUDGED, "functions": len(judged)}
    if len(judged) < 2:
        return row
    of_cells = list(_gains(judged, longest, analysis))
    options = of_cells[0][0]
    gain, chosen_on, judged_on, samples = (
        np.stack([one[k] for _, *one in of_cells], axis=-2) for k in range(4)
    )
    best = int(best_option(gain))
    if best < 0:
        return row
    found = np.exp(over_functions(gain, confidence=analysis.confidence))
    tau = np.array([option.tau for option in options])
    same = np.array([option.policy == options[best].policy for option in options])
    low, high = np.nan, np.nan
    if np.isfinite(tau[best]):
        low, high = interval_of_choice(
            samples[..., same], tau[same], confidence=analysis.confidence
        )
    flattered = np.exp(gain[:, best].mean())
    return row | {
        "verdict": GAIN if found[1] > 1 else NOTHING if flattered < LITTLE else UNSURE,
        "policy": options[best].policy,
        "tau": tau[best],
        "tau_low": low,
        "tau_high": high,
        "gain": found[0],
        "gain_low": found[1],
        "gain_high": found[2],
        "gain_new_runs": np.exp(over_runs(chosen_on, judged_on)),
        "gain_same_runs": flattered,
    }


def _gains(
    cells: Sequence[RestartCell], longest: float, analysis: Analysis
) -> Iterator[tuple[list[Option], *tuple[Array, ...]]]:
    """For each function, the options and their gains.

    The gains are computed from all runs (options,), without the runs of each fold and with only
    these (folds, options), and from bootstrap samples (resamples, options).
    """
    resamples = min(analysis.resamples, MOST_RESAMPLES)
    for cell in cells:
        without = np.ones((FOLDS, len(cell.strata)))
        groups = deleted_groups(cell.strata, FOLDS)
        without[: len(groups)] = groups
        rng = analysis.stream(cell.names)
        samples = resampled_runs(cell.strata, resamples=resamples, rng=rng)
        weights = np.concatenate([np.ones((1, len(cell.strata))), without, 1 - without, samples])
        found = predicted(cell, weights, ADVISED, longest, left_out=LEFT_OUT)
        success, ert = found.success[..., 0], found.ert[..., 0]
        with np.errstate(invalid="ignore"):
            of_run = np.where(success == 0, cell.budget, ert * success)
            spent = np.log(of_run / np.maximum(success, LEAST_SUCCESS))
        gains = spent[:, :1] - spent[:, 1:]
        yield list(found.options[1:]), gains[0], *np.split(gains[1:], [FOLDS, 2 * FOLDS])


@exhibit(
    "restart_what_if",
    question=QUESTION,
    title="What other restart policies would have cost",
    caption=f"""
    Expected running time (ERT) to each target under each restart policy, in {{seconds}} and in
    evaluations, and the probability that a run reaches the target within the budget. Over all
    targets, these probabilities are the distribution of the precision at the end of the budget.
    {COMPUTED} Limits come from a jackknife over runs. If algorithms, functions and dimensions make
    more than {MANY_CELLS} combinations, only the rows with `judged` are listed.
    """,
    columns=WHAT_IF_COLUMNS,
    layouts=[
        Layout(
            caption="Expected running time (ERT) under restart policies, computed from launches. "
            "∞: never reached; empty: no launch was observed for long enough.",
            brackets=INTERVAL,
            values=(Value.with_limits("ert", "ERT", "low"),),
            rows=("function", "algorithm", "policy", "tau"),
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
                "timefair.extensions.restart_prediction.figure:restart_what_if",
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
    for unit in UNITS:
        cells = restart_cells(runs, analysis, traced, unit)
        longest = max((cell.budget for cell in cells), default=0.0)
        for cell in cells:
            if cell.launches is None:
                without.add(str(cell.names["algorithm"]))
            parts.append(_part(cell, unit, longest, analysis))
    frame = stacked(parts, column_names(WHAT_IF_COLUMNS))
    if runs.cells > MANY_CELLS:
        frame = frame[frame["judged"].astype(bool)].reset_index(drop=True)
    frame.attrs["refused"] = _untraced(without)
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
    limits: dict[str, Array] = {}
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
        **{name: of.ravel() for name, of in limits.items()},
        "success_rate": found.success[0].T.ravel(),
        "runs": len(cell.strata),
        "launches": 0 if launches is None else len(launches.run),
        "budget": cell.budget,
        "observed_until": np.nan if launches is None else launches.known_until,
        "judged": np.repeat(np.arange(targets.size) == cell.judged_target(), count),
    }


def _untraced(algorithms: Collection[str]) -> str:
    """The algorithms without launch traces, as a sentence for captions; empty for none."""
    if not algorithms:
        return ""
    return (
        f"No launch traces: {', '.join(sorted(algorithms))}; other policies cannot be "
        "judged for them."
    )
