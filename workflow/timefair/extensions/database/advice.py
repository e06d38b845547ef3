"""Which optimizers the database recommends for a dimension, a cost of an evaluation and a budget.

The score of an optimizer is the share of the targets that a run reaches, averaged over the
functions. A run that was recorded too short gives bounds: what it reached, and every target.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import yaml

from timefair.algorithms import libraries
from timefair.basics.errors import InputError
from timefair.campaign.configuration import Campaign
from timefair.extensions.database.standings import Costs, spaces
from timefair.extensions.database.store import entry, kinds, opened
from timefair.statistics.evaluation_cost import at_cost, known_until
from timefair.statistics.samples import Floats

MOST, NAMED, SAMPLES, AMONG = 3, 7, 1000, 20
GRID_COSTS_S = (0.0, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)
GRID_EVALUATIONS = (20, 50, 100, 200, 500, 1000)
"""Cells over which one good optimizer is chosen; budgets as evaluations per dimension."""


class Shares(NamedTuple):
    """Bounds of the mean share of the targets within a budget, shape (algorithms, functions)."""

    low: Floats
    high: Floats


def shares(costs: Costs, cost_s: float, budget_s: float) -> Shares:
    times = at_cost(costs.seconds, costs.evaluations, cost_s)
    reached = (times <= budget_s).mean(axis=3) * costs.there
    known = known_until(costs.end_s.ravel(), costs.known.ravel(), cost_s)
    # Runs stamp the end of a budget a little before it.
    sure = (known.reshape(costs.known.shape) >= 0.95 * budget_s) | (reached == 1)
    most = np.where(sure, reached, costs.there.astype(np.float64))
    return Shares(*(of.sum(axis=2) / costs.runs for of in (reached, most)))


def overall(costs: Costs) -> Floats:
    cells = product(GRID_COSTS_S, GRID_EVALUATIONS)
    every = [shares(costs, c, n * costs.dimension * max(c, 1e-5)).low for c, n in cells]
    return np.asarray(np.mean(every, axis=0))


def held_out(here: Floats, usual: Floats) -> Floats:
    """On each function, the share of the optimizer that is best here on the other functions, less
    that of the one that is best by `usual` on the others; shapes (algorithms, functions)."""
    on = np.arange(here.shape[1])
    first, second = ((of.sum(axis=1, keepdims=True) - of).argmax(axis=0) for of in (here, usual))
    return np.asarray(here[first, on] - here[second, on])


def best_pair(
    costs: Costs, cost_s: float, budget_s: float, single: Floats
) -> tuple[tuple[int, int], Floats, float]:
    """The two optimizers that reach most if each has half of the budget, their shares, shape
    (functions,), and by how much more than the best one (`single`: shares with all of it), on
    functions left out of both choices. A target is missed if both miss it. Pairs without one of the
    best are not compared.
    """
    times = at_cost(costs.seconds, costs.evaluations, cost_s) <= budget_s / 2
    hit = (times * costs.there[..., np.newaxis]).sum(axis=2) / costs.runs[..., np.newaxis]
    half, on = hit.mean(axis=2), np.arange(hit.shape[1])
    several = {int(k) for of in (half, single) for k in np.argsort(-of.mean(axis=1))[:AMONG]}
    pairs, of_pairs = [], []
    for a in sorted(several):
        both = 1 - (1 - hit[a]) * (1 - hit)
        pairs += [(a, b) for b in range(len(hit))]
        of_pairs.append(both.mean(axis=2))
    reached = np.concatenate(of_pairs)
    first = (reached.sum(axis=1, keepdims=True) - reached).argmax(axis=0)
    alone = (single.sum(axis=1, keepdims=True) - single).argmax(axis=0)
    best = int(reached.mean(axis=1).argmax())
    gain = float((reached[first, on] - single[alone, on]).mean())
    return pairs[best], reached[best], gain


def advise(costs: Costs, here: Shares) -> tuple[list[int], list[int], int, float]:
    """What is recommended, by places in `Costs.labels`: the best first; those whose runs are too
    short, and that may be better; the one that is best over all costs and budgets; and by how much
    the choice for this cell was better, on functions that were left out of both choices. If it is
    not, the shortlist begins with that one.
    """
    over = overall(costs)
    order = np.argsort(-here.low.mean(axis=1), kind="stable").tolist()
    usual, gain = int(over.mean(axis=1).argmax()), float(held_out(here.low, over).mean())
    if gain <= 0:
        order = [usual, *(k for k in order if k != usual)]
    low, high = (of.mean(axis=1) for of in here)
    unknown = [k for k in order[1:] if high[k] > max(low[k], low[order[0]])]
    return order[:MOST], unknown, usual, gain


def told(paths: Iterable[Path], asked: Namespace) -> Iterator[str]:
    with ExitStack() as stack:
        design = min(
            (stack.enter_context(opened(path)) for path in paths),
            key=lambda one: _distance(one.campaign, asked),
        )
        every, campaign = list(spaces(design.runs, design.analysis)), design.campaign
    costs = min(every, key=lambda one: abs(np.log(one.dimension / asked.dimension)))
    here = shares(costs, asked.evaluation_cost, asked.budget)
    (shortlist, unknown, usual, gain), labels = advise(costs, here), costs.labels
    near = "" if costs.dimension == asked.dimension else f", the nearest to {asked.dimension}"
    whole = kinds(campaign) != {"continuous"}
    title = costs.title + ", whole variables" * whole + near
    yield (
        f"{title}: {len(labels)} optimizers, {len(costs.functions)} "
        f"functions; targets within {asked.budget:g} s at {asked.evaluation_cost:g} s an "
        "evaluation, in brackets for functions like these:"
    )
    for number, k in enumerate(shortlist, 1):
        yield f"{number}. {labels[k]}: {_said(here.low[k], float(here.high[k].mean()))}"
    if unknown:
        some = ", ".join(labels[k] for k in unknown[:NAMED])
        yield (
            f"unknown: recorded runs of {len(unknown)} more are too short, and may reach "
            f"more: {some}{', ...' * (len(unknown) > NAMED)}"
        )
    beside = (
        f"one optimizer for all costs and budgets ({labels[usual]}), on functions left out "
        "of both choices"
    )
    if gain > 0:
        yield f"choosing reaches {100 * gain:.1f} % of the targets more than {beside}"
    else:
        yield f"choosing was not better than {beside}; so that one is first"
    (a, b), reached, more = best_pair(costs, asked.evaluation_cost, asked.budget, here.low)
    more += min(gain, 0.0)
    if more > 0 and reached.mean() > here.low[shortlist[0]].mean():
        yield (
            f"or {labels[a]} and {labels[b]} with half of the budget each: "
            f"{_said(reached, float(reached.mean()))}; {100 * more:.1f} % of the targets "
            "more than one, on functions left out of both choices"
        )
    if asked.cores > 1:
        able = []
        for name in (labels[k] for k in shortlist):
            spec = campaign.algorithms[name]
            with suppress(InputError):  # its library is not installed here
                able += [name] * bool(libraries.batches(spec.use, spec.parameters))
        yield (
            f"unknown: what {asked.cores} cores gain, as the runs were recorded on one; asks for "
            f"several points at once: {', '.join(able) or 'none of them'}"
        )
    if asked.integer and not whole:
        yield "unknown: integer variables, as all recorded ones are continuous"
    if asked.output is not None:
        names = [labels[k] for k in (*shortlist, *unknown[:MOST])]
        specs = ((name, campaign.algorithms[name]) for name in names)
        same = {"dimensions": costs.dimension} if len({*costs.dimensions}) == 1 else {}
        problems = {"suite": costs.suite, "functions": list(costs.functions), **same}
        content = {
            "name": "decide",
            "problems": problems | {"instances": "1-3"},
            "algorithms": {k: entry(campaign, one.use, one.parameters) for k, one in specs},
            "budget": {"time_s": asked.budget, "evaluation_cost_s": asked.evaluation_cost},
            "runs": 2,
        }
        asked.output.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
        yield f"{asked.output}: a campaign that decides it, without waiting for evaluations"


def _distance(campaign: Campaign, asked: Namespace) -> tuple[float, ...]:
    """Less for problems that are nearer: those with the kind of variables are first, functions with
    dimensions of their own are last, and of equals, more functions are first."""
    problems = campaign.problems
    other = (kinds(campaign) == {"continuous"}) == asked.integer
    ratio = min(abs(np.log(recorded / asked.dimension)) for recorded in problems.dimensions)
    return (other, len(problems.own_dimensions), ratio, -len(problems.functions))


def _said(low: Floats, high: float) -> str:
    """A share, its interval by a bootstrap of the functions, and what longer runs may reach."""
    draw = np.random.default_rng(low.size).integers(low.size, size=(SAMPLES, low.size))
    least, most = np.quantile(low[draw].mean(axis=1), [0.025, 0.975])
    cut = f", up to {high:.0%} if its runs were longer" if high > low.mean() + 1e-9 else ""
    return f"{low.mean():.0%} ({least:.0%} to {most:.0%}){cut}"
