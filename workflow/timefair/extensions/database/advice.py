"""Which optimizers the database recommends for a dimension, a cost of an evaluation and a budget.

The score of an optimizer is the share of the targets that a run reaches, averaged over the
functions. A run that was recorded too short gives bounds: what it reached, and every target.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import yaml  # type: ignore[import-untyped]
from numpy.typing import NDArray

from timefair.algorithms import registry
from timefair.basics.errors import InputError
from timefair.campaign.configuration import Campaign
from timefair.extensions.database.standings import Costs
from timefair.extensions.database.store import Design, opened
from timefair.records.rundata.evaluation_cost import UsedByRuns
from timefair.statistics.evaluation_cost import at_cost, known_until

Floats = NDArray[np.float64]
MOST, MEMBERS, NAMED = 3, 12, 7
SAMPLES = 1000
GRID_COSTS_S = (0.0, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)
GRID_EVALUATIONS = (20, 50, 100, 200, 500, 1000)
"""Cells over which one good optimizer is chosen; budgets as evaluations per dimension."""


@dataclass(frozen=True)
class Shares:
    """Shares of the targets within a budget, shape (algorithms, functions): bounds of the mean."""

    low: Floats
    high: Floats


@dataclass(frozen=True)
class Choice:
    """One optimizer, or two that share the time.

    - `share`, `high`: Bounds of its share of the targets; equal if all its runs are known.
    - `interval`: 95 % over functions like these, of the lower bound.
    """

    members: tuple[str, ...]
    share: float
    high: float
    interval: tuple[float, float]


@dataclass(frozen=True)
class Advice:
    """What is recommended.

    - `shortlist`: The best first. - `pair`: Two that share the time, if that is better; or None.
    - `unknown`: Optimizers whose runs are too short and that may be better than the first.
    - `usual`: The optimizer that is best over all costs and budgets.
    - `gain`: By how much the choice for this cell was better than `usual`, on functions that were
      left out of both choices; the shortlist begins with `usual` if it is not above 0.
    """

    shortlist: tuple[Choice, ...]
    pair: Choice | None
    unknown: tuple[str, ...]
    usual: str
    gain: float


def costs_of(design: Design) -> Iterator[tuple[str, int, Costs]]:
    """The costs of each suite and dimension of a design."""
    runs = design.runs
    spaces = runs.frame[["suite", "dimension"]].drop_duplicates().itertuples(index=False)
    for suite, dimension in spaces:
        here = (runs.frame["suite"] == suite) & (runs.frame["dimension"] == dimension)
        used = UsedByRuns.of(runs.where(here.to_numpy()), design.analysis)
        yield str(suite), int(dimension), Costs(used)


def shares(costs: Costs, cost_s: float, budget_s: float) -> Shares:
    """What the runs reach within a budget at an evaluation cost."""
    reached, known = _of_runs(costs, cost_s, budget_s)
    runs = costs.runs
    low = reached.sum(axis=2) / runs
    high = np.where(known, reached, 1.0 * costs.there).sum(axis=2) / runs
    return Shares(low, high)


def _of_runs(costs: Costs, cost_s: float, budget_s: float) -> tuple[Floats, NDArray[np.bool_]]:
    """Share of the targets of each run, 0 where there is none, and whether it is known."""
    times = at_cost(costs.seconds, costs.evaluations, cost_s)
    reached = (times <= budget_s).mean(axis=3) * costs.there
    known = known_until(costs.known_s.ravel(), costs.known.ravel(), cost_s)
    # Runs stamp the end of a budget a little before it.
    return reached, (known.reshape(costs.known.shape) >= 0.95 * budget_s) | (reached == 1)


def cells(dimension: int) -> Iterator[tuple[float, float]]:
    """Evaluation costs, and budgets in seconds, over which one good optimizer is chosen."""
    for cost in GRID_COSTS_S:
        for count in GRID_EVALUATIONS:
            yield cost, count * dimension * max(cost, 1e-5)


def advise(costs: Costs, dimension: int, cost_s: float, budget_s: float, seed: int = 1) -> Advice:
    """The shortlist for an evaluation cost and a budget in seconds."""
    here = shares(costs, cost_s, budget_s)
    every = np.array([shares(costs, *cell).low for cell in cells(dimension)])
    order = np.argsort(-here.low.mean(axis=1), kind="stable")
    usual = int(every.mean(axis=(0, 2)).argmax())
    gain = float(held_out(here.low, every.mean(axis=0)).mean())
    if gain <= 0:
        order = np.concatenate([[usual], order[order != usual]])
    rng = np.random.default_rng(seed)
    listed = tuple(_choice(costs, here, (int(k),), rng) for k in order[:MOST])
    best = float(here.low[order[0]].mean())
    cut = (here.high.mean(axis=1) > best) & (here.high > here.low).any(axis=1)
    unknown = tuple(costs.labels[k] for k in order[1:] if cut[k])
    pair = _pair(costs, here, order, cost_s, budget_s, rng)
    return Advice(listed, pair, unknown, costs.labels[usual], gain)


def held_out(here: Floats, overall: Floats) -> Floats:
    """On each function, the share of the optimizer that is best here on the other functions, less
    that of the one that is best `overall` on the others; shapes (algorithms, functions)."""
    on = np.arange(here.shape[1])
    first, second = ((of.sum(axis=1, keepdims=True) - of).argmax(axis=0) for of in (here, overall))
    return np.asarray(here[first, on] - here[second, on])


def _choice(
    costs: Costs, here: Shares, members: tuple[int, ...], rng: np.random.Generator
) -> Choice:
    low, high = here.low[members[0]], here.high[members[0]]
    drawn = low[rng.integers(low.size, size=(SAMPLES, low.size))].mean(axis=1)
    edges = np.quantile(drawn, [0.025, 0.975])
    names = tuple(costs.labels[k] for k in members)
    return Choice(names, float(low.mean()), float(high.mean()), (float(edges[0]), float(edges[1])))


def _pair(
    costs: Costs,
    here: Shares,
    order: NDArray[Any],
    cost_s: float,
    budget_s: float,
    rng: np.random.Generator,
) -> Choice | None:
    """Two of the first that share the time, if that is significantly better than the first alone.

    Each has half of the budget. Targets are nested, so both together reach the larger share.
    """
    reached, _ = _of_runs(costs, cost_s, budget_s / 2)
    alone, among = here.low[order[0]], order[:MEMBERS]
    found: list[tuple[float, tuple[int, int], Floats]] = []
    for a, b in combinations(among.tolist(), 2):
        both = np.maximum(reached[a][:, :, np.newaxis], reached[b][:, np.newaxis])
        there = costs.there[a][:, :, np.newaxis] & costs.there[b][:, np.newaxis]
        share = (both * there).sum(axis=(1, 2)) / there.sum(axis=(1, 2))
        found.append((float(share.mean()), (a, b), share))
    if not found:
        return None
    _, members, share = max(found, key=lambda one: one[0])
    drawn = (share - alone)[rng.integers(share.size, size=(SAMPLES, share.size))].mean(axis=1)
    if np.quantile(drawn, 0.025) <= 0:
        return None
    together = Shares(share[np.newaxis], share[np.newaxis])
    choice = _choice(costs, together, (0,), rng)
    names = tuple(costs.labels[k] for k in members)
    return Choice(names, choice.share, choice.high, choice.interval)


def told(paths: Iterable[Path], asked: Namespace) -> Iterator[str]:
    """The lines of `timefair recommend`, for the nearest dimension that was recorded."""
    every: list[tuple[str, int, Costs, Campaign]] = []
    for path in paths:
        with opened(path) as design:
            every += [(*one, design.campaign) for one in costs_of(design)]
    suite, recorded, costs, campaign = min(
        every, key=lambda one: abs(np.log(one[1] / asked.dimension))
    )
    cost_s, budget_s = asked.evaluation_cost, asked.budget
    found = advise(costs, recorded, cost_s, budget_s)
    near = "" if recorded == asked.dimension else f", the nearest to {asked.dimension}"
    yield (
        f"{suite}, D = {recorded}{near}: {len(costs.labels)} optimizers, "
        f"{len(costs.functions)} functions; targets within {budget_s:g} s at {cost_s:g} s an "
        "evaluation, in brackets for functions like these:"
    )
    for number, choice in enumerate(found.shortlist, 1):
        yield f"{number}. {_said(choice)}"
    if found.pair is not None:
        yield f"better, with half of the time for each: {_said(found.pair)}"
    if found.unknown:
        some = ", ".join(found.unknown[:NAMED])
        yield (
            f"unknown: the recorded runs of {len(found.unknown)} others are too short, and may "
            f"reach more: {some}{', ...' * (len(found.unknown) > NAMED)}"
        )
    if found.gain > 0:
        yield (
            f"choosing for this case reaches {100 * found.gain:.1f} % of the targets more than "
            f"always {found.usual}, on functions left out of both choices"
        )
    else:
        yield (
            f"choosing for this case was not better than always {found.usual}, on functions left "
            "out of both choices; so that one is first"
        )
    if asked.cores > 1:
        names = [choice.members[0] for choice in found.shortlist]
        able = [name for name in names if _in_batches(campaign, name)]
        yield (
            f"unknown: what {asked.cores} cores gain, as the runs were recorded on one; asks for "
            f"several points at once: {', '.join(able) or 'none of them'}"
        )
    if asked.integer:
        yield "unknown: integer variables, as all recorded ones are continuous"
    if asked.output is not None:
        asked.output.write_text(
            yaml.safe_dump(_deciding(found, campaign, suite, recorded, asked), sort_keys=False),
            "utf-8",
        )
        yield f"{asked.output}: a campaign that decides it"


def _said(choice: Choice) -> str:
    low, high = choice.interval
    cut = f", up to {choice.high:.0%} if its runs were longer" if choice.high > choice.share else ""
    return f"{' and '.join(choice.members)}: {choice.share:.0%} ({low:.0%} to {high:.0%}){cut}"


def _in_batches(campaign: Campaign, name: str) -> bool:
    spec = campaign.algorithms[name]
    try:
        return bool(registry.batches(spec.use, spec.parameters))
    except InputError:  # its library is not installed here
        return False


def _deciding(
    found: Advice, campaign: Campaign, suite: str, dimension: int, asked: Namespace
) -> Mapping[str, object]:
    """A campaign that decides it, at a simulated evaluation cost: nothing waits for it."""
    names = [one.members[0] for one in found.shortlist] + list(found.unknown[:MOST])
    specs = {name: campaign.algorithms[name] for name in names}
    return {
        "name": "decide",
        "problems": {
            "suite": suite,
            "functions": list(campaign.problems.functions),
            "dimensions": dimension,
            "instances": "1-3",
        },
        "algorithms": {
            name: {"use": spec.use, "parameters": dict(spec.parameters)}
            for name, spec in specs.items()
        },
        "budget": {"time_s": asked.budget, "evaluation_cost_s": asked.evaluation_cost},
        "runs": 2,
    }
