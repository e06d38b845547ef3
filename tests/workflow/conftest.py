"""Campaigns in folders of their own."""

from pathlib import Path

import pytest
from workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    made = Workspace(tmp_path)
    made.configure()
    return made
