"""The environments pin one version of each package, and say nothing else."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
FILES = ("requirements.txt", "extras.txt", "test.txt", "dev.txt")
"""Each installs those before it too."""
ALL = (*FILES, "slurm.txt")
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


def test_no_package_is_pinned_twice():
    """A later Python may have another version: that of an earlier one is built there, for long."""
    every = [pin.partition("==") for file in ALL for pin in pins(file)]
    names = [name for name, _, version in every if ">=" not in version]
    assert len(set(names)) == len(names)
    assert {name for name, _, version in every if ">=" in version} <= set(names)


@pytest.mark.parametrize(
    ("extra", "given"),
    [
        (None, FILES[:1]),
        ("extras", FILES[:2]),
        ("cluster", FILES[:3]),
        ("test", FILES[:3]),
        ("dev", FILES),
    ],
)
def test_every_dependency_is_pinned(extra, given):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = project["optional-dependencies"][extra] if extra else project["dependencies"]
    pinned = {pin.partition("==")[0] for file in given for pin in pins(file)}
    names = {re.split(r"[\[<>=~!; ]", entry)[0].lower() for entry in wanted} - {"timefair"}
    assert names <= pinned
