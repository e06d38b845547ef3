"""The keys that determine what is measured and computed again, and the code digests in them.

`measure_key` covers everything that determines a measurement. It is a parameter of the Snakemake
job and is stored in each record: only a change of the key causes a new measurement.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import platform
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from timefair.basics.errors import InputError
from timefair.basics.extension import added_keys, confining, each, elsewhere
from timefair.campaign.plan import TUNING_ROUND, span_of
from timefair.machine.facts import versions
from timefair.records.integrity import SHARED

if TYPE_CHECKING:
    from timefair.campaign.configuration import Campaign
    from timefair.problems.problem import Suite

PACKAGE = Path(__file__).parents[1]
_UNDECISIVE = {
    "ancillary", "isolation", "restart", "seed_as", "tuned", "formerly", *added_keys("algorithms"),
}  # fmt: skip
"""Keys of an algorithm that do not affect its runs, or enter its key elsewhere."""


def measure_key(campaign: Campaign, label: str, round: int) -> str:
    """SHA-256, in hex, of everything that determines an algorithm's runs in one round.

    Not of functions, dimensions and instances, which the name of the record has, nor of the
    analysis; of other algorithms only if the stopping rule compares algorithms.
    """
    parts = decisive(campaign, [label])[label]
    return key_of(parts, span_of(campaign.runs, campaign.rounds, round))


def measure_keys(campaign: Campaign) -> dict[tuple[str, int], str]:
    keys = {
        (label, round): key_of(parts, span_of(campaign.runs, campaign.rounds, round))
        for label, parts in decisive(campaign, campaign.algorithms).items()
        for round in range(1, campaign.rounds + 1)
    }
    searches = {(label, TUNING_ROUND): tuning_key(campaign, label) for label in campaign.tuned}
    return searches | keys


def tuning_key(campaign: Campaign, label: str) -> str:
    """SHA-256, in hex, of all that determines the search for a tuned variant's parameters."""
    return key_of(_decisive_search(campaign, label))


def _decisive_search(campaign: Campaign, label: str) -> dict[str, Any]:
    algorithm = decisive_alone(campaign.of_tuning(label), label)
    return {"algorithm": algorithm, **campaign.tuned[label].decisive(campaign)}


