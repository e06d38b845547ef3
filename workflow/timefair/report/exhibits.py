"""Figures and tables as HTML: elements that the script fills, and pictures of other figures.

The first screen has two pictures of its own: ranks by evaluations and by time, and the large ECDF.
"""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from math import floor, isinf, isnan, log10
from typing import Any

import numpy as np
import pandas as pd

from timefair.basics.words import ALL, cost, counted, number, power_of_ten
from timefair.exhibits import ROOMS
from timefair.exhibits.charts.chart import counted_in, spent
from timefair.exhibits.charts.style import apart
from timefair.exhibits.comparisons.ranks import ERT
from timefair.exhibits.exhibit import Exhibit
from timefair.exhibits.layout import CURVES, KEYS, generic
from timefair.exhibits.registry import FIGURES, TABLES
from timefair.exhibits.unknown_optimum import captioned, measured, worded
from timefair.report.evidence import Evidence, Space
from timefair.report.findings import functions_of, pairs_of, targeted
from timefair.report.markup import Names, dashes

PICTURE_LETTERS = 400_000  # maximal length of the address of a picture of the page


def figures(
    drawn: Sequence[Mapping[str, Any]],
    files: Mapping[str, str],
    evidence: Evidence,
    names: Names,
) -> str:
    """The charts that the page draws, then the other figures, from their ``data:`` addresses."""
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


