"""The paper's Figure 2: which disagreements are drawn, and where mean and median lie."""

import numpy as np
import pandas as pd
import pytest

from timefair.charts.quality import sorted_solutions
from timefair.exhibits.registry import FIGURES


def pair(function, gap, **precisions):
    """The rows of a disagreement between two algorithms."""
    names = list(precisions)
    parts = [
        pd.DataFrame(
            {
                "suite": "bbob",
                "dimension": 2,
                "function": function,
                "better_by_mean": names[0],
                "better_by_median": names[1],
                "algorithm": name,
                "order": np.arange(1, len(values) + 1),
                "precision": values,
                "mean": np.mean(values),
                "median": values[(len(values) - 1) // 2],
                "gap_decades": gap,
            }
        )
        for name, values in precisions.items()
    ]
    return pd.concat(parts)


def titles(figure):
    return [ax.get_title() for ax in figure.axes if ax.get_visible()]


@pytest.mark.slow
def test_the_widest_are_drawn_in_the_order_of_the_problems():
    many = pd.concat([pair(f, gap=f % 7, A=[2.0, 3.0], B=[1.0, 5.0]) for f in range(1, 13)])
    figure = sorted_solutions(many)
    drawn = sorted(sorted(range(1, 13), key=lambda f: -(f % 7))[:8])
    assert titles(figure) == [f"f{f}, D = 2" for f in drawn]
    assert "the 8 widest of 12 disagreements" in figure.get_supxlabel()


def test_few_disagreements_are_all_drawn_and_not_counted():
    figure = sorted_solutions(pair(1, 0.5, A=[2.0, 3.0], B=[1.0, 5.0]))
    assert titles(figure) == ["f1, D = 2"]
    assert "widest" not in figure.get_supxlabel()


def test_only_what_is_drawn_is_in_the_legend():
    shown = [pair(f, gap=1.0, A=[2.0, 3.0], B=[1.0, 5.0]) for f in range(1, 9)]
    figure = sorted_solutions(pd.concat([*shown, pair(9, 0.1, A=[2.0, 3.0], C=[1.0, 5.0])]))
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["A", "B"]


def test_markers_lie_on_the_curve():
    figure = sorted_solutions(pair(1, 1.0, A=[2.0, 2.0, 2.0, 2.0], B=[1.0, 1.0, 1.0, 97.0]))
    (ax,) = figure.axes
    hollow = [line for line in ax.lines if line.get_markerfacecolor() == "white"]
    x, y = hollow[1].get_xydata()[0]
    assert y == pytest.approx(25.0)
    assert x == pytest.approx(0.75 + 0.25 * np.log(25) / np.log(97))
    filled = [line for line in ax.lines if len(line.get_xdata()) == 1 and line not in hollow]
    assert [tuple(line.get_xydata()[0]) for line in filled] == [(0.5, 2.0), (0.5, 1.0)]


def test_zero_has_its_tick():
    (ax,) = sorted_solutions(pair(1, 1.0, A=[0.0, 3.0], B=[1.0, 5.0])).axes
    assert ax.get_yticklabels()[0].get_text() == "0"


def test_without_a_disagreement_the_figure_says_so():
    figure = FIGURES["sorted_solutions"](pair(1, 1.0, A=[1.0], B=[1.0]).iloc[:0])
    assert "alike" in figure.texts[0].get_text()
