"""Figures, their pages and colours, and what they show."""

import html
import itertools
import warnings

import matplotlib
import numpy as np
import pandas as pd
import pytest
from campaigns import SMALL, SPHERE
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch, Rectangle
from synthetic import ALGORITHMS, frames

from timefair import cli
from timefair.campaign import configuration
from timefair.exhibits import files
from timefair.exhibits.charts import maps, panels, style
from timefair.exhibits.charts.pages import COLUMNS, LINES, MANY, ORDER, pages
from timefair.exhibits.registry import FIGURES, TABLES
from timefair.problems.suites import SUITES
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.report.markup import Names

INF = np.inf
RUN_COUNT = [name for name in FIGURES if name.startswith("run_count")]
NOTES = dict.fromkeys(RUN_COUNT, "no cell has as many runs") | {"sorted_solutions": "alike"}
"""Figures that say why there is nothing to draw."""


def drawn(name, tables) -> Figure:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = FIGURES[name](tables[FIGURES[name].table])
        with style.applied():
            figure.draw_without_rendering()
    return figure


def shown_axes(figure):
    return [ax for ax in figure.axes if ax.get_visible()]


def patches(ax):
    return [patch for patch in ax.get_children() if type(patch) is PathPatch]


@pytest.mark.slow
def test_the_map_is_pale_where_the_lead_is_shared_and_grey_where_nothing_is_known():
    table = frames(dimensions=(2,))["cost_map"]
    full = {look.color.lower() for look in style.looks_in(table, "best").values()}
    for ax in shown_axes(FIGURES["cost_map"](table)):
        colours = {to_hex(patch.get_facecolor()) for patch in patches(ax)}
        assert full | {maps.UNKNOWN.lower()} < colours
        assert len(colours) == 2 * len(ALGORITHMS) + 1
    sure = table.assign(tied=None, known=True)
    for ax in shown_axes(FIGURES["cost_map"](sure)):
        assert {to_hex(patch.get_facecolor()) for patch in patches(ax)} == full


def test_the_map_ends_at_the_last_known_budget():
    costs, budgets = np.meshgrid([0.0, 1e-3, 1e-2, 1e-1], [1.0, 10.0, 100.0, 1000.0])
    table = pd.DataFrame({"evaluation_cost_s": costs.ravel(), "budget_s": budgets.ravel()})
    table = table.assign(suite="bbob", dimension=2, measure="share", known=table["budget_s"] < 1000)
    table = table.assign(tied=None, best="A")
    ax = shown_axes(FIGURES["cost_map"](pd.concat([table, table.assign(measure="rank")])))[0]
    assert ax.get_ylim() == (0, 3)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", [name for name in FIGURES if name != "eaf_difference"])
def test_the_figure_of_an_empty_table_says_so(name):
    figure = drawn(name, {FIGURES[name].table: frames()[FIGURES[name].table].iloc[:0]})
    (text,) = figure.texts
    assert NOTES.get(name, "nothing to draw: the table has no rows") in text.get_text()
    assert not figure.axes


@pytest.mark.thinned(3)
@pytest.mark.slow
@pytest.mark.parametrize("name", ["ert", "anytime", "quantiles"])
def test_a_panel_for_each_function_and_dimension(name):
    titles = [ax.get_title() for ax in shown_axes(drawn(name, frames()))]
    assert titles == [f"{f}, D = {d}" for d in (2, 5) for f in ("f1 sphere", "f3 Rastrigin")]


@pytest.mark.slow
def test_a_critical_difference_diagram_names_the_algorithms_and_joins_what_does_not_differ():
    tables = frames(dimensions=(2,))
    figure = drawn("critical_difference", tables)
    titles = [ax.get_title() for ax in shown_axes(figure)]
    assert titles == ["D = 2, median precision at the end", "D = 2, ERT in seconds"]
    ax = figure.axes[0]
    named = {text.get_text() for text in ax.texts}
    assert {"a very long name of an algorithm  2.00", "CMA-ES  1.00", "3.00  random"} <= named
    assert "CD = 1.50" in named
    bars = [line.get_xdata().tolist() for line in ax.lines if line.get_linewidth() > 1.5]
    assert sorted(bars) == [[1.0, 2.0], [2.0, 3.0]]  # each from left to right


