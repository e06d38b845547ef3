"""The reporting checklist of *time-fair*, section 4, filled from the measurements."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from timefair.basics.extension import each
from timefair.basics.files import short
from timefair.basics.words import first, schedule_in_words
from timefair.exhibits import questions
from timefair.exhibits.campaign.outcomes import ALMOST
from timefair.exhibits.exhibit import exhibit
from timefair.exhibits.layout import Layout
from timefair.exhibits.unknown_optimum import refuted
from timefair.records.integrity import (
    Origins,
    environments,
    in_blocks,
    machine_kind,
    required_in_words,
    restart_of,
    searched_elsewhere,
    undeclared_software,
    unmet,
)
from timefair.records.rundata import published
from timefair.records.rundata.runs import PROBLEM, Runs, ancillary_costs, mixture, objective_share
from timefair.records.rundata.settings import Analysis
from timefair.records.status import Isolation, StopReason

Facts = Mapping[str, Any]


def labels(runs: Runs) -> list[str]:
    return sorted(runs.frame["algorithm"].unique())


def origins(runs: Runs) -> dict[str, Origins]:
    """Origins of each algorithm's runs; empty if no record contains them."""
    return {label: runs.origins.get(label, Origins()) for label in labels(runs)}


def asked(runs: Runs, pick: Callable[[str, Facts], object]) -> dict[str, list[Any]]:
    """The different values of a setting in the campaigns of each algorithm's records.

    ``pick`` takes a label and a campaign in the form of a record.
    """
    return {
        label: distinct([pick(label, campaign) for campaign in one.campaign if campaign])
        for label, one in origins(runs).items()
    }


def machines(runs: Runs) -> list[Facts]:
    return distinct(
        [machine for one in origins(runs).values() for machine in one.machine if machine]
    )


def told(runs: Runs, name: str) -> list[Any]:
    return _values(origins(runs).values(), name)


def differs(runs: Runs, name: str) -> bool:
    """Whether a fact differs among algorithms in the shared environment, or within another one."""
    return any(len(_values(group, name)) > 1 for group in environments(origins(runs)))


def _values(group: Iterable[Origins], name: str) -> list[Any]:
    values = (machine.get(name) for one in group for machine in one.machine if machine)
    return distinct([value for value in values if value is not None])


def untold(runs: Runs, *names: str) -> str:
    """The facts that some machine does not report, with reasons; empty if all report them."""
    seen = machines(runs)
    if not seen:
        return "the records do not name a machine"
    reasons = [
        f"{name} {machine.get('missing', {}).get(name, 'not recorded')}"
        for name in names
        for machine in seen
        if machine.get(name) is None
    ]
    return "; ".join(dict.fromkeys(reasons))


def distinct(values: list[Any]) -> list[Any]:
    """The different JSON values, in an order that does not depend on the order of the input."""
    by_text = {json.dumps(value, sort_keys=True): value for value in values}
    return [by_text[text] for text in sorted(by_text)]


MOST = 8  # number of names that are listed; the others are counted


Said: TypeAlias = tuple[str, ...] | None
"""The evidence of a part, and what is missing; None if a campaign has no such part."""


class ChecklistPart(NamedTuple):
    """The subject of a part, the evidence, and what is missing; it is met if nothing is missing."""

    name: str
    evidence: str
    missing: str = ""

    @property
    def met(self) -> bool:
        return not self.missing


def listed(words: Iterable[object]) -> str:
    """The words, separated by commas.

    >>> listed(range(10))
    '0, 1, 2, 3, 4, 5, 6, 7 and 2 more'
    """
    return first(words, MOST)


def sentence(*clauses: str) -> str:
    """The clauses that are not empty, separated by semicolons."""
    return "; ".join(clause for clause in clauses if clause)


def when(condition: object, text: str) -> str:
    return text if condition else ""


def by_algorithm(said: Mapping[str, str]) -> str:
    """The text on each algorithm; a text that several algorithms share appears once.

    >>> by_algorithm({"A": "2 s", "B": "1 s", "C": "2 s"})
    '2 s (A, C); 1 s (B)'
    >>> by_algorithm({"A": "2 s", "C": "2 s"})
    '2 s'
    """
    groups: dict[str, list[str]] = {}
    for label, text in said.items():
        groups.setdefault(text, []).append(label)
    if len(groups) == 1:
        return next(iter(groups))
    return sentence(*(f"{text} ({listed(names)})" for text, names in groups.items()))


