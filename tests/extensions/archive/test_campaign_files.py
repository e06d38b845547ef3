"""Which files of a campaign an archive has."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from timefair.basics.errors import InputError
from timefair.campaign import configuration, plan, provenance
from timefair.extensions.archive.files import _names, campaign_files

CAMPAIGN: dict[str, Any] = {
    "name": "small",
    "problems": {"suite": "bbob", "functions": "1-2", "dimensions": 2, "instances": 1},
    "algorithms": {"a": "timefair:DE", "b": "timefair:random-search"},
    "budget": {"evaluations": 60},
    "runs": 24,
    "rounds": 3,
}
TUNE = {
    "space": {"F": {"float": [0.3, 0.9]}},
    "tuner": "random",
    "budget_s": 9,
    "on": {"functions": 1, "dimensions": 2, "instances": "51-52"},
}


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


def test_the_search_of_a_tuned_variant_is_in_the_archive(tmp_path: Path) -> None:
    algorithms = {"a": {"use": "timefair:DE", "tune": TUNE}}
    campaign, keys = complete(tmp_path, algorithms=algorithms)
    assert (tmp_path / plan.tuning_record("a-tuned", keys)).is_file()
    needs(tmp_path, campaign, str(plan.tuning_record("a-tuned", keys)))


@pytest.mark.parametrize("round", [2, 3])
def test_the_runs_that_a_race_gave_to_rounds_are_in_the_archive(tmp_path: Path, round) -> None:
    campaign, keys = complete(tmp_path, stopping={"rule": "campaign_race"})
    assert (tmp_path / plan.allocation_path(keys, round)).is_file()
    needs(tmp_path, campaign, str(plan.allocation_path(keys, round)))
