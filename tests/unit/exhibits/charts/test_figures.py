"""Every figure draws every table, the odd ones too, without a warning."""

import html
import re
import warnings
import zlib
from io import BytesIO

import matplotlib
import numpy as np
import pandas as pd
import pytest
from fontTools.ttLib import TTFont
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch, Rectangle
from synthetic import ALGORITHMS, frames

from timefair.exhibits.charts import maps, panels, style
from timefair.exhibits.registry import FIGURES

INF = np.inf
RUN_COUNT = [name for name in FIGURES if name.startswith("run_count")]
WITHOUT_ALGORITHMS = {"critical_difference", "portfolio", *RUN_COUNT}
WITH_LEGEND = [name for name in FIGURES if name not in WITHOUT_ALGORITHMS]
OURS = {"axes.grid", "axes.spines.right", "axes.spines.top", "grid.color", "font.family"}
OURS |= {"font.sans-serif", "image.cmap"}
"""Settings that seaborn has otherwise; a heat map names its colours."""
WITH_NOTE = ["sorted_solutions", "eaf_difference", *RUN_COUNT]
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


@pytest.mark.thinned(8)
@pytest.mark.slow
@pytest.mark.parametrize("name", WITH_LEGEND)
def test_the_legend_names_the_algorithms_of_the_table(name):
    (legend,) = drawn(name, frames(dimensions=(2,))).legends
    shown = [text.get_text() for text in legend.get_texts()]
    signs = ["not observed"] if name == "cost_map" else []
    assert sorted(shown) == sorted([*ALGORITHMS, *signs])


def bands(ax):
    """The bands of a panel that are not empty."""
    return [band for band in ax.collections if band.get_alpha() and band.get_paths()]


def colours_of_patches(figure):
    return [
        {to_hex(patch.get_facecolor()) for patch in ax.get_children() if type(patch) is PathPatch}
        for ax in shown_axes(figure)
    ]


@pytest.mark.slow
def test_the_map_is_pale_where_the_lead_is_shared_and_grey_where_nothing_is_known():
    table = frames(dimensions=(2,))["cost_map"]
    full = {look.color.lower() for look in style.looks_in(table, "best").values()}
    other = {"#ffffff", maps.UNKNOWN.lower()}  # white: joints of cells without a winner
    for colours in colours_of_patches(FIGURES["cost_map"](table)):
        assert full | other < colours
        assert len(colours) == 2 * len(ALGORITHMS) + 2
    sure = table.assign(tied=None, known=True)
    for colours in colours_of_patches(FIGURES["cost_map"](sure)):
        assert colours == full | {"#ffffff"}


def test_the_map_ends_at_the_last_known_budget_and_joins_equal_cells_along_the_diagonal():
    costs, budgets = np.meshgrid([0.0, 1e-3, 1e-2, 1e-1], [1.0, 10.0, 100.0, 1000.0])
    table = pd.DataFrame({"evaluation_cost_s": costs.ravel(), "budget_s": budgets.ravel()})
    diagonal = [c > 0 and np.isclose(c * 1000, b) for c, b in table.to_numpy()]
    table = table.assign(suite="bbob", dimension=2, measure="share", known=table["budget_s"] < 1000)
    table = table.assign(tied=None, best=np.where(diagonal, "A", None))
    both = pd.concat([table, table.assign(measure="rank")])
    ax = shown_axes(FIGURES["cost_map"](both))[0]
    assert ax.get_ylim() == (0, 3)
    ours = to_hex(style.COLOURS[0])
    inside = [
        patch.get_path()
        for patch in ax.get_children()
        if type(patch) is PathPatch and to_hex(patch.get_facecolor()) == ours
    ]
    for x, y in ((1, 1), (2, 2)):
        assert any(path.contains_point((x - 0.1, y + 0.1)) for path in inside)


@pytest.mark.thinned(6)
@pytest.mark.slow
@pytest.mark.parametrize("name", FIGURES)
def test_one_of_everything(name):
    drawn(name, frames(functions=(1,), dimensions=(2,), algorithms=("A",)))


@pytest.mark.thinned(10)
@pytest.mark.slow
@pytest.mark.parametrize("name", WITH_LEGEND)
def test_a_legend_of_many_lines_leaves_room_for_the_panels(name):
    tables = frames((1,), (5,), tuple(f"algorithm {k}" for k in range(30)))
    figure = drawn(name, tables)
    (legend,) = figure.legends
    top = legend.get_window_extent().y0
    for ax in shown_axes(figure):
        assert ax.get_window_extent().y1 < top
        assert ax.get_window_extent().height > figure.dpi


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", [name for name in FIGURES if name not in WITH_NOTE])
def test_the_figure_of_an_empty_table_says_so(name):
    figure = drawn(name, {FIGURES[name].table: frames()[FIGURES[name].table].iloc[:0]})
    assert [text.get_text() for text in figure.texts] == ["nothing to draw: the table has no rows"]
    assert not figure.axes


@pytest.mark.thinned(3)
@pytest.mark.parametrize("name", RUN_COUNT)
def test_without_complete_samples_the_figure_says_so(name):
    figure = drawn(name, {FIGURES[name].table: frames()[FIGURES[name].table].iloc[:0]})
    (text,) = figure.texts
    assert "no cell has as many runs" in text.get_text()


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
    hollow = [
        [
            line
            for line in ax.lines
            if line.get_markerfacecolor() == "white" and len(line.get_xdata())
        ]
        for ax in figure.axes
    ]
    assert [line.get_xdata().tolist() for line in hollow[0]] == [[0.1]] * len(ALGORITHMS)
    assert not hollow[1]
    strips = [[p for p in ax.patches if isinstance(p, Rectangle)] for ax in figure.axes]
    assert [len(of) for of in strips] == [1, 0]
    assert strips[0][0].get_height() < 0.1
    assert "∞" in figure.get_supylabel()
    places = [line.get_transform().transform(line.get_xydata())[0] for line in hollow[0]]
    assert np.ptp([x for x, _ in places]) > 0
    box = figure.axes[0].get_window_extent()
    assert all(box.y0 + 0.9 * box.height < y < box.y1 for _, y in places)


@pytest.mark.slow
def test_a_pdf_has_one_font_that_can_be_edited(tmp_path):
    style.save(FIGURES["ert"](frames((1,), (2,))["ert"]), tmp_path / "figure.pdf")
    pdf = (tmp_path / "figure.pdf").read_bytes()
    assert pdf.count(b"/FontFile2") == 1
    streams = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.DOTALL)
    (font,) = [data for data in map(inflated, streams) if data.startswith(b"\0\1\0\0")]
    assert {"cmap", "glyf"} <= set(TTFont(BytesIO(font)).keys())


def inflated(data):
    try:
        return zlib.decompress(data)
    except zlib.error:
        return b""


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".pdf", ".svg", ".png"])
def test_equal_figures_are_equal_files(suffix, tmp_path):
    tables = frames(functions=(1,), dimensions=(2,))
    paths = [tmp_path / f"{k}{suffix}" for k in range(2)]
    for path in paths:
        style.save(FIGURES["ert"](tables["ert"]), path)
    assert paths[0].read_bytes() == paths[1].read_bytes()


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


def test_algorithms_differ_in_more_than_colour():
    looks = list(style.looks(f"algorithm {k}" for k in range(20)).values())
    assert len({(look.color, look.marker) for look in looks}) == 20
    assert len({(look.marker, str(look.linestyle)) for look in looks}) == 20


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
