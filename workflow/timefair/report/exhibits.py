"""Figures and tables as HTML: elements that the script fills, and pictures of other figures.

The first screen has two pictures of its own: ranks by evaluations and by time, and the large ECDF.
"""

from __future__ import annotations

import gzip
import json
import math
from base64 import b64encode
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from html import escape
from itertools import pairwise
from math import floor, log10
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.optimize import isotonic_regression

from timefair.basics.words import ALL, cost, counted, number, power_of_ten
from timefair.exhibits import ROOMS
from timefair.exhibits.charts.chart import counted_in, spent
from timefair.exhibits.comparisons.ranks import ERT
from timefair.exhibits.exhibit import Exhibit
from timefair.exhibits.layout import CURVES, KEYS, generic
from timefair.exhibits.registry import FIGURES, TABLES
from timefair.exhibits.unknown_optimum import captioned, measured, worded
from timefair.report.evidence import Evidence, Space
from timefair.report.findings import functions_of, pairs_of, targeted
from timefair.report.markup import Names, dashed


class PictureFile(NamedTuple):
    """A figure as a file: its content, and its media type."""

    content: bytes
    kind: str


PICTURE_BYTES = 300_000  # maximal size of a picture of the page


def figures(
    drawn: Sequence[Mapping[str, Any]],
    files: Mapping[str, PictureFile],
    evidence: Evidence,
    names: Names,
) -> str:
    """The charts that the page draws, then the files of the other figures."""
    taken = {view["figure"] for chart in drawn for view in chart["views"]}
    live = "\n".join(
        f'<figure class="needs-script" aria-labelledby="title-{chart["name"]}">\n'
        f'<h3 id="title-{chart["name"]}">{escape(str(chart["title"]))}</h3>\n'
        f'<figcaption class="note" id="note-{chart["name"]}">'
        f"{escape(chart['views'][0]['note'])}</figcaption>\n"
        f'<div id="chart-{chart["name"]}"></div>\n</figure>'
        for chart in drawn
    )
    others = [
        _static(name, file, frame)
        for name, file in files.items()
        if name not in taken and not (frame := evidence.table(FIGURES[name].table)).empty
    ]
    more = "\n".join(["<h3>More figures</h3>", *others]) if others else ""
    return "\n".join(filter(None, (names.legend() if drawn else "", live, more)))


def _static(name: str, picture: PictureFile, frame: pd.DataFrame) -> str:
    entry = FIGURES[name]
    if len(picture.content) > PICTURE_BYTES:
        file = f"<small><code>figures/{name}</code></small>"
        return f"<p>{escape(entry.title)} {file}: too large for this page.</p>"
    encoded = b64encode(picture.content).decode("ascii")
    alternative = f"{entry.title}; the numbers are in the table {entry.table}."
    caption = _note(entry.figure.printed_caption, frame)
    return (
        f'<details class="static"><summary>{escape(entry.title)}</summary>\n'
        f'<p class="note">{escape(caption)}</p>\n'
        f'<img src="data:{picture.kind};base64,{encoded}" alt="{escape(alternative)}" '
        'loading="lazy"></details>'
    )


def tables(shown: Mapping[str, dict[str, Any]]) -> str:
    """One heading per family, and one element per table, which is filled when it is opened."""

    def place(table: str) -> tuple[int, str]:  # tables of extensions follow the core's
        room = TABLES[table].room
        return (ROOMS.index(room), "") if room in ROOMS else (len(ROOMS), room)

    families: dict[str, list[str]] = {}
    for name in sorted(shown, key=place):
        if name != "checklist" and shown[name]["rows"]:
            families.setdefault(TABLES[name].family, []).append(_table(name, shown[name]))
    empty = [TABLES[name].title for name, table in shown.items() if not table["rows"]]
    parts = [
        f'<div class="family">\n<h3>{family}</h3>\n{"".join(made)}\n</div>'
        for family, made in families.items()
    ]
    if empty:
        parts.append(f'<p class="note">Empty tables: {escape("; ".join(empty))}.</p>')
    return "\n".join(parts)


