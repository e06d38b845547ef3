"""Parts of the reporting checklist, and its items on the machine, on tuning and on the code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from timefair.basics.extension import each
from timefair.basics.files import short
from timefair.basics.words import first
from timefair.exhibits.campaign.recorded import (
    asked,
    differs,
    distinct,
    labels,
    machines,
    origins,
    told,
    untold,
)
from timefair.records.integrity import (
    Origins,
    in_blocks,
    machine_kind,
    required_in_words,
    searched_elsewhere,
    undeclared_software,
    unmet,
)
from timefair.records.rundata import published
from timefair.records.rundata.clocks import ancillary_costs
from timefair.records.rundata.left_out import mixture
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis

MOST = 8
"""Number of names that are listed; the others are counted."""


class ChecklistPart(NamedTuple):
    """The subject of a part, the evidence, and what is missing; it is met if nothing is missing."""

    name: str
    evidence: str
    missing: str = ""

    @property
    def met(self) -> bool:
        """Whether nothing is missing."""
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


def unrecorded(unknown: Sequence[str]) -> str:
    """That the records of these algorithms lack a fact; empty for no algorithm."""
    return f"the records of {listed(unknown)} do not contain it" if unknown else ""


def unknown_in(frame: pd.DataFrame, column: str) -> str:
    """The number of runs without a value; empty if all have one."""
    unknown = int(frame[column].isna().sum())
    return f"not recorded for {unknown} of {len(frame)} runs" if unknown else ""


EXCESS, EXCESS_S = 1.02, 0.02
"""CPU time may exceed the time of a run on its cores by this factor, and by these seconds."""


def machine_parts(runs: Runs, analysis: Analysis) -> Iterator[ChecklistPart]:
    yield _hardware(runs)
    yield _system(runs)
    yield _threads(runs)
    yield _linear_algebra(runs)
    yield _flags(runs)
    yield _versions(runs)
    if any(one.own_environment for one in origins(runs).values()):
        yield _environments(runs)


def _hardware(runs: Runs) -> ChecklistPart:
    kinds = sorted({str(machine_kind(machine)) for machine in machines(runs)})
    blocked = in_blocks(origins(runs).values())
    return ChecklistPart(
        "Hardware",
        sentence(
            listed(kinds),
            mixture(runs),
            _required(runs),
            _said(runs, "cores_physical", "physical cores"),
            _said(runs, "governor"),
            _said(runs, "turbo"),
        ),
        sentence(
            f"runs of {len(kinds)} kinds of machines" if len(kinds) > 1 and not blocked else "",
            _not_as_required(runs),
            untold(runs, "cpu", "cores", "memory_mb"),
        ),
    )


def _requirements(runs: Runs) -> dict[str, list[Any]]:
    """The different requirements on machines in each algorithm's records."""
    asked_for = asked(runs, lambda _, campaign: campaign.get("machine", {}).get("require"))
    return {label: [one for one in found if one] for label, found in asked_for.items()}


def _required(runs: Runs) -> str:
    """The requirement in words; empty if there was none."""
    found = distinct([one for several in _requirements(runs).values() for one in several])
    words = listed(sorted(map(required_in_words, found)))
    return f"required before the first run: {words}" if words else ""


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
    return f"runs on machines that are not as required: {listed(sorted(wrong))}" if wrong else ""


def _said(runs: Runs, name: str, words: str = "") -> str:
    """A fact in words, or that no machine reports it; empty if no record names a machine."""
    words, values = words or name.replace("_", " "), told(runs, name)
    if not machines(runs):
        return ""
    return f"{words}: {listed(map(_text, values))}" if values else f"{words}: not available"


def _text(value: Any) -> str:
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)


def _system(runs: Runs) -> ChecklistPart:
    kernels = told(runs, "kernel")
    return ChecklistPart(
        "System",
        sentence(
            _said(runs, "kernel"),
            _said(runs, "distribution"),
            _said(runs, "virtual_machine"),
            _said(runs, "container"),
        ),
        sentence(
            f"runs under {len(kernels)} kernels" if len(kernels) > 1 else "", untold(runs, "kernel")
        ),
    )


