"""A colour belongs to an algorithm: in every figure of a campaign and on its page."""

import itertools

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex, to_rgb
from synthetic import ALGORITHMS, frames

from timefair.charts import style
from timefair.charts.pages import ORDER
from timefair.exhibits.registry import FIGURES, TABLES
from timefair.report.markup import Names
from timefair.rundata.pairs import MOST_COLOURS, in_order_of_looks
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis

NAMES = tuple(f"algorithm {k:02}" for k in range(20))
NAMED = {"critical_difference", "portfolio", "probability_best", "cost_map"}
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


@pytest.mark.slow
@pytest.mark.parametrize("name", WITH_LEGEND)
def test_few_algorithms_have_the_colours_of_the_order_of_their_table(name):
    order = ["none of these", *reversed(ALGORITHMS)]
    expected = dict(zip(order[1:], style.COLOURS[1:], strict=False))
    assert colours(drawn(name, ALGORITHMS, order)) == expected


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in WITH_LEGEND if name != "restarts"])
def test_sixteen_algorithms_have_the_same_colours_in_all_figures(name):
    order = [*NAMES[3:16], *NAMES[:3]]
    found = colours(drawn(name, NAMES[:16], order))
    assert found.items() <= dict(zip(order, style.COLOURS, strict=True)).items()
    assert len(found) > 1


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


def test_leaders_without_a_colour_take_the_last_ones_that_are_free():
    every = style.looks(NAMES)
    leaders = [NAMES[k] for k in (19, 0, 16, 15, 2)]
    looks = style.highlighted(every, leaders)
    found = {name: style.COLOURS.index(looks[name].color) for name in leaders}
    assert found == {NAMES[0]: 0, NAMES[2]: 2, NAMES[15]: 15, NAMES[16]: 14, NAMES[19]: 13}
    assert all(looks[name].marker == style.MARKERS[k % 11] for name, k in found.items())
    assert style.highlighted(every, reversed(leaders)) == looks
    sixteen = style.highlighted(every, NAMES[4:])
    assert len({sixteen[name].color for name in NAMES[4:]}) == 16


def test_a_figure_of_few_of_many_algorithms_has_no_colour_twice():
    frame = pd.DataFrame({"algorithm": NAMES[2:18]})
    frame.attrs[ORDER] = list(NAMES)
    assert len({look.color for look in style.looks_in(frame).values()}) == 16
    assert all(look.leads for look in style.looks_in(frame, leaders=[]).values())


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


def test_the_largest_shares_at_any_evaluation_cost_are_in_colour():
    """Even if each of them is behind others at every cost."""
    table = frames((1,), (5,), NAMES)["cost_winners"]
    cheap = table["evaluation_cost_s"] < 1e-3
    place = table.groupby("algorithm").ngroup()
    table["fraction"] = np.where(cheap, place < 7, 0.1 * (place == 19)) * 0.1 + 0.001 * place
    table["fraction"] = table["fraction"].where(~cheap | (place != 19), 0.0)
    table.attrs[ORDER] = list(NAMES)
    found = set(colours(FIGURES["cost_winners"](table)))
    assert found == {*NAMES[:7], NAMES[19], "12 others"}


def test_the_best_rank_by_evaluations_is_in_colour_even_if_it_is_the_last_by_time():
    table = frames((1,), (5,), NAMES)["rankings"]
    found = colours(FIGURES["inversions"](table))
    assert {NAMES[0], NAMES[19], "12 others"} < set(found)


def test_areas_of_few_winners_among_many_algorithms_are_all_in_colour():
    table = frames((1,), (5,), NAMES)["cost_map"]
    table["best"] = table["best"].where(table["best"].isin([NAMES[2], NAMES[9], NAMES[18]]))
    table.attrs[ORDER] = list(NAMES)
    found = colours(FIGURES["cost_map"](table))
    assert {name: style.COLOURS.index(found[name]) for name in found if name in NAMES} == {
        NAMES[2]: 2,
        NAMES[9]: 9,
        NAMES[18]: 15,
    }
    assert not any("others" in entry for entry in found)


def test_an_overview_of_bands_names_the_algorithms_that_have_one():
    table = frames((1, 3), (5,), NAMES)["cost_lines"]
    limits = ["lowest_from_s", "lowest_to_s"]
    table[limits] = table[limits].where(table["algorithm"].isin(NAMES[3:5]))
    overview, *_ = FIGURES["cost_lines"].pages_of(table)
    assert set(colours(FIGURES["cost_lines"](table, overview))) == set(NAMES[3:5])


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


def test_few_algorithms_are_in_alphabetical_order_and_many_by_their_precision(campaign):
    assert len(style.COLOURS) == MOST_COLOURS
    assert in_order_of_looks(campaign(NAMES[:16])) == list(NAMES[:16])
    assert in_order_of_looks(campaign(NAMES)) == list(reversed(NAMES))


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
