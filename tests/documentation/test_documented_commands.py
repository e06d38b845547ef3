"""Every command line in the documentation runs, in a small copy of the repository.

The campaigns have their names and their algorithms, but few runs of few evaluations.
"""

import argparse
import contextlib
import glob
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import yaml
from fences import (
    LANGUAGES,
    PAGES,
    ROOT,
    Fence,
    commands,
    fences,
    make_environments,
    of_language,
    prose,
)

from timefair import cli
from timefair.campaign import configuration
from timefair.campaign.configuration import Campaign
from timefair.cli.arguments import measuring_environment

NOT_RUN = """\
# test_how_to_add.py follows these steps
pytest tests/architecture/test_declarations.py
python tests/documentation/reference_tables.py --fix
python tests/documentation/exhibit_pages.py --fix
timefair check linear.yaml
timefair check agreement.yaml
pytest tests/unit/policies tests/documentation/test_reference_tables.py
# these make or enter environments, or change the git repository
python3 -m venv .venv
. .venv/bin/activate
pip install -r envs/requirements.txt -e .
pip install -r envs/test.txt -e .
pip install -r envs/dev.txt -e .
pre-commit install
git add --force results/sphere/registration.json
# they show the jobs' commands; the smaller tuned.yaml of the same page is run
snakemake --cores all --configfile mine.yaml --printshellcmds
snakemake --cores all --configfile config/studies/tuning.yaml --printshellcmds
snakemake --cores all --configfile config/studies/tuning.yaml
# these tests, and the tools of a developer, run beside them
python -m pytest -n 3
pytest -m "not workflow"
pytest -m fast -n 2
pytest -n 3
ruff check
ruff format --check
mypy
# test_conventions.py does
snakefmt --check Snakefile workflow
snakemake --lint
snakedeploy deploy-workflow timefair study --branch main --name timefair
# tests/workflow/cluster has a Slurm
snakemake --workflow-profile profiles/slurm --configfile mine.yaml
# two interpreters; tests/workflow/test_environments.py does, where it reaches the package index
snakemake --cores all --configfile versions.yaml
python3 -m venv venvs/old
venvs/old/bin/python -m pip install numpy==1.26.4 cma==3.4.0 coco-experiment 'pyarrow<22' pydantic \
PyYAML
python3 -m venv venvs/new
venvs/new/bin/python -m pip install numpy==2.2.6 cma==4.4.0 coco-experiment pyarrow pydantic PyYAML
# tests/peers/test_cocopp_report.py does, without a network
python -m cocopp coco/*
# minutes, or an archive of others; the help's example is run
timefair audit pycma:BIPOP nlopt config/papers/run-count.yaml --output audit.md audit.csv
timefair import coco ARCHIVE.tgz --output algorithm.parquet
# tests/extensions/metaheuristics/test_paper.py does; the tables are not made
timefair export xlsx results/paper
# test_referee.py and test_scaffold.py of tests/extensions do; the latter adds a worktree
timefair referee finals.csv
timefair init benchmarks --for-optimizer . --base HEAD
# minutes, or without a database; tests/extensions/database/test_database.py does
timefair rank mine.py:solve
timefair rank scipy:Powell --design database-bbob-20
timefair rank timefair:DE --database my-database --by evaluations
# needs a question; docs/guide/registered.md has one, and registers it
timefair register mine.yaml
""".splitlines()
"""Command lines that are not run, below the reason why."""

RIGHT = {
    "timefair doctor": (0, 1),  # as the machine is
    "timefair compare": (0, 1, 3),  # few runs decide nothing
}
"""The right exit statuses of commands whose answer is one."""

FEW: dict[str, Any] = {
    "tables": ["runs", "ert"],
    "figures": {"names": ["ert"], "formats": ["svg"]},
    "statistics": {"resamples": 20},
}
"""What is made of the runs. tests/workflow/test_kinds.py makes all tables of `analyse`."""

SHOWN = of_language("sh")
ON_PAGES = sorted({fence.page for fence in SHOWN})


def parts(line: str) -> list[str]:
    return [part.strip() for part in line.split("&&")]


def test_every_block_says_its_language_and_what_is_not_run_is_there():
    unknown = [
        fence.where for page in PAGES for fence in fences(page) if fence.language not in LANGUAGES
    ]
    assert not unknown, f"after the three ticks: one of {', '.join(LANGUAGES)}"
    command = re.compile(r"^ {4,}(?:timefair|snakemake|python3?|pip) .*", flags=re.M)
    assert {page: command.findall(prose(page)) for page in PAGES} == {page: [] for page in PAGES}
    there = {part for fence in SHOWN for line in commands(fence) for part in parts(line)}
    assert not {line for line in NOT_RUN if not line.startswith("# ")} - there