def alternatives(facts: Mapping[str, Sequence[Any]], words: Callable[[Any], str]) -> dict[str, str]:
    return {label: " or ".join(map(words, found)) for label, found in facts.items() if found}


def unrecorded(facts: Mapping[str, Sequence[object] | None]) -> str:
    """The algorithms whose records lack a fact, from what was found of each; empty without any."""
    unknown = [label for label, found in facts.items() if not found]
    return when(unknown, f"the records of {listed(unknown)} do not contain it")


def unknown_in(frame: pd.DataFrame, column: str) -> str:
    """The number of runs without a value; empty if all have one."""
    unknown = int(frame[column].isna().sum())
    return when(unknown, f"not recorded for {unknown} of {len(frame)} runs")


GRACE_S = 0.05  # maximal time after T at which the last evaluation may end; it does not count
MOST_BUDGETS = 3  # of more different T of an algorithm, the least and the largest are listed
DOMINATES = 0.5  # share of the time inside the objective above which evaluations may be the budget


def _time(runs: Runs, analysis: Analysis) -> Said:
    frame = runs.frame
    if frame["budget_s"].isna().all():
        return _evaluations_alone(frame)
    campaigns = (one for origins in runs.origins.values() for one in origins.campaign if one)
    by_cpu = any(one["budget"].get("cpu_s") for one in campaigns)
    clock = "CPU time" if by_cpu else "wall clock"
    said = {
        str(label): _budgets(sorted(budgets.fillna(0.0).unique()))
        for label, budgets in frame.groupby("algorithm")["budget_s"]
    }
    if frame["budget_s"].nunique(dropna=False) > 1:
        return (by_algorithm(said), "not all runs had the same T")
    costs = sorted(frame["evaluation_cost_s"].fillna(0.0).unique())
    more = " or ".join(f"{c:g}" for c in costs)
    counted = when(costs[-1] > 0, f"; each evaluation counts {more} s more than it takes")
    return (
        f"{by_algorithm(said)} of {clock} for every run, restarts included{counted}",
        when(len(costs) > 1, "not all runs had the same simulated evaluation cost"),
    )


def _budgets(budgets: list[float]) -> str:
    if len(budgets) > MOST_BUDGETS:
        return f"T from {budgets[0]:.3g} to {budgets[-1]:.3g} s"
    return " or ".join(f"T = {budget:g} s" if budget else "no T" for budget in budgets)


def _evaluations_alone(frame: pd.DataFrame) -> Said:
    share = objective_share(frame) * frame["real_s"]
    inside = share.groupby(frame["algorithm"]).sum(min_count=1)
    share = inside / frame["real_s"].where(share.notna()).groupby(frame["algorithm"]).sum()
    least, most = share.min(skipna=False), share.max()
    evidence = f"evaluations took an estimated {least:.0%} to {most:.0%} of the time"
    if np.isnan(least):
        evidence = "the share of evaluations in the time was not measured"
    missing = "set budget.time_s or cpu_s: the time of the algorithms themselves is not limited"
    return (f"no T; {evidence}", "" if least >= DOMINATES else missing)


def _evaluations(runs: Runs, analysis: Analysis) -> Said:
    frame = runs.frame
    caps = frame.groupby("dimension")["budget_evaluations"]
    equal = (caps.nunique(dropna=False) == 1).all()
    said = {
        f"D = {dimension}": listed(f"{cap:g} evaluations" for cap in sorted(cap.dropna().unique()))
        for dimension, cap in caps
    }
    capped = frame["budget_evaluations"].notna().any()
    return (
        f"{by_algorithm(said)} for every run" if capped else "none",
        "" if equal else "runs of the same dimension had different caps",
    )


def _early_end(runs: Runs, analysis: Analysis) -> Said:
    targets = asked(runs, lambda _, campaign: campaign["budget"]["final_target"])
    if runs.optimum == "unknown":
        return "no target ends a run: no optimum is known", ""
    known = alternatives(targets, _target)
    return (
        by_algorithm(known),
        unrecorded(targets),
        when(len(set(known.values())) > 1, "not all runs had the same final target"),
    )


