"""The door between the core and its extensions."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from timefair.basics.extension import FOLDER, extensions

PACKAGE = Path(__file__).parents[2] / "workflow/timefair"
CORE = sorted(
    path
    for kind in ("py", "pyx", "pyi")
    for path in PACKAGE.rglob(f"*.{kind}")
    if "extensions" not in path.relative_to(PACKAGE).parts
)
OUTSIDE = """
from timefair.basics.extension import Extension

EXTENSION = Extension(
    __name__,
    commands="words",
    groups={"greet": "watch"},
    check="checks",
    sections={"greeting": "keys:Greeting", "algorithms.nickname": "keys:Nickname"},
    policies={"stopping": "keys"},
    exhibits=("tables",),
)
"""
WORDS = """
def add_to(commands):
    greet = commands.add_parser("greet", help="greet the user")
    greet.set_defaults(command=lambda arguments: print("good morning"))
    commands.choices["check"].add_argument("--twice", action="store_true")
"""
LINES = """
def check(campaign):
    yield f"greeting      {campaign.section('greeting').word} {campaign.name}"
    yield f"nickname      {campaign.algorithms['A'].nickname.name}"
"""
KEYS = """
from typing import Literal

from timefair.basics.sections import Section
from timefair.policies.stopping import FixedNumber


class Greeting(Section):
    word: str


class Nickname(Section):
    name: str


class Twice(FixedNumber):
    rule: Literal["twice"] = "twice"
"""
TABLES = '''
from timefair.exhibits.exhibit import exhibit
from timefair.exhibits.questions import Question

WHY = Question(0.5, "Is anybody there?", "https://example.org")


@exhibit(question=WHY)
def visitors(runs, analysis):
    """Who

    Who came.

    x: X"""
    raise NotImplementedError
'''
CAMPAIGN = """
name: polite
problems: {suite: bbob, functions: 1, dimensions: 2, instances: 1}
algorithms: {A: {use: "timefair:random-search", nickname: {name: Al}}}
budget: {evaluations: 10}
greeting: {word: hello}
stopping: {rule: twice}
tables: [visitors]
"""


def test_the_core_imports_no_extension_and_every_folder_is_one():
    naming = [path for path in CORE if FOLDER in path.read_text()]
    assert naming == [PACKAGE / "basics/extension.py"]
    folders = {path.parent.name for path in PACKAGE.glob("extensions/*/__init__.py")}
    assert set(extensions()) == folders


SMALL = """
name: small
problems: {suite: bbob, functions: 1, dimensions: 2, instances: 1}
algorithms: {A: {use: "timefair:random-search"}}
budget: {evaluations: 10}
"""


WITHOUT = """
import importlib, os, pkgutil, sys
import cma, packaging, pyarrow.parquet, pydantic, scipy.stats, yaml
import timefair

campaign, *folders = sys.argv[1:]
for room in ("basics", "machine", "problems", "records", "statistics"):
    package = importlib.import_module(f"timefair.{room}")
    for module in pkgutil.walk_packages(package.__path__, f"timefair.{room}."):
        if not module.name.endswith("suites"):
            importlib.import_module(module.name)
assert not any(name.startswith("timefair.extensions") for name in sys.modules)
for folder in folders:
    if not (child := os.fork()):
        timefair.__path__[:] = [folder]
        from timefair import cli
        try:
            cli.main(["--help"])
        except SystemExit as ended:
            assert not ended.code
        assert cli.main(["check", campaign]) == 0, folder
        sys.stdout.flush()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0, folder
"""
"""A fork for each folder, of a process that has imported what all of them import."""


@pytest.mark.slow
def test_without_an_extension_everything_else_works(tmp_path):
    """The core and the other extensions as links, without the folder of each one."""
    for name in extensions():
        package = tmp_path / name / "timefair"
        (package / "extensions").mkdir(parents=True)
        for path in PACKAGE.iterdir():
            if path.name != "extensions":
                (package / path.name).symlink_to(path)
        for path in (PACKAGE / "extensions").iterdir():
            if path.name != name:
                (package / "extensions" / path.name).symlink_to(path)
    campaign = tmp_path / "small.yaml"
    campaign.write_text(SMALL)
    folders = [str(tmp_path / name / "timefair") for name in extensions()]
    told = _python(["-c", WITHOUT, str(campaign), *folders], PACKAGE.parent, tmp_path)
    assert told.count("plan:") == told.count("in all") == len(folders)


@pytest.mark.slow
def test_a_package_of_somebody_else_is_an_extension(tmp_path):
    package, facts = tmp_path / "greeting", tmp_path / "greeting-1.0.dist-info"
    package.mkdir()
    facts.mkdir()
    modules = {"words": WORDS, "checks": LINES, "keys": KEYS, "tables": TABLES}
    for name, text in {"__init__": OUTSIDE, **modules}.items():
        (package / f"{name}.py").write_text(text)
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: greeting\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text(f"[{FOLDER}]\ngreeting = greeting\n")
    paths = f"{tmp_path}{os.pathsep}{PACKAGE.parent}"
    assert "greet the user" in _timefair(["--help"], paths, tmp_path)
    assert _timefair(["greet"], paths, tmp_path) == "good morning\n"
    (tmp_path / "polite.yaml").write_text(CAMPAIGN)
    told = _timefair(["check", "polite.yaml", "--twice"], paths, tmp_path)
    assert "greeting      hello polite\nnickname      Al\n" in told


def _timefair(words: list[str], path: str | Path, folder: Path) -> str:
    return _python(["-m", "timefair", *words], path, folder)


def _python(words: list[str], path: str | Path, folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, *words],
        env={**os.environ, "PYTHONPATH": str(path)},
        cwd=folder,
        text=True,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
