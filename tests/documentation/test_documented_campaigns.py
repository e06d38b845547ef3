"""Campaigns in the documentation, whole or in part, have no faults."""

import re
from typing import Any

import pytest
import yaml
from fences import ROOT, make_environments, of_language

from timefair.campaign import configuration
from timefair.campaign.configuration import Campaign

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