def _table(name: str, table: dict[str, Any]) -> str:
    file = f"<small>{table['rows']} rows, <code>tables/{name}.csv</code></small>"
    if not table["shown"]:
        return f"<p>{escape(TABLES[name].title)} {file}: too long for this page.</p>"
    note = f'<p class="note">{escape(table["note"])}</p>' if table["note"] else ""
    return (
        f'<details id="table-{name}" data-table="{name}" class="needs-script">'
        f"<summary>{escape(TABLES[name].title)} {file}</summary>{note}"
        '<div class="place"></div></details>'
    )


def drawn(tables: Mapping[str, pd.DataFrame]) -> list[dict[str, Any]]:
    """The charts of some tables: for each chart, its name, title and views, one of which is shown.

    An exhibit that is declared ``beside`` another one adds its views to that chart, or has a chart
    of its own if the other one has no table here. A view has its table, figure and caption.
    """
    groups: dict[str, list[Exhibit]] = {}
    for name, entry in TABLES.items():
        if name in tables and entry.has_figures:
            exhibit = entry.exhibit
            lead = exhibit.beside if exhibit.beside in tables else name
            groups.setdefault(lead, []).append(exhibit)
    found = []
    for lead, exhibits in groups.items():
        views = []
        for one in sorted(exhibits, key=lambda one: one.name != lead):
            frame = tables[one.name]
            for figure in one.figures:
                if view := figure.chart.live(frame):
                    view |= {"figure": figure.name, "table": one.name}
                    labels = ("label", "x_label", "y_label")
                    view |= {label: worded(view[label], frame) for label in labels}
                    views.append(view | {"note": _note(figure.page_caption, frame)})
        if views:
            title = worded(TABLES[lead].title, tables[lead])
            found.append({"name": lead, "title": title, "views": views})
    return found


def _note(caption: str, frame: pd.DataFrame) -> str:
    """The caption of a figure with the notes on its table."""
    printed = captioned(caption.format_map({"seconds": counted_in(frame, "seconds")}), frame)
    notes = (frame.attrs.get(note) for note in ("omitted", "machines", "cost", "noise"))
    return " ".join(filter(None, (printed, *notes))).replace("`", "")


DIGITS = 3  # significant digits of a number on the page; the files contain all digits
SHORT_ROWS = 40  # rows of a table that is not compressed: the page opens such a table to print it
SMOOTH_ROWS = 30_000  # rows of curves from which only points on a grid are shown
GRID = 200  # points of such a curve, at equal distances on a logarithmic axis
MOST_ROWS = 200_000  # maximal number of rows of a table on a page
TABLES_BYTES = 3_500_000  # maximal size of all compressed tables of a page together
LEVEL = 6  # level of compression: the highest one takes three times as long to save 3 %


def table(name: str, frame: pd.DataFrame) -> dict[str, Any]:
    """A table for the page.

    A column may be a ``key`` by which rows are selected; its values are `null` for NaN, ``"inf"``
    for infinity, texts as ``words`` and their ``codes``. Curves omit rows that only repeat their
    neighbours; those with more than `SMOOTH_ROWS` rows have `GRID` points. ``rows`` counts those of
    the file, ``shown`` those here: 0 if there are too many. ``note``: what is not listed.
    """
    frame = measured(frame)
    thin = _without_repeats(_rounded(frame))
    if len(thin) > SMOOTH_ROWS:
        thin = _on_grid(thin)
    layout = generic(thin, TABLES[name].title)
    labels = {value.column: value.label for value in layout.values}
    limits = {value.column: value.interval for value in layout.values if value.interval}
    hidden = {end for ends in limits.values() for end in ends}
    keys = set(thin.columns) - labels.keys() - hidden - {value.rank for value in layout.values}
    shown = thin if len(thin) <= MOST_ROWS else thin.head(0)
    meanings = {column.name: column.meaning for column in TABLES[name].exhibit.columns}
    places = {column: place for place, column in enumerate(frame.columns)}
    return {
        "name": name,
        "title": worded(TABLES[name].title, frame),
        "rows": len(frame),
        "shown": len(shown),
        "note": frame.attrs.get("pairs", ""),
        "columns": [
            {
                "name": column,
                "label": worded(labels.get(column, column.replace("_", " ")), frame),
                "key": column in keys,
                "meaning": worded(meanings.get(column, ""), frame).replace("`", ""),
                "hidden": column in hidden,
                "limits": [places[end] for end in limits.get(column, ())],
                **_values(shown[str(column)]),
            }
            for column in map(str, frame.columns)
        ],
    }


