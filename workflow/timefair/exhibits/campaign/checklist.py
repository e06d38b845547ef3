"""The reporting checklist of *time-fair*, section 4, filled from the measurements."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd

from timefair.basics.words import schedule_in_words
from timefair.exhibits import questions
from timefair.exhibits.campaign.checklist_parts import (
    ChecklistPart,
    by_algorithm,
    code_parts,
    listed,
    machine_parts,
    sentence,
    tuning_parts,
    unknown_in,
    unrecorded,
)
from timefair.exhibits.campaign.outcomes import ALMOST
from timefair.exhibits.campaign.recorded import Facts, asked, distinct, labels
from timefair.exhibits.exhibit import column_names, columns_of, exhibit
from timefair.exhibits.layout import Layout, Value
from timefair.exhibits.unknown_optimum import refuted
from timefair.records.integrity import restart_of
from timefair.records.rundata.clocks import objective_share
from timefair.records.rundata.runs import PROBLEM, Runs
from timefair.records.rundata.settings import Analysis
from timefair.records.status import Isolation, StopReason

GRACE_S = 0.05
"""Maximal time after T at which the last evaluation may end; it does not count."""

MOST_BUDGETS = 3
"""Number of different T of an algorithm that are listed; of more, the least and the largest are."""

DOMINATES = 0.5
"""Share of the time inside the objective above which evaluations may be the budget."""


def budget_parts(runs: Runs, analysis: Analysis) -> Iterator[ChecklistPart]:
    timed = bool(runs.frame["budget_s"].notna().any())
    yield _time(runs) if timed else _evaluations_alone(runs.frame)
    yield _evaluations(runs.frame)
    yield _early_end(runs)
    if timed:
        yield _overshoot(runs.frame)


def _time(runs: Runs) -> ChecklistPart:
    frame = runs.frame
    campaigns = (one for origins in runs.origins.values() for one in origins.campaign if one)
    by_cpu = any(one["budget"].get("cpu_s") for one in campaigns)
    clock = "CPU time" if by_cpu else "wall clock"
    said = {
        str(label): _budgets(sorted(budgets.fillna(0.0).unique()))
        for label, budgets in frame.groupby("algorithm")["budget_s"]
    }
    if frame["budget_s"].nunique(dropna=False) > 1:
        return ChecklistPart("Time T", by_algorithm(said), "not all runs had the same T")
    costs = sorted(frame["evaluation_cost_s"].fillna(0.0).unique())
    more = " or ".join(f"{c:g}" for c in costs)
    counted = f"; each evaluation counts {more} s more than it takes"
    return ChecklistPart(
        "Time T",
        f"{by_algorithm(said)} of {clock} for every run, restarts included"
        + (counted if costs[-1] > 0 else ""),
        "" if len(costs) == 1 else "not all runs had the same simulated evaluation cost",
    )


def _budgets(budgets: list[float]) -> str:
    if len(budgets) > MOST_BUDGETS:
        return f"T from {budgets[0]:.3g} to {budgets[-1]:.3g} s"
    return " or ".join(map(_seconds, budgets))


def _seconds(budget: float) -> str:
    return f"T = {budget:g} s" if budget else "no T"


def _evaluations_alone(frame: pd.DataFrame) -> ChecklistPart:
    share = objective_share(frame) * frame["real_s"]
    inside = share.groupby(frame["algorithm"]).sum(min_count=1)
    share = inside / frame["real_s"].where(share.notna()).groupby(frame["algorithm"]).sum()
    least, most = share.min(skipna=False), share.max()
    evidence = f"evaluations took an estimated {least:.0%} to {most:.0%} of the time"
    if np.isnan(least):
        evidence = "the share of evaluations in the time was not measured"
    missing = "set budget.time_s or cpu_s: the time of the algorithms themselves is not limited"
    return ChecklistPart("Time T", f"no T; {evidence}", "" if least >= DOMINATES else missing)


def _evaluations(frame: pd.DataFrame) -> ChecklistPart:
    caps = frame.groupby("dimension")["budget_evaluations"]
    equal = (caps.nunique(dropna=False) == 1).all()
    said = {
        f"D = {dimension}": listed(f"{cap:g} evaluations" for cap in sorted(cap.dropna().unique()))
        for dimension, cap in caps
    }
    capped = frame["budget_evaluations"].notna().any()
    return ChecklistPart(
        "Cap on evaluations",
        f"{by_algorithm(said)} for every run" if capped else "none",
        "" if equal else "runs of the same dimension had different caps",
    )


def _early_end(runs: Runs) -> ChecklistPart:
    targets = asked(runs, lambda _, campaign: campaign["budget"]["final_target"])
    if runs.optimum == "unknown":
        return ChecklistPart("Early end", "no target ends a run: no optimum is known")
    said = {label: " or ".join(map(_target, found)) for label, found in targets.items()}
    unknown = [label for label, found in targets.items() if not found]
    known = {label: text for label, text in said.items() if text}
    return ChecklistPart(
        "Early end",
        by_algorithm(known) if known else "",
        sentence(
            unrecorded(unknown),
            "not all runs had the same final target" if len(set(known.values())) > 1 else "",
        ),
    )


def _target(target: float | None) -> str:
    if target is None:
        return "no target ends a run"
    return f"a run ends at the precision {target:g}, where the optimum is known"


def _overshoot(frame: pd.DataFrame) -> ChecklistPart:
    if frame["overshoot_s"].isna().all():
        return ChecklistPart("Overshoot", "", "not recorded")
    late = int((frame["overshoot_s"] > GRACE_S).sum())
    longest = frame["overshoot_s"].max()
    return ChecklistPart(
        "Overshoot",
        f"the last evaluation of a run ended at most {1e3 * longest:.3g} ms after T; "
        "nothing after T counts",
        sentence(
            f"runs that continued for more than {1e3 * GRACE_S:g} ms after T: {late}"
            if late
            else "",
            unknown_in(frame, "overshoot_s"),
        ),
    )


UNUSED = (StopReason.ALGORITHM_ENDED, StopReason.FAILURE)
"""Stop reasons of runs with budget left that have not reached the final target."""


def restart_parts(runs: Runs, analysis: Analysis) -> Iterator[ChecklistPart]:
    yield _policy(runs)
    yield _completed(runs.frame)
    if len(runs.schedules):
        yield _lengths(runs)
    yield _use(runs.frame)


def _policy(runs: Runs) -> ChecklistPart:
    policies = asked(runs, lambda label, campaign: restart_of(campaign, label))
    unknown = [label for label, found in policies.items() if not found]
    several = [label for label, found in policies.items() if len(found) > 1]
    said = {
        label: " or ".join(map(_policy_words, found)) for label, found in policies.items() if found
    }
    return ChecklistPart(
        "Policy",
        by_algorithm(said) if said else "",
        sentence(
            unrecorded(unknown),
            f"{listed(several)}: runs under different policies" if several else "",
        ),
    )


def _policy_words(restart: Facts) -> str:
    settings = [
        f"{key} {value:g}"
        for key, value in restart.items()
        if key != "policy" and value is not None
    ]
    return ", ".join([restart["policy"], *settings])


def _completed(frame: pd.DataFrame) -> ChecklistPart:
    medians = frame.groupby("algorithm")["completed_restarts"].median().dropna()
    said = listed(f"{label} {median:g}" for label, median in medians.items())
    return ChecklistPart(
        "Completed restarts",
        f"median of a run: {said}" if said else "",
        unknown_in(frame, "completed_restarts"),
    )


def _lengths(runs: Runs) -> ChecklistPart:
    """What sets the length of a launch, how it was chosen, and whether any launch was complete."""
    of_runs, said = runs.frame.assign(**runs.scheduled()), []
    for label, rows in runs.schedules.groupby("algorithm"):
        ends = dict.fromkeys(f"{end:g}" for end in (rows["length"].min(), rows["length"].max()))
        how = schedule_in_words(rows["asked"].iloc[0])
        mine = of_runs[of_runs["algorithm"] == label]
        share = np.nan if mine["completed_restarts"].any() else mine["stopped_at"].median()
        cut = f", always stopped, at {share:.0%} of its schedule" if share < ALMOST else ""
        said.append(f"{label}: {rows['parameter'].iloc[0]} = {' to '.join(ends)} ({how}){cut}")
    return ChecklistPart("Length of a launch", "; ".join(said))


def _use(frame: pd.DataFrame) -> ChecklistPart:
    reasons = frame["stop_reason"].value_counts().sort_index()
    unused = frame.loc[frame["stop_reason"].isin(UNUSED), "algorithm"].value_counts().sort_index()
    said = listed(f"{count} of {label}" for label, count in unused.items())
    return ChecklistPart(
        "Use of the budget",
        "runs were ended by " + listed(f"{reason} ({n})" for reason, n in reasons.items()),
        f"runs ended with budget left and no restart: {said}" if said else "",
    )


def target_parts(runs: Runs, analysis: Analysis) -> Iterator[ChecklistPart]:
    yield _targets(runs, analysis)
    yield _optimum(runs)
    yield _success(runs, analysis)


def _targets(runs: Runs, analysis: Analysis) -> ChecklistPart:
    targets = analysis.targets_from_easy
    what, one = _what(runs, analysis)
    shown = f"{len(targets)} {what}, {targets[0]:g} to {targets[-1]:g}"
    ends = asked(runs, lambda _, campaign: campaign["budget"]["final_target"])
    first = max((end for found in ends.values() for end in found if end), default=0.0)
    beyond = 0 if analysis.target_values else sum(target < first for target in targets)
    return ChecklistPart(
        "Targets",
        shown if len(targets) > 1 else f"the {one} {targets[0]:g}",
        f"beyond {first:g}, where runs end: {beyond}" if beyond else "",
    )


def _what(runs: Runs, analysis: Analysis) -> tuple[str, str]:
    """Words for targets: the plural and the singular."""
    if analysis.target_values:
        return "values of f", "value of f"
    if runs.optimum == "unknown":
        return "shares of what was found", "share of what was found"
    return "precisions", "precision"


def _optimum(runs: Runs) -> ChecklistPart:
    if runs.optimum == "unknown":
        return ChecklistPart(
            "Gap", "no optimum is known; a gap is f minus the least f that any run here found"
        )
    unknown = runs.frame.loc[runs.frame["f_opt"].isna(), PROBLEM].drop_duplicates()
    problems = runs.frame[PROBLEM].drop_duplicates()
    said = "a precision is the distance to the known optimum"
    if len(unknown):
        said += f"; on {len(unknown)} of {len(problems)} problems to the best value that was found"
    wrong = listed(f"{one.problem} (f = {one.f:.9g} < {one.f_opt:.9g})" for one in refuted(runs))
    return ChecklistPart("Precision", said, f"values below the optimum: {wrong}" if wrong else "")


def _success(runs: Runs, analysis: Analysis) -> ChecklistPart:
    hardest = analysis.targets_from_easy[-1]
    reached = int(np.isfinite(runs.runtimes("evaluations", [hardest])).sum())
    said = f"within the budget; {reached} of {len(runs.frame)} runs reached {hardest:g}"
    if "success" in analysis.asked_tables:
        return ChecklistPart("Success", f"{said}; rates in table success")
    return ChecklistPart("Success", said, "select table success")


ANYTIME = ("anytime", "ecdf")
ERT = ("ert", "ert_by_instance")
PROFILES = ("profile",)


def result_parts(runs: Runs, analysis: Analysis) -> Iterator[ChecklistPart]:
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


INTERVALS = (
    *("ert", "quantiles", "quantiles_to_target", "paper_values"),
    *("success", "ecdf", "profile"),
)
TESTS = ("comparison", "friedman", "posthoc", "rank_reversals")
FEWEST = 2
"""Number of runs that an interval needs."""


def uncertainty_parts(runs: Runs, analysis: Analysis) -> Iterator[ChecklistPart]:
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
    return ChecklistPart(
        "Independence",
        by_algorithm(said) if said else "",
        sentence(
            f"runs could read files of earlier runs: {_algorithms(frame[shared])}"
            if shared.any()
            else "",
            f"files stayed (table leftovers): {_algorithms(frame[left])}" if left.any() else "",
            unknown_in(frame, "isolation") if len(frame) else "not known of imported runs",
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


COLUMNS = columns_of("""
    item: number of the item in the paper
    topic (text): topic of the item
    part (text): part of the item
    met: whether the part is met; empty if it was not measured, which is not required
    evidence (text): what the records, or the campaign, state; empty if there is none
    missing (text): why the part is not met; empty otherwise
