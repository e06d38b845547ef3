"""Item 8: the code, the seeds and the scripts that reproduce the results."""

from __future__ import annotations

from collections.abc import Iterator

from timefair.basics.digests import short
from timefair.basics.extension import each
from timefair.exhibits.campaign.items.part import ChecklistPart, by_algorithm, listed, sentence
from timefair.exhibits.campaign.items.recorded import machines, origins, told, untold
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis

DIRTY = "-dirty"


def parts(runs: Runs, analysis: Analysis) -> Iterator[ChecklistPart]:
    yield _code(runs)
    yield _commit(runs)
    yield _seeds(runs)
    yield _configuration(runs, analysis)
    yield from each("checklist", runs, analysis)
    if runs.sources:
        yield _published(runs)


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
            f"the records of {listed(silent)} do not contain it" if silent else "",
            f"runs of several versions of {listed(several)}" if several else "",
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


def _published(runs: Runs) -> ChecklistPart:
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
    return ChecklistPart(
        "Published data", f"in evaluations only: {listed(said)}", sentence(*cautions)
    )
