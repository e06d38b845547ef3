"""The door for extensions: what one may add to the core, and how extensions are found.

An extension is a package with an object ``EXTENSION``: a folder of `timefair.extensions`, or named
by an installed distribution in the entry-point group ``timefair.extensions``. The core imports the
modules that the object names when they are needed, and never an extension by name.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType, ModuleType
from typing import Any

from timefair.basics.errors import InputError

FOLDER = "timefair.extensions"  # the package of extensions, and the entry-point group
Meter = Callable[[], Callable[[], Mapping[str, float | None]]]
"""Called by the parent immediately before a run's process is forked; what it returns is called when
all its processes are gone, and gives readings by name, None for those that are not available.
"""


@dataclass(frozen=True)
class Extension:
    """What an extension adds. Names of modules are relative to its package; empty for none.

    From `check` on, they are modules with a function of this name, an iterator that `each` calls.
    """

    package: str  # its dotted name: ``__name__`` in its ``__init__.py``
    commands: str = ""  # ``add_to(commands)`` adds to those of the core, or options of these
    groups: Mapping[str, str] = field(default_factory=dict)
    """The groups of the help in which its commands stand, by command; the others are hidden."""
    sections: Mapping[str, str] = field(default_factory=dict)
    """Its keys of a campaign file, each with the class of its section, ``module:Class``, derived
    from `timefair.basics.sections.Section`, or an annotated plain type. A key of algorithms is
    written ``algorithms.key``; it determines no run, unless its class is a `Search`. Without its
    key, a campaign has None.
    """
    policies: Mapping[str, str] = field(default_factory=dict)
    """The modules that declare its ``stopping`` rules and its ``restarts`` policies."""
    libraries: str = ""  # the package whose modules declare libraries of algorithms; ".": its own
    suites: str = ""  # and the one whose modules declare suites of problems
    exhibits: tuple[str, ...] = ()  # the modules that declare them: tables with their figures
    tables: tuple[str, ...] = ()  # what a campaign with one of its keys requests by that
    figures: tuple[str, ...] = ()
    of_values: tuple[str, ...] = ()  # those that need no costs, which imported runs need not have
    reported: tuple[str, ...] = ()  # tables that are made for the report of such a campaign
    reported_for: tuple[str, ...] = ()  # and of one with one of these keys of the core
    isolation: Mapping[str, str] = field(default_factory=dict)
    """Values of ``isolation`` in a campaign, each with the module whose context manager
    ``confined(prepared, job, cores, folder)`` gives the `timefair.measure.run.Confined` that runs
    the job's algorithm.
    """
    meters: str = ""
    """``meters(campaign, cores, algorithm)`` is an iterator over context managers, each with a
    `Meter` of the runs of a job on these cores; ``algorithm`` is a `timefair.measure.run.Subject`.
    """
    check: str = ""  # ``check(campaign)``: lines of `timefair check`
    before_runs: str = ""  # ``before_runs(campaign, folder)``: why runs may not begin
    files: str = ""  # ``files(campaign, folder)``: names of its own files in ``results/NAME``
    verifying: str = ""
    """``verifying(campaign, folder, measured, say)``: what the last line of `timefair verify` says.
    It may ``say`` lines before, and raise `InputError` for a problem. ``measured`` has a
    `timefair.records.integrity.Measured` by algorithm.
    """
    settings: str = ""
    """``settings(campaign, folder)``: pairs of its name and anything that JSON can represent, for
    its tables: `timefair.records.rundata.settings.Analysis.added`.
    """
    checklist: str = ""  # ``checklist(runs, analysis)``: parts of the checklist
    parts: str = ""  # ``parts(evidence, names)``: a `report.markup.Part` before the findings
    findings: str = ""  # ``findings(evidence, space)``: sentences on a suite and dimension
    interpreter: str = ""  # ``interpreter(spec, environ)``: see `interpreter`
    elsewhere: str = ""  # ``elsewhere(campaign, label)``: see `elsewhere`
    decisive: str = ""  # ``decisive(campaign, label)``: pairs for the algorithm's key, as of JSON
    facts: str = ""  # ``facts(campaign, label)``: pairs for the facts of its records, as of JSON

    @property
    def name(self) -> str:
        return self.package.rpartition(".")[2]

    def sections_of(self, part: str) -> Iterator[tuple[str, Any]]:
        """Its keys of one part of a campaign, ``algorithms`` or empty, with their classes."""
        for place, of in self.sections.items():
            where, _, key = place.rpartition(".")
            if where == part:
                module, _, name = of.partition(":")
                yield key, getattr(self.module(module), name)

    def declare(self) -> None:
        for name in self.exhibits:
            self.module(name)

    def module(self, name: str) -> ModuleType:
        return importlib.import_module(f"{self.package}.{name}".rstrip("."))


@cache
def extensions() -> Mapping[str, Extension]:
    """Every extension that is there, by name, in alphabetical order. RuntimeError if two have the
    same name, or a package has no `Extension` named ``EXTENSION``.
    """
    from importlib.metadata import entry_points

    folder = importlib.import_module(FOLDER).__path__
    packages = [one.name for one in pkgutil.iter_modules(folder, f"{FOLDER}.") if one.ispkg]
    packages += [one.value for one in entry_points(group=FOLDER)]
    found: dict[str, Extension] = {}
    for package in sorted(packages):
        one = getattr(importlib.import_module(package), "EXTENSION", None)
        if not isinstance(one, Extension):
            raise RuntimeError(f"{package}: should have an EXTENSION of class {Extension.__name__}")
        if one.name in found:
            raise RuntimeError(f"{package} and {found[one.name].package} have the same name")
        found[one.name] = one
    return MappingProxyType(dict(sorted(found.items())))


def packages(kind: str) -> list[ModuleType]:
    found = ((one, getattr(one, kind)) for one in extensions().values())
    return [one.module(name) for one, name in found if name]


def each(hook: str, *arguments: Any) -> Iterator[Any]:
    """What the functions of a hook yield, of all extensions in turn."""
    for one in extensions().values():
        if name := getattr(one, hook):
            yield from getattr(one.module(name), hook)(*arguments)


def confined(isolation: str, *arguments: Any) -> Any:
    if not (module := confining(isolation)):
        raise InputError(f"isolation: {isolation}: there is no extension for it")
    return importlib.import_module(module).confined(*arguments)


def confining(isolation: str) -> str:
    """The module of the extension with this value of ``isolation``; empty without one."""
    found = (f"{one.package}.{one.isolation.get(isolation, '')}" for one in extensions().values())
    return next((module for module in found if not module.endswith(".")), "")


def interpreter(
    spec: Mapping[str, Any], environ: Mapping[str, str]
) -> tuple[str, Mapping[str, str]]:
    """The interpreter that measures an algorithm with these keys, and its variables."""
    usual = (sys.executable, environ)
    found: tuple[str, Mapping[str, str]] = next(each("interpreter", spec, environ), usual)
    return found


def elsewhere(campaign: Any, label: str) -> Mapping[str, Any] | None:
    """What the interpreter of an algorithm says of it; None if it is that of this process.

    ``faults`` are lines. Without any, there are ``variables``, ``tasks`` and ``batches`` as of
    `timefair.algorithms.libraries`, ``sources``: its files, ``decisive``: as of
    `timefair.campaign.provenance.decisive_alone`, ``code``: as of its `measure_code`, and
    ``folder``: the one that comes first on its ``sys.path``, or None.
    """
    return next(each("elsewhere", campaign, label), None)


@cache
def added_keys(part: str) -> Mapping[str, Any]:
    added = (pair for one in extensions().values() for pair in one.sections_of(part))
    return MappingProxyType(dict(added))
