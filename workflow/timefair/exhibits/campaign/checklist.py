"""The reporting checklist of *time-fair*, section 4, filled from the measurements."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from timefair.basics.disk import short
from timefair.basics.extension import each
from timefair.basics.words import first, schedule_in_words
from timefair.exhibits import questions
from timefair.exhibits.campaign.outcomes import ALMOST
from timefair.exhibits.exhibit import exhibit
from timefair.exhibits.layout import Layout
from timefair.exhibits.unknown_optimum import refuted
from timefair.records import integrity
from timefair.records.rundata import published
from timefair.records.rundata.runs import PROBLEM, Runs, ancillary_costs, mixture, objective_share
from timefair.records.rundata.settings import Analysis
from timefair.records.status import Isolation, StopReason

Facts = Mapping[str, Any]


def origins(runs: Runs) -> dict[str, integrity.Origins]:
    """Origins of each algorithm's runs; empty if no record contains them."""
    labels = sorted(runs.frame["algorithm"].unique())
    return {label: runs.origins.get(label, integrity.Origins()) for label in labels}


def asked(runs: Runs, pick: Callable[[str, Facts], object]) -> dict[str, list[Any]]:
    """The different values of a setting in the campaigns of each algorithm's records; ``pick``
    takes a label and such a campaign."""
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
    groups = integrity.environments(origins(runs).values())
    return any(len(_values(group, name)) > 1 for group in groups)


def _values(group: Iterable[integrity.Origins], name: str) -> list[Any]:
    values = [machine.get(name) for one in group for machine in one.machine if machine]
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


class ChecklistPart(NamedTuple):
    """The subject of a part, the evidence, and what is missing; it is met if nothing is missing."""

    name: str
    evidence: str
    missing: str = ""

    @property
    def met(self) -> bool:
        return not self.missing


Parts: TypeAlias = Iterator[ChecklistPart]


def listed(words: Iterable[object]) -> str:
    return first(words, MOST)


def sentence(*clauses: str) -> str:
    """The clauses that are not empty, separated by semicolons."""
    return "; ".join(filter(None, clauses))


def part(name: str, evidence: str, *missing: str) -> ChecklistPart:
    return ChecklistPart(name, evidence, sentence(*missing))


def when(condition: object, text: str) -> str:
    return text if condition else ""


def by_algorithm(said: Mapping[str, str]) -> str:
    """The text on each algorithm; a text that several algorithms share appears once.

    >>> by_algorithm({"A": "2 s", "B": "1 s", "C": "2 s"}), by_algorithm({"A": "2 s"})
    ('2 s (A, C); 1 s (B)', '2 s')
    """
    groups: dict[str, list[str]] = {}
    for label, text in said.items():
        groups.setdefault(text, []).append(label)
    if len(groups) == 1:
        return next(iter(groups))
    return sentence(*(f"{text} ({listed(names)})" for text, names in groups.items()))


def counts(values: pd.Series[Any]) -> str:
    """How often each value occurs: ``2 of A, 1 of B``."""
    return listed(f"{n} of {name}" for name, n in values.value_counts().sort_index().items())


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
DOMINATES = 0.5  # share of the time inside the objective above which evaluations may be the budget


def _budget(runs: Runs, analysis: Analysis) -> Parts:
    frame = runs.frame
    timed = frame["budget_s"].notna().any()
    yield part("Time T", *(_time(runs) if timed else _evaluations_alone(frame)))
    caps = frame.groupby("dimension")["budget_evaluations"]
    said = {
        f"D = {dimension}": listed(f"{cap:g} evaluations" for cap in sorted(cap.dropna().unique()))
        for dimension, cap in caps
    }
    capped = frame["budget_evaluations"].notna().any()
    equal = (caps.nunique(dropna=False) == 1).all()
    yield part(
        "Cap on evaluations",
        f"{by_algorithm(said)} for every run" if capped else "none",
        when(not equal, "runs of the same dimension had different caps"),
    )
    if runs.optimum == "unknown":
        yield part("Early end", "no target ends a run: no optimum is known")
    else:
        targets = asked(runs, lambda _, campaign: campaign["budget"]["final_target"])
        at = "a run ends at the precision {:g}, where the optimum is known".format
        known = alternatives(
            targets, lambda target: at(target) if target is not None else "no target ends a run"
        )
        several = when(len(set(known.values())) > 1, "not all runs had the same final target")
        yield part("Early end", by_algorithm(known), unrecorded(targets), several)
    over_s = frame["overshoot_s"]
    if timed and over_s.isna().all():
        yield part("Overshoot", "", "not recorded")
    elif timed:
        late = int((over_s > GRACE_S).sum())
        yield part(
            "Overshoot",
            f"the last evaluation of a run ended at most {1e3 * over_s.max():.3g} ms after T; "
            "nothing after T counts",
            when(late, f"runs that continued for more than {1e3 * GRACE_S:g} ms after T: {late}"),
            unknown_in(frame, "overshoot_s"),
        )


