"""Which files of a campaign and of its author an archive has."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from campaigns import SMALL, SPHERE

from timefair.basics.errors import InputError
from timefair.campaign import configuration, plan, provenance
from timefair.extensions.archive.files import _names, campaign_files, own_code
from timefair.extensions.environments import interpreters

CAMPAIGN = SMALL | {"problems": SPHERE | {"functions": "1-2"}, "runs": 24, "rounds": 3}
TUNE = {
    "space": {"F": {"float": [0.3, 0.9]}},
    "tuner": "random",
    "budget_s": 9,
    "on": {"functions": 1, "dimensions": 2, "instances": "51-52"},
}
WRAPPER = """
import mylib


def solve(objective, rng):
    mylib.search(objective, rng)
"""
LIBRARY = "def search(objective, rng, version={}):\n    objective(objective.lower)\n"


def complete(folder: Path, **changes: Any) -> tuple[configuration.Campaign, Mapping[Any, str]]:
    """A campaign whose files are all there, empty, and its keys."""
    campaign = configuration.parse(CAMPAIGN | changes)
    keys = provenance.measure_keys(campaign)
    plan.write_keys(keys, folder)
    for name in _names(folder, campaign):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return campaign, keys


def needs(folder: Path, campaign: configuration.Campaign, name: str) -> None:
    """Check that an archive has a file, and is not made without it."""
    assert f"r/{name}" in [member.path for member in campaign_files(folder, campaign, "r")]
    (folder / name).unlink()
    with pytest.raises(InputError, match=f"{name}: missing"):
        campaign_files(folder, campaign, "r")


def test_the_search_of_a_tuned_variant_is_in_the_archive(tmp_path):
    algorithms = {"a": {"use": "timefair:DE", "tune": TUNE}}
    campaign, keys = complete(tmp_path, algorithms=algorithms)
    assert (tmp_path / plan.tuning_record("a-tuned", keys)).is_file()
    needs(tmp_path, campaign, str(plan.tuning_record("a-tuned", keys)))


@pytest.fixture
def versions(tmp_path, monkeypatch):
    """Two versions of a library, each found through `path`, behind one wrapper."""
    monkeypatch.chdir(tmp_path)
    interpreters._answer.cache_clear()
    (tmp_path / "wrapper.py").write_text(WRAPPER)
    for number, label in enumerate(("baseline", "candidate")):
        (tmp_path / "checkouts" / label).mkdir(parents=True)
        (tmp_path / "checkouts" / label / "mylib.py").write_text(LIBRARY.format(number))
    algorithms = {
        label: {"use": "wrapper.py:solve", "path": f"checkouts/{label}"}
        for label in ("baseline", "candidate")
    }
    return configuration.parse(CAMPAIGN | {"algorithms": algorithms})


def test_the_files_of_each_version_are_in_the_archive(versions, tmp_path):
    found = {
        member.path: b"".join(member.chunks()).decode() for member in own_code(versions, tmp_path)
    }
    assert found == {
        "own/wrapper.py": WRAPPER,
        "own/baseline/mylib.py": LIBRARY.format(0),
        "own/candidate/mylib.py": LIBRARY.format(1),
    }


@pytest.mark.slow
def test_a_version_that_is_not_there_is_one_line(versions, tmp_path):
    (tmp_path / "checkouts/candidate").rename(tmp_path / "checkouts/moved")
    interpreters._answer.cache_clear()
    with pytest.raises(InputError) as error:
        own_code(versions, tmp_path)
    (line,) = error.value.faults
    assert line.startswith(
        "algorithms.candidate.path: 'checkouts/candidate': there is no such folder"
    )
