"""The figures that a campaign can ask for, by name, and the table each is drawn from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import matplotlib.figure
    import pandas as pd


@dataclass(frozen=True)
class Figure:
    """A figure: its name, the table it shows, and the module that draws it when called."""

    name: str
    table: str
    title: str
    module: str
    """Below `timefair.figures`; its function ``draw`` takes the frame."""
    unit: str | None = None
    """``seconds`` or ``evaluations`` where the module draws both."""

    @property
    def family(self) -> str:
        """The room that it is drawn in, in words; the tables have the same rooms."""
        return self.module.partition(".")[0].replace("_", " ").capitalize()

    def __call__(self, frame: pd.DataFrame) -> matplotlib.figure.Figure:
        draw: Callable[..., matplotlib.figure.Figure] = import_module(
            f"timefair.figures.{self.module}"
        ).draw
        return draw(frame) if self.unit is None else draw(frame, unit=self.unit)


FIGURES: dict[str, Figure] = {
    figure.name: figure
    for figure in (
        Figure("ert", "ert", "Expected seconds to targets", "runtimes.ert", "seconds"),
        Figure(
            "ert_evaluations",
            "ert",
            "Expected evaluations to targets",
            "runtimes.ert",
            "evaluations",
        ),
        Figure(
            "ert_relative",
            "ert_relative",
            "Expected seconds to relative targets",
            "runtimes.ert_relative",
            "seconds",
        ),
        Figure(
            "quantiles", "quantiles", "Quantiles of the precision at the end", "quality.quantiles"
        ),
        Figure(
            "sorted_solutions",
            "sorted_solutions",
            "Sorted solutions where mean and median disagree",
            "quality.sorted_solutions",
        ),
        Figure("anytime", "anytime", "Best precision over seconds", "curves.anytime", "seconds"),
        Figure(
            "anytime_evaluations",
            "anytime",
            "Best precision over evaluations",
            "curves.anytime",
            "evaluations",
        ),
        Figure(
            "anytime_mean",
            "anytime",
            "Mean logarithm of the best precision over seconds",
            "curves.anytime_mean",
            "seconds",
        ),
        Figure(
            "anytime_mean_evaluations",
            "anytime",
            "Mean logarithm of the best precision over evaluations",
            "curves.anytime_mean",
            "evaluations",
        ),
        Figure("ecdf", "ecdf", "Share of targets reached over seconds", "curves.ecdf", "seconds"),
        Figure(
            "ecdf_evaluations",
            "ecdf",
            "Share of targets reached over evaluations",
            "curves.ecdf",
            "evaluations",
        ),
        Figure(
            "ecdf_dimensions",
            "ecdf_dimensions",
            "Share of targets reached over seconds per dimension",
            "curves.ecdf_dimensions",
            "seconds_per_dimension",
        ),
        Figure(
            "ecdf_dimensions_evaluations",
            "ecdf_dimensions",
            "Share of targets reached over evaluations per dimension",
            "curves.ecdf_dimensions",
            "evaluations_per_dimension",
        ),
        Figure("profile", "profile", "Performance profile on expected seconds", "curves.profile"),
        Figure(
            "profile_evaluations",
            "profile_evaluations",
            "Performance profile on expected evaluations",
            "curves.profile",
            "evaluations",
        ),
        Figure(
            "profile_quality",
            "profile_quality",
            "Performance profile on expected seconds to a quality",
            "curves.profile",
        ),
        Figure(
            "data_profile",
            "data_profile",
            "Share of problems solved over expected seconds",
            "curves.data_profile",
            "seconds",
        ),
        Figure(
            "data_profile_evaluations",
            "data_profile",
            "Share of problems solved over expected simplex gradients",
            "curves.data_profile",
            "simplex_gradients",
        ),
        Figure(
            "restarted",
            "restarted_curves",
            "Share of targets reached with restarts over seconds",
            "runtimes.restarted",
            "seconds",
        ),
        Figure(
            "restarted_evaluations",
            "restarted_curves",
            "Share of targets reached with restarts over evaluations",
            "runtimes.restarted",
            "evaluations",
        ),
        Figure("best_of", "best_of", "Expected best of several executions", "runtimes.best_of"),
        Figure(
            "restarts", "restarts", "Restarts within the budget, and speed", "campaign.restarts"
        ),
        Figure("ranks", "ranks", "Average ranks under several criteria", "comparisons.ranks"),
        Figure(
            "critical_difference",
            "ranks",
            "Critical differences of average ranks",
            "comparisons.critical_difference",
        ),
        Figure(
            "inversions", "rankings", "Ranks by evaluations and by time", "comparisons.inversions"
        ),
        Figure(
            "run_count_configurations",
            "run_count_groups",
            "Accuracy of the skewness rule over the algorithms",
            "run_count.configurations",
        ),
        Figure(
            "run_count_dimensions",
            "run_count_groups",
            "Estimates that are not right per dimension",
            "run_count.dimensions",
        ),
        Figure(
            "run_count_problems",
            "run_count_groups",
            "Estimates that are not right per function and dimension",
            "run_count.problems",
        ),
        Figure(
            "run_count_algorithms",
            "run_count_groups",
            "Accuracy of the skewness rule per algorithm",
            "run_count.algorithms",
        ),
        Figure(
            "run_count_rules",
            "run_count_rules",
            "Rules for the number of runs: what is saved and what is right",
            "run_count.rules",
        ),
        Figure(
            "run_count_reliability",
            "run_count_reliability",
            "Stated and observed reliability of estimates",
            "run_count.reliability",
        ),
    )
}