def test_the_line_of_an_algorithm_goes_from_its_rank_by_evaluations_to_its_rank_by_time():
    figure = drawn("rank_reversals", frames(dimensions=(2,)))
    assert [ax.get_title() for ax in shown_axes(figure)] == [
        "D = 2, fixed budget (median precision)",
        "D = 2, fixed targets (ERT)",
    ]
    lines = figure.axes[0].lines
    assert [line.get_ydata().tolist() for line in lines] == [[1.0, 3.0], [2.0, 2.0], [3.0, 1.0]]


def test_an_infinite_ert_is_a_hollow_marker_at_the_top_of_the_first_target_that_was_not_reached():
    tables = frames(functions=(1, 3), dimensions=(2,))
    ert, limits = tables["ert"], ["ert_s", "ert_s_low", "ert_s_high"]
    ert.loc[(ert["target"] < 1) & (ert["function"] == 1), limits] = INF
    figure = drawn("ert", tables)
    first, other = (
        [one for one in ax.lines if one.get_markerfacecolor() == "white" and one.get_xdata().size]
        for ax in figure.axes
    )
    assert [line.get_xdata().tolist() for line in first] == [[0.1]] * len(ALGORITHMS)
    assert not other
    strips = [[p for p in ax.patches if isinstance(p, Rectangle)] for ax in figure.axes]
    assert [len(of) for of in strips] == [1, 0]
    assert "∞" in figure.get_supylabel()
    places = [line.get_transform().transform(line.get_xydata())[0] for line in first]
    assert np.ptp([x for x, _ in places]) > 0
    box = figure.axes[0].get_window_extent()
    assert all(box.y0 + 0.9 * box.height < y < box.y1 for _, y in places)


@pytest.mark.slow
def test_a_pdf_has_one_font_that_can_be_edited(tmp_path):
    style.save(FIGURES["ert"](frames((1,), (2,))["ert"]), tmp_path / "figure.pdf")
    pdf = (tmp_path / "figure.pdf").read_bytes()
    assert pdf.count(b"/FontFile2") == 1  # TrueType
    assert b"/Type3" not in pdf


@pytest.mark.slow
def test_all_files_of_a_figure_have_one_layout(tmp_path):
    figure = FIGURES["ert"](frames(functions=(1,), dimensions=(2,))["ert"])
    first, second, third = (tmp_path / f"{k}.png" for k in range(3))
    style.save(figure, first)
    place = figure.axes[0].get_position().bounds
    style.save(figure, tmp_path / "figure.pdf", second)
    assert figure.axes[0].get_position().bounds == place
    style.save(figure, third)
    assert first.read_bytes() == second.read_bytes() == third.read_bytes()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("least", [5e-324, 1e-8, 1e299, 1.7e308])
def test_an_axis_reaches_the_largest_number(least, tmp_path):
    with style.applied():
        figure = Figure()
        ax = figure.subplots()
        values = [least, np.finfo(float).max]
        panels.set_log(ax, "y", panels.limits(values))
        ax.plot([0, 1], values)
        style.save(figure, tmp_path / "figure.svg")
        low, high = ax.get_ylim()
        ticks = ax.yaxis.get_majorticklocs()
    assert low < high < INF
    assert len(ticks)
    assert np.isfinite(ticks).all()


def test_the_users_settings_have_no_effect(tmp_path):
    def drawn(name):
        with style.applied():
            figure = Figure()
            figure.subplots().set_title("a title")
            style.save(figure, tmp_path / name)
        return (tmp_path / name).read_bytes()

    ours = drawn("ours.svg")
    with matplotlib.rc_context({"text.usetex": True, "axes.facecolor": "red", "axes.grid": True}):
        assert drawn("theirs.svg") == ours
        assert matplotlib.rcParams["text.usetex"]


