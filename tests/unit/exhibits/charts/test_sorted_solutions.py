"""The paper's Figure 2: which disagreements are drawn, and where mean and median lie."""

import numpy as np
import pandas as pd
import pytest

from timefair.exhibits.charts.curves import sorted_solutions
from timefair.exhibits.registry import FIGURES


def pair(function, gap, **precisions):
    """The rows of a disagreement between two algorithms."""
    names = list(precisions)
    parts = [
        pd.DataFrame(
            {
                "suite": "bbob", "dimension": 2, "function": function, "better_by_mean": names[0],
                "better_by_median": names[1], "algorithm": name,
                "order": np.arange(1, len(values) + 1), "precision": values,
                "mean": np.mean(values), "median": values[(len(values) - 1) // 2],
                "gap_decades": gap,
            }
        )
        for name, values in precisions.items()
    ]  # fmt: skip
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


def test_without_a_disagreement_the_figure_says_so():
    figure = FIGURES["sorted_solutions"](pair(1, 1.0, A=[1.0], B=[1.0]).iloc[:0])
    assert "alike" in figure.texts[0].get_text()
