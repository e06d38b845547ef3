"""Every figure draws every table, the odd ones too, without a warning."""

import ast
import html
import re
import subprocess
import sys
import warnings
import zlib
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pandas as pd
import pytest
from fontTools.ttLib import TTFont
from matplotlib import rcParamsDefault
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.ticker import LogFormatterSciNotation
from synthetic import ALGORITHMS, boxes_of_text, frames, outside

import timefair.charts
from timefair.charts import maps, panels, scales, style
from timefair.exhibits.registry import FIGURES

INF = np.inf
RUN_COUNT = [name for name in FIGURES if name.startswith("run_count")]
WITHOUT_ALGORITHMS = {"critical_difference", "portfolio", "probability_best", *RUN_COUNT}
WITH_LEGEND = [name for name in FIGURES if name not in WITHOUT_ALGORITHMS]
OURS = {"axes.grid", "axes.spines.right", "axes.spines.top", "grid.color", "font.family"}
OURS |= {"font.sans-serif", "image.cmap"}
"""Settings that seaborn has otherwise; a heat map names its colours."""
WITH_NOTE = ["sorted_solutions", "tuning_pays", *RUN_COUNT]
"""Figures that say why there is nothing to draw."""


def drawn(name, tables) -> Figure:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = FIGURES[name](tables[FIGURES[name].table])
        with style.applied():
            figure.draw_without_rendering()
    return figure


def all_zero(x):
    return x * 0


def all_infinite(x):
    return x * 0 + INF


def half_zero(x):
    return x.where(x > x.median(), 0.0)


def with_long_labels(name, count):
    """A table of so many functions, in seconds of CPU time, with precisions of 0."""
    table = frames(range(1, count + 1), (5,), change=half_zero)[name]
    table.attrs["clock"] = "cpu"
    return table


def shown_axes(figure):
    return [ax for ax in figure.axes if ax.get_visible()]


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


@pytest.mark.slow
@pytest.mark.parametrize("name", FIGURES)
def test_one_of_everything(name):
    drawn(name, frames(functions=(1,), dimensions=(2,), algorithms=("A",)))


@pytest.mark.thinned(2)
@pytest.mark.slow
@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize("change", [all_zero, all_infinite])
def test_nothing_but_zero_or_infinity(name, change):
    drawn(name, frames((1,), (2,), change=change))


@pytest.mark.thinned(2)
@pytest.mark.slow
@pytest.mark.parametrize("name", FIGURES)
def test_all_text_is_inside_of_the_figure(name):
    has_panels = name not in RUN_COUNT or name == "run_count_problems"
    for count in (1, 12) if has_panels else (1,):
        figure = FIGURES[name](with_long_labels(FIGURES[name].table, count))
        assert not outside(figure, boxes_of_text(figure)), f"{count} panels"


@pytest.mark.thinned(2)
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


@pytest.mark.parametrize("name", [name for name in FIGURES if name not in WITH_NOTE])
def test_the_figure_of_an_empty_table_says_so(name):
    figure = drawn(name, {FIGURES[name].table: frames()[FIGURES[name].table].iloc[:0]})
    assert [text.get_text() for text in figure.texts] == ["nothing to draw: the table has no rows"]
    assert not figure.axes


def test_a_map_of_less_than_a_decade_may_have_no_round_duration():
    assert maps._durations(np.array([2e-5, 3.5e-5])) == []


@pytest.mark.filterwarnings("error")
def test_restarts_without_an_evaluation_have_an_axis_of_speeds():
    table = frames()["restarts"]
    drawn("restarts", {"restarts": table.assign(evaluations_per_s=0.0)})


@pytest.mark.parametrize("name", RUN_COUNT)
def test_without_complete_samples_the_figure_says_so(name):
    figure = drawn(name, {FIGURES[name].table: frames()[FIGURES[name].table].iloc[:0]})
    (text,) = figure.texts
    assert "no cell has as many runs" in text.get_text()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["run_count_problems", "run_count_algorithms"])
