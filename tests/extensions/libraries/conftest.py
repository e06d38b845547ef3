"""Launches of an algorithm on a plain objective."""

import pytest
from objectives import launched


@pytest.fixture
def launch():
    return launched