def _target(target: float | None) -> str:
    if target is None:
        return "no target ends a run"
    return f"a run ends at the precision {target:g}, where the optimum is known"


def _overshoot(runs: Runs, analysis: Analysis) -> Said:
    frame = runs.frame
    if frame["budget_s"].isna().all():
        return None
    if frame["overshoot_s"].isna().all():
        return ("", "not recorded")
    late = int((frame["overshoot_s"] > GRACE_S).sum())
    longest = frame["overshoot_s"].max()
    return (
        f"the last evaluation of a run ended at most {1e3 * longest:.3g} ms after T; "
        "nothing after T counts",
        when(late, f"runs that continued for more than {1e3 * GRACE_S:g} ms after T: {late}"),
        unknown_in(frame, "overshoot_s"),
    )


UNUSED = (StopReason.ALGORITHM_ENDED, StopReason.FAILURE)
"""Stop reasons of runs with budget left that have not reached the final target."""


def _policy(runs: Runs, analysis: Analysis) -> Said:
    policies = asked(runs, lambda label, campaign: restart_of(campaign, label))
    several = [label for label, found in policies.items() if len(found) > 1]
    return (
        by_algorithm(alternatives(policies, _policy_words)),
        unrecorded(policies),
        when(several, f"{listed(several)}: runs under different policies"),
    )


def _policy_words(restart: Facts) -> str:
    settings = [
        f"{key} {value:g}"
        for key, value in restart.items()
        if key != "policy" and value is not None
    ]
    return ", ".join([restart["policy"], *settings])


def _completed(runs: Runs, analysis: Analysis) -> Said:
    frame = runs.frame
    medians = frame.groupby("algorithm")["completed_restarts"].median().dropna()
    said = listed(f"{label} {median:g}" for label, median in medians.items())
    unknown = unknown_in(frame, "completed_restarts")
    return (when(said, f"median of a run: {said}"), unknown)


def _lengths(runs: Runs, analysis: Analysis) -> Said:
    """What sets the length of a launch, how it was chosen, and whether any launch was complete."""
    if not len(runs.schedules):
        return None
    of_runs, said = runs.frame.assign(**runs.scheduled()), []
    for label, rows in runs.schedules.groupby("algorithm"):
        ends = dict.fromkeys(f"{end:g}" for end in (rows["length"].min(), rows["length"].max()))
        how = schedule_in_words(rows["asked"].iloc[0])
        mine = of_runs[of_runs["algorithm"] == label]
        share = np.nan if mine["completed_restarts"].any() else mine["stopped_at"].median()
        cut = f", always stopped, at {share:.0%} of its schedule" if share < ALMOST else ""
        said.append(f"{label}: {rows['parameter'].iloc[0]} = {' to '.join(ends)} ({how}){cut}")
    return "; ".join(said), ""


def _use(runs: Runs, analysis: Analysis) -> Said:
    frame = runs.frame
    reasons = frame["stop_reason"].value_counts().sort_index()
    unused = frame.loc[frame["stop_reason"].isin(UNUSED), "algorithm"].value_counts().sort_index()
    said = listed(f"{count} of {label}" for label, count in unused.items())
    return (
        "runs were ended by " + listed(f"{reason} ({n})" for reason, n in reasons.items()),
        when(said, f"runs ended with budget left and no restart: {said}"),
    )


def _targets(runs: Runs, analysis: Analysis) -> Said:
    targets = analysis.targets_from_easy
    what, one = _what(runs, analysis)
    shown = f"{len(targets)} {what}, {targets[0]:g} to {targets[-1]:g}"
    ends = asked(runs, lambda _, campaign: campaign["budget"]["final_target"])
    first = max((end for found in ends.values() for end in found if end), default=0.0)
    beyond = 0 if analysis.target_values else sum(target < first for target in targets)
    return (
        shown if len(targets) > 1 else f"the {one} {targets[0]:g}",
        when(beyond, f"beyond {first:g}, where runs end: {beyond}"),
    )


def _what(runs: Runs, analysis: Analysis) -> tuple[str, str]:
    if analysis.target_values:
        return "values of f", "value of f"
    if runs.optimum == "unknown":
        return "shares of what was found", "share of what was found"
    return "precisions", "precision"