INLINE = sorted(
    {
        (page, command)
        for page in PAGES
        for command in re.findall(r"`(timefair [^`\n]+)`", prose(page))
        if re.match(r"timefair [a-z]", command)
    }
)


def test_commands_are_known():
    parser = cli.parser()
    for page, command in INLINE:
        _be_sure_that_it_is_known(page, command, parser)
    for fence in SHOWN:
        for line in commands(fence):
            for command in parts(line):
                if command.startswith("timefair "):
                    _be_sure_that_it_is_known(fence.page, command, parser)


def _be_sure_that_it_is_known(page: Path, command: str, parser: argparse.ArgumentParser) -> None:
    for word in shlex.split(re.sub(r"[\[\]…]", " ", command))[1:]:
        groups = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
        if groups:
            assert word in groups[0].choices, f"{page.name}: {command}"
            parser = groups[0].choices[word]
        elif word.startswith("-"):
            assert any(word in action.option_strings for action in parser._actions), command


def test_benchmarks_that_are_named_are_there():
    for page in PAGES:
        for path in re.findall(r"`python ([\w/.-]+\.py)", page.read_text()):
            assert (ROOT / path).is_file(), path


def shrink(path: Path) -> None:
    """Make a campaign cost next to nothing; its name and the algorithms' labels stay."""
    campaign: dict[str, Any] = yaml.safe_load(path.read_text())
    for key in {"functions", "dimensions", "instances"} & campaign["problems"].keys():
        campaign["problems"][key] = int(
            re.split(r"\D+", str(campaign["problems"][key]).strip("[("))[0]
        )
    for key in ("stopping", "restart", "targets"):
        campaign.pop(key, None)
    for spec in campaign["algorithms"].values():
        if isinstance(spec, dict) and "tune" in spec:
            spec["tune"]["budget_s"] = 0.1
    campaign |= {
        "budget": {"evaluations": 60},
        "algorithms": dict(list(campaign["algorithms"].items())[:2]),
        "runs": 4 if "registered" in campaign else 1,  # a registered test needs 4 on each side
        "rounds": 1,
        **FEW,
    }
    path.write_text(yaml.safe_dump(campaign, sort_keys=False))


class Copy:
    """A folder that looks like a clone, with a campaign of the user's own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._done: set[str] = set()
        self._locks = {"TIMEFAIR_LOCKS": str(folder / "locks")}
        self._here = self._locks | measuring_environment(1)  # so that no command starts Python anew
        for name in ("config", "profiles", "envs"):
            shutil.copytree(ROOT / name, folder / name)
        shutil.copytree(
            ROOT / "workflow", folder / "workflow", ignore=shutil.ignore_patterns("timefair*")
        )
        shutil.copy(ROOT / "Snakefile", folder)
        for name in ("docs", "tests"):
            (folder / name).symlink_to(ROOT / name)
        for path in folder.glob("config/**/*.yaml"):
            shrink(path)
        make_environments(folder)
        default = yaml.safe_load((folder / "config/config.yaml").read_text())
        (folder / "mine.yaml").write_text(yaml.safe_dump(default | {"name": "mine"}))
        self._few = folder / "few.yaml"
        self._few.write_text(yaml.safe_dump(FEW))
        for fence in of_language("python"):
            self.write(fence, folder)

    def write(self, fence: Fence, folder: Path) -> None:
        """Write a block that begins with the name of a file, as its reader would."""
        if name := re.match(r"# (\w+\.(py|yaml))\n", fence.text):
            (folder / name[1]).write_text(fence.text)
            if name[2] == "yaml":
                shrink(folder / name[1])

    def run(self, line: str, folder: Path) -> None:
        wanted = " && ".join(part for part in parts(line) if part not in NOT_RUN)
        if not wanted or f"{folder} {wanted}" in self._done:
            return
        self._done.add(f"{folder} {wanted}")
        ours = wanted.startswith("timefair ") and "&&" not in wanted
        status, said = self._command(wanted, folder) if ours else self._shell(wanted, folder)
        right = next((RIGHT[own] for own in RIGHT if wanted.startswith(own)), (0,))
        assert status in right, f"{wanted}\n{said[-6000:]}"
        for path in self.folder.glob("*/campaign.yaml"):
            shrink(path)

    def _command(self, line: str, folder: Path) -> tuple[int, str]:
        """A command of timefair's, in this process, which has imported most of it already."""
        said = io.StringIO()
        with (
            contextlib.chdir(folder),
            mock.patch.dict(os.environ, self._here),
            contextlib.redirect_stdout(said),
            contextlib.redirect_stderr(said),
        ):
            words = [
                path for word in shlex.split(line) for path in sorted(glob.glob(word)) or [word]
            ]
            if words[1] == "analyse" and "--settings" not in words:
                words += ["--settings", str(self._few)]
            return cli.main(words[1:]), said.getvalue()

    def _shell(self, line: str, folder: Path) -> tuple[int, str]:
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        environment = os.environ | self._locks | {"PATH": path}
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", self._no_further_than_needed(line, folder)],
            cwd=folder, env=environment, capture_output=True, text=True, timeout=300,
        )  # fmt: skip
        return done.returncode, done.stdout + done.stderr

    @staticmethod
    def _no_further_than_needed(line: str, folder: Path) -> str:
        """Have Snakemake do what the commands after this one need.

        Planned only are the papers' campaigns and a second one of ``init``. Of a campaign with a
        file of its own, the runs are collected: other commands read no more of it, and its tables
        would be those of `FEW`.
        """
        if "snakemake --cores" not in line:
            return line
        if "config/papers/" in line or "study" in f"{folder.name} {line}":
            return f"{line} --dry-run --quiet"
        if "--configfile" in line:
            return f"{line} --until collect_records"
        return line


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    made = Copy(tmp_path_factory.mktemp("copy"))
    made.run("snakemake --cores all", made.folder)
    (made.folder / "results/NAME").symlink_to("default")
    return made