def _time(runs: Runs) -> tuple[str, str]:
    frame = runs.frame
    campaigns = (one for origins in runs.origins.values() for one in origins.campaign if one)
    by_cpu = any(one["budget"].get("cpu_s") for one in campaigns)
    said = {
        str(label): listed(f"T = {one:g} s" if one else "no T" for one in sorted(set(of)))
        for label, of in frame["budget_s"].fillna(0.0).groupby(frame["algorithm"])
    }
    if frame["budget_s"].nunique(dropna=False) > 1:
        return by_algorithm(said), "not all runs had the same T"
    costs = sorted(frame["evaluation_cost_s"].fillna(0.0).unique())
    more = " or ".join(f"{c:g}" for c in costs)
    counted = when(costs[-1] > 0, f"; each evaluation counts {more} s more than it takes")
    clock = "CPU time" if by_cpu else "wall clock"
    return (
        f"{by_algorithm(said)} of {clock} for every run, restarts included{counted}",
        when(len(costs) > 1, "not all runs had the same simulated evaluation cost"),
    )


def _evaluations_alone(frame: pd.DataFrame) -> tuple[str, str]:
    share = objective_share(frame) * frame["real_s"]
    inside = share.groupby(frame["algorithm"]).sum(min_count=1)
    share = inside / frame["real_s"].where(share.notna()).groupby(frame["algorithm"]).sum()
    least, most = share.min(skipna=False), share.max()
    evidence = f"evaluations took an estimated {least:.0%} to {most:.0%} of the time"
    if np.isnan(least):
        evidence = "the share of evaluations in the time was not measured"
    missing = "set budget.time_s or cpu_s: the time of the algorithms themselves is not limited"
    return f"no T; {evidence}", when(not least >= DOMINATES, missing)


UNUSED = (StopReason.ALGORITHM_ENDED, StopReason.FAILURE)
"""Stop reasons of runs with budget left that have not reached the final target."""


def _restarts(runs: Runs, analysis: Analysis) -> Parts:
    frame = runs.frame
    policies = asked(runs, lambda label, campaign: integrity.setting_of(campaign, label, "restart"))
    several = [label for label, found in policies.items() if len(found) > 1]
    yield part(
        "Policy",
        by_algorithm(alternatives(policies, _policy)),
        unrecorded(policies),
        when(several, f"{listed(several)}: runs under different policies"),
    )
    medians = frame.groupby("algorithm")["completed_restarts"].median().dropna()
    said = listed(f"{label} {median:g}" for label, median in medians.items())
    unknown = unknown_in(frame, "completed_restarts")
    yield part("Completed restarts", when(said, f"median of a run: {said}"), unknown)
    if len(runs.schedules):
        yield part("Length of a launch", "; ".join(_lengths(runs)))
    reasons = frame["stop_reason"].value_counts().sort_index()
    unused = counts(frame.loc[frame["stop_reason"].isin(UNUSED), "algorithm"])
    yield part(
        "Use of the budget",
        "runs were ended by " + listed(f"{reason} ({n})" for reason, n in reasons.items()),
        when(unused, f"runs ended with budget left and no restart: {unused}"),
    )