def _gap(runs: Runs, analysis: Analysis) -> Said:
    said = "no optimum is known; a gap is f minus the least f that any run here found"
    return (said, "") if runs.optimum == "unknown" else None


def _precision(runs: Runs, analysis: Analysis) -> Said:
    if runs.optimum == "unknown":
        return None
    unknown = runs.frame.loc[runs.frame["f_opt"].isna(), PROBLEM].drop_duplicates()
    problems = runs.frame[PROBLEM].drop_duplicates()
    said = "a precision is the distance to the known optimum"
    if len(unknown):
        said += f"; on {len(unknown)} of {len(problems)} problems to the best value that was found"
    wrong = listed(f"{one.problem} (f = {one.f:.9g} < {one.f_opt:.9g})" for one in refuted(runs))
    return said, when(wrong, f"values below the optimum: {wrong}")


def _success(runs: Runs, analysis: Analysis) -> Said:
    hardest = analysis.targets_from_easy[-1]
    reached = int(np.isfinite(runs.runtimes("evaluations", [hardest])).sum())
    said = f"within the budget; {reached} of {len(runs.frame)} runs reached {hardest:g}"
    if "success" in analysis.asked_tables:
        return f"{said}; rates in table success", ""
    return said, "select table success"


def _shown(*wanted: str) -> Callable[[Runs, Analysis], Said]:
    """What says which tables and figures over seconds are selected; one of them is enough."""

    def said(runs: Runs, analysis: Analysis) -> Said:
        tables = [table for table in wanted if table in analysis.asked_tables]
        figures = [figure for figure in wanted if figure in analysis.asked_figures]
        evidence = sentence(
            when(tables, f"tables: {listed(tables)}"), when(figures, f"figures: {listed(figures)}")
        )
        alone = wanted == ("profile",) and len(labels(runs)) < 2
        return (
            evidence,
            when(not evidence, f"select table or figure {wanted[0]}"),
            when(alone, "a profile needs several algorithms"),
        )

    return said


INTERVALS = (
    *("ert", "quantiles", "quantiles_to_target", "paper_values"),
    *("success", "ecdf", "profile"),
)
TESTS = ("comparison", "friedman", "posthoc", "rank_reversals")
FEWEST = 2  # number of runs that an interval needs


def _seeds(runs: Runs, analysis: Analysis) -> Said:
    found = asked(runs, lambda _, campaign: campaign["seed"])
    seeds = distinct([seed for some in found.values() for seed in some])
    shared = int(runs.frame["seed"].dropna().duplicated(keep=False).sum())
    return (
        when(seeds, f"campaign seed {listed(seeds)}; every stream derives from it"),
        when(not seeds, "the records do not contain the seed of the campaign"),
        when(len(seeds) > 1, "runs of different seeds"),
        when(shared, f"{shared} runs share a random stream"),
    )


def _repetitions(runs: Runs, analysis: Analysis) -> Said:
    sizes = runs.frame.groupby([*PROBLEM, "algorithm"]).size()
    least, most = sizes.min(), sizes.max()
    number = f"{least}" if least == most else f"{least} to {most}"
    problems = runs.frame[PROBLEM].drop_duplicates()
    rules = asked(runs, lambda _, campaign: campaign["stopping"])
    said = alternatives(rules, _rule)
    few = int((sizes < FEWEST).sum())
    unruled = least != most and set(said.values()) <= {_FIXED}
    return (
        sentence(
            f"runs of each algorithm on each of {len(problems)} problems: {number}",
            by_algorithm(said),
        ),
        when(few, f"in {few} cases fewer than {FEWEST} runs, too few for an interval"),
        when(unruled, "numbers of runs differ, and there is no stopping rule"),
    )


_FIXED = "number fixed beforehand"


def _rule(stopping: Facts) -> str:
    rule = stopping["rule"]
    return _FIXED if rule == "fixed" else f"ended by the rule {rule} (table stopping)"


_FILES = {
    Isolation.PRIVATE: "each run had private views of the folders that it writes to",
    Isolation.WATCHED: "folders that runs share were compared before and after each run",
    Isolation.STRICT: "each run had private views of the folders that it writes to, and the "
    "algorithm ran in a process that does not hold the problem (isolation: strict)",
    Isolation.SHARED: "runs shared files, because the campaign allows it (isolation: shared)",
}


