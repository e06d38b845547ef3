"""The order of the tests, which of them are fast, and which are made only if asked for."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import chromium
import pyarrow as pa
import pytest
from chromium import Browser
from hypothesis import HealthCheck, settings

BUSY = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
"""A busy machine is not a defect."""

settings.register_profile("few", max_examples=20, **BUSY)
settings.register_profile("thorough", max_examples=100, **BUSY)

sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # the tests start hundreds of processes of Python

TESTS = Path(__file__).parent
IN_TURN = (
    ("adversaries", "workflow"),
    ("unit/measure", "extensions"),
    ("documentation", "architecture", "statistical", "peers", "unit/exhibits/charts"),
)
"""Folders of tests, in the order of their turns; all others come last."""
LONGEST_S = 300
"""A test that takes longer fails; the longest one takes 45 s on a quiet machine."""
MOST_CASES = 3
SLOW = ("workflow", "peer", "slow", "thorough")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Choose how many examples hypothesis makes.

    A test that needs more multiplies ``settings.default.max_examples``.
    """
    pa.enable_signal_handlers(False)  # as `timefair.io.table_read` does; tests read tables, too
    settings.load_profile("thorough" if config.getoption("--thorough") else "few")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--thorough", action="store_true", help="all cases of all tests (half an hour on two cores)"
    )


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Keep garbage collection from what is made while tests are collected: all of it is in use."""
    gc.disable()
    result = yield
    gc.freeze()
    gc.enable()
    return result


@pytest.fixture(autouse=True, scope="session")
def _temporary(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A temporary folder for the tests and what they start: others may have anything in theirs."""
    place = tmp_path_factory.mktemp("t")
    place.chmod(0o1777)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(place))
        patch.setattr(tempfile, "tempdir", str(place))
        yield


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A headless browser without a network; without one on the machine, the tests are skipped."""
    found = chromium.executable()
    if found is None:
        pytest.skip("no Chromium is installed")
    with chromium.Browser(found, tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Iterator[object]:
    """Let a test that hangs fail with its place and the processes of this machine."""

    def overdue(*_: object) -> None:
        columns = "pid,ppid,stat,etimes,wchan:20,args"
        processes = subprocess.run(["ps", "-eo", columns, "--forest"], capture_output=True)
        raise TimeoutError(f"more than {LONGEST_S} s\n{processes.stdout.decode()}")

    before = signal.signal(signal.SIGALRM, overdue)
    signal.alarm(LONGEST_S)
    try:
        return (yield)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Forget what earlier tests in this process noted as lost or shared by forks.

    After such a note, each run imports its modules anew, which takes seconds.
    """
    if threads := sys.modules.get("timefair.basics.threads"):
        threads._lost.clear()
        threads._shared.clear()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the fast tests, and set the order: campaigns, which take longest; runs; the rest.

    Each run is a fork of the tests' process. Forks take three times as long once other tests have
    imported their libraries. One worker executes all tests of a file, so that files with long tests
    are first: at the end, the others should not wait for it.

    Fast is one case of each test, unless the test or its file has one of the marks in `SLOW`.
    """
    if not config.getoption("--thorough"):
        left_out = set(_only_if_asked(items, named=bool(config.option.keyword)))
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [item for item in items if item not in left_out]
    seen: set[str] = set()
    for item in items:
        function = _function(item)
        if function not in seen and not any(item.get_closest_marker(mark) for mark in SLOW):
            seen.add(function)
            item.add_marker("fast")
    items.sort(key=_turn)


def _only_if_asked(items: Iterable[pytest.Item], named: bool) -> Iterator[pytest.Item]:
    """The tests and cases that only ``--thorough`` makes.

    Of a slow test without the mark ``thinned``, `MOST_CASES` are made, the first and the last among
    them. With ``-k``, all cases that it names are.
    """
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("thorough"):
            yield item
        else:
            cases.setdefault(_function(item), []).append(item)
    if named:
        return
    for of_one in cases.values():
        if thinned := of_one[0].get_closest_marker("thinned"):
            made = set(of_one[:: thinned.args[0]])
        elif len(of_one) > MOST_CASES and of_one[0].get_closest_marker("slow"):
            last = len(of_one) - 1
            made = {of_one[k * last // (MOST_CASES - 1)] for k in range(MOST_CASES)}
        else:
            continue
        yield from (item for item in of_one if item not in made)


def _function(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0]


def _turn(item: pytest.Item) -> int:
    return 0 if item.get_closest_marker("workflow") else _turn_of_file(item.path)


@cache
def _turn_of_file(path: Path) -> int:
    for turn, folders in enumerate(IN_TURN):
        if any(path.is_relative_to(TESTS / folder) for folder in folders):
            return turn
    return len(IN_TURN)