def test_cells_of_a_heat_map_have_their_numbers_where_those_fit(name):
    few = drawn(name, frames()).axes[0]
    assert len(few.texts) == few.collections[0].get_array().size
    many = tuple(f"algorithm {k}" for k in range(60))
    dimensions = (2, 3, 5, 10, 20, 40, 80)
    crowded = drawn(name, frames(dimensions=dimensions, algorithms=many)).axes[0]
    assert len(crowded.texts) == 0


@pytest.mark.slow
def test_the_paper_shows_two_of_the_thresholds():
    tables = frames()
    titles = [ax.get_title() for ax in drawn("run_count_configurations", tables).axes]
    assert titles[::3] == ["IQR, τ = 0.05", "IQR, τ = 0.15"]
    groups = tables["run_count_groups"]
    tables["run_count_groups"] = groups[groups["tau"] > 0.05]
    titles = [ax.get_title() for ax in drawn("run_count_configurations", tables).axes]
    assert titles[::3] == ["IQR, τ = 0.1", "IQR, τ = 0.2"]


@pytest.mark.slow
def test_error_bars_of_a_dimension_are_quartiles_of_the_algorithms():
    figure = drawn("run_count_dimensions", frames(functions=(1,), dimensions=(5,)))
    ax = figure.axes[0]
    low, high = ax.collections[0].get_segments()[0][:, 1]
    (middle,) = ax.lines[0].get_ydata()
    # 0, 10 and 20 by algorithm, and 7 for tau = .05.
    assert (low, middle, high) == pytest.approx((12, 17, 22))


@pytest.mark.slow
def test_fixed_numbers_of_runs_are_joined_from_all_to_few():
    ax = drawn("run_count_rules", frames()).axes[0]
    (line,) = [line for line in ax.lines if line.get_linestyle() == "-"]
    assert line.get_xydata().tolist() == [[0.0, 100.0], [80.0, 60.0]]


@pytest.mark.slow
def test_what_no_run_can_tell_is_said():
    tables = frames()
    tables["run_count_rules"]["winner_independent_percent"] = np.nan
    texts = [[text.get_text() for text in ax.texts] for ax in drawn("run_count_rules", tables).axes]
    assert texts == [[], [], [], [], ["no such runs"]]


@pytest.mark.slow
def test_each_calibration_curve_has_its_skill():
    ax = drawn("run_count_reliability", frames()).axes[0]
    assert ax.get_title() == "5 runs, other functions"
    assert "10 %: skill -0.10, AUC 0.50" in ax.texts[0].get_text()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ert", "anytime", "quantiles"])
def test_a_panel_for_each_function_and_dimension(name):
    titles = [ax.get_title() for ax in shown_axes(drawn(name, frames()))]
    assert titles == [f"{f}, D = {d}" for d in (2, 5) for f in ("f1 sphere", "f3 Rastrigin")]


def test_all_functions_come_first():
    titles = [ax.get_title() for ax in shown_axes(drawn("ecdf", frames(dimensions=(2,))))]
    assert titles == ["all functions, D = 2", "f1 sphere, D = 2", "f3 Rastrigin, D = 2"]


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


@pytest.mark.slow
def test_without_a_critical_difference_one_bar_joins_all():
    tables = frames(dimensions=(2,))
    tables["ranks"]["critical_difference"] = np.nan
    ax = drawn("critical_difference", tables).axes[0]
    bars = [line.get_xdata().tolist() for line in ax.lines if line.get_linewidth() > 1.5]
    assert bars == [[1.0, 2.0, 3.0]]
    assert not [text for text in ax.texts if "CD" in text.get_text()]


@pytest.mark.slow
def test_where_no_function_was_run_with_every_algorithm_the_diagram_says_so():
    tables = frames(dimensions=(2,))
    tables["ranks"]["average_rank"] = np.nan
    (text,) = drawn("critical_difference", tables).axes[0].texts
    assert "no function" in text.get_text()
    drawn("ranks", tables)


def test_the_line_of_an_algorithm_goes_from_its_rank_by_evaluations_to_its_rank_by_time():
    figure = drawn("inversions", frames(dimensions=(2,)))
    assert [ax.get_title() for ax in shown_axes(figure)] == [
        "D = 2, fixed budget (median precision)",
        "D = 2, fixed targets (ERT)",
    ]
    lines = figure.axes[0].lines
    assert [line.get_ydata().tolist() for line in lines] == [[1.0, 3.0], [2.0, 2.0], [3.0, 1.0]]


