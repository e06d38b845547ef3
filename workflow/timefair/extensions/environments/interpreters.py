"""The interpreter of an algorithm: starts it, and asks it what the plan and the checks need. A
process is inside an environment if a variable names it. There, the algorithm is like any other.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import importlib
import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

import timefair
from timefair.basics.disk import cache_folder
from timefair.basics.errors import InputError, described
from timefair.basics.threads import measuring_environment
from timefair.cli.arguments import Declared, argument
from timefair.machine.facts import Host, Unknown, describe, packages, versions

if TYPE_CHECKING:
    from timefair.campaign.configuration import Campaign


Python = Annotated[
    str,
    Field(
        min_length=1,
        description="Path to the Python interpreter that measures this algorithm, such as "
        "`venvs/old/bin/python`; `null`: the one that runs the workflow.",
    ),
]
Folder = Annotated[
    str,
    Field(
        min_length=1,
        description="Folder that comes first on the `sys.path` of this algorithm, such as a "
        "checkout of its library; `null`: none.",
    ),
]

INSIDE = "TIMEFAIR_ENVIRONMENT"
"""The variable with the keys of the environment, and the version of timefair."""

ANSWER_S = 120  # time after which an interpreter without an answer counts as failed

_OF_ANOTHER_PYTHON = ("PYTHONPATH", "PYTHONHOME", "PYTHONSAFEPATH", "__PYVENV_LAUNCHER__")
"""Variables that are meant for the interpreter that runs the workflow."""


def interpreter(
    spec: Mapping[str, Any], environ: Mapping[str, str]
) -> Iterator[tuple[str, dict[str, str]]]:
    """The interpreter of an algorithm, with links, and its variables; none without the keys."""
    python, path = spec.get("python"), spec.get("path")
    if python is None and path is None:
        return
    if _is_inside(spec, environ):
        yield sys.executable, dict(environ)
        return
    dropped = () if python is None else _OF_ANOTHER_PYTHON
    variables = {name: value for name, value in environ.items() if name not in dropped}
    folders = [os.path.abspath(path)] if path else []
    folders += [_importable(), *filter(None, [variables.get("PYTHONPATH")])]
    version = versions(["timefair"])["timefair"]
    variables |= {
        "PYTHONPATH": os.pathsep.join(folders),
        INSIDE: json.dumps([python, path, version]),
    }
    yield sys.executable if python is None else os.path.abspath(python), variables


def _importable() -> str:
    package = Path(timefair.__file__).parent
    folder = cache_folder() / "importable" / hashlib.sha256(os.fsencode(package)).hexdigest()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            (folder / package.name).symlink_to(package)
    except OSError:
        return str(package.parent)
    return str(folder)


def elsewhere(campaign: Campaign, label: str) -> Iterator[Mapping[str, Any]]:
    """The answer of the interpreter of an algorithm, unless this process is inside it."""
    spec = _keys(campaign, label)
    if spec == {} or _is_inside(spec, os.environ):
        return
    if faults := list(_faults(campaign, label, spec)):
        yield {"faults": faults}
        return
    named = campaign.problems.model_copy(update={"names": {}})
    asked = campaign.model_copy(update={"problems": named})
    key, value = next(iter(spec.items()))
    answer = dict(_answer(json.dumps(spec), asked.snapshot(), label))
    faults = [f"{key}: {value!r}: {fault}" for fault in answer["faults"]]
    yield answer | {"folder": spec.get("path"), "faults": faults}


def decisive(campaign: Campaign, label: str) -> Iterator[tuple[str, Any]]:
    """Inside an environment, what determines the runs besides what determines those of others."""
    spec = _keys(campaign, label)
    if spec:
        path = spec.get("path", "")
        files = {
            str(file.relative_to(path)): hashlib.sha256(file.read_bytes()).hexdigest()
            for file in (tree(Path(path)) if path else ())
        }
        yield "environment", {"packages": packages(Host()), "files": files}


def facts(campaign: Campaign, label: str) -> Iterator[tuple[str, Any]]:
    if spec := _keys(campaign, label):
        python, path, commit = spec.get("python"), spec.get("path"), None
        with contextlib.suppress(Unknown):
            commit = path and describe(Path(path))
        yield "own_environment", {"python": python, "path": path, "commit": commit}


def check(campaign: Campaign) -> Iterator[str]:
    for label in campaign.algorithms:
        for answer in elsewhere(campaign, label):
            found = {"Python": answer["python"], **answer["decisive"]["software"], "timefair": ""}
            there = ", ".join(f"{name} {found[name]}" for name in found if found[name])
            places = " with ".join(_keys(campaign, label).values())
            yield f"environment   {label}: {there} ({places})"


def tree(folder: Path) -> list[Path]:
    """The Python files and compiled modules below a folder, sorted, without those of hidden
    folders, caches, virtual environments and linked git worktrees.
    """
    found: list[Path] = []
    for place, folders, files in os.walk(folder):
        folders[:] = [
            name
            for name in folders
            if not name.startswith(".")
            and name != "__pycache__"
            and not Path(place, name, "pyvenv.cfg").exists()
            and not _is_linked_worktree(Path(place, name))
        ]
        found += [Path(place, name) for name in files if name.endswith((".py", ".so"))]
    return sorted(found)


def _is_linked_worktree(folder: Path) -> bool:
    link = folder / ".git"
    return link.is_file() and "/worktrees/" in link.read_text(encoding="utf-8", errors="replace")


def _keys(campaign: Campaign, label: str) -> dict[str, str]:
    found = ((key, getattr(campaign.algorithms[label], key)) for key in ("python", "path"))
    return {key: value for key, value in found if value is not None}


def _is_inside(spec: Mapping[str, Any], environ: Mapping[str, str]) -> bool:
    inside = json.loads(environ.get(INSIDE, "[]"))
    return bool(inside[:2] == [spec.get("python"), spec.get("path")])


def _faults(campaign: Campaign, label: str, spec: Mapping[str, str]) -> Iterator[str]:
    of, python, path = campaign.algorithms[label], spec.get("python"), spec.get("path")
    for key in spec:
        if of.use.startswith("external:"):
            yield f"{key}: only for algorithms in Python; name the program in `use`"
        if of.search is not None:
            word = of.search.key
            yield f"{key}: not with {word}; {word} the algorithm in this environment"
    if python is not None:
        if os.path.isdir(python):
            yield f"python: {python!r}: a folder; name the interpreter in it, bin/python"
        elif not os.path.exists(python):
            yield f"python: {python!r}: there is no such file; name an interpreter"
        elif not os.access(python, os.X_OK):
            yield f"python: {python!r}: cannot be executed; name an interpreter"
    if path is not None and not os.path.isdir(path):
        yield f"path: {path!r}: there is no such folder; name the one with the package"


@cache
def _answer(spec: str, snapshot: str, label: str) -> Mapping[str, Any]:
    python, variables = next(interpreter(json.loads(spec), measuring_environment(1)))
    campaign, answers = (os.memfd_create(f"timefair-{name}") for name in ("campaign", "answer"))
    os.write(campaign, snapshot.encode())
    words = [python, "-P", "-m", "timefair", "describe-algorithm", "--algorithm", label]
    words += ["--campaign", f"/proc/self/fd/{campaign}", "--output", str(answers)]
    with os.fdopen(campaign), os.fdopen(answers, encoding="utf-8") as file:
        try:
            done = subprocess.run(
                words, env=variables, pass_fds=[campaign, answers], stdin=subprocess.DEVNULL,
                capture_output=True, text=True, errors="replace", timeout=ANSWER_S, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return {"faults": [f"does not answer within {ANSWER_S} s"]}
        except OSError as error:
            raise InputError(f"{python}: {error.strerror}; name an interpreter") from None
        file.seek(0)
        if text := file.read():
            answer: Mapping[str, Any] = json.loads(text)
            return answer
    return {"faults": [_why(python, done)]}


def _why(python: str, done: subprocess.CompletedProcess[str]) -> str:
    *_, last = ["", *done.stderr.strip().splitlines()]
    missing = last.partition("No module named ")[2].strip("'")
    if missing and not missing.startswith("timefair"):
        package = {"yaml": "PyYAML"}.get(missing, missing).partition(".")[0]
        return f"lacks {missing}; run `{python} -m pip install {package}`"
    return f"cannot run timefair ({last or f'exit status {done.returncode}'})"


BUILD = "`python setup.py build_ext --inplace` in a clone of timefair with this interpreter"

MEASURING = "timefair.measure.job"
"""The module that measures in another interpreter, which needs all its imports."""

DECLARED = Declared()
add_to = DECLARED.add_to


@DECLARED.command(
    "describe-algorithm",
    argument("--campaign", help="the campaign as JSON", type=Path, required=True),
    argument("--algorithm", "LABEL", "its label", required=True),
    argument("--output", help="descriptor of the answer", type=int, required=True),
    help="describe an algorithm in this interpreter",
    example="snakemake --cores all --configfile mine.yaml --printshellcmds",
)
def _describe(arguments: argparse.Namespace) -> None:
    """Describes an algorithm of a campaign to the process that plans it. timefair calls this
    command with the interpreter of the algorithm.
    """
    from timefair.campaign import configuration

    answer = described_here(configuration.restore(arguments.campaign), arguments.algorithm)
    with os.fdopen(arguments.output, "w", encoding="utf-8") as file:
        json.dump(answer, file)


def described_here(campaign: Campaign, label: str) -> Mapping[str, Any]:
    if faults := list(_faults_here(campaign, label)):
        return {"faults": faults}
    from timefair.algorithms import libraries
    from timefair.campaign import provenance

    spec = campaign.algorithms[label]
    return {
        "faults": [],
        "variables": sorted(libraries.variables(spec.use, spec.arguments)),
        "tasks": sorted(libraries.tasks(spec.use, spec.arguments)),
        "batches": libraries.batches(spec.use, spec.arguments),
        "sources": list(map(str, provenance.sources_of_algorithm(campaign, label))),
        "decisive": provenance.decisive_alone(campaign, label),
        "code": provenance.measure_code(campaign, label),
        "python": platform.python_version(),
    }


def _faults_here(campaign: Campaign, label: str) -> Iterator[str]:
    from timefair.algorithms import libraries
    from timefair.problems import suites

    spec, problems = campaign.algorithms[label], campaign.problems
    try:
        importlib.import_module(MEASURING)

        suite = suites.find(problems.suite, problems.parameters)
        suite.problem(*problems.spaces[0], problems.instances[0])
        yield from libraries.faults(spec.use, spec.arguments)
    except InputError as error:
        yield from error.faults
    except ImportError as error:
        yield lacking(error)
    except Exception as error:
        yield described(error)


def lacking(error: ImportError) -> str:
    name = (error.name or "").partition(".")[0]
    if name == "timefair":
        version = "{}.{}".format(*sys.version_info)
        return f"timefair is not compiled for Python {version}; run {BUILD}"
    if isinstance(error, ModuleNotFoundError) and name:
        return f"lacks {name}; run `{sys.executable} -m pip install {name}`"
    return described(error)
