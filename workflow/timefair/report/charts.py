"""Figures that the page draws by itself, with values to read: which columns, which axes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from timefair.figures.registry import FIGURES

COST = {
    "seconds": "seconds",
    "evaluations": "evaluations",
    "seconds_per_dimension": "seconds / dimension",
    "evaluations_per_dimension": "evaluations / dimension",
    "simplex_gradients": "evaluations / (dimension + 1)",
}


@dataclass(frozen=True)
class View:
    """One figure of the registry, as the page draws it.

    Attributes
    ----------
    figure
        Its name; the table is that of the figure.
    label
        What the switch between the views of a chart says.
    x, y
        The columns; those of the band are ``low`` and ``high``.
    x_label, y_label
        What the axes say.
    panel
        The key column with a panel a value; None for one panel.
    only
        Key columns of which one value is drawn.
    shape
        ``line`` through points, ``step``, or ``dots``: a line an algorithm.
    share
        Whether y is a share from 0 to 1; else it has a logarithmic scale.
    easy_to_hard
        Whether the largest x is on the left.
    power
        Whether the table has decimal logarithms of y.
    """

    figure: str
    label: str
    x: str
    y: str
    low: str | None
    high: str | None
    x_label: str
    y_label: str
    panel: str | None = "function"
    only: Mapping[str, str] | None = None
    shape: Literal["line", "step", "dots"] = "step"
    share: bool = True
    easy_to_hard: bool = False
    power: bool = False


@dataclass(frozen=True)
class Chart:
    """Views of one question, of which one is seen at a time."""

    name: str
    title: str
    note: str
    views: tuple[View, ...]


def _ranks(label: str, measure: str) -> View:
    return View(
        "ranks", label, "average_rank", "algorithm", None, None, "average rank", "",
        panel="criterion", only={"measure": measure}, shape="dots",
    )  # fmt: skip


def _ert(figure: str, label: str, unit: str, x_label: str) -> View:
    column = {"seconds": "ert_s", "evaluations": "ert_evaluations"}[unit]
    return View(
        figure, label, "target", column, f"{column}_low", f"{column}_high", x_label,
        f"expected {unit}", shape="line", share=False, easy_to_hard=True,
    )  # fmt: skip


def _anytime(figure: str, label: str, unit: str, mean: bool = False) -> View:
    y = "mean_log10" if mean else "median"
    return View(
        figure, label, "cost", y, f"{y}_low", f"{y}_high", COST[unit], "best precision so far",
        only={"unit": unit}, share=False, power=mean,
    )  # fmt: skip


def _share(figure: str, label: str, unit: str, **more: Any) -> View:
    limits = {"low": "low", "high": "high"} | more
    return View(
        figure, label, "cost", "fraction", x_label=COST[unit], y_label="share reached",
        only={"unit": unit}, **limits,
    )  # fmt: skip


def _profile(figure: str, label: str) -> View:
    return View(
        figure, label, "ratio", "fraction", "low", "high", "multiple of the best",
        "share of problems", panel=None,
    )  # fmt: skip


CHARTS = (
    Chart(
        "ranks",
        "Average ranks",
        "The further left, the better. Ranks within the grey bar are not told from the best.",
        (
            _ranks("seconds to targets", "seconds"),
            _ranks("evaluations to targets", "evaluations"),
            _ranks("precision at the end", "precision"),
        ),
    ),
    Chart(
        "ert",
        "Expected cost to targets",
        "Lower is better; targets become harder to the right. Bands are intervals from the number "
        "of runs. Where a line ends, no run reached the next target.",
        (
            _ert("ert", "seconds", "seconds", "target precision"),
            _ert("ert_evaluations", "evaluations", "evaluations", "target precision"),
            _ert("ert_relative", "relative targets", "seconds", "share of the way left"),
        ),
    ),
    Chart(
        "anytime",
        "Quality at any time",
        "Lower is better. A median begins when half of the runs have a value, a mean when all have "
        "one. Bands are intervals of the curve.",
        (
            _anytime("anytime", "median, seconds", "seconds"),
            _anytime("anytime_evaluations", "median, evaluations", "evaluations"),
            _anytime("anytime_mean", "geometric mean, seconds", "seconds", mean=True),
            _anytime(
                "anytime_mean_evaluations", "geometric mean, evaluations", "evaluations", mean=True
            ),
        ),
    ),
    Chart(
        "ecdf",
        "Share of targets reached",
        "Higher is better: of all targets, instances and runs. Bands hold at one cost at a time.",
        (
            _share("ecdf", "seconds", "seconds"),
            _share("ecdf_evaluations", "evaluations", "evaluations"),
            _share("restarted", "restarted, seconds", "seconds", low=None, high=None),
            _share(
                "restarted_evaluations",
                "restarted, evaluations",
                "evaluations",
                low=None,
                high=None,
            ),
        ),
    ),
    Chart(
        "profile",
        "Within a factor of the best",
        "Higher is better. At 1: the share of problems on which an algorithm is the best; at the "
        "right end: the share that it solves at all.",
        (
            _profile("profile", "seconds"),
            _profile("profile_evaluations", "evaluations"),
            _profile("profile_quality", "seconds to a quality"),
        ),
    ),
    Chart(
        "data_profile",
        "Share of problems solved for a cost",
        "Higher is better. A problem is a function, an instance and a relative target.",
        (
            _share("data_profile", "seconds", "seconds", panel=None),
            _share("data_profile_evaluations", "evaluations", "simplex_gradients", panel=None),
        ),
    ),
)


def drawn(figures: Iterable[str], tables: Sequence[str]) -> list[dict[str, Any]]:
    """The charts of the figures that were asked for and whose table is there, for the page."""
    asked = set(figures)
    found = []
    for chart in CHARTS:
        views = [
            asdict(view) | {"table": FIGURES[view.figure].table}
            for view in chart.views
            if view.figure in asked and FIGURES[view.figure].table in tables
        ]
        if views:
            found.append(asdict(chart) | {"views": views})
    return found