def _policy(restart: Facts) -> str:
    set_to = {key: value for key, value in restart.items() if value is not None}
    return ", ".join([set_to.pop("policy"), *(f"{key} {v:g}" for key, v in set_to.items())])


def _lengths(runs: Runs) -> Iterator[str]:
    """What sets the length of a launch, how it was chosen, and whether any launch was complete."""
    of_runs = runs.frame.assign(**runs.scheduled())
    for label, rows in runs.schedules.groupby("algorithm"):
        ends = dict.fromkeys(f"{end:g}" for end in (rows["length"].min(), rows["length"].max()))
        how = schedule_in_words(rows["asked"].iloc[0])
        mine = of_runs[of_runs["algorithm"] == label]
        share = np.nan if mine["completed_restarts"].any() else mine["stopped_at"].median()
        cut = f", always stopped, at {share:.0%} of its schedule" if share < ALMOST else ""
        yield f"{label}: {rows['parameter'].iloc[0]} = {' to '.join(ends)} ({how}){cut}"


def _targets(runs: Runs, analysis: Analysis) -> Parts:
    targets, unknown = analysis.targets_from_easy, runs.optimum == "unknown"
    what, one = "precisions", "precision"
    if analysis.target_values:
        what, one = "values of f", "value of f"
    elif unknown:
        what, one = "shares of what was found", "share of what was found"
    shown = f"{len(targets)} {what}, {targets[0]:g} to {targets[-1]:g}"
    ends = asked(runs, lambda _, campaign: campaign["budget"]["final_target"])
    first = max((end for found in ends.values() for end in found if end), default=0.0)
    beyond = 0 if analysis.target_values else sum(target < first for target in targets)
    yield part(
        "Targets",
        shown if len(targets) > 1 else f"the {one} {targets[0]:g}",
        when(beyond, f"beyond {first:g}, where runs end: {beyond}"),
    )
    if unknown:
        gap = "no optimum is known; a gap is f minus the least f that any run here found"
        yield part("Gap", gap)
    else:
        problems = runs.frame[PROBLEM].drop_duplicates()
        others = runs.frame.loc[runs.frame["f_opt"].isna(), PROBLEM].drop_duplicates()
        to_best = f"on {len(others)} of {len(problems)} problems to the best value that was found"
        known = "a precision is the distance to the known optimum"
        said = sentence(known, when(len(others), to_best))
        wrong = listed(f"{of.problem} (f = {of.f:.9g} < {of.f_opt:.9g})" for of in refuted(runs))
        yield part("Precision", said, when(wrong, f"values below the optimum: {wrong}"))
    hardest = targets[-1]
    reached = int(np.isfinite(runs.runtimes("evaluations", [hardest])).sum())
    said = f"within the budget; {reached} of {len(runs.frame)} runs reached {hardest:g}"
    rates = "success" in analysis.asked_tables
    said += when(rates, "; rates in table success")
    yield part("Success", said, when(not rates, "select table success"))


def _results(runs: Runs, analysis: Analysis) -> Parts:
    """Which tables and figures over seconds are selected; one of each kind is enough."""
    alone = len(runs.frame["algorithm"].unique()) < 2
    asked_for = {"Anytime": ("anytime", "ecdf"), "ERT": ("ert", "ert_by_instance")}
    for name, wanted in (asked_for | {"Profiles": ("profile",)}).items():
        tables = listed(table for table in wanted if table in analysis.asked_tables)
        drawn = analysis.campaign.get("figures", ())
        figures = listed(figure for figure in wanted if figure in drawn)
        yield part(
            name,
            sentence(when(tables, f"tables: {tables}"), when(figures, f"figures: {figures}")),
            when(not (tables or figures), f"select table or figure {wanted[0]}"),
            when(alone and name == "Profiles", "a profile needs several algorithms"),
        )


LIMITS = ("ert", "quantiles", "quantiles_to_target", "paper_values", "success", "ecdf", "profile")
TESTS = ("comparison", "friedman", "posthoc", "rank_reversals")
FEWEST = 2  # number of runs that an interval needs
FIXED = "number fixed beforehand"


