"""What the tests of runs have in common."""

import pytest

from timefair.machine.linux import kernel
from timefair.problems.registry import SUITES


@pytest.fixture(scope="module", autouse=True)
def reaper():
    """As in a job, what a run leaves behind comes to this process."""
    kernel.adopt_orphans()


@pytest.fixture(scope="module")
def problem():
    return SUITES["bbob"].problem(8, 3, 1)
