"""The order of the tests, and which of them are fast."""

from __future__ import annotations

import pytest

SLOW = ("workflow", "peer", "slow", "all_figures")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of our tests."""
    parser.addoption(
        "--all-figures", action="store_true", help="measure the figures of every size too"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the fast tests, and begin with campaigns: they take longest.

    Fast is one case of each test, unless the test or its file has one of the marks in `SLOW`.
    """
    skipped = pytest.mark.skip(reason="only with --all-figures")
    for item in items:
        if item.get_closest_marker("all_figures") and not config.getoption("--all-figures"):
            item.add_marker(skipped)
    seen: set[str] = set()
    for item in items:
        function = item.nodeid.partition("[")[0]
        if function not in seen and not any(item.get_closest_marker(mark) for mark in SLOW):
            seen.add(function)
            item.add_marker("fast")
    items.sort(key=lambda item: item.get_closest_marker("workflow") is None)
