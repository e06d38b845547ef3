"""The order of the tests, and which of them are fast."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import chromium
import pytest
from chromium import Browser
from hypothesis import HealthCheck, settings

settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")  # a busy machine is no defect

sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # the tests start hundreds of processes of Python

UNIT = Path(__file__).parent / "unit"
FORKING = UNIT / "measure"
LONG = tuple(UNIT / name for name in ("versions", "environments", "selftest", "replay", "charts"))
SLOW = ("workflow", "peer", "slow", "all_figures")


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Let the rerun plugin ask at once: with several workers, each test waits 40 ms otherwise.

    In a worker, the plugin sends two messages per test and then waits for an answer. By default,
    TCP holds back the second message until the first is acknowledged.
    """
    connection = getattr(getattr(config, "failures_db", None), "sock", None)
    if connection is not None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of our tests."""
    parser.addoption(
        "--all-figures", action="store_true", help="measure the figures of every size too"
    )


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A headless browser without a network; without one on the machine, the tests are skipped."""
    found = chromium.executable()
    if found is None:
        pytest.skip("no Chromium is installed")
    with chromium.Browser(found, tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the fast tests, and set the order: campaigns, which take longest; runs; the rest.

    Each run is a fork of the tests' process. Forks take three times as long once other tests have
    imported their libraries. Of the rest, the files with the longest tests are first: one worker
    executes all tests of a file, and the others should not wait for it at the end.

    Fast is one case of each test, unless the test or its file has one of the marks in `SLOW`.
    """
    if not config.getoption("--all-figures"):
        left_out = [item for item in items if item.get_closest_marker("all_figures")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("all_figures")]
    seen: set[str] = set()
    for item in items:
        function = item.nodeid.partition("[")[0]
        if function not in seen and not any(item.get_closest_marker(mark) for mark in SLOW):
            seen.add(function)
            item.add_marker("fast")
    items.sort(key=_turn)


def _turn(item: pytest.Item) -> int:
    if item.get_closest_marker("workflow"):
        return 0
    if FORKING in item.path.parents:
        return 1
    return 2 if any(folder in item.path.parents for folder in LONG) else 3