""")

ITEMS: dict[str, Callable[[Runs, Analysis], Iterator[ChecklistPart]]] = {
    "Budget": budget_parts,
    "Restarts": restart_parts,
    "Targets": target_parts,
    "Results": result_parts,
    "Statistics": uncertainty_parts,
    "Machine": machine_parts,
    "Tuning": tuning_parts,
    "Code": code_parts,
}
"""The items in the order of the paper, which counts from 1."""


@exhibit(
    "checklist",
    question=questions.REPORTING,
    title="Reporting checklist of time-fair",
    caption="""
    The reporting checklist of *time-fair*, section 4, filled from the records: one row for each
    part of its eight items. An item is met if none of its parts is open. The evidence comes from
    the records or, for tables, figures and the tuning of algorithms, from the configuration of the
    campaign.
    """,
    columns=COLUMNS,
    layouts=[
        Layout(
            caption="Reporting checklist of time-fair, section 4. An item is met if none of its "
            "parts is open; the evidence is what the records state.",
            values=(
                Value("met", "Met"),
                Value("evidence", "Evidence", wrap=38),
                Value("missing", "Missing", wrap=22),
            ),
            rows=("item", "topic", "part"),
        )
    ],
    charged=False,
    complete=True,
    asked=True,
    default=True,
)
def filled(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """One row for each part of each item: whether it is met, the evidence, and what is missing."""
    rows = [
        (number, topic, part.name, part.met, part.evidence or None, part.missing or None)
        for number, (topic, parts) in enumerate(ITEMS.items(), start=1)
        for part in (parts(runs, analysis) if len(runs.frame) else ())
    ]
    frame = pd.DataFrame(rows, columns=column_names(COLUMNS))
    return frame.astype({"item": int, "met": "boolean"})
