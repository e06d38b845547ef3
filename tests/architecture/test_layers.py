"""Layers of the package, profiles, and environments."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

PACKAGE = Path(__file__).parents[2] / "workflow/timefair"

ALLOWED = {
    # bottom
    "basics": set(),
    "statistics": set(),
    "machine": {"basics"},
    "records": {"basics", "statistics"},
    "problems": {"basics"},
    "algorithms": {"basics", "problems"},
    "external": set(),  # for programs in environments without timefair
    # what a campaign is
    "policies": {"basics", "statistics"},
    "campaign": {
        "basics", "machine", "problems", "algorithms", "records", "policies",
        "exhibits",  # the settings, the names, and the pages of figures
    },
    # what is done
    "measure": {
        "basics", "machine", "problems", "algorithms", "statistics", "records", "policies",
        "campaign",
    },
    "exhibits": {
        "basics", "problems", "records", "statistics",
        "policies",  # the rule that decides the registered question
    },
    "analysis": {"basics", "campaign", "exhibits", "records"},
    "io": {"basics", "records", "problems"},
    "report": {
        "basics", "campaign", "problems", "algorithms", "measure", "statistics", "records",
        "exhibits",
    },
    "cli": None,  # all of the core
    "extensions": None,
}  # fmt: skip
LIBRARIES_KEPT_OUT = {
    "statistics": {"pandas", "matplotlib", "seaborn", "pyarrow"},
    "policies": {"pandas", "matplotlib", "seaborn", "pyarrow"},
    "machine": {"pandas", "matplotlib", "seaborn", "pyarrow"},
    "measure": {"pandas", "matplotlib", "seaborn"},
    "records": {"matplotlib", "seaborn"},
    "exhibits/latex": {"matplotlib", "seaborn"},
    "exhibits/charts": {"pyarrow"},
    "io": {"matplotlib", "seaborn", "cocopp"},
}
LIGHT = (
    "cli", "campaign/configuration", "campaign/plan", "campaign/provenance", "machine",
    "basics", "policies", "records/rundata/settings", "__init__", "__main__",
)  # fmt: skip
HEAVY = {
    "numpy", "pandas", "pyarrow", "scipy", "matplotlib", "seaborn", "cocoex", "nevergrad", "cma",
}  # fmt: skip


def files(layer: str) -> list[Path]:
    folder = PACKAGE / layer
    return sorted(folder.rglob("*.py")) if folder.is_dir() else [PACKAGE / f"{layer}.py"]


def imports(path: Path, *, top_only: bool = False) -> set[str]:
    """Full names of what a file imports; with `top_only`, when it is itself imported."""
    tree = ast.parse(path.read_text())
    names: set[str] = set()
    for node in tree.body if top_only else ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return names


def layers_of(names: set[str]) -> set[str]:
    return {
        name.split(".")[1]
        for name in names
        if name.startswith("timefair.") and not name.endswith(".__version__")
    }


def test_every_layer_is_known():
    present = {path.stem for path in PACKAGE.glob("*.py") if not path.stem.startswith("__")}
    present |= {path.parent.name for path in PACKAGE.glob("*/*.py")}
    assert present <= set(ALLOWED), "say in ALLOWED what the new room may import"


@pytest.mark.parametrize("layer", [name for name, may in ALLOWED.items() if may is not None])
def test_arrows(layer):
    allowed = ALLOWED[layer]
    assert allowed is not None
    wrong = {
        str(path.relative_to(PACKAGE)): sorted(beyond)
        for path in files(layer)
        if (beyond := layers_of(imports(path)) - allowed - {layer})
    }
    assert not wrong


def test_the_client_of_external_programs_needs_the_standard_library_alone():
    needed = {name.split(".")[0] for name in imports(PACKAGE / "external.py")}
    assert needed <= sys.stdlib_module_names


@pytest.mark.slow
@pytest.mark.parametrize("layer", LIBRARIES_KEPT_OUT)
def test_libraries_that_stay_out(layer):
    wrong = {
        path.name: sorted(there)
        for path in files(layer)
        if (there := {name.split(".")[0] for name in imports(path)} & LIBRARIES_KEPT_OUT[layer])
    }
    assert not wrong


@pytest.mark.parametrize("module", LIGHT)
def test_commands_load_quickly(module):
    names = {name for path in files(module) for name in imports(path, top_only=True)}
    assert not {name.split(".")[0] for name in names} & HEAVY


@pytest.mark.parametrize(
    "path", sorted((PACKAGE.parent / "rules").glob("*.smk")), ids=lambda path: path.name
)
def test_rules_have_one_command_and_no_script(path):
    lines = [line.strip() for line in path.read_text().splitlines()]
    assert not {"run:", "script:", "notebook:"} & set(lines)
    has_python = any(line.startswith(("def ", "import ", "from ")) for line in lines)
    assert has_python == (path.name == "campaign.smk")  # it reads the configuration for the others


PROFILES = Path(__file__).parents[2] / "profiles"
FOR_ARRAYS = {"scheduler-subsample"}
"""Not in the profile for Slurm: the executor loses jobs of which it is handed a part."""


def settings(name: str) -> dict[str, Any]:
    return yaml.safe_load((PROFILES / name / "config.yaml").read_text())


@pytest.mark.parametrize(("name", "without"), [("slurm", FOR_ARRAYS), ("cluster", set())])
def test_what_holds_on_a_workstation_holds_on_a_cluster(name, without):
    here, there = settings("default"), settings(name)
    assert {key: there.get(key) for key in here} == here | dict.fromkeys(without)


def test_nothing_holds_jobs_of_an_array_back():
    slurm = settings("slurm")
    assert slurm["slurm-array-jobs"] == "all"
    assert slurm["jobs"] == "unlimited"


ROOT = Path(__file__).parents[2]
OF_PIP = ("requirements.txt", "extras.txt", "test.txt", "dev.txt")
"""Each installs those before it too."""
ALL = (*OF_PIP, "slurm.txt")
PIN = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*==[0-9][0-9a-z.]*(; python_version (<|>=) \"3.[0-9]+\")?")


def pins(name: str) -> list[str]:
    lines = (ROOT / "envs" / name).read_text().splitlines()
    return [line for line in lines if line and not line.startswith(("#", "-r "))]


def test_conda_has_the_pins_of_pip():
    environment = yaml.safe_load((ROOT / "envs/timefair.yaml").read_text())
    (by_pip,) = [entry["pip"] for entry in environment["dependencies"] if isinstance(entry, dict)]
    assert by_pip == pins("requirements.txt")


@pytest.mark.parametrize("name", ALL)
def test_pins_are_sorted_and_exact(name):
    assert all(PIN.fullmatch(pin) for pin in pins(name))
    names = [pin.partition("==")[0] for pin in pins(name)]
    assert names == sorted(names)


@pytest.mark.parametrize(
    ("extra", "given"),
    [
        (None, OF_PIP[:1]),
        ("extras", OF_PIP[:2]),
        ("cluster", OF_PIP[:3]),
        ("test", OF_PIP[:3]),
        ("dev", OF_PIP),
    ],
)
def test_every_dependency_is_pinned(extra, given):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = project["optional-dependencies"][extra] if extra else project["dependencies"]
    pinned = {pin.partition("==")[0] for file in given for pin in pins(file)}
    names = {re.split(r"[\[<>=~!; ]", entry)[0].lower() for entry in wanted} - {"timefair"}
    assert names <= pinned


def test_commands_are_declared_without_numpy():
    """Each start would be slower, and numpy would not heed the number of threads asked for."""
    code = "import sys; from timefair.cli import parser; parser(); print('numpy' in sys.modules)"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_no_two_modules_of_the_core_have_one_name():
    """The client of programs has the name under which programs import it, `timefair.external`."""
    of_core = [path for path in PACKAGE.rglob("*.py*") if path.suffix in {".py", ".pyx"}]
    known = {path for path in of_core if not {"extensions", "client"} & {*path.parts}}
    names = sorted(path.stem for path in known if path.stem != "__init__")
    assert names == sorted(set(names))
