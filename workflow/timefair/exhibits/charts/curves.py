"""Curves on a logarithmic axis, with their overviews; staircases, and sorted solutions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import FixedLocator, MaxNLocator, ScalarFormatter
from matplotlib.transforms import ScaledTranslation
from numpy.typing import NDArray

from timefair.basics.words import ALL
from timefair.exhibits.charts import maps, panels, style
from timefair.exhibits.charts.chart import Curves
from timefair.exhibits.charts.pages import COLUMNS, LINES, Page
from timefair.problems import names as suites

PROBLEM = ["suite", "dimension", "function"]


def curves(frame: pd.DataFrame, chart: Curves, page: Page) -> Figure:
    """Draw the curves of a page; `frame` has the rows of all pages."""
    every = chart.shown(frame)
    x_label, y_label = chart.labels(frame)
    if page.overview and chart.scale == "log":
        what = f"{y_label} to the hardest target that was reached on the function, times the best"
        cells = _at_hardest(every, chart)
        return maps.times_the_best(cells, chart.y, label=what, never="not reached")
    if "observed" not in every:
        every = every.assign(observed=1.0)
    looks = _looks(every, chart)
    shown = page.rows(every)
    low, high = (_limits(shown, chart, column) for column in (chart.low, chart.high))
    if chart.scale == "log":
        shown = shown.assign(**{chart.low: low, chart.high: high})
        return _target_lines(shown, chart, looks, x_label, y_label)
    shown = shown.assign(curve=shown[chart.y], low=low, high=high)
    if chart.scale == "share":
        shown = group_shares(shown, chart.x) if page.overview else shown
        shown = panels.without_sole(shown, "function" if chart.functions else "dimension")
        return _step_curves(shown, chart, looks, x_label, y_label)
    if page.overview:
        shown = geometric_means(shown, chart.x, "curve").assign(low=np.nan, high=np.nan)
        y_label = f"{y_label}; geometric mean over the functions"
    return _trajectories(shown, looks, x_label, y_label)


def _looks(frame: pd.DataFrame, chart: Curves) -> dict[str, style.Look]:
    """The looks of the algorithms; at the end of costs is the hardest target that was reached."""
    places = [key for key in PROBLEM if key in frame]
    if chart.highest:
        highest = frame.groupby(frame["algorithm"].astype(str))[chart.y].max()
        return style.largest(frame, "algorithm", highest)
    if chart.scale == "log":
        ends = _at_hardest(frame, chart)
    else:
        last = frame.groupby([*places, "algorithm"], observed=True, sort=False)[chart.x]
        ends = frame[frame[chart.x].to_numpy() == last.transform("max").to_numpy()]
    return panels.looks(ends, value=chart.y, within=places, highest=chart.scale == "share")


def _at_hardest(frame: pd.DataFrame, chart: Curves) -> pd.DataFrame:
    """The rows of the hardest target that was reached on each function, else of the easiest."""
    hardness = frame[chart.x] * (-1.0 if chart.decreasing else 1.0)
    ranked = frame.assign(hardness=hardness)
    reached = ranked[np.isfinite(ranked[chart.y])]
    wanted = ranked.groupby(PROBLEM)["hardness"].min()
    wanted.update(reached.groupby(PROBLEM)["hardness"].max())
    at = wanted.reindex(pd.MultiIndex.from_frame(frame[PROBLEM])).to_numpy()
    rows: pd.DataFrame = frame[hardness.to_numpy() == at]
    return rows


def _limits(frame: pd.DataFrame, chart: Curves, column: str) -> pd.Series[float]:
    if not column:
        return pd.Series(np.nan, index=frame.index)
    limits: pd.Series[float] = frame[column]
    return limits.where(frame["runs"] >= chart.least_runs) if chart.least_runs else limits


STEP_BAND_ALPHA = 0.12
WIDE, FEW = 0.35, 2  # average width of a band that is not drawn if there are more curves than these
TOPS = ((0.1, 5), (0.2, 5), (0.4, 5), (0.6, 4), (0.8, 5), (1.0, 5))
"""Possible ends of the axis of shares, with the number of ticks."""


def _step_curves(
    frame: pd.DataFrame, chart: Curves, looks: dict[str, style.Look], x_label: str, label: str
) -> Figure:
    """Draw a step curve and a band per algorithm on the axes of all panels, from where the first
    curve leaves 0. There is no band where a limit is NaN, and none of those that do not lead."""
    x = chart.x
    figure, grid = panels.grid(panels.with_ends(frame, x), functions=chart.functions)
    begun = frame[frame["fraction"] > 0]
    bounds = panels.limits((frame if begun.empty else begun)[x], margin=0.02)
    panels.set_log(grid[0].axes, "x", bounds)
    highest = np.nanmax(frame[["fraction", "high"]].to_numpy(dtype=np.float64), initial=0)
    top, ticks = next((pair for pair in TOPS if pair[0] >= highest), TOPS[-1])
    grid[0].axes.set_ylim(-0.03 * top, 1.03 * top)
    grid[0].axes.set_yticks(np.linspace(0, top, ticks))
    few = sum(look.leads for look in looks.values()) <= FEW
    most, ends = frame[x].max() * (1 - 1e-9), {}
    columns = [x, "fraction", "observed", "end", "low", "high"]
    for panel in grid:
        shown = panels.leading(
            panel, columns, looks, lambda rows: rows[rows[:, 0] >= bounds[0]], step=True
        )
        for name, numbers in shown:
            last = numbers[-1:].copy()
            last[last[:, 0] >= most, 0] = bounds[1]
            ends[name] = (bounds[1], last[0, 1])
            points = np.concatenate([numbers, last])
            narrow = few or not np.mean(points[:, 5] - points[:, 4]) > WIDE
            alpha = STEP_BAND_ALPHA * narrow
            panels.observed_curve(panel.axes, points, name, looks, alpha)
    panels.label(figure, x_label, label)
    room_in = figure.get_figheight() - panels.MARGIN_IN
    if len(grid) == 1 and panels.nameable(figure, looks, room_in):
        panels.name_ends(grid[0].axes, looks, ends, room_in)
    else:
        panels.legend(figure, looks)
    return figure


def _trajectories(
    frame: pd.DataFrame, looks: dict[str, style.Look], cost_label: str, label: str
) -> Figure:
    """Draw finite precisions; the scale of y of each panel fits its curves."""
    floor = panels.zero_floor(frame["curve"])

    def raised(values: NDArray[np.float64]) -> NDArray[np.float64]:
        values[:, [1, 4, 5]] = panels.raised(values[:, [1, 4, 5]], floor)
        return values

    figure, grid = panels.grid(panels.with_ends(frame, "cost"), share_y=False)
    begun = frame[np.isfinite(frame["curve"])]
    costs = panels.limits(begun["cost"], margin=0.02)
    panels.set_log(grid[0].axes, "x", costs)
    columns = ["cost", "curve", "observed", "end", "low", "high"]
    for panel in grid:
        drawn = panel.rows[np.isfinite(panel.rows["curve"])]
        bounds = panels.limits(panels.raised(drawn["curve"], floor), margin=0.06)
        panels.set_log(panel.axes, "y", bounds)
        of_panel = replace(panel, rows=drawn)
        for name, values in panels.leading(of_panel, columns, looks, raised, step=True):
            values[:, 4:] = np.clip(values[:, 4:], *bounds)
            panels.observed_curve(panel.axes, values, name, looks, style.BAND_ALPHA)
    panels.label(figure, cost_label, panels.with_zero(label, floor))
    panels.legend(figure, looks)
    return figure


ABREAST = 4  # hollow markers side by side in the strip; more algorithms have further lines of them
ASIDE_PT = 3.6  # distance between two of them in points
STRIP_PER_LINE = 0.075
SIDES = 0.08  # margin of the targets, in which hollow markers of the last one have room
STRIP_GREY = "#EDEDED"


def _set_targets(ax: Axes, frame: pd.DataFrame, column: str) -> None:
    """Targets from easy to hard on a logarithmic axis; if some are 0 or less, values of f are on a
    linear one, and precisions on one that is logarithmic on both sides."""
    targets = frame[column]
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
    """Costs over targets from easy to hard, one panel per function and dimension.

    The axis follows the costs, and cuts bands. The grey strip has a hollow marker of each leading
    algorithm at the first target that none of its runs reached.
    """
    value, low, high, order = chart.y, chart.low, chart.high, -1 if chart.decreasing else 1
    figure, grid = panels.grid(frame)
    leading = [name for name, look in looks.items() if look.leads]
    bottom, top = panels.limits(frame[value], margin=0.06)
    unreached = bool(np.isinf(frame[value]).any())
    lines = -(-len(leading) // ABREAST)
    strip = STRIP_PER_LINE * lines if unreached else 0.0
    ceiling = bottom * (top / bottom) ** (1 / (1 - strip))
    first = grid[0].axes
    _set_targets(first, frame, chart.x)
    panels.set_log(first, "y", (bottom, ceiling))
    if unreached:
        first.set_yticks([t for t in first.get_yticks() if bottom <= t <= top])
        first.set_ylim(bottom, ceiling)
    for panel in grid:
        ax = panel.axes
        if np.isinf(panel.rows[value]).any():
            grey = {"color": STRIP_GREY, "linewidth": 0, "transform": ax.transAxes}
            ax.add_patch(Rectangle((0, 1 - strip), 1, strip, **grey))
        columns = [chart.x, value, low, high]
        for name, numbers in panels.leading(panel, columns, looks, lambda rows: rows[::order]):
            x, y, bottoms, tops = numbers.T
            look, finite = looks[name], np.isfinite(y)
            bottoms = np.where(finite, np.maximum(bottoms, bottom), np.nan)
            tint = {"color": look.color, "alpha": style.BAND_ALPHA}
            panels.band(ax, x, bottoms, np.minimum(tops, top), **tint)
            panels.curve(ax, x[finite], y[finite], **look.line)
            first_missed = x[~finite][:1]
            line, place = divmod(leading.index(name), ABREAST)
            side_by_side = min(ABREAST, len(leading) - line * ABREAST)
            aside = ASIDE_PT / 72 * (place - (side_by_side - 1) / 2)
            shift = ScaledTranslation(aside, 0, figure.dpi_scale_trans)
            hollow = {"markerfacecolor": "white", "markeredgecolor": look.color}
            hollow |= {"marker": look.marker, "linestyle": "", "markersize": 3.0}
            height = np.full(first_missed.size, 1 - strip * (line + 0.5) / lines)
            place = ax.get_xaxis_transform() + shift
            panels.curve(ax, first_missed, height, transform=place, markeredgewidth=0.8, **hollow)
        if unreached and ax.yaxis.get_tick_params().get("labelleft", True):
            where = {"xytext": (-4, 0), "ha": "right", "va": "center", "fontsize": 9}
            ends = {"xycoords": "axes fraction", "textcoords": "offset points"}
            ax.annotate("∞", (0, 1 - strip / 2), **where, **ends)
    panels.label(figure, x_label, y_label + " (∞: no run reached it)" * unreached)
    panels.legend(figure, looks)
    return figure


def group_shares(frame: pd.DataFrame, x: str) -> pd.DataFrame:
    """The share over all functions, with its limits, and over those of each group, without limits:
    the average weighted by runs, as far as all curves go. `x` is the column of the horizontal axis.
    """
    everywhere = frame["function"].astype(str) == ALL
    grouped = _grouped(frame[~everywhere], every=not everywhere.any())
    shares = ["fraction", "observed"]
    curves = grouped.groupby(_keys(x)[:-1], observed=True, sort=False)
    functions = curves["number"].transform("nunique")
    weighted = grouped[shares].mul(grouped["runs"], axis=0)
    grouped = grouped.assign(**weighted, functions=functions, here=1)
    summed = {**dict.fromkeys((*shares, "runs", "here"), "sum"), "functions": "first"}
    sums = grouped.groupby(_keys(x), observed=True, sort=False).agg(summed)
    sums = sums[sums["here"] == sums["functions"]]
    sums[shares] = sums[shares].div(sums["runs"], axis=0)
    return pd.concat([frame[everywhere], sums.assign(low=np.nan, high=np.nan).reset_index()])


def geometric_means(frame: pd.DataFrame, x: str, value: str) -> pd.DataFrame:
    """The geometric mean of a precision over all functions and over those of each group, NaN where
    one of them has no finite one. `x` is the column of the horizontal axis."""
    grouped = _grouped(frame[np.isfinite(frame[value])], every=True)
    grouped = grouped.assign(log=np.log10(np.maximum(grouped[value], maps.SOLVED)))
    sums = grouped.groupby(_keys(x), observed=True, sort=False).agg(
        mean=("log", "mean"), size=("log", "size"), observed=("observed", "mean")
    )
    sums = sums.reset_index()
    needed = _grouped(frame, every=True).groupby("function", sort=False)["number"].nunique()
    complete = sums["size"].to_numpy() == needed.loc[list(sums["function"])].to_numpy()
    means: pd.DataFrame = sums[complete].assign(**{value: 10.0 ** sums.loc[complete, "mean"]})
    return means


def _keys(x: str) -> list[str]:
    return ["suite", "dimension", "function", "algorithm", x]


def _grouped(frame: pd.DataFrame, *, every: bool) -> pd.DataFrame:
    """The rows with the name of their group, if groups fit on a page; `every`: also for all
    functions.
    """
    frame = frame if "observed" in frame else frame.assign(observed=1.0)
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


EXECUTIONS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


def best_of(frame: pd.DataFrame, page: Page) -> Figure:
    """Expected best precision over the number of executions, one panel per function."""
    every = frame[frame["measure"] == "mean"]
    label = "expected best precision of k"
    once = every[every["k"] == every["k"].min()]
    looks = panels.looks(once, value="precision", within=["suite", "dimension", "function"])
    shown = page.rows(every)
    if page.overview:
        shown = geometric_means(shown, "k", "precision")
        label = f"{label}; geometric mean over the functions"
    figure, grid = panels.grid(shown, share_y=False)
    floor = panels.zero_floor(shown["precision"])
    known = shown[np.isfinite(shown["precision"])]
    executions = panels.limits((shown if known.empty else known)["k"], margin=0.05)
    shared = grid[0].axes
    panels.set_log(shared, "x", executions)
    ticks = [tick for tick in EXECUTIONS if executions[0] <= tick <= executions[1]]
    shared.xaxis.set_major_locator(FixedLocator(ticks))
    shared.xaxis.set_major_formatter(ScalarFormatter())
    for panel in grid:
        rows = panel.rows.assign(precision=panels.raised(panel.rows["precision"], floor))
        panel = replace(panel, rows=rows[np.isfinite(rows["precision"])])
        for name, numbers in panels.leading(panel, ["k", "precision"], looks):
            panels.curve(panel.axes, *numbers.T, **looks[name].line)
        panels.set_log(panel.axes, "y", panels.limits(rows["precision"]))
    panels.label(figure, "executions k, each with the whole budget", panels.with_zero(label, floor))
    panels.legend(figure, looks)
    return figure


SHARE = 0.5
HEIGHT_IN = 1.9
TICKS = (0.0, 0.5, 1.0)


def attainment(frame: pd.DataFrame, page: Page) -> Figure:
    """A staircase for each algorithm, one panel per function, or a map of what is missed."""
    half = frame[frame["share"] == SHARE]
    cell = ["suite", "dimension", "function", "algorithm"]
    cells = half.groupby(cell, observed=True, sort=False).first().reset_index()
    if page.overview:
        what = "part of the region that is not dominated, times the least on the function"
        return maps.times_the_best(cells, "missed", label=what, never="not reached")
    looks = panels.looks(cells, value="missed", within=cell[:-1])
    figure, grid = panels.grid(page.rows(half), height_in=HEIGHT_IN)
    first = grid[0].axes
    first.set_xlim(-0.02, 1.02)
    first.set_ylim(-0.02, 1.02)
    first.set_xticks(TICKS)
    first.set_yticks(TICKS)
    for panel in grid:
        for name, points in panels.leading(panel, ["f1", "f2"], looks, _stairs):
            everywhere = np.ones(len(points), bool)
            marks = style.marks(everywhere, list(looks).index(name), len(looks))
            panels.curve(panel.axes, *points.T, **{**looks[name].line, "markevery": marks})
    panels.label(
        figure, "first objective (0: ideal, 1: nadir)", "second objective (0: ideal, 1: nadir)"
    )
    panels.legend(figure, looks)
    return figure


def _stairs(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """The line through the corners of a surface, from the upper edge to the right one."""
    ordered = corners[np.argsort(corners[:, 0], kind="stable")]
    x = np.append(np.repeat(ordered[:, 0], 2), 1.0)
    y = np.concatenate([[1.0], np.repeat(ordered[:, 1], 2)])
    return np.column_stack([x, y])


MOST = 8  # maximal number of disagreements that are drawn: those with the widest gaps

DISAGREEING = ["suite", "dimension", "function", "better_by_mean", "better_by_median"]
SORTED_MARGIN_IN = 0.9


def sorted_solutions(frame: pd.DataFrame) -> Figure:
    """Draw the sorted best precisions over the share of runs that are as good, one panel per
    disagreement of mean and median; `inf` is at the top edge."""
    panels.require_rows(frame, "mean and median order all pairs of algorithms alike")
    gaps = frame.groupby(DISAGREEING, sort=True)["gap_decades"].first()
    widest = gaps.sort_values(ascending=False, kind="stable").index[:MOST]
    shown = frame[frame.set_index(DISAGREEING).index.isin(widest)]
    pairs = [pair for _, pair in shown.groupby(DISAGREEING, sort=True)]
    looks = style.looks_in(shown)
    several = frame["suite"].nunique() > 1
    figure, axes = _sorted_panels(len(pairs))
    for ax, pair in zip(axes, pairs, strict=True):
        first = pair.iloc[0]
        head = f"{first['suite']} " if several else ""
        ax.set_title(f"{head}f{first['function']}, D = {first['dimension']}")
        _sorted_panel(ax, pair, looks)
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
        marks = {"color": look.color, "markersize": 5.0, "clip_on": False, "zorder": 3}
        for x, y, face in ((passes_mean, mean, "white"), (half, median, look.color)):
            ax.plot(x, y, look.marker, markerfacecolor=face, **marks)
    ticks = [t for t in ax.get_yticks() if bottom <= t <= top and (floor is None or t > 3 * floor)]
    if floor is not None:
        ticks.insert(0, floor)
    ax.set_yticks(ticks, ["0" if t == floor else panels.power(t) for t in ticks])


def _sorted_panels(count: int) -> tuple[Figure, list[Axes]]:
    columns = min(count, COLUMNS)
    lines = -(-count // columns)
    width = style.COLUMN_IN if count == 1 else style.WIDTH_IN * max(columns, 3) / COLUMNS
    height = panels.PANEL_HEIGHT_IN * lines + SORTED_MARGIN_IN
    figure, axes = panels.figure_of(height, lines, columns, width, sharex=True)
    grid = axes.ravel()
    for ax in grid[count:]:
        ax.set_visible(False)
    for ax in grid[count - columns : count]:
        ax.tick_params(labelbottom=True)
    return figure, list(grid[:count])
