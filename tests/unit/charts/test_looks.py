"""A colour belongs to an algorithm: in every figure of a campaign and on its page."""

import itertools

import numpy as np
import pytest
from matplotlib.colors import to_hex
from synthetic import ALGORITHMS, frames

from timefair.charts.pages import ORDER
from timefair.charts.paper import panels, style
from timefair.exhibits.registry import FIGURES, TABLES
from timefair.report.markup import Names
from timefair.rundata.pairs import in_order_of_looks
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis

NAMES = tuple(f"algorithm {k:02}" for k in range(13))
NAMED = {"critical_difference", "portfolio", "probability_best", "cost_map"}
"""Figures whose legends are not those of algorithms, or only of those that lead somewhere."""
WITH_LEGEND = [name for name in FIGURES if not name.startswith("run_count") and name not in NAMED]
WITH_ALL = {"sorted_solutions", "restarts"}
"""Figures that name all algorithms, or that have no legend if there are many."""


def colours(figure):
    """The colours of the legend, by the names of the entries."""
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
@pytest.mark.parametrize("name", [name for name in WITH_LEGEND if name not in WITH_ALL])
def test_of_many_algorithms_those_that_own_a_colour_keep_it(name):
    order = [*NAMES[3:], *NAMES[:3]]
    found = colours(drawn(name, NAMES, order))
    found = {entry: colour for entry, colour in found.items() if entry in NAMES}
    assert len(set(found.values())) == len(found)
    assert 1 < len(found) <= style.LEADERS
    for owner, colour in zip(order, style.VIVID, strict=False):
        assert found.get(owner, colour) == colour


def test_leaders_without_a_colour_take_those_of_the_last_owners():
    every = style.looks(NAMES)
    leaders = [NAMES[k] for k in (12, 0, 9, 6, 2)]
    looks = style.highlighted(every, leaders)
    found = {name: style.VIVID.index(looks[name].color) for name in leaders}
    assert found == {NAMES[0]: 0, NAMES[2]: 2, NAMES[6]: 6, NAMES[9]: 5, NAMES[12]: 4}
    assert all(looks[name].marker == style.MARKERS[k] for name, k in found.items())
    assert style.highlighted(every, reversed(leaders)) == looks
    eight = style.highlighted(every, NAMES[5:])
    assert len({eight[name].color for name in NAMES[5:]}) == 8
    assert eight[NAMES[12]].color == style.GREY


def test_the_winners_at_any_evaluation_cost_are_in_colour():
    table = frames((1,), (5,), NAMES)["cost_winners"]
    cheap = table["evaluation_cost_s"] < 1e-3
    place = table.groupby("algorithm").ngroup()
    table["fraction"] = np.where(cheap, place == 11, place == 12) * 0.6 + 0.01 * place
    leaders = panels.leaders(
        table, value="fraction", within=["evaluation_cost_s"], highest=True, anywhere=True
    )
    assert leaders[:2] == [NAMES[12], NAMES[11]]
    table["fraction"] = np.where(cheap & (place == 0), 0.9, table["fraction"])
    found = colours(FIGURES["cost_winners"](table))
    assert {NAMES[0], NAMES[12]} < set(found)  # the first one is the last at large costs


def test_areas_of_few_winners_among_many_algorithms_are_all_in_colour():
    table = frames((1,), (5,), NAMES)["cost_map"]
    table["best"] = table["best"].where(table["best"].isin([NAMES[2], NAMES[9], NAMES[12]]))
    table.attrs[ORDER] = list(NAMES)
    found = colours(FIGURES["cost_map"](table))
    owned = dict(zip(NAMES, style.VIVID, strict=False))
    assert found[NAMES[2]] == owned[NAMES[2]]
    assert {found[NAMES[k]] for k in (9, 12)} == {style.VIVID[6], style.VIVID[5]}
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
    assert in_order_of_looks(campaign(NAMES[:8])) == list(NAMES[:8])
    assert in_order_of_looks(campaign(NAMES)) == list(reversed(NAMES))


def test_the_page_has_the_colours_of_the_figures(campaign):
    frame = TABLES["ranks"](campaign(NAMES), Analysis(targets=(0.5, 0.1)))
    assert frame.attrs[ORDER] == list(reversed(NAMES))
    figure = FIGURES["ranks"](frame)
    names = Names.of(NAMES, first=NAMES[4:], order=frame.attrs[ORDER])
    found = {name: colour for name, colour in colours(figure).items() if name in NAMES}
    assert {name: names.looks[name].color for name in found} == found
    assert len({names.looks[name].color for name in names.shown}) == len(names.shown) == 8
    few = Names.of(NAMES[:8], order=NAMES[:8])
    assert [look.color for look in few.looks.values()] == list(style.COLOURS)