@pytest.mark.parametrize("name", ["price $ of $ {", r"$\frac{$", "cost [$] per [$/h]", "a_b $x_1$"])
def test_names_are_printed_as_they_are(name, tmp_path):
    with style.applied():
        figure = Figure()
        figure.subplots().set_title(name)
        style.save(figure, *(tmp_path / f"figure.{kind}" for kind in ("svg", "pdf", "png")))
    assert html.escape(name, quote=False) in (tmp_path / "figure.svg").read_text()


def test_a_curve_that_ends_before_the_others_ends_in_a_cross():
    tables = frames(functions=(1,), dimensions=(2,), algorithms=("A", "B"))
    anytime = tables["anytime"]
    tables["anytime"] = anytime[(anytime["algorithm"] == "A") | (anytime["cost"] < 0.1)]
    ax = drawn("anytime", tables).axes[0]
    lines = [artist for artist in ax.get_children() if isinstance(artist, Line2D)]
    (cross,) = [line for line in lines if line.get_marker() == "x"]
    assert cross.get_xdata()[0] == tables["anytime"].query("algorithm == 'B'")["cost"].max()


@pytest.mark.slow
def test_the_widest_disagreements_are_drawn():
    made = frames((1, 3, 8), (5,), tuple("ABCDE"))["sorted_solutions"]
    figure = FIGURES["sorted_solutions"](made)
    assert "the 8 widest of 15 disagreements" in figure.get_supxlabel()
    titles = [ax.get_title() for ax in shown_axes(figure)]
    assert titles == ["f1, D = 5", *["f3, D = 5"] * 2, *["f8, D = 5"] * 5]


CAMPAIGN = SMALL | {
    "problems": SPHERE | {"functions": "1-24", "dimensions": [2, 5]},
    "figures": "all",
}


def campaign(**changes):
    return configuration.parse({**CAMPAIGN, **changes})


@pytest.mark.parametrize(
    ("dimensions", "functions", "algorithms", "files"),
    [
        ((5,), 6, 8, ["ert"]),
        ((2, 5, 10), 6, MANY - 1, ["ert"]),
        ((5,), LINES * COLUMNS, 8, ["ert"]),
        ((5,), 1, 104, ["ert"]),
        ((5,), 2, MANY, ["ert", "ert_D5"]),
        ((10, 2), 24, 8, ["ert", "ert_D2", "ert_D10"]),
        ((5,), 49, 1, ["ert", "ert_D5_f1_24", "ert_D5_f25_48", "ert_D5_f49_49"]),
    ],
)
def test_a_figure_is_divided_where_a_page_has_no_room(dimensions, functions, algorithms, files):
    found = pages("functions", dimensions, range(1, functions + 1), algorithms)
    assert [page.file("ert") for page in found] == files
    assert [page.overview for page in found] == [
        len(files) > 1,
        *[False] * (len(files) - 1),
    ]


@pytest.mark.slow
def test_a_table_has_the_pages_of_its_campaign():
    made = frames(range(1, 25), (2, 5), ("A",))
    for name, figure in FIGURES.items():
        if figure.needs == "nothing":
            assert figure.pages_of(made[figure.table]) == campaign().pages_of(name), name


def test_a_figure_without_what_it_needs_is_not_asked_for():
    one = campaign()
    assert "run_count_rules" in one.lacking
    assert "run_count_rules" not in one.figure_names
    assert "run_count_groups" not in one.made_tables
    assert one.not_drawn == []
    assert "run_count_rules" in campaign(runs=50).figure_names


@pytest.mark.parametrize("suite", SUITES.values(), ids=list(SUITES))
def test_names_and_groups_are_of_functions_that_the_suite_has(suite):
    assert set(suite.names) <= set(suite.functions)
    grouped = [function for numbers in suite.groups.values() for function in numbers]
    assert not grouped or grouped == list(suite.functions)