def _threads(runs: Runs) -> ChecklistPart:
    allowed = asked(runs, lambda label, campaign: campaign["algorithms"][label]["threads"])
    unknown = [label for label, found in allowed.items() if not found]
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
    return ChecklistPart(
        "Threads",
        sentence(
            by_algorithm(said) if said else "", f"{total - free} of {total} runs pinned to a core"
        ),
        sentence(
            unrecorded(unknown),
            f"more than allowed: {beyond}" if beyond else "",
            _excess(runs, {label: max(found) for label, found in allowed.items() if found}),
        ),
    )


def _excess(runs: Runs, allowed: Mapping[str, int]) -> str:
    """Number of runs per algorithm with more CPU time than their cores have; empty without any.

    This is possible if the kernel cannot pin a run to its cores.
    """
    frame = runs.frame
    most_s = frame["real_s"] * frame["algorithm"].map(allowed) * EXCESS + EXCESS_S
    counts = frame.loc[frame["cpu_s"] > most_s, "algorithm"].value_counts().sort_index()
    found = listed(f"{count} of {label}" for label, count in counts.items())
    return f"runs with more CPU time than their cores have: {found}" if found else ""


def _pools(runs: Runs, label: str) -> list[dict[str, Any]]:
    """The thread pools of native libraries in the records of an algorithm."""
    found = (machine or {} for machine in origins(runs)[label].machine)
    return [pool for machine in found for pool in machine.get("blas_threads") or ()]


def _linear_algebra(runs: Runs) -> ChecklistPart:
    libraries = told(runs, "blas")
    pools = {
        f"threads of {pool['library']}: {pool['threads']}"
        for label in labels(runs)
        for pool in _pools(runs, label)
    }
    return ChecklistPart(
        "BLAS",
        sentence(listed(libraries), listed(sorted(pools))),
        sentence(
            f"runs with {len(libraries)} libraries" if differs(runs, "blas") else "",
            untold(runs, "blas"),
        ),
    )


def _flags(runs: Runs) -> ChecklistPart:
    compilers = told(runs, "numpy_compilers")
    numpy = [
        listed(f"{language} {tool}" for language, tool in built.items()) for built in compilers
    ]
    return ChecklistPart(
        "Compiler flags",
        sentence(_said(runs, "python_flags", "Python"), f"numpy: {listed(numpy)}" if numpy else ""),
        sentence(
            "runs under different builds"
            if differs(runs, "python_flags") or differs(runs, "numpy_compilers")
            else "",
            untold(runs, "python_flags", "numpy_compilers"),
        ),
    )


def _versions(runs: Runs) -> ChecklistPart:
    """The versions in the environment that algorithms share, then the differences in others."""
    known = origins(runs)
    own = {label: _software(one) for label, one in known.items() if one.own_environment}
    shared = _software(*(one for label, one in known.items() if label not in own))
    alone = {
        label: listed(f"{name} {version}" for name, version in sorted(software.items()))
        for label, found in own.items()
        if (software := {n: v for n, v in found.items() if shared.get(n) != v})
    }
    unknown = sorted({n for found in (shared, *own.values()) for n, v in found.items() if not v})
    return ChecklistPart(
        "Versions",
        sentence(
            ", ".join(f"{name} {version}" for name, version in sorted(shared.items())),
            f"in environments of their own: {_each(alone)}" if alone else "",
        ),
        sentence(
            *(
                f"{name} {' and '.join(several)}"
                for name, several in undeclared_software(known).items()
            ),
            f"version not known: {listed(unknown)}" if unknown else "",
            untold(runs, "python"),
        ),
    )


