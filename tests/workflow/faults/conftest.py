"""Trials, and how many faults are done."""

import pytest
from faults.trial import Trial
from workspace import Workspace

MOMENTS = 3


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--moments", type=int, help=f"random moments of faults ({MOMENTS})")


@pytest.fixture
def moments(request):
    return request.config.getoption("--moments", default=None) or MOMENTS


@pytest.fixture
def new_trial(tmp_path):
    count = iter(range(10**6))

    def make(**changes: object) -> Trial:
        folder = tmp_path / f"trial{next(count)}"
        folder.mkdir()
        return Trial(Workspace(folder), **changes)

    return make


@pytest.fixture
def trial(new_trial):
    return new_trial()
