"""Item 5: seeds, repetitions, and intervals or tests."""

from __future__ import annotations

from collections.abc import Iterator

from timefair.exhibits.campaign.items.part import ChecklistPart, by_algorithm, listed, sentence
from timefair.exhibits.campaign.items.recorded import Facts, asked, distinct
from timefair.rundata.runs import PROBLEM, Runs
from timefair.rundata.settings import Analysis

INTERVALS = ("ert", "quantiles", "quantiles_to_target", "means", "success", "ecdf", "profile")
TESTS = ("comparison", "friedman", "posthoc", "inversions")
FEWEST = 2
"""Runs that an interval needs."""


def parts(runs: Runs, analysis: Analysis) -> Iterator[ChecklistPart]:
    yield _seeds(runs)
    yield _repetitions(runs)
    yield _intervals(analysis)


def _seeds(runs: Runs) -> ChecklistPart:
    found = asked(runs, lambda _, campaign: campaign["seed"])
    seeds = distinct([seed for some in found.values() for seed in some])
    shared = int(runs.frame["seed"].duplicated(keep=False).sum())
    return ChecklistPart(
        "Seeds",
        f"campaign seed {listed(seeds)}; every stream derives from it" if seeds else "",
        sentence(
            "" if seeds else "the records do not say the seed of the campaign",
            "runs of different seeds" if len(seeds) > 1 else "",
            f"{shared} runs share a random stream" if shared else "",
        ),
    )


def _repetitions(runs: Runs) -> ChecklistPart:
    sizes = runs.frame.groupby([*PROBLEM, "algorithm"]).size()
    least, most = sizes.min(), sizes.max()
    number = f"{least}" if least == most else f"{least} to {most}"
    problems = runs.frame[PROBLEM].drop_duplicates()
    rules = asked(runs, lambda _, campaign: campaign["stopping"])
    said = {label: " or ".join(map(_words, found)) for label, found in rules.items() if found}
    few = int((sizes < FEWEST).sum())
    unruled = least != most and set(said.values()) <= {_FIXED}
    return ChecklistPart(
        "Repetitions",
        sentence(
            f"runs of each algorithm on each of {len(problems)} problems: {number}",
            by_algorithm(said) if said else "",
        ),
        sentence(
            f"in {few} cases less than {FEWEST} runs, too few for an interval" if few else "",
            "numbers of runs differ, and no stopping rule says why" if unruled else "",
        ),
    )


_FIXED = "number fixed beforehand"


def _words(stopping: Facts) -> str:
    rule = stopping["rule"]
    return _FIXED if rule == "fixed" else f"ended by the rule {rule} (table stopping)"


def _intervals(analysis: Analysis) -> ChecklistPart:
    intervals = [name for name in INTERVALS if name in analysis.asked_tables]
    tests = [name for name in TESTS if name in analysis.asked_tables]
    evidence = sentence(
        f"{100 * analysis.confidence:g} % intervals in {listed(intervals)}" if intervals else "",
        f"tests in {listed(tests)}" if tests else "",
    )
    return ChecklistPart(
        "Intervals or tests", evidence, "" if evidence else "ask for table ert or friedman"
    )