def _environments(runs: Runs) -> ChecklistPart:
    """The interpreter and the folder of each algorithm with its own environment."""
    known = origins(runs)
    found = {
        label: distinct([machine["own_environment"] for machine in one.machine if machine])
        for label, one in known.items()
        if one.own_environment
    }
    commits = {label: [str(own["commit"]) for own in every] for label, every in found.items()}
    dirty = [label for label, every in commits.items() if any(c.endswith(DIRTY) for c in every)]
    return ChecklistPart(
        "Environments of their own",
        _each({label: listed(map(_environment, every)) for label, every in found.items()}),
        f"files of {listed(dirty)} differed from the commit: commit, and measure again"
        if dirty
        else "",
    )


def _environment(own: Mapping[str, Any]) -> str:
    python = own["python"] or "the interpreter of the workflow"
    return (
        f"{python} with {own['path']} at {own['commit'] or 'no commit'}" if own["path"] else python
    )


def _software(*found: Origins) -> dict[str, str | None]:
    """The versions of Python and of the packages that the records of some algorithms name."""
    every = [machine for one in found for machine in one.machine if machine]
    return {
        name: version
        for machine in every
        for name, version in {
            "Python": machine.get("python"),
            **machine.get("versions", {}),
        }.items()
    }


def _each(said: Mapping[str, str]) -> str:
    """The text on each algorithm with its name, even if it is the same for all algorithms."""
    return sentence(*(f"{text} ({label})" for label, text in said.items()))


EFFECT = ("ancillary", "ancillary_effect")


def tuning_parts(runs: Runs, analysis: Analysis) -> Iterator[ChecklistPart]:
    spent = ancillary_costs(runs.frame, runs.origins, analysis)
    yield _tuning(spent, runs, analysis)
    yield _preparation(spent)
    yield _amortisation(spent, analysis)


def _tuning(spent: pd.DataFrame, runs: Runs, analysis: Analysis) -> ChecklistPart:
    """The declared tuning of each algorithm, and the searches in the records."""
    said, silent, elsewhere = {}, [], []
    for label in map(str, spent.index):
        origin = runs.origins.get(label, Origins())
        searches = origin.tuning
        if clause := searched_elsewhere(origin):
            elsewhere.append(f"{label}: {clause}")
        declared_s, method = analysis.tuning_s.get(label, 0.0), _method(label, analysis)
        clauses = [_search(one) for one in searches]
        if method and (declared_s or not searches):
            clauses.append(f"{declared_s:g} s, {method}")
        if clauses:
            said[label] = sentence(*clauses)
        if not method and (declared_s or not searches):
            silent.append(label)
    imported = analysis.campaign.get("algorithms") == {}
    missing = "not recorded" if imported else _undeclared(silent)
    return ChecklistPart(
        "Tuning", by_algorithm(said) if said else "", sentence(missing, *elsewhere)
    )


def _search(search: Mapping[str, Any]) -> str:
    """The record of a search, in words."""
    overlap, result = search["overlap"], search["result"]
    there = f"; {listed(overlap)} also in the comparison" if overlap else ""
    kept = "" if result["parameters"] else "; the default was the best"
    lost = search["interrupted"]
    interrupted = f", {lost} interrupted and charged in full" if lost else ""
    return (
        f"{search['seconds']:.1f} s measured: {search['tuner']}, {search['candidates']} candidates "
        f"in {search['evaluations']} runs{interrupted} on {search['problems']}{there}{kept}"
    )


def _undeclared(silent: Sequence[str]) -> str:
    if not silent:
        return ""
    if len(silent) == 1:
        return f"declare algorithms.{silent[0]}.ancillary.method"
    return f"declare algorithms.<label>.ancillary.method for {listed(silent)}"


def _method(label: str, analysis: Analysis) -> str | None:
    spec = analysis.campaign.get("algorithms", {}).get(label, {})
    method: str | None = spec.get("ancillary", {}).get("method")
    return method


def _preparation(spent: pd.DataFrame) -> ChecklistPart:
    known = spent.dropna(subset="preparation_s")
    unknown = sorted(set(spent.index) - set(known.index))
    said = listed(
        f"{label} {row.preparation_s:.3g} s ({row.preparation})"
        for label, row in zip(known.index, known.itertuples(), strict=True)
    )
    return ChecklistPart("Preparation", said, unrecorded(unknown))


