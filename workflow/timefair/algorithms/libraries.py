"""Finds an algorithm by its name in a campaign: ``library:name`` or the user's own function.

The libraries are found in extensions. Importing this module imports none of them.

The user's function is ``solve(objective, rng, **parameters)``, one launch; `base.Objective` has
what it can ask of the objective. It may have three attributes: ``variables``, the kinds of
variables that it takes (default: continuous), ``tasks``, those that it is for (default: one
objective), and ``prepare``, called once, without arguments, before the clock starts.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any, get_args

from timefair.algorithms.algorithm import (
    CONTINUOUS,
    ONE_OBJECTIVE,
    Algorithm,
    Implementation,
    Library,
)
from timefair.algorithms.builtin import TIMEFAIR
from timefair.algorithms.external.protocol import EXTERNAL, MATLAB, OCTAVE, External
from timefair.basics import modules, user_code
from timefair.basics.disk import cache_folder
from timefair.basics.errors import InputError, described, suggest
from timefair.basics.extension import packages
from timefair.basics.modules import hidden_modules
from timefair.problems.kinds import Task
from timefair.problems.problem import Variables


class Own(Library):
    """The user's functions, as a library that a campaign does not name."""

    def faults(self, name: str, parameters: Mapping[str, object]) -> list[str]:
        try:
            function = user_code.load_function(name)
            _declared(name, "variables")
            _declared(name, "tasks")
        except InputError as error:
            return list(error.faults)
        signature = user_code.signature_of(function)
        if signature is None:
            return []
        return user_code.parameter_faults(name, signature, parameters, "solve(objective, rng)")

    def variables(self, name: str, parameters: Mapping[str, object]) -> frozenset[Variables]:
        return _declared(name, "variables")

    def tasks(self, name: str, parameters: Mapping[str, object]) -> frozenset[Task]:
        return _declared(name, "tasks")

    def batches(self, name: str, parameters: Mapping[str, object]) -> None:
        """None: the function may call ``objective.batch``."""

    def implementation(self, name: str) -> Implementation:
        return "your Python"

    def load(self, name: str, parameters: Mapping[str, object]) -> Algorithm:
        function = user_code.load_function(name)
        prepare = getattr(function, "prepare", None)
        solve = partial(function, **parameters)
        if not callable(prepare):
            return Algorithm(solve)
        return Algorithm(solve, partial(_prepare, name, prepare))

    def source_files(self, name: str) -> list[Path]:
        return [Path(__file__), *user_code.source_files(name)]


def _prepare(name: str, prepare: Callable[[], object]) -> None:
    try:
        prepare()
    except (Exception, SystemExit) as error:
        raise InputError(f"{name}.prepare failed: {described(error)}") from error


_KNOWN = {"variables": (CONTINUOUS, Variables), "tasks": (ONE_OBJECTIVE, Task)}


def _declared(name: str, attribute: str) -> frozenset[Any]:
    """The words of an attribute of the user's function; `InputError` for any other."""
    usual, kind = _KNOWN[attribute]
    declared = getattr(user_code.load_function(name), attribute, usual)
    words = (declared,) if isinstance(declared, str) else declared
    known = get_args(kind)
    if not isinstance(words, Sequence | set | frozenset) or not set(words) <= set(known):
        raise InputError(f"{name}.{attribute} is {declared!r}: name some of {', '.join(known)}")
    return frozenset(words)


_ADAPTERS = modules.declared(Library, *packages("libraries"))  # type: ignore[type-abstract]
LIBRARIES: dict[str, Library] = {
    library.name: library
    for library in (
        TIMEFAIR,
        *sorted(_ADAPTERS.values(), key=lambda library: library.optional),
        OCTAVE,
        MATLAB,
        EXTERNAL,
    )
}
"""Every library by name: timefair itself, the required ones, the optional ones, any program."""
OWN = Own(name="own")


def find(use: str) -> tuple[Library, str]:
    """The library of an algorithm, and the name of the algorithm in it, which `faults` checks;
    InputError if there is no such library.
    """
    place, colon, name = use.partition(":")
    if colon and place in LIBRARIES:
        return LIBRARIES[place], name
    place, colon, name = use.rpartition(":")
    if not colon:
        raise InputError(_without_library(use))
    if not place or not name:
        raise InputError(f"{use!r} is incomplete: write library:name or module:function")
    if not user_code.is_file(place) and not user_code.module_exists(place):
        help_ = suggest(place, LIBRARIES) or f"; the libraries are {', '.join(LIBRARIES)}"
        raise InputError(f"there is no library and no module {place!r}{help_}")
    return OWN, use


def faults(use: str, parameters: Mapping[str, object]) -> list[str]:
    """Check an algorithm and its parameters; one line per fault, empty if it can run."""
    try:
        library, name = find(use)
        return library.faults(name, parameters)
    except InputError as error:
        return list(error.faults)