def test_all_dimensions_come_first():
    figure = drawn("ecdf_dimensions", frames(dimensions=(2, 10)))
    titles = [ax.get_title() for ax in shown_axes(figure)]
    assert titles == ["all dimensions", "D = 2", "D = 10"]


def test_the_lines_of_a_portfolio_are_named_beside_their_marks():
    ax = drawn("portfolio", frames(dimensions=(2,))).axes[0]
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names[:2] == [
        "single best:\nCMA-ES",
        f"2 in turn:\n{' 0.33 + '.join(ALGORITHMS[:2])} 0.33",
    ]
    assert names[-1] == "virtual best of 3"
    assert list(ax.get_yticks()) == list(range(len(names)))
    assert not ax.texts


def test_the_lines_of_a_map_of_functions_have_room_for_their_names():
    figure = drawn("probability_best", frames((1, 21), (2,), tuple("ABCDEFGHIJ")))
    line_in = figure.axes[0].get_window_extent().height / figure.dpi / 10
    assert line_in > style.SETTINGS["ytick.labelsize"] / 72
    drawn_cells = [p for p in figure.axes[0].get_children() if type(p) is PathPatch]
    assert sum(len(p.get_path().vertices) for p in drawn_cells) == 5 * 10 * 3  # each has an edge


def test_short_names_are_at_the_ends_of_curves_and_beside_rows_in_place_of_a_legend():
    tables = frames((1,), (2,), ("A", "B", "C"))
    for name in ("cost_winners", "profile", "inversions", "ranks", "quantiles", "overhead"):
        figure = drawn(name, tables)
        assert not figure.legends
        beside = [label.get_text() for label in figure.axes[0].get_yticklabels()]
        ends = [text.get_text() for text in figure.axes[-1].texts]
        assert sorted(ends or beside) == ["A", "B", "C"], name
    assert not drawn("ranks", tables).axes[0].texts  # only at the right of the last panel


def test_names_of_curves_with_one_end_are_apart_and_in_the_order_of_the_ends():
    figure = Figure(figsize=(3.5, 2.0))
    ax = figure.add_subplot()
    ax.set(xlim=(0, 1), ylim=(0, 1))
    looks = style.looks("ABCD")
    panels.name_ends(ax, looks, {"A": (1, 1.0), "B": (1, 0.99), "C": (1, 0.98), "D": (1, 0.1)}, 1.1)
    at = {text.get_text(): text.get_position()[1] for text in ax.texts}
    assert at == pytest.approx({"A": 1.0, "B": 0.9, "C": 0.8, "D": 0.1})


def test_the_axis_of_shares_ends_close_to_the_highest_one():
    table = frames((1,), (2,), ("A", "B", "C"))["cost_winners"]
    shares = ["fraction", "low", "high"]
    for highest, top in ((0.05, 0.1), (0.3, 0.4), (0.9, 1.0)):
        scaled = table.assign(**{c: highest * table[c] / table["high"].max() for c in shares})
        ax = drawn("cost_winners", {"cost_winners": scaled}).axes[0]
        assert ax.get_yticks()[-1] == pytest.approx(top)


def test_wide_bands_of_more_than_two_curves_are_not_drawn():
    for algorithms, count in (("AB", 2), ("ABC", 0)):
        table = frames((1,), (2,), tuple(algorithms))["feasible"]
        wide = table[table["function"] == "1"].assign(low=0.1, high=0.6)
        (ax,) = drawn("feasible", {"feasible": wide}).axes
        assert len(bands(ax)) == count


def test_targets_after_which_tuning_pays_are_on_a_logarithmic_axis():
    ax = drawn("tuning_pays", frames((1,), (2,))).axes[0]
    assert ax.get_xscale() == "log"
    assert sorted({x for line in ax.lines for x in line.get_xdata()}) == [1e-3, 0.1, 10.0]


