"""The user's files in an archive, those of algorithms with an environment of their own too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from timefair.basics.errors import InputError
from timefair.campaign import configuration
from timefair.environments import environment
from timefair.extensions.archive.files import Member, own_code

WRAPPER = """
import mylib


def solve(objective, rng):
    mylib.search(objective, rng)
"""
LIBRARY = "def search(objective, rng, version={}):\n    objective(objective.lower)\n"


@pytest.fixture
def campaign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> configuration.Campaign:
    """Two versions of a library, each found through `path`, behind one wrapper."""
    monkeypatch.chdir(tmp_path)
    environment._asked.cache_clear()
    (tmp_path / "wrapper.py").write_text(WRAPPER)
    for number, label in enumerate(("baseline", "candidate")):
        (tmp_path / "checkouts" / label).mkdir(parents=True)
        (tmp_path / "checkouts" / label / "mylib.py").write_text(LIBRARY.format(number))
    asked: dict[str, Any] = {
        "name": "own",
        "problems": {"suite": "bbob", "functions": 1, "dimensions": 2, "instances": 1},
        "algorithms": {
            label: {"use": "wrapper.py:solve", "path": f"checkouts/{label}"}
            for label in ("baseline", "candidate")
        },
        "budget": {"evaluations": 10},
    }
    return configuration.parse(asked)


def content(member: Member) -> str:
    return b"".join(member.chunks()).decode()


def test_the_files_of_each_version_are_in_the_archive(campaign, tmp_path: Path) -> None:
    found = {member.path: content(member) for member in own_code(campaign, tmp_path)}
    assert found == {
        "own/wrapper.py": WRAPPER,
        "own/baseline/mylib.py": LIBRARY.format(0),
        "own/candidate/mylib.py": LIBRARY.format(1),
    }


@pytest.mark.slow
def test_a_version_that_is_not_there_is_one_line(campaign, tmp_path: Path) -> None:
    (tmp_path / "checkouts/candidate").rename(tmp_path / "checkouts/moved")
    environment._asked.cache_clear()
    with pytest.raises(InputError) as error:
        own_code(campaign, tmp_path)
    (line,) = error.value.faults
    assert line.startswith(
        "algorithms.candidate.path: 'checkouts/candidate': there is no such folder"
    )
