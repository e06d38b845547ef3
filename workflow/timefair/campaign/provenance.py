"""The keys that decide what is measured and computed again, and the code digests in them.

`measure_key` covers everything that decides a measurement. It is a parameter of the Snakemake job
and in each record: a change of the key measures again, any other change does not.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import platform
from collections.abc import Callable, Iterable
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from timefair.campaign.plan import runs_of_round
from timefair.campaign.sources import PACKAGE, source
from timefair.machine.software import versions

if TYPE_CHECKING:
    from timefair.basics.sections import Section
    from timefair.campaign.configuration import Campaign
    from timefair.policies.restarts.base import RestartPolicy


def measure_key(campaign: Campaign, label: str, round: int) -> str:
    """SHA-256, in hex, of all that decides what an algorithm's runs of one round measure.

    Functions, dimensions and instances are not in it, as the record's name has them; nor are the
    targets, the statistics, the tables and the figures, nor the other algorithms unless the
    stopping rule compares them.
    """
    return _round_key(campaign, _decisive(campaign, [label])[label], round)


def measure_keys(campaign: Campaign) -> dict[tuple[str, int], str]:
    """`measure_key` of every algorithm and round."""
    return {
        (label, round): _round_key(campaign, decisive, round)
        for label, decisive in _decisive(campaign, campaign.algorithms).items()
        for round in range(1, campaign.rounds + 1)
    }


def _round_key(campaign: Campaign, decisive: dict[str, Any], round: int) -> str:
    runs = runs_of_round(campaign, round)
    return _hash(decisive | {"round": round, "runs": [runs.start, runs.stop]})


def _decisive(campaign: Campaign, labels: Iterable[str]) -> dict[str, dict[str, Any]]:
    """What decides the measurements of some algorithms in any round."""
    code_of = cache(partial(_measuring_code, campaign))  # many algorithms share it
    if not campaign.stopping.compares:
        return {label: _decisive_alone(campaign, label, code_of) for label in labels}
    # The others decide how long an algorithm goes on.
    field = {label: _decisive_alone(campaign, label, code_of) for label in campaign.algorithms}
    return {label: field[label] | {"field": field} for label in labels}


def _decisive_alone(
    campaign: Campaign, label: str, code_of: Callable[[tuple[str, ...], type[RestartPolicy]], str]
) -> dict[str, Any]:
    from timefair.algorithms import registry as algorithms
    from timefair.problems import registry as suites
    from timefair.records.schema import SCHEMA_VERSION

    spec, problems = campaign.algorithms[label], campaign.problems
    suite = suites.find(problems.suite, problems.parameters)
    uses = algorithms.involved(spec.use, spec.parameters)
    return {
        "schema": SCHEMA_VERSION,
        "seed": campaign.seed,
        "suite": suite.name,
        "suite_parameters": problems.parameters,
        "label": label,
        "algorithm": spec.model_dump(mode="json", exclude={"ancillary", "isolation", "restart"}),
        "budget": campaign.budget.model_dump(mode="json"),
        "restart": campaign.restart_of(label).model_dump(mode="json"),
        "isolation": campaign.isolation_of(label),
        "limits": campaign.limits.model_dump(mode="json"),
        "timing": {
            "repeats": campaign.timing.most_repeats,
            "reference": campaign.reference_is_timed,
        },
        "stopping": campaign.stopping.model_dump(mode="json"),
        "code": code_of(uses, type(campaign.restart_of(label))),
        "software": versions(("numpy", *suite.distributions, *algorithms.distributions(*uses))),
        "python": platform.python_version_tuple()[:2],
    }


def measure_code(campaign: Campaign, label: str) -> str:
    """SHA-256, in hex, of the code that measures an algorithm.

    It is ours, the suite's, the adapter's, the restart policy's and the stopping rule's; the other
    policies and rules do not count.
    """
    from timefair.algorithms import registry as algorithms

    spec, policy = campaign.algorithms[label], type(campaign.restart_of(label))
    return _measuring_code(campaign, algorithms.involved(spec.use, spec.parameters), policy)


def _measuring_code(campaign: Campaign, uses: tuple[str, ...], policy: type[RestartPolicy]) -> str:
    """The same for all algorithms that the campaign calls alike and restarts alike."""
    from timefair.algorithms import registry as algorithms
    from timefair.problems import registry as suites

    suite = suites.find(campaign.problems.suite, campaign.problems.parameters)
    return code_digest(
        [
            *measuring_sources(),
            *(path for kind in (policy, type(campaign.stopping)) for path in _policy_sources(kind)),
            *sources_of(_module_path(type(suite).__module__), within=("problems",)),
            *suite.source_files(),
            *algorithms.source_files(*uses),
        ]
    )


def measuring_sources() -> tuple[Path, ...]:
    """Our files that measure any algorithm, whatever suite, restart policy and stopping rule."""
    return sources_of("measure", within=("linux", "measure", "policies", "records", "statistics"))


def _policy_sources(kind: type[Section]) -> tuple[Path, ...]:
    return sources_of(_module_path(kind.__module__), within=("policies", "statistics"))


def collect_key() -> str:
    """SHA-256, in hex, of the code that collects records."""
    return code_digest(sources_of("records/collect.py", within=("records",)))


def import_key() -> str:
    """SHA-256, in hex, of the code that reads published data."""
    return code_digest(sources_of("published", within=("published", "problems")))


def table_key(name: str) -> str:
    """SHA-256, in hex, of the code that makes one table."""
    from timefair.exhibits.registry import TABLES

    files = [_module_file("exhibits", TABLES[name].module), "exhibits/files.py"]
    return _digest_of([name], files, within=("exhibits", "rundata", "statistics", "records"))


def figure_key(name: str) -> str:
    """SHA-256, in hex, of the code that draws one figure from its table."""
    from timefair.exhibits.registry import FIGURES, TABLES

    figure = FIGURES[name]
    declaration = PACKAGE / _module_file("exhibits", TABLES[figure.table].module)
    files = [_module_file("charts/paper", figure.renderer), "charts/paper/style.py"]
    drawing = _digest_of([name], files, within=("charts", "problems"))
    return key_of(drawing, code_digest([declaration]))


def typeset_key() -> str:
    """SHA-256, in hex, of the code that prints tables as LaTeX."""
    return code_digest(sources_of("latex", within=("latex", "problems")))


def room_key(campaign: Campaign, room: str) -> str:
    """SHA-256, in hex, of all code that makes what a campaign asks of a room of exhibits."""
    from timefair.exhibits.registry import FIGURES, TABLES

    return key_of(
        {name: table_key(name) for name in campaign.made_tables if TABLES[name].room == room},
        {name: figure_key(name) for name in campaign.figure_names if FIGURES[name].room == room},
        code_digest(sources_of("analysis", within=("analysis",))),
        typeset_key(),
    )


def report_key() -> str:
    """SHA-256, in hex, of all that the page is made of, its style and its script included."""
    code = sources_of("report", within=("report", "exhibits", "charts", "problems"))
    looks = (path for kind in ("css", "js") for path in (PACKAGE / "report").rglob(f"*.{kind}"))
    return code_digest([*code, *looks])


def key_of(*parts: object) -> str:
    """SHA-256, in hex, of anything that JSON can hold."""
    return _hash(parts)


def _module_file(room: str, module: str) -> str:
    """Where a module below a room of the package lies, relative to the package."""
    return f"{room}/{module.replace('.', '/')}.py"


def _digest_of(names: list[str], files: list[str], within: tuple[str, ...]) -> str:
    sources = {path for file in files for path in sources_of(file, within)}
    return _hash([names, code_digest(sources)])


# --- Code -----------------------------------------------------------------------------------


@cache
def sources_of(start: str, within: tuple[str, ...]) -> tuple[Path, ...]:
    """The package's files that a file or folder of it imports, itself included.

    Parameters
    ----------
    start
        Relative to the package: ``"measure"`` or ``"tables/runtimes/ert.py"``.
    within
        The rooms of the package that imports are followed into, registries apart: those lead to
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
                for module in source(path).imports
                if (file := _file(module)) is not None
                and file.relative_to(PACKAGE).parts[0] in within
                and file.stem != "registry"
            ]
    return tuple(sorted(found))


def _file(module: str) -> Path | None:
    base = PACKAGE.joinpath(*module.split(".")[1:])
    candidates = (base.with_suffix(".py"), base.with_suffix(".pyx"), base / "__init__.py")
    return next((path for path in candidates if path.is_file() and base != PACKAGE), None)


def _module_path(module: str) -> str:
    """Where a module of the package lies, relative to it."""
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(module)
    return str(Path(spec.origin).relative_to(PACKAGE))


def code_digest(paths: Iterable[Path]) -> str:
    """SHA-256, in hex, of source files.

    In Python, comments, docstrings, descriptions of keys and layout do not count.
    """
    return _hash(
        sorted(
            (
                str(path.relative_to(PACKAGE) if path.is_relative_to(PACKAGE) else path.name),
                _code(path),
            )
            for path in paths
        )
    )


def _code(path: Path) -> str:
    return source(path).digest


def _hash(content: object) -> str:
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()