@pytest.mark.slow
def test_the_command_draws_all_pages(tmp_path, capsys):
    (tmp_path / "campaign.json").write_text(campaign(figures=["ert"]).snapshot())
    (tmp_path / "tables").mkdir()
    files.write(frames(range(1, 25), (2, 5), ("A",))["ert"], tmp_path / "tables/ert.parquet")
    words = f"figure {tmp_path} ert --output {tmp_path}/mine.svg"
    assert cli.main(words.split()) == 0
    made = [tmp_path / name for name in ("mine.svg", "mine_D2.svg", "mine_D5.svg")]
    assert sorted(capsys.readouterr().out.split()) == sorted(map(str, made))
    assert sorted(tmp_path.glob("*.svg")) == made
    made[2].unlink()
    made[2].mkdir()
    made[0].unlink()
    assert cli.main(words.split()) == 2
    assert capsys.readouterr().err == f"timefair: {made[2]}: is a folder; name a file in it\n"
    assert not made[0].exists()  # before the first page is drawn


NAMES = tuple(f"algorithm {k:02}" for k in range(20))
NAMED = {
    "critical_difference", "portfolio", "cost_map", "eaf", "eaf_difference",
}  # fmt: skip
"""Figures whose legends are not those of algorithms, or only of those that lead somewhere."""
LEGENDS = [name for name in FIGURES if not name.startswith("run_count") and name not in NAMED]
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


def drawing(name, algorithms, order):
    table = frames((1,), (5,), algorithms)[FIGURES[name].table]
    table.attrs[ORDER] = order
    return FIGURES[name](table, FIGURES[name].pages_of(table)[-1])


@pytest.mark.thinned(5)
@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in LEGENDS if name != "restarts"])
def test_sixteen_algorithms_have_the_same_colours_in_all_figures(name):
    order = [*NAMES[3:16], *NAMES[:3]]
    found = colours(drawing(name, NAMES[:16], order))
    assert found.items() <= dict(zip(order, style.COLOURS, strict=True)).items()
    assert len(found) > 1


@pytest.mark.thinned(5)
@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in LEGENDS if name not in WITH_ALL])
def test_of_many_algorithms_those_that_own_a_colour_keep_it(name):
    order = [*NAMES[3:], *NAMES[:3]]
    found = colours(drawing(name, NAMES, order))
    found = {entry: colour for entry, colour in found.items() if entry in NAMES}
    assert len(set(found.values())) == len(found)
    assert 1 < len(found) <= style.LEADERS
    for owner, colour in zip(order, style.COLOURS, strict=False):
        assert found.get(owner, colour) == colour


@pytest.fixture
def coloured(run, table):
    """A function: so many algorithms on two functions; the later in the alphabet, the better."""

    def make(names):
        rows = [
            run([(1, 0.1, 1.0 / (k + 1))], algorithm=name, function=function)
            for (k, name), function in itertools.product(enumerate(names), (1, 2))
        ]
        return Runs.of(table(*rows))

    return make


def test_the_page_has_the_colours_of_the_figures(coloured):
    frame = TABLES["ranks"](coloured(NAMES), Analysis(targets=(0.5, 0.1)))
    assert frame.attrs[ORDER] == list(reversed(NAMES))
    figure = FIGURES["ranks"](frame)
    names = Names.of(NAMES, first=NAMES[4:], order=frame.attrs[ORDER])
    found = {name: colour for name, colour in colours(figure).items() if name in NAMES}
    assert {name: names.looks[name].color for name in found} == found
    assert len({names.looks[name].color for name in names.shown}) == len(names.shown) == 8
    few = Names.of(NAMES[:16], order=NAMES[:16])
    assert [look.color for look in few.looks.values()] == list(style.COLOURS)
    assert few.shown == set(NAMES[:16])