def fitting(tables: Mapping[str, Mapping[str, Any]], first: Collection[str]) -> dict[str, str]:
    """The compressed forms of the long tables that fit into `TABLES_BYTES`, by name: of those in
    `first` before the others, the smaller ones before the larger ones.
    """
    forms = {name: packed(one) for name, one in tables.items() if one["shown"] > SHORT_ROWS}
    room, found = TABLES_BYTES, {}
    for name in sorted(forms, key=lambda one: (one not in first, len(forms[one]))):
        if len(forms[name]) <= room:
            room -= len(forms[name])
            found[name] = forms[name]
    return found


def without_columns(one: Mapping[str, Any], *, is_there: bool) -> dict[str, Any]:
    """What the page knows of a long table, whose rows are compressed, or only in its file."""
    if one["shown"] <= SHORT_ROWS:
        return dict(one)
    facts = {key: value for key, value in one.items() if key != "columns"}
    return facts if is_there else {**facts, "shown": 0, "columns": []}


def packed(data: object) -> str:
    """JSON, compressed by gzip, in base64; equal data give equal texts."""
    return b64encode(gzip.compress(_json(data).encode(), LEVEL, mtime=0)).decode("ascii")


def _without_repeats(frame: pd.DataFrame) -> pd.DataFrame:
    """A curve without the inner points of its constant parts; other tables are unchanged."""
    at = next((key for key in CURVES if key in frame), None)
    if at is None or frame.empty:
        return frame
    rest = frame.drop(columns=at)
    codes = rest.apply(lambda column: pd.factorize(column, use_na_sentinel=False)[0]).to_numpy()
    same = (codes[1:] == codes[:-1]).all(axis=1)
    inner = np.append(False, same) & np.append(same, False)
    kept: pd.DataFrame = frame[~inner]
    return kept


def _on_grid(frame: pd.DataFrame) -> pd.DataFrame:
    """The first point of each curve, and its last one in each part of the axis."""
    at = next((key for key in CURVES if key in frame), None)
    if at is None or "algorithm" not in frame:
        return frame
    cost = frame[at].to_numpy(dtype=np.float64)
    known = (cost > 0) & np.isfinite(cost)
    log = np.log10(np.where(known, cost, cost[known].min(initial=1.0)))
    part = np.floor(GRID * (log - log.min()) / (np.ptp(log) or 1.0))
    curve = [key for key in frame.columns if key in KEYS and key not in CURVES]
    curve = list(dict.fromkeys([*curve, "algorithm"]))
    last = ~frame.assign(part=part).duplicated([*curve, "part"], keep="last")
    kept: pd.DataFrame = frame[last | ~frame.duplicated(curve)]
    return kept


def _values(column: pd.Series[Any]) -> dict[str, Any]:
    if pd.api.types.is_bool_dtype(column):
        column = column.astype(object).map({True: "yes", False: "no"})
    if not pd.api.types.is_numeric_dtype(column):
        codes, words = pd.factorize(column)
        return {"words": [str(word) for word in words], "codes": codes.tolist()}
    if not pd.api.types.is_float_dtype(column):
        return {"values": column.tolist()}
    places, different = pd.factorize(column.to_numpy(), use_na_sentinel=False)
    plain = np.array([_plain(value) for value in different.tolist()], dtype=object)
    return {"values": plain[places].tolist()}


def _plain(value: float) -> float | int | str | None:
    if math.isnan(value):
        return None
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return int(value) if value.is_integer() and abs(value) < 1e9 else value


def _rounded(frame: pd.DataFrame) -> pd.DataFrame:
    """Round numbers that are not whole to the significant digits that the page prints."""
    columns = {}
    for name, column in frame.select_dtypes("float").items():
        different, place = np.unique(column.to_numpy(dtype=np.float64), return_inverse=True)
        broken = np.isfinite(different) & (different != np.rint(different))
        different[broken] = [float(f"{value:.{DIGITS}g}") for value in different[broken]]
        columns[str(name)] = different[place]
    return frame.assign(**columns)


def script(data: Mapping[str, Any]) -> str:
    """JSON for the inside of an element ``script``: nothing in it can end the element."""
    return (
        _json(data)
        .replace("<", "\\u003c")
        .replace("\u2028", "\\u2028")
        .replace("\u2029", "\\u2029")
    )


