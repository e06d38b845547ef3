"""What others expect of a workflow and of a package: tools, catalogue, module, wheel."""

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

pytestmark = pytest.mark.workflow

ROOT = Path(__file__).parents[2]
SMALL = {
    "algorithms": {"random": "timefair:random-search"},
    "problems": {"suite": "bbob", "functions": 1, "dimensions": 2, "instances": 1},
    "runs": 1,
    "tables": ["ert"],
    "figures": {"names": ["ert"], "formats": ["svg"]},
}
"""A campaign of one run."""


def python(
    *words: str, folder: Path = ROOT, executable: str = sys.executable, **variables: str
) -> str:
    """Run Python with some words; what it said, once it ended with 0."""
    done = subprocess.run(
        [executable, *words], cwd=folder, env=os.environ | variables,
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def required(*packages: str) -> set[str]:
    found: set[str] = set()
    names = list(packages)
    while names:
        name = names.pop()
        if name not in found:
            found.add(name)
            needed = [Requirement(line) for line in metadata.requires(name) or ()]
            names += [one.name for one in needed if not one.marker or one.marker.evaluate()]
    return found


def environment_of(folder: Path, *packages: str) -> str:
    """The Python of a new environment with links to these packages, as they are here, alone."""
    venv.create(folder, with_pip=False)
    (site,) = folder.glob("lib/python*/site-packages")
    for name in required(*packages):
        package = metadata.distribution(name)
        for top in {file.parts[0] for file in package.files or ()} - {"..", "__pycache__"}:
            if not (site / top).exists():
                (site / top).symlink_to(str(package.locate_file(top)))
    return str(folder / "bin/python")


@pytest.fixture(scope="module")
def linters(tmp_path_factory):
    return environment_of(tmp_path_factory.mktemp("linters"), "snakemake")


@pytest.fixture
def clone(tmp_path):
    """The workflow of a clone that is not built."""
    folder = tmp_path / "clone"
    kept_out = shutil.ignore_patterns("*.so", "*.c", "*.egg-info", "__pycache__")
    for name in ("workflow", "config", "profiles", "envs"):
        shutil.copytree(ROOT / name, folder / name, ignore=kept_out)
    for name in ("Snakefile", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    return folder


def test_the_linter_needs_no_timefair(linters, clone):
    words = ("-m", "snakemake", "--lint")
    assert "good condition" in python(*words, folder=clone, executable=linters, PYTHONPATH="")


def test_without_timefair_one_line_says_how_to_install_it(linters, clone):
    done = subprocess.run(
        [linters, "-m", "snakemake", "--cores", "1", "results/default/tables/ert.csv"],
        cwd=clone, env=os.environ | {"PYTHONPATH": ""}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "timefair: not installed in the environment of snakemake;"
        f" run `{linters} -m pip install .` in a clone of timefair"
    )
    assert "Traceback" not in done.stderr


def test_the_rules_are_formatted(tmp_path):
    pytest.importorskip("snakefmt")
    formatter = environment_of(tmp_path, "snakefmt")
    words = ("-m", "snakefmt.snakefmt", "--check", "Snakefile", "workflow")
    python(*words, executable=formatter, PYTHONPATH="")


@pytest.mark.thorough
def test_snakedeploy_makes_a_workflow_that_runs(workspace, clone):
    snakedeploy = shutil.which("snakedeploy")
    if snakedeploy is None:
        pytest.skip("not installed: snakedeploy (envs/test.txt)")
    deployed = workspace.folder / "deployed"
    words = ("deploy-workflow", str(clone), str(deployed), "--branch", "main", "--name", "timefair")
    python(*words, executable=snakedeploy)
    # For a local source, snakedeploy leaves out where it is.
    snakefile = deployed / "workflow/Snakefile"
    written = snakefile.read_text()
    assert written.count('"workflow/Snakefile"') == 1
    snakefile.write_text(written.replace("workflow/Snakefile", f"{clone}/workflow/Snakefile"))
    workspace.configure(**SMALL)
    shutil.copy(workspace.config, deployed / "config/config.yaml")
    locks = workspace.environment["TIMEFAIR_LOCKS"]
    python("-m", "snakemake", "--cores", "2", folder=deployed, TIMEFAIR_LOCKS=locks)
    assert (deployed / "results/test/report.html").is_file()


OUTER = f"""
configfile: "outer.yaml"

module plain:
    snakefile: "{ROOT}/workflow/Snakefile"
    config: config["plain"]

module moved:
    snakefile: "{ROOT}/workflow/Snakefile"
    config: config["moved"]
    prefix: "benchmarks"

use rule * from plain as plain_*
use rule * from moved as moved_*

rule summary:
    default_target: True
    input: "results/one/collected/random.parquet", rules.moved_all.input
    output: "summary.txt"
    shell: "ls {{input}} > {{output}}"
"""


@pytest.mark.thorough
def test_two_campaigns_as_modules_of_another_workflow(workspace):
    workspace.configure(**SMALL)
    campaign = yaml.safe_load(workspace.config.read_text())
    outer = {
        "runs": "a key of the outer workflow, which is no number",
        "plain": campaign | {"name": "one"},
        "moved": campaign | {"name": "two", "seed": 4},
    }
    (workspace.folder / "outer.yaml").write_text(yaml.safe_dump(outer))
    (workspace.folder / "Snakefile").write_text(OUTER)
    workspace.config = workspace.folder / "outer.yaml"
    words = ("-m", "snakemake", "--cores", "2", "--scheduler", "greedy")
    locks = workspace.environment["TIMEFAIR_LOCKS"]
    python(*words, folder=workspace.folder, TIMEFAIR_LOCKS=locks)
    listed = (workspace.folder / "summary.txt").read_text()
    for made in ("results/one/collected/random.parquet", "benchmarks/results/two/tables/ert.csv"):
        assert f"{made}\n" in listed
        assert (workspace.folder / made).parents[1].joinpath("campaign.json").is_file()


def test_a_fault_in_a_module_is_an_error_of_the_workflow(tmp_path):
    (tmp_path / "Snakefile").write_text(
        f'module faulty:\n    snakefile: "{ROOT}/workflow/Snakefile"\n'
        '    config: {"name": "x", "seed": -1}\n'
        "use rule * from faulty\n"
    )
    command = [sys.executable, "-m", "snakemake", "-n", "--cores", "1"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    said = done.stdout + done.stderr
    assert "WorkflowError" in said
    assert "timefair: seed: -1: should be at least 0" in said
    assert "Traceback" not in said


class Installation:
    """A virtual environment with the package from its wheel; the rest is this Python's."""

    def __init__(self, folder: Path, wheel: Path) -> None:
        venv.create(folder, with_pip=False)
        self.wheel, self.python = wheel, str(folder / "bin/python")
        (site,) = folder.glob("lib/python*/site-packages")
        (site / "dependencies.pth").write_text(sysconfig.get_path("platlib"))
        quick = ("--no-deps", "--no-index", "--no-compile", "--disable-pip-version-check")
        python("-m", "pip", "--python", self.python, "install", *quick, str(wheel))
        # Nothing of the source tree is to be found, and its programs come first.
        programs = os.pathsep.join([str(folder / "bin"), os.environ["PATH"]])
        self._variables = {"PYTHONPATH": "", "PATH": programs}

    def run(self, *words: str, folder: Path, **variables: str) -> str:
        variables |= self._variables
        return python(*words, folder=folder, executable=self.python, **variables)


def _keep_compiled(source: Path) -> None:
    """Copy the compiled modules that are current, so that the copy is not compiled again.

    Their times are now: Cython compiles again what is older than the files of Cython.
    """
    built_for = f"lib.{sysconfig.get_platform()}-{sys.implementation.cache_tag}"
    for compiled in ROOT.glob("workflow/**/*.so"):
        module = compiled.relative_to(ROOT).with_name(compiled.name.partition(".")[0])
        of_cython = source / module.with_suffix(".c")
        if not of_cython.exists():
            continue
        written, cythonized, linked = (
            path.stat().st_mtime
            for path in (ROOT / module.with_suffix(".pyx"), of_cython, compiled)
        )
        if written <= cythonized <= linked:
            of_cython.touch()
            place = source / "build" / built_for / compiled.relative_to(ROOT / "workflow")
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(compiled, place)


@pytest.fixture(scope="module")
def installation(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    kept_out = shutil.ignore_patterns(".*", "results", "build", "*.so", "*.egg-info", "__pycache__")
    source = shutil.copytree(ROOT, folder / "source", ignore=kept_out)
    _keep_compiled(source)
    quick = {"CFLAGS": "-O0"}
    built = ("--no-deps", "--no-build-isolation", "--wheel-dir", str(folder))
    python("-m", "pip", "wheel", *built, str(source), **quick)
    (wheel,) = folder.glob("*.whl")
    return Installation(folder / "venv", wheel)


def test_the_wheel_has_all_that_the_workflow_needs(installation):
    there = set(zipfile.ZipFile(installation.wheel).namelist())
    for path in ROOT.glob("workflow/timefair/**/*"):
        if path.is_file() and path.suffix not in (".c", ".so", ".pyc"):
            assert str(path.relative_to(ROOT / "workflow")) in there
    shipped = {name.partition("/share/timefair/")[2] for name in there if "/share/" in name}
    kept = ("config", "envs", "profiles", "workflow/rules")
    files = [path for room in kept for path in (ROOT / room).rglob("*") if path.is_file()]
    files = [path for path in files if "__pycache__" not in path.parts]
    assert shipped == {str(path.relative_to(ROOT)) for path in files} | {"workflow/Snakefile"}


@pytest.mark.thorough
def test_the_wheel_alone_runs_a_campaign(installation, workspace):
    def timefair(*words: str) -> str:
        return installation.run("-m", "timefair", *words, folder=study)

    study = workspace.folder
    assert "exchange:" in timefair("--help")
    assert "change campaign.yaml" in timefair("init", "study")
    study = workspace.folder / "study"
    workspace.configure(**SMALL)
    shutil.copy(workspace.config, study / "campaign.yaml")
    assert "campaign      test" in timefair("check", "campaign.yaml")
    installation.run(
        "-m", "snakemake", "--cores", "2", "--configfile", "campaign.yaml",
        "--until", "collect_records",
        folder=study, TIMEFAIR_LOCKS=workspace.environment["TIMEFAIR_LOCKS"],
    )  # fmt: skip
    assert "all 1 runs" in timefair("progress", "results/test")
    assert "0 problems" in timefair("verify", "results/test")


def test_a_clone_that_is_not_built_uses_the_wheel(installation, workspace, clone):
    workspace.configure(**SMALL)
    words = ("--cores", "1", "--dry-run", "--configfile", str(workspace.config))
    planned = installation.run("-m", "snakemake", *words, folder=clone)
    assert "measure_cell" in planned
