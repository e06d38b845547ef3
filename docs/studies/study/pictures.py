"""The figures of the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from PIL import Image

from study.numbers import DATABASE, ESTABLISHED, LIBRARY, REFERENCES, Measured, audited, enough
from timefair.basics.words import power_of_ten
from timefair.exhibits.charts import style
from timefair.exhibits.registry import FIGURES, TABLES
from timefair.extensions.database.store import read_list

NAMES = ("slopes", "cost_map", "bias_map")
LINE_IN = 0.083
BIASED, PLAIN, OTHER = style.COLOURS[1], style.COLOURS[0], "black"
MOST = 1e10
"""The largest factor of the map."""
KINDS = {
    "origin": "origin",
    "centre": "centre",
    "bounds": "a bound",
    "axes": "the axes",
}


def draw(every: Sequence[Measured], folder: Path) -> None:
    """Write every picture."""
    rows = read_list(DATABASE)
    bias, uses = ({row["label"]: row[name] for row in rows} for name in ("bias", "use"))
    uses = {name: use for name, use in uses.items() if name.startswith(LIBRARY)}
    folder.mkdir(parents=True, exist_ok=True)
    _save(slopes(every[0], bias), folder / "slopes.png", shrunk=0.7)
    _save(cost_map(every[0]), folder / "cost_map.png")
    _save(bias_map(bias, uses), folder / "bias_map.png")


def slopes(one: Measured, bias: Mapping[str, str]) -> Figure:
    """Average ranks by evaluations and in CPU seconds, a line and two names for each optimizer."""
    others = REFERENCES | ESTABLISHED
    names = [*one.mine, *others]
    left, right = (one.ranks(measure)[names] for measure in ("evaluations", "CPU seconds"))
    with style.applied():
        figure = Figure(figsize=(style.WIDTH_IN, LINE_IN * len(names) + 0.5), layout="constrained")
        ax = figure.subplots()
        for x, ranks, side in ((0, left, "right"), (1, right, "left")):
            level = ranks.rank(method="first")
            for name, rank in ranks.items():
                colour = _colour(str(name), bias)
                words = others.get(str(name), str(name).removeprefix(LIBRARY))
                text = f"{words}  {rank:.0f}" if side == "right" else f"{rank:.0f}  {words}"
                place = x + (0.02 if side == "left" else -0.02)
                ax.text(place, level[name], text, ha=side, va="center", fontsize=5, color=colour)
        ends = left.rank(method="first"), right.rank(method="first")
        for name in names:
            colour = _colour(name, bias)
            thick = 1.2 if colour == OTHER else 0.5
            ax.plot([0, 1], [end[name] for end in ends], color=colour, linewidth=thick)
        ax.set_xlim(-0.55, 1.55)
        ax.set_ylim(len(names) + 0.5, 0.5)
        ax.set_xticks([0, 1], ["by evaluations", "in CPU seconds"])
        ax.xaxis.tick_top()
        ax.tick_params(length=0)
        ax.set_yticks([])
        for spine in ax.spines.values():
            spine.set_visible(False)
        legend = {PLAIN: "of MEALPY", BIASED: "of MEALPY, biased", OTHER: "others"}
        for colour, words in legend.items():
            ax.plot([], [], color=colour, label=words)
        figure.legend(loc="outside lower center", ncols=3, frameon=False)
    return figure


def _colour(name: str, bias: Mapping[str, str]) -> str:
    if not name.startswith(LIBRARY):
        return OTHER
    return PLAIN if bias[name] in ("none", "") else BIASED


def cost_map(one: Measured) -> Figure:
    """As the figure of the same name, of those with enough evaluations."""
    figure = FIGURES["cost_map"]
    runs = one.runs.where(one.runs.frame["algorithm"].isin(enough(one)).to_numpy())
    frame = TABLES[figure.table](runs, one.design.analysis)
    return figure(frame, figure.pages_of(frame)[0])


def bias_map(bias: Mapping[str, str], uses: Mapping[str, str]) -> Figure:
    """How much easier each biased metaheuristic finds an optimum at each place."""
    tests = audited()
    labels = {use: name for name, use in uses.items() if bias[name] not in ("none", "")}
    tests = tests[tests["use"].isin(labels)]
    order = sorted(labels, key=lambda use: (bias[labels[use]], use.lower()))
    pairs = tests[tests["problems"] == "pair"]
    of = pairs.pivot_table("factor", "use", "kind", aggfunc="first").loc[order, list(KINDS)]
    with style.applied():
        size = (style.COLUMN_IN, 0.13 * len(of) + 0.9)
        figure = Figure(figsize=size, layout="constrained")
        ax = figure.subplots()
        values = np.clip(of.to_numpy(dtype=np.float64), 1, MOST)
        image = ax.imshow(values, norm=LogNorm(1, MOST), cmap="Oranges", aspect="auto")
        for row, use in enumerate(order):
            for column, kind in enumerate(KINDS):
                if kind in bias[labels[use]].split():
                    value = values[row, column]
                    shade = "white" if value > 1e6 else "black"
                    place = {"ha": "center", "va": "center", "fontsize": 6, "color": shade}
                    ax.text(column, row, _power(round(np.log10(value))), **place)
        ax.grid(visible=False)
        ax.set_xticks(range(len(KINDS)), KINDS.values())
        names = [labels[use].removeprefix(LIBRARY) for use in order]
        ax.set_yticks(range(len(of)), names, fontsize=5.5)
        ax.xaxis.tick_top()
        ax.tick_params(length=0)
        bar = figure.colorbar(image, location="bottom", aspect=40)
        powers = range(0, 11, 2)
        bar.set_ticks([10.0**k for k in powers], labels=[_power(k) for k in powers])
        bar.set_label("precision elsewhere / precision there")
    return figure


def _power(exponent: int) -> str:
    """A power of ten, the zeroth as 1."""
    return "1" if exponent == 0 else power_of_ten(exponent)


def _save(figure: Figure, path: Path, shrunk: float = 1.0) -> None:
    """A small PNG, the same bytes for the same figure."""
    style.save(figure, path)
    with Image.open(path) as image:
        small = image.convert("RGB")
    if shrunk < 1:
        size = (round(small.width * shrunk), round(small.height * shrunk))
        small = small.resize(size, Image.Resampling.LANCZOS)
    small.quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)