def _independence(runs: Runs, analysis: Analysis) -> Said:
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
    return (
        by_algorithm(said),
        when(shared.any(), f"runs could read files of earlier runs: {_algorithms(frame[shared])}"),
        when(left.any(), f"files stayed (table leftovers): {_algorithms(frame[left])}"),
        unknown_in(frame, "isolation") if len(frame) else "not known of imported runs",
    )


def _algorithms(frame: pd.DataFrame) -> str:
    return listed(sorted(frame["algorithm"].unique()))


def _in_words(isolation: str, because: str) -> str:
    return _FILES[Isolation(isolation)] + when(because, f" ({because})")


def _intervals(runs: Runs, analysis: Analysis) -> Said:
    intervals = [name for name in INTERVALS if name in analysis.asked_tables]
    tests = [name for name in TESTS if name in analysis.asked_tables]
    evidence = sentence(
        when(intervals, f"{100 * analysis.confidence:g} % intervals in {listed(intervals)}"),
        when(tests, f"tests in {listed(tests)}"),
    )
    missing = when(not evidence, "select table ert or friedman")
    return evidence, missing


EXCESS, EXCESS_S = 1.02, 0.02
"""CPU time may exceed the time of a run on its cores by this factor, and by these seconds."""


def _hardware(runs: Runs, analysis: Analysis) -> Said:
    kinds = sorted({str(machine_kind(machine)) for machine in machines(runs)})
    blocked = in_blocks(origins(runs).values())
    return (
        sentence(
            listed(kinds),
            mixture(runs),
            _required(runs),
            _said(runs, "cores_physical", "physical cores"),
            _said(runs, "governor"),
            _said(runs, "turbo"),
        ),
        when(len(kinds) > 1 and not blocked, f"runs of {len(kinds)} kinds of machines"),
        _not_as_required(runs),
        untold(runs, "cpu", "cores", "memory_mb"),
    )


def _requirements(runs: Runs) -> dict[str, list[Any]]:
    asked_for = asked(runs, lambda _, campaign: campaign.get("machine", {}).get("require"))
    return {label: [one for one in found if one] for label, found in asked_for.items()}


def _required(runs: Runs) -> str:
    found = distinct([one for several in _requirements(runs).values() for one in several])
    words = listed(sorted(map(required_in_words, found)))
    return when(words, f"required before the first run: {words}")


def _not_as_required(runs: Runs) -> str:
    """The kinds of machines that do not meet the requirement of their records; may be empty.

    Collected records do not contain host names, so these are not compared here.
    """
    wrong = {
        str(machine_kind(machine))
        for label, required in _requirements(runs).items()
        for machine in origins(runs)[label].machine
        if required and machine and all(unmet({**one, "host": None}, machine) for one in required)
    }
    return when(wrong, f"runs on machines that are not as required: {listed(sorted(wrong))}")


def _said(runs: Runs, name: str, words: str = "") -> str:
    """A fact in words, or that no machine reports it; empty if no record names a machine."""
    words, values = words or name.replace("_", " "), told(runs, name)
    if not machines(runs):
        return ""
    return f"{words}: {listed(map(_text, values))}" if values else f"{words}: not available"


def _text(value: Any) -> str:
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)


def _system(runs: Runs, analysis: Analysis) -> Said:
    kernels = told(runs, "kernel")
    return (
        sentence(
            *(_said(runs, name) for name in ("kernel", "distribution")),
            *(_said(runs, name) for name in ("virtual_machine", "container")),
        ),
        when(len(kernels) > 1, f"runs under {len(kernels)} kernels"),
        untold(runs, "kernel"),
    )


def _threads(runs: Runs, analysis: Analysis) -> Said:
    allowed = asked(runs, lambda label, campaign: campaign["algorithms"][label]["threads"])
    said = {
        label: f"threads of a run: {listed(found)}" for label, found in allowed.items() if found
    }
    free = int(runs.frame["core"].isna().sum())
    total = len(runs.frame)
    beyond = listed(
        f"{label} {pool['threads']} of {pool['library']}"
        for label, found in allowed.items()
        for pool in _pools(runs, label)
        if found and pool["threads"] > max(found)
    )
    return (
        sentence(by_algorithm(said), f"{total - free} of {total} runs pinned to a core"),
        unrecorded(allowed),
        when(beyond, f"more than allowed: {beyond}"),
        _excess(runs, {label: max(found) for label, found in allowed.items() if found}),
    )