def test_an_overhead_of_zero_is_at_the_left_end():
    table = frames((1,), (2,), ("A", "B", "C"))["overhead"]
    table.loc[table["algorithm"] == "A", ["overhead_s", "overhead_s_low"]] = 0.0
    figure = drawn("overhead", {"overhead": table})
    ax = figure.axes[0]
    assert min(x for line in ax.lines for x in line.get_xdata()) == ax.get_xlim()[0] > 1
    assert "0 drawn at the left end" in figure.get_supxlabel()


def test_without_limits_there_is_no_band():
    tables = frames(functions=(1,), dimensions=(2,), algorithms=("A",))
    (ax,) = drawn("ecdf", tables).axes
    assert len(bands(ax)) == 1
    tables["ecdf"][["low", "high"]] = np.nan
    (ax,) = drawn("ecdf", tables).axes
    assert not bands(ax)


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
def test_a_zero_on_a_logarithmic_axis_is_said():
    tables = frames(change=half_zero)
    assert "0 drawn at" in drawn("quantiles", tables).get_supxlabel()
    assert "0 drawn at" in drawn("anytime", tables).get_supylabel()
    assert "0 drawn at" not in drawn("quantiles", frames()).get_supxlabel()


def test_labels_of_a_logarithmic_axis_are_those_of_matplotlib_in_unicode():
    for low, high in ((3e-9, 2e5), (0.15, 2.0), (1.1, 1.9), (4.0, 60.0), (1.0, 100.0)):
        ax = Figure().add_subplot()
        scales.set_log(ax, "x", (low, high))
        ticks = [tick for tick in ax.get_xticks() if low <= tick <= high]
        ours = ax.xaxis.get_major_formatter().format_ticks(ticks)
        ax.xaxis.set_major_formatter(LogFormatterSciNotation())
        theirs = ax.xaxis.get_major_formatter().format_ticks(ticks)
        assert any(ours)
        assert ours == [in_unicode(label) for label in theirs]


def in_unicode(label):
    """What mathtext such as ``$\\mathdefault{5\\times10^{-8}}$`` shows."""
    found = re.fullmatch(r"\$\\mathdefault{(?:([\d.]+)\\times)?10\^{(-?\d+)}}\$", label)
    if not found:
        assert not label
        return ""
    factor, exponent = found.groups()
    power = "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(d)] if d != "-" else "⁻" for d in exponent)
    return f"{factor}·10{power}" if factor else f"10{power}"


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


def test_the_style_is_seaborns_ticks_with_our_changes():
    import seaborn

    ours = style.SETTINGS
    for key, value in seaborn.axes_style("ticks").items():
        if ours.get(key, rcParamsDefault[key]) != value:
            assert key in OURS
    palette = seaborn.color_palette("colorblind").as_hex()
    assert tuple(palette[k] for k in (0, 3, 2, 4, 1, 9, 5)) == style.COLOURS[:7]


@pytest.mark.slow
def test_figures_import_neither_seaborn_nor_scipy():
    modules = "import sys, timefair.charts.panels, timefair.charts.run_count\n"
    code = modules + "print(sorted({'seaborn', 'scipy'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


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


def test_another_kind_of_file_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"figure\.bmp"):
        style.save(Figure(), tmp_path / "figure.pdf", tmp_path / "figure.bmp")
    assert not list(tmp_path.iterdir())


def test_algorithms_differ_in_more_than_colour():
    looks = list(style.looks(f"algorithm {k}" for k in range(20)).values())
    assert len({(look.color, look.marker) for look in looks}) == 20
    assert len({(look.marker, str(look.linestyle)) for look in looks}) == 20


def test_markers_of_curves_that_run_together_lie_apart():
    where = np.ones(100, dtype=bool)
    places = [style.marks(where, k, 4) for k in range(4)]
    assert len({i for marks in places for i in marks}) == 20
    assert style.marks(np.zeros(3, dtype=bool), 0, 1) == []


def test_limits_hold_what_is_finite_and_positive():
    low, high = scales.limits([0.0, 1.0, 1000.0, INF, np.nan])
    assert low < 1.0 < 1000.0 < high
    assert scales.limits([INF]) == (0.1, 10.0)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("least", [5e-324, 1e-8, 1e299, 1.7e308])
def test_an_axis_reaches_the_largest_number(least, tmp_path):
    with style.applied():
        figure = Figure()
        ax = figure.subplots()
        values = [least, np.finfo(float).max]
        scales.set_log(ax, "y", scales.limits(values))
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