def _amortisation(spent: pd.DataFrame, analysis: Analysis) -> ChecklistPart:
    problems, most = analysis.problems, spent["share_s"].max()
    share = f"at most {most:.3g} s per problem, of {problems}"
    if analysis.ancillary == "amortised":
        return ChecklistPart("Amortisation", f"every run is charged its share, {share}")
    evidence = f"not charged; the share would be {share}"
    shown = [table for table in EFFECT if table in analysis.asked_tables]
    if shown:
        return ChecklistPart("Amortisation", f"{evidence}; shown in tables {listed(shown)}")
    return ChecklistPart("Amortisation", evidence, f"select table {EFFECT[0]}")


DIRTY = "-dirty"


def code_parts(runs: Runs, analysis: Analysis) -> Iterator[ChecklistPart]:
    yield _code(runs)
    yield _commit(runs)
    yield _seeds(runs)
    yield _configuration(runs, analysis)
    yield from each("checklist", runs, analysis)
    if runs.sources:
        yield _published(runs, analysis)


def _code(runs: Runs) -> ChecklistPart:
    digests = {
        label: sorted(short(code) for code in one.code if code)
        for label, one in origins(runs).items()
    }
    silent = [label for label, found in digests.items() if not found]
    several = [label for label, found in digests.items() if len(found) > 1]
    known = {label: listed(found) for label, found in digests.items() if found}
    return ChecklistPart(
        "Code",
        f"SHA-256 of the measuring code: {by_algorithm(known)}" if known else "",
        sentence(
            unrecorded(silent), f"runs of several versions of {listed(several)}" if several else ""
        ),
    )


def _commit(runs: Runs) -> ChecklistPart:
    """The commits of the working directory and of the package; one of them is enough."""
    own, package = told(runs, "commit"), told(runs, "package_commit")
    dirty = any(commit.endswith(DIRTY) for commit in [*own, *package])
    return ChecklistPart(
        "Commit",
        sentence(
            f"working directory: {listed(own) or 'no checkout'}" if machines(runs) else "",
            f"timefair: {listed(package)}" if package else "",
        ),
        sentence(
            "files differed from the commit: commit, and measure again" if dirty else "",
            "" if own or package else untold(runs, "commit"),
        ),
    )


def _seeds(runs: Runs) -> ChecklistPart:
    unknown = int(runs.frame["seed"].isna().sum())
    known = unknown < len(runs.frame)
    return ChecklistPart(
        "Seeds",
        "column seed of every record; launch k draws from default_rng([seed, k])" if known else "",
        f"runs without one: {unknown}" if unknown else "",
    )


def _configuration(runs: Runs, analysis: Analysis) -> ChecklistPart:
    name = analysis.campaign.get("name")
    several = [label for label, one in origins(runs).items() if len(one.configurations(label)) > 1]
    return ChecklistPart(
        "Configuration",
        f"results/{name}/campaign.json and the workflow of timefair" if name else "",
        sentence(
            "" if name else "the configuration is not known",
            f"runs of several configurations of {listed(several)}" if several else "",
        ),
    )


def _published(runs: Runs, analysis: Analysis) -> ChecklistPart:
    """The published data in addition to the measured runs, and the files of the published data."""
    said = [
        f"{label} from {source['path']} (SHA-256 {short(source['sha256'])})"
        for label, source in sorted(runs.sources.items())
    ]
    if runs.foreign_clock:
        cautions = [line for source in runs.sources.values() for line in source["cautions"]]
        evidence = f"all times are of a foreign clock: {listed(said)}"
        return ChecklistPart("Imported data", evidence, sentence(*dict.fromkeys(cautions)))
    cautions = [
        f"{label}: {caution}"
        for label, source in sorted(runs.sources.items())
        for caution in source.get("cautions", [])
    ]
    scaled = published.said([*runs.sources], runs, analysis.confidence)
    evidence = f"{scaled or 'in evaluations only:'} {listed(said)}"
    return ChecklistPart("Published data", evidence, sentence(*cautions))