def _excess(runs: Runs, allowed: Mapping[str, int]) -> str:
    """Number of runs per algorithm with more CPU time than their cores have; empty without any.

    This is possible if the kernel cannot pin a run to its cores.
    """
    frame = runs.frame
    most_s = frame["real_s"] * frame["algorithm"].map(allowed) * EXCESS + EXCESS_S
    counts = frame.loc[frame["cpu_s"] > most_s, "algorithm"].value_counts().sort_index()
    found = listed(f"{count} of {label}" for label, count in counts.items())
    return when(found, f"runs with more CPU time than their cores have: {found}")


def _pools(runs: Runs, label: str) -> list[dict[str, Any]]:
    found = (machine or {} for machine in origins(runs)[label].machine)
    return [pool for machine in found for pool in machine.get("blas_threads") or ()]


def _linear_algebra(runs: Runs, analysis: Analysis) -> Said:
    libraries = told(runs, "blas")
    pools = {
        f"threads of {pool['library']}: {pool['threads']}"
        for label in labels(runs)
        for pool in _pools(runs, label)
    }
    return (
        sentence(listed(libraries), listed(sorted(pools))),
        when(differs(runs, "blas"), f"runs with {len(libraries)} libraries"),
        untold(runs, "blas"),
    )


def _flags(runs: Runs, analysis: Analysis) -> Said:
    compilers = told(runs, "numpy_compilers")
    numpy = [
        listed(f"{language} {tool}" for language, tool in built.items()) for built in compilers
    ]
    facts = "python_flags", "numpy_compilers"
    differ = any(differs(runs, name) for name in facts)
    return (
        sentence(_said(runs, "python_flags", "Python"), when(numpy, f"numpy: {listed(numpy)}")),
        when(differ, "runs under different builds"),
        untold(runs, *facts),
    )


def _versions(runs: Runs, analysis: Analysis) -> Said:
    known = origins(runs)
    own = {label: _software(one) for label, one in known.items() if one.own_environment}
    shared = _software(*(one for label, one in known.items() if label not in own))
    alone = {
        label: listed(f"{name} {version}" for name, version in sorted(software.items()))
        for label, found in own.items()
        if (software := {n: v for n, v in found.items() if shared.get(n) != v})
    }
    unknown = sorted({n for found in (shared, *own.values()) for n, v in found.items() if not v})
    return (
        sentence(
            ", ".join(f"{name} {version}" for name, version in sorted(shared.items())),
            when(alone, f"in environments of their own: {_each(alone)}"),
        ),
        *(
            f"{name} {' and '.join(several)}"
            for name, several in undeclared_software(known).items()
        ),
        when(unknown, f"version not known: {listed(unknown)}"),
        untold(runs, "python"),
    )


def _environments(runs: Runs, analysis: Analysis) -> Said:
    found = {
        label: distinct([machine["own_environment"] for machine in one.machine if machine])
        for label, one in origins(runs).items()
        if one.own_environment
    }
    if not found:
        return None
    commits = {label: [str(own["commit"]) for own in every] for label, every in found.items()}
    dirty = [label for label, every in commits.items() if any(c.endswith(DIRTY) for c in every)]
    return (
        _each({label: listed(map(_environment, every)) for label, every in found.items()}),
        when(
            dirty, f"files of {listed(dirty)} differed from the commit: commit, and measure again"
        ),
    )


def _environment(own: Mapping[str, Any]) -> str:
    python = own["python"] or "the interpreter of the workflow"
    return (
        f"{python} with {own['path']} at {own['commit'] or 'no commit'}" if own["path"] else python
    )


def _software(*those: Origins) -> dict[str, str | None]:
    """The versions of Python and of the packages that the records of some algorithms name."""
    every = [machine for one in those for machine in one.machine if machine]
    found: dict[str, str | None] = {}
    for machine in every:
        found |= {"Python": machine.get("python"), **machine.get("versions", {})}
    return found


def _each(said: Mapping[str, str]) -> str:
    """The text on each algorithm with its name, even if it is the same for all algorithms."""
    return sentence(*(f"{text} ({label})" for label, text in said.items()))