def _statistics(runs: Runs, analysis: Analysis) -> Parts:
    found = asked(runs, lambda _, campaign: campaign["seed"])
    seeds = distinct([seed for some in found.values() for seed in some])
    shared = int(runs.frame["seed"].dropna().duplicated(keep=False).sum())
    yield part(
        "Seeds",
        when(seeds, f"campaign seed {listed(seeds)}; every stream derives from it"),
        when(not seeds, "the records do not contain the seed of the campaign"),
        when(len(seeds) > 1, "runs of different seeds"),
        when(shared, f"{shared} runs share a random stream"),
    )
    sizes = runs.frame.groupby([*PROBLEM, "algorithm"]).size()
    least, most = sizes.min(), sizes.max()
    number = f"{least}" if least == most else f"{least} to {most}"
    problems = runs.frame[PROBLEM].drop_duplicates()
    rules = asked(runs, lambda _, campaign: campaign["stopping"]["rule"])
    ruled = "ended by the rule {} (table stopping)".format
    said = alternatives(rules, lambda rule: FIXED if rule == "fixed" else ruled(rule))
    few = int((sizes < FEWEST).sum())
    unruled = least != most and set(said.values()) <= {FIXED}
    on_each = f"runs of each algorithm on each of {len(problems)} problems: {number}"
    yield part(
        "Repetitions",
        sentence(on_each, by_algorithm(said)),
        when(few, f"in {few} cases fewer than {FEWEST} runs, too few for an interval"),
        when(unruled, "numbers of runs differ, and there is no stopping rule"),
    )
    yield _independence(runs.frame[~runs.frame["algorithm"].isin(list(runs.sources))])
    intervals, tests = (
        listed(name for name in names if name in analysis.asked_tables) for names in (LIMITS, TESTS)
    )
    level = f"{100 * analysis.confidence:g} % intervals in {intervals}"
    yield part(
        "Intervals or tests",
        sentence(when(intervals, level), when(tests, f"tests in {tests}")),
        when(not (intervals or tests), "select table ert or friedman"),
    )


_FILES = {
    Isolation.PRIVATE: "each run had private views of the folders that it writes to",
    Isolation.WATCHED: "folders that runs share were compared before and after each run",
    Isolation.STRICT: "each run had private views of the folders that it writes to, and the "
    "algorithm ran in a process that does not hold the problem (isolation: strict)",
    Isolation.SHARED: "runs shared files, because the campaign allows it (isolation: shared)",
}


def _independence(frame: pd.DataFrame) -> ChecklistPart:
    known = frame.dropna(subset="isolation").fillna({"watched_because": ""})
    said: dict[str, set[str]] = {}
    for label, isolation, because in known[["algorithm", "isolation", "watched_because"]].values:
        words = _FILES[Isolation(isolation)] + when(because, f" ({because})")
        said.setdefault(str(label), set()).add(words)
    shared = frame["isolation"] == Isolation.SHARED
    stayed = frame["appeared"].notna() | frame["appeared_in_trial"].notna()
    compared = (frame["isolation"] == Isolation.WATCHED) | frame["watched_because"].notna()
    sharing, leaving = (
        listed(sorted(frame.loc[rows, "algorithm"].unique()))
        for rows in (shared, compared & stayed)
    )
    return part(
        "Independence",
        by_algorithm({label: sentence(*sorted(words)) for label, words in sorted(said.items())}),
        when(sharing, f"runs could read files of earlier runs: {sharing}"),
        when(leaving, f"files stayed (table leftovers): {leaving}"),
        unknown_in(frame, "isolation") if len(frame) else "not known of imported runs",
    )


EXCESS, EXCESS_S = 1.02, 0.02
"""CPU time may exceed the time of a run on its cores by this factor, and by these seconds."""


