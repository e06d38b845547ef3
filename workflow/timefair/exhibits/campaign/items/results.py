"""Item 4: anytime results, ERT and performance profiles."""

from __future__ import annotations

from collections.abc import Iterator

from timefair.exhibits.campaign.items.part import ChecklistPart, listed, sentence
from timefair.exhibits.campaign.items.recorded import labels
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis

ANYTIME = ("anytime", "anytime_mean", "ecdf", "ecdf_dimensions")
ERT = ("ert", "ert_relative", "ert_by_instance")
PROFILES = ("profile", "profile_quality", "profile_pairs")


def parts(runs: Runs, analysis: Analysis) -> Iterator[ChecklistPart]:
    yield _shown("Anytime", ANYTIME, analysis)
    yield _shown("ERT", ERT, analysis)
    profiles = _shown("Profiles", PROFILES, analysis)
    alone = "" if len(labels(runs)) > 1 else "a profile needs several algorithms"
    yield profiles._replace(missing=sentence(profiles.missing, alone))


def _shown(name: str, wanted: tuple[str, ...], analysis: Analysis) -> ChecklistPart:
    """Tables and figures over seconds; those that are only over evaluations do not count."""
    tables = [table for table in wanted if table in analysis.asked_tables]
    figures = [figure for figure in wanted if figure in analysis.asked_figures]
    evidence = sentence(
        f"tables: {listed(tables)}" if tables else "",
        f"figures: {listed(figures)}" if figures else "",
    )
    return ChecklistPart(name, evidence, "" if evidence else f"select table or figure {wanted[0]}")
