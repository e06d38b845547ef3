"""The captions: the table, the campaign, and the meaning of bold type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from timefair.exhibits.layout import ALGORITHM, Layout, PrintedPart
from timefair.latex.grid import heading_of, name_of
from timefair.latex.notation import escape
from timefair.rundata.settings import Analysis

SECONDS = {
    "wall": "seconds of wall clock",
    "cpu": "seconds of CPU time",
    "reference": "CPU time as a multiple of the reference kernel's",
}
"""Meaning of a second in the tables, for each clock."""

AMORTISED = "Each run is charged its share of tuning and preparation."


@dataclass(frozen=True)
class CaptionFacts:
    """The facts of a campaign that captions state.

    Attributes
    ----------
    analysis
        The settings, for the confidence, the band and the clock.
    time_s, evaluations, evaluations_per_dimension
        The budget of a run; None for no limit of that kind.
    """

    analysis: Analysis
    time_s: float | None = None
    evaluations: int | None = None
    evaluations_per_dimension: int | None = None

    @property
    def placeholders(self) -> dict[str, str]:
        """The text of each placeholder of `Layout.caption`."""
        low, high = self.analysis.band
        return {
            "confidence": f"{100 * self.analysis.confidence:g}\u00a0%",
            "band": f"{low:g} to {high:g} quantile",
            "budget": self._budget,
            "seconds": SECONDS[self.analysis.time],
        }

    @property
    def _budget(self) -> str:
        limits = []
        if self.time_s is not None:
            limits.append(f"T\u00a0=\u00a0{self.time_s:g}\u00a0s")
        if self.evaluations_per_dimension is not None:
            limits.append(f"{self.evaluations_per_dimension:g} · D evaluations")
        elif self.evaluations is not None:
            limits.append(f"{self.evaluations:g} evaluations")
        return " and ".join(limits) or "not stated"


def caption(
    part: PrintedPart, facts: CaptionFacts, *, charged: bool, incomplete: bool, notes: str = ""
) -> str:
    """The caption of one part, as LaTeX.

    Parameters
    ----------
    part
        The printed part.
    facts
        The facts of the campaign.
    charged
        Whether seconds are those of the chosen clock, with ancillary cost if it is amortised.
    incomplete
        Whether some number is not available.
    notes
        Further sentences of the table, about perturbed and published runs.
    """
    placeholders = facts.placeholders
    sentences = [
        part.layout.caption.format_map(placeholders),
        _intervals(part.layout).format_map(placeholders),
        _shared(part.shared),
        _runs(part, placeholders["budget"]),
        notes,
        _seconds(facts.analysis.time) if charged else "",
        AMORTISED if charged and facts.analysis.ancillary == "amortised" else "",
        _bold(part.layout),
        _left_out(part),
        part.said,
        "n/a: not available." if incomplete else "",
    ]
    return escape(" ".join(sentence for sentence in sentences if sentence))


def _intervals(layout: Layout) -> str:
    return layout.brackets if any(value.interval for value in layout.values) else ""


def _seconds(clock: str) -> str:
    """Meaning of a second, unless it is a wall-clock second."""
    return "" if clock == "wall" else f"Seconds are {SECONDS[clock].removeprefix('seconds ')}."


def _shared(names: Mapping[str, object]) -> str:
    phrases = {"unit": "cost in"}
    shared = ", ".join(
        f"{phrases.get(key, heading_of(key).lower())} {name_of(key, value)}"
        for key, value in names.items()
    )
    return f"{shared[0].upper()}{shared[1:]}." if shared else ""


def _runs(part: PrintedPart, budget: str) -> str:
    printed = any(value.column == "runs" for value in part.layout.values)
    if printed or "runs" not in part.rows or part.rows.empty:
        return f"Budget of a run: {budget}."
    least, most = part.rows["runs"].min(), part.rows["runs"].max()
    number = f"{least}" if least == most else f"{least} to {most}"
    return f"{number} {'run' if most == 1 else 'runs'}, budget of each: {budget}."


def _bold(layout: Layout) -> str:
    ends = {value.better for value in layout.values if value.better is not None}
    if not ends or ALGORITHM not in layout.keys:
        return ""
    rivals = [heading_of(key).lower() for key in layout.keys if key != ALGORITHM]
    wanted = {"low": "lowest", "high": "highest"}[ends.pop()] if len(ends) == 1 else "best"
    among = f" for each {' and '.join(rivals)}" if rivals else ""
    return f"Bold: the {wanted} value of all algorithms{among}."


def _left_out(part: PrintedPart) -> str:
    keys = " and ".join(heading_of(key).lower() for key in part.left_out)
    return f"Not every {keys} is printed." if keys else ""