@pytest.mark.slow
def test_figures_know_neither_records_nor_tables():
    for path in Path(timefair.charts.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not [n for n in names if n.startswith(("timefair.records", "timefair.rundata"))]


def test_a_curve_that_ends_before_the_others_ends_in_a_cross():
    tables = frames(functions=(1,), dimensions=(2,), algorithms=("A", "B"))
    anytime = tables["anytime"]
    tables["anytime"] = anytime[(anytime["algorithm"] == "A") | (anytime["cost"] < 0.1)]
    ax = drawn("anytime", tables).axes[0]
    lines = [artist for artist in ax.get_children() if isinstance(artist, Line2D)]
    (cross,) = [line for line in lines if line.get_marker() == "x"]
    assert cross.get_xdata()[0] == tables["anytime"].query("algorithm == 'B'")["cost"].max()


def test_an_svg_does_not_depend_on_the_last_bits_of_a_position(tmp_path):
    files = [tmp_path / f"{k}.svg" for k in range(2)]
    for path, shift in zip(files, (0.0, 1e-13), strict=True):
        figure = Figure(figsize=(2, 1))
        ax = figure.add_axes((0.1, 0.1 + shift, 0.8, 0.8))
        ax.plot([0.0, 1.0], [0.0, 1.0], marker="o")
        style.save(figure, path)
    one, other = (path.read_text() for path in files)
    assert one == other
    assert 'clip-path="url(#n' in one
    assert set(re.findall(r'href="#(\w+)"', one)) <= set(re.findall(r' id="(\w+)"', one))


def test_an_svg_has_coordinates_to_a_hundredth_of_a_point(tmp_path):
    figure = Figure(figsize=(2, 1))
    ax = figure.add_subplot()
    ax.plot([0.0, 1 / 3, 1.0], [1 / 7, 2 / 7, 0.5])
    ax.set_title("1.23456 stays")
    style.save(figure, tmp_path / "figure.svg")
    text = (tmp_path / "figure.svg").read_text()
    ElementTree.fromstring(text)
    coordinates = re.findall(r' (?:d|x|y)="([^"]*)"', text)
    assert any(re.search(r"\.\d\d\b", one) for one in coordinates)
    assert not any(re.search(r"\.\d{3}", one) for one in coordinates)
    assert "1.23456 stays" in text


def points(path):
    """The corners of a path in an SVG, each command on its own line."""
    x = y = 0.0
    for command, *numbers in re.findall(r"([MLHV])([-\d.]+)(?: ([-\d.]+))?", path):
        first, second = numbers
        x = x if command == "V" else float(first)
        y = float(first) if command == "V" else y if command == "H" else float(second)
        yield x, y


def test_lines_along_an_axis_are_short_in_an_svg(tmp_path):
    figure = Figure(figsize=(2, 2))
    ax = figure.add_axes((0, 0, 1, 1), xlim=(0, 144), ylim=(0, 144))
    ax.step([0, 36, 72, 108], [0, 36, 36, 72], where="post", color="#010203")
    ax.plot([30, 30], [40, 40], solid_capstyle="round", color="#040506")
    ax.scatter([10, 20, 30], [10, 20, 30], color="#123456")
    style.save(figure, tmp_path / "figure.svg")
    text = (tmp_path / "figure.svg").read_text()
    paths = {
        name: re.search(rf' d="([^"]*)"[^>]*stroke: {colour}', text)[1]
        for name, colour in {"steps": "#010203", "dot": "#040506"}.items()
    }
    assert "L" not in paths["steps"]
    corners = [(0, 0), (36, 0), (36, 36), (108, 36), (108, 72)]
    drawn = [(x, 144 - y) for x, y in points(paths["steps"])]
    assert [drawn[0], *drawn[-2:]] == [corners[0], *corners[-2:]]
    assert set(corners) <= set(drawn)
    assert len(list(points(paths["dot"]))) == 2
    (markers,) = re.findall(r"<g[^>]*>\n(?: *<use[^>]*>\n){3}", text)
    assert markers.count("fill: #123456") == 1
