"""The facts of an interpreter for one algorithm, found in a separate process."""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

MEASURING = "timefair.measure.job.remote"
"""The module that measures in another interpreter, which needs all its imports."""


OLDEST_NUMPY = (1, 26)
"""The oldest version of numpy with which timefair measures."""


@dataclass(frozen=True)
class Question:
    """A question about an algorithm on the problems of a suite, as in a campaign.

    ``facts``: whether the facts of the machine are requested, too.
    """

    suite: str
    suite_parameters: Mapping[str, Any]
    use: str
    parameters: Mapping[str, Any]
    facts: bool = False


@dataclass(frozen=True)
class Answers:
    """The facts of an interpreter.

    Attributes
    ----------
    python
        Version of Python.
    packages
        The version of every package installed there.
    faults
        Faults of the algorithm and its parameters, from `algorithms.registry.faults`. If there are
        any, all following attributes are empty.
    variables
        The kinds of variables that the algorithm takes.
    tasks
        The tasks that it is for.
    batches
        `registry.batches` of the algorithm.
    uses
        The algorithms of which it is made, from `algorithms.registry.involved`.
    sources
        The files behind it.
    versions
        Versions of the packages that affect the algorithm and the suite.
    machine
        `machine.facts.machine_facts` there; empty unless requested.
    """

    python: str
    packages: Mapping[str, str]
    faults: list[str] = field(default_factory=list)
    variables: list[str] = field(default_factory=list)
    tasks: list[str] = field(default_factory=list)
    batches: bool | None = None
    uses: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    versions: Mapping[str, str | None] = field(default_factory=dict)
    machine: Mapping[str, Any] = field(default_factory=dict)

    @property
    def kinds(self) -> frozenset[Any]:
        """The kinds of variables that the algorithm takes, as a set."""
        return frozenset(self.variables)


def main(descriptor: str) -> None:
    """Read a question from the standard input, and write the answer, both as JSON.

    The answer also contains ``lacking``: why this Python cannot measure.
    """
    question = Question(**json.load(sys.stdin))
    lacking = list(_lacking())
    answer = {"lacking": lacking} if lacking else asdict(_answer(question)) | {"lacking": []}
    with os.fdopen(int(descriptor), "w", encoding="utf-8") as file:
        json.dump(answer, file)


def _lacking() -> Iterator[str]:
    """Why this interpreter cannot measure any algorithm; at most one line."""
    from timefair.environments import unchecked

    try:
        import numpy as np

        if tuple(map(int, np.__version__.split(".")[:2])) < OLDEST_NUMPY:
            newer = "'numpy>={}.{}'".format(*OLDEST_NUMPY)
            yield f"has numpy {np.__version__}; {_install(newer)}"
            return
        with unchecked.sections():
            importlib.import_module(MEASURING)
    except ImportError as error:
        name = error.name or ""
        if not name.startswith("timefair."):
            yield _lacks(name) if isinstance(error, ModuleNotFoundError) else _first_line(error)
            return
        version = ".".join(map(str, sys.version_info[:2]))
        yield (
            f"timefair is not compiled for Python {version}; "
            f"run `timefair prepare-python {sys.executable}`"
        )


def _lacks(name: str, package: str = "") -> str:
    package = package or name.partition(".")[0]
    return f"lacks {name}; {_install(package)}"


def _install(package: str) -> str:
    return f"run `{sys.executable} -m pip install {package}`"


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def _answer(question: Question) -> Answers:
    from timefair.basics.errors import InputError
    from timefair.machine import software
    from timefair.problems import registry as suites

    try:
        suite = suites.find(question.suite, question.suite_parameters)
    except InputError as error:
        return replace(here(), faults=[f"problems.{fault}" for fault in error.faults])
    there = software.versions(suite.distributions)
    if missing := [name for name, version in there.items() if version is None]:
        return replace(here(), faults=[f"problems.suite: {suite.name}: {_lacks(*missing[:1])}"])
    return collected(here(), suite.distributions, question)


def here() -> Answers:
    """The version of this interpreter and its packages."""
    from timefair.machine import software
    from timefair.machine.host import Host

    return Answers(software.python(Host()), software.packages(Host()))


def collected(known: Answers, distributions: Iterable[str], question: Question) -> Answers:
    """The answers on an algorithm, in addition to those that are `known`.

    `distributions` are the packages of the suite.
    """
    from timefair.algorithms import registry
    from timefair.basics.errors import InputError
    from timefair.basics.hidden_modules import hidden_modules
    from timefair.machine import facts, software

    use, parameters = question.use, question.parameters
    try:
        library, _ = registry.find(use)
    except InputError as error:
        return replace(known, faults=list(error.faults))
    try:
        with hidden_modules(*library.unneeded):
            faults = registry.faults(use, parameters)
    except ModuleNotFoundError as error:
        package = library.distributions[0] if library.distributions else ""
        faults = [_lacks(str(error.name), package)]
    except Exception as error:
        faults = [_first_line(error)]
    if faults:
        here_alone = _install(library.distributions[0]) if library.optional else ""
        faults = [fault.replace("pip install 'timefair[extras]'", here_alone) for fault in faults]
        return replace(known, faults=faults)
    uses = registry.involved(use, parameters)
    decisive = ("numpy", *distributions, *registry.distributions(*uses))
    return replace(
        known,
        variables=sorted(registry.variables(use, parameters)),
        tasks=sorted(registry.tasks(use, parameters)),
        batches=registry.batches(use, parameters),
        uses=list(uses),
        sources=[str(path) for path in registry.source_files(*uses)],
        versions=software.versions(decisive),
        machine=facts.machine_facts(decisive) if question.facts else {},
    )