def _json(data: object) -> str:
    return json.dumps(data, separators=(",", ":"), allow_nan=False, ensure_ascii=False)


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
    if not (functions := max(pairs.functions for pairs in found.values() if pairs)):
        return  # the optimum of each is wrong
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
            said = " ".join([_cut(name), f"{ends[name][side]:.2f}"][:: -1 if side else 1])
            color = names.looks[name].color
            parts.append(f'<circle cx="{x}" cy="{spots[name]:.1f}" r="3" fill="{color}"/>')
            parts.append(_text(x + shift, y + 4, said, anchor, "name"))
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
    for power in range(-floor(-low), floor(high) + 1, max(1, round((high - low) / 5))):
        x = across(10.0**power)
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{bottom}" y2="{bottom + 4}"/>')
        parts.append(_text(x, bottom + 16, power_of_ten(power), "middle"))
    cost_axis = _text((left + right) / 2, HEIGHT - 4, spent(rows, evidence.unit), "middle", "axis")
    parts += ["</g>", cost_axis]
    ends = {}
    area = {name: float(part["fraction"].mean()) for name, part in curves.items()}
    for name in sorted(curves, key=lambda name: (name in names.shown, -area[name])):
        shown = name in names.shown
        parts.append(_steps(curves[name], across, up, names, name if shown else ""))
        if shown:
            ends[name] = up(float(curves[name]["fraction"].iloc[-1]))
    for name, y in _apart(ends, TOP + 4, bottom).items():
        path, color = f"M{right + 1} {ends[name]:.1f}L{right + 9} {y:.1f}", names.looks[name].color
        parts.append(f'<path d="{path}" stroke="{color}"/>')
        parts.append(_text(right + 12, y + 4, _cut(name), "start", "name"))
    targets, kind = evidence.curve_targets
    every = set(evidence.of("ecdf", space, unit=evidence.unit)["function"].astype(str)) - {ALL}
    instances = evidence.campaign.problems.instances
    budget = evidence.budget(space)
    within = f" of {cost(budget, evidence.unit)}" if budget else ""
    title = f"Share of targets reached, {space.title}"
    least, most = int(rows["runs"].min()), int(rows["runs"].max())
    runs = counted(most, "run") if least == most else f"{least} to {most} runs"
    note = (
        f"{counted(len(targets), 'target')} ({kind} {number(max(targets))} to "
        f"{number(min(targets))}), {counted(len(every), 'function')} with "
        f"{counted(len(instances), 'instance')}, {runs} per algorithm{within}."
    )
    if (rows["observed"] < 1).any():
        note += " Cross: runs were cut off there; the thin line beyond it is a lower bound."
    best = "; ".join(
        f"{name} {100 * float(part['fraction'].iloc[-1]):.0f} %" for name, part in curves.items()
    )
    yield _figure("ecdf", title, parts, f"{title}. At the end: {best}", note)


def _steps(
    part: pd.DataFrame,
    across: Callable[[float], float],
    up: Callable[[float], float],
    names: Names,
    shown: str,
) -> str:
    """A step curve, its thin continuation where runs were cut off, and the cross between them."""
    cost, share, observed = part[["cost", "fraction", "observed"]].to_numpy(dtype=float).T
    cut = max(int(np.argmax(observed < 1)) if (observed < 1).any() else len(cost), 1)

    def path(start: int, stop: int) -> str:
        points = [
            (across(x), up(y)) for x, y in zip(cost[start:stop], share[start:stop], strict=True)
        ]
        kept = [points[0]] + [b for a, b in pairwise(points) if a[1] != b[1] or b is points[-1]]
        first, *rest = kept
        return f"M{first[0]:.1f} {first[1]:.1f}" + "".join(f"H{x:.1f}V{y:.1f}" for x, y in rest)

    look = names.looks[shown] if shown else None
    style = f' stroke="{look.color}"' if look else ""
    kind, thin = ("curve", "thin") if look else ("rest", "rest")
    drawn = f'<path class="{kind}" d="{path(0, cut)}"{style}{dashed(look) if look else ""}/>'
    if cut < len(cost):
        x, y = across(cost[cut - 1]), up(share[cut - 1])
        drawn += f'<path class="{thin}" d="{path(cut - 1, len(cost))}"{style}/>'
        if look:
            drawn += f'<path class="end" d="M{x:.1f} {y:.1f}m-4 -4l8 8m0 -8l-8 8"{style}/>'
    return drawn


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
