"""Curves on a logarithmic axis, with their overviews; staircases, and sorted solutions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import ScaledTranslation

from timefair.basics.words import ALL
from timefair.exhibits.charts import maps, panels, style
from timefair.exhibits.charts.chart import Curves
from timefair.exhibits.charts.pages import COLUMNS, LEAST_RUNS, LINES, Page
from timefair.problems import names as suites

PROBLEM = ["suite", "dimension", "function"]
POINTS = ["x", "y", "observed", "end", "low", "high"]


def curves(frame: pd.DataFrame, chart: Curves, page: Page) -> Figure:
    """Draw the curves of a page; `frame` has the rows of all pages."""
    every = _points(chart.shown(frame), chart)
    x_label, y_label = chart.labels(frame)
    if page.overview and chart.scale == "log":
        what = f"{y_label} to the hardest target that was reached on the function, times the best"
        return maps.times_the_best(_at_hardest(every, chart), "y", label=what, never="not reached")
    looks = _looks(every, chart)
    shown = page.rows(every)
    if chart.scale == "log":
        return _target_lines(shown, chart, looks, x_label, y_label)
    if page.overview:
        shown = group_means(shown, shares=chart.scale == "share")
    if chart.scale == "share":
        shown = panels.without_sole(shown, "function" if chart.functions else "dimension")
    elif page.overview:
        y_label = f"{y_label}; geometric mean over the functions"
    ends = shown.groupby(["suite", "dimension"])["x"].transform("max")
    draw = _step_curves if chart.scale == "share" else _trajectories
    return draw(shown.assign(end=ends), chart, looks, x_label, y_label)


def _points(frame: pd.DataFrame, chart: Curves) -> pd.DataFrame:
    """The frame with the columns ``x``, ``y``, ``observed``, ``low`` and ``high``; costs and
    precisions of few runs have no limits."""
    few = np.zeros(len(frame), bool) if chart.scale == "share" else frame["runs"] < LEAST_RUNS
    limits = {
        end: frame[column].mask(few) if column else np.nan
        for end, column in (("low", chart.low), ("high", chart.high))
    }
    observed = frame.get("observed", 1.0)
    return frame.assign(x=frame[chart.x], y=frame[chart.y], observed=observed, **limits)


def _looks(frame: pd.DataFrame, chart: Curves) -> dict[str, style.Look]:
    """The looks of the algorithms; at the end of costs is the hardest target that was reached."""
    places = [key for key in PROBLEM if key in frame]
    if chart.scale == "log":
        ends = _at_hardest(frame, chart)
    else:
        known = frame[frame["y"].notna()]
        last = known.groupby([*places, "algorithm"], observed=True, sort=False)["x"]
        ends = known[known["x"] == last.transform("max")]
    leaders = panels.leaders(ends, value="y", within=places, highest=chart.scale == "share")
    return style.looks_in(frame, leaders=leaders)


def _at_hardest(frame: pd.DataFrame, chart: Curves) -> pd.DataFrame:
    """The rows of the hardest target that was reached on each function, else of the easiest."""
    hardness = frame["x"] * (-1.0 if chart.decreasing else 1.0)
    problem = [frame[key] for key in PROBLEM]
    reached = hardness.where(np.isfinite(frame["y"])).groupby(problem).transform("max")
    easiest = hardness.groupby(problem).transform("min")
    rows: pd.DataFrame = frame[hardness == reached.fillna(easiest)]
    return rows


STEP_BAND_ALPHA = 0.12
WIDE, FEW = 0.35, 2  # average width of a band that is not drawn if there are more curves than these
TOPS = (0.1, 0.2, 0.4, 0.8, 1.0)  # possible ends of the axis of shares


def _step_curves(
    frame: pd.DataFrame, chart: Curves, looks: dict[str, style.Look], x_label: str, label: str
) -> Figure:
    """Draw a step curve and a band per algorithm, from where the first curve leaves 0; no band
    where a limit is NaN, and none of those that do not lead."""
    figure, grid = panels.grid(frame, functions=chart.functions)
    begun = frame[frame["y"] > 0]
    bounds = panels.limits((frame if begun.empty else begun)["x"], margin=0.02)
    panels.set_log(grid[0].axes, "x", bounds)
    highest = np.nanmax(frame[["y", "high"]].to_numpy(dtype=np.float64), initial=0)
    top = next((end for end in TOPS if end >= highest), 1.0)
    grid[0].axes.set_ylim(-0.03 * top, 1.03 * top)
    grid[0].axes.set_yticks(np.linspace(0, top, 5))
    few = sum(look.leads for look in looks.values()) <= FEW
    most, ends = frame["x"].max() * (1 - 1e-9), {}
    for panel in grid:
        shown = panel._replace(rows=panel.rows[panel.rows["x"] >= bounds[0]])
        for name, points in panels.leading(shown, POINTS, looks, step=True):
            last = points[-1:].copy()
            last[last[:, 0] >= most, 0] = bounds[1]
            ends[name] = (bounds[1], last[0, 1])
            points = np.concatenate([points, last])
            narrow = few or not np.mean(points[:, 5] - points[:, 4]) > WIDE
            panels.observed_curve(panel.axes, points, name, looks, STEP_BAND_ALPHA * narrow)
    panels.label(figure, x_label, label)
    room_in = figure.get_figheight() - panels.MARGIN_IN
    if len(grid) == 1 and panels.nameable(figure, looks, room_in):
        panels.name_ends(grid[0].axes, looks, ends, room_in)
    else:
        panels.legend(figure, looks)
    return figure


EXECUTIONS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


def _trajectories(
    frame: pd.DataFrame, chart: Curves, looks: dict[str, style.Look], x_label: str, label: str
) -> Figure:
    """Draw finite precisions; the scale of y of each panel fits its curves. They are over costs,
    as steps, or over numbers of executions."""
    frame, floor = panels.floored(frame, "y", "low", "high")
    figure, grid = panels.grid(frame, share_y=False)
    begun = frame[np.isfinite(frame["y"])]
    first, last = panels.limits(begun["x"], margin=0.02 if chart.steps else 0.05)
    panels.set_log(grid[0].axes, "x", (first, last))
    if not chart.steps:
        ticks = [k for k in EXECUTIONS if first <= k <= last]
        grid[0].axes.set_xticks(ticks, map(str, ticks))
    for panel in grid:
        bounds = panels.limits(panel.rows["y"], margin=0.06)
        panels.set_log(panel.axes, "y", bounds)
        finite = panel._replace(rows=panel.rows[np.isfinite(panel.rows["y"])])
        for name, points in panels.leading(finite, POINTS, looks, step=chart.steps):
            if chart.steps:
                points[:, 4:] = np.clip(points[:, 4:], *bounds)
                panels.observed_curve(panel.axes, points, name, looks, style.BAND_ALPHA)
            else:
                panels.curve(panel.axes, *points[:, :2].T, **looks[name].line)
    panels.label(figure, x_label, panels.with_zero(label, floor))
    panels.legend(figure, looks)
    return figure


ABREAST = 4  # hollow markers side by side in the strip; more algorithms have further lines of them
ASIDE_PT = 3.6  # distance between two of them in points
STRIP_PER_LINE = 0.075
SIDES = 0.08  # margin of the targets, in which hollow markers of the last one have room
STRIP_GREY = "#EDEDED"


def _set_targets(ax: Axes, frame: pd.DataFrame) -> None:
    """Targets from easy to hard on a logarithmic axis; if some are 0 or less, values of f are on a
    linear one, and precisions on one that is logarithmic on both sides."""
    targets = frame["x"]
    if (targets > 0).all():
        panels.set_log(ax, "x", panels.limits(targets, margin=SIDES)[::-1])
    elif frame.attrs.get("targets", "value") == "value":
        low, high = float(targets.min()), float(targets.max())
        pad = SIDES * (high - low) or 0.5
        ax.set_xlim(high + pad, low - pad)
        ax.xaxis.set_major_locator(MaxNLocator(panels.TICKS - 1))
    else:  # the best known precision can be surpassed
        panels.set_symlog(ax, targets)


def _target_lines(
    frame: pd.DataFrame, chart: Curves, looks: dict[str, style.Look], x_label: str, y_label: str
) -> Figure:
    """Costs over targets from easy to hard, one panel per function and dimension; the axis cuts
    bands. A grey strip has a hollow marker of each leading algorithm at the first target that none
    of its runs reached."""
    figure, grid = panels.grid(frame)
    leading = [name for name, look in looks.items() if look.leads]
    bottom, top = panels.limits(frame["y"], margin=0.06)
    unreached = bool(np.isinf(frame["y"]).any())
    lines = -(-len(leading) // ABREAST)
    strip = STRIP_PER_LINE * lines if unreached else 0.0
    ceiling = bottom * (top / bottom) ** (1 / (1 - strip))
    first = grid[0].axes
    _set_targets(first, frame)
    panels.set_log(first, "y", (bottom, ceiling))
    if unreached:
        first.set_yticks([t for t in first.get_yticks() if bottom <= t <= top])
        first.set_ylim(bottom, ceiling)
    order = -1 if chart.decreasing else 1
    for panel in grid:
        ax = panel.axes
        if np.isinf(panel.rows["y"]).any():
            grey: dict[str, Any] = {"color": STRIP_GREY, "linewidth": 0, "transform": ax.transAxes}
            ax.add_patch(Rectangle((0, 1 - strip), 1, strip, **grey))
        for name, numbers in panels.leading(panel, ["x", "y", "low", "high"], looks):
            x, y, low, high = numbers[::order].T
            look, finite = looks[name], np.isfinite(y)
            low = np.where(finite, np.maximum(low, bottom), np.nan)
            tint = {"color": look.color, "alpha": style.BAND_ALPHA}
            panels.band(ax, x, low, np.minimum(high, top), **tint)
            panels.curve(ax, x[finite], y[finite], **look.line)
            line, place = divmod(leading.index(name), ABREAST)
            side_by_side = min(ABREAST, len(leading) - line * ABREAST)
            aside = ASIDE_PT / 72 * (place - (side_by_side - 1) / 2)
            shift = ScaledTranslation(aside, 0, figure.dpi_scale_trans)
            hollow = {"markerfacecolor": "white", "markeredgecolor": look.color}
            hollow |= {"marker": look.marker, "linestyle": ""}
            missed = x[~finite][:1]
            height = np.full(missed.size, 1 - strip * (line + 0.5) / lines)
            at = ax.get_xaxis_transform() + shift
            panels.curve(
                ax, missed, height, transform=at, markeredgewidth=0.8, markersize=3.0, **hollow
            )
        if unreached and ax.yaxis.get_tick_params().get("labelleft", True):
            where: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points"}
            where |= {"xytext": (-4, 0), "ha": "right", "va": "center", "fontsize": 9}
            ax.annotate("∞", (0, 1 - strip / 2), **where)
    panels.label(figure, x_label, y_label + " (∞: no run reached it)" * unreached)
    panels.legend(figure, looks)
    return figure


def group_means(frame: pd.DataFrame, *, shares: bool) -> pd.DataFrame:
    """The mean over all functions (shares: as the frame has it, if it does) and over those of each
    group, without limits, where all have a finite value: of `shares`, the average weighted by runs,
    as far as all curves of the algorithm go; else the geometric mean of precisions."""
    everywhere = frame["function"].astype(str) == ALL
    grouped = _grouped(frame[~everywhere], every=not everywhere.any())
    curve = ["suite", "dimension", "function", *["algorithm"] * shares]
    needed = grouped.groupby(curve, observed=True)["number"].nunique().rename("needed")
    known = grouped[np.isfinite(grouped["y"])]
    values = known["y"] if shares else np.log10(np.maximum(known["y"], maps.SOLVED))
    weight = known["runs"] if shares else 1
    weighted = {"y": values * weight, "observed": known["observed"] * weight, "runs": weight}
    keys = ["suite", "dimension", "function", "algorithm", "x"]
    sums = known.assign(**weighted, count=1).groupby(keys, observed=True, sort=False)
    means = sums[["y", "observed", "runs", "count"]].sum().reset_index()
    means = means.merge(needed.reset_index(), how="left", on=curve)
    means = means[means["count"] == means["needed"]].assign(low=np.nan, high=np.nan)
    means[["y", "observed"]] = means[["y", "observed"]].div(means["runs"], axis=0)
    if not shares:
        means["y"] = 10.0 ** means["y"]
    every: pd.DataFrame = pd.concat([frame[everywhere], means])
    return every


def _grouped(frame: pd.DataFrame, *, every: bool) -> pd.DataFrame:
    """The rows with the name of their group, if groups fit on a page, and of all if `every`."""
    parts = [frame.assign(function=ALL, number=frame["function"])] if every else []
    for suite, rows in frame.groupby("suite", sort=True):
        groups = suites.groups(str(suite))
        of_function = {str(f): name for name, numbers in groups.items() for f in numbers}
        group = rows["function"].astype(str).map(of_function)
        there = [name for name in groups if (group == name).any()]
        lines = frame["dimension"].nunique() * -(-(1 + len(there)) // COLUMNS)
        if len(there) > 1 and lines <= LINES:
            order = pd.Categorical(group, categories=there, ordered=True)
            ordered = rows.assign(function=group, number=rows["function"])
            parts.append(ordered.iloc[np.argsort(order.codes, kind="stable")])
    return pd.concat(parts) if parts else frame.assign(number=frame["function"]).iloc[:0]


SHARE = 0.5
HEIGHT_IN = 1.9
TICKS = (0.0, 0.5, 1.0)


def attainment(frame: pd.DataFrame, page: Page) -> Figure:
    """A staircase for each algorithm, one panel per function, or a map of what is missed."""
    half = frame[frame["share"] == SHARE].sort_values("f1", kind="stable")
    cell = ["suite", "dimension", "function", "algorithm"]
    surfaces = half.groupby(cell, observed=True, sort=False)
    cells = surfaces.first().reset_index()
    if page.overview:
        what = "part of the region that is not dominated, times the least on the function"
        return maps.times_the_best(cells, "missed", label=what, never="not reached")
    looks = panels.looks(cells, value="missed", within=cell[:-1])
    # Each is a line from the upper edge to the right one.
    lines = pd.concat([surfaces.head(1).assign(f2=1.0), half, surfaces.tail(1).assign(f1=1.0)])
    lines.attrs = frame.attrs
    figure, grid = panels.grid(page.rows(lines), height_in=HEIGHT_IN)
    ends = (-0.02, 1.02)
    grid[0].axes.set(xlim=ends, ylim=ends, xticks=TICKS, yticks=TICKS)
    for panel in grid:
        for name, points in panels.leading(panel, ["f1", "f2"], looks, step=True):
            marks = style.marks(points[:, 1] < 1, list(looks).index(name), len(looks))
            line = looks[name].line | {"drawstyle": "steps-post", "markevery": marks}
            panels.curve(panel.axes, *points.T, **line)
    panels.label(
        figure, "first objective (0: ideal, 1: nadir)", "second objective (0: ideal, 1: nadir)"
    )
    panels.legend(figure, looks)
    return figure


MOST = 8  # maximal number of disagreements that are drawn: those with the widest gaps

DISAGREEING = ["suite", "dimension", "function", "better_by_mean", "better_by_median"]


def sorted_solutions(frame: pd.DataFrame) -> Figure:
    """Draw the sorted best precisions over the share of runs that are as good, one panel per
    disagreement of mean and median; `inf` is at the top edge."""
    panels.require_rows(frame, "mean and median order all pairs of algorithms alike")
    gaps = frame.groupby(DISAGREEING, sort=True)["gap_decades"].first()
    widest = gaps.sort_values(ascending=False, kind="stable").index[:MOST]
    shown = frame[frame.set_index(DISAGREEING).index.isin(widest)]
    head = "{} " if frame["suite"].nunique() > 1 else ""
    pairs = [
        (f"{head.format(suite)}f{function}, D = {dimension}", pair)
        for (suite, dimension, function, *_), pair in shown.groupby(DISAGREEING, sort=True)
    ]
    looks = style.looks_in(shown)
    figure, grid = panels.placed(panels.in_lines(pairs, COLUMNS), share_y=False)
    for panel in grid:
        _sorted_panel(panel.axes, panel.rows, looks)
    label = "share of runs, sorted from best to worst\nfilled marker: median, hollow: mean"
    if len(gaps) > MOST:
        label += f"; the {MOST} widest of {len(gaps)} disagreements"
    panels.label(figure, label, "best precision at the end of the run")
    panels.legend(figure, looks)
    return figure


def _sorted_panel(ax: Axes, pair: pd.DataFrame, looks: dict[str, style.Look]) -> None:
    values = pair[["precision", "mean", "median"]]
    floor = panels.zero_floor(values)
    bottom, top = panels.limits(panels.raised(values, floor), margin=0.06)
    panels.set_log(ax, "y", (bottom, top))
    ax.set_xlim(0, 1.03)
    for name, runs in panels.by_algorithm(pair):
        look = looks[name]
        best = runs.sort_values("order")["precision"].to_numpy()
        share = np.arange(1, best.size + 1) / best.size
        height = np.minimum(panels.raised(best, floor), top)
        ax.plot(share, height, color=look.color, linestyle=look.linestyle)
        mean, median = (
            np.minimum(panels.raised(runs[measure].iloc[0], floor), top)
            for measure in ("mean", "median")
        )
        passes_mean = np.interp(np.log(mean), np.log(height), share)
        half = np.ceil(best.size / 2) / best.size
        marks: dict[str, Any] = {
            "color": look.color,
            "markersize": 5.0,
            "clip_on": False,
            "zorder": 3,
        }
        for x, y, face in ((passes_mean, mean, "white"), (half, median, look.color)):
            ax.plot(x, y, look.marker, markerfacecolor=face, **marks)
    ticks = [t for t in ax.get_yticks() if bottom <= t <= top and (floor is None or t > 3 * floor)]
    if floor is not None:
        ticks.insert(0, floor)
    ax.set_yticks(ticks, ["0" if t == floor else panels.power(t) for t in ticks])