def decisive(campaign: Campaign, labels: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Everything that determines the measurements of some algorithms in any round."""
    if not campaign.stopping.compares:
        return {label: decisive_alone(campaign, label) for label in labels}
    # The others decide how long an algorithm goes on.
    field = {label: decisive_alone(campaign, label) for label in campaign.algorithms}
    return {label: field[label] | {"field": field} for label in labels}


def sources_of_algorithm(campaign: Campaign, label: str) -> tuple[Path, ...]:
    """The files behind an algorithm, and behind those of which it is made."""
    from timefair.algorithms import libraries as algorithms

    spec = campaign.algorithms[label]
    sources = tuple(algorithms.source_files(*algorithms.involved(spec.use, spec.parameters)))
    if module := confining(campaign.isolation_of(label)):
        sources += sources_of(_file_of(module), within=("extensions",))
    return sources


def _suite(campaign: Campaign) -> Suite:
    from timefair.problems import suites

    return suites.find(campaign.problems.suite, campaign.problems.parameters)


def decisive_alone(campaign: Campaign, label: str) -> dict[str, Any]:
    """As `decisive`, of one algorithm alone, by the interpreter that measures it; `InputError`."""
    from timefair.algorithms import libraries as algorithms
    from timefair.records.schema import SCHEMA_VERSION

    if (there := elsewhere(campaign, label)) is not None:
        if there["faults"]:
            raise InputError(*(f"algorithms.{label}.{fault}" for fault in there["faults"]))
        return dict(there["decisive"])
    spec, problems = campaign.algorithms[label], campaign.problems
    uses = algorithms.involved(spec.use, spec.parameters)
    names = ("numpy", *_suite(campaign).distributions, *algorithms.distributions(*uses))
    search = {"tuning": _decisive_search(campaign, label)} if label in campaign.tuned else {}
    return search | {
        **campaign.model_dump(mode="json", include=set(SHARED)),
        "schema": SCHEMA_VERSION,
        "suite": _suite(campaign).name,
        "suite_parameters": problems.parameters,
        "label": spec.formerly or label,
        "seeds": campaign.seeds_of(label),
        "algorithm": spec.model_dump(mode="json", exclude=_UNDECISIVE),
        "restart": campaign.restart_of(label).model_dump(mode="json"),
        "isolation": campaign.isolation_of(label),
        "timing": {
            "repeats": campaign.timing.most_repeats,
            "reference": campaign.reference_is_timed,
        },
        "code": measure_code(campaign, label),
        "software": versions(names),
        "python": platform.python_version_tuple()[:2],
        **dict(each("decisive", campaign, label)),
    }


def measure_code(campaign: Campaign, label: str) -> str:
    """SHA-256, in hex, of the code that measures an algorithm: timefair's, and that of the suite,
    the adapter and the policies.
    """
    if (there := elsewhere(campaign, label)) is not None:
        return str(there["code"])
    suite, policy = _suite(campaign), type(campaign.restart_of(label))
    of_policies = [
        path
        for kind in (policy, type(campaign.stopping))
        for path in sources_of(_file_of(kind.__module__), ("extensions", "policies", "statistics"))
    ]
    of_suite = sources_of(_file_of(type(suite).__module__), within=("problems",))
    of_algorithm = sources_of_algorithm(campaign, label)
    within = ("machine/linux", "measure", "policies", "records", "statistics")
    shared = {*sources_of("measure", within)} - {PACKAGE / "measure/runner.py"}  # it starts jobs
    return code_digest([*shared, *of_policies, *of_suite, *suite.source_files(), *of_algorithm])


def collect_key() -> str:
    """SHA-256, in hex, of the code that collects records."""
    return code_digest(sources_of("records/collect.py", within=("records",)))


def import_key() -> str:
    """SHA-256, in hex, of the code that reads published data."""
    return code_digest(sources_of("io", within=("io", "problems")))


def table_key(name: str) -> str:
    """SHA-256, in hex, of the code that makes one table."""
    from timefair.exhibits.registry import TABLES

    within = ("exhibits", "extensions", "statistics", "records")
    files = [_file_of(TABLES[name].module), "exhibits/files.py"]
    code = code_digest({path for file in files for path in sources_of(file, within)})
    return key_of([name], code)


def analysis_key(campaign: Campaign, added: Mapping[str, Any], records: object) -> str:
    """SHA-256, in hex, of everything that determines tables, figures and the report: records,
    settings, what extensions add to them, and the whole package.
    """
    kinds = (".py", ".pyx", ".css", ".js")
    package = [path for path in PACKAGE.rglob("*") if path.suffix in kinds]
    content = campaign.model_dump(mode="json")
    return key_of(code_digest(package), content, dict(added), records)


def _file_of(module: str) -> str:
    """The path of a module, relative to the package unless it is of another one."""
    if module.startswith("timefair."):
        return f"{module.removeprefix('timefair.').replace('.', '/')}.py"
    spec = importlib.util.find_spec(module)
    assert spec is not None
    return str(spec.origin)


_IMPORT = re.compile(
    rf"^\s*(?:from|import) ({PACKAGE.name}[.\w]*)(?: import (\([^)]*\)|.*))?", re.MULTILINE
)


@cache
def sources_of(start: str, within: tuple[str, ...]) -> tuple[Path, ...]:
    """The package's files that a file or folder of it imports, including itself.

    Imports are followed within some folders of the package, but not in registries, which import
    everything.
    """
    top = PACKAGE / start
    waiting = [*top.rglob("*.py"), *top.rglob("*.pyx")] if top.is_dir() else [top]
    found: set[Path] = set()
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        if path.suffix == ".py":
            waiting += [
                file
                for file in _imported(path)
                if file.stem not in {"libraries", "registry", "suites"}
                and any(file.is_relative_to(PACKAGE / room) for room in within)
            ]
    return tuple(sorted(found))


@cache
def _imported(path: Path) -> frozenset[Path]:
    modules: set[str] = set()
    for module, names in _IMPORT.findall(path.read_text(encoding="utf-8")):
        modules |= {module, *(f"{module}.{name}" for name in re.findall(r"\w+", names))}
    return frozenset(file for module in modules if (file := _file(module)) is not None)


@cache
def _file(module: str) -> Path | None:
    base = PACKAGE.joinpath(*module.split(".")[1:])
    candidates = (base.with_suffix(".py"), base.with_suffix(".pyx"), base / "__init__.py")
    return next((path for path in candidates if path.is_file() and base != PACKAGE), None)


def code_digest(paths: Iterable[Path]) -> str:
    """SHA-256, in hex, of source files: of their names and their content."""

    def name(path: Path) -> str:
        return str(path.relative_to(PACKAGE) if path.is_relative_to(PACKAGE) else path.name)

    return key_of(sorted((name(path), _code(path)) for path in paths))


@cache
def _code(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def key_of(*parts: object) -> str:
    """SHA-256, in hex, of anything that JSON can represent."""
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()
