"""The tables that a campaign can ask for, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from timefair.records.status import Disturbance

if TYPE_CHECKING:
    import pandas as pd

    from timefair.tables.runs import Runs
    from timefair.tables.settings import Analysis


@dataclass(frozen=True)
class Table:
    """A table: its name, what it shows, and the function that makes it, imported when called."""

    name: str
    title: str
    function: str
    """``module:function`` below `timefair.tables`, from (runs, analysis) to a frame."""
    charged: bool = True
    """Whether its seconds are what the campaign takes for them: of its clock, and charged under
    ``ancillary: amortised``. What is about CPU time or the charge has those as measured."""
    complete: bool = False
    """Whether it is about the measurement itself, and so never leaves disturbed runs out."""
    asked: bool = False
    """Whether it reads all that the campaign asked for, and so changes with all of it."""

    @property
    def family(self) -> str:
        """The room that it is made in, in words: ``Run count``."""
        return self.function.partition(".")[0].replace("_", " ").capitalize()

    def __call__(self, runs: Runs, analysis: Analysis) -> pd.DataFrame:
        from timefair.tables.published import marked

        module, _, function = self.function.partition(":")
        build: Callable[[Runs, Analysis], pd.DataFrame] = getattr(
            import_module(f"timefair.tables.{module}"), function
        )
        frame = marked(build(self._taken(runs, analysis), analysis), runs)
        frame.attrs["table"] = self.name
        frame.attrs["disturbed"] = self._told(runs, analysis)
        frame.attrs["clock"] = analysis.time if self.charged else "wall"
        return frame

    def _taken(self, runs: Runs, analysis: Analysis) -> Runs:
        """The runs as this table takes them."""
        taken = runs if self.complete else runs.wanted(analysis)
        if not self.charged:
            return taken
        taken = taken.timed_by(analysis.time)
        return taken.amortised(analysis) if analysis.ancillary == "amortised" else taken

    def _told(self, runs: Runs, analysis: Analysis) -> str:
        """How many runs were disturbed, for captions."""
        count, total = runs.disturbed.sum(), len(runs.frame)
        unknown = total - count - (runs.frame["disturbance"] == Disturbance.CLEAN).sum()
        left_out = analysis.disturbed == "exclude" and not self.complete
        said = f"{count} of {total} runs were disturbed"
        said += (", and are left out" if left_out else ", and count") if count else ""
        return said + (f"; of {unknown} it is unknown." if unknown else ".")


TABLES: dict[str, Table] = {
    table.name: table
    for table in (
        Table("ert", "Expected running time to targets, with intervals", "runtimes.ert:pooled"),
        Table("ert_relative", "Expected running time to relative targets", "runtimes.ert:relative"),
        Table(
            "ert_by_instance", "Expected running time on each instance", "runtimes.ert:by_instance"
        ),
        Table("quantiles", "Quantiles of the precision at the end", "quality.quantiles:at_the_end"),
        Table(
            "quantiles_to_target",
            "Quantiles of the cost to targets",
            "quality.fixed_target:quantiles_to_target",
        ),
        Table("means", "Mean precision at the end, with intervals", "quality.means:of_precision"),
        Table("success", "Success rates, and three mean costs", "quality.success:of_targets"),
        Table(
            "multirun", "Probability of each quantile in executions", "quality.multirun:to_quantile"
        ),
        Table(
            "multirun_to_target",
            "Probability of each target in executions",
            "quality.multirun:to_target",
        ),
        Table(
            "disagreements",
            "Pairs that mean and median order differently",
            "quality.disagreements:of_mean_and_median",
        ),
        Table(
            "sorted_solutions",
            "Sorted solutions of pairs in disagreement",
            "quality.disagreements:sorted_solutions",
        ),
        Table("anytime", "Best precision over elapsed cost", "curves.anytime:trajectories"),
        Table("ecdf", "Share of targets reached within a cost", "curves.ecdf:solved_within"),
        Table(
            "ecdf_dimensions",
            "Share of targets reached within a cost per dimension",
            "curves.ecdf:across_dimensions",
        ),
        Table("profile", "Performance profile on expected seconds", "curves.profile:of_ert_s"),
        Table(
            "profile_evaluations",
            "Performance profile on expected evaluations",
            "curves.profile:of_ert_evaluations",
        ),
        Table(
            "profile_quality",
            "Performance profile on expected seconds to a quality",
            "curves.profile:of_quality_s",
        ),
        Table(
            "profile_pairs",
            "Performance profiles of two at a time",
            "curves.profile:pairs_of_ert_s",
        ),
        Table(
            "data_profile", "Share of problems solved for a cost", "curves.data_profile:of_quality"
        ),
        Table(
            "restarted", "Runtimes with restarts, in closed form", "runtimes.restarted:to_targets"
        ),
        Table(
            "restarted_curves",
            "Share of targets reached with restarts",
            "runtimes.restarted:curves",
        ),
        Table("best_of", "Best of several executions", "runtimes.best_of:of_executions"),
        Table(
            "restart_fairness",
            "Best of the launches that T affords",
            "runtimes.best_of:within_budget",
        ),
        Table(
            "restarts",
            "Restarts within the budget, and speed",
            "campaign.restarts:within_budget",
            False,
        ),
        Table("ancillary", "Cost of tuning and preparation", "campaign.ancillary:declared", False),
        Table(
            "ancillary_effect", "What ancillary cost changes", "campaign.ancillary:effect", False
        ),
        Table("ranks", "Average ranks under several criteria", "comparisons.ranks:averaged"),
        Table("friedman", "Whether average ranks differ", "comparisons.friedman:tested"),
        Table("posthoc", "Which pairs of average ranks differ", "comparisons.friedman:paired"),
        Table(
            "comparison", "Pairs of algorithms at equal time", "comparisons.comparison:at_the_end"
        ),
        Table("rankings", "Ranks by evaluations and by time", "comparisons.rankings:side_by_side"),
        Table(
            "inversions", "Pairs whose order in time is another", "comparisons.inversions:listed"
        ),
        Table(
            "stopping",
            "Where a stopping rule ended the runs",
            "campaign.stopping:decided",
            False,
            True,
        ),
        Table("run_count_accuracy", "Accuracy of the skewness rule", "run_count.accuracy:accuracy"),
        Table(
            "run_count_savings",
            "Savings of the skewness rule",
            "run_count.accuracy:savings_of_rule",
        ),
        Table(
            "run_count_groups",
            "Accuracy of the skewness rule per algorithm and function",
            "run_count.accuracy:groups",
        ),
        Table("run_count_rules", "Rules for the number of runs", "run_count.rules:compared"),
        Table(
            "run_count_reliability",
            "Whether the reliability of an estimate can be told",
            "run_count.reliability:cross_validated",
        ),
        Table(
            "runs",
            "Statuses, stop reasons and disturbances",
            "campaign.outcomes:counted",
            False,
            True,
        ),
        Table(
            "disturbance",
            "Runs that others have disturbed",
            "campaign.disturbance:told",
            False,
            True,
        ),
        Table(
            "leftovers",
            "What the algorithms wrote and left behind",
            "campaign.leftovers:told",
            False,
            True,
        ),
        Table("units", "How well each clock repeats", "campaign.units:compared", False, True),
        Table("drift", "Speed over the rounds", "campaign.drift:over_rounds", False, True),
        Table(
            "checklist",
            "Reporting checklist of time-fair",
            "campaign.checklist:filled",
            charged=False,
            complete=True,
            asked=True,
        ),
    )
}
