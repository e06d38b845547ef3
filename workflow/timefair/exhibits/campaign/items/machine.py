"""Item 6: hardware, system, threads, compiler flags and versions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from timefair.exhibits.campaign.items.part import ChecklistPart, by_algorithm, listed, sentence
from timefair.exhibits.campaign.items.recorded import asked, labels, machines, origins, told, untold
from timefair.records.integrity import differing_software, machine_kind
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis

EXCESS, EXCESS_S = 1.02, 0.02
"""CPU time may exceed the time of a run on its cores by this factor, and by these seconds."""


def parts(runs: Runs, analysis: Analysis) -> Iterator[ChecklistPart]:
    yield _hardware(runs)
    yield _system(runs)
    yield _threads(runs)
    yield _linear_algebra(runs)
    yield _flags(runs)
    yield _versions(runs)


def _hardware(runs: Runs) -> ChecklistPart:
    kinds = sorted({str(machine_kind(machine)) for machine in machines(runs)})
    return ChecklistPart(
        "Hardware",
        sentence(
            listed(kinds),
            _said(runs, "cores_physical", "physical cores"),
            _said(runs, "governor"),
            _said(runs, "turbo"),
        ),
        sentence(
            f"runs of {len(kinds)} kinds of machines" if len(kinds) > 1 else "",
            untold(runs, "cpu", "cores", "memory_mb"),
        ),
    )


def _said(runs: Runs, name: str, words: str = "") -> str:
    """A fact in words, or that no machine tells it; empty where no record names a machine."""
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
            f"runs under {len(kernels)} kernels" if len(kernels) > 1 else "",
            untold(runs, "kernel"),
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
            by_algorithm(said) if said else "",
            f"{total - free} of {total} runs pinned to a core",
        ),
        sentence(
            f"the records of {listed(unknown)} do not contain it" if unknown else "",
            f"more than allowed: {beyond}" if beyond else "",
            _excess(runs, {label: max(found) for label, found in allowed.items() if found}),
        ),
    )


def _excess(runs: Runs, allowed: Mapping[str, int]) -> str:
    """Runs with more CPU time than so many cores have, of each algorithm; empty if there are none.

    A kernel that cannot keep a run to its cores lets this happen.
    """
    frame = runs.frame
    most_s = frame["real_s"] * frame["algorithm"].map(allowed) * EXCESS + EXCESS_S
    counts = frame.loc[frame["cpu_s"] > most_s, "algorithm"].value_counts().sort_index()
    found = listed(f"{count} of {label}" for label, count in counts.items())
    return f"runs with more CPU time than their cores have: {found}" if found else ""


def _pools(runs: Runs, label: str) -> list[dict[str, Any]]:
    """The thread pools of native libraries, as the records of an algorithm have them."""
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
            f"runs with {len(libraries)} libraries" if len(libraries) > 1 else "",
            untold(runs, "blas"),
        ),
    )


def _flags(runs: Runs) -> ChecklistPart:
    flags, compilers = told(runs, "python_flags"), told(runs, "numpy_compilers")
    numpy = [
        listed(f"{language} {tool}" for language, tool in built.items()) for built in compilers
    ]
    return ChecklistPart(
        "Compiler flags",
        sentence(
            _said(runs, "python_flags", "Python"),
            f"numpy: {listed(numpy)}" if numpy else "",
        ),
        sentence(
            "runs under different builds" if max(len(flags), len(numpy)) > 1 else "",
            untold(runs, "python_flags", "numpy_compilers"),
        ),
    )


def _versions(runs: Runs) -> ChecklistPart:
    found = {
        name: str(version)
        for machine in machines(runs)
        for name, version in {
            "Python": machine.get("python"),
            **machine.get("versions", {}),
        }.items()
    }
    differing = differing_software(origins(runs).values())
    unknown = sorted(name for name, version in found.items() if version == "None")
    return ChecklistPart(
        "Versions",
        ", ".join(f"{name} {version}" for name, version in sorted(found.items())),
        sentence(
            *(f"{name} {' and '.join(several)}" for name, several in differing.items()),
            f"version not known: {listed(unknown)}" if unknown else "",
            untold(runs, "python"),
        ),
    )
