"""Item 5: seeds, repetitions, and intervals or tests."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from timefair.exhibits.campaign.items.part import ChecklistPart, by_algorithm, listed, sentence
from timefair.exhibits.campaign.items.recorded import Facts, asked, distinct
from timefair.records.status import Isolation
from timefair.rundata.runs import PROBLEM, Runs
from timefair.rundata.settings import Analysis

INTERVALS = ("ert", "quantiles", "quantiles_to_target", "means", "success", "ecdf", "profile")
TESTS = ("comparison", "friedman", "posthoc", "rank_reversals")
FEWEST = 2
"""Number of runs that an interval needs."""


def parts(runs: Runs, analysis: Analysis) -> Iterator[ChecklistPart]:
    yield _seeds(runs)
    yield _repetitions(runs)
    yield _independence(runs)
    yield _intervals(analysis)


def _seeds(runs: Runs) -> ChecklistPart:
    found = asked(runs, lambda _, campaign: campaign["seed"])
    seeds = distinct([seed for some in found.values() for seed in some])
    shared = int(runs.frame["seed"].dropna().duplicated(keep=False).sum())
    return ChecklistPart(
        "Seeds",
        f"campaign seed {listed(seeds)}; every stream derives from it" if seeds else "",
        sentence(
            "" if seeds else "the records do not contain the seed of the campaign",
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
            f"in {few} cases fewer than {FEWEST} runs, too few for an interval" if few else "",
            "numbers of runs differ, and there is no stopping rule" if unruled else "",
        ),
    )


_FIXED = "number fixed beforehand"


def _words(stopping: Facts) -> str:
    rule = stopping["rule"]
    return _FIXED if rule == "fixed" else f"ended by the rule {rule} (table stopping)"


_FILES = {
    Isolation.PRIVATE: "each run had private views of the folders that it writes to",
    Isolation.WATCHED: "folders that runs share were compared before and after each run",
    Isolation.STRICT: "each run had private views of the folders that it writes to, and the "
    "algorithm ran in a process that does not hold the problem (isolation: strict)",
    Isolation.SHARED: "runs shared files, because the campaign allows it (isolation: shared)",
}


def _independence(runs: Runs) -> ChecklistPart:
    """Whether a run could read what the trial launch or an earlier run had written."""
    frame = runs.frame[~runs.frame["algorithm"].isin(list(runs.sources))]
    known = (
        frame[["algorithm", "isolation", "watched_because"]].dropna(subset="isolation").fillna("")
    )
    said = {
        str(label): sentence(*sorted({_in_words(*kind[1:]) for kind in kinds.itertuples()}))
        for label, kinds in known.set_index("algorithm").groupby(level=0)
    }
    shared = frame["isolation"] == Isolation.SHARED
    stayed = frame["appeared"].notna() | frame["appeared_in_trial"].notna()
    compared = (frame["isolation"] == Isolation.WATCHED) | frame["watched_because"].notna()
    left = compared & stayed
    unknown = len(frame) - len(known)
    return ChecklistPart(
        "Independence",
        by_algorithm(said) if said else "",
        sentence(
            f"runs could read files of earlier runs: {_algorithms(frame[shared])}"
            if shared.any()
            else "",
            f"files stayed (table leftovers): {_algorithms(frame[left])}" if left.any() else "",
            f"not recorded for {unknown} of {len(frame)} runs" if unknown else "",
        ),
    )


def _algorithms(frame: pd.DataFrame) -> str:
    return listed(sorted(frame["algorithm"].unique()))


def _in_words(isolation: str, because: str) -> str:
    return _FILES[Isolation(isolation)] + (f" ({because})" if because else "")


def _intervals(analysis: Analysis) -> ChecklistPart:
    intervals = [name for name in INTERVALS if name in analysis.asked_tables]
    tests = [name for name in TESTS if name in analysis.asked_tables]
    evidence = sentence(
        f"{100 * analysis.confidence:g} % intervals in {listed(intervals)}" if intervals else "",
        f"tests in {listed(tests)}" if tests else "",
    )
    return ChecklistPart(
        "Intervals or tests", evidence, "" if evidence else "select table ert or friedman"
    )
