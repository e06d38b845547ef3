"""The two pictures of the first screen: ranks by evaluations and by time, and the large ECDF."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from itertools import pairwise
from math import floor, log10

import numpy as np
import pandas as pd
from scipy.optimize import isotonic_regression

from timefair.basics.words import ALL, cost, counted, number, power_of_ten
from timefair.exhibits.charts.chart import spent
from timefair.exhibits.comparisons.ranks import ERT
from timefair.report.evidence import Evidence, Space
from timefair.report.findings import functions_of, pairs_of, targeted
from timefair.report.markup import Names, dashes

WIDTH, HEIGHT = 480, 300
TOP, BOTTOM = 30, 36
LINE = 14  # least distance of two labels
LABEL = 118  # width of the labels at the ends of lines
LETTERS = 15  # letters of a label; longer ones are cut

UNITS = {"evaluations": "by evaluations", "seconds": "by time"}

SLOPES = "Average rank by the expected running time (ERT); 1 is best"
MEANING = """Left: the order if evaluations count, each pair within the number that all runs of
both were allowed, where targets that neither reached are ties; right: if seconds count. Lines that
cross are pairs whose order changes; the text says which differences and changes are significant."""


def pictures(evidence: Evidence, names: Names) -> str:
    """Both pictures of the space with the most functions, and of these the most dimensions; empty
    without their tables.
    """
    if not evidence.spaces:
        return ""
    functions = {one: len(functions_of(evidence, one)) for one in evidence.spaces}
    space = max(functions, key=lambda one: (functions[one], one.dimension))
    drawn = [*_slopes(evidence, space, names), *_ecdf(evidence, space, names)]
    return f'<div class="pictures">\n{"".join(drawn)}</div>' if drawn else ""


def _slopes(evidence: Evidence, space: Space, names: Names) -> Iterator[str]:
    found = {unit: pairs_of(evidence, space, unit, ERT) for unit in UNITS}
    ranks = {unit: pairs.values if pairs else {} for unit, pairs in found.items()}
    every = [name for name in ranks["evaluations"] if name in ranks["seconds"]]
    aimed = any(targeted(evidence, space, unit) for unit in UNITS)
    if len(every) < 2 or evidence.campaign.lacks or not aimed:
        return
    functions = max(pairs.functions for pairs in found.values() if pairs)
    if not functions:  # the optimum of each is wrong
        return
    ends = {name: tuple(ranks[unit][name] for unit in UNITS) for name in every}
    shown = [name for name in every if name in names.shown]
    low, high = (pick(sum(ends.values(), ())) for pick in (min, max))
    left, right = LABEL + 24, WIDTH - LABEL - 24
    bottom = HEIGHT - 12

    def place(rank: float) -> float:
        return TOP + 16 + (rank - low) / (high - low or 1) * (bottom - TOP - 26)

    parts = [
        _text(left, TOP, f"rank {UNITS['evaluations']}", "end", "axis"),
        _text(right, TOP, f"rank {UNITS['seconds']}", "start", "axis"),
    ]
    for name in sorted(every, key=lambda name: name in names.shown):
        (a, b), look = ends[name], names.looks.get(name)
        path = f'd="M{left} {place(a):.1f}L{right} {place(b):.1f}"'
        vivid = f'<path class="slope" {path} stroke="{look.color}"/>' if look else ""
        parts.append(vivid if vivid and name in shown else f'<path class="rest" {path}/>')
    for side, x, anchor, shift in ((0, left, "end", -7), (1, right, "start", 7)):
        spots = {name: place(ends[name][side]) for name in shown}
        for name, y in _apart(spots, TOP + 14, bottom).items():
            rank = f"{ends[name][side]:.2f}"
            said = f"{_cut(name)} {rank}" if side == 0 else f"{rank} {_cut(name)}"
            color = names.looks[name].color
            parts.append(
                f'<circle cx="{x}" cy="{spots[name]:.1f}" r="3" fill="{color}"/>'
                + _text(x + shift, y + 4, said, anchor, "name")
            )
    order = "; ".join(
        f"{name} {number(a)} by evaluations, {number(b)} by time" for name, (a, b) in ends.items()
    )
    of = f", {space.title}" if len(evidence.spaces) > 1 else ""
    title = f"{SLOPES}, over {counted(functions, 'function')}{of}"
    yield _figure("slopes", title, parts, f"{title}: {order}", MEANING)


def _ecdf(evidence: Evidence, space: Space, names: Names) -> Iterator[str]:
    rows = evidence.of("ecdf", space, function=ALL, unit=evidence.unit)
    rows = rows[rows["fraction"].notna()]
    curves = {str(name): part for name, part in rows.groupby("algorithm", observed=True, sort=True)}
    costs = rows["cost"].to_numpy(dtype=float)
    reached = costs[(rows["fraction"].to_numpy() > 0) & (costs > 0)]
    if not len(reached):
        return
    low, high = log10(reached.min()), log10(costs.max())
    low = min(low, high - 0.5)
    left, right, bottom = 40, WIDTH - LABEL, HEIGHT - BOTTOM

    def across(cost: float) -> float:
        return left + (log10(max(cost, 10**low)) - low) / (high - low) * (right - left)

    def up(share: float) -> float:
        return bottom - share * (bottom - TOP)

    parts = [_text(left, TOP - 14, "targets reached", "start", "axis"), '<g class="grid">']
    for share in (0, 0.25, 0.5, 0.75, 1):
        y = up(share)
        parts.append(f'<line x1="{left}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(_text(left - 5, y + 4, f"{100 * share:.0f} %", "end"))
    for power in _powers(low, high):
        x = across(10.0**power)
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{bottom}" y2="{bottom + 4}"/>')
        parts.append(_text(x, bottom + 16, power_of_ten(power), "middle"))
    parts.append("</g>")
    parts.append(
        _text((left + right) / 2, HEIGHT - 4, spent(rows, evidence.unit), "middle", "axis")
    )
    ends = {}
    area = {name: float(part["fraction"].mean()) for name, part in curves.items()}
    for name in sorted(curves, key=lambda name: (name in names.shown, -area[name])):
        shown = name in names.shown
        parts.append(_steps(curves[name], across, up, names, name if shown else ""))
        if shown:
            ends[name] = up(float(curves[name]["fraction"].iloc[-1]))
    for name, y in _apart(ends, TOP + 4, bottom).items():
        color = names.looks[name].color
        parts.append(
            f'<path d="M{right + 1} {ends[name]:.1f}L{right + 9} {y:.1f}" stroke="{color}"/>'
            + _text(right + 12, y + 4, _cut(name), "start", "name")
        )
    targets, kind = evidence.curve_targets
    every = set(evidence.of("ecdf", space, unit=evidence.unit)["function"].astype(str)) - {ALL}
    instances = evidence.campaign.problems.instances
    budget = evidence.budget(space)
    within = f" of {cost(budget, evidence.unit)}" if budget else ""
    title = f"Share of targets reached, {space.title}"
    note = (
        f"{counted(len(targets), 'target')} ({kind} {number(max(targets))} to "
        f"{number(min(targets))}), {counted(len(every), 'function')} with "
        f"{counted(len(instances), 'instance')}, {_runs(rows)}{within}."
    )
    if (rows["observed"] < 1).any():
        note += " Cross: runs were cut off there; the thin line beyond it is a lower bound."
    best = "; ".join(
        f"{name} {100 * float(part['fraction'].iloc[-1]):.0f} %" for name, part in curves.items()
    )
    yield _figure("ecdf", title, parts, f"{title}. At the end: {best}", note)


def _runs(rows: pd.DataFrame) -> str:
    least, most = int(rows["runs"].min()), int(rows["runs"].max())
    together = counted(most, "run") if least == most else f"{least} to {most} runs"
    return f"{together} per algorithm"


def _steps(
    part: pd.DataFrame,
    across: Callable[[float], float],
    up: Callable[[float], float],
    names: Names,
    shown: str,
) -> str:
    """A step curve, its thin continuation where runs were cut off, and the cross between them."""
    cost, share, observed = (
        part[name].to_numpy(dtype=float) for name in ("cost", "fraction", "observed")
    )
    cut = int(np.argmax(observed < 1)) if (observed < 1).any() else len(cost)

    def path(start: int, stop: int) -> str:
        points = [
            (across(x), up(y)) for x, y in zip(cost[start:stop], share[start:stop], strict=True)
        ]
        kept = [points[0]] + [b for a, b in pairwise(points) if a[1] != b[1] or b is points[-1]]
        first, *rest = kept
        return f"M{first[0]:.1f} {first[1]:.1f}" + "".join(f"H{x:.1f}V{y:.1f}" for x, y in rest)

    cut = max(cut, 1)
    look = names.looks[shown] if shown else None
    style = f' stroke="{look.color}"' if look else ""
    dash = dashes(look) if look else None
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    kind = "curve" if look else "rest"
    drawn = f'<path class="{kind}" d="{path(0, cut)}"{style}{dashed}/>'
    if cut < len(cost):
        x, y = across(cost[cut - 1]), up(share[cut - 1])
        drawn += (
            f'<path class="{"thin" if look else "rest"}" d="{path(cut - 1, len(cost))}"{style}/>'
        )
        if look:
            drawn += f'<path class="end" d="M{x:.1f} {y:.1f}m-4 -4l8 8m0 -8l-8 8"{style}/>'
    return drawn


def _powers(low: float, high: float) -> range:
    step = max(1, round((high - low) / 5))
    return range(-floor(-low), floor(high) + 1, step)


def _apart(places: Mapping[str, float], top: float, bottom: float) -> dict[str, float]:
    """The places at least a line apart, as near as possible to the given ones, in their order.

    Equal places keep the order of the names. If there is no room for all, they begin at the top.
    """
    if not places:
        return {}
    names = sorted(places, key=lambda name: (places[name], name))
    lines = LINE * np.arange(len(names))
    wanted = np.array([places[name] for name in names]) - lines
    last = max(bottom - lines[-1], top)
    found = isotonic_regression(wanted).x.clip(top, last) + lines
    return dict(zip(names, found.tolist(), strict=True))


def _cut(name: str) -> str:
    return name if len(name) <= LETTERS else f"{name[: LETTERS - 1]}…"


def _text(x: float, y: float, said: str, anchor: str, kind: str = "") -> str:
    named = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{named}>{escape(said)}</text>'


def _figure(key: str, title: str, parts: Sequence[str], spoken: str, note: str) -> str:
    return (
        f'<figure class="picture" id="picture-{key}">'
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{escape(spoken)}">'
        f"{''.join(parts)}</svg>"
        f"<figcaption><b>{escape(title)}.</b> {escape(' '.join(note.split()))}</figcaption>"
        "</figure>\n"
    )
