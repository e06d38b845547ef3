"""Campaigns in folders of their own."""

import pytest
from workspace import Workspace


@pytest.fixture
def workspace(tmp_path):
    made = Workspace(tmp_path)
    made.configure()
    return made
