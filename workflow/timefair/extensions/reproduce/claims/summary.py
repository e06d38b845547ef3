"""What `timefair reproduce --claims` prints and writes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from enum import IntEnum
from pathlib import Path

from timefair.basics.errors import storing
from timefair.basics.files import atomic_file
from timefair.extensions.reproduce.claims.claim import Judged, Verdict
from timefair.extensions.reproduce.claims.evidence import Study
from timefair.records.integrity import differing_software, machine_kinds

FILE = "claims.json"
"""The claims with their verdicts, in the folder of the new runs."""

KINDS = {"first": "who is first", "pair": "pairs that are decided", "ratio": "ratios of costs"}

TERMS = (
    "In the terms of the ACM, claims are repeated if the team that measured the campaign ran this "
    "command, and reproduced if another team did. They are not replicated: the code and the setup "
    "are those of the campaign. timefair does not know the team."
)


class Status(IntEnum):
    """The exit status."""

    SUPPORTED = 0
    CONTRADICTED = 1
    UNDECIDED = 3


def status(judged: Sequence[Judged]) -> Status:
    """Whether a claim is contradicted, or none is decided."""
    verdicts = {one.verdict for one in judged}
    if Verdict.CONTRADICTED in verdicts:
        return Status.CONTRADICTED
    supported = verdicts & {Verdict.REPRODUCED, Verdict.WITHIN}
    return Status.SUPPORTED if supported else Status.UNDECIDED


def conditions(recorded: Study, again: Study) -> Iterator[str]:
    """Differences between the two studies: machine, code, software, stopping rule, runs."""
    origins = [*recorded.origins.values(), *again.origins.values()]
    unit = recorded.evidence.unit
    if len(machine_kinds(origins)) == 1:
        yield "machine: of the same kind"
    else:
        yield (
            "machine: of another kind; claims in seconds are compared as ratios of algorithms, not "
            "as times"
        )
        if unit == "seconds":
            yield (
                "machine: the budget is in seconds, so a run makes another number of evaluations "
                "here; claims on what is reached within the budget may change for this reason"
            )
    changed = [
        label
        for label, origin in recorded.origins.items()
        if set(origin.code) != set(again.origins[label].code)
    ]
    yield f"code: differs for {', '.join(changed)}" if changed else "code: as recorded"
    software = differing_software(origins)
    differ = (f"{name} {' and '.join(versions)}" for name, versions in software.items())
    yield f"software: differs in {', '.join(differ)}" if software else "software: as recorded"
    rule = recorded.campaign.stopping
    if rule.rule != "fixed":
        yield (
            f"stopping.rule: {rule.rule!r} recorded, 'fixed' again; the code of the rule is "
            "part of the code that is compared"
        )
    if rule.tests:
        yield (
            "claims: the rule has tested the recorded runs, so more of the claims may be due to "
            "chance than statistics.confidence allows"
        )
    yield f"runs: {recorded.runs} recorded, {again.runs} again"


def lines(judged: Sequence[Judged]) -> Iterator[str]:
    """A line for each kind of claim, the contradicted claims, and the verdict as a whole."""
    for kind, words in KINDS.items():
        counts = Counter(one.verdict for one in judged if one.claim.kind == kind)
        if counts:
            verdicts = ", ".join(f"{counts[each]} {each}" for each in Verdict if counts[each])
            yield f"{words}: {counts.total()} claims: {verdicts}"
    for one in judged:
        if one.verdict is Verdict.CONTRADICTED:
            yield f"contradicted: {one.claim}"
            yield f"  again: {one.again}"
    number = sum(one.verdict is Verdict.CONTRADICTED for one in judged)
    yield f"{number} of {len(judged)} claims {'is' if number == 1 else 'are'} contradicted."
    yield TERMS


def write(judged: Sequence[Judged], folder: Path) -> Path:
    """Write the claims with their verdicts as JSON."""
    path = folder / FILE
    text = json.dumps([one.as_json() for one in judged], indent=1, ensure_ascii=False)
    with storing(), atomic_file(path) as file:
        file.write((text + "\n").encode())
    return path
