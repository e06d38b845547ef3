"""Which restart policy to use, judged on functions and runs that were not used to choose it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.exhibits import questions
from timefair.exhibits.columns import ALGORITHM, SPACE
from timefair.exhibits.exhibit import Column, column_names, exhibit
from timefair.exhibits.layout import Layout, Value
from timefair.exhibits.restarts.words import COMPUTED, untraced
from timefair.rundata.frames import stacked
from timefair.rundata.restart_cells import CostUnit, RestartCell, restart_cells
from timefair.rundata.restart_options import (
    COPIES,
    NONE,
    Option,
    at_target,
    judged_target,
    predicted,
)
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis
from timefair.statistics.restarts.what_if import (
    best_option,
    deleted_groups,
    interval_of_choice,
    over_functions,
    over_runs,
    resampled_runs,
)

UNIT: CostUnit = "evaluations"
FOLDS = 5
MOST_RESAMPLES = 200
"""Maximal number of resamples for the interval of tau, whose limits are among few cutoffs."""
LEAST_SUCCESS = 0.01
"""Smallest success rate: lower ones are raised to it, so that gains are finite."""
LEFT_OUT = (NONE, COPIES)
"""Never advised: a single launch may leave the budget unused, and copies need more cores."""
LITTLE = 1.1
"""Gains below it do not count as gains."""

GAIN, NOTHING, UNSURE = "gain", "nothing to gain", "undecided"
NO_TRACES, NOT_JUDGED = "no launch traces", "not judged"

COLUMNS = (
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
    *Column("tau", "its cutoff, unit or first length; empty if it has none", UNIT).interval(),
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


@exhibit(
    "restart_advice",
    question=questions.RESTART,
    title="Which restart policy to use",
    caption=f"""
    The restart policy with the largest gain over the measured policy. The gain is the ratio of the
    expected running times in evaluations, to the hardest target of each function that at least one
    run and at least 5 launches reached. `none` and `copies` are not candidates. The gain is judged
    on functions, and on runs, that were not used to choose the policy, because on the data that
    chose it, the gain is biased upwards. The interval of tau comes from a bootstrap of the runs.
    The interval of the gain holds for functions like these (Student).
    {COMPUTED}
    """,
    columns=COLUMNS,
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
    cells = list(restart_cells(runs, analysis, traced, UNIT))
    longest = max((cell.budget for cell in cells), default=0.0)
    groups: dict[tuple[Any, ...], list[RestartCell]] = {}
    for cell in cells:
        key = tuple(cell.names[name] for name in ("suite", "dimension", "algorithm"))
        groups.setdefault(key, []).append(cell)
    parts = []
    for key in sorted(groups):
        names = dict(zip(("suite", "dimension", "algorithm"), key, strict=True))
        parts.append(names | _judged(groups[key], longest, analysis))
    frame = stacked(parts, column_names(COLUMNS)).astype({"policy": "str"})
    unseen = {part["algorithm"] for part in parts if part["verdict"] == NO_TRACES}
    frame.attrs["refused"] = untraced(unseen)
    return frame


def _judged(cells: Sequence[RestartCell], longest: float, analysis: Analysis) -> dict[str, Any]:
    """The row of an algorithm, without the columns of names."""
    launches = sum(len(cell.launches.run) for cell in cells if cell.launches is not None)
    missing = dict.fromkeys(column_names(COLUMNS[4:]), np.nan)
    row = {**missing, "verdict": NO_TRACES, "policy": None, "functions": 0, "launches": launches}
    if not launches:
        return row
    judged = [at_target(cell, k) for cell in cells if (k := judged_target(cell)) >= 0]
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
    validated = over_functions(gain, confidence=analysis.confidence)
    tau = np.array([option.tau for option in options])
    same = np.array([option.policy == options[best].policy for option in options])
    low, high = np.nan, np.nan
    if np.isfinite(tau[best]):
        low, high = interval_of_choice(
            samples[..., same], tau[same], confidence=analysis.confidence
        )
    found = np.exp([validated.gain, validated.low, validated.high])
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
) -> Iterator[tuple[list[Option], *tuple[NDArray[np.float64], ...]]]:
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
        found = predicted(cell, weights, UNIT, longest, left_out=LEFT_OUT)
        success, ert = found.success[..., 0], found.ert[..., 0]
        with np.errstate(invalid="ignore"):
            of_run = np.where(success == 0, cell.budget, ert * success)
            spent = np.log(of_run / np.maximum(success, LEAST_SUCCESS))
        gains = spent[:, :1] - spent[:, 1:]
        yield list(found.options[1:]), gains[0], *np.split(gains[1:], [FOLDS, 2 * FOLDS])