def _machine(runs: Runs, analysis: Analysis) -> Parts:
    def said(name: str, words: str = "") -> str:
        """A fact in words, or that no machine reports it; empty if no record names a machine."""
        words, values = words or name.replace("_", " "), told(runs, name)
        if not machines(runs):
            return ""
        texts = [("off", "on")[v] if isinstance(v, bool) else v for v in values]
        return f"{words}: {listed(texts) if values else 'not available'}"

    kinds = sorted({str(integrity.machine_kind(machine)) for machine in machines(runs)})
    several = len(kinds) > 1 and not integrity.in_blocks(origins(runs).values())
    required, otherwise = _requirements(runs)
    yield part(
        "Hardware",
        sentence(
            listed(kinds),
            mixture(runs),
            when(required, f"required before the first run: {required}"),
            said("cores_physical", "physical cores"),
            said("governor"),
            said("turbo"),
        ),
        when(several, f"runs of {len(kinds)} kinds of machines"),
        when(otherwise, f"runs on machines that are not as required: {otherwise}"),
        untold(runs, "cpu", "cores", "memory_mb"),
    )
    kernels = told(runs, "kernel")
    yield part(
        "System",
        sentence(*map(said, ("kernel", "distribution", "virtual_machine", "container"))),
        when(len(kernels) > 1, f"runs under {len(kernels)} kernels"),
        untold(runs, "kernel"),
    )
    pools = {
        label: [pool for of in one.machine for pool in (of or {}).get("blas_threads") or ()]
        for label, one in origins(runs).items()
    }
    yield _threads(runs, pools)
    libraries = told(runs, "blas")
    every = {
        f"threads of {of['library']}: {of['threads']}" for some in pools.values() for of in some
    }
    yield part(
        "BLAS",
        sentence(listed(libraries), listed(sorted(every))),
        when(differs(runs, "blas"), f"runs with {len(libraries)} libraries"),
        untold(runs, "blas"),
    )
    numpy = [
        listed(f"{language} {tool}" for language, tool in built.items())
        for built in told(runs, "numpy_compilers")
    ]
    facts = "python_flags", "numpy_compilers"
    yield part(
        "Compiler flags",
        sentence(said("python_flags", "Python"), when(numpy, f"numpy: {listed(numpy)}")),
        when(any(differs(runs, name) for name in facts), "runs under different builds"),
        untold(runs, *facts),
    )
    yield _versions(runs)
    yield from _environments(runs)


def _requirements(runs: Runs) -> tuple[str, str]:
    """What machines had to be, and the kinds that are not; collected records have no host names."""
    asked_for = asked(runs, lambda _, campaign: campaign.get("machine", {}).get("require"))
    required = {label: list(filter(None, found)) for label, found in asked_for.items()}
    words = distinct([one for several in required.values() for one in several])
    wrong = {
        str(integrity.machine_kind(machine))
        for label, several in required.items()
        for machine in origins(runs)[label].machine
        if several
        and machine
        and all(integrity.unmet({**one, "host": None}, machine) for one in several)
    }
    return listed(sorted(map(integrity.required_in_words, words))), listed(sorted(wrong))


def _threads(runs: Runs, pools: Mapping[str, list[dict[str, Any]]]) -> ChecklistPart:
    """Excess of CPU time is possible if the kernel cannot pin a run to its cores."""
    frame, total = runs.frame, len(runs.frame)
    allowed = asked(runs, lambda label, campaign: campaign["algorithms"][label]["threads"])
    most = {label: max(found) for label, found in allowed.items() if found}
    said = {label: f"threads of a run: {listed(allowed[label])}" for label in most}
    beyond = listed(
        f"{label} {pool['threads']} of {pool['library']}"
        for label, threads in most.items()
        for pool in pools[label]
        if pool["threads"] > threads
    )
    most_s = frame["real_s"] * frame["algorithm"].map(most) * EXCESS + EXCESS_S
    excess = counts(frame.loc[frame["cpu_s"] > most_s, "algorithm"])
    pinned = int(frame["core"].notna().sum())
    return part(
        "Threads",
        sentence(by_algorithm(said), f"{pinned} of {total} runs pinned to a core"),
        unrecorded(allowed),
        when(beyond, f"more than allowed: {beyond}"),
        when(excess, f"runs with more CPU time than their cores have: {excess}"),
    )