FIRST = [ROOT / name for name in ("README.md", "docs/guide/tutorial.md", "docs/guide/ioh.md")]
"""What a newcomer reads first, and the page with Python that reads what its commands write."""


@pytest.mark.workflow
@pytest.mark.parametrize(
    "page",
    [
        pytest.param(
            page,
            id=str(page.relative_to(ROOT)),
            marks=() if page in FIRST else pytest.mark.thorough,
        )
        for page in ON_PAGES
    ],
)
def test_the_commands_of_a_page_run(page, copy):
    folder = copy.folder
    for fence in fences(page):
        copy.write(fence, folder)
        for line in commands(fence) if fence.language == "sh" else ():
            if line.startswith("cd ") and "&&" not in line:
                folder = folder / line.removeprefix("cd ")
            else:
                copy.run(line, folder)


def plain(fence: Fence) -> bool:
    """Whether it is Python to run.

    Not a session that the doctests look at, not a file of ours, and not an external program, which
    test_external.py runs.
    """
    others = ">>>", "from timefair.external"
    return not any(part in fence.text for part in others) and not re.match(
        r"# (workflow|tests)/", fence.text
    )


@pytest.fixture
def in_copy(copy, monkeypatch):
    monkeypatch.chdir(copy.folder)
    return copy


@pytest.mark.workflow
@pytest.mark.usefixtures("in_copy")
@pytest.mark.parametrize(
    "fence", [*filter(plain, of_language("python"))], ids=lambda fence: fence.where
)
def test_python_examples_run(fence):
    exec(compile(fence.text, fence.where, "exec"), {})


@pytest.mark.workflow
@pytest.mark.thorough
@pytest.mark.parametrize("fence", of_language("snakemake"), ids=lambda fence: fence.where)
def test_snakefiles_are_planned(fence, copy, tmp_path):
    (tmp_path / "Snakefile").write_text(fence.text)
    (tmp_path / "config.yaml").write_text(
        next(other.text for other in fences(fence.page) if other.language == "yaml")
    )
    copy.run("snakemake --cores 1 --dry-run --quiet", tmp_path)


EXAMPLES = [fence for fence in of_language("yaml") if fence.page.name != "CONTRIBUTING.md"]
"""Those of CONTRIBUTING.md use what its reader adds; `test_how_to_add.py` checks them."""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working directory, with the user's own code that the examples name."""
    monkeypatch.chdir(tmp_path)
    for fence in of_language("python"):
        if name := re.match(r"# (\w+\.py)\n", fence.text):
            (tmp_path / name[1]).write_text(fence.text)
    (tmp_path / "solver").write_text("#!/bin/sh\n")
    (tmp_path / "solver").chmod(0o755)
    make_environments(tmp_path)
    (tmp_path / "data/ES").mkdir(parents=True)
    (tmp_path / "data/BIPOP-CMA-ES_hansen_noiseless.tgz").touch()
    (tmp_path / "theirs.csv").touch()
    (tmp_path / "timefair-data").mkdir()
    (tmp_path / "timefair-data/database-bbob-5.zip").touch()
    return tmp_path


@pytest.mark.parametrize("fence", EXAMPLES, ids=[fence.where for fence in EXAMPLES])
def test_a_campaign_of_the_documentation(fence, folder):
    given = yaml.safe_load(fence.text)
    default = configuration.read_yaml(ROOT / "config/config.yaml")
    assert isinstance(default, dict)
    for campaign in campaigns(given):
        assert configuration.parse(default | campaign).name


def campaigns(given: dict[str, Any]) -> list[dict[str, Any]]:
    """What was written as a campaign, or those that are sections of another workflow's file."""
    if set(given) <= set(Campaign.model_fields):
        return [given]
    return [section for section in given.values() if isinstance(section, dict)]