EFFECT = ("ancillary", "ancillary_effect")


def _tuning(runs: Runs, analysis: Analysis) -> Said:
    spent = ancillary_costs(runs.frame, runs.origins, analysis)
    said, silent, elsewhere = {}, [], []
    for label in map(str, spent.index):
        origin = runs.origins.get(label, Origins())
        searches = origin.tuning
        if clause := searched_elsewhere(origin):
            elsewhere.append(f"{label}: {clause}")
        spec = analysis.campaign.get("algorithms", {}).get(label, {})
        declared_s = analysis.tuning_s.get(label, 0.0)
        method = spec.get("ancillary", {}).get("method")
        clauses = [_search(one) for one in searches]
        if method and (declared_s or not searches):
            clauses.append(f"{declared_s:g} s, {method}")
        if clauses:
            said[label] = sentence(*clauses)
        if not method and (declared_s or not searches):
            silent.append(label)
    imported = analysis.campaign.get("algorithms") == {}
    missing = "not recorded" if imported else _undeclared(silent)
    return (by_algorithm(said), missing, *elsewhere)


def _search(search: Mapping[str, Any]) -> str:
    overlap, result = search["overlap"], search["result"]
    there = when(overlap, f"; {listed(overlap)} also in the comparison")
    kept = when(not result["parameters"], "; the default was the best")
    lost = search["interrupted"]
    interrupted = when(lost, f", {lost} interrupted and charged in full")
    return (
        f"{search['seconds']:.1f} s measured: {search['tuner']}, {search['candidates']} candidates "
        f"in {search['evaluations']} runs{interrupted} on {search['problems']}{there}{kept}"
    )


def _undeclared(silent: Sequence[str]) -> str:
    if len(silent) == 1:
        return f"declare algorithms.{silent[0]}.ancillary.method"
    return when(silent, f"declare algorithms.<label>.ancillary.method for {listed(silent)}")


def _preparation(runs: Runs, analysis: Analysis) -> Said:
    spent = ancillary_costs(runs.frame, runs.origins, analysis)
    known = spent.dropna(subset="preparation_s")
    said = listed(
        f"{row.Index} {row.preparation_s:.3g} s ({row.preparation})" for row in known.itertuples()
    )
    unknown = sorted(set(spent.index) - set(known.index))
    return said, unrecorded(dict.fromkeys(unknown))


def _amortisation(runs: Runs, analysis: Analysis) -> Said:
    spent = ancillary_costs(runs.frame, runs.origins, analysis)
    problems, most = analysis.problems, spent["share_s"].max()
    share = f"at most {most:.3g} s per problem, of {problems}"
    if analysis.ancillary == "amortised":
        return f"every run is charged its share, {share}", ""
    evidence = f"not charged; the share would be {share}"
    shown = [table for table in EFFECT if table in analysis.asked_tables]
    if shown:
        return f"{evidence}; shown in tables {listed(shown)}", ""
    return evidence, f"select table {EFFECT[0]}"


DIRTY = "-dirty"


def _code(runs: Runs, analysis: Analysis) -> Said:
    digests = {
        label: sorted(short(code) for code in one.code if code)
        for label, one in origins(runs).items()
    }
    several = [label for label, found in digests.items() if len(found) > 1]
    known = {label: listed(found) for label, found in digests.items() if found}
    return (
        when(known, f"SHA-256 of the measuring code: {by_algorithm(known)}"),
        unrecorded(digests),
        when(several, f"runs of several versions of {listed(several)}"),
    )


def _commit(runs: Runs, analysis: Analysis) -> Said:
    own, package = told(runs, "commit"), told(runs, "package_commit")
    dirty = any(commit.endswith(DIRTY) for commit in [*own, *package])
    return (
        sentence(
            when(machines(runs), f"working directory: {listed(own) or 'no checkout'}"),
            when(package, f"timefair: {listed(package)}"),
        ),
        when(dirty, "files differed from the commit: commit, and measure again"),
        when(not (own or package), untold(runs, "commit")),
    )


def _streams(runs: Runs, analysis: Analysis) -> Said:
    unknown = int(runs.frame["seed"].isna().sum())
    said = "column seed of every record; launch k draws from default_rng([seed, k])"
    known = when(unknown < len(runs.frame), said)
    return known, when(unknown, f"runs without one: {unknown}")