def _versions(runs: Runs) -> ChecklistPart:
    known = origins(runs)
    own = {label: _software(one) for label, one in known.items() if one.own_environment}
    shared = _software(*(one for label, one in known.items() if label not in own))
    alone = {
        label: listed(f"{name} {version}" for name, version in sorted(software.items()))
        for label, found in own.items()
        if (software := {n: v for n, v in found.items() if shared.get(n) != v})
    }
    unknown = sorted({n for found in (shared, *own.values()) for n, v in found.items() if not v})
    undeclared = integrity.differing_software(known.values()).items()
    together = ", ".join(f"{name} {version}" for name, version in sorted(shared.items()))
    return part(
        "Versions",
        sentence(together, when(alone, f"in environments of their own: {_each(alone)}")),
        *(f"{name} {' and '.join(several)}" for name, several in undeclared),
        when(unknown, f"version not known: {listed(unknown)}"),
        untold(runs, "python"),
    )


def _software(*those: integrity.Origins) -> dict[str, str | None]:
    """The versions of Python and of the packages that the records of some algorithms name."""
    found: dict[str, str | None] = {}
    for machine in (machine for one in those for machine in one.machine if machine):
        found |= {"Python": machine.get("python"), **machine.get("versions", {})}
    return found


def _each(said: Mapping[str, str]) -> str:
    """The text on each algorithm with its name, even if it is the same for all algorithms."""
    return sentence(*(f"{text} ({label})" for label, text in said.items()))


def _environments(runs: Runs) -> Parts:
    found = {
        label: distinct([machine["own_environment"] for machine in one.machine if machine])
        for label, one in origins(runs).items()
        if one.own_environment
    }
    said, dirty = {}, []
    for label, every in found.items():
        texts = []
        for own in every:
            texts.append(own["python"] or "the interpreter of the workflow")
            if own["path"]:
                texts[-1] += f" with {own['path']} at {own['commit'] or 'no commit'}"
        said[label] = listed(texts)
        dirty += [label] if any(str(own["commit"]).endswith(DIRTY) for own in every) else []
    changed = f"files of {listed(dirty)} differed from the commit: commit, and measure again"
    if found:
        yield part("Environments of their own", _each(said), when(dirty, changed))


EFFECT = ("ancillary", "ancillary_effect")


def _ancillary(runs: Runs, analysis: Analysis) -> Parts:
    spent = ancillary_costs(runs, analysis)
    said, silent, elsewhere = {}, [], []
    for label in map(str, spent.index):
        origin = runs.origins.get(label, integrity.Origins())
        searches = origin.tuning
        if clause := integrity.searched_elsewhere(origin):
            elsewhere.append(f"{label}: {clause}")
        spec = analysis.campaign.get("algorithms", {}).get(label, {})
        declared_s = analysis.tuning_s.get(label, 0.0)
        method = spec.get("ancillary", {}).get("method")
        clauses = [_search(one) for one in searches]
        if declared_s or not searches:
            if method:
                clauses.append(f"{declared_s:g} s, {method}")
            else:
                silent.append(label)
        if clauses:
            said[label] = sentence(*clauses)
    which = silent[0] if len(silent) == 1 else "<label>"
    missing = f"declare algorithms.{which}.ancillary.method"
    missing += when(len(silent) > 1, f" for {listed(silent)}")
    if analysis.campaign.get("algorithms") == {}:  # of imported runs
        missing = "not recorded"
    yield part("Tuning", by_algorithm(said), when(silent, missing), *elsewhere)
    known = spent.dropna(subset="preparation_s")
    prepared = listed(
        f"{row.Index} {row.preparation_s:.3g} s ({row.preparation})" for row in known.itertuples()
    )
    unknown = sorted(set(spent.index) - set(known.index))
    yield part("Preparation", prepared, unrecorded(dict.fromkeys(unknown)))
    share = f"at most {spent['share_s'].max():.3g} s per problem, of {analysis.problems}"
    evidence = f"not charged; the share would be {share}"
    shown = listed(table for table in EFFECT if table in analysis.asked_tables)
    if analysis.ancillary == "amortised":
        yield part("Amortisation", f"every run is charged its share, {share}")
    else:
        evidence += when(shown, f"; shown in tables {shown}")
        yield part("Amortisation", evidence, when(not shown, f"select table {EFFECT[0]}"))


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


