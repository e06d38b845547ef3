"""A colour belongs to an algorithm: in every figure of a campaign and on its page."""

import itertools

import numpy as np
import pytest
from matplotlib.colors import to_hex, to_rgb
from synthetic import frames

from timefair.exhibits.charts import style
from timefair.exhibits.charts.pages import ORDER
from timefair.exhibits.registry import FIGURES, TABLES
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.report.markup import Names

NAMES = tuple(f"algorithm {k:02}" for k in range(20))
NAMED = {
    "critical_difference", "portfolio", "cost_map", "eaf", "eaf_difference",
}  # fmt: skip
"""Figures whose legends are not those of algorithms, or only of those that lead somewhere."""
WITH_LEGEND = [name for name in FIGURES if not name.startswith("run_count") and name not in NAMED]
WITH_ALL = {"sorted_solutions", "restarts"}
"""Figures that name all algorithms, or that have no legend if there are many."""


def colours(figure):
    """The colours of the legend, by the names of the entries; or those of the names of curves, or
    of the marks in each row.
    """
    if not figure.legends:
        ax = figure.axes[-1]
        ends = {text.get_text(): to_hex(text.get_color()) for text in ax.texts}
        of_level = {line.get_ydata()[0]: to_hex(line.get_color()) for line in ax.lines}
        rows = [label.get_text() for label in figure.axes[0].get_yticklabels()]
        return ends or {rows[level]: color for level, color in of_level.items()}
    (legend,) = figure.legends
    return {
        text.get_text(): to_hex(
            handle.get_facecolor() if hasattr(handle, "get_facecolor") else handle.get_color()
        )
        for text, handle in zip(legend.get_texts(), legend.legend_handles, strict=True)
    }


def drawn(name, algorithms, order):
    table = frames((1,), (5,), algorithms)[FIGURES[name].table]
    table.attrs[ORDER] = order
    return FIGURES[name](table, FIGURES[name].pages_of(table)[-1])


@pytest.mark.thinned(5)
@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in WITH_LEGEND if name != "restarts"])
def test_sixteen_algorithms_have_the_same_colours_in_all_figures(name):
    order = [*NAMES[3:16], *NAMES[:3]]
    found = colours(drawn(name, NAMES[:16], order))
    assert found.items() <= dict(zip(order, style.COLOURS, strict=True)).items()
    assert len(found) > 1


@pytest.mark.thinned(5)
@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in WITH_LEGEND if name not in WITH_ALL])
def test_of_many_algorithms_those_that_own_a_colour_keep_it(name):
    order = [*NAMES[3:], *NAMES[:3]]
    found = colours(drawn(name, NAMES, order))
    found = {entry: colour for entry, colour in found.items() if entry in NAMES}
    assert len(set(found.values())) == len(found)
    assert 1 < len(found) <= style.LEADERS
    for owner, colour in zip(order, style.COLOURS, strict=False):
        assert found.get(owner, colour) == colour


def test_the_colours_beyond_the_palette_of_seaborn_differ_in_all_kinds_of_colour_vision():
    """By the distance in Oklab, after the simulation of Machado et al. (2009), severity 1."""
    seen = np.array([[_oklab(kind @ _linear(colour)) for kind in VISION] for colour in SEEN])
    distance = np.linalg.norm(seen[:, None] - seen[None], axis=-1).min(axis=-1)
    np.fill_diagonal(distance, np.inf)
    assert distance[:7, :7].min() < distance[7:].min()


SEEN = (*style.COLOURS, style.OTHER.color)
VISION = np.array(
    [
        np.eye(3),
        [[0.1523, 1.0526, -0.2049], [0.1145, 0.7863, 0.0992], [-0.0039, -0.0481, 1.0520]],
        [[0.3673, 0.8606, -0.2280], [0.2801, 0.6725, 0.0474], [-0.0118, 0.0429, 0.9689]],
        [[1.2555, -0.0767, -0.1788], [-0.0784, 0.9308, 0.1476], [0.0047, 0.6914, 0.3039]],
    ]
)


def _linear(colour):
    part = np.array(to_rgb(colour))
    return np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)


def _oklab(rgb):
    cones = [[0.4122, 0.5363, 0.0514], [0.2119, 0.6807, 0.1074], [0.0883, 0.2817, 0.6300]]
    to_lab = [[0.2105, 0.7936, -0.0041], [1.9780, -2.4286, 0.4506], [0.0259, 0.7828, -0.8087]]
    return np.array(to_lab) @ np.cbrt(np.array(cones) @ np.clip(rgb, 0, 1))


@pytest.fixture
def campaign(run, table):
    """A function: so many algorithms on two functions; the later in the alphabet, the better."""

    def make(names):
        rows = [
            run([(1, 0.1, 1.0 / (k + 1))], algorithm=name, function=function)
            for (k, name), function in itertools.product(enumerate(names), (1, 2))
        ]
        return Runs.of(table(*rows))

    return make


def test_the_page_has_the_colours_of_the_figures(campaign):
    frame = TABLES["ranks"](campaign(NAMES), Analysis(targets=(0.5, 0.1)))
    assert frame.attrs[ORDER] == list(reversed(NAMES))
    figure = FIGURES["ranks"](frame)
    names = Names.of(NAMES, first=NAMES[4:], order=frame.attrs[ORDER])
    found = {name: colour for name, colour in colours(figure).items() if name in NAMES}
    assert {name: names.looks[name].color for name in found} == found
    assert len({names.looks[name].color for name in names.shown}) == len(names.shown) == 8
    few = Names.of(NAMES[:16], order=NAMES[:16])
    assert [look.color for look in few.looks.values()] == list(style.COLOURS)
    assert few.shown == set(NAMES[:16])
