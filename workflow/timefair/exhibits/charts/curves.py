"""Curves on a logarithmic axis, one panel per function or dimension, with their overviews."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.transforms import ScaledTranslation

from timefair.basics.together import ALL
from timefair.exhibits.charts import maps, panels, style
from timefair.exhibits.charts.pages import COLUMNS, LINES
from timefair.problems import names as suites

if TYPE_CHECKING:
    from timefair.exhibits.charts.chart import Curves
    from timefair.exhibits.charts.pages import Page

PROBLEM = ["suite", "dimension", "function"]


def curves(frame: pd.DataFrame, chart: Curves, page: Page) -> Figure:
    """Draw the curves of a page.

    - `frame`: The table, with the rows of all pages.
    """
    every = chart.shown(frame)
    labels = chart.labels(frame)
    if page.overview and chart.scale == "log":
        return _map(every, chart, labels[1])
    shares = chart.scale == "share"
    if "observed" not in every:
        every = every.assign(observed=1.0)
    looks = _looks(every, chart)
    shown = page.rows(every)
    bands = {"low": _limits(shown, chart, chart.low), "high": _limits(shown, chart, chart.high)}
    if chart.scale == "log":
        limits = {column: bands[end] for end, column in (("low", chart.low), ("high", chart.high))}
        x_label, y_label = labels
        shown = shown.assign(**limits)
        return _target_lines(shown, chart, looks=looks, x_label=x_label, y_label=y_label)
    if shares:
        return _share_page(shown.assign(**bands), chart, page, looks, labels)
    shown = shown.assign(curve=shown[chart.y], **bands)
    cost_label, label = labels
    if page.overview:
        shown = geometric_means(shown, chart.x, "curve").assign(low=np.nan, high=np.nan)
        label = f"{label}; geometric mean over the functions"
    return _trajectories(shown, looks=looks, cost_label=cost_label, label=label)


def _share_page(
    shown: pd.DataFrame,
    chart: Curves,
    page: Page,
    looks: dict[str, style.Look],
    labels: tuple[str, str],
) -> Figure:
    if page.overview:
        shown = group_shares(shown, chart.x)
    return _step_curves(
        panels.without_sole(shown, "function" if chart.functions else "dimension"),
        chart.x,
        looks=looks,
        functions=chart.functions,
        x_label=labels[0],
        label=labels[1],
    )


def _map(frame: pd.DataFrame, chart: Curves, label: str) -> Figure:
    what = f"{label} to the hardest target that was reached on the function, times the best"
    cells = _at_hardest(frame, chart)
    return maps.times_the_best(cells, chart.y, label=what, never="not reached")


def _looks(frame: pd.DataFrame, chart: Curves) -> dict[str, style.Look]:
    """The looks of the algorithms.

    If there are many algorithms, only the leaders of the chart have ``leads=True``. For costs, the
    end of the curves is the hardest target reached.
    """
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
    """The rows of the hardest target that any algorithm reached on each function.

    If none was reached, those of the easiest target.
    """
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
WIDE, FEW = 0.35, 2
"""Average width of a band that is not drawn if there are more curves than these."""
TOPS = ((0.1, 5), (0.2, 5), (0.4, 5), (0.6, 4), (0.8, 5), (1.0, 5))
"""Possible ends of the axis of shares, with the number of ticks."""


def _step_curves(
    frame: pd.DataFrame,
    x: str,
    *,
    looks: dict[str, style.Look],
    functions: bool,
    x_label: str,
    label: str,
) -> Figure:
    """Draw a step curve and a band per algorithm; all panels have the same axes.

    A curve that is shorter than the longest, as in a dimension with a smaller budget, ends there.

    - `frame`: With the columns `x`, ``fraction``, ``observed``, ``low`` and ``high``; there is no
      band where a limit is NaN.
    - `x`: The column of the horizontal axis, which begins where the first curve leaves 0.
    - `looks`: The look of each algorithm; an algorithm whose look has ``leads=False`` has no band.
    - `functions`: If True, there is one panel per function; if False, one per dimension.
    - `x_label`, `label`: Labels of the x axis and the y axis.
    """
    with style.applied():
        figure, grid = panels.grid(panels.with_ends(frame, x), functions=functions)
        begun = frame[frame["fraction"] > 0]
        bounds = panels.limits((frame if begun.empty else begun)[x], margin=0.02)
        panels.set_log(grid[0].axes, "x", bounds)
        highest = np.nanmax(frame[["fraction", "high"]].to_numpy(dtype=np.float64), initial=0)
        top, ticks = next((pair for pair in TOPS if pair[0] >= highest), TOPS[-1])
        grid[0].axes.set_ylim(-0.03 * top, 1.03 * top)
        grid[0].axes.set_yticks(np.linspace(0, top, ticks))
        few = sum(look.leads for look in looks.values()) <= FEW
        names, most = list(looks), frame[x].max() * (1 - 1e-9)
        columns = [x, "fraction", "observed", "end", "low", "high"]
        for panel in grid:
            others, ends = [], {}
            for name, numbers in panels.numbers_by_algorithm(panel.rows, columns):
                shown = numbers[numbers[:, 0] >= bounds[0]]
                if not looks[name].leads:
                    others.append(shown[shown[:, 2] == 1, :2].T)
                    continue
                last = shown[-1:].copy()
                last[last[:, 0] >= most, 0] = bounds[1]
                shown = np.concatenate([shown, last])
                look, (cost, low, high) = looks[name], shown[:, [0, 4, 5]].T
                if few or not np.mean(high - low) > WIDE:
                    panels.band(
                        panel.axes,
                        cost,
                        low,
                        high,
                        color=look.color,
                        alpha=STEP_BAND_ALPHA,
                        step=True,
                    )
                ends[name] = (bounds[1], shown[-1, 1])
                turn = (names.index(name), len(names))
                panels.observed_curve(panel.axes, shown[:, :4], look, turn=turn)
            panels.in_background(panel.axes, others, step=True)
        panels.label(figure, x_label, label)
        room_in = figure.get_figheight() - panels.MARGIN_IN
        if len(grid) == 1 and panels.nameable(figure, looks, room_in):
            panels.name_ends(grid[0].axes, looks, ends, room_in)
        else:
            panels.legend(figure, looks)
    return figure


def _trajectories(
    frame: pd.DataFrame, *, looks: dict[str, style.Look], cost_label: str, label: str
) -> Figure:
    """Draw one panel per function and dimension. The scale of y of a panel fits its curves.

    - `frame`: With the columns ``cost``, ``curve``, ``observed``, ``low`` and ``high``; ``curve``
      and the limits are precisions. A curve begins where it is finite; there is no band where a
      limit is NaN.
    - `looks`: The look of each algorithm; algorithms with ``leads=False`` have no band.
    - `cost_label`, `label`: Labels of the x axis and the y axis.
    """
    with style.applied():
        figure, grid = panels.grid(panels.with_ends(frame, "cost"), share_y=False)
        floor = panels.zero_floor(frame["curve"])
        begun = frame[np.isfinite(frame["curve"])]
        costs = panels.limits(begun["cost"], margin=0.02)
        panels.set_log(grid[0].axes, "x", costs)
        names = list(looks)
        for panel in grid:
            drawn = panel.rows[np.isfinite(panel.rows["curve"])]
            bounds = panels.limits(panels.raised(drawn["curve"], floor), margin=0.06)
            others = []
            panels.set_log(panel.axes, "y", bounds)
            columns = ["cost", "curve", "observed", "end", "low", "high"]
            for name, values in panels.numbers_by_algorithm(drawn, columns):
                cost, observed = values[:, 0], values[:, 2]
                curve, low, high = panels.raised(values[:, [1, 4, 5]], floor).T
                if not looks[name].leads:
                    others.append(np.array([cost, curve])[:, observed == 1])
                    continue
                look, (low, high) = looks[name], np.clip([low, high], *bounds)
                panels.band(
                    panel.axes, cost, low, high, color=look.color, alpha=style.BAND_ALPHA, step=True
                )
                points = np.column_stack([cost, curve, values[:, 2:4]])
                turn = (names.index(name), len(names))
                panels.observed_curve(panel.axes, points, look, turn=turn)
            panels.in_background(panel.axes, others, step=True)
        panels.label(figure, cost_label, panels.with_zero(label, floor))
        panels.legend(figure, looks)
    return figure


ABREAST = 4
"""Hollow markers side by side in the strip; more algorithms have further lines of them."""
ASIDE_PT = 3.6
"""Distance between two of them in points."""
STRIP_PER_LINE = 0.075
SIDES = 0.08
"""Margin of the targets, in which hollow markers of the last one have room."""
STRIP_GREY = "#EDEDED"


def set_targets(ax: Axes, frame: pd.DataFrame, column: str, margin: float = SIDES) -> None:
    """Set the axis of x to the targets of a column, from easy to hard.

    It is logarithmic, or symmetrically so for precisions of 0 or less, linear for such values of f.
    """
    targets = frame[column]
    if (targets > 0).all():
        panels.set_log(ax, "x", panels.limits(targets, margin=margin)[::-1])
    elif frame.attrs.get("targets", "value") == "value":
        panels.set_linear(ax, panels.linear_limits(targets, margin=margin)[::-1])
    else:  # the best known precision can be surpassed
        panels.set_symlog(ax, targets)


def _target_lines(
    frame: pd.DataFrame, chart: Curves, *, looks: dict[str, style.Look], x_label: str, y_label: str
) -> Figure:
    """Costs over targets from easy to hard, one panel per function and dimension.

    Bands are the intervals of the table, cut at the ends of the axis, which follows the costs. The
    grey strip at the top has a hollow marker of each leading algorithm at the first target that
    none of its runs reached: from there on, its cost is infinite.
    """
    value, low, high = chart.y, chart.low, chart.high
    with style.applied():
        figure, grid = panels.grid(frame)
        leading = [name for name, look in looks.items() if look.leads]
        bottom, top = panels.limits(frame[value], margin=0.06)
        unreached = bool(np.isinf(frame[value]).any())
        lines = -(-len(leading) // ABREAST)
        strip = STRIP_PER_LINE * lines if unreached else 0.0
        ceiling = bottom * (top / bottom) ** (1 / (1 - strip))
        first = grid[0].axes
        set_targets(first, frame, chart.x)
        panels.set_log(first, "y", (bottom, ceiling))
        if unreached:
            first.set_yticks([t for t in first.get_yticks() if bottom <= t <= top])
            first.set_ylim(bottom, ceiling)
        for panel in grid:
            ax = panel.axes
            if np.isinf(panel.rows[value]).any():
                strip_box = Rectangle((0, 1 - strip), 1, strip, color=STRIP_GREY, linewidth=0)
                strip_box.set_transform(ax.transAxes)
                ax.add_patch(strip_box)
            columns, others = [chart.x, value, low, high], []
            for name, numbers in panels.numbers_by_algorithm(panel.rows, columns):
                x, y, bottoms, tops = (numbers[::-1] if chart.decreasing else numbers).T
                look = looks[name]
                finite = np.isfinite(y)
                if not look.leads:
                    others.append(np.array([x[finite], y[finite]]))
                    continue
                panels.band(
                    ax,
                    x,
                    np.where(finite, np.maximum(bottoms, bottom), np.nan),
                    np.minimum(tops, top),
                    color=look.color,
                    alpha=style.BAND_ALPHA,
                )
                panels.curve(ax, x[finite], y[finite], **look.line)
                first_missed = x[~finite][:1]
                line, place = divmod(leading.index(name), ABREAST)
                side_by_side = min(ABREAST, len(leading) - line * ABREAST)
                aside = ASIDE_PT / 72 * (place - (side_by_side - 1) / 2)
                shift = ScaledTranslation(aside, 0, figure.dpi_scale_trans)
                panels.curve(
                    ax,
                    first_missed,
                    np.full(first_missed.size, 1 - strip * (line + 0.5) / lines),
                    transform=ax.get_xaxis_transform() + shift,
                    marker=look.marker,
                    linestyle="",
                    markerfacecolor="white",
                    markeredgecolor=look.color,
                    markersize=3.0,
                    markeredgewidth=0.8,
                )
            panels.in_background(ax, others)
            if unreached and ax.yaxis.get_tick_params().get("labelleft", True):
                ax.annotate(
                    "∞",
                    (0, 1 - strip / 2),
                    xytext=(-4, 0),
                    xycoords="axes fraction",
                    textcoords="offset points",
                    ha="right",
                    va="center",
                    fontsize=9,
                )
        panels.label(figure, x_label)
        unreached_label = " (∞: no run reached it)" if unreached else ""
        panels.label(figure, y=y_label + unreached_label)
        panels.legend(figure, looks)
    return figure


SOLVED = 1e-8
"""Lower bound of precisions in a geometric mean. Otherwise, a single 0 would make the mean 0."""


def group_shares(frame: pd.DataFrame, x: str) -> pd.DataFrame:
    """The share over all functions and over those of each group.

    Rows of all functions keep their limits. A group has no limits. Its share is the average over
    its functions, weighted by their runs; it ends where the first of their curves does.

    - `frame`: With the columns ``suite``, ``dimension``, ``function`` (a number or ``all``),
      ``algorithm``, `x`, ``runs``, ``fraction``, ``low`` and ``high``.
    - `x`: The column of the horizontal axis.
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
    """The geometric mean of a precision over all functions and over those of each group.

    There is no value where a function of the group has no finite value.

    - `frame`: With the columns ``suite``, ``dimension``, ``function``, ``algorithm``, `x` and
      `value`.
    - `x`, `value`: The column of the horizontal axis, and that of the precision.
    """
    grouped = _grouped(frame[np.isfinite(frame[value])], every=True)
    grouped = grouped.assign(log=np.log10(np.maximum(grouped[value], SOLVED)))
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
    """The rows once with the name of their group, and once for all functions if `every`.

    Without groups that fit on a page, there are only the rows for all functions. If it is not
    known whether runs were cut off, all count as observed.
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