def _static(name: str, picture: str, frame: pd.DataFrame) -> str:
    entry = FIGURES[name]
    if len(picture) > PICTURE_LETTERS:
        file = f"<small><code>figures/{name}</code></small>"
        return f"<p>{escape(entry.title)} {file}: too large for this page.</p>"
    alternative = f"{entry.title}; the numbers are in the table {entry.table}."
    caption = _note(entry.figure.printed_caption, frame)
    return (
        f'<details class="static"><summary>{escape(entry.title)}</summary>\n'
        f'<p class="note">{escape(caption)}</p>\n'
        f'<img src="{picture}" alt="{escape(alternative)}" loading="lazy"></details>'
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
        if name in tables and entry.figures:
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

    A column may be a ``key`` by which rows are selected; its values have `DIGITS` digits, and are
    `null` for NaN, ``"inf"`` for infinity, texts as ``words`` and their ``codes``. Curves with more
    than `SMOOTH_ROWS` rows have `GRID` points. ``rows`` counts those of the file, ``shown`` those
    here: 0 if there are too many. ``note``: what is not listed.
    """
    frame = measured(frame)
    thin = _on_grid(frame) if len(frame) > SMOOTH_ROWS else frame
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


def fitting(
    tables: Mapping[str, dict[str, Any]],
) -> tuple[dict[str, dict[str, Any]], dict[str, str]]:
    """The tables, those that are long without their columns, and the compressed forms of these that
    fit into `TABLES_BYTES`: first of tables with figures, then of others, the smaller ones first.
    """
    forms = {name: _packed(one) for name, one in tables.items() if one["shown"] > SHORT_ROWS}
    kept: dict[str, str] = {}
    for name in sorted(forms, key=lambda one: (not TABLES[one].figures, len(forms[one]))):
        if len(forms[name]) + sum(map(len, kept.values())) <= TABLES_BYTES:
            kept[name] = forms[name]
    known = dict(tables)
    for name in forms:
        facts = {key: value for key, value in tables[name].items() if key != "columns"}
        known[name] = facts if name in kept else {**facts, "shown": 0, "columns": []}
    return known, kept


def _packed(data: object) -> str:
    """JSON, compressed by gzip, in base64; equal data give equal texts."""
    return b64encode(gzip.compress(_json(data).encode(), LEVEL, mtime=0)).decode("ascii")


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
    if pd.api.types.is_float_dtype(column):
        return {"values": [_rounded(value) for value in column.tolist()]}
    return {"values": column.astype(object).where(column.notna(), None).tolist()}


def _rounded(value: float) -> float | str | None:
    if isnan(value):
        return None
    if isinf(value):
        return "inf" if value > 0 else "-inf"
    return value if value.is_integer() else float(f"{value:.{DIGITS}g}")


def script(data: Mapping[str, Any]) -> str:
    """JSON for the inside of an element ``script``: nothing in it can end the element."""
    return _json(data).replace("<", "\\u003c")


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
    found = list(filter(None, (pairs_of(evidence, space, unit, ERT) for unit in UNITS)))
    aimed = any(targeted(evidence, space, unit) for unit in UNITS)
    if evidence.campaign.lacks or not aimed or len(found) < len(UNITS):
        return
    every = [name for name in found[0].values if name in found[1].values]
    functions = max(pairs.functions for pairs in found)
    if len(every) < 2 or not functions:  # 0: the optimum of each is wrong
        return
    ends = {name: [pairs.values[name] for pairs in found] for name in every}
    low, high = min(map(min, ends.values())), max(map(max, ends.values()))
    bottom, scale = HEIGHT - 12, (HEIGHT - 12 - TOP - 26) / (high - low or 1)
    spots = {name: [TOP + 16 + (rank - low) * scale for rank in of] for name, of in ends.items()}
    sides = ((LABEL + 24, "end", -7), (WIDTH - LABEL - 24, "start", 7))
    parts = [
        _text(x, TOP, f"rank {words}", anchor, "axis")
        for (x, anchor, _), words in zip(sides, UNITS.values(), strict=True)
    ]
    for name in sorted(every, key=lambda name: name in names.shown):
        path = f'd="M{sides[0][0]} {spots[name][0]:.1f}L{sides[1][0]} {spots[name][1]:.1f}"'
        shown = name in names.shown
        kind = f'class="slope" stroke="{names.looks[name].color}"' if shown else 'class="rest"'
        parts.append(f"<path {kind} {path}/>")
    for side, (x, anchor, shift) in enumerate(sides):
        here = {name: spots[name][side] for name in every if name in names.shown}
        for name, y in apart(here, LINE, TOP + 14, bottom).items():
            said = " ".join([_cut(name), f"{ends[name][side]:.2f}"][:: -1 if side else 1])
            color = names.looks[name].color
            parts.append(f'<circle cx="{x}" cy="{here[name]:.1f}" r="3" fill="{color}"/>')
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
    begun = rows.loc[(rows["fraction"] > 0) & (rows["cost"] > 0), "cost"]
    if begun.empty:
        return
    high = log10(rows["cost"].max())
    low = min(log10(begun.min()), high - 0.5)
    left, right, bottom = 40, WIDTH - LABEL, HEIGHT - BOTTOM
    scale = (right - left) / (high - low)
    costs = rows["cost"].to_numpy(dtype=np.float64)
    across = left + scale * (np.log10(np.maximum(costs, 10**low)) - low)
    up = bottom - rows["fraction"].to_numpy(dtype=np.float64) * (bottom - TOP)
    groups = rows.assign(x=across, y=up).groupby("algorithm", observed=True, sort=True)
    curves = {str(name): part for name, part in groups}
    parts = [_text(left, TOP - 14, "targets reached", "start", "axis"), '<g class="grid">']
    for share in (0, 0.25, 0.5, 0.75, 1):
        y = bottom - share * (bottom - TOP)
        parts.append(f'<line x1="{left}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(_text(left - 5, y + 4, f"{100 * share:.0f} %", "end"))
    for power in range(-floor(-low), floor(high) + 1, max(1, round((high - low) / 5))):
        x = left + scale * (power - low)
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{bottom}" y2="{bottom + 4}"/>')
        parts.append(_text(x, bottom + 16, power_of_ten(power), "middle"))
    cost_axis = _text((left + right) / 2, HEIGHT - 4, spent(rows, evidence.unit), "middle", "axis")
    parts += ["</g>", cost_axis]
    area = {name: float(part["fraction"].mean()) for name, part in curves.items()}
    for name in sorted(curves, key=lambda name: (name in names.shown, -area[name])):
        part = curves[name]
        if name not in names.shown:
            parts.append(f'<path class="rest" d="{_steps(part)}"/>')
            continue
        look, cut = names.looks[name], max(int((part["observed"] == 1).sum()), 1)
        stroke, dash = f'stroke="{look.color}"', f'stroke-dasharray="{dashes(look)}"'
        parts.append(f'<path class="curve" d="{_steps(part[:cut])}" {stroke} {dash}/>')
        if cut < len(part):
            parts.append(f'<path class="thin" d="{_steps(part[cut - 1 :])}" {stroke}/>')
    ends = {name: part["y"].iloc[-1] for name, part in curves.items() if name in names.shown}
    for name, y in apart(ends, LINE, TOP + 4, bottom).items():
        path, color = f"M{right + 1} {ends[name]:.1f}L{right + 9} {y:.1f}", names.looks[name].color
        parts.append(f'<path d="{path}" stroke="{color}"/>')
        parts.append(_text(right + 12, y + 4, _cut(name), "start", "name"))
    targets, kind = evidence.analysis.curve_targets, "precisions"
    if evidence.campaign.target_values or evidence.optimum == "unknown":
        kind = "values of f" if evidence.campaign.target_values else "shares"
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
        note += " Thin lines: runs were cut off there, and the line is a lower bound."
    best = "; ".join(
        f"{name} {100 * float(part['fraction'].iloc[-1]):.0f} %" for name, part in curves.items()
    )
    yield _figure("ecdf", title, parts, f"{title}. At the end: {best}", note)


def _steps(part: pd.DataFrame) -> str:
    """The path of a step curve, with its corners and its end."""
    points = part[["x", "y"]].to_numpy()
    kept = np.diff(points[:, 1], prepend=np.nan) != 0
    kept[-1] = True
    (x, y), *rest = points[kept]
    return f"M{x:.1f} {y:.1f}" + "".join(f"H{x:.1f}V{y:.1f}" for x, y in rest)


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
