"""A campaign-wide race, judged again after each of its rounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.exhibits.campaign.items.recorded import asked
from timefair.exhibits.columns import SPACE
from timefair.exhibits.exhibit import column_names
from timefair.rundata.runs import Runs
from timefair.statistics.race.race import CampaignRace, Standing
from timefair.statistics.run_count.stopping import pooled_results

RULE = "campaign_race"
REGISTERED = "registered"
LEAST_RUNS = 2
"""Number of runs of an algorithm on a function that a round needs to be judged."""


class Rules(NamedTuple):
    """The settings of a race, from the campaign of its records.

    `family` is the number of comparisons that share the error; None for the comparisons of the
    race.
    """

    confidence: float
    final_target: float | None
    family: int | None = None


class Contest(NamedTuple):
    """A race in one dimension, after all its rounds.

    Attributes
    ----------
    algorithms
        The algorithms, sorted; the pairs of `race` are indices in this list.
    functions
        Number of functions on which the algorithms are compared.
    totals
        Number of runs of each algorithm on these functions.
    p
        For each pair, the smallest error probability with which it is decided at some look if it
        is the only pair. Shape (pairs,).
    """

    names: dict[str, Any]
    algorithms: tuple[str, ...]
    functions: int
    totals: pd.Series[int]
    race: CampaignRace
    standing: Standing
    p: NDArray[np.float64]


def recorded_race(runs: Runs) -> dict[str, Any] | None:
    """The campaign of the records, if they have only one and its stopping rule is a campaign-wide
    race.

    It contains ``rule``, ``final_target``, ``registered`` (None without a question), and
    ``dimensions``.
    """
    found = [one for of_label in asked(runs, _of_race).values() for one in of_label]
    same = bool(found) and all(one == found[0] for one in found)
    return found[0] if same and found[0]["rule"]["rule"] == RULE else None


def _of_race(label: str, campaign: Any) -> dict[str, Any]:
    return {
        "rule": campaign["stopping"],
        "final_target": campaign["budget"]["final_target"],
        "registered": campaign.get("registered"),
        "dimensions": campaign["problems"]["dimensions"],
    }


def contests(runs: Runs) -> Iterator[Contest]:
    """The races of all dimensions to which the stopping rule applies; none without a race."""
    campaign = recorded_race(runs)
    if campaign is None:
        return
    rule, frame = campaign["rule"], runs.frame
    algorithms: Sequence[str] = sorted(frame["algorithm"].unique())
    if rule.get("question") == REGISTERED:
        question = campaign["registered"]
        algorithms = sorted(question["algorithms"])
        dimension = question["dimension"] or campaign["dimensions"][0]
        frame = frame[frame["dimension"] == dimension]
        if question["function"] is not None:
            frame = frame[frame["function"] == question["function"]]
    spaces = frame.groupby(column_names(SPACE), observed=True)
    pairs = len(algorithms) * (len(algorithms) - 1) // 2
    rules = Rules(rule["confidence"], campaign["final_target"], pairs * spaces.ngroups)
    for names, space in spaces:
        found = contest(space, algorithms, rules)
        if found is not None:
            yield found._replace(names=dict(zip(column_names(SPACE), names, strict=True)))


def contest(frame: pd.DataFrame, algorithms: Sequence[str], rules: Rules) -> Contest | None:
    """The race of some algorithms, from their runs in one dimension.

    None if an algorithm has fewer than `LEAST_RUNS` runs on a function in the first round.
    """
    frame = frame[frame["algorithm"].isin(algorithms)]
    first = frame[frame["round"] == 1].groupby(["function", "algorithm"], observed=True).size()
    functions = sorted(frame["function"].unique())
    start = int(first.min()) if len(first) else 0
    if len(first) < len(functions) * len(algorithms) or start < LEAST_RUNS:
        return None
    pairs = tuple(combinations(range(len(algorithms)), 2))
    race = CampaignRace(pairs, len(functions), start, rules.confidence, rules.family)
    standing, p = None, np.ones(len(pairs))
    for look in range(1, int(frame["round"].max()) + 1):
        seen = frame[frame["round"] <= look]
        standing = race.look(_samples(seen, functions, algorithms, rules), standing)
        estimates = standing.estimates
        p = np.minimum(p, race.sequence.p_value(estimates.a12 - 0.5, estimates.variance))
    assert standing is not None
    totals = frame["algorithm"].value_counts()
    return Contest({}, tuple(algorithms), len(functions), totals, race, standing, p)


def _samples(
    frame: pd.DataFrame, functions: Sequence[int], algorithms: Sequence[str], rules: Rules
) -> list[list[NDArray[np.float64]]]:
    """For each function, the results of each algorithm in only these runs."""
    results = pooled_results(
        frame["best_precision"],
        frame["f_opt"].isna(),
        frame[["function", "instance"]].to_numpy().T,
        rules.final_target,
    )
    cells = frame.groupby(["function", "algorithm"], observed=True).indices
    return [[results[cells[function, name]] for name in algorithms] for function in functions]