def _configuration(runs: Runs, analysis: Analysis) -> Said:
    name = analysis.campaign.get("name")
    several = [label for label, one in origins(runs).items() if len(one.configurations(label)) > 1]
    return (
        when(name, f"results/{name}/campaign.json and the workflow of timefair"),
        when(not name, "the configuration is not known"),
        when(several, f"runs of several configurations of {listed(several)}"),
    )


def _files_of(runs: Runs) -> str:
    return listed(
        f"{label} from {source['path']} (SHA-256 {short(source['sha256'])})"
        for label, source in sorted(runs.sources.items())
    )


def _imported(runs: Runs, analysis: Analysis) -> Said:
    if not runs.foreign_clock:
        return None
    cautions = [line for source in runs.sources.values() for line in source["cautions"]]
    evidence = f"all times are of a foreign clock: {_files_of(runs)}"
    return evidence, *dict.fromkeys(cautions)


def _published(runs: Runs, analysis: Analysis) -> Said:
    if runs.foreign_clock or not runs.sources:
        return None
    cautions = (
        f"{label}: {caution}"
        for label, source in sorted(runs.sources.items())
        for caution in source.get("cautions", [])
    )
    scaled = published.said([*runs.sources], runs, analysis.confidence)
    return (f"{scaled or 'in evaluations only:'} {_files_of(runs)}", *cautions)


ITEMS: dict[str, dict[str, Callable[[Runs, Analysis], Said]]] = {
    "Budget": {
        "Time T": _time, "Cap on evaluations": _evaluations, "Early end": _early_end,
        "Overshoot": _overshoot,
    },
    "Restarts": {
        "Policy": _policy, "Completed restarts": _completed, "Length of a launch": _lengths,
        "Use of the budget": _use,
    },
    "Targets": {"Targets": _targets, "Gap": _gap, "Precision": _precision, "Success": _success},
    "Results": {
        "Anytime": _shown("anytime", "ecdf"), "ERT": _shown("ert", "ert_by_instance"),
        "Profiles": _shown("profile"),
    },
    "Statistics": {
        "Seeds": _seeds, "Repetitions": _repetitions, "Independence": _independence,
        "Intervals or tests": _intervals,
    },
    "Machine": {
        "Hardware": _hardware, "System": _system, "Threads": _threads, "BLAS": _linear_algebra,
        "Compiler flags": _flags, "Versions": _versions,
        "Environments of their own": _environments,
    },
    "Tuning": {"Tuning": _tuning, "Preparation": _preparation, "Amortisation": _amortisation},
    "Code": {
        "Code": _code, "Commit": _commit, "Seeds": _streams, "Configuration": _configuration,
        "Imported data": _imported, "Published data": _published,
    },
}  # fmt: skip
"""The items in the order of the paper, which counts from 1, with their parts."""


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
    columns="""
    item: number of the item in the paper
    topic (text): topic of the item
    part (text): part of the item
    met <Met>: whether the part is met; empty if it was not measured, which is not required
    evidence (text) <Evidence; 38 letters>: what the records, or the campaign, state; empty if there
        is none
    missing (text) <Missing; 22 letters>: why the part is not met; empty otherwise
    """,
    layouts=Layout(
        caption="Reporting checklist of time-fair, section 4. An item is met if none of its "
        "parts is open; the evidence is what the records state.",
        rows=("item", "topic", "part"),
    ),
    complete=True,
    asked=True,
    default=True,
)
def filled(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    rows = [
        (number, topic, part.name, part.met, part.evidence or None, part.missing or None)
        for number, topic in enumerate(ITEMS, start=1)
        for part in (_parts(topic, runs, analysis) if len(runs.frame) else ())
    ]
    frame = pd.DataFrame(rows, columns=["item", "topic", "part", "met", "evidence", "missing"])
    return frame.astype({"item": int, "met": "boolean"})


def _parts(topic: str, runs: Runs, analysis: Analysis) -> Iterator[ChecklistPart]:
    """The parts of an item; those of extensions are before that on imported data."""
    for name, part in ITEMS[topic].items():
        if name == "Imported data":
            yield from each("checklist", runs, analysis)
        if (said := part(runs, analysis)) is not None:
            yield ChecklistPart(name, said[0], sentence(*said[1:]))
