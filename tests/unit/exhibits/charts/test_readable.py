"""Every figure is readable at every size of a campaign: on a page, without text over text."""

import numpy as np
import pytest
from matplotlib.lines import Line2D
from synthetic import HAIR, boxes_of_text, frames, outside

from timefair.exhibits.charts import style
from timefair.exhibits.charts.pages import PAGE_IN
from timefair.exhibits.registry import FIGURES

ALGORITHMS = (1, 8, 13, 104)
SPACES = {
    "1x1": ((1,), (5,)),
    "6x1": ((1, 3, 8, 10, 15, 21), (5,)),
    "24x3": (range(1, 25), (2, 5, 10)),
}
"""Functions and dimensions."""
IN_CI = {("1x1", 1), ("6x1", 104)}
"""The smallest size and the one that is hardest to draw; others only with ``--thorough``."""
LEGEND_SHARE = 0.3
FILLED = 0.35
"""Least share of an axis that the curves of all panels together take."""
SIZES = [
    pytest.param(
        space,
        count,
        id=f"{count} on {space}",
        marks=pytest.mark.slow if (space, count) in IN_CI else pytest.mark.thorough,
    )
    for space in SPACES
    for count in ALGORITHMS
]


def names(count):
    kinds = ("DE-rand-1-bin F=0.5 CR=0.9", "jDE", "CMA-ES", "PSO-global", "L-BFGS-B")
    return tuple(f"{kinds[k % len(kinds)]} {k}" if k else "jDE" for k in range(count))


def table_of(name, space, count):
    functions, dimensions = SPACES[space]
    made = frames(tuple(functions), dimensions, names(count))[FIGURES[name].table]
    if count == 1 and "critical_difference" in made:
        made = made.assign(critical_difference=np.nan)  # of one algorithm there is none
    return made.assign(runs=3, **{c: huge(made[c]) for c in made if c.endswith(("_low", "_high"))})


def huge(limits):
    """Limits of a Student band of three runs."""
    return limits * (1e-55 if limits.name.endswith("_low") else 1e55)


def pages(name, space, count):
    table = table_of(name, space, count)
    for page in FIGURES[name].pages_of(table):
        yield page, FIGURES[name](table, page)


@pytest.mark.thinned(40)
@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize(("space", "count"), SIZES)
def test_a_figure_is_readable(name, space, count):
    for page, figure in pages(name, space, count):
        file = page.file(name)
        assert (figure.get_size_inches() <= np.array(PAGE_IN) + 1e-9).all(), file
        boxes = boxes_of_text(figure)
        assert not overlaps(boxes), file
        assert not outside(figure, boxes), file
        with style.applied():
            figure.draw_without_rendering()
        assert legend_share(figure) <= LEGEND_SHARE, file
        for axis in "xy":
            assert filled(figure, axis) >= FILLED, (file, axis)


def overlaps(boxes):
    texts = [text for text, *_ in boxes]
    corners = np.array([np.sort(box, axis=0) for box in boxes.values()])
    low, high = corners[:, 0] + HAIR, corners[:, 1] - HAIR
    over = (low[:, None] < high[None]) & (low[None] < high[:, None])
    first, second = np.nonzero(np.triu(over.all(axis=2), 1))
    return [(texts[i], texts[j]) for i, j in zip(first, second, strict=True)]


def legend_share(figure):
    """Of the area of the figure; 1 for a legend that lies on a panel."""
    if not figure.legends:
        return 0.0
    (legend,) = figure.legends
    box = legend.get_window_extent()
    shown = [ax.get_window_extent() for ax in figure.axes if ax.get_visible()]
    if any(box.y0 < panel.y1 and box.x0 < panel.x1 and panel.x0 < box.x1 for panel in shown):
        return 1.0
    return box.width * box.height / (figure.bbox.width * figure.bbox.height)


def filled(figure, axis):
    """The largest share of a logarithmic axis that curves take, of all axes of the figure."""
    ends = {}
    for ax in figure.axes:
        if getattr(ax, f"get_{axis}scale")() != "log":
            continue
        (shared,) = {id(a) for a in getattr(ax, f"get_shared_{axis}_axes")().get_siblings(ax)[:1]}
        for line in ax.get_children():
            if isinstance(line, Line2D) and line.get_transform() == ax.transData:
                points = line.get_transform().transform(line.get_xydata())
                places = ax.transAxes.inverted().transform(points)[:, "xy".index(axis)]
                ends.setdefault(shared, []).extend(places[np.isfinite(places)])
    several = [np.clip(values, 0, 1) for values in ends.values() if np.ptp(values) > 1e-9]
    return max(map(float, map(np.ptp, several)), default=1.0)