DIRTY = "-dirty"


def _code(runs: Runs, analysis: Analysis) -> Parts:
    of_each = origins(runs).items()
    digests = {label: sorted(short(code) for code in one.code if code) for label, one in of_each}
    several = [label for label, found in digests.items() if len(found) > 1]
    known = {label: listed(found) for label, found in digests.items() if found}
    yield part(
        "Code",
        when(known, f"SHA-256 of the measuring code: {by_algorithm(known)}"),
        unrecorded(digests),
        when(several, f"runs of several versions of {listed(several)}"),
    )
    own, package = told(runs, "commit"), told(runs, "package_commit")
    dirty = any(commit.endswith(DIRTY) for commit in [*own, *package])
    yield part(
        "Commit",
        sentence(
            when(machines(runs), f"working directory: {listed(own) or 'no checkout'}"),
            when(package, f"timefair: {listed(package)}"),
        ),
        when(dirty, "files differed from the commit: commit, and measure again"),
        when(not (own or package), untold(runs, "commit")),
    )
    unknown = int(runs.frame["seed"].isna().sum())
    streams = "column seed of every record; launch k draws from default_rng([seed, k])"
    yield part(
        "Seeds",
        when(unknown < len(runs.frame), streams),
        when(unknown, f"runs without one: {unknown}"),
    )
    name = analysis.campaign.get("name")
    several = [label for label, one in of_each if len(one.configurations(label)) > 1]
    yield part(
        "Configuration",
        when(name, f"results/{name}/campaign.json and the workflow of timefair"),
        when(not name, "the configuration is not known"),
        when(several, f"runs of several configurations of {listed(several)}"),
    )
    yield from each("checklist", runs, analysis)
    sources = sorted(runs.sources.items())
    files = listed(
        f"{label} from {source['path']} (SHA-256 {short(source['sha256'])})"
        for label, source in sources
    )
    if runs.foreign_clock:
        cautions = dict.fromkeys(line for one in runs.sources.values() for line in one["cautions"])
        yield part("Imported data", f"all times are of a foreign clock: {files}", *cautions)
    elif sources:
        scaled = published.said([*runs.sources], runs, analysis.confidence)
        yield part(
            "Published data",
            f"{scaled or 'in evaluations only:'} {files}",
            *(f"{label}: {line}" for label, one in sources for line in one.get("cautions", [])),
        )


ITEMS: dict[str, Callable[[Runs, Analysis], Parts]] = {
    "Budget": _budget,
    "Restarts": _restarts,
    "Targets": _targets,
    "Results": _results,
    "Statistics": _statistics,
    "Machine": _machine,
    "Tuning": _ancillary,
    "Code": _code,
}
"""The items in the order of the paper, which counts from 1, with what yields their parts."""


@exhibit(
    question=questions.REPORTING,
    layouts=Layout(rows=("item", "topic", "part")),
    complete=True,
    asked=True,
    default=True,
)
def checklist(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Reporting checklist of time-fair

    The reporting checklist of *time-fair*, section 4, filled from the records: one row for each
    part of its eight items. An item is met if none of its parts is open. The evidence comes from
    the records or, for tables, figures and the tuning of algorithms, from the configuration of the
    campaign.

    item: number of the item in the paper
    topic (text): topic of the item
    part (text): part of the item
    met <Met>: whether the part is met; empty if it was not measured, which is not required
    evidence (text) <Evidence; 38 letters>: what the records, or the campaign, state; empty if there
        is none
    missing (text) <Missing; 22 letters>: why the part is not met; empty otherwise
    """
    rows = [
        (number, topic, one.name, one.met, one.evidence or None, one.missing or None)
        for number, (topic, parts) in enumerate(ITEMS.items(), start=1)
        for one in (parts(runs, analysis) if len(runs.frame) else ())
    ]
    frame = pd.DataFrame(rows, columns=["item", "topic", "part", "met", "evidence", "missing"])
    return frame.astype({"item": int, "met": "boolean"})