def variables(use: str, parameters: Mapping[str, object]) -> frozenset[Variables]:
    library, name = find(use)
    return library.variables(name, parameters)


def tasks(use: str, parameters: Mapping[str, object]) -> frozenset[Task]:
    library, name = find(use)
    return library.tasks(name, parameters)


def batches(use: str, parameters: Mapping[str, object]) -> bool | None:
    """Whether an algorithm asks for batches if it has several cores; it must have no faults.

    A portfolio does if a member does. None: only the user of a function or program knows.
    """
    library, name = find(use)
    members = library.members(name, parameters)
    if not members:
        return library.batches(name, parameters)
    of_members = {batches(*member) for member in members}
    return next((known for known in (True, None) if known in of_members), False)


def declared(use: str) -> tuple[Library, str]:
    """As `find`; an algorithm that is not found is the user's, in another environment."""
    try:
        return find(use)
    except InputError:
        return OWN, use


def implementation(use: str) -> Implementation:
    library, name = declared(use)
    return library.implementation(name)


def able(task: Task) -> list[str]:
    """The algorithms for a task other than one objective, by their names in campaigns."""
    return [
        f"{library.name}:{name}"
        for library in LIBRARIES.values()
        for name, tasks in library.special.items()
        if task in tasks
    ]


def load(use: str, parameters: Mapping[str, object]) -> Algorithm:
    """Load an algorithm and bind its parameters; InputError with all faults if it has any."""
    lines = faults(use, parameters)
    if lines:
        raise InputError(*lines)
    library, name = find(use)
    return library.load(name, parameters)


def involved(use: str, parameters: Mapping[str, object]) -> tuple[str, ...]:
    """The algorithms that an algorithm uses: itself, and the members of a portfolio, each once."""
    library, name = find(use)
    members = library.members(name, parameters)
    every = [use, *(each for member in members for each in involved(*member))]
    return tuple(dict.fromkeys(every))


def distributions(*uses: str) -> list[str]:
    names: list[str] = []
    for library, name in map(find, uses):
        names += user_code.packages(name) if library is OWN else library.distributions
    return [d for d in dict.fromkeys(names) if _installed(d)]


def source_files(*uses: str) -> list[Path]:
    """The files that the code digest of algorithms covers: the adapters, or the user's files."""
    return [file for library, name in map(find, uses) for file in library.source_files(name)]


def _without_library(use: str) -> str:
    if user_code.is_file(use):
        return f"{use!r} names a file only: write {use}:function"
    if use in LIBRARIES:
        return f"{use!r} is a library: write {use}:name"
    every = [(name, f"{lib.name}:{name}") for lib in LIBRARIES.values() for name in lib.available()]
    if having := [full for name, full in every if name == use]:
        return f"{use!r} names no library: write {' or '.join(having)}"
    help_ = suggest(use, near := dict(every)) or ": write library:name"
    for name in help_.split("'")[1:2]:
        help_ = f"; did you mean {near[name]!r}?"
    return f"{use!r} names no library and none has it{help_}"


@cache
def _installed(distribution: str) -> bool:
    return any(importlib.metadata.distributions(name=distribution))


# --- Checks take seconds --------------------------------------------------------------------


def remembered_faults(use: str, parameters: Mapping[str, object]) -> list[str]:
    """Check an algorithm as `faults` does, unless it had none when it was last checked.

    Such an algorithm is remembered by an empty file in the user's cache, until its parameters, the
    adapters, Python, or a package that affects it change. The user's own functions and programs are
    checked every time.
    """
    try:
        uses = involved(use, parameters)
        libraries = [find(one)[0] for one in uses]
    except InputError:
        return faults(use, parameters)
    if any(isinstance(library, External | Own) for library in libraries):
        return faults(use, parameters)
    mark = cache_folder() / "faultless" / _digest(uses, parameters)
    if mark.exists():
        return []
    with hidden_modules(*libraries[0].unneeded):
        found = faults(use, parameters)
    if not found:
        with suppress(OSError):  # without a cache it is checked again
            mark.parent.mkdir(parents=True, exist_ok=True)
            mark.touch()
    return found


def _digest(uses: tuple[str, ...], parameters: Mapping[str, object]) -> str:
    versions = [(name, _version(name)) for name in distributions(*uses)]
    here = sys.version, sys.prefix, versions, _adapters()
    decisive = uses, sorted(parameters.items()), *here
    return hashlib.sha256(json.dumps(decisive, default=repr).encode()).hexdigest()


_version = cache(importlib.metadata.version)


@cache
def _adapters() -> list[str]:
    folders = [Path(__file__).parent, *(Path(one.__path__[0]) for one in packages("libraries"))]
    sources = sorted(path for folder in folders for path in folder.rglob("*.py"))
    return [hashlib.sha256(path.read_bytes()).hexdigest() for path in sources]
